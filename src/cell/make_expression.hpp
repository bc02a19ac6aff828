// How the parser makes an expression: its height is counted, so that no tree grows too deep to be walked.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cell/parser.hpp"

namespace xcuda::cell {

inline int height(const ExpressionPtr& expression) { return expression ? expression->height : 0; }
inline int height(const std::vector<ExpressionPtr>& list) {
  int most = 0;
  for (const auto& expression : list) most = std::max(most, height(expression));
  return most;
}
inline int height(const std::vector<Argument>& arguments) {
  int most = 0;
  for (const auto& argument : arguments) most = std::max(most, height(argument.value));
  return most;
}
inline int height_below(const Unary& node) { return height(node.operand); }
inline int height_below(const Binary& node) { return std::max(height(node.left), height(node.right)); }
inline int height_below(const Assignment& node) { return std::max(height(node.target), height(node.value)); }
inline int height_below(const Ternary& node) {
  return std::max({height(node.condition), height(node.yes), height(node.no)});
}
inline int height_below(const Cast& node) { return height(node.operand); }
inline int height_below(const Call& node) { return std::max(height(node.callee), height(node.arguments)); }
inline int height_below(const Index& node) {
  int most = height(node.base);
  for (const auto& subscript : node.subscripts)
    most = std::max({most, height(subscript.start), height(subscript.stop), height(subscript.step)});
  return most;
}
inline int height_below(const Member& node) { return height(node.base); }
inline int height_below(const List& node) { return height(node.elements); }
inline int height_below(const SizeOf& node) { return height(node.operand); }
template <class Leaf> int height_below(const Leaf&) { return 0; }

template <class Node> ExpressionPtr Parser::make(Span span, Node node) {
  const int total = 1 + height_below(node);
  if (total > kMaxHeight)
    fail(span, fmt::format("an expression of more than {} levels", kMaxHeight), "split it into several statements");
  auto expression = std::make_unique<Expression>();
  expression->span = {span.begin, std::max(span.begin, span.end)};
  expression->height = static_cast<std::uint16_t>(std::min(total, kMaxHeight));
  expression->node = std::move(node);
  return expression;
}

}  // namespace xcuda::cell
