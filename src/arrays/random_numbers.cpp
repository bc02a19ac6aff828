#include "arrays/random_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "arrays/sequence.hpp"

namespace xcuda::arrays {
namespace {

using Kind = RandomNumbers::Kind;
using Op = cell::BinaryOperator;

ArrayNodePtr constant(const auto& number) { return scalar_node(language::ScalarValue::of(number), {}); }
ArrayNodePtr cast(const char* type, ArrayNodePtr x) {
  const auto shape = x->shape;
  return apply_node(ArrayNode::Kind::cast, type, {std::move(x)}, shape, {});
}
ArrayNodePtr binary(Op op, ArrayNodePtr a, ArrayNodePtr b) {
  const auto shape = a->shape;
  return apply_node(op, {std::move(a), std::move(b)}, shape, {});
}

// The chances of 0 to k, from the first k that has one worth a double.
struct PoissonTable {
  std::uint64_t first = 0;
  std::vector<double> sums;
};
PoissonTable poisson_table(double mean) {
  const double width = 12 * std::sqrt(mean) + 40;
  PoissonTable table;
  table.first = static_cast<std::uint64_t>(std::max(0.0, std::floor(mean - width)));
  double sum = 0;
  for (auto k = table.first; mean > 0 && static_cast<double>(k) <= mean + width; ++k) {
    const auto x = static_cast<double>(k);
    table.sums.push_back(sum += std::exp(x * std::log(mean) - mean - std::lgamma(x + 1)));
  }
  for (auto& one : table.sums) one /= sum;
  if (table.sums.empty()) table.sums.push_back(0);
  table.sums.back() = 1;
  return table;
}

class Filling {
 public:
  Filling(ArrayMath& math, Operations& operations, const RandomNumbers& numbers, const Pointer& target)
      : math_(math), operations_(operations), numbers_(numbers), target_(target) {}

  void run() {
    const bool gpu = operations_.workspace().device_info().kind == device::Kind::cuda;
    if (numbers_.kind == Kind::poisson && !(numbers_.generator && gpu)) return by_table();
    if (numbers_.generator) return by_generator();
    Sequence sequence{.kind = Sequence::Kind::uniform,
                      .first = numbers_.first,
                      .second = numbers_.second,
                      .seed = numbers_.seed,
                      .count = arrays::count_of(target_.shape)};
    if (numbers_.kind == Kind::randint) {
      sequence.first = static_cast<double>(numbers_.low);
      sequence.second = sequence.first + static_cast<double>(numbers_.range);
    } else if (numbers_.kind != Kind::uniform) {
      sequence.kind = Sequence::Kind::normal;
    }
    fill(operations_, sequence, target_);
    if (numbers_.kind == Kind::lognormal)
      math_.store(apply_node(ArrayNode::Kind::function, "exp", {array_node(target_, {})}, target_.shape, {}), target_);
  }

 private:
  // The smallest k whose sum of chances is a uniform number, or more.
  void by_table() {
    auto uniform = numbers_;
    uniform.kind = Kind::uniform;
    uniform.first = 0;
    uniform.second = 1;
    const auto places = math_.temporary(type_of(Scalar::float64), target_.shape);
    fill(math_, operations_, uniform, places);
    const auto table = poisson_table(numbers_.first);
    auto sums = math_.temporary(type_of(Scalar::float64), {table.sums.size()});
    operations_.workspace().write(sums.address, std::as_bytes(std::span(table.sums)));
    auto pointer = std::make_shared<ArrayNode>();
    pointer->kind = ArrayNode::Kind::pointer;
    pointer->array = std::move(sums);
    const auto found = apply_node(
        ArrayNode::Kind::function, "xcuda::places::search",
        {std::move(pointer), constant(table.sums.size()), array_node(places, {}), constant(false)}, target_.shape, {});
    math_.store(binary(Op::add, found, constant(table.first)), target_);
  }

  void by_generator() {
    auto random = random_of(numbers_);
    const bool words = random.distribution == library::Distribution::bits;
    const bool poisson = random.distribution == library::Distribution::poisson;
    const auto drawn = type_of(words || poisson                         ? Scalar::uint32
                               : target_.type.scalar == Scalar::float64 ? Scalar::float64
                                                                        : Scalar::float32);
    const auto count = arrays::count_of(target_.shape);
    const auto even = library::makes_pairs(random) ? count + count % 2 : count;
    const bool as_it_is = numbers_.kind == Kind::uniform   ? numbers_.first == 0 && numbers_.second == 1
                          : numbers_.kind == Kind::randint ? numbers_.range == 0
                                                           : true;
    const bool same_type = words ? target_.type.size == 4 : target_.type.scalar == drawn.scalar;
    const bool direct = as_it_is && same_type && even == count;
    auto numbers = direct ? target_ : math_.temporary(drawn, {even});
    if (count == 0) return;
    auto& workspace = operations_.workspace();
    library::Call call;
    call.operation = library::Operation::random;
    call.library = workspace.library(library::Family::random).path;
    call.operands = {{numbers.address, drawn.scalar, {even}, {1}}};
    call.random = random;
    workspace.call(std::move(call),
                   std::string(library::generator_names()[static_cast<std::size_t>(random.generator)]));
    if (direct) return;
    numbers.shape = target_.shape;
    numbers.strides.clear();
    auto node = array_node(numbers, {});
    if (numbers_.kind == Kind::randint && numbers_.range != 0) {
      node = binary(Op::shift_right, binary(Op::multiply, cast("unsigned long", node), constant(numbers_.range)),
                    constant(32));
      node = binary(Op::add, cast("long", node), constant(numbers_.low));
    } else if (!as_it_is && drawn.scalar == Scalar::float64) {
      node = binary(Op::add, binary(Op::multiply, node, constant(numbers_.second - numbers_.first)),
                    constant(numbers_.first));
    } else if (!as_it_is) {
      node = binary(Op::add, binary(Op::multiply, node, constant(static_cast<float>(numbers_.second - numbers_.first))),
                    constant(static_cast<float>(numbers_.first)));
    }
    math_.store(node, target_);
  }

  ArrayMath& math_;
  Operations& operations_;
  const RandomNumbers& numbers_;
  const Pointer& target_;
};

}  // namespace

library::Random random_of(const RandomNumbers& numbers) {
  auto random = *numbers.generator;
  random.first = numbers.first;
  random.second = numbers.second;
  switch (numbers.kind) {
    case Kind::uniform: random.distribution = library::Distribution::uniform; break;
    case Kind::normal: random.distribution = library::Distribution::normal; break;
    case Kind::lognormal: random.distribution = library::Distribution::lognormal; break;
    case Kind::poisson: random.distribution = library::Distribution::poisson; break;
    case Kind::randint: random.distribution = library::Distribution::bits; break;
  }
  return random;
}

void fill(ArrayMath& math, Operations& operations, const RandomNumbers& numbers, const Pointer& target) {
  Filling(math, operations, numbers, target).run();
}

}  // namespace xcuda::arrays
