// allclose(), and asserts over whole arrays: they say how many elements fail, and show the worst.
#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "display/number_format.hpp"
#include "interpreter/arguments.hpp"
#include "interpreter/executor.hpp"

namespace xcuda::interpreter {
namespace {

std::string index_text(std::uint64_t linear, const Shape& shape) {
  std::string text;
  for (auto d = shape.size(); d-- > 0;) {
    text = fmt::format("{}{}{}", linear % shape[d], text.empty() ? "" : ", ", text);
    linear /= shape[d];
  }
  return fmt::format("[{}]", text);
}

std::uint64_t whole_number(const Value& value) {
  const auto* number = std::get_if<cell::Value>(&value);
  return number == nullptr ? 0 : number->as_unsigned();
}

}  // namespace

// Whether a and b are equal or |a - b| <= atol + rtol |b|, everywhere.
bool Executor::all_close(const FunctionCall& of) {
  const auto given = bound(of);
  const auto span = of.span;
  const auto left = evaluate(*given[0]), right = evaluate(*given[1]);
  const auto a = node_of(left, *given[0]), b = node_of(right, *given[1]);
  const double relative = given[2] != nullptr ? number(*given[2], "rtol").as_real() : 1e-5;
  const double absolute = given[3] != nullptr ? number(*given[3], "atol").as_real() : 1e-8;
  const auto close =
      combine(ArrayNode::Kind::function, "xcuda::close_term",
              {a, b, scalar_node(cell::Value::of(relative), span), scalar_node(cell::Value::of(absolute), span)}, span);
  const auto& node = std::get<ArrayExpression>(close).node;
  if (node->shape.empty()) throw error(ErrorKind::type, "allclose() takes arrays", span);
  const auto holding =
      whole_number(number_of(frame_.arrays.reduce({node, "xcuda::CountOf<xcuda_Own>", {}, {}, {}, {}})));
  const auto count = count_of(node->shape);
  if (holding == count) return true;
  if (asserted_ == &of.call)
    fail_worst({given[0], given[1], a, b, node}, count - holding, *asserted_text_, asserted_text_->span);
  return false;
}

void Executor::fail_worst(const Worst& worst, std::uint64_t wrong, const cell::Expression& condition, cell::Span span) {
  const auto count = count_of(worst.holds->shape);
  auto failure = error(
      ErrorKind::assertion,
      fmt::format("assert({}) failed: {} of {} elements", snippet(run_.source, condition.span), wrong, count), span);
  ReduceRequest request;
  std::uint64_t at = 0;
  if (worst.left != nullptr) {
    const auto distance =
        combine(ArrayNode::Kind::function, "xcuda::violation_term", {worst.left, worst.right, worst.holds}, span);
    at = whole_number(number_of(
        frame_.arrays.reduce({std::get<ArrayExpression>(distance).node, "xcuda::ArgMax<xcuda_Own>", {}, {}, {}, {}})));
    failure.notes.push_back(fmt::format("the worst is {}", index_text(at, worst.holds->shape)));
    const auto note = [&](const ArrayNodePtr& side, const cell::Expression& text) {
      if (side->shape.empty()) return;  // a number stands in the condition itself
      const auto whole =
          frame_.arrays.evaluate(apply_node(ArrayNode::Kind::unary, "+", {side}, worst.holds->shape, side->span));
      auto one = whole;
      one.address += at * whole.type.size;
      const auto value = number_of(one);
      const auto* number = std::get_if<cell::Value>(&value);
      if (number != nullptr)
        failure.notes.push_back(fmt::format("{} is {} there", snippet(run_.source, text.span), number->text()));
    };
    note(worst.left, *worst.left_text);
    note(worst.right, *worst.right_text);
  } else {
    at = whole_number(number_of(frame_.arrays.reduce({worst.holds, "xcuda::ArgMin<xcuda_Own>", {}, {}, {}, {}})));
    failure.notes.push_back(fmt::format("the first is {}", index_text(at, worst.holds->shape)));
  }
  throw failure;
}

void Executor::assert_all(const ArrayNodePtr& condition, const cell::Expression& expression, cell::Span span) {
  const auto holding =
      whole_number(number_of(frame_.arrays.reduce({condition, "xcuda::CountOf<xcuda_Own>", {}, {}, {}, {}})));
  const auto count = count_of(condition->shape);
  if (holding == count) return;
  const auto* comparison = std::get_if<cell::Binary>(&expression.node);
  static constexpr std::string_view kComparisons[] = {"==", "<", ">", "<=", ">="};
  const bool measured =
      comparison != nullptr && condition->kind == ArrayNode::Kind::binary &&
      std::find(std::begin(kComparisons), std::end(kComparisons), comparison->op) != std::end(kComparisons);
  Worst worst{nullptr, nullptr, nullptr, nullptr, condition};
  if (measured)
    worst = {comparison->left.get(), comparison->right.get(), condition->inputs[0], condition->inputs[1], condition};
  fail_worst(worst, count - holding, expression, span);
}

}  // namespace xcuda::interpreter
