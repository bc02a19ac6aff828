// Norms of vectors and of matrices, by NumPy's orders.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "interpreter/composed/matrix_problem.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

struct NormOrder {
  enum class Kind : std::uint8_t { usual, number, frobenius, nuclear } kind = Kind::usual;
  double number = 2;
  std::string text;  // as the cell has it

  bool is(double other) const { return kind == Kind::number && number == other; }
  bool is_usual() const { return kind == Kind::usual || is(2); }
};

NormOrder order_given(Composition& of) {
  NormOrder order;
  const auto* given = of.given.find("ord");
  if (given == nullptr) return order;
  order.text = of.text("ord");
  if (const auto* word = std::get_if<cell::StringLiteral>(&given->node)) {
    order.kind = word->value == "fro" ? NormOrder::Kind::frobenius : NormOrder::Kind::nuclear;
    if (word->value == "fro" || word->value == "nuc") return order;
  } else {
    order.kind = NormOrder::Kind::number;
    order.number = of.given.number("ord").as_real();
    if (!std::isnan(order.number)) return order;
  }
  throw of.given.wrong(fmt::format("norm(): ord is {}", order.text), "ord")
      .advise("Pass a number such as 1, 2 or INFINITY, or \"fro\" or \"nuc\" of matrices.");
}

void check_some(Composition& of, std::uint64_t count, const NormOrder& order) {
  if (count == 0)
    throw of.given.wrong(
        fmt::format("norm(): {} has no elements, and so no norm of order {}", of.text("x"), order.text), "x");
}

ArrayNodePtr sizes(Composition& of, const ArrayNodePtr& x) { return of.nodes.apply("xcuda::size_term", {x}); }

// Over everything, or along an axis.
Value norm_of_vectors(Composition& of, const ArrayNodePtr& x, std::optional<std::size_t> axis, const NormOrder& order) {
  const auto keep = of.given.truth("keep") ? ReduceRequest::Keep::yes : ReduceRequest::Keep::no;
  const auto reduced = [&](const ArrayNodePtr& node, std::string_view reducer) {
    return of.reduced(node, reducer, axis, keep);
  };
  if (order.is_usual()) return reduced(of.nodes.apply("xcuda::square_term", {x}), "RootOfSum");
  if (order.kind != NormOrder::Kind::number)
    throw of.given.wrong(fmt::format("norm(): {} is for matrices, not for vectors", order.text), "ord")
        .advise("Name both axes of the matrices: axis = {0, 1}.");
  const double p = order.number;
  if (std::isinf(p)) {
    check_some(of, axis ? x->shape[*axis] : count_of(x->shape), order);
    return reduced(sizes(of, x), p > 0 ? "Max" : "Min");
  }
  if (p == 0) {
    const auto other = of.nodes.binary(Op::different, sizes(of, x), of.nodes.constant(0.0));
    return reduced(of.nodes.cast("double", other), "Sum");
  }
  if (p == 1) return reduced(sizes(of, x), "Sum");
  const auto sum = of.reduce(of.nodes.apply("xcuda::power_term", {x, of.nodes.constant(p)}), "Sum", axis, keep);
  return of.number_or_array(of.evaluate(of.nodes.apply("pow", {of.nodes.node(sum), of.nodes.constant(1 / p)})));
}

Pointer singular_values(Composition& of, const Pointer& x, const NormOrder& order) {
  if (of.session().submission().capture() != nullptr) throw of.given.not_in_graph();
  Matrices given;
  given.view = x;
  given.type = solved_in(of, x.type, "x");
  given.text = of.text("x");
  given.m = x.shape[x.shape.size() - 2];
  given.n = x.shape.back();
  given.batch.assign(x.shape.begin(), x.shape.end() - 2);
  if (order.kind == NormOrder::Kind::number) check_some(of, std::min(given.m, given.n), order);
  const auto s = spectrum_of(of, given, SingularVectors::none).s;
  return of.evaluate(of.nodes.cast("double", of.nodes.node(s)));
}

// The norms of the matrices in the last two dimensions, which the result lacks.
Pointer norm_of_matrices(Composition& of, const Pointer& x, const NormOrder& order) {
  const auto last = x.shape.size() - 1;
  if (order.kind == NormOrder::Kind::usual || order.kind == NormOrder::Kind::frobenius) {
    const auto squares = of.nodes.apply("xcuda::square_term", {of.nodes.node(x)});
    const auto rows = of.nodes.node(of.reduce(squares, "Sum", last));
    return of.evaluate(of.nodes.apply("sqrt", {of.nodes.node(of.reduce(rows, "Sum", last - 1))}));
  }
  if (order.kind == NormOrder::Kind::nuclear)
    return of.reduce(of.nodes.node(singular_values(of, x, order)), "Sum", last - 1);
  const double size = std::abs(order.number);
  if (!std::isinf(size) && size != 1 && size != 2)
    throw of.given.wrong(fmt::format("norm(): matrices have no norm of order {}", order.text), "ord")
        .advise(
            "1, -1, 2, -2, INFINITY, -INFINITY, \"fro\" or \"nuc\"; with axis = k, vectors along that axis have one of "
            "any order.");
  const std::string_view which = order.number > 0 ? "Max" : "Min";
  if (size == 2) {
    const auto s = singular_values(of, x, order);
    return of.reduce(of.nodes.node(s), which, last - 1);
  }
  const auto along = size == 1 ? last - 1 : last;  // sums of columns, or of rows
  check_some(of, x.shape[size == 1 ? last : last - 1], order);
  const auto sums = of.reduce(sizes(of, of.nodes.node(x)), "Sum", along);
  return of.reduce(of.nodes.node(sums), which, last - 1);
}

ResultList norm(Composition& of) {
  const auto order = order_given(of);
  const auto node = of.given.array("x");
  const auto rank = node->shape.size();
  std::optional<std::vector<std::size_t>> axes;
  if (of.given.find("axis") != nullptr) axes = of.given.axes("axis", rank, {});
  if (axes && axes->size() > 2)
    throw of.given.wrong(fmt::format("norm(): axis names {} axes", axes->size()), "axis")
        .advise("Name one axis for vectors, two for matrices.");
  if (axes && axes->size() == 1) return only(norm_of_vectors(of, node, axes->front(), order));
  const bool whole = !axes && (rank == 1 || order.kind == NormOrder::Kind::usual);
  const bool squares = rank == 2 && order.kind == NormOrder::Kind::frobenius && !of.given.truth("keep");
  if (whole || squares) return only(norm_of_vectors(of, node, {}, squares ? NormOrder() : order));
  if (!axes && rank != 2)
    throw of.given
        .wrong(fmt::format("norm() of order {}: {} has the shape {}, of vectors or of matrices", order.text,
                           of.text("x"), shape_text(node->shape)),
               "x")
        .advise(fmt::format("Name the axis of vectors, or both of matrices: axis = {0}, or axis = {{{1}, {0}}}.",
                            rank - 1, rank < 2 ? 0 : rank - 2));
  if (!axes) axes = std::vector<std::size_t>{0, 1};
  std::vector<std::size_t> at;
  for (std::size_t d = 0; d < rank; ++d)
    if (std::find(axes->begin(), axes->end(), d) == axes->end()) at.push_back(d);
  at.insert(at.end(), axes->begin(), axes->end());
  auto result = norm_of_matrices(of, permuted(of.evaluate(node), at), order);
  if (of.given.truth("keep")) {
    std::sort(axes->begin(), axes->end());
    for (const auto axis : *axes) result = with_axis(std::move(result), axis);
  }
  return only(of.number_or_array(std::move(result)));
}

constexpr ComposedFunction kNorms[] = {{Operation::norm, norm}};

}  // namespace

std::span<const ComposedFunction> composed_norms() { return kNorms; }

}  // namespace xcuda::interpreter
