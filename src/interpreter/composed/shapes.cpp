// Views of the elements of an array.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

ResultList flatten(Composition& of) { return only(in_a_row(of, of.given.view("x"))); }

ResultList squeeze(Composition& of) {
  auto x = of.given.view("x");
  if (const auto axis = of.given.axis_if_given("axis", x.shape.size())) {
    if (x.shape[*axis] != 1)
      throw of.given.wrong(
          fmt::format("axis {} has an extent of {}: only an axis of extent 1 can be removed", *axis, x.shape[*axis]),
          "axis");
    return only(of.number_or_array(without_axis(std::move(x), *axis)));
  }
  for (auto d = x.shape.size(); d-- > 0;)
    if (x.shape[d] == 1) x = without_axis(std::move(x), d);
  return only(of.number_or_array(std::move(x)));
}

ResultList expand_dims(Composition& of) {
  auto x = of.given.view("x");
  const auto axis = of.given.axis("axis", x.shape.size() + 1, 0);
  return only(with_axis(std::move(x), axis));
}

ResultList moveaxis(Composition& of) {
  const auto x = of.given.view("x");
  const auto from = of.given.axis("source", x.shape.size(), 0);
  return only(moved(x, from, of.given.axis("destination", x.shape.size(), 0)));
}

ResultList swapaxes(Composition& of) {
  const auto x = of.given.view("x");
  std::vector<std::size_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  const auto first = of.given.axis("axis1", order.size(), 0);
  std::swap(order[first], order[of.given.axis("axis2", order.size(), 0)]);
  return only(permuted(x, order));
}

ResultList permute_dims(Composition& of) {
  const auto x = of.given.view("x");
  const auto order = axes_from(of.given, 1, x.shape.size());
  if (order.size() != x.shape.size())
    throw of.given.wrong(fmt::format("{} axes are given: expected each of 0 to {} once", order.size(),
                                     static_cast<std::int64_t>(x.shape.size()) - 1));
  return only(permuted(x, order));
}

ResultList broadcast_call(Composition& of) {
  const auto x = of.given.view("x");
  const auto shape = of.given.extents(1);
  const auto whole = broadcast(x.shape, shape);
  if (!whole || *whole != shape)
    throw of.given.wrong(fmt::format("the shape {} cannot be broadcast to {}", shape_text(x.shape), shape_text(shape)))
        .advise("Counted from the last one, extents must be equal, or 1 in the array.");
  return only(broadcast_to(x, shape));
}

ResultList flip(Composition& of) {
  auto x = of.given.view("x");
  const auto axis = of.given.axis_if_given("axis", x.shape.size());
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (!axis || *axis == d) x = flipped(std::move(x), d);
  return only(std::move(x));
}
ResultList fliplr(Composition& of) { return only(flipped(needs_matrix(of), 1)); }
ResultList flipud(Composition& of) { return only(flipped(of.given.view("x"), 0)); }

ResultList rot90(Composition& of) {
  auto x = needs_matrix(of);
  std::vector<std::size_t> turned(x.shape.size());
  std::iota(turned.begin(), turned.end(), 0);
  std::swap(turned[0], turned[1]);
  const auto k = ((of.given.integer("k", 1) % 4) + 4) % 4;
  if (k == 1) x = flipped(permuted(x, turned), 0);
  if (k == 2) x = flipped(flipped(std::move(x), 0), 1);
  if (k == 3) x = permuted(flipped(std::move(x), 0), turned);
  return only(std::move(x));
}

ResultList diagonal(Composition& of) { return only(diagonal_of(needs_matrix(of), of.given.integer("k", 0))); }

constexpr ComposedFunction kShapes[] = {
    {Operation::flatten, flatten},
    {Operation::ravel, flatten},
    {Operation::squeeze, squeeze},
    {Operation::expand_dims, expand_dims},
    {Operation::moveaxis, moveaxis},
    {Operation::swapaxes, swapaxes},
    {Operation::permute_dims, permute_dims},
    {Operation::broadcast_to, broadcast_call},
    {Operation::flip, flip},
    {Operation::fliplr, fliplr},
    {Operation::flipud, flipud},
    {Operation::rot90, rot90},
    {Operation::diagonal, diagonal},
};

}  // namespace

Pointer needs_matrix(Composition& of) {
  auto x = of.given.view("x");
  if (x.shape.size() < 2)
    throw of.given.wrong(fmt::format("{}() takes at least two dimensions, but x has the shape {}", of.call().row().name,
                                     shape_text(x.shape)),
                         "x");
  return x;
}

Pointer in_a_row(Composition& of, const Pointer& x) {
  auto row = of.contiguous(x);
  row.whole = row.whole && row.shape.size() == 1;
  row.shape = {count_of(x.shape)};
  row.strides.clear();
  return row;
}

std::span<const ComposedFunction> composed_shapes() { return kShapes; }

}  // namespace xcuda::interpreter
