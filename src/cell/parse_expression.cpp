// Expressions.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/type.hpp"
#include "cell/library_names.hpp"
#include "cell/make_expression.hpp"
#include "cell/methods.hpp"

namespace xcuda::cell {
namespace {

bool has_effect(const Expression& expression) {
  if (const auto* unary = std::get_if<Unary>(&expression.node)) return is_step(unary->op);
  const auto* binary = std::get_if<Binary>(&expression.node);
  if (binary != nullptr) return binary->op == BinaryOperator::comma && has_effect(*binary->right);
  return std::holds_alternative<Assignment>(expression.node) || std::holds_alternative<Call>(expression.node);
}

// Of C's library: sqrtf is one of device code as well.
bool is_function_of_c(std::string_view name) {
  static constexpr std::string_view kOfCharacters[] = {"isalnum", "isalpha", "isblank",  "iscntrl", "isdigit",
                                                       "isgraph", "islower", "isprint",  "ispunct", "isspace",
                                                       "isupper", "tolower", "isxdigit", "toupper"};
  const auto without_f = name.ends_with('f') ? name.substr(0, name.size() - 1) : name;
  return among(name, kOfCharacters) || !library_headers(fmt::format("std::{}", name)).empty() ||
         !library_headers(fmt::format("std::{}", without_f)).empty();
}

// sort(p, p + n), find(x, x + n, 3)
bool is_range(std::string_view text, const std::vector<Argument>& given) {
  if (given.size() < 2 || !given[0].name.empty() || !given[1].name.empty()) return false;
  const auto* sum = std::get_if<Binary>(&given[1].value->node);
  const auto part = [&](Span span) { return text.substr(span.begin, span.end - span.begin); };
  return sum != nullptr && sum->op == BinaryOperator::add && part(sum->left->span) == part(given[0].value->span);
}

bool begins_with_iterator(const std::vector<Argument>& given) {
  const auto* call = given.empty() ? nullptr : std::get_if<Call>(&given.front().value->node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<Name>(&call->callee->node);
  return callee != nullptr && (callee->text == "std::begin" || callee->text == "std::cbegin");
}

}  // namespace

ExpressionPtr Parser::nothing() { return make(after_previous(), Name{}); }

ExpressionPtr Parser::only_expression() {
  if (source_.text.find('\0') != std::string_view::npos) {
    fail({}, "the text holds a NUL byte", "Remove it");
    return nothing();
  }
  auto result = initializer();
  if (!at_end()) fail_expected("the end of the expression");
  return result;
}

// --- operators -----------------------------------------------------------------------------------------------------

Parser::Infix Parser::peek_infix() {
  const auto token = peek();
  if (token.kind != TokenKind::punctuator) return {};
  auto text = token.text;
  std::size_t tokens = 1;
  if (text == ">") {
    // Neighbours make one operator; three close a launch's configuration.
    const auto adjacent = [&](std::size_t i, std::string_view next) {
      return peek(i).is(next) && !peek(i).space_before;
    };
    while (tokens < 3 && adjacent(tokens, ">")) ++tokens;
    if (tokens == 3) return {};
    if (tokens == 1 && adjacent(tokens, "==")) return {};
    const bool equals = adjacent(tokens, "=");
    text = std::string_view(">>=").substr(2 - tokens, tokens + (equals ? 1 : 0));
    if (equals) ++tokens;
  }
  if (text == "=") return {{}, true, tokens};
  const auto find = [](std::string_view wanted) -> std::optional<BinaryOperator> {
    for (std::size_t i = 0; i < kBinaryOperators.size(); ++i)
      if (kBinaryOperators[i].text == wanted && kBinaryOperators[i].precedence > 0)
        return static_cast<BinaryOperator>(i);
    return std::nullopt;
  };
  if (const auto op = find(text)) return {op, false, tokens};
  if (!text.ends_with('=')) return {};
  const auto op = find(text.substr(0, text.size() - 1));
  return op ? Infix{op, true, tokens} : Infix{};
}

ExpressionPtr Parser::expression() {
  auto left = assignment();
  while (at(",")) left = before_comma(std::move(left));
  return left;
}

ExpressionPtr Parser::before_comma(ExpressionPtr left) {
  next();
  auto right = assignment();
  const Span span{left->span.begin, right->span.end};
  return make(span, Binary{BinaryOperator::comma, std::move(left), std::move(right)});
}

ExpressionPtr Parser::assignment() {
  if (at("throw")) return throw_expression();
  if (!enter(peek().span)) return nothing();
  auto left = ternary();
  const auto infix = peek_infix();
  if (infix.assigns) {
    for (std::size_t i = 0; i < infix.tokens; ++i) next();
    auto right = initializer();
    const Span span{left->span.begin, right->span.end};
    left = make(span, Assignment{infix.op, std::move(left), std::move(right)});
  }
  leave();
  return left;
}

ExpressionPtr Parser::ternary() {
  auto condition = binary(1);
  if (!at("?")) return condition;
  next();
  const bool colons = std::exchange(subscript_colons_, false);
  auto yes = expression();
  subscript_colons_ = colons;
  expect(":", "of the ternary");
  auto no = assignment();
  const Span span{condition->span.begin, no->span.end};
  return make(span, Ternary{std::move(condition), std::move(yes), std::move(no)});
}

ExpressionPtr Parser::binary(int least) {
  auto left = unary();
  while (true) {
    const auto infix = peek_infix();
    if (infix.tokens == 0 || infix.assigns || row_of(*infix.op).precedence < least) return left;
    for (std::size_t i = 0; i < infix.tokens; ++i) next();
    auto right = binary(row_of(*infix.op).precedence + 1);
    const Span span{left->span.begin, right->span.end};
    left = make(span, Binary{*infix.op, std::move(left), std::move(right)});
  }
}

ExpressionPtr Parser::unary() {
  const auto token = peek();
  const auto prefix = std::find_if(kUnaryOperators.begin(), kUnaryOperators.end(),
                                   [&](const UnaryRow& row) { return row.text == token.text; });
  if (token.kind == TokenKind::punctuator && prefix != kUnaryOperators.end()) {
    if (!enter(token.span)) return nothing();
    next();
    auto operand = unary();
    leave();
    const Span span{token.span.begin, operand->span.end};
    return make(span, Unary{static_cast<UnaryOperator>(prefix - kUnaryOperators.begin()), std::move(operand)});
  }
  if (token.is("sizeof") || token.is("alignof")) return size_of();
  if (token.is("offsetof") && at("(", 1)) return offset_of();
  return postfix(primary());
}

ExpressionPtr Parser::postfix(ExpressionPtr base) {
  while (true) {
    const auto token = peek();
    if (token.is("(")) {
      auto list = arguments();
      const Span span{base->span.begin, previous_end_};
      auto reversed = reverse_iterator(span, base, list);
      base = reversed ? std::move(reversed) : make(span, Call{std::move(base), std::move(list)});
    } else if (token.is("[")) {
      const auto begin = base->span.begin;
      auto index = subscripts(std::move(base));
      base = make({begin, previous_end_}, std::move(index));
    } else if (token.is(".") || token.is("->")) {
      next();
      if (!peek().is_identifier()) return fail_expected("the name of a member"), std::move(base);
      std::vector<Token> words{next()};
      if (at("<") && !peek().space_before)  // b.as<int>()
        if (const auto after = scan_template_arguments(0); after && at("(", *after))
          for (std::size_t i = 0; i < *after; ++i) words.push_back(next());
      const Span span{base->span.begin, previous_end_};
      base = make(span, Member{std::move(base), join(words), token.text == "->"});
    } else if (token.is("++") || token.is("--")) {
      next();
      const Span span{base->span.begin, token.span.end};
      const auto op = token.is("++") ? UnaryOperator::increment_after : UnaryOperator::decrement_after;
      base = make(span, Unary{op, std::move(base)});
    } else {
      return base;
    }
  }
}

// --- primaries -----------------------------------------------------------------------------------------------------

ExpressionPtr Parser::primary() {
  const auto token = peek();
  switch (token.kind) {
    case TokenKind::number: return number();
    case TokenKind::character: return character();
    case TokenKind::string: return string();
    case TokenKind::identifier: return name_or_call();
    case TokenKind::directive:
      fail(token.span, "a preprocessor line inside a statement", "Put it at the top of the cell, before the statement");
      return nothing();
    default: break;
  }
  if (token.is("(")) return parenthesised();
  if (token.is("[")) return lambda();
  if (token.is("::") && !subscript_colons_) return name_or_call();
  if (token.is("{")) {
    fail(token.span, "a list in braces cannot be used here",
         "a list can follow '=', be an argument or be inside another list");
    return nothing();
  }
  fail_expected("an expression");
  return nothing();
}

ExpressionPtr Parser::name_or_call() {
  const auto first = peek();
  if (first.is("true") || first.is("false")) {
    next();
    return make(first.span, BoolLiteral{first.text == "true"});
  }
  if (first.is("nullptr")) {
    next();
    return make(first.span, Name{"nullptr"});
  }
  static constexpr std::string_view kNamedCasts[] = {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"};
  if (std::find(std::begin(kNamedCasts), std::end(kNamedCasts), first.text) != std::end(kNamedCasts)) {
    next();
    const auto angle = expect("<", fmt::format("after {}", first.text));
    auto type = scan_type(0);
    if (!type) return fail_expected("a type"), nothing();
    while (at("*", type->next) || at("&", type->next) || at("const", type->next) || at("&&", type->next)) ++type->next;
    const auto text = joined(0, type->next);
    for (std::size_t i = 0; i < type->next; ++i) next();
    expect_close(">", angle);
    const auto open = expect("(", fmt::format("after {}<{}>", first.text, text));
    const bool colons = std::exchange(subscript_colons_, false);
    auto operand = expression();
    subscript_colons_ = colons;
    expect_close(")", open);
    const auto style = first.text == "reinterpret_cast" ? Cast::Style::reinterpreted : Cast::Style::named;
    const Span span{first.span.begin, previous_end_};
    return cast_to(span, text, std::move(operand), style);
  }
  if (first.is("new")) return new_memory();
  if (first.is("delete")) return delete_memory();
  if (is_type_word(first.text)) {
    const auto type = scan_type(0);
    for (std::size_t i = 0; type && i < type->next; ++i) next();
    const auto open = peek();
    if (open.is("{")) {
      auto operand = braces();
      return make({first.span.begin, previous_end_}, Cast{type->text, std::move(operand), Cast::Style::braces});
    }
    if (!open.is("(")) {
      fail_expected(fmt::format("'(' after the type {}", type->text),
                    "a declaration begins a statement; a cast is float(x) or (float)x");
      return nothing();
    }
    next();
    const bool colons = std::exchange(subscript_colons_, false);
    ExpressionPtr operand = at(")") ? make(after_previous(), List{}) : assignment();
    subscript_colons_ = colons;
    expect_close(")", open);
    return make({first.span.begin, previous_end_}, Cast{type->text, std::move(operand), Cast::Style::functional});
  }
  static constexpr std::string_view kRefused[] = {"throw",    "this",     "operator", "typeid", "co_await",
                                                  "co_yield", "decltype", "noexcept", "asm"};
  if (std::find(std::begin(kRefused), std::end(kRefused), first.text) != std::end(kRefused)) {
    fail(first.span, fmt::format("'{}' cannot be used in a statement", first.text),
         "Use it inside a function: that is device code", ErrorKind::unsupported);
    return nothing();
  }
  if (is_keyword(first.text)) {
    fail_expected("an expression");
    return nothing();
  }

  // A qualified name, with template arguments where '<' follows without a blank and what follows '>' fits.
  std::vector<Token> words;
  if (at("::")) {  // ::name, where no block has another of this name
    const auto colons = next();
    const auto name = peek().text;
    const bool function = !at("(", 1) && !at("::", 1) && is_function_of_c(name);  // ::tolower as an argument
    if ((block_names_.contains(name) && !at("::", 1)) || function) words.push_back(colons);
  }
  while (true) {
    const auto word = peek();
    if (!word.is_identifier() || is_keyword(word.text)) {
      fail_expected("a name");
      return nothing();
    }
    words.push_back(next());
    if (at("<") && !peek().space_before) {
      const auto after = scan_template_arguments(0);
      if (after && (at("(", *after) || at("::", *after) || at("{", *after) || at("<<<", *after) || at(",", *after) ||
                    at(")", *after) || at("}", *after) || at(";", *after) || is_type_word(peek(1).text)))
        for (std::size_t i = 0; i < *after; ++i) words.push_back(next());
    }
    if (!at("::") || (subscript_colons_ && !is_scope())) break;
    words.push_back(next());
  }
  const Span span{first.span.begin, previous_end_};
  const bool of_template = words.size() > 2 && words[1].is("<");
  const auto last = of_template ? words.front().text : words.back().text;
  const bool called = ((at("(") || at("{")) && library_.is_callable(last, types_)) ||
                      library_.is_stream(words.back().text, types_) || words.back().is("nullopt");
  auto text = words.size() > 1 || called ? library_.join(words, types_) : join(words);  // or it is a variable
  if (words.size() == 1 && !at("(") && !declared_.contains(text))
    if (auto own = library_.own_name(text); !own.empty()) text = std::move(own);
  if (at("<<<")) {
    fail(peek().span, "a launch must be a separate statement",
         fmt::format("Write {}<<<grid, block>>>(arguments); as a statement", text));
    return nothing();
  }
  const auto full = at("{") || at("(") ? library_.join(words, types_) : std::string();
  if (full == "std::pair" || full == "std::tuple") {  // whose arguments are deduced
    std::vector<Argument> given;
    if (at("(")) {
      given = arguments();
    } else {
      auto list = braces();
      if (auto* values = std::get_if<List>(&list->node))
        for (auto& value : values->elements) given.push_back({{}, {}, std::move(value)});
    }
    return make({span.begin, previous_end_}, Call{make(span, Name{"std::make_" + full.substr(5)}), std::move(given)});
  }
  if (at("{")) {
    const auto outer = std::exchange(brace_type_, text);
    const bool designated = at(".", 1);
    auto operand = braces();
    brace_type_ = outer;
    if (designated) return operand;
    return make({span.begin, previous_end_}, Cast{text, std::move(operand), Cast::Style::braces});
  }
  if (at("(")) {
    auto list = arguments(library_.macros().contains(text) ? Separators::of_macro : Separators::commas);
    const bool algorithm = is_algorithm_of_std(text) && (list.size() > 2 || text == "make_optional");
    const bool of_std = library_.is_stream("cout", types_) && !library_.is_function_of_cells(text) &&
                        (algorithm || is_range(source_.text, list));
    if (words.size() == 1 && (of_std || begins_with_iterator(list))) text = "std::" + text;  // sort(begin(v), end(v))
    if (list.empty() && text == "std::string") {
      const Span whole{span.begin, previous_end_};
      std::vector<Argument> nothing_in_it;
      nothing_in_it.push_back({{}, {}, make(whole, StringLiteral{})});
      return make(whole, Call{make(span, Name{text}), std::move(nothing_in_it)});
    }
    const bool moves = text == "std::move", forwards = text.starts_with("std::forward<");
    if ((moves || forwards) && list.size() == 1 && list[0].name.empty()) {
      if (moves) list[0].value->span = {span.begin, previous_end_};  // by which is_moved() knows it
      return std::move(list[0].value);
    }
    if (auto moved = moved_iterator(text, {span.begin, previous_end_}, list)) return moved;
    const auto type =
        list.size() == 1 && list[0].name.empty() && !types_.contains(text) ? find_type(text) : std::nullopt;
    if (type && type->lanes == 1)
      return make({span.begin, previous_end_}, Cast{text, std::move(list[0].value), Cast::Style::functional});
    auto callee = make(span, Name{text});
    if (methods_.contains(text)) callee = make(span, Member{make(span, Name{std::string(kThis)}), text, true});
    if (auto reversed = reverse_iterator({span.begin, previous_end_}, callee, list)) return reversed;
    return make({span.begin, previous_end_}, Call{std::move(callee), std::move(list)});
  }
  return make(span, Name{text});
}

// const_cast<T&>(x) is *const_cast<T*>(&x).
ExpressionPtr Parser::cast_to(Span span, std::string type, ExpressionPtr operand, Cast::Style style) {
  type = library_.cast_type(std::move(type));
  if (!type.ends_with('&') || type.ends_with("&&")) return make(span, Cast{std::move(type), std::move(operand), style});
  type.back() = '*';
  auto address = make(span, Unary{UnaryOperator::address, std::move(operand)});
  auto pointer = make(span, Cast{std::move(type), std::move(address), style});
  return make(span, Unary{UnaryOperator::pointee, std::move(pointer)});
}

ExpressionPtr Parser::parenthesised() {
  const auto open = peek();
  if (auto folded = fold()) return folded;
  // A cast: "(type)" in front of an operand.
  const bool colons = std::exchange(subscript_colons_, false);
  if (auto type = scan_type(1)) {
    auto i = type->next;
    while (at("*", i) || at("&", i) || at("const", i) || at("__restrict__", i)) ++i;
    const auto words = i;
    if (const bool rows = at("(", i) && at("*", i + 1) && at(")", i + 2) && at("[", i + 3); rows)  // (float (*)[8])
      for (i += 3; i != 0 && at("[", i);) i = after_brackets(i);
    const bool pointer = i > type->next;
    if (i != 0 && at(")", i)) {
      const auto after = peek(i + 1);
      static constexpr std::string_view kOperand[] = {"(", "-", "+", "!", "~", "*", "&", "{", "++", "--"};
      const bool word = after.kind == TokenKind::number || after.kind == TokenKind::character ||
                        after.kind == TokenKind::string || (after.is_identifier() && !after.line_start);
      const bool operand =
          word || (after.kind == TokenKind::punctuator &&
                   std::find(std::begin(kOperand), std::end(kOperand), after.text) != std::end(kOperand));
      if ((type->known && operand) || pointer || word) {
        if (!enter(open.span)) return nothing();
        const auto text = joined(1, words) + (words < i ? "*" : "");
        for (std::size_t k = 0; k <= i; ++k) next();
        auto inner = at("{") ? braces() : unary();
        leave();
        subscript_colons_ = colons;
        return cast_to({open.span.begin, previous_end_}, text, std::move(inner), Cast::Style::parentheses);
      }
    }
  }
  next();
  auto inner = launch_name() > 0 ? launch_expression() : assignment();
  while (at(",") && has_effect(*inner)) inner = before_comma(std::move(inner));  // (i++, j), and not (2, 3)
  if (at(",")) {
    fail_with_values();
    return inner;
  }
  subscript_colons_ = colons;
  expect_close(")", open);
  inner->span = {open.span.begin, previous_end_};
  return inner;
}

}  // namespace xcuda::cell
