// switch, case and default.
#include <fmt/format.h>

#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

StatementPtr Parser::switch_statement() {
  const auto begin = next().span.begin;
  Switch node;
  node.value = condition("switch");
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
  return make_statement({begin, previous_end_}, std::move(node));
}

bool Parser::label_into(std::vector<CaseLabel>& labels, std::size_t before) {
  const auto first = peek();
  const bool otherwise = first.is("default");
  if (!otherwise && !first.is("case")) return false;
  next();
  CaseLabel label;
  if (!otherwise) label.value = ternary();
  label.span = {first.span.begin, previous_end_};
  label.before = before;
  expect(":", fmt::format("after {}", otherwise ? "default" : "the value of a case"));
  labels.push_back(std::move(label));
  return true;
}

}  // namespace xcuda::cell
