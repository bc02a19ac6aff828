// Preprocessor lines among statements: the branch that counts is read, the others are not.
#include <fmt/format.h>

#include "cell/conditional.hpp"
#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

// In a cell that may have device code, a condition is among statements once that is known.
bool Parser::choose_branch(const Token& directive) {
  const auto line = split_directive(directive.text);
  const bool begins = line.name == "if" || line.name == "ifdef" || line.name == "ifndef";
  const bool goes_on = line.name.starts_with("el"), ends = line.name == "endif";
  if (!begins && !goes_on && !ends) return false;
  const bool here = in_function_ || mode_ == Mode::statements || in_statement_ > 0 ||
                    among_statements_.contains(directive.span.begin);
  if (begins && !here) return false;
  if (!begins && branches_.empty()) return false;
  if (ends) {
    branches_.pop_back();
  } else if (goes_on) {
    branches_.pop_back();
    skip_branches(directive.span, Wanted::none);
  } else if (holds(line.name, line.rest, library_.macros())) {
    branches_.push_back(directive.span);
    lexer_.seek(end_of_line(directive.span.end));
  } else {
    skip_branches(directive.span, Wanted::next_that_holds);
  }
  return true;
}

// To the line after the #else or #elif that counts, or after the #endif.
void Parser::skip_branches(Span directive, Wanted wanted) {
  int depth = 0;
  for (auto at = end_of_line(directive.end); at < end_;) {
    const auto begin = at + 1, stop = end_of_line(begin);
    auto hash = begin;
    while (hash < stop && (source_.text[hash] == ' ' || source_.text[hash] == '\t')) ++hash;
    at = stop;
    if (hash >= stop || source_.text[hash] != '#') continue;
    const auto line = split_directive(text({hash, stop}));
    if (line.name.starts_with("if")) ++depth;
    if (line.name == "endif" && depth-- == 0) return lexer_.seek(stop);
    if (depth > 0 || !line.name.starts_with("el") || wanted == Wanted::none) continue;
    if (line.name != "else" && !holds(line.name, line.rest, library_.macros())) continue;
    branches_.push_back({hash, stop});
    return lexer_.seek(stop);
  }
  fail(directive, "this #if has no #endif", "End it with #endif");
  failure_.at_end = true;
}

void Parser::read_again(Span directive) {
  const auto begin = directive.begin;
  const auto name = split_directive(text({begin, end_of_line(begin)})).name;
  if (!name.starts_with("if") && branches_.empty())
    return fail(directive, fmt::format("#{} without an #if", name), "The #if must be around it");
  among_statements_.insert(begin);
  const auto line = source_.text.rfind('\n', begin);
  tokens_.clear();
  position_ = 0;
  lexer_.seek(line == std::string_view::npos ? 0 : static_cast<std::uint32_t>(line + 1));
}

void Parser::read_conditions_again() {
  const auto first = conditionals_.front();
  cell_.device.resize(first.piece);
  cell_.statements.resize(first.statements);
  conditionals_.clear();
  read_again(first.span);
}

StatementPtr Parser::directive_statement() {
  const auto first = peek();
  const auto name = split_directive(first.text).name;
  if (in_function_ && name == "pragma") {  // unroll, and what compilers of the host know
    next();
    return make_statement(first.span, Empty{});
  }
  if (!in_function_ && (name == "define" || name == "undef")) {  // it counts from here on, as in C++
    directive_piece({});
    return failed() ? nullptr : make_statement(first.span, Empty{});
  }
  if (name.starts_with("if") || name.starts_with("el") || name == "endif") {
    read_again(first.span);
    return failed() || at("}") || at_end() ? make_statement(first.span, Empty{}) : statement();
  }
  fail(first.span, fmt::format("#{} among statements", name),
       "Put preprocessor lines at the top of the cell, or into a cell of device code");
  return nullptr;
}

bool Parser::has_device_attribute() {
  std::size_t i = 2;
  while (peek(i).kind != TokenKind::end && !(at("]", i) && at("]", i + 1))) ++i;
  for (i += 2;; ++i) {
    const auto token = peek(i);
    if (token.is("=") || token.is(";") || token.is("[") || token.is(":")) return false;
    const bool word = token.is_identifier() && !is_specifier(token.text) && !token.is("constexpr");
    if (!word && !token.is("*") && !token.is("&") && !token.is("::")) return true;
  }
}

bool Parser::pass_attribute() {
  while (!at_end() && !(at("]") && at("]", 1))) next();
  expect("]", "after an attribute");
  expect("]", "after an attribute");
  return !failed();
}

}  // namespace xcuda::cell
