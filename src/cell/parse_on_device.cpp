// on (d) { ... }
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

// on (d) {: a call that a block follows, which means nothing else in C++.
bool Parser::at_device_block() {
  if (!at("on") || !at("(", 1)) return false;
  std::size_t depth = 0, i = 1;
  for (;; ++i) {
    if (peek(i).kind == TokenKind::end) return false;
    if (at("(", i)) ++depth;
    if (at(")", i) && --depth == 0) return at("{", i + 1);
  }
}

StatementPtr Parser::device_block() {
  const auto begin = next().span.begin;
  OnDevice node;
  node.device = condition("on");
  node.body = body();
  return make_statement({begin, previous_end_}, std::move(node));
}

}  // namespace xcuda::cell
