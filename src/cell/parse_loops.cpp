// while, do, and the forms of for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/make_expression.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

StatementPtr Parser::while_statement() {
  const auto begin = next().span.begin;
  While node;
  std::vector<StatementPtr> before;
  node.condition = condition("while", before);
  ++loops_;
  node.body = body();
  --loops_;
  if (!before.empty()) {  // while (int k = f()) is while (true) { int k = f(); if (k) body else break; }
    const auto span = node.condition->span;
    If again{std::exchange(node.condition, make(span, BoolLiteral{true})), std::move(node.body),
             make_statement(span, Break{})};
    node.body = within_block(std::move(before), make_statement({begin, previous_end_}, std::move(again)));
  }
  return make_statement({begin, previous_end_}, std::move(node));
}

StatementPtr Parser::do_statement() {
  const auto begin = next().span.begin;
  DoWhile node;
  ++loops_;
  node.body = body();
  --loops_;
  expect("while", "after the body of do");
  node.condition = failed() ? nothing() : condition("while");
  expect(";", "after do ... while (...)");
  return make_statement({begin, previous_end_}, std::move(node));
}

StatementPtr Parser::for_statement() {
  const auto begin = next().span.begin;
  if (peek().is_identifier() && at("in", 1)) {
    fail(peek().span, "'for ... in' is Python, but a cell is C++",
         at("range", 2) ? "for (int i = 0; i < n; ++i) { ... }"
                        : "for (auto one : x) { ... } goes through the elements of x");
    return nullptr;
  }
  const auto open = expect("(", "after for", "a for has three parts: for (int i = 0; i < n; ++i)");
  if (failed()) return nullptr;
  For node;
  const auto init_begin = peek().span.begin;
  if (at(";")) {
    next();
  } else if (at_declaration()) {
    auto variables = declaration();
    if (at(":")) return range_loop({begin, init_begin}, open, std::move(variables));
    expect(";", "after the first part of for");
    node.init = make_statement({init_begin, previous_end_}, std::move(variables));
  } else {
    auto first = expression();
    expect(";", "after the first part of for", "a for has three parts: for (int i = 0; i < n; ++i)");
    node.init = make_statement({init_begin, previous_end_}, ExpressionStatement{std::move(first), false});
  }
  StatementPtr declared;
  ExpressionPtr declared_condition;
  if (const auto at_second = peek().span.begin; !at(";") && at_declaration()) {
    auto variables = declaration();
    if (at(":")) {  // for (int i = 0; auto& x : v) is { int i = 0; for (auto& x : v) }
      std::vector<StatementPtr> before;
      before.push_back(std::move(node.init));
      auto loop = range_loop({at_second, at_second}, open, std::move(variables));
      return loop == nullptr ? nullptr : within_block(std::move(before), std::move(loop));
    }
    if (!variables.declarators.empty()) {
      const auto& one = variables.declarators.front();
      declared_condition = make(one.name_span, Name{one.name});
    }
    declared = make_statement({at_second, previous_end_}, std::move(variables));
  } else if (!at(";")) {
    node.condition = expression();
  }
  expect(";", "after the condition of for", "a for has three parts: for (int i = 0; i < n; ++i)");
  if (!at(")")) node.step = expression();
  expect_close(")", open);
  ++loops_;
  node.body = body();
  --loops_;
  if (declared != nullptr && node.body != nullptr) {  // for (; int k = f();) is for (;;) { int k = f(); if (k) ... }
    const auto span = declared->span;
    std::vector<StatementPtr> before;
    before.push_back(std::move(declared));
    If again{std::move(declared_condition), std::move(node.body), make_statement(span, Break{})};
    node.body = within_block(std::move(before), make_statement({begin, previous_end_}, std::move(again)));
  }
  return make_statement({begin, previous_end_}, std::move(node));
}

// From the ':' on; span: where the for and its variable begin.
StatementPtr Parser::range_loop(Span begin, const Token& open, Declaration variables) {
  const auto colon = next();
  RangeFor range;
  const bool parts = variables.unpacked != nullptr;
  range.variable = parts ? each_of(variables) : std::move(variables);
  range.variable_span = {begin.end, colon.span.begin};
  range.range = initializer();
  if (!parts) split_pointers(range);
  expect_close(")", open);
  ++loops_;
  range.body = body();
  --loops_;
  // NOLINTNEXTLINE(bugprone-use-after-move): with parts it was not moved
  if (parts) range.body = with_parts(std::move(variables), range.variable_span, std::move(range.body));
  return make_statement({begin.begin, previous_end_}, std::move(range));
}

// for (float** p : {&a, &b}): a pointer to a pointer is declared in each pass, as another name of the variable.
void Parser::split_pointers(RangeFor& loop) {
  auto* list = std::get_if<List>(&loop.range->node);
  if (list == nullptr || loop.variable.declarators.size() != 1) return;
  const auto& name = loop.variable.declarators.front();
  const auto is_address = [](const ExpressionPtr& one) {
    const auto* unary = std::get_if<Unary>(&one->node);
    return unary != nullptr && unary->op == UnaryOperator::address;
  };
  const bool addresses =
      !list->elements.empty() && std::all_of(list->elements.begin(), list->elements.end(), is_address);
  if (name.reference || (!name.pointer && !(loop.variable.type == "auto" && addresses))) return;
  for (auto& element : list->elements) {
    Declaration one;
    one.type = loop.variable.type;
    one.type_span = loop.variable.type_span;
    one.is_const = loop.variable.is_const;
    auto& declarator = one.declarators.emplace_back();
    declarator.name = name.name;
    declarator.name_span = name.name_span;
    declarator.pointer = name.pointer;
    declarator.pointer_to_pointer = name.pointer_to_pointer;
    declarator.style = Declarator::Init::equals;
    const auto span = element->span;
    if (auto* cast = std::get_if<Cast>(&element->node); cast != nullptr && name.pointer_to_pointer) {  // (void**)&a
      auto inner = std::move(cast->operand);
      element = std::move(inner);
    }
    declarator.init = std::move(element);
    loop.each.push_back(make_statement(span, std::move(one)));
  }
  list->elements.clear();
}

}  // namespace xcuda::cell
