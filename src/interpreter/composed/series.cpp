// Running values, differences, integrals, searches in sorted arrays, products of vectors.
#include <fmt/format.h>

#include <algorithm>

#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

Type real_element(const Type& type) { return type.is_integer() ? type_of(Scalar::float64) : type; }

ArrayNodePtr as_real(Composition& of, const Pointer& x) {
  return x.type.is_integer() ? of.nodes.cast("double", of.nodes.node(x)) : of.nodes.node(x);
}

ResultList cumsum(Composition& of) {
  const auto x = of.given.view("x");
  const auto axis = of.given.axis_if_given("axis", x.shape.size());
  return only(ArrayExpression{running_sums(of, axis ? x : of.row_of(x), axis)});
}

ResultList diff(Composition& of) {
  auto x = of.given.view("x");
  const auto axis = of.given.axis("axis", x.shape.size(), -1);
  const auto n = of.given.integer("n", 1);
  if (n < 0) throw of.given.wrong(fmt::format("n is {}", n), "n");
  for (std::int64_t i = 0; i < n; ++i) {
    const auto left = std::max<std::uint64_t>(x.shape[axis], 1) - 1;
    const auto later = std::min<std::uint64_t>(1, x.shape[axis]);
    x = of.evaluate(of.nodes.binary(Op::subtract, of.nodes.node(piece_of(x, axis, later, left)),
                                    of.nodes.node(piece_of(x, axis, 0, left))));
  }
  return only(std::move(x));
}

// Where the elements are along the axis, as dx says; nothing where it is a number, the distance of neighbours.
std::optional<Pointer> given_places(Composition& of, const Pointer& x, std::size_t axis) {
  if (of.given.find("dx") == nullptr) return std::nullopt;
  const auto value = of.value_given("dx");
  if (!is_array(value)) return std::nullopt;
  auto places = of.view_of(value, of.given.expression("dx"));
  if (places.shape.size() == 1 && places.shape[0] == x.shape[axis])
    return broadcast_to(along_axis(std::move(places), axis, x.shape.size()), x.shape);
  if (places.shape == x.shape) return places;
  throw of.given.wrong(fmt::format("dx has the shape {}, but there are {} elements along axis {}",
                                   shape_text(places.shape), x.shape[axis], axis),
                       "dx");
}

// Differences of neighbours.
ArrayNodePtr steps_of(Composition& of, const Pointer& x, std::size_t axis, std::uint64_t first, std::uint64_t count) {
  return of.nodes.binary(Op::subtract, as_real(of, piece_of(x, axis, first + 1, count)),
                         as_real(of, piece_of(x, axis, first, count)));
}

// Central differences weighted by the distances on both sides: exact for parabolas.
Pointer gradient_between(Composition& of, const Pointer& x, std::size_t axis, const Pointer& places) {
  const auto n = x.shape[axis];
  const auto slopes =
      of.evaluate(of.nodes.binary(Op::divide, steps_of(of, x, axis, 0, n - 1), steps_of(of, places, axis, 0, n - 1)));
  auto result = of.make(slopes.type, x.shape);
  const auto put = [&](std::uint64_t to, const Pointer& slope) {
    of.store(of.nodes.node(slope), piece_of(result, axis, to, 1));
  };
  put(0, piece_of(slopes, axis, 0, 1));
  put(n - 1, piece_of(slopes, axis, n - 2, 1));
  if (n == 2) return result;
  const auto before = of.evaluate(steps_of(of, places, axis, 0, n - 2)),
             after = of.evaluate(steps_of(of, places, axis, 1, n - 2));
  const auto weighted = [&](std::uint64_t slope, const Pointer& by) {
    return of.nodes.binary(Op::multiply, of.nodes.node(piece_of(slopes, axis, slope, n - 2)), of.nodes.node(by));
  };
  of.store(of.nodes.binary(Op::divide, of.nodes.binary(Op::add, weighted(0, after), weighted(1, before)),
                           of.nodes.binary(Op::add, of.nodes.node(before), of.nodes.node(after))),
           piece_of(result, axis, 1, n - 2));
  return result;
}

Pointer gradient_along(Composition& of, const Pointer& x, std::size_t axis) {
  const auto n = x.shape[axis];
  if (n < 2) throw of.given.wrong(fmt::format("gradient() takes at least two elements along an axis, not {}", n), "x");
  if (const auto places = given_places(of, x, axis)) return gradient_between(of, x, axis, *places);
  const auto dx = of.given.real("dx", 1);
  auto result = of.make(real_element(x.type), x.shape);
  const auto put = [&](std::uint64_t to, std::uint64_t count, std::uint64_t high, std::uint64_t low, double over) {
    if (count == 0) return;
    const auto difference = of.nodes.binary(Op::subtract, as_real(of, piece_of(x, axis, high, count)),
                                            as_real(of, piece_of(x, axis, low, count)));
    of.store(of.nodes.binary(Op::divide, difference, of.nodes.cast(result.type.name, of.nodes.constant(over))),
             piece_of(result, axis, to, count));
  };
  put(1, n - 2, 2, 0, 2 * dx);
  put(0, 1, 1, 0, dx);
  put(n - 1, 1, n - 1, n - 2, dx);
  return result;
}

ResultList gradient(Composition& of) {
  const auto x = of.given.view("x");
  ResultList list;
  if (const auto axis = of.given.axis_if_given("axis", x.shape.size())) return only(gradient_along(of, x, *axis));
  for (std::size_t d = 0; d < x.shape.size() && d < of.wanted(); ++d) list.emplace_back(gradient_along(of, x, d));
  return list;
}

ResultList trapezoid(Composition& of) {
  const auto y = of.given.view("y");
  const auto axis = of.given.axis("axis", y.shape.size(), -1);
  const auto n = std::max<std::uint64_t>(y.shape[axis], 1) - 1;
  const auto later = std::min<std::uint64_t>(1, y.shape[axis]);
  const auto type = real_element(y.type).name;
  const auto sums =
      of.nodes.binary(Op::add, as_real(of, piece_of(y, axis, later, n)), as_real(of, piece_of(y, axis, 0, n)));
  const auto half = [&](double dx) { return of.nodes.cast(type, of.nodes.constant(dx / 2)); };
  ArrayNodePtr parts;
  if (const auto places = given_places(of, y, axis))
    parts =
        of.nodes.binary(Op::multiply, sums, of.nodes.binary(Op::multiply, steps_of(of, *places, axis, 0, n), half(1)));
  else
    parts = of.nodes.binary(Op::multiply, sums, half(of.given.real("dx", 1)));
  const bool alone = y.shape.size() == 1;
  return only(of.reduced(parts, "Sum", alone ? std::nullopt : std::optional(axis)));
}

// --- searches -------------------------------------------------------------------------------------------------------

Pointer points(Composition& of, std::string_view parameter) {
  auto row = of.row_of(of.evaluate(of.nodes.cast("double", of.given.array(parameter))));
  if (count_of(row.shape) == 0) throw of.given.wrong(fmt::format("{} has no elements", parameter), parameter);
  return row;
}

ResultList interp(Composition& of) {
  const auto xp = points(of, "xp"), fp = points(of, "fp");
  if (xp.shape != fp.shape)
    throw of.given.wrong(fmt::format("xp has {} elements and fp {}", xp.shape[0], fp.shape[0]), "fp");
  const auto x = of.given.value("x");
  return only(of.number_or_array(of.evaluate(
      of.nodes.apply("xcuda::places::interpolated",
                     {x, of.nodes.pointer(xp), of.nodes.pointer(fp), of.nodes.constant(xp.shape[0])}, x->shape))));
}

ArrayNodePtr search(Composition& of, const Pointer& sorted, const ArrayNodePtr& values, Side side) {
  const auto row = of.row_of(sorted);
  return of.nodes.apply(
      "xcuda::places::search",
      {of.nodes.pointer(row), of.nodes.constant(row.shape[0]), values, of.nodes.constant(side == Side::right)},
      values->shape);
}

ResultList searchsorted(Composition& of) {
  const auto side = of.given.choice("side");
  return only(of.number_or_array(of.evaluate(
      search(of, of.given.elements("sorted"), of.given.value("values"), side == "right" ? Side::right : Side::left))));
}

ResultList digitize(Composition& of) {
  auto bins = of.row_of(of.given.elements("bins"));
  const auto n = bins.shape[0];
  const auto some = [&](Op op) {
    const auto left = std::max<std::uint64_t>(n, 1) - 1;
    return left > 0 && of.reduced(of.nodes.binary(op, of.nodes.node(piece_of(bins, 0, 1, left)),
                                                  of.nodes.node(piece_of(bins, 0, 0, left))),
                                  "Any")
                           .truth();
  };
  const bool falls = some(Op::less);
  if (falls && some(Op::greater)) throw of.given.wrong("the bins neither rise nor fall", "bins");
  if (falls) bins = of.contiguous(flipped(bins, 0));
  auto found = search(of, bins, of.given.value("x"), of.given.truth("right") ? Side::left : Side::right);
  if (falls) found = of.nodes.binary(Op::subtract, of.nodes.constant(n), found);
  return only(of.number_or_array(of.evaluate(found)));
}

// --- elements -------------------------------------------------------------------------------------------------------

ResultList clip(Composition& of) {
  return only(of.number_or_array(
      of.evaluate(of.nodes.apply("clamp", {of.given.value("x"), of.given.value("lo"), of.given.value("hi")}))));
}

ResultList isclose(Composition& of) {
  return only(of.number_or_array(of.evaluate(of.nodes.apply(
      "xcuda::close_term", {of.given.value("a"), of.given.value("b"), of.nodes.constant(of.given.real("rtol", 1e-5)),
                            of.nodes.constant(of.given.real("atol", 1e-8))}))));
}

ResultList array_equal(Composition& of) {
  const auto a = of.given.array("a"), b = of.given.array("b");
  if (a->shape != b->shape) return only(language::ScalarValue::of(false));
  return only(of.reduced(of.nodes.binary(Op::equal, a, b), "All"));
}

// --- products -------------------------------------------------------------------------------------------------------

ResultList cross(Composition& of) {
  const auto x = of.given.view("x"), y = of.given.view("y");
  for (const auto* one : {&x, &y})
    if (one->shape.back() != 3)
      throw of.given.wrong(fmt::format("cross() takes vectors of 3 elements, not {}", one->shape.back()),
                           one == &x ? "x" : "y");
  const auto part = [&](const Pointer& v, std::size_t i) {
    return of.nodes.node(piece_of(v, v.shape.size() - 1, i, 1));
  };
  Pointer result;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto j = (i + 1) % 3, k = (i + 2) % 3;
    const auto one = of.evaluate(of.nodes.binary(Op::subtract, of.nodes.binary(Op::multiply, part(x, j), part(y, k)),
                                                 of.nodes.binary(Op::multiply, part(x, k), part(y, j))));
    if (i == 0) {
      auto shape = one.shape;
      shape.back() = 3;
      result = of.make(one.type, shape);
    }
    of.store(of.nodes.node(one), piece_of(result, result.shape.size() - 1, i, 1));
  }
  return only(std::move(result));
}

ResultList trace(Composition& of) {
  const auto x = of.given.view("x");
  if (x.shape.size() < 2) throw of.given.wrong("trace() takes at least two dimensions", "x");
  const auto diagonal = diagonal_of(x, of.given.integer("k", 0));
  const bool alone = diagonal.shape.size() == 1;
  return only(
      of.reduced(of.nodes.node(diagonal), "Sum", alone ? std::nullopt : std::optional(diagonal.shape.size() - 1)));
}

constexpr ComposedFunction kSeries[] = {
    {Operation::cumsum, cumsum},           {Operation::diff, diff},     {Operation::gradient, gradient},
    {Operation::trapezoid, trapezoid},     {Operation::interp, interp}, {Operation::searchsorted, searchsorted},
    {Operation::digitize, digitize},       {Operation::clip, clip},     {Operation::isclose, isclose},
    {Operation::array_equal, array_equal}, {Operation::cross, cross},   {Operation::trace, trace},
};

}  // namespace

ArrayNodePtr running_sums(Composition& of, const Pointer& x, std::optional<std::size_t> axis) {
  ScanRequest request{of.nodes.node(x)};
  if (axis && x.shape.size() > 1) request.axis = axis;
  request.state = "xcuda::SumOf<xcuda_Own>::State";
  request.result = "xcuda::SumOf<xcuda_Own>::Result";
  request.function = arrays::commuting_function("a + b");
  request.init = of.nodes.constant(0);
  return of.arrays().scan_node(request);
}

std::span<const ComposedFunction> composed_series() { return kSeries; }

}  // namespace xcuda::interpreter
