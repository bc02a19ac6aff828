// Arrays composed of others.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/composition.hpp"
#include "interpreter/elements.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

// With at least this many axes; new ones come first.
Pointer at_least(Pointer x, std::size_t rank) {
  while (x.shape.size() < rank) x = with_axis(std::move(x), 0);
  return x;
}

Type common_element(Composition& of, const std::vector<Pointer>& list) {
  auto type = list.front().type;
  for (const auto& one : list) {
    const auto a = language::kind_of(type), b = language::kind_of(one.type);
    if (type == one.type) continue;
    if (!a || !b) throw of.given.wrong(fmt::format("the elements are {} and {}", type.name, one.type.name), "list");
    type = language::type_of(language::common_kind(*a, *b));
  }
  return type;
}

Pointer joined(Composition& of, const std::vector<Pointer>& list, std::size_t axis) {
  auto shape = list.front().shape;
  shape[axis] = 0;
  for (const auto& one : list) {
    auto fits = one.shape;
    if (axis < fits.size()) fits[axis] = shape[axis];
    if (fits != shape)
      throw of.given.wrong(fmt::format("the shapes do not match: {} and {} must differ in axis {} alone",
                                       shape_text(list.front().shape), shape_text(one.shape), axis),
                           "list");
    shape[axis] += one.shape[axis];
  }
  auto result = of.make(common_element(of, list), shape);
  std::uint64_t at = 0;
  for (const auto& one : list) {
    of.store(of.nodes.node(one), piece_of(result, axis, at, one.shape[axis]));
    at += one.shape[axis];
  }
  return result;
}

ResultList concatenate(Composition& of) {
  const auto list = of.given.list("list");
  return only(joined(of, list, of.given.axis("axis", list.front().shape.size(), 0)));
}

ResultList stack(Composition& of) {
  auto list = of.given.list("list");
  const auto shape = list.front().shape;
  const auto axis = of.given.axis("axis", shape.size() + 1, 0);
  for (auto& each : list) {
    if (each.shape != shape)
      throw of.given.wrong(fmt::format("the shapes do not match: {} and {}", shape_text(shape), shape_text(each.shape)),
                           "list");
    each = with_axis(std::move(each), axis);
  }
  return only(joined(of, list, axis));
}

ResultList hstack(Composition& of) {
  const auto list = of.given.list("list");
  return only(joined(of, list, list.front().shape.size() == 1 ? 0 : 1));
}

ResultList vstack(Composition& of) {
  auto list = of.given.list("list");
  for (auto& each : list) each = at_least(std::move(each), 2);
  return only(joined(of, list, 0));
}

ResultList append(Composition& of) {
  auto x = of.given.view("x");
  auto values = of.evaluate(of.given.value("values"));
  if (values.shape.empty()) values.shape = {1};
  if (const auto axis = of.given.axis_if_given("axis", x.shape.size())) return only(joined(of, {x, values}, *axis));
  return only(joined(of, {in_a_row(of, x), in_a_row(of, values)}, 0));
}

// Before the elements at these places.
ResultList split_at(Composition& of, const Pointer& x, std::size_t axis, const cell::List& places) {
  if (of.wanted() == 1)
    throw of.given.wrong_type("the pieces may differ in size: one name cannot hold them", "sections")
        .advise("Name each of them: auto [a, b, c] = split(x, {2, 4});");
  ResultList pieces;
  std::uint64_t first = 0;
  const auto put = [&](std::uint64_t end) {
    if (end < first || end > x.shape[axis])
      throw of.given.wrong(
          fmt::format("the place {} is not between {} and the extent of {}", end, first, x.shape[axis]), "sections");
    pieces.emplace_back(piece_of(x, axis, first, end - first));
    first = end;
  };
  for (const auto& one : places.elements) put(of.given.extent(*one, "a place of split()").as_unsigned());
  put(x.shape[axis]);
  return pieces;
}

ResultList split(Composition& of) {
  const auto x = of.given.view("x");
  const auto axis = of.given.axis("axis", x.shape.size(), 0);
  if (const auto* places = std::get_if<cell::List>(&of.given.expression("sections").node))
    return split_at(of, x, axis, *places);
  const auto n = of.given.integer("sections", 1);
  if (n < 1 || x.shape[axis] % static_cast<std::uint64_t>(n) != 0)
    throw of.given.wrong(fmt::format("an extent of {} cannot be split into {} equal pieces", x.shape[axis], n),
                         "sections");
  const auto length = x.shape[axis] / static_cast<std::uint64_t>(n);
  ResultList pieces;
  if (of.wanted() == 1) {  // along a new first axis
    auto shape = x.shape;
    shape[axis] = length;
    shape.insert(shape.begin(), static_cast<std::uint64_t>(n));
    auto strides = strides_of(x);
    strides.insert(strides.begin(), strides[axis] * static_cast<std::int64_t>(length));
    auto whole = x;
    whole.shape = std::move(shape);
    whole.strides = std::move(strides);
    whole.whole = false;
    return only(std::move(whole));
  }
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i)
    pieces.emplace_back(piece_of(x, axis, i * length, length));
  return pieces;
}

// Each axis as two: the copies, with a stride of 0, and the elements.
ResultList tile(Composition& of) {
  auto x = of.given.view("x");
  auto counts = of.given.extents(1);
  x = at_least(std::move(x), counts.size());
  counts.insert(counts.begin(), x.shape.size() - counts.size(), 1);
  Shape shape, wide;
  std::vector<std::int64_t> strides;
  const auto own = strides_of(x);
  for (std::size_t d = 0; d < counts.size(); ++d) {
    shape.push_back(counts[d] * x.shape[d]);
    wide.insert(wide.end(), {counts[d], x.shape[d]});
    strides.insert(strides.end(), {0, own[d]});
  }
  x.shape = std::move(wide);
  x.strides = std::move(strides);
  x.whole = false;
  auto result = of.make(x.type, shape);
  auto target = result;
  target.shape = x.shape;
  of.store(of.nodes.node(x), target);
  return only(std::move(result));
}

// As often as an array says: element i of the result is the first one that ends after i.
ResultList repeat_each(Composition& of, const Pointer& x, std::size_t axis, const Pointer& counts) {
  if (!counts.type.is_integer() || counts.type.lanes > 1)
    throw of.given.wrong_type(fmt::format("n is an array of {}: expected integers", counts.type.name), "n");
  if (counts.shape != Shape{x.shape[axis]})
    throw of.given.wrong(fmt::format("n has the shape {}, but there are {} elements", shape_text(counts.shape),
                                     format_count(x.shape[axis])),
                         "n");
  std::uint64_t total = 0;
  const auto ends = of.evaluate(running_sums(of, counts, {}));
  if (counts.shape[0] > 0) {
    if (const auto least = of.reduced(of.nodes.node(counts), "Min"); least.is_negative())
      throw of.given.wrong(fmt::format("n has an element {}", least.text()), "n");
    total = of.reduced(of.nodes.node(counts), "Sum").as_unsigned();
  }
  const auto index = of.nodes.apply(
      "xcuda::places::search",
      {of.nodes.pointer(ends), of.nodes.constant(ends.shape[0]), of.nodes.index(0), of.nodes.constant(true)}, {total});
  return only(of.nodes.taken(x, axis, of.evaluate(index)));
}

ResultList repeat(Composition& of) {
  auto x = of.given.view("x");
  auto axis = of.given.axis_if_given("axis", x.shape.size());
  if (!axis) x = in_a_row(of, x), axis = 0;
  if (const auto counts = of.given.value("n"); !counts->shape.empty())
    return repeat_each(of, x, *axis, of.contiguous(of.evaluate(counts)));
  const auto n = of.given.integer("n", 1);
  if (n < 0) throw of.given.wrong(fmt::format("n is {}", n), "n");
  x = with_axis(std::move(x), *axis + 1);
  auto shape = x.shape;
  shape[*axis + 1] = static_cast<std::uint64_t>(n);
  auto result = of.make(x.type, shape);
  of.store(of.nodes.node(x), result);
  shape[*axis] *= shape[*axis + 1];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1);
  result.shape = std::move(shape);
  return only(std::move(result));
}

struct PadWidths {
  std::uint64_t before, after;
};

// n, {before, after}, or {before, after} of each axis.
std::vector<PadWidths> widths_of_pad(Composition& of, std::size_t rank) {
  const auto& width = of.given.expression("width");
  const auto number = [&](const cell::Expression& expression) {
    return of.given.extent(expression, "a width of pad()").as_unsigned();
  };
  const auto* list = std::get_if<cell::List>(&width.node);
  if (list == nullptr) return std::vector<PadWidths>(rank, PadWidths{number(width), number(width)});
  const auto pair = [&](const cell::List& of_axis) {
    if (of_axis.elements.size() != 2)
      throw of.given.wrong("the widths of pad() are a number, {before, after}, or {before, after} of each axis",
                           "width");
    return PadWidths{number(*of_axis.elements[0]), number(*of_axis.elements[1])};
  };
  const bool of_axes = !list->elements.empty() && std::holds_alternative<cell::List>(list->elements[0]->node);
  if (!of_axes) return std::vector<PadWidths>(rank, pair(*list));
  if (list->elements.size() != rank)
    throw of.given.wrong(fmt::format("there are widths of {} axes, but the array has {}", list->elements.size(), rank),
                         "width");
  std::vector<PadWidths> widths;
  for (const auto& one : list->elements) {
    const auto* of_axis = std::get_if<cell::List>(&one->node);
    widths.push_back(of_axis != nullptr ? pair(*of_axis) : PadWidths{number(*one), number(*one)});
  }
  return widths;
}

ResultList pad(Composition& of) {
  const auto x = of.given.view("x");
  const auto mode = of.given.choice("mode");
  const auto widths = widths_of_pad(of, x.shape.size());
  auto shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] += widths[d].before + widths[d].after;
  auto result = of.given.find("value") == nullptr ? of.filled(x.type, shape, language::ScalarValue::of(0))
                                                  : of.filled(x.type, shape, of.given.number("value"));
  auto inner = result;
  for (std::size_t d = 0; d < shape.size(); ++d) inner = piece_of(inner, d, widths[d].before, x.shape[d]);
  of.store(of.nodes.node(x), inner);
  if (mode == "constant") return only(std::move(result));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto extent = x.shape[d];
    const auto [before, after] = widths[d];
    if (before + after == 0) continue;
    if (extent == 0)
      throw of.given.wrong(fmt::format("axis {} is empty: mode \"{}\" has no element to repeat", d, mode), "mode");
    const auto put = [&](std::uint64_t first, std::uint64_t count, const Pointer& from) {
      if (count > 0) of.store(of.nodes.node(from), piece_of(result, d, first, count));
    };
    // What "reflect" and "symmetric" mirror of the array at each end, and after how many elements all repeats itself.
    const std::uint64_t edge = mode == "reflect" ? 1 : 0;  // which is not mirrored itself
    const auto mirrored = mode == "wrap" ? 0 : extent - edge;
    const auto period = mode == "wrap" ? extent : 2 * mirrored;
    if (mode == "edge" || period == 0) {
      put(0, before, piece_of(result, d, before, 1));
      put(before + extent, after, piece_of(result, d, before + extent - 1, 1));
      continue;
    }
    auto first = before - std::min(before, mirrored), last = before + extent + std::min(after, mirrored);
    put(first, before - first, flipped(piece_of(result, d, before + edge, before - first), d));
    const auto end = before + extent;
    put(end, last - end, flipped(piece_of(result, d, end - edge - (last - end), last - end), d));
    // Each round copies twice as many periods, since twice as many are there.
    for (auto step = period; first > 0; step *= 2) {
      const auto count = std::min(first, step);
      first -= count;
      put(first, count, piece_of(result, d, first + step, count));
    }
    for (auto step = period; last < shape[d]; step *= 2) {
      const auto count = std::min(shape[d] - last, step);
      put(last, count, piece_of(result, d, last - step, count));
      last += count;
    }
  }
  return only(std::move(result));
}

ResultList take(Composition& of) {
  auto x = of.given.view("x");
  const auto axis = of.given.axis_if_given("axis", x.shape.size());
  if (!axis) x = in_a_row(of, x);
  const auto index = of.given.elements("indices");
  if (!index.type.is_integer()) throw of.given.wrong(fmt::format("the indices are {}", index.type.name), "indices");
  return only(of.nodes.taken({x, of.given.expression("x").span}, axis.value_or(0),
                             {index, of.given.expression("indices").span}));
}

// In each line the elements at its own indices: result[i, j] is x[i, indices[i, j]].
ResultList take_along_axis(Composition& of) {
  const auto x = of.given.view("x");
  const auto index = of.given.elements("indices");
  if (!index.type.is_integer() || index.type.lanes > 1)
    throw of.given.wrong_type(fmt::format("the indices are {}: expected integers", index.type.name), "indices");
  const auto rank = x.shape.size();
  const auto axis = of.given.axis("axis", rank, -1);
  auto lines = x.shape;
  if (index.shape.size() == rank) lines[axis] = index.shape[axis];
  const auto shape = broadcast(lines, index.shape);
  if (index.shape.size() != rank || !shape)
    throw of.given.wrong(fmt::format("the shapes do not match: x is {} and the indices are {}", shape_text(x.shape),
                                     shape_text(index.shape)),
                         "indices");
  of.nodes.check_inside(index, x.shape[axis], of.given.expression("x").span, of.given.expression("indices").span);
  ArrayNodePtr at;
  std::uint64_t stride = 1;
  for (auto d = rank; d-- > 0; stride *= x.shape[d]) {
    if (d != axis && x.shape[d] < 2) continue;
    const auto place = of.nodes.cast("long", d == axis ? of.nodes.node(index) : of.nodes.index(d));
    const auto step = of.nodes.binary(Op::multiply, place, of.nodes.constant(static_cast<std::int64_t>(stride)));
    at = at == nullptr ? step : of.nodes.binary(Op::add, at, step);
  }
  return only(of.evaluate(of.nodes.apply("xcuda::places::taken", {of.nodes.pointer(of.row_of(x)), at}, *shape)));
}

ResultList copy(Composition& of) {
  const auto x = of.given.view("x");
  auto result = of.make(x.type, x.shape);
  of.store(of.nodes.node(x), result);
  return only(std::move(result));
}

ResultList diag(Composition& of) {
  const auto x = of.given.view("x");
  const auto k = of.given.integer("k", 0);
  if (x.shape.size() > 1) return only(diagonal_of(x, k));
  const auto n = x.shape[0] + static_cast<std::uint64_t>(k < 0 ? -k : k);
  auto result = of.filled(x.type, {n, n}, language::ScalarValue::of(0));
  of.store(of.nodes.node(x), diagonal_of(result, k));
  return only(std::move(result));
}

// Where the column is at most the row + k, or at least.
Pointer triangle(Composition& of, Op op) {
  const auto x = needs_matrix(of);
  const auto rank = x.shape.size();
  auto inside = apply_node(op,
                           {of.nodes.cast("long", of.nodes.index(rank - 1)),
                            of.nodes.binary(Op::add, of.nodes.cast("long", of.nodes.index(rank - 2)),
                                            of.nodes.constant(of.given.integer("k", 0)))},
                           x.shape, of.call().span);
  auto result = of.make(x.type, x.shape);
  of.store(of.nodes.choose(inside, of.nodes.node(x), of.nodes.cast(x.type.name, of.nodes.constant(0))), result);
  return result;
}
ResultList tril(Composition& of) { return only(triangle(of, Op::at_most)); }
ResultList triu(Composition& of) { return only(triangle(of, Op::at_least)); }

ResultList meshgrid(Composition& of) {
  std::vector<Pointer> rows;
  for (const auto& one : views_of_all(of.given)) rows.push_back(in_a_row(of, one));
  const auto axis_of = [&](std::size_t i) { return i < 2 ? 1 - i : i; };  // NumPy's "xy": x runs along the columns
  Shape shape(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) shape[axis_of(i)] = rows[i].shape[0];
  ResultList list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto along = std::move(rows[i]);
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (d != axis_of(i)) along = with_axis(std::move(along), d);
    list.emplace_back(broadcast_to(along, shape));
  }
  return list;
}

constexpr ComposedFunction kPutTogether[] = {
    {Operation::concatenate, concatenate},
    {Operation::stack, stack},
    {Operation::hstack, hstack},
    {Operation::vstack, vstack},
    {Operation::append, append},
    {Operation::split, split},
    {Operation::tile, tile},
    {Operation::repeat, repeat},
    {Operation::pad, pad},
    {Operation::take, take},
    {Operation::take_along_axis, take_along_axis},
    {Operation::copy, copy},
    {Operation::diag, diag},
    {Operation::tril, tril},
    {Operation::triu, triu},
    {Operation::meshgrid, meshgrid},
};

}  // namespace

std::span<const ComposedFunction> composed_put_together() { return kPutTogether; }

}  // namespace xcuda::interpreter
