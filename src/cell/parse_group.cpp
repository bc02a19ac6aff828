// Brackets and preprocessor lines inside pieces of device code.
#include <fmt/format.h>

#include <algorithm>

#include "cell/parser.hpp"

namespace xcuda::cell {

// Only one branch can be looked at where brackets go on; the first is as good as another.
void Parser::skip_conditional_branch() {
  for (int depth = 1; depth > 0 && !at_end();) {
    const auto token = next();
    if (token.kind != TokenKind::directive) continue;
    const auto name = split_directive(token.text).name;
    if (name.starts_with("if")) ++depth;
    if (name == "endif") --depth;
  }
}

// Preprocessor lines inside a piece, outside of brackets. Of an #if the first branch is read, as in group().
void Parser::pass_directives() {
  while (peek().kind == TokenKind::directive) {
    const auto name = split_directive(next().text).name;
    if (name.starts_with("if")) {
      ++inner_conditionals_;
    } else if (name.starts_with("el") || name == "endif") {
      if (name != "endif") skip_conditional_branch();
      if (inner_conditionals_ > 0)
        --inner_conditionals_;
      else
        leave_conditional();
    }
  }
}

// The #if in which the current piece began ends inside the piece.
void Parser::leave_conditional() {
  if (conditionals_.empty()) return;
  outreached_.push_back(conditionals_.back().piece);
  conditionals_.pop_back();
}

std::vector<Token> Parser::group() {
  static constexpr std::string_view kOpen = "([{", kClose = ")]}";
  std::vector<Token> tokens, open;
  int conditionals = 0;
  do {
    const auto token = next();
    if (token.kind == TokenKind::end) {
      if (!failed()) {
        fail(open.back().span, fmt::format("this '{}' is not closed", open.back().text),
             fmt::format("Close it with '{}'", kClose[kOpen.find(open.back().text[0])]));
        failure_.at_end = true;
      }
      return tokens;
    }
    if (token.kind == TokenKind::directive) {
      const auto name = split_directive(token.text).name;
      if (name.starts_with("if")) {
        ++conditionals;
      } else if (name.starts_with("el") || name == "endif") {
        if (name != "endif") skip_conditional_branch();
        if (conditionals > 0)
          --conditionals;
        else
          leave_conditional();
      }
      continue;
    }
    tokens.push_back(token);
    if (token.kind == TokenKind::punctuator && token.text.size() == 1) {
      if (kOpen.find(token.text[0]) != std::string_view::npos) {
        open.push_back(token);
        if (static_cast<std::size_t>(depth_) + open.size() > kMaxDepth) {
          fail_too_deep(token.span);
          return tokens;
        }
      } else if (const auto kind = kClose.find(token.text[0]); kind != std::string_view::npos) {
        if (open.back().text[0] != kOpen[kind]) {
          const auto place = source_.place(open.back().span);
          fail(token.span,
               fmt::format("'{}' does not close the '{}' of line {}, column {}", token.text, open.back().text,
                           place.line, place.column),
               fmt::format("Close that with '{}' first", kClose[kOpen.find(open.back().text[0])]));
          return tokens;
        }
        open.pop_back();
      }
    } else if (host_uses_ && token.kind == TokenKind::punctuator && token.text == "<<<") {
      host_uses_->push_back({"<<<", token.span});
    } else if (host_uses_ && token.is_identifier()) {
      const bool of_std =
          tokens.size() >= 3 && tokens[tokens.size() - 2].is("::") && tokens[tokens.size() - 3].is("std");
      if (of_std || (token.text.starts_with("cuda") && at("(")))
        host_uses_->push_back({(of_std ? "std::" : "") + std::string(token.text), token.span});
    }
    if (tokens.size() > 4096 && open.size() == 1 && open[0].text == "{")
      tokens.erase(tokens.begin() + 1, tokens.end() - 2);
    if (tokens.size() % 4096 == 0) drop_read_tokens();
  } while (!open.empty());
  return tokens;
}

std::vector<Token> Parser::angles() {
  std::vector<Token> tokens;
  const auto open = peek();
  int depth = 0;
  do {
    const auto token = peek();
    if (token.kind == TokenKind::end || token.is(";") || token.is("}")) {
      if (!failed()) fail(open.span, "this '<' is not closed", "Close the template's list with '>'");
      failure_.at_end = failure_.at_end || token.kind == TokenKind::end;
      return tokens;
    }
    if (token.is("(") || token.is("{") || token.is("[")) {
      const auto inner = group();
      tokens.insert(tokens.end(), inner.begin(), inner.end());
      continue;
    }
    tokens.push_back(next());
    if (token.is("<")) ++depth;
    if (token.is("<<")) depth += 2;
    if (depth > kMaxDepth) {
      fail_too_deep(token.span);
      return tokens;
    }
    if (token.is(">")) --depth;
  } while (depth > 0);
  return tokens;
}

std::vector<Token> Parser::until_semicolon() {
  std::vector<Token> tokens;
  while (pass_directives(), !at_end() && !at(";") && !at("}")) {
    if (at("(") || at("[") || at("{")) {
      const auto inner = group();
      tokens.insert(tokens.end(), inner.begin(), inner.end());
    } else {
      tokens.push_back(next());
    }
  }
  if (!accept(";")) fail_expected("';'");
  return tokens;
}

}  // namespace xcuda::cell
