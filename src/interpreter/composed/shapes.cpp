// Views, and arrays put together from others.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/composition.hpp"
#include "interpreter/elements.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

ResultList one(Value value) {
  ResultList list;
  list.push_back(std::move(value));
  return list;
}

// With at least this many axes; new ones come first.
Pointer at_least(Pointer x, std::size_t rank) {
  while (x.shape.size() < rank) x = with_axis(std::move(x), 0);
  return x;
}

Pointer needs_matrix(Composition& of, std::string_view parameter = "x") {
  auto x = of.given.view(parameter);
  if (x.shape.size() < 2)
    throw of.given.wrong(fmt::format("{}() takes at least two dimensions, but {} has the shape {}",
                                     of.call().row().name, parameter, shape_text(x.shape)),
                         parameter);
  return x;
}

Pointer in_a_row(Composition& of, const Pointer& x) {
  auto row = of.contiguous(x);
  row.whole = row.whole && row.shape.size() == 1;
  row.shape = {count_of(x.shape)};
  row.strides.clear();
  return row;
}

ResultList flatten(Composition& of) { return one(in_a_row(of, of.given.view("x"))); }

ResultList squeeze(Composition& of) {
  auto x = of.given.view("x");
  if (const auto axis = of.given.axis_if_given("axis", x.shape.size())) {
    if (x.shape[*axis] != 1)
      throw of.given.wrong(fmt::format("axis {} has an extent of {}: only one of 1 can go", *axis, x.shape[*axis]),
                           "axis");
    return one(of.number_or_array(without_axis(std::move(x), *axis)));
  }
  for (auto d = x.shape.size(); d-- > 0;)
    if (x.shape[d] == 1) x = without_axis(std::move(x), d);
  return one(of.number_or_array(std::move(x)));
}

ResultList expand_dims(Composition& of) {
  auto x = of.given.view("x");
  const auto axis = of.given.axis("axis", x.shape.size() + 1, 0);
  return one(with_axis(std::move(x), axis));
}

ResultList moveaxis(Composition& of) {
  const auto x = of.given.view("x");
  const auto from = of.given.axis("source", x.shape.size(), 0);
  return one(moved(x, from, of.given.axis("destination", x.shape.size(), 0)));
}

ResultList swapaxes(Composition& of) {
  const auto x = of.given.view("x");
  std::vector<std::size_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  const auto first = of.given.axis("axis1", order.size(), 0);
  std::swap(order[first], order[of.given.axis("axis2", order.size(), 0)]);
  return one(permuted(x, order));
}

ResultList permute_dims(Composition& of) {
  const auto x = of.given.view("x");
  const auto given = of.given.extents(1);
  std::vector<std::size_t> order(given.begin(), given.end()), sorted = order, all(x.shape.size());
  std::iota(all.begin(), all.end(), 0);
  std::sort(sorted.begin(), sorted.end());
  if (sorted != all)
    throw of.given.wrong(
        fmt::format("the axes are {}: expected each of 0 to {} once", fmt::join(order, ", "), all.size() - 1));
  return one(permuted(x, order));
}

ResultList broadcast_call(Composition& of) {
  const auto x = of.given.view("x");
  const auto shape = of.given.extents(1);
  const auto whole = broadcast(x.shape, shape);
  if (!whole || *whole != shape)
    throw of.given.wrong(fmt::format("{} cannot be repeated to {}", shape_text(x.shape), shape_text(shape)))
        .advise("Counted from the last one, extents must be equal, or that of the array 1.");
  return one(broadcast_to(x, shape));
}

ResultList flip(Composition& of) {
  auto x = of.given.view("x");
  const auto axis = of.given.axis_if_given("axis", x.shape.size());
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (!axis || *axis == d) x = flipped(std::move(x), d);
  return one(std::move(x));
}
ResultList fliplr(Composition& of) { return one(flipped(needs_matrix(of), 1)); }
ResultList flipud(Composition& of) { return one(flipped(of.given.view("x"), 0)); }

ResultList rot90(Composition& of) {
  auto x = needs_matrix(of);
  std::vector<std::size_t> turned(x.shape.size());
  std::iota(turned.begin(), turned.end(), 0);
  std::swap(turned[0], turned[1]);
  const auto k = ((of.given.integer("k", 1) % 4) + 4) % 4;
  if (k == 1) x = flipped(permuted(x, turned), 0);
  if (k == 2) x = flipped(flipped(std::move(x), 0), 1);
  if (k == 3) x = permuted(flipped(std::move(x), 0), turned);
  return one(std::move(x));
}

ResultList diagonal(Composition& of) { return one(diagonal_of(needs_matrix(of), of.given.integer("k", 0))); }

// --- put together ---------------------------------------------------------------------------------------------------

Type common_element(Composition& of, const std::vector<Pointer>& list) {
  auto type = list.front().type;
  for (const auto& one : list) {
    const auto a = cell::kind_of(type), b = cell::kind_of(one.type);
    if (type == one.type) continue;
    if (!a || !b) throw of.given.wrong(fmt::format("the elements are {} and {}", type.name, one.type.name), "list");
    type = cell::type_of(cell::common_kind(*a, *b));
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
  return one(joined(of, list, of.given.axis("axis", list.front().shape.size(), 0)));
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
  return one(joined(of, list, axis));
}

ResultList hstack(Composition& of) {
  const auto list = of.given.list("list");
  return one(joined(of, list, list.front().shape.size() == 1 ? 0 : 1));
}

ResultList vstack(Composition& of) {
  auto list = of.given.list("list");
  for (auto& each : list) each = at_least(std::move(each), 2);
  return one(joined(of, list, 0));
}

ResultList append(Composition& of) {
  auto x = of.given.view("x");
  auto values = of.evaluate(of.given.value("values"));
  if (values.shape.empty()) values.shape = {1};
  if (const auto axis = of.given.axis_if_given("axis", x.shape.size())) return one(joined(of, {x, values}, *axis));
  return one(joined(of, {in_a_row(of, x), in_a_row(of, values)}, 0));
}

ResultList split(Composition& of) {
  const auto x = of.given.view("x");
  const auto axis = of.given.axis("axis", x.shape.size(), 0);
  const auto n = of.given.integer("n", 1);
  if (n < 1 || x.shape[axis] % static_cast<std::uint64_t>(n) != 0)
    throw of.given.wrong(fmt::format("an extent of {} cannot be split into {} equal pieces", x.shape[axis], n), "n");
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
    return one(std::move(whole));
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
  return one(std::move(result));
}

ResultList repeat(Composition& of) {
  auto x = of.given.view("x");
  const auto n = of.given.integer("n", 1);
  if (n < 0) throw of.given.wrong(fmt::format("n is {}", n), "n");
  auto axis = of.given.axis_if_given("axis", x.shape.size());
  if (!axis) x = in_a_row(of, x), axis = 0;
  x = with_axis(std::move(x), *axis + 1);
  auto shape = x.shape;
  shape[*axis + 1] = static_cast<std::uint64_t>(n);
  auto result = of.make(x.type, shape);
  of.store(of.nodes.node(x), result);
  shape[*axis] *= shape[*axis + 1];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1);
  result.shape = std::move(shape);
  return one(std::move(result));
}

ResultList pad(Composition& of) {
  const auto x = of.given.view("x");
  const auto* mode_text =
      of.given.find("mode") == nullptr ? nullptr : std::get_if<cell::StringLiteral>(&of.given.find("mode")->node);
  const auto mode = mode_text == nullptr ? std::string("constant") : mode_text->value;
  static constexpr std::string_view kModes[] = {"constant", "edge", "reflect", "wrap"};
  if (!among(mode, kModes))
    throw of.given.wrong(fmt::format("mode is \"{}\"", mode), "mode")
        .advise("\"constant\", \"edge\", \"reflect\" or \"wrap\"");
  const auto& width = of.given.expression("width");
  const auto* list = std::get_if<cell::List>(&width.node);
  const auto number = [&](const cell::Expression& expression) {
    return of.given.extent(expression, "a width of pad()").as_unsigned();
  };
  if (list != nullptr && list->elements.size() != 2)
    throw of.given.wrong("the widths of pad() are one number, or {before, after}", "width");
  const auto before = number(list != nullptr ? *list->elements[0] : width),
             after = number(list != nullptr ? *list->elements[1] : width);
  auto shape = x.shape;
  for (auto& extent : shape) extent += before + after;
  auto result = of.given.find("value") == nullptr ? of.filled(x.type, shape, cell::Value::of(0))
                                                  : of.filled(x.type, shape, of.given.number("value"));
  auto inner = result;
  for (std::size_t d = 0; d < shape.size(); ++d) inner = piece_of(inner, d, before, x.shape[d]);
  of.store(of.nodes.node(x), inner);
  if (mode == "constant") return one(std::move(result));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto extent = x.shape[d];
    const auto most = mode == "reflect" ? extent - 1 : extent;
    if (extent == 0 || (mode != "edge" && std::max(before, after) > most))
      throw of.given.wrong(
          fmt::format("a width of {} is too much for an extent of {}", std::max(before, after), extent), "width");
    const auto put = [&](std::uint64_t first, std::uint64_t count, const Pointer& from) {
      if (count > 0) of.store(of.nodes.node(from), piece_of(result, d, first, count));
    };
    if (mode == "edge") {
      put(0, before, piece_of(result, d, before, 1));
      put(before + extent, after, piece_of(result, d, before + extent - 1, 1));
    } else if (mode == "wrap") {
      put(0, before, piece_of(result, d, extent, before));
      put(before + extent, after, piece_of(result, d, before, after));
    } else {
      put(0, before, flipped(piece_of(result, d, before + 1, before), d));
      put(before + extent, after, flipped(piece_of(result, d, before + extent - 1 - after, after), d));
    }
  }
  return one(std::move(result));
}

ResultList take(Composition& of) {
  auto x = of.given.view("x");
  const auto axis = of.given.axis_if_given("axis", x.shape.size());
  if (!axis) x = in_a_row(of, x);
  const auto index = of.given.elements("indices");
  if (!index.type.is_integer()) throw of.given.wrong(fmt::format("the indices are {}", index.type.name), "indices");
  return one(of.nodes.taken(x, axis.value_or(0), index));
}

ResultList copy(Composition& of) {
  const auto x = of.given.view("x");
  auto result = of.make(x.type, x.shape);
  of.store(of.nodes.node(x), result);
  return one(std::move(result));
}

ResultList diag(Composition& of) {
  const auto x = of.given.view("x");
  const auto k = of.given.integer("k", 0);
  if (x.shape.size() > 1) return one(diagonal_of(x, k));
  const auto n = x.shape[0] + static_cast<std::uint64_t>(k < 0 ? -k : k);
  auto result = of.filled(x.type, {n, n}, cell::Value::of(0));
  of.store(of.nodes.node(x), diagonal_of(result, k));
  return one(std::move(result));
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
ResultList tril(Composition& of) { return one(triangle(of, Op::at_most)); }
ResultList triu(Composition& of) { return one(triangle(of, Op::at_least)); }

ResultList meshgrid(Composition& of) {
  const auto x = in_a_row(of, of.given.view("x")), y = in_a_row(of, of.given.view("y"));
  const Shape shape{y.shape[0], x.shape[0]};
  ResultList list;
  list.emplace_back(broadcast_to(x, shape));
  list.emplace_back(broadcast_to(with_axis(y, 1), shape));
  return list;
}

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
    {Operation::copy, copy},
    {Operation::diag, diag},
    {Operation::tril, tril},
    {Operation::triu, triu},
    {Operation::meshgrid, meshgrid},
};

}  // namespace

std::span<const ComposedFunction> composed_shapes() { return kShapes; }

}  // namespace xcuda::interpreter
