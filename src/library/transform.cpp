#include "library/transform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"

namespace xcuda::library {
namespace {

Error wrong_transform(std::string what) { return Error(ErrorKind::value, "fft: " + std::move(what)); }

bool is_real(Scalar type) { return type == Scalar::float32 || type == Scalar::float64; }
Scalar part_of(Scalar type) {
  return type == Scalar::complex64 ? Scalar::float32 : type == Scalar::complex128 ? Scalar::float64 : type;
}

std::size_t axes_of(const Call& call) { return static_cast<std::size_t>(call.scalars[0]); }

// The stride of the last axis, and the extents around the others. Nothing where strides are not multiples.
struct Embedding {
  std::int64_t stride = 1;
  std::vector<std::int64_t> around;
};
std::optional<Embedding> embedding_of(const Operand& operand, std::size_t axes) {
  const auto first = operand.shape.size() - axes;
  Embedding found;
  found.around.assign(axes, 1);
  // Outward; an extent of 1 has whatever stride fits.
  std::int64_t stride = 0;
  for (auto d = operand.shape.size(); d-- > first;) {
    const auto extent = static_cast<std::int64_t>(operand.shape[d]);
    const auto own = operand.strides[d];
    found.around[d - first] = extent;
    if (extent == 1) continue;
    if (own <= 0) return std::nullopt;
    if (stride == 0) {
      found.stride = own;
    } else {
      // The extent of the next axis inward says how far apart these lines are.
      std::int64_t inner = found.stride;
      for (auto e = d + 2; e < operand.shape.size(); ++e) inner *= found.around[e - first];
      if (own % inner != 0 || own / inner < found.around[d + 1 - first]) return std::nullopt;
      found.around[d + 1 - first] = own / inner;
    }
    stride = own;
  }
  return found;
}

struct Dimension {
  std::uint64_t extent = 1;
  std::array<std::int64_t, 2> strides{};
};

// Without extents of 1; neighbours that both sides can walk as one are one.
std::vector<Dimension> dimensions_of(const Call& call, std::size_t axes) {
  std::vector<Dimension> list;
  const auto &to = call.operands[kTransformed], &from = call.operands[kGiven];
  for (std::size_t d = 0; d + axes < to.shape.size(); ++d) {
    const Dimension one{to.shape[d], {to.strides[d], from.strides[d]}};
    if (one.extent == 1) continue;
    const auto extent = static_cast<std::int64_t>(one.extent);
    if (!list.empty() && list.back().strides[0] == one.strides[0] * extent &&
        list.back().strides[1] == one.strides[1] * extent)
      list.back() = {list.back().extent * one.extent, one.strides};
    else
      list.push_back(one);
  }
  return list;
}

}  // namespace

void check_transform(const Call& call) {
  if (call.operands.size() != 2 || call.scalars.size() != 2)
    throw wrong_transform("it takes two operands and two scalars");
  const auto &to = call.operands[kTransformed], &from = call.operands[kGiven];
  for (const auto* one : {&to, &from})
    if (one->shape.size() != one->strides.size())
      throw wrong_transform("an operand does not have as many strides as extents");
  if (part_of(to.type) != part_of(from.type) || !is_real(part_of(to.type)) || (is_real(to.type) && is_real(from.type)))
    throw Error(ErrorKind::unsupported,
                fmt::format("fft: no transform of {} to {}", type_of(from.type).name, type_of(to.type).name));
  const auto rank = from.shape.size();
  if (call.scalars[0] < 1 || call.scalars[0] > static_cast<double>(std::min(rank, kMostAxes)))
    throw wrong_transform(fmt::format("it takes 1 to {} axes", std::min(rank, kMostAxes)));
  auto fits = to.shape;
  if (is_real(from.type) && rank == to.shape.size()) fits.back() = from.shape.back();
  const bool half = is_real(from.type) ? to.shape.back() == from.shape.back() / 2 + 1
                    : is_real(to.type) ? from.shape.back() == to.shape.back() / 2 + 1
                                       : true;
  if (is_real(to.type) && rank == to.shape.size()) fits.back() = from.shape.back();
  if ((is_real(from.type) && call.scalars[1] > 0) || (is_real(to.type) && call.scalars[1] < 0))
    throw wrong_transform("real numbers are transformed forward, and given backward");
  if (fits != from.shape || !half) throw wrong_transform("the shapes of the operands do not match");
  if (std::find(from.shape.begin(), from.shape.end(), 0) != from.shape.end())
    throw wrong_transform("there is nothing to transform");
}

Transform transform_of(const Call& call) {
  check_transform(call);
  const auto axes = axes_of(call);
  Transform transform;
  const auto &to = call.operands[kTransformed], &from = call.operands[kGiven];
  transform.kind = is_real(from.type) ? Transform::Kind::from_real
                   : is_real(to.type) ? Transform::Kind::to_real
                                      : Transform::Kind::complex;
  transform.part = part_of(to.type);
  transform.direction = call.scalars[1] > 0 ? 1 : -1;
  const auto& whole = is_real(to.type) ? to.shape : from.shape;
  transform.lengths.assign(whole.end() - static_cast<std::ptrdiff_t>(axes), whole.end());
  for (const auto side : {kTransformed, kGiven}) {
    auto embedding = embedding_of(call.operands[side], axes);
    if (!embedding) throw wrong_transform("the axes of an operand are not a part of an array in order");
    transform.stride[side] = embedding->stride;
    transform.around[side] = std::move(embedding->around);
  }
  auto dimensions = dimensions_of(call, axes);
  for (const auto side : {kTransformed, kGiven}) {  // of one piece, that of a whole array
    transform.distance[side] = transform.stride[side];
    for (const auto extent : transform.around[side]) transform.distance[side] *= extent;
  }
  if (!dimensions.empty()) {
    const auto most = std::max_element(dimensions.begin(), dimensions.end(),
                                       [](const auto& a, const auto& b) { return a.extent < b.extent; });
    transform.batch = most->extent;
    transform.distance = most->strides;
    dimensions.erase(most);
  }
  transform.starts.emplace_back();
  for (const auto& dimension : dimensions) {
    std::vector<std::array<std::int64_t, 2>> more;
    for (const auto& start : transform.starts)
      for (std::uint64_t i = 0; i < dimension.extent; ++i)
        more.push_back({start[0] + static_cast<std::int64_t>(i) * dimension.strides[0],
                        start[1] + static_cast<std::int64_t>(i) * dimension.strides[1]});
    transform.starts = std::move(more);
  }
  return transform;
}

bool is_one_plan(const Call& call) {
  check_transform(call);
  const auto axes = axes_of(call);
  std::uint64_t pieces = 1, most = 1;
  for (const auto& one : dimensions_of(call, axes)) {
    if (one.strides[0] <= 0 || one.strides[1] <= 0) return false;
    pieces *= one.extent;
    most = std::max(most, one.extent);
  }
  if (pieces / most > kMostPieces) return false;
  for (const auto& operand : call.operands)
    if (!embedding_of(operand, axes)) return false;
  // cuFFT reads and writes two real numbers at once.
  const auto transform = transform_of(call);
  const auto pair = 2 * size_of(transform.part);
  for (const auto& start : transform.starts)
    for (const auto side : {kTransformed, kGiven}) {
      const auto& operand = call.operands[side];
      const auto at = operand.address + static_cast<std::uint64_t>(start[side]) * size_of(operand.type);
      if (at % pair != 0) return false;
    }
  return true;
}

double operations_of_transform(const Call& call) {
  check_transform(call);
  const auto &to = call.operands[kTransformed], &from = call.operands[kGiven];
  const auto& whole = is_real(to.type) ? to.shape : from.shape;
  double n = 1, batch = 1;
  for (std::size_t d = 0; d < whole.size(); ++d)
    (d + axes_of(call) < whole.size() ? batch : n) *= static_cast<double>(whole[d]);
  return (is_real(to.type) || is_real(from.type) ? 2.5 : 5) * batch * n * std::log2(n);
}

std::string plan_key(const Transform& transform) {
  return fmt::format("{} {} {} {} {} {} {} {}", static_cast<int>(transform.kind), static_cast<int>(transform.part),
                     transform.lengths, transform.stride, transform.distance, transform.around[0], transform.around[1],
                     transform.batch);
}

}  // namespace xcuda::library
