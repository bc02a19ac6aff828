#include "interpreter/containers/callables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>

#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/methods.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/lookup.hpp"
#include "language/complaints.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {
namespace {

std::unique_ptr<cell::Expression> name_at(cell::Span span, std::string name) {
  auto expression = std::make_unique<cell::Expression>();
  expression->span = span;
  expression->node = cell::Name{std::move(name)};
  return expression;
}

// The index after the bracket that closes the one at `open`.
std::size_t after_bracket(const std::vector<cell::Token>& tokens, std::size_t open) {
  int depth = 0;
  for (auto i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) ++depth;
    if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

bool is_word(const cell::Token& token, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.is(word); });
}

bool is_of_device(const std::vector<cell::Token>& tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const cell::Token& one) { return one.is("__device__"); });
}

// The names of a lambda's parameters, of its captures with values of their own, and of what its body declares.
std::set<std::string_view> own_names(const std::vector<cell::Token>& tokens) {
  std::set<std::string_view> own;
  const auto captures = after_bracket(tokens, 0);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const auto& next = tokens[i + 1];
    if (tokens[i].is("[") && i > captures && is_word(tokens[tokens[i - 1].is("&") ? i - 2 : i - 1], {"auto"}))
      for (auto k = i + 1; k < tokens.size() && !tokens[k].is("]"); ++k) own.insert(tokens[k].text);
    if (!tokens[i].is_identifier() || !is_word(next, {"=", ";", ",", ")", "(", "{", "[", ":"})) continue;
    if (i < captures) {
      if (next.is("=")) own.insert(tokens[i].text);
      continue;
    }
    auto type = i - 1;  // int x, auto& x, const pair* x
    while (type > captures && is_word(tokens[type], {"&", "&&", "*"})) --type;
    const auto& before = tokens[type];
    if (!before.is_identifier() || is_word(before, {"return", "else", "do", "case", "goto", "throw", "new", "delete",
                                                    "sizeof", "not", "and", "or", "typename"}))
      continue;
    // a * b, a & b: a declaration begins a statement, a parameter or the head of a loop.
    const bool plain = type == i - 1 || before.is("auto") ||
                       (type > 0 && is_word(tokens[type - 1], {";", "{", "}", "const"})) ||
                       (type > 0 && is_word(tokens[type - 1], {"(", ","}) && is_word(next, {",", ")", ":"}));
    if (plain) own.insert(tokens[i].text);
  }
  return own;
}

}  // namespace

Callables::Callable Callables::of(Value function, const cell::Expression& place, std::size_t arguments) {
  auto& known = sites_[{&place, arguments}];
  if (known == nullptr) {
    auto site = std::make_unique<Site>();
    const auto fresh = [&](NameTable::Symbol& symbol) {
      auto name = fmt::format("xcuda_given_{}", ++names_);
      symbol = session_.names().symbol(name);
      return name_at(place.span, std::move(name));
    };
    cell::Call call;
    call.callee = fresh(site->function);
    for (std::size_t i = 0; i < arguments; ++i) {
      auto argument = fresh(site->arguments.emplace_back());
      call.arguments.push_back({{}, {}, std::move(argument)});
    }
    auto tree = std::make_unique<cell::Expression>();
    tree->span = place.span;
    tree->height = 2;
    tree->node = std::move(call);
    site->call = trees_.emplace_back(std::move(tree)).get();
    known = std::move(site);
  }
  return {std::make_shared<Variable>(Variable{std::move(function), false, {}}), known.get()};
}

Callables::Callable Callables::of(const cell::Expression& expression, std::size_t arguments) {
  if (std::holds_alternative<cell::Lambda>(expression.node))
    return of(*lambda(expression, Use::now), expression, arguments);
  if (auto function = frame_.lookup.function(expression)) return of(std::move(*function), expression, arguments);
  return of(evaluate(expression), expression, arguments);
}

Value Callables::call(const Callable& callable, const std::vector<ItemPtr>& arguments) {
  const auto& site = *callable.site;
  std::deque<NameTable::Lent> lent;
  lent.emplace_back(session_.names(), site.function, callable.function.get());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    lent.emplace_back(session_.names(), site.arguments[i], arguments[i].get());
  return evaluate(*site.call);
}

bool Callables::needs_statements(std::string_view text) const {
  const auto tokens = cell::tokens_of(text);
  if (is_of_device(tokens)) return false;
  const auto own = own_names(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_identifier() || own.contains(tokens[i].text)) continue;
    const bool qualified = i > 1 && tokens[i - 1].is("::") && tokens[i - 2].is("std");
    const auto word = tokens[i].text;
    if (word == "throw" || word == "try" || (qualified && cell::is_standard_exception(word))) return true;
    if (qualified && (cell::is_host_library_name(word) || word == "string")) return true;
    if (i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"))) continue;
    const std::string name(word);
    if (session_.code().functions().record(name) != nullptr) return true;
    const auto* variable = session_.names().find(name);
    if (variable == nullptr) {
      if (i + 1 < tokens.size() && tokens[i + 1].is("(") && !session_.code().functions().find(name).empty())
        return true;
      continue;
    }
    const bool text_of_host =
        std::holds_alternative<std::string>(variable->value) && variable->written != session::kCharacters;
    const auto* function = std::get_if<Function>(&variable->value);
    const bool of_host = function != nullptr && !session_.code().functions().find(function->name).empty();
    if (text_of_host || of_host || std::holds_alternative<Container>(variable->value) ||
        std::holds_alternative<Iterator>(variable->value))
      return true;
  }
  return false;
}

std::optional<Function> Callables::lambda(const cell::Expression& lambda, Use use) {
  const auto& written = std::get<cell::Lambda>(lambda.node).text;
  if (use == Use::kept && !needs_statements(written)) return std::nullopt;
  const auto tokens = cell::tokens_of(written);
  const auto captures = after_bracket(tokens, 0);
  bool by_value = false;
  for (std::size_t i = 1; i + 1 < captures; ++i)
    by_value = by_value || (!tokens[i].is("&") && !tokens[i].is(",") && !tokens[i - 1].is("&"));
  if (by_value && use == Use::kept)
    throw error(ErrorKind::unsupported, "a lambda with texts, containers or exceptions captures by reference",
                lambda.span)
        .advise("Write [&]. A function of a cell with %%cuda is C++ as it is.");
  const auto end = std::min(captures, tokens.size());
  for (std::size_t i = 1; i + 1 < end; ++i)
    if (tokens[i].is("=") && tokens[i - 1].is_identifier())
      throw error(ErrorKind::unsupported, "a lambda that statements run has no captures with values of their own",
                  lambda.span)
          .advise(fmt::format("Declare {0} before it, and write [&{0}]. A cell with %%cuda runs all of C++.",
                              tokens[i - 1].text));
  if (by_value && std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(end), tokens.end(),
                              [](const cell::Token& one) { return one.is("mutable"); }))
    throw error(ErrorKind::unsupported, "a lambda that statements run captures what it changes by reference",
                lambda.span)
        .advise("Write [&], and copy before it what is to stay. A cell with %%cuda runs all of C++.");
  // Where it is in the text of its cell.
  const auto& source = run_.source.text;
  const auto begin =
      source.compare(lambda.span.begin, written.size(), written) == 0 ? lambda.span.begin : source.find(written);
  cell::DevicePiece piece;
  piece.kind = cell::DeviceKind::function;
  piece.of_host = true;
  piece.type = "auto";
  std::shared_ptr<const std::string> text;
  const bool within = begin != std::string::npos;
  const auto offset = within ? static_cast<std::uint32_t>(begin) : 0;
  const auto at = [&](std::size_t i) { return i < tokens.size() ? tokens[i].span : cell::Span{}; };
  piece.span = {offset, offset + static_cast<std::uint32_t>(written.size())};
  piece.name_span = {offset, offset + 1};
  auto i = captures;
  while (i < tokens.size() && is_word(tokens[i], {"__host__", "__device__"})) ++i;
  piece.parameters = {offset + at(i - 1).end, offset + at(i - 1).end};
  if (i < tokens.size() && tokens[i].is("(")) {
    const auto after = after_bracket(tokens, i);
    piece.parameters = {offset + at(i).end, offset + at(after - 1).begin};
    i = after;
  }
  std::vector<cell::Token> result;
  for (; i < tokens.size() && !tokens[i].is("{"); ++i)
    if (!tokens[i].is("mutable") && !tokens[i].is("->") && !tokens[i].is("noexcept")) result.push_back(tokens[i]);
  if (!result.empty()) piece.type = run_.cell->library.join(result, {});
  piece.body = {offset + at(i).begin, offset + at(tokens.size() - 1).end};
  piece.name = fmt::format("{}{:016x}", cell::kHostLambdaPrefix,
                           std::hash<std::string>{}(fmt::format("{} {} {}", run_.source.name, offset, written)));
  piece.key = piece.name + "()";
  session_.code().functions().add(run_, piece, within ? std::string(source) : written);
  frame_.host_function_calls.note_lambda(piece.name);
  return Function{piece.name};
}

}  // namespace xcuda::interpreter
