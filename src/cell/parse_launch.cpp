// Launches: kernel<<<grid, block>>>(arguments).
#include <fmt/format.h>

#include <algorithm>

#include "cell/make_expression.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

std::size_t Parser::after_brackets(std::size_t from) {
  constexpr std::size_t kMostTokens = 256;  // each level of a deep nest asks
  int depth = 0;
  for (auto i = from; i < from + kMostTokens; ++i) {
    const auto token = peek(i);
    if (token.kind == TokenKind::end || token.kind == TokenKind::directive || token.is(";")) return 0;
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if ((token.is(")") || token.is("]") || token.is("}")) && --depth == 0) return i + 1;
  }
  return 0;
}

std::size_t Parser::after_name(std::size_t from) {
  std::size_t i = at("::", from) ? from + 1 : from;
  while (true) {
    const auto word = peek(i);
    if (!word.is_identifier() || is_keyword(word.text)) return 0;
    ++i;
    if (at("<", i)) {
      const auto after = scan_template_arguments(i);
      if (!after) return 0;
      i = *after;
    }
    if (!at("::", i)) return i;
    ++i;
  }
}

// kernel<<<, demo::kernel<float><<<, table[i]<<<, op->kernel<<<, (*kernel)<<<, (kernel)<<<
std::size_t Parser::launch_name(std::size_t from) {
  auto i = at("(", from) ? after_brackets(from) : after_name(from);
  while (i != 0 && !at("<<<", i)) {
    if (at("[", i))
      i = after_brackets(i);
    else
      i = (at(".", i) || at("->", i)) && peek(i + 1).is_identifier() ? i + 2 : 0;
  }
  return i;
}

// In parentheses where a macro has put them: (kernel<<<1, 32>>>(x));
StatementPtr Parser::launch_statement() {
  const auto begin = peek().span.begin;
  std::vector<Token> opened;
  while (launch_name() == 0) opened.push_back(next());
  auto node = launch();
  for (; !failed() && !opened.empty(); opened.pop_back()) expect_close(")", opened.back());
  if (failed()) return nullptr;
  end_statement(node.shown);
  return make_statement({begin, previous_end_}, std::move(node));
}

ExpressionPtr Parser::launch_expression() {
  const auto begin = peek().span.begin;
  launch();
  return make({begin, previous_end_}, LaunchText{std::string(text({begin, previous_end_}))});
}

Launch Parser::launch() {
  Launch node;
  const auto begin = peek().span.begin;
  const auto name_tokens = launch_name();
  if (after_name(0) == name_tokens) {
    node.kernel.text = joined(0, name_tokens);
    for (std::size_t i = 0; i < name_tokens; ++i) next();
  } else {
    node.callee = postfix(primary());
    node.kernel.text = text({begin, previous_end_});
  }
  node.kernel_span = {begin, previous_end_};
  if (failed()) return node;
  const auto open = next();
  const auto at_close = [&] {
    return at(">") && at(">", 1) && at(">", 2) && !peek(1).space_before && !peek(2).space_before;
  };
  while (!at_end() && !at_close()) {
    node.configuration.push_back(initializer());
    if (!accept(",")) break;
  }
  if (failed()) return node;
  if (!at_close()) {
    if (at_end()) {
      fail(open.span, "this '<<<' is not closed", "Close it with >>>");
      failure_.at_end = true;
    } else {
      fail_expected("',' or '>>>'", "A launch is kernel<<<grid, block>>>(arguments); '>>' is a shift");
    }
    return node;
  }
  for (int i = 0; i < 3; ++i) next();
  node.configuration_span = {open.span.begin, previous_end_};
  if (node.configuration.empty()) {
    fail(node.configuration_span, "a launch needs a grid and a block",
         fmt::format("Write {}<<<grid, block>>>(...) or {}<<<cover(n)>>>(...)", node.kernel.text, node.kernel.text));
    return node;
  }
  if (node.configuration.size() > 4) {
    fail(node.configuration[4]->span, "a launch has at most four values in <<< >>>",
         "the values are grid, block, shared bytes and stream");
    return node;
  }
  if (!at("(")) {
    fail_expected("'(' and the kernel's arguments after >>>");
    return node;
  }
  node.arguments = arguments();
  return node;
}

// A comma in parentheses, which may be the arguments of kernel<<4, 256>>(x, y) or of kernel<<4, 256>>>(x, y).
void Parser::fail_with_values() {
  const auto is = [&](std::size_t i, std::string_view text) { return i < position_ && tokens_[i].is(text); };
  std::size_t open = position_;
  for (int depth = 1; open > 0 && depth > 0;) {
    --open;
    if (is(open, ")")) ++depth;
    if (is(open, "(")) --depth;
  }
  std::size_t close = open;
  while (close > 0 && is(close - 1, ">")) --close;
  std::size_t shift = close;
  while (shift > 0 && !is(shift, "<<") && !is(shift, ";") && !is(shift, "{")) --shift;
  if (open - close < 2 || shift == 0 || !is(shift, "<<") || !tokens_[shift - 1].is_identifier())
    return fail(peek().span, "parentheses cannot hold several values", "Write {x, y, z} or dim3(x, y, z)");
  const auto& kernel = tokens_[shift - 1];
  const auto end = std::min(source_.text.find_first_of(";\n", peek().span.end), source_.text.size());
  const Span values{tokens_[shift].span.end, tokens_[close].span.begin},
      arguments{tokens_[open].span.begin, static_cast<std::uint32_t>(end)};
  fail({kernel.span.begin, tokens_[open].span.begin},
       fmt::format("a launch of {} has three angles on both sides", kernel.text),
       fmt::format("{}<<<{}>>>{};", kernel.text, text(values), text(arguments)));
}

// --- on (d) { ... } ---------------------------------------------------------------------------------------------

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
