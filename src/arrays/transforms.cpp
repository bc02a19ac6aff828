#include "arrays/transforms.hpp"

#include <algorithm>

#include "arrays/deferred.hpp"
#include "arrays/planned_call.hpp"
#include "library/transform.hpp"

namespace xcuda::arrays {
namespace {

// Dimension d is order[d] of x.
Pointer arranged(const Pointer& x, const std::vector<std::size_t>& order) {
  auto result = x;
  const auto strides = strides_of(x);
  result.strides.resize(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) {
    result.shape[d] = x.shape[order[d]];
    result.strides[d] = strides[order[d]];
  }
  result.whole = false;
  return result;
}

std::vector<std::size_t> inverse(const std::vector<std::size_t>& order) {
  std::vector<std::size_t> back(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) back[order[d]] = d;
  return back;
}

Scalar other_side(Scalar type) {
  switch (type) {
    case Scalar::float32: return Scalar::complex64;
    case Scalar::float64: return Scalar::complex128;
    case Scalar::complex64: return Scalar::float32;
    default: return Scalar::float64;
  }
}

}  // namespace

Pointer Transforms::along(const TransformRequest& request, Memory memory, const Pointer* target) {
  const auto& x = request.x;
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (std::find(request.axes.begin(), request.axes.end(), d) == request.axes.end()) order.push_back(d);
  order.insert(order.end(), request.axes.begin(), request.axes.end());
  const bool is_complex = request.kind == Kind::complex;
  const auto type = is_complex ? x.type : type_of(other_side(x.type.scalar));
  auto shape = x.shape;
  auto& last = shape[request.axes.back()];
  if (request.kind == Kind::from_real) last = last / 2 + 1;
  if (request.kind == Kind::to_real) last = request.real_extent;

  auto result = is_complex && memory == Memory::own ? x : target != nullptr ? *target : math_.temporary(type, shape);
  if (count_of(shape) == 0) return result;
  library::Call call;
  call.operation = library::Operation::fourier;
  call.library = workspace_.library(library::Family::fourier).path;
  call.scalars = {static_cast<double>(request.axes.size()),
                  request.direction == TransformRequest::Direction::forward ? -1.0 : 1.0};
  auto from = arranged(x, order);
  call.operands = {operand_at(arranged(result, order)), operand_at(from)};
  // cuFFT takes one distance between transforms, and writes into what it makes real numbers of.
  const bool gpu = workspace_.device_info().kind == device::Kind::cuda;
  if (gpu && ((request.kind == Kind::to_real && memory == Memory::of_others) || !library::is_one_plan(call))) {
    auto copy = math_.temporary(x.type, from.shape);
    math_.store(array_node(from, {}), copy);
    const auto transformed = is_complex ? copy : math_.temporary(type, arranged(result, order).shape);
    call.operands = {operand_at(transformed), operand_at(copy)};
    post_planned(math_, workspace_, std::move(call), request.name);
    return arranged(transformed, inverse(order));
  }
  post_planned(math_, workspace_, std::move(call), request.name);
  return result;
}

Pointer Transforms::run(const TransformRequest& request, const Pointer* target) {
  auto memory = Memory::of_others;
  auto part = request;
  // The real side last: forward it is the first to be transformed, backward the last.
  auto left = request.axes;
  const auto take = [&](std::vector<std::size_t> axes, Kind kind) {
    part.axes = std::move(axes);
    part.kind = kind;
    // What is complex on the way to real numbers is not what the target takes.
    const bool fits = kind == Kind::to_real || request.kind != Kind::to_real;
    part.x = along(part, memory, fits ? target : nullptr);
    memory = Memory::own;
  };
  const auto split = [](std::vector<std::size_t>& from) {
    const auto count = std::min(from.size(), library::kMostAxes);
    std::vector<std::size_t> end(from.end() - static_cast<std::ptrdiff_t>(count), from.end());
    from.resize(from.size() - count);
    return end;
  };
  const auto real = split(left);
  if (request.kind != Kind::to_real) take(real, request.kind);
  while (!left.empty()) take(split(left), Kind::complex);
  if (request.kind == Kind::to_real) take(real, request.kind);
  if (target == nullptr || part.x.address == target->address) return part.x;
  math_.store(array_node(part.x, {}), *target);
  return *target;
}

ArrayNodePtr transform_node(ArrayMath& math, Workspace& workspace, TransformRequest request, const Type& type,
                            Shape shape, cell::Span span) {
  Deferred deferred{.type = type, .reads = {request.x}, .compute = {}, .value = {}};
  deferred.compute = [=, &math, &workspace](const Pointer* target) {
    return Transforms(math, workspace).run(request, target);
  };
  deferred.part = [=, &math, &workspace](std::size_t axis, std::uint64_t first, std::uint64_t last) -> ArrayNodePtr {
    if (std::find(request.axes.begin(), request.axes.end(), axis) != request.axes.end()) return nullptr;
    auto part = request;
    part.x = piece_along(part.x, axis, first, last - first);
    auto extents = shape;
    extents[axis] = last - first;
    return transform_node(math, workspace, std::move(part), type, std::move(extents), span);
  };
  return deferred_node(std::move(deferred), std::move(shape), span);
}

}  // namespace xcuda::arrays
