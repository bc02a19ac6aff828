// Arrays of zeros, ones and other values, and sequences.
#include <fmt/format.h>

#include "arrays/sequence.hpp"
#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

ResultList sole(Value value) {
  ResultList list;
  list.push_back(std::move(value));
  return list;
}

Type double_or(Composition& of) { return of.given.element_type().value_or(type_of(Scalar::float64)); }

ResultList zeros(Composition& of) {
  return sole(of.filled(double_or(of), of.given.extents(0), language::ScalarValue::of(0)));
}
ResultList ones(Composition& of) {
  return sole(of.filled(double_or(of), of.given.extents(0), language::ScalarValue::of(1)));
}
ResultList full(Composition& of) {
  const auto value = of.given.number("value");
  return sole(of.filled(of.given.element_type().value_or(value.type()), of.given.extents(0, 1), value));
}
ResultList zeros_like(Composition& of) {
  const auto x = of.given.array("x");
  const auto like = of.evaluate(x);
  return sole(of.filled(like.type, like.shape, language::ScalarValue::of(0)));
}
ResultList ones_like(Composition& of) {
  const auto like = of.given.elements("x");
  return sole(of.filled(like.type, like.shape, language::ScalarValue::of(1)));
}
ResultList full_like(Composition& of) {
  const auto like = of.given.elements("x");
  return sole(of.filled(like.type, like.shape, of.given.number("value")));
}

std::uint64_t count_given(Composition& of, std::string_view parameter, std::uint64_t otherwise) {
  return of.given.find(parameter) == nullptr ? otherwise
                                             : of.given.extent(of.given.expression(parameter), parameter).as_unsigned();
}

ResultList eye(Composition& of) {
  const auto n = count_given(of, "n", 1), m = of.operation() == Operation::eye ? count_given(of, "m", n) : n;
  auto result = of.filled(double_or(of), {n, m}, language::ScalarValue::of(0));
  const auto diagonal = diagonal_of(result, of.operation() == Operation::eye ? of.given.integer("k", 0) : 0);
  if (count_of(diagonal.shape) > 0) of.store(of.nodes.constant(1), diagonal);
  return sole(std::move(result));
}

ResultList tri(Composition& of) {
  const auto n = count_given(of, "n", 1), m = count_given(of, "m", n);
  auto result = of.make(double_or(of), {n, m});
  of.store(apply_node(Op::at_most,
                      {of.nodes.cast("long", of.nodes.index(1)),
                       of.nodes.binary(Op::add, of.nodes.cast("long", of.nodes.index(0)),
                                       of.nodes.constant(of.given.integer("k", 0)))},
                      {n, m}, of.call().span),
           result);
  return sole(std::move(result));
}

// first + i * step for the whole of them; the last one is exact.
Pointer steps(Composition& of, double first, double last, std::uint64_t n) {
  auto result = of.make(type_of(Scalar::float64), {n});
  if (n > 0)
    arrays::fill(of.session().operations(),
                 {.kind = Sequence::Kind::linspace, .first = first, .second = last, .count = n}, result);
  return result;
}

ResultList logspace(Composition& of) {
  const auto exponents = steps(of, of.given.real("start", 0), of.given.real("stop", 0), count_given(of, "num", 50));
  return sole(
      of.evaluate(of.nodes.apply("pow", {of.nodes.constant(of.given.real("base", 10)), of.nodes.node(exponents)})));
}

ResultList geomspace(Composition& of) {
  const auto first = of.given.real("start", 1), last = of.given.real("stop", 1);
  if (first == 0 || last == 0 || (first < 0) != (last < 0))
    throw of.given.wrong("geomspace() goes from one number to another of the same sign, neither of them 0");
  const auto n = count_given(of, "num", 50);
  const auto exponents = steps(of, 0, 1, n);
  auto result =
      of.evaluate(of.nodes.binary(Op::multiply, of.nodes.constant(first),
                                  of.nodes.apply("pow", {of.nodes.constant(last / first), of.nodes.node(exponents)})));
  if (n > 1) of.store(of.nodes.constant(last), piece_of(result, 0, n - 1, 1));
  return sole(std::move(result));
}

constexpr ComposedFunction kNewArrays[] = {
    {Operation::zeros, zeros},
    {Operation::ones, ones},
    {Operation::full, full},
    {Operation::zeros_like, zeros_like},
    {Operation::ones_like, ones_like},
    {Operation::full_like, full_like},
    {Operation::eye, eye},
    {Operation::identity, eye},
    {Operation::tri, tri},
    {Operation::logspace, logspace},
    {Operation::geomspace, geomspace},
};

}  // namespace

std::span<const ComposedFunction> composed_new_arrays() { return kNewArrays; }

}  // namespace xcuda::interpreter
