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
#include "cell/macro.hpp"
#include "cell/methods.hpp"
#include "cell/parse.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/lookup.hpp"
#include "language/complaints.hpp"
#include "session/array_table.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {
namespace {

std::size_t with_values = 0;  // how many lambdas with values of their own there have been

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

Value Callables::value(const std::string& type, const cell::Expression& expression) {
  if (auto known = frame_.lookup.function(expression)) return std::move(*known);
  if (!std::holds_alternative<cell::Lambda>(expression.node)) return evaluate(expression);
  if (auto statements = lambda(expression, Use::kept)) return std::move(*statements);
  return frame_.closures.value(expression, type);
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
    const bool of_host_alone = word != "function" && cell::is_host_library_name("std::" + std::string(word));
    if (qualified && of_host_alone) return true;
    if (!qualified && run_.cell->library.is_stream(word, {})) return true;
    if (i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"))) continue;
    const std::string name(word);
    if (session_.code().functions().record(name) != nullptr) return true;
    const auto* variable = session_.names().find(name);
    const auto* array = session_.arrays().find(name);  // for (int x : v), v.size() of a vector of its own
    const bool as_container = (i > 0 && tokens[i - 1].is(":")) || (i + 1 < tokens.size() && tokens[i + 1].is("."));
    if (!tokens[1].is("&") && array != nullptr && array->growth != nullptr && as_container) return true;
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

// What a lambda captures by value, as long as that may be seen: nothing where it is called now and changes nothing.
std::optional<Callables::Captures> Callables::values_of(const cell::Expression& lambda,
                                                        const std::vector<cell::Token>& tokens, std::size_t after,
                                                        Use use) {
  const auto& written = std::get<cell::Lambda>(lambda.node).text;
  const bool changes = std::any_of(tokens.begin(), tokens.end(), [](const auto& one) { return one.is("mutable"); });
  Captures list;
  bool all = false, has_values = false;
  const auto add = [&](const std::string& name, Value value) {
    if (auto* vector = std::get_if<Pointer>(&value); vector != nullptr && is_vector(*vector))
      value = frame_.vectors.copy_of(*vector);
    else if (vector != nullptr && !vector->is_address && vector->growth == nullptr && !vector->shape.empty())
      return;  // an array: its elements are where they were
    value = frame_.containers.owned(frame_.lifetimes.owned(std::move(value), lambda.span));
    list.emplace_back(name, std::make_shared<Variable>(Variable{std::move(value), !changes, run_.source.name}));
  };
  for (std::size_t i = 1; i + 1 < after;) {
    auto end = i;
    for (int depth = 0; end + 1 < after && (depth > 0 || !tokens[end].is(",")); ++end) {
      if (is_word(tokens[end], {"(", "[", "{"})) ++depth;
      if (is_word(tokens[end], {")", "]", "}"})) --depth;
    }
    const std::string name(tokens[i].text);
    if (end == i + 1 && tokens[i].is("=")) {
      all = true;
    } else if (end > i + 2 && tokens[i + 1].is("=")) {
      const auto from = tokens[i + 2].span.begin;
      auto& tree =
          trees_.emplace_back(cell::try_parse_expression(written.substr(from, tokens[end - 1].span.end - from)));
      if (tree == nullptr)
        throw error(ErrorKind::syntax, fmt::format("{} is captured with a value that is not an expression", name),
                    lambda.span);
      cell::place_at(*tree, lambda.span);
      add(name, evaluate(*tree));
      has_values = true;
    } else if (end == i + 1 && tokens[i].is_identifier() && !tokens[i].is("this")) {
      add(name, frame_.lookup.value({name}, lambda.span));
    }
    i = end + 1;
  }
  if (use == Use::now && !changes && !has_values) return std::nullopt;
  if (all) {
    const auto own = own_names(tokens);
    std::set<std::string_view> known(own.begin(), own.end());
    for (const auto& [name, value] : list) known.insert(name);
    for (auto i = after; i < tokens.size(); ++i) {
      const std::string name(tokens[i].text);
      const bool part = is_word(tokens[i - 1], {".", "->", "::"});
      if (!tokens[i].is_identifier() || part || name == cell::kThis || !known.insert(tokens[i].text).second) continue;
      const auto* array = session_.arrays().find(name);
      if (session_.names().find(name) != nullptr || (array != nullptr && array->growth != nullptr))
        add(name, frame_.lookup.value({name}, lambda.span));
    }
  }
  return list.empty() ? std::nullopt : std::optional(std::move(list));
}

std::optional<Function> Callables::lambda(const cell::Expression& lambda, Use use) {
  const auto& written = std::get<cell::Lambda>(lambda.node).text;
  if (use == Use::kept && !needs_statements(written)) return std::nullopt;
  const auto tokens = cell::tokens_of(written);
  const auto captures = after_bracket(tokens, 0);
  const auto own = values_of(lambda, tokens, captures, use);
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
  if (own) piece.name += fmt::format("_{}", ++with_values);  // each has its own
  piece.key = piece.name + "()";
  session_.code().functions().add(run_, piece, within ? std::string(source) : written);
  if (own) session_.code().functions().find(piece.name).front()->captures = std::move(*own);
  frame_.host_function_calls.note_lambda(piece.name);
  return Function{piece.name};
}

}  // namespace xcuda::interpreter
