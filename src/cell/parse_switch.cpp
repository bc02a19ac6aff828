// if, switch, and the conditions of statements.
#include <fmt/format.h>

#include <utility>

#include "cell/make_expression.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

ExpressionPtr Parser::condition(std::string_view of) {
  std::vector<StatementPtr> before;
  auto result = condition(of, before);
  if (!before.empty())
    fail(before.front()->span, fmt::format("a condition of {} cannot declare a variable", of),
         "Declare the variable in a statement before it", ErrorKind::unsupported);
  return result;
}

// if (int k = f()), if (int k = f(); k > 2): what comes before the condition belongs to a block around the statement.
ExpressionPtr Parser::condition(std::string_view of, std::vector<StatementPtr>& before) {
  const auto open = expect("(", fmt::format("after {}", of), fmt::format("Write {} (condition) {{ ... }}", of));
  if (failed()) return nothing();
  const auto begin = peek().span.begin;
  ExpressionPtr result;
  if (at_declaration()) {
    auto variables = declaration();
    const auto named = variables.declarators.empty() ? Declarator()
                                                     : Declarator{.name = variables.declarators[0].name,
                                                                  .name_span = variables.declarators[0].name_span};
    before.push_back(make_statement({begin, previous_end_}, std::move(variables)));
    if (!at(";")) result = make(named.name_span, Name{named.name});
  } else {
    result = expression();
    if (at(";"))
      before.push_back(make_statement({begin, previous_end_}, ExpressionStatement{std::move(result), false}));
  }
  if (accept(";")) result = expression();
  expect_close(")", open);
  return result;
}

// { before; statement }
StatementPtr Parser::within_block(std::vector<StatementPtr> before, StatementPtr statement) {
  if (before.empty()) return statement;
  const Span span{before.front()->span.begin, statement->span.end};
  before.push_back(std::move(statement));
  return make_statement(span, Block{std::move(before)});
}

StatementPtr Parser::if_statement() {
  const auto begin = next().span.begin;
  if (at("constexpr")) next();
  If node;
  std::vector<StatementPtr> before;
  node.condition = condition("if", before);
  node.then = body();
  if (!failed() && at("else")) {
    next();
    node.otherwise = body();
  }
  return within_block(std::move(before), make_statement({begin, previous_end_}, std::move(node)));
}

StatementPtr Parser::switch_statement() {
  const auto begin = next().span.begin;
  Switch node;
  std::vector<StatementPtr> before;
  node.value = condition("switch", before);
  if (failed()) return nullptr;
  const auto open = expect("{", "after switch (...)", "Write switch (value) { case 1: ... break; default: ... }");
  if (failed() || !enter(open.span)) return nullptr;
  ++switches_;
  while (!at_end() && !at("}")) {
    if (label_into(node.labels, node.statements.size())) continue;
    if (node.labels.empty()) {
      fail(peek().span, "a statement of a switch before its first case", "Put it before the switch, or after a case");
      break;
    }
    statement_into(node.statements);
  }
  --switches_;
  leave();
  expect_close("}", open);
  return within_block(std::move(before), make_statement({begin, previous_end_}, std::move(node)));
}

bool Parser::label_into(std::vector<CaseLabel>& labels, std::size_t before) {
  const auto first = peek();
  const bool otherwise = first.is("default");
  if (!otherwise && !first.is("case")) return false;
  next();
  CaseLabel label;
  if (!otherwise) label.value = ternary();
  if (!otherwise && accept("...")) label.last = ternary();
  label.span = {first.span.begin, previous_end_};
  label.before = before;
  expect(":", fmt::format("after {}", otherwise ? "default" : "the value of a case"));
  labels.push_back(std::move(label));
  return true;
}

}  // namespace xcuda::cell
