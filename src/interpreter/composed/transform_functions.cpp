// Fourier transforms of arrays, their frequencies, and their elements in the order of these.
#include "arrays/transforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "arrays/deferred.hpp"
#include "interpreter/composed/fourier_step.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;
using Kind = FourierStep::Kind;
using Direction = FourierStep::Direction;

struct TransformRow {
  Operation operation;
  Kind kind;
  Direction direction;
  enum class Axes : std::uint8_t { one, two, all } axes;  // where the call names none
};
constexpr TransformRow kTransformRows[] = {
    {Operation::fft, Kind::complex, Direction::forward, TransformRow::Axes::one},
    {Operation::ifft, Kind::complex, Direction::backward, TransformRow::Axes::one},
    {Operation::rfft, Kind::from_real, Direction::forward, TransformRow::Axes::one},
    {Operation::irfft, Kind::to_real, Direction::backward, TransformRow::Axes::one},
    {Operation::fft2, Kind::complex, Direction::forward, TransformRow::Axes::two},
    {Operation::ifft2, Kind::complex, Direction::backward, TransformRow::Axes::two},
    {Operation::rfft2, Kind::from_real, Direction::forward, TransformRow::Axes::two},
    {Operation::irfft2, Kind::to_real, Direction::backward, TransformRow::Axes::two},
    {Operation::fftn, Kind::complex, Direction::forward, TransformRow::Axes::all},
    {Operation::ifftn, Kind::complex, Direction::backward, TransformRow::Axes::all},
    {Operation::rfftn, Kind::from_real, Direction::forward, TransformRow::Axes::all},
    {Operation::irfftn, Kind::to_real, Direction::backward, TransformRow::Axes::all},
};

std::string_view name_of(const Composition& of) { return of.call().row().name; }

// The axes, and how long the transforms are along each.
void read_lengths(Composition& of, const TransformRow& row, const Shape& shape, FourierStep& result) {
  const auto rank = shape.size();
  const std::string_view parameter = row.axes == TransformRow::Axes::one ? "n" : "s";
  const auto n = of.given.integers(parameter);
  if (row.axes == TransformRow::Axes::one) {
    result.axes = {of.given.axis("axis", rank, -1)};
  } else {
    std::vector<std::int64_t> axes{-2, -1};
    if (row.axes == TransformRow::Axes::all) {  // as many as there are lengths, the last ones
      axes.resize(n ? n->size() : rank);
      std::iota(axes.begin(), axes.end(), -static_cast<std::int64_t>(axes.size()));
    }
    result.axes = of.given.axes("axes", rank, std::move(axes));
    if (row.axes == TransformRow::Axes::two && result.axes.size() != 2)
      throw of.given.wrong(fmt::format("{}() has two axes, not {}", name_of(of), result.axes.size()), "axes");
  }
  if (result.axes.empty()) throw of.given.wrong(fmt::format("{}() along no axis", name_of(of)), "axes");
  if (n && n->size() != result.axes.size())
    throw of.given.wrong(fmt::format("{} has {} length{} for {} ax{}", parameter, n->size(), n->size() == 1 ? "" : "s",
                                     result.axes.size(), result.axes.size() == 1 ? "is" : "es"),
                         parameter);
  for (std::size_t k = 0; k < result.axes.size(); ++k) {
    const auto extent = shape[result.axes[k]];
    const bool halved = row.kind == Kind::to_real && k + 1 == result.axes.size();
    if (n && (*n)[k] < 1)
      throw of.given.wrong(fmt::format("{}() of {} elements: expected at least 1", name_of(of), (*n)[k]), parameter);
    const auto length = n        ? static_cast<std::uint64_t>((*n)[k])
                        : halved ? 2 * (extent - std::min<std::uint64_t>(1, extent))
                                 : extent;
    if (length == 0)
      throw of.given
          .wrong(fmt::format("{}() of {} along axis {} has nothing to transform", name_of(of),
                             halved ? fmt::format("{} element{}", extent, extent == 1 ? "" : "s") : "no elements",
                             result.axes[k]),
                 "x")
          .advise(halved && extent == 1 ? "Name the length of the result: n = 1." : "");
    result.lengths.push_back(length);
  }
}

// The numbers that the library takes: of single precision for float and complex<float>, otherwise of double.
Type element_taken(Composition& of, const TransformRow& row, const Type& type) {
  const auto kind = language::kind_of(type);
  if (!kind)
    throw of.given.wrong_type(fmt::format("{}() takes numbers, but the elements are {}", name_of(of), type.name), "x");
  if (type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16)
    throw of.given
        .wrong_type(fmt::format("{}() does not take {}: CUDA has no 16-bit complex numbers", name_of(of), type.name),
                    "x")
        .advise(fmt::format("Convert the elements: {}((float){})", name_of(of), of.text("x")));
  const bool real = row.kind == Kind::from_real;
  if (real && type.scalar >= Scalar::complex64)
    throw of.given
        .wrong_type(fmt::format("{}() takes real numbers, but the elements are {}", name_of(of), type.name), "x")
        .advise(fmt::format("{}(x) takes complex numbers.", name_of(of).substr(1)));
  const bool single = type.scalar == Scalar::float32 || type.scalar == Scalar::complex64;
  return type_of(real ? (single ? Scalar::float32 : Scalar::float64)
                      : (single ? Scalar::complex64 : Scalar::complex128));
}

// What the elements are multiplied by. norm says in which direction they are divided by n, or by its root in both.
double factor_given(Composition& of, Direction direction, double n) {
  const auto norm = of.given.choice("norm");
  if (norm == "ortho") return 1 / std::sqrt(n);
  return (norm == "backward") == (direction == Direction::backward) ? 1 / n : 1;
}

ResultList transform(Composition& of) {
  const auto& row = *std::find_if(std::begin(kTransformRows), std::end(kTransformRows),
                                  [&](const auto& one) { return one.operation == of.operation(); });
  const auto x = of.given.view("x");
  FourierStep step{.kind = row.kind, .direction = row.direction, .type = element_taken(of, row, x.type)};
  read_lengths(of, row, x.shape, step);
  double n = 1;
  for (const auto length : step.lengths) n *= static_cast<double>(length);
  const double factor = factor_given(of, row.direction, n);
  auto node = fourier_node(of, x, step);
  const bool single = step.type.scalar == Scalar::float32 || step.type.scalar == Scalar::complex64;
  if (factor != 1)
    node = of.nodes.binary(Op::multiply, node,
                           single ? of.nodes.constant(static_cast<float>(factor)) : of.nodes.constant(factor));
  return only(ArrayExpression{node});
}

// k / (n d) for k from 0 to the last that is positive, then from the least negative one on.
ResultList frequencies(Composition& of) {
  const auto n = of.given.extent(of.given.expression("n"), "n").as_unsigned();
  const double d = of.given.real("d", 1);
  if (n == 0) throw of.given.wrong(fmt::format("{}() of no samples", name_of(of)), "n");
  if (d == 0) throw of.given.wrong("d is 0: samples must be apart", "d");
  const bool half = of.operation() == Operation::rfftfreq;
  const Shape shape{half ? n / 2 + 1 : n};
  auto result = of.make(type_of(Scalar::float64), shape);
  auto k = of.nodes.cast("double", of.nodes.index(0));
  if (!half) {
    const auto wraps = of.nodes.binary(Op::at_least, of.nodes.index(0), of.nodes.constant((n + 1) / 2));
    k = of.nodes.choose(wraps, of.nodes.binary(Op::subtract, k, of.nodes.constant(static_cast<double>(n))), k);
  }
  of.store(of.nodes.binary(Op::divide, k, of.nodes.constant(static_cast<double>(n) * d)), result);
  return only(std::move(result));
}

ResultList shift(Composition& of) {
  auto x = of.given.elements("x");
  std::vector<std::int64_t> all(x.shape.size());
  std::iota(all.begin(), all.end(), 0);
  for (const auto axis : of.given.axes("axes", x.shape.size(), std::move(all))) {
    const auto extent = x.shape[axis];
    if (count_of(x.shape) == 0) continue;
    const auto by = of.operation() == Operation::fftshift ? extent / 2 : (extent + 1) / 2;
    x = of.arrays().roll(x, by % extent, axis);
  }
  return only(std::move(x));
}

// x of these extents, cut off or filled up with zeros, and of this type; x itself where it has them.
Pointer as_taken(Composition& of, Pointer x, const Shape& shape, const Type& type) {
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (x.shape[d] > shape[d]) x = piece_of(std::move(x), d, 0, shape[d]);
  if (x.shape == shape && x.type.scalar == type.scalar) return x;
  auto result = of.make(type, shape);
  auto inner = result;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (x.shape[d] < shape[d]) inner = piece_of(std::move(inner), d, 0, x.shape[d]);
  if (x.shape != shape && result.bytes > 0)
    of.session().operations().workspace().fill({result.address, result.bytes, {std::byte{0}}});
  auto node = of.nodes.node(x);
  if (x.type.is_integer()) node = of.nodes.cast(type_of(Scalar::float64).name, node);
  if (count_of(inner.shape) > 0) of.store(node, inner);
  return result;
}

constexpr ComposedFunction kTransformFunctions[] = {
    {Operation::fft, transform},       {Operation::ifft, transform},       {Operation::rfft, transform},
    {Operation::irfft, transform},     {Operation::fft2, transform},       {Operation::ifft2, transform},
    {Operation::rfft2, transform},     {Operation::irfft2, transform},     {Operation::fftn, transform},
    {Operation::ifftn, transform},     {Operation::rfftn, transform},      {Operation::irfftn, transform},
    {Operation::fftfreq, frequencies}, {Operation::rfftfreq, frequencies}, {Operation::fftshift, shift},
    {Operation::ifftshift, shift},
};

}  // namespace

ArrayNodePtr fourier_node(Composition& of, const Pointer& x, const FourierStep& step) {
  auto& workspace = of.session().operations().workspace();
  workspace.library(library::Family::fourier);  // missing: an error before anything is computed
  arrays::TransformRequest request{
      .kind = step.kind, .direction = step.direction, .x = {}, .axes = step.axes, .name = of.text()};
  auto taken = x.shape;
  for (std::size_t k = 0; k < step.axes.size(); ++k) taken[step.axes[k]] = step.lengths[k];
  auto shape = taken;
  const auto last = step.axes.back();
  if (step.kind == Kind::from_real) shape[last] = taken[last] / 2 + 1;
  if (step.kind == Kind::to_real) taken[last] = shape[last] / 2 + 1;
  request.real_extent = shape[last];
  request.x = as_taken(of, x, taken, step.type);
  const bool single = step.type.scalar == Scalar::float32 || step.type.scalar == Scalar::complex64;
  const auto part = single ? Scalar::float32 : Scalar::float64, whole = single ? Scalar::complex64 : Scalar::complex128;
  return transform_node(of.arrays(), workspace, std::move(request), type_of(step.kind == Kind::to_real ? part : whole),
                        std::move(shape), of.call().span);
}

std::span<const ComposedFunction> composed_transforms() { return kTransformFunctions; }

}  // namespace xcuda::interpreter
