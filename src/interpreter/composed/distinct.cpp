// unique(x) with several results, and along an axis.
#include <fmt/format.h>

#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

// How many of `sorted` are less than each value, or as great at most.
ArrayNodePtr found_before(Composition& of, const Pointer& sorted, const Pointer& values, Side side) {
  return of.nodes.apply("xcuda::places::search",
                        {of.nodes.pointer(sorted), of.nodes.constant(sorted.shape[0]), of.nodes.node(values),
                         of.nodes.constant(side == Side::right)},
                        values.shape);
}

// The order that sorts the rows of a matrix: stable sorts by each column, the last column first.
Pointer order_of_rows(Composition& of, const Pointer& table) {
  Pointer order;
  for (auto column = table.shape[1]; column-- > 0;) {
    const auto keys = of.contiguous(without_axis(piece_of(table, 1, column, 1), 1));
    const bool first = column + 1 == table.shape[1];
    const auto next = of.arrays().sort(first ? keys : picked(of, keys, order), ArrayMath::SortKeep::order).order;
    order = first ? next : picked(of, order, next);
  }
  return order;
}

// Where rows differ from those before them; the first one does.
Pointer first_of_each(Composition& of, const Pointer& sorted) {
  const auto left = sorted.shape[0] - 1;
  const auto differ = of.reduce(of.nodes.binary(Op::different, of.nodes.node(piece_of(sorted, 0, 1, left)),
                                                of.nodes.node(piece_of(sorted, 0, 0, left))),
                                "Any", 1);
  const auto places = of.arrays().positions(of.nodes.node(differ));
  const auto count = count_of(places.shape);
  auto starts = of.filled(type_of(Scalar::uint64), {count + 1}, language::ScalarValue::of(0));
  if (count > 0)
    of.store(of.nodes.binary(Op::add, of.nodes.node(of.row_of(places)), of.nodes.constant(1)),
             piece_of(starts, 0, 1, count));
  return starts;
}

// unique(x, axis): of rows. A row is what the other axes have at one place of this axis.
ResultList unique_along(Composition& of) {
  const auto x = ordered(of, "x");
  const auto axis = of.given.axis("axis", x.shape.size(), 0);
  const auto lines = of.contiguous(moved(x, axis, 0));
  const auto n = lines.shape[0];
  if (count_of(x.shape) == 0) throw of.given.wrong("unique() along an axis of an array without elements", "x");
  auto table = lines;
  table.whole = false;
  table.shape = {n, count_of(lines.shape) / n};
  table.strides.clear();
  const auto order = order_of_rows(of, table);
  const auto starts = first_of_each(of, of.nodes.taken(table, 0, order));
  const auto distinct = starts.shape[0];
  const auto first = picked(of, order, starts);
  ResultList list;
  list.emplace_back(of.contiguous(moved(of.nodes.taken(lines, 0, first), 0, axis)));
  if (of.wanted() > 1) {
    auto ends = of.filled(type_of(Scalar::uint64), {distinct}, language::ScalarValue::of(n));
    if (distinct > 1) of.store(of.nodes.node(piece_of(starts, 0, 1, distinct - 1)), piece_of(ends, 0, 0, distinct - 1));
    list.emplace_back(of.evaluate(of.nodes.binary(Op::subtract, of.nodes.node(ends), of.nodes.node(starts))));
  }
  if (of.wanted() > 2) list.emplace_back(of.evaluate(of.nodes.cast("unsigned long", of.nodes.node(first))));
  if (of.wanted() > 3) {
    const auto rank = of.arrays().sort(order, ArrayMath::SortKeep::order).order;
    const auto places = of.evaluate(of.nodes.cast("unsigned long", of.nodes.node(rank)));
    list.emplace_back(of.evaluate(
        of.nodes.binary(Op::subtract, found_before(of, starts, places, Side::right), of.nodes.constant(1))));
  }
  return list;
}

// unique(x) with counts: how many of the sorted elements lie between the first and the last of each. The sort is
// stable, so that the first of them is also the first in x.
ResultList unique(Composition& of) {
  if (of.given.find("axis") != nullptr) return unique_along(of);
  ResultList list;
  list.push_back(of.first_result());
  if (of.wanted() == 1) return list;
  const auto x = ordered(of, "x");
  const auto row = of.row_of(x);
  const auto order = of.wanted() > 2 ? of.arrays().sort(row, ArrayMath::SortKeep::order).order : Pointer();
  const auto sorted =
      of.wanted() > 2 ? picked(of, row, order) : of.arrays().sort(row, ArrayMath::SortKeep::values).values;
  const auto values = std::get<Pointer>(list.front());
  const auto search = [&](const Pointer& in, const Pointer& what, Side side) {
    return of.nodes.apply("xcuda::places::search", {of.nodes.pointer(in), of.nodes.constant(in.shape[0]),
                                                    of.nodes.node(what), of.nodes.constant(side == Side::right)});
  };
  list.emplace_back(of.evaluate(
      of.nodes.binary(Op::subtract, search(sorted, values, Side::right), search(sorted, values, Side::left))));
  if (of.wanted() > 2) list.emplace_back(picked(of, order, of.evaluate(search(sorted, values, Side::left))));
  if (of.wanted() > 3) list.emplace_back(of.evaluate(search(values, x, Side::left)));
  return list;
}

constexpr ComposedFunction kDistinct[] = {{Operation::unique, unique}};

}  // namespace

std::span<const ComposedFunction> composed_distinct() { return kDistinct; }

}  // namespace xcuda::interpreter
