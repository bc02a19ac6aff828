#include "cell/method.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace xcuda::cell {
namespace {

ExpressionPtr copy_of(const ExpressionPtr& expression);

std::vector<Argument> copy_of(const std::vector<Argument>& arguments) {
  std::vector<Argument> copies;
  for (const auto& one : arguments) copies.push_back({one.name, one.name_span, copy_of(one.value)});
  return copies;
}

struct Copy {
  template <class Leaf> auto operator()(const Leaf& leaf) const { return leaf; }
  Unary operator()(const Unary& node) const { return {node.op, copy_of(node.operand)}; }
  Binary operator()(const Binary& node) const { return {node.op, copy_of(node.left), copy_of(node.right)}; }
  Assignment operator()(const Assignment& node) const { return {node.op, copy_of(node.target), copy_of(node.value)}; }
  Ternary operator()(const Ternary& node) const {
    return {copy_of(node.condition), copy_of(node.yes), copy_of(node.no)};
  }
  Cast operator()(const Cast& node) const { return {node.type, copy_of(node.operand), node.style}; }
  Call operator()(const Call& node) const { return {copy_of(node.callee), copy_of(node.arguments)}; }
  Index operator()(const Index& node) const {
    Index copy{copy_of(node.base), {}};
    for (const auto& one : node.subscripts)
      copy.subscripts.push_back({one.slice, copy_of(one.start), copy_of(one.stop), copy_of(one.step), one.span});
    return copy;
  }
  Member operator()(const Member& node) const { return {copy_of(node.base), node.member, node.arrow}; }
  List operator()(const List& node) const {
    List copy;
    for (const auto& one : node.elements) copy.elements.push_back(copy_of(one));
    return copy;
  }
  SizeOf operator()(const SizeOf& node) const { return {node.type, copy_of(node.operand), node.what, node.member}; }
};

ExpressionPtr copy_of(const ExpressionPtr& expression) {
  return expression == nullptr ? nullptr : cell::copy_of(*expression);
}

}  // namespace

ExpressionPtr copy_of(const Expression& expression) {
  auto copy = std::make_unique<Expression>();
  copy->span = expression.span;
  copy->height = expression.height;
  std::visit([&](const auto& node) { copy->node = Copy()(node); }, expression.node);
  return copy;
}

ExpressionPtr as_function(const Call& call, const Member& member, Span span) {
  Call function;
  function.callee = std::make_unique<Expression>();
  function.callee->span = call.callee->span;
  function.callee->node = Name{member.member};
  function.arguments.push_back({{}, {}, copy_of(member.base)});
  auto rest = copy_of(call.arguments);
  // x.max(0) is along an axis, as in NumPy, and max(x, 0) of elements.
  if (rest.size() == 1 && (member.member == "min" || member.member == "max") && rest[0].name.empty())
    rest[0].name = "axis";
  std::move(rest.begin(), rest.end(), std::back_inserter(function.arguments));
  auto height = function.callee->height;
  for (const auto& one : function.arguments) height = std::max(height, one.value->height);
  auto expression = std::make_unique<Expression>();
  expression->span = span;
  expression->height = static_cast<std::uint16_t>(std::min<int>(height + 1, kMaxHeight));
  expression->node = std::move(function);
  return expression;
}

const Member* reversed_member(const Call& call) {
  const auto* function = std::get_if<Name>(&call.callee->node);
  if (function == nullptr || function->text != "std::make_reverse_iterator" || call.arguments.size() != 1)
    return nullptr;
  const auto* inner = std::get_if<Call>(&call.arguments.front().value->node);
  // Both have the place of v.rend: nothing else is in two places.
  const bool one_place = inner != nullptr && inner->callee->span == call.callee->span;
  return one_place ? std::get_if<Member>(&inner->callee->node) : nullptr;
}

std::string_view reverse_name(const Member& reversed) {
  return std::find_if(std::begin(kReverseMethods), std::end(kReverseMethods),
                      [&](const ReverseMethod& one) { return one.from == reversed.member; })
      ->name;
}

ExpressionPtr as_reverse_method(const Call& call, const Member& reversed, Span span) {
  Call method;
  method.callee = std::make_unique<Expression>();
  method.callee->span = call.callee->span;
  method.callee->height = static_cast<std::uint16_t>(std::min<int>(reversed.base->height + 1, kMaxHeight));
  method.callee->node = Member{copy_of(reversed.base), std::string(reverse_name(reversed)), reversed.arrow};
  auto expression = std::make_unique<Expression>();
  expression->span = span;
  expression->height = static_cast<std::uint16_t>(std::min<int>(method.callee->height + 1, kMaxHeight));
  expression->node = std::move(method);
  return expression;
}

}  // namespace xcuda::cell
