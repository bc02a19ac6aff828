// Brackets and preprocessor lines inside pieces of device code, and packs of templates.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/make_expression.hpp"
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

// --- packs of templates in functions of the host: their lengths are known, and "rest..." and folds are parsed once
// --- for each element, with its name in the place of the pack's

namespace {

bool opens_group(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool closes_group(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

// The operator of a fold that is that one token, or those of >>; nothing for others.
std::optional<BinaryOperator> fold_operator(std::string_view text) {
  for (std::size_t i = 0; i < kBinaryOperators.size(); ++i)
    if (kBinaryOperators[i].text == text) return static_cast<BinaryOperator>(i);
  return std::nullopt;
}

}  // namespace

void Parser::know_packs(const FunctionText& of) {
  for (const auto& [name, count] : of.given) {
    if (!name.ends_with('#')) continue;
    const auto pack = name.substr(0, name.size() - 1);
    auto& elements = packs_[pack];
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::stoul(count)); ++i)
      elements.push_back(of.given.find(pack_element(pack, i))->second);
  }
}

// Consumes nothing.
std::vector<Token> Parser::tokens_ahead(std::string_view end) {
  std::vector<Token> tokens;
  int depth = 0;
  for (std::size_t i = 0; peek(i).kind != TokenKind::end; ++i) {
    const auto token = peek(i);
    if (depth == 0 && (closes_group(token) || token.is(end) || token.is(";"))) break;
    if (opens_group(token)) ++depth;
    if (closes_group(token)) --depth;
    tokens.push_back(token);
  }
  return tokens;
}

std::string Parser::pack_in(const std::vector<Token>& tokens) const {
  for (const auto& token : tokens)
    if (token.is_identifier() && packs_.find(token.text) != packs_.end()) return std::string(token.text);
  return {};
}

Parser Parser::element_of_pack(Span pattern, std::size_t i) const {
  auto inner = part(pattern);
  for (const auto& [name, elements] : packs_)
    if (i < elements.size()) inner.given_[name] = elements[i];
  return inner;
}

bool Parser::expansion_into(std::vector<ExpressionPtr>& into) {
  if (packs_.empty()) return false;
  auto tokens = tokens_ahead(",");
  if (tokens.size() < 2 || !tokens.back().is("...")) return false;
  const Span pattern{tokens.front().span.begin, tokens.back().span.begin};
  const auto count = tokens.size();
  tokens.pop_back();
  const auto pack = pack_in(tokens);
  if (pack.empty()) return false;
  for (std::size_t i = 0; i < packs_.find(pack)->second.size() && !failed(); ++i) {
    auto inner = element_of_pack(pattern, i);
    into.push_back(inner.initializer());
    if (inner.failed()) failure_.error = std::move(inner.failure_.error);
  }
  for (std::size_t i = 0; i < count; ++i) next();
  return true;
}

// const A&... a: a__0, a__1, each of its own type.
void Parser::expand_parameter(Declaration parameter, std::vector<Declaration>& into) {
  const auto& declarator = parameter.declarators.front();
  const auto name = declarator.name;
  const auto type = pack_in(tokens_of(text(parameter.type_span)));
  if (type.empty()) return into.push_back(std::move(parameter));
  const auto count = packs_.find(type)->second.size();
  auto& names = packs_[name];
  for (std::size_t i = 0; i < count && !failed(); ++i) {
    const Span whole{parameter.type_span.begin, declarator.name_span.end};
    auto inner = element_of_pack(whole, i);
    inner.packs_.clear();  // it is one parameter
    auto list = inner.parameters();
    if (inner.failed()) failure_.error = std::move(inner.failure_.error);
    if (list.empty()) break;
    auto& one = list.front().declarators.front();
    one.name = names.emplace_back(fmt::format("{}__{}", name, i));
    one.pack = false;
    into.push_back(std::move(list.front()));
  }
}

// (a + ...), (... + a), (0 + ... + a), (std::cout << ... << a)
ExpressionPtr Parser::fold() {
  if (packs_.empty()) return nullptr;
  const auto open = peek();
  std::vector<Token> tokens;
  int depth = 0;
  std::size_t dots = 0;
  for (std::size_t i = 1; peek(i).kind != TokenKind::end; ++i) {
    const auto token = peek(i);
    if (depth == 0 && (closes_group(token) || token.is(";"))) break;
    if (opens_group(token)) ++depth;
    if (closes_group(token)) --depth;
    if (depth == 0 && token.is("...")) dots = i;
    tokens.push_back(token);
  }
  if (dots == 0 || !at(")", tokens.size() + 1)) return nullptr;
  const bool before = dots > 2, after = dots < tokens.size();
  if ((dots == 2) || (after && dots + 2 > tokens.size())) return nullptr;
  const auto op = fold_operator((before ? tokens[dots - 2] : tokens[dots]).text);
  if (!op) return nullptr;
  std::vector<Token> left(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(before ? dots - 2 : 0));
  std::vector<Token> right(tokens.begin() + static_cast<std::ptrdiff_t>(after ? dots + 1 : tokens.size()),
                           tokens.end());
  const bool of_left = !pack_in(left).empty();
  const auto& pattern = of_left ? left : right;
  const auto& other = of_left ? right : left;
  const auto pack = pack_in(pattern);
  if (pack.empty()) return nullptr;
  const auto span_of = [](const std::vector<Token>& part) {
    return Span{part.front().span.begin, part.back().span.end};
  };
  std::vector<ExpressionPtr> parts;
  const auto add = [&](Parser inner) {
    parts.push_back(inner.initializer());
    if (inner.failed() && !failed()) failure_.error = std::move(inner.failure_.error);
  };
  if (!other.empty() && !of_left) add(part(span_of(other)));
  for (std::size_t i = 0; i < packs_.find(pack)->second.size(); ++i) add(element_of_pack(span_of(pattern), i));
  if (!other.empty() && of_left) add(part(span_of(other)));
  for (std::size_t i = 0; i < tokens.size() + 2; ++i) next();
  const Span span{open.span.begin, previous_end_};
  if (parts.empty()) {
    if (*op == BinaryOperator::comma) return make(span, Cast{"void", make(span, IntegerLiteral{}), {}});
    return make(span, BoolLiteral{*op == BinaryOperator::logical_and});
  }
  const auto join = [&](ExpressionPtr a, ExpressionPtr b) {
    return make(span, Binary{*op, std::move(a), std::move(b)});
  };
  auto result = std::move(of_left && *op != BinaryOperator::comma ? parts.back() : parts.front());
  if (of_left && *op != BinaryOperator::comma)  // a + (b + c)
    for (std::size_t i = parts.size() - 1; i-- > 0;) result = join(std::move(parts[i]), std::move(result));
  else
    for (std::size_t i = 1; i < parts.size(); ++i) result = join(std::move(result), std::move(parts[i]));
  return result;
}

ExpressionPtr Parser::size_of_pack() {
  const auto dots = next();
  const auto open = expect("(", "after sizeof...");
  const auto name = next();
  const auto known = packs_.find(name.text);
  expect_close(")", open);
  if (known == packs_.end() && !failed()) fail(name.span, fmt::format("{} is not a pack", name.text));
  const Span span{dots.span.begin, previous_end_};
  if (failed()) return nothing();
  return make(span, IntegerLiteral{known->second.size(), true, 1});
}

}  // namespace xcuda::cell
