// Sorts along an axis, order statistics, places of elements, and statistics of elements that are not NaN.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

struct Lines {
  Pointer values, order;  // the axis is the last one
};

// Sorted along the last axis: all elements by their value, and then, as the sort is stable, by their line.
Lines sorted_lines(Composition& of, const Pointer& x) {
  auto row = of.row_of(x);
  const auto n = row.shape[0], extent = x.shape.back();
  auto order = of.arrays().sort(row, ArrayMath::SortKeep::order).order;
  if (n > extent) {
    const auto line = of.evaluate(
        of.nodes.cast("unsigned int", of.nodes.binary(Op::divide, of.nodes.node(order), of.nodes.constant(extent))));
    order = picked(of, order, of.arrays().sort(line, ArrayMath::SortKeep::order).order);
  }
  Lines lines{picked(of, row, order),
              of.evaluate(of.nodes.binary(Op::remainder, of.nodes.node(order),
                                          of.nodes.constant(std::max<std::uint64_t>(extent, 1))))};
  lines.values.shape = lines.order.shape = x.shape;
  return lines;
}

// sort(x, axis), argsort(x, axis)
ResultList sort_along(Composition& of) {
  const auto x = ordered(of, "x");
  const auto axis = of.given.axis("axis", x.shape.size(), -1), last = x.shape.size() - 1;
  auto lines = sorted_lines(of, of.contiguous(moved(x, axis, last)));
  auto values = moved(lines.values, last, axis), order = moved(lines.order, last, axis);
  ResultList list;
  if (of.operation() == Operation::sort) list.emplace_back(std::move(values));
  list.emplace_back(std::move(order));
  return list;
}

ResultList topk(Composition& of) {
  const auto x = ordered(of, "x");
  const auto axis = of.given.axis("axis", x.shape.size(), -1), last = x.shape.size() - 1;
  const auto k = of.given.extent(of.given.expression("k"), "k").as_unsigned(), extent = x.shape[axis];
  if (k > extent) throw of.given.wrong(fmt::format("k is {}, but there are {} elements", k, extent), "k");
  // From the end to the front, so that of equal elements the first comes first, as argmax() finds it.
  const auto lines = sorted_lines(of, of.contiguous(flipped(moved(x, axis, last), last)));
  const auto greatest = [&](const Pointer& sorted) {
    return moved(flipped(piece_of(sorted, last, extent - k, k), last), last, axis);
  };
  ResultList list;
  list.emplace_back(greatest(lines.values));
  list.emplace_back(
      of.evaluate(of.nodes.binary(Op::subtract, of.nodes.constant(extent - 1), of.nodes.node(greatest(lines.order)))));
  return list;
}

// The numbers q of a list or an array, and their shape: of one number, none.
std::vector<double> given_parts(Composition& of, Shape& shape) {
  const auto& given = of.given.expression("q");
  std::vector<double> parts;
  if (const auto* list = std::get_if<cell::List>(&given.node)) {
    for (const auto& one : list->elements) parts.push_back(of.given.number_of(*one, "q").as_real());
    shape = {parts.size()};
    return parts;
  }
  const auto value = of.value_given("q");
  if (!is_array(value)) return {of.number_of(value, "q").as_real()};
  if (of.session().submission().capture() != nullptr) throw of.given.not_in_graph();
  const auto all = of.evaluate(of.nodes.cast("double", of.nodes.node(of.view_of(value, given))));
  shape = all.shape;
  parts.resize(count_of(shape));
  if (!parts.empty()) of.session().operations().workspace().read(all.address, std::as_writable_bytes(std::span(parts)));
  return parts;
}

// Where in the order of n elements, as the fraction of a place says.
double place_by_method(double place, std::string_view method) {
  if (method == "lower") return std::floor(place);
  if (method == "higher") return std::ceil(place);
  if (method == "nearest") return std::nearbyint(place);  // to even, as NumPy's
  if (method == "midpoint") return (std::floor(place) + std::ceil(place)) / 2;
  return place;
}

ResultList quantiles(Composition& of) {
  auto x = ordered(of, "x");
  const double whole = of.operation() == Operation::percentile ? 100 : 1;
  if (const auto axis = of.given.axis_if_given("axis", x.shape.size()))
    x = of.contiguous(moved(x, *axis, x.shape.size() - 1));
  else
    x = of.row_of(x);
  const auto extent = x.shape.back();
  if (extent == 0) throw of.given.wrong(fmt::format("{}() of an empty array", of.call().row().name), "x");
  Shape shape;
  const auto method = of.given.choice("method");
  const auto parts = given_parts(of, shape);
  for (const auto q : parts)
    if (!(q >= 0 && q <= whole))
      throw of.given.wrong(fmt::format("q is {}: expected a number from 0 to {}", q, whole), "q");
  const auto sorted = sorted_lines(of, x).values;
  const auto last = sorted.shape.size() - 1;
  const auto at = [&](std::uint64_t i) { return of.nodes.node(without_axis(piece_of(sorted, last, i, 1), last)); };
  const auto type = x.type.is_integer() ? type_of(Scalar::float64) : x.type;
  auto rest = sorted.shape;
  rest.pop_back();
  auto result_shape = shape;
  result_shape.insert(result_shape.end(), rest.begin(), rest.end());
  auto result = of.make(type, result_shape);
  auto rows = result;
  rows.shape = rest;
  rows.shape.insert(rows.shape.begin(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double place = place_by_method(parts[i] / whole * static_cast<double>(extent - 1), method);
    const auto low = std::min(static_cast<std::uint64_t>(place), extent - 1), high = std::min(low + 1, extent - 1);
    const auto value = of.nodes.apply("xcuda::places::between", {at(low), at(high), at(extent - 1),
                                                                 of.nodes.constant(place - static_cast<double>(low))});
    of.store(value, without_axis(piece_of(rows, 0, i, 1), 0));
  }
  return only(of.number_or_array(std::move(result)));
}

// --- counts ---------------------------------------------------------------------------------------------------------

ResultList nonzero(Composition& of) {
  const auto x = of.given.array("x");
  const auto where = of.arrays().positions(x);
  ResultList list;
  auto inner = count_of(x->shape);
  for (std::size_t d = 0; d < x->shape.size(); ++d) {
    inner = x->shape[d] == 0 ? 0 : inner / x->shape[d];
    auto index =
        of.nodes.binary(Op::divide, of.nodes.node(where), of.nodes.constant(std::max<std::uint64_t>(inner, 1)));
    if (d > 0)
      index = of.nodes.binary(Op::remainder, index, of.nodes.constant(std::max<std::uint64_t>(x->shape[d], 1)));
    list.emplace_back(of.evaluate(index));
  }
  return list;
}

ResultList flatnonzero(Composition& of) { return only(of.arrays().positions(of.given.array("x"))); }

ResultList argwhere(Composition& of) {
  const auto columns = nonzero(of);
  const auto n = std::get<Pointer>(columns.front()).shape[0];
  auto result = of.make(type_of(Scalar::uint64), {n, columns.size()});
  for (std::size_t d = 0; d < columns.size(); ++d)
    of.store(of.nodes.node(std::get<Pointer>(columns[d])), without_axis(piece_of(result, 1, d, 1), 1));
  return only(std::move(result));
}

ResultList count_nonzero(Composition& of) {
  const auto x = of.given.array("x");
  const auto keep = of.given.truth("keep") ? ReduceRequest::Keep::yes : ReduceRequest::Keep::no;
  return only(of.reduced(x, "CountOf", of.given.axis_if_given("axis", x->shape.size()), keep));
}

ResultList isin(Composition& of) {
  const auto x = ordered(of, "x", of.given.values("x")), values = ordered(of, "values");
  // In a type that holds both: 0.5 is not among integers.
  const auto type = language::common_type(x.type, values.type).name;
  const auto row = of.row_of(of.evaluate(of.nodes.cast(type, of.nodes.node(values))));
  const auto sorted = of.arrays().sort(row, ArrayMath::SortKeep::values).values;
  return only(of.number_or_array(of.evaluate(of.nodes.apply(
      "xcuda::places::is_among",
      {of.nodes.cast(type, of.nodes.node(x)), of.nodes.pointer(sorted), of.nodes.constant(sorted.shape[0])},
      x.shape))));
}

// --- statistics -----------------------------------------------------------------------------------------------------

struct Along {
  std::optional<std::size_t> axis;
  ReduceRequest::Keep keep;
};
Along given_axis(Composition& of, std::size_t rank) {
  return {of.given.axis_if_given("axis", rank),
          of.given.truth("keep") ? ReduceRequest::Keep::yes : ReduceRequest::Keep::no};
}

// Weights have the shape of x, or one for each element along the axis.
ResultList average(Composition& of) {
  const auto x = of.given.view("x");
  const auto [axis, keep] = given_axis(of, x.shape.size());
  if (of.given.find("weights") == nullptr) return only(of.reduced(of.nodes.node(x), "Mean", axis, keep));
  auto weights = of.given.view("weights");
  if (axis && weights.shape.size() == 1 && weights.shape[0] == x.shape[*axis])
    weights = broadcast_to(along_axis(std::move(weights), *axis, x.shape.size()), x.shape);
  if (weights.shape != x.shape) {
    auto failure = of.given.wrong(
        fmt::format("the weights have the shape {}, but x has {}", shape_text(weights.shape), shape_text(x.shape)),
        "weights");
    if (!axis && weights.shape.size() == 1 && std::count(x.shape.begin(), x.shape.end(), weights.shape[0]) == 1)
      failure.advice = fmt::format("axis = {} weighs along that axis.",
                                   std::find(x.shape.begin(), x.shape.end(), weights.shape[0]) - x.shape.begin());
    throw failure;
  }
  const auto wide = of.nodes.cast("double", of.nodes.node(weights));
  const auto sum =
      of.reduce(of.nodes.binary(Op::multiply, of.nodes.cast("double", of.nodes.node(x)), wide), "Sum", axis, keep);
  return only(of.number_or_array(
      of.evaluate(of.nodes.binary(Op::divide, of.nodes.node(sum), of.nodes.node(of.reduce(wide, "Sum", axis, keep))))));
}

ResultList ptp(Composition& of) {
  const auto x = of.given.view("x");
  const auto [axis, keep] = given_axis(of, x.shape.size());
  if (count_of(x.shape) == 0) throw of.given.wrong("ptp() of an empty array", "x");
  const auto type = x.type.name;
  return only(of.number_or_array(of.evaluate(
      of.nodes.cast(type, of.nodes.binary(Op::subtract, of.nodes.node(of.reduce(of.nodes.node(x), "Max", axis, keep)),
                                          of.nodes.node(of.reduce(of.nodes.node(x), "Min", axis, keep)))))));
}

ArrayNodePtr is_nan(Composition& of, const Pointer& x) {
  return of.nodes.apply("xcuda::places::is_nan", {of.nodes.node(x)});
}

ArrayNodePtr without_nan(Composition& of, const Pointer& x, double otherwise) {
  if (x.type.is_integer()) return of.nodes.node(x);
  return of.nodes.choose(is_nan(of, x), of.nodes.cast(x.type.name, of.nodes.constant(otherwise)), of.nodes.node(x));
}

ResultList nan_reduction(Composition& of) {
  const auto x = ordered(of, "x");
  const auto [axis, keep] = given_axis(of, x.shape.size());
  if (of.operation() == Operation::nansum) return only(of.reduced(without_nan(of, x, 0), "Sum", axis, keep));
  if (of.operation() == Operation::nanprod) return only(of.reduced(without_nan(of, x, 1), "Prod", axis, keep));
  if ((axis ? x.shape[*axis] : count_of(x.shape)) == 0)
    throw of.given.wrong(fmt::format("{}() of an empty array", of.call().row().name), "x");
  const bool least = of.operation() == Operation::nanmin;
  const auto infinity = least ? HUGE_VAL : -HUGE_VAL;
  auto found = of.reduce(without_nan(of, x, infinity), least ? "Min" : "Max", axis, keep);
  if (!x.type.is_integer()) {  // of nothing but NaN, NaN
    const auto all = of.reduce(is_nan(of, x), "All", axis, keep);
    found = of.evaluate(of.nodes.choose(of.nodes.node(all), of.nodes.cast(x.type.name, of.nodes.constant(std::nan(""))),
                                        of.nodes.node(found)));
  }
  return only(of.number_or_array(std::move(found)));
}

ResultList nan_moments(Composition& of) {
  const auto x = ordered(of, "x");
  const auto along = given_axis(of, x.shape.size());
  const auto& axis = along.axis;
  const auto keep = along.keep;
  const auto missing = is_nan(of, x);
  const auto zero = of.nodes.constant(0.0);
  const auto wide = of.nodes.choose(missing, zero, of.nodes.cast("double", of.nodes.node(x)));
  const auto there = of.nodes.choose(missing, of.nodes.constant(0), of.nodes.constant(1));
  const auto mean = [&](ReduceRequest::Keep kept) {
    return of.evaluate(of.nodes.binary(Op::divide, of.nodes.node(of.reduce(wide, "Sum", axis, kept)),
                                       of.nodes.cast("double", of.nodes.node(of.reduce(there, "Sum", axis, kept)))));
  };
  if (of.operation() == Operation::nanmean) return only(of.number_or_array(mean(keep)));
  auto around = mean(axis ? ReduceRequest::Keep::yes : keep);
  if (!axis) around.shape.assign(x.shape.size(), 1);
  const auto distance = of.nodes.binary(Op::subtract, of.nodes.cast("double", of.nodes.node(x)), of.nodes.node(around));
  const auto squares = of.nodes.choose(missing, zero, of.nodes.binary(Op::multiply, distance, distance));
  // With fewer elements than ddof the variance is 0 / 0, NaN.
  const auto count = of.nodes.apply(
      "fmax",
      {of.nodes.constant(0.0),
       of.nodes.binary(Op::subtract, of.nodes.cast("double", of.nodes.node(of.reduce(there, "Sum", axis, keep))),
                       of.nodes.constant(of.given.real("ddof", 0)))});
  auto result = of.nodes.binary(Op::divide, of.nodes.node(of.reduce(squares, "Sum", axis, keep)), count);
  if (of.operation() == Operation::nanstd) result = of.nodes.apply("sqrt", {result});
  return only(of.number_or_array(of.evaluate(result)));
}

ResultList nan_to_num(Composition& of) {
  const auto x = of.given.values("x");
  if (x.type.is_integer()) return only(of.number_or_array(of.evaluate(of.nodes.node(x))));
  const double most = x.type.scalar == Scalar::float64    ? 1.7976931348623157e308
                      : x.type.scalar == Scalar::float16  ? 65504
                      : x.type.scalar == Scalar::bfloat16 ? 3.3895313892515355e38
                                                          : 3.4028234663852886e38;
  const auto finite = without_nan(of, x, of.given.real("nan", 0));
  auto result = of.make(x.type, x.shape);
  of.store(
      of.nodes.apply("clamp", {of.nodes.cast("double", finite), of.nodes.constant(-most), of.nodes.constant(most)}),
      result);
  return only(of.number_or_array(std::move(result)));
}

constexpr ComposedFunction kSamples[] = {
    {Operation::sort, sort_along},
    {Operation::order, sort_along},
    {Operation::topk, topk},
    {Operation::percentile, quantiles},
    {Operation::quantile, quantiles},
    {Operation::nonzero, nonzero},
    {Operation::flatnonzero, flatnonzero},
    {Operation::argwhere, argwhere},
    {Operation::count_nonzero, count_nonzero},
    {Operation::isin, isin},
    {Operation::average, average},
    {Operation::ptp, ptp},
    {Operation::nansum, nan_reduction},
    {Operation::nanprod, nan_reduction},
    {Operation::nanmin, nan_reduction},
    {Operation::nanmax, nan_reduction},
    {Operation::nanmean, nan_moments},
    {Operation::nanvar, nan_moments},
    {Operation::nanstd, nan_moments},
    {Operation::nan_to_num, nan_to_num},
};

}  // namespace

Pointer ordered(Composition& of, std::string_view parameter, Pointer x) {
  if (x.type.scalar == Scalar::none || x.type.lanes > 1 || x.type.scalar >= Scalar::complex64)
    throw of.given.wrong_type(
        fmt::format("{}() takes numbers, but the elements are {}", of.call().row().name, x.type.name), parameter);
  return x;
}
Pointer ordered(Composition& of, std::string_view parameter) {
  return ordered(of, parameter, of.given.view(parameter));
}

// x[index] of rows, where the indices are known to be inside.
Pointer picked(Composition& of, const Pointer& row, const Pointer& index) {
  return of.evaluate(of.nodes.apply("xcuda::places::taken",
                                    {of.nodes.pointer(row), of.nodes.cast("long", of.nodes.node(index))}, index.shape));
}

std::span<const ComposedFunction> composed_samples() { return kSamples; }

}  // namespace xcuda::interpreter
