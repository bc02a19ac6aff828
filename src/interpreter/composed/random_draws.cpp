// Random choices and orders.
#include <fmt/format.h>

#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {
namespace {

using Op = cell::BinaryOperator;

// An array whose rows are taken, or the integers up to a number.
struct Population {
  std::optional<Pointer> rows;
  std::uint64_t count = 0;
};

Population population(Composition& of) {
  const auto node = of.given.value("x");
  if (node->shape.empty()) {
    const auto count = of.given.extent(of.given.expression("x"), "x").as_unsigned();
    return {{}, count};
  }
  const auto rows = node->kind == ArrayNode::Kind::array ? node->array : of.evaluate(node);
  return {rows, rows.shape[0]};
}

Pointer taken_from(Composition& of, const Population& from, const Pointer& index) {
  if (from.rows) return of.nodes.taken(*from.rows, 0, index);
  return of.evaluate(of.nodes.cast("long", of.nodes.node(index)));
}

// In (0, 1] of a generator, otherwise in [0, 1).
Pointer uniform_numbers(Composition& of, const Shape& shape) {
  auto result = of.make(type_of(Scalar::float64), shape);
  arrays::fill(of.arrays(), of.session().operations(), of.random_arguments().uniform(), result);
  return result;
}

Pointer order_of(Composition& of, const Pointer& keys) {
  return of.arrays().sort(keys, ArrayMath::SortKeep::order).order;
}

ResultList permutation(Composition& of) {
  const auto from = population(of);
  return only(taken_from(of, from, order_of(of, uniform_numbers(of, {from.count}))));
}

Shape choice_shape(Composition& of) {
  const auto& given = of.given.expression("size");
  if (const auto* list = std::get_if<cell::List>(&given.node)) {
    Shape shape;
    for (const auto& one : list->elements) shape.push_back(of.given.extent(*one, "size").as_unsigned());
    return shape;
  }
  return {of.given.extent(given, "size").as_unsigned()};
}

Pointer chances(Composition& of, std::uint64_t count) {
  auto p = of.row_of(of.evaluate(of.nodes.cast("double", of.given.array("p"))));
  if (p.shape[0] != count)
    throw of.given.wrong(fmt::format("there are {} probabilities for {} choices", p.shape[0], count), "p");
  if (count > 0 && !(of.reduced(of.nodes.node(p), "Min").as_real() >= 0))
    throw of.given.wrong("a probability is less than 0, or not a number", "p");
  return p;
}

ResultList choice(Composition& of) {
  const auto from = population(of);
  auto shape = choice_shape(of);
  const auto size = count_of(shape);
  const bool replace = of.given.find("replace") == nullptr || of.given.truth("replace");
  if (from.count == 0 && size > 0) throw of.given.wrong("there is nothing to choose from", "x");
  std::optional<Pointer> p;
  if (of.given.find("p") != nullptr) p = chances(of, from.count);
  Pointer index;
  if (!replace) {
    const auto possible = p ? of.reduced(of.nodes.node(*p), "CountOf").as_unsigned() : from.count;
    if (size > possible)
      throw of.given.wrong(fmt::format("{} choices out of {} need replace = true", size, possible), "size");
    // P. S. Efraimidis and P. G. Spirakis, "Weighted random sampling with a reservoir" (2006): the least -ln(u) / p.
    auto keys = uniform_numbers(of, {from.count});
    if (p)
      keys = of.evaluate(of.nodes.binary(
          Op::divide, of.nodes.apply("fabs", {of.nodes.apply("log", {of.nodes.node(keys)})}), of.nodes.node(*p)));
    index = of.contiguous(piece_of(order_of(of, keys), 0, 0, size));
  } else if (size == 0) {
    index = of.make(type_of(Scalar::uint64), {0});
  } else if (p) {
    const auto sums = of.arrays().running_sum(of.nodes.node(*p), ScanRequest::Kind::inclusive, "double");
    const auto total = of.reduced(of.nodes.node(sums), "Max").as_real();
    if (!(total > 0)) throw of.given.wrong("all probabilities are 0", "p");
    const auto places =
        of.nodes.binary(Op::multiply, of.nodes.node(uniform_numbers(of, {size})), of.nodes.constant(total));
    // In (0, 1] the first sum that reaches the number, in [0, 1) the first beyond it.
    const auto found =
        of.nodes.apply("xcuda::places::search", {of.nodes.pointer(sums), of.nodes.constant(from.count), places,
                                                 of.nodes.constant(of.given.find("generator") == nullptr)});
    index = of.evaluate(of.nodes.apply("min", {found, of.nodes.constant(from.count - 1)}));
  } else {
    const auto places = of.nodes.binary(Op::multiply, of.nodes.node(uniform_numbers(of, {size})),
                                        of.nodes.constant(static_cast<double>(from.count)));
    index =
        of.evaluate(of.nodes.apply("min", {of.nodes.cast("unsigned long", places), of.nodes.constant(from.count - 1)}));
  }
  auto result = taken_from(of, from, index);
  shape.insert(shape.end(), result.shape.begin() + 1, result.shape.end());
  result.shape = std::move(shape);
  result.strides.clear();
  return only(std::move(result));
}

constexpr ComposedFunction kRandom[] = {{Operation::permutation, permutation}, {Operation::choice, choice}};

}  // namespace

std::span<const ComposedFunction> composed_random() { return kRandom; }

}  // namespace xcuda::interpreter
