#include "interpreter/launches/closures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "arrays/array_node.hpp"
#include "arrays/function_object.hpp"
#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/macro.hpp"
#include "cell/parse.hpp"
#include "cell/parser.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"

namespace xcuda::interpreter {
namespace {

bool is_annotation(const cell::Token& token) {
  return token.is("__device__") || token.is("__host__") || token.is("__forceinline__");
}

// "[=, n] __device__ (int i) -> float { ... }" in its parts.
constexpr std::string_view kCallOperator = "  __device__ auto operator()";

std::size_t values_kept = 0;  // of all lambdas: each has a name of its own

struct LambdaText {
  enum class Default : std::uint8_t { none, copy, reference } captures = Default::none;
  std::vector<std::string> names;  // of captures by value
  struct Initial {
    std::string name, value;  // n = 0
  };
  std::vector<Initial> initials;
  std::string unknown;  // a capture that is not a name
  std::string parameters = "()", specifiers, body;
  bool changes = false;  // mutable
};

bool opens(const cell::Token& token) { return token.is("(") || token.is("[") || token.is("{"); }

// Where the bracket at `open` closes.
std::size_t close_of(const std::vector<cell::Token>& tokens, std::size_t open) {
  int depth = 0;
  for (auto i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) ++depth;
    if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && --depth == 0) return i;
  }
  return tokens.size() - 1;
}

LambdaText parts_of(std::string_view text) {
  LambdaText parts;
  const auto tokens = cell::tokens_of(text);
  const auto slice = [&](std::size_t from, std::size_t to) {
    return std::string(text.substr(tokens[from].span.begin, tokens[to].span.end - tokens[from].span.begin));
  };
  const auto captures = close_of(tokens, 0);
  for (std::size_t i = 1; i < captures;) {
    auto end = i;
    while (end < captures && !tokens[end].is(",")) end = opens(tokens[end]) ? close_of(tokens, end) + 1 : end + 1;
    if (end == i + 1 && tokens[i].is("="))
      parts.captures = LambdaText::Default::copy;
    else if (tokens[i].is("&") && (end == i + 1 || (end == i + 2 && tokens[i + 1].is_identifier())))
      parts.captures = LambdaText::Default::reference;
    else if (end == i + 1 && tokens[i].is_identifier() && !tokens[i].is("this"))
      parts.names.emplace_back(tokens[i].text);
    else if (end > i + 2 && tokens[i].is_identifier() && tokens[i + 1].is("="))
      parts.initials.push_back({std::string(tokens[i].text), slice(i + 2, end - 1)});
    else
      parts.unknown = slice(1, captures - 1);
    i = end + 1;
  }
  auto at = captures + 1;
  std::vector<cell::Token> words;
  for (; at < tokens.size() && !tokens[at].is("{"); ++at) {
    if (tokens[at].is("(") && words.empty()) {
      const auto close = close_of(tokens, at);
      parts.parameters = slice(at, close);
      at = close;
    } else if (tokens[at].is("mutable")) {
      parts.changes = true;
    } else if (!is_annotation(tokens[at])) {
      words.push_back(tokens[at]);
    }
  }
  parts.specifiers = cell::join(words);
  if (at < tokens.size()) parts.body = slice(at, tokens.size() - 1);
  return parts;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  const auto tokens = cell::tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool part = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"));
    const std::string name(tokens[i].text);
    if (tokens[i].is_identifier() && !part && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

}  // namespace

Value Closures::captured(const std::string& text, const cell::Expression& lambda) {
  auto tree = cell::try_parse_expression(text);
  if (tree == nullptr)
    throw error(ErrorKind::syntax, fmt::format("{} is not an expression that a lambda can capture", text), lambda.span);
  cell::place_at(*tree, lambda.span);
  return evaluate(*trees_.emplace_back(std::move(tree)));
}

Closures::Member Closures::member(const std::string& name, Value value, const cell::Expression& lambda) {
  if (const auto* place = std::get_if<Pointer>(&value); place != nullptr && place->shape.empty() && !place->variable)
    value = frame_.places.element(*place);  // a reference, or a struct in memory
  Member made;
  if (const auto* number = std::get_if<language::ScalarValue>(&value)) {
    made.type = number->type();
    made.bytes.resize(made.type.size);
    number->store(made.bytes);
  } else if (auto* object = std::get_if<Object>(&value)) {
    made.type = object->type;
    made.bytes = std::move(object->bytes);
  } else if (const auto* dim = std::get_if<device::Dim3>(&value)) {
    made.type = {"dim3", sizeof *dim, alignof(std::uint32_t)};
    made.bytes.resize(sizeof *dim);
    std::memcpy(made.bytes.data(), dim, sizeof *dim);
  } else if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && is_contiguous(*pointer)) {
    made.type = {pointer->type.name + "*", sizeof pointer->address, alignof(device::Address)};
    made.bytes.resize(sizeof pointer->address);
    std::memcpy(made.bytes.data(), &pointer->address, sizeof pointer->address);
    std::string rows;
    for (std::size_t d = 1; d < pointer->shape.size() && !pointer->is_address; ++d)
      rows += fmt::format("[{}]", pointer->shape[d]);
    const auto* constant = pointer->read_only ? "const " : "";
    made.declaration = rows.empty() ? fmt::format("{}{}* {}", constant, pointer->type.name, name)
                                    : fmt::format("{}{} (*{}){}", constant, pointer->type.name, name, rows);
  } else {
    throw error(
        ErrorKind::type,
        fmt::format("{} is {}, which a lambda cannot take to the device", name, language::describe(form_of(value))),
        lambda.span);
  }
  if (made.declaration.empty()) made.declaration = made.type.name + " " + name;
  return made;
}

Object Closures::of(const cell::Expression& lambda) {
  const auto parts = parts_of(std::get<cell::Lambda>(lambda.node).text);
  if (parts.captures == LambdaText::Default::reference) throw by_reference(lambda.span);
  if (!parts.unknown.empty())
    throw error(ErrorKind::unsupported, fmt::format("a lambda for a device cannot capture {}", parts.unknown),
                lambda.span)
        .advise("Capture names by value: [=] or [a, b].");
  auto names = parts.names;
  if (parts.captures == LambdaText::Default::copy)
    for (auto& name : names_in(parts.body))
      if ((session_.names().find(name) != nullptr || session_.arrays().find(name) != nullptr) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
  std::string members;
  std::vector<std::byte> bytes;
  std::size_t alignment = 1;
  const auto add = [&](const std::string& name, Value value) {
    const auto one = member(name, std::move(value), lambda);
    members += fmt::format("  {};\n", one.declaration);
    alignment = std::max(alignment, one.type.alignment);
    bytes.resize((bytes.size() + one.type.alignment - 1) / one.type.alignment * one.type.alignment);
    bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
  };
  for (const auto& name : names) add(name, frame_.lookup.value({name}, lambda.span));
  for (const auto& [name, value] : parts.initials) add(name, captured(value, lambda));
  bytes.resize(std::max<std::size_t>(1, (bytes.size() + alignment - 1) / alignment * alignment));
  const auto text = fmt::format("{}{}{}{} {} {}\n", members, kCallOperator, parts.parameters,
                                parts.changes ? "" : " const", parts.specifiers, parts.body);
  const auto name = fmt::format("{}{:016x}", session::kClosure, std::hash<std::string>{}(text));
  session_.code().define_closure(name, fmt::format("struct {} {{\n{}}};\n", name, text));
  return {{name, bytes.size(), alignment}, std::move(bytes)};
}

// "[&, y = xcuda_kept_1]" of "[&x, y]": what is captured by value is a variable of its own, since the text is read
// where the lambda is called.
std::string Closures::with_values(const std::string& text, const cell::Expression& lambda) {
  const auto parts = parts_of(text);
  const auto tokens = cell::tokens_of(text);
  std::string captures = "[&";
  const auto keep = [&](const std::string& name, Value value) {
    if (const auto* vector = std::get_if<Pointer>(&value); vector != nullptr && is_vector(*vector))
      value = frame_.vectors.copy_of(*vector);
    const auto kept = fmt::format("xcuda_kept_{}", ++values_kept);
    session_.names().declare(kept, {std::move(value), !parts.changes, run_.source.name});
    captures += fmt::format(", {}{} = {}", parts.changes ? "&" : "", name, kept);
  };
  for (const auto& name : parts.names) keep(name, frame_.lookup.value({name}, lambda.span));
  for (const auto& [name, value] : parts.initials) keep(name, captured(value, lambda));
  return captures + "]" + text.substr(tokens[close_of(tokens, 0)].span.end);
}

Object Closures::value(const cell::Expression& lambda) {
  if (!is_by_reference(lambda)) return of(lambda);
  auto text = function_object(lambda).text;
  if (auto parts = parts_of(text); parts.unknown.empty() && (!parts.names.empty() || !parts.initials.empty()))
    text = with_values(text, lambda);
  const auto name = fmt::format("{}{:016x}", session::kClosure, std::hash<std::string>{}(text));
  session_.code().define_closure(name, std::move(text));
  return {{name, 1, 1}, std::vector<std::byte>(1)};
}

namespace {

// R of std::function<R(...)>; empty for other types.
std::string_view result_of_callable(std::string_view function_type) {
  const auto signatures = cell::template_arguments(function_type);
  if (signatures.size() != 1) return {};
  const auto signature = signatures.front();
  int angles = 0;
  for (std::size_t at = 0; at < signature.size(); ++at) {
    if (signature[at] == '(' && angles == 0) return trim(signature.substr(0, at));
    if (signature[at] == '<') ++angles;
    if (signature[at] == '>') --angles;
  }
  return {};
}

}  // namespace

Object Closures::value(const cell::Expression& lambda, std::string_view function_type) {
  const auto result = result_of_callable(function_type);
  const auto& text = std::get<cell::Lambda>(lambda.node).text;
  const auto parts = parts_of(text);
  if (result.empty() || result == "void" || cell::is_callable_type(result) ||
      parts.specifiers.find("->") != std::string::npos)
    return value(lambda);
  const auto body = text.rfind(parts.body);
  const auto head = trim(std::string_view(text).substr(0, body));
  cell::Expression typed;
  typed.span = lambda.span;
  typed.node = cell::Lambda{fmt::format("{}{} -> {} {}", head, head.ends_with(']') ? "()" : "", result, parts.body)};
  return value(typed);
}

std::string Closures::declaration(const std::string& name, const std::string& text) {
  const auto parts = parts_of(text);
  const auto names = names_in(parts.body);
  const bool calls_itself = std::find(names.begin(), names.end(), name) != names.end();
  if (!calls_itself || parts.specifiers.find("->") == std::string::npos)
    return fmt::format("auto {} = {};\n", name, text);
  return fmt::format(
      "auto xcuda_{0} = [&](auto& xcuda_self, auto&&... xcuda_given) {1} {{\n"
      "auto {0} = [&](auto&&... xcuda_again) {1} {{ return xcuda_self(xcuda_self, xcuda_again...); }};\n"
      "return ({2})(xcuda_given...);\n}};\n"
      "auto {0} = [&](auto&&... xcuda_given) {1} {{ return xcuda_{0}(xcuda_{0}, xcuda_given...); }};\n",
      name, parts.specifiers, text);
}

std::string Closures::text_of(const Type& type) const {
  if (!type.name.starts_with(session::kClosure)) return {};
  auto text = session_.code().closures_in(type.name);
  return text.starts_with('[') ? text : std::string();  // others are declarations
}

std::string Closures::referred(const Type& type) const {
  auto text = session_.code().closures_in(type.name);
  if (const auto at = text.find(kCallOperator); at != std::string::npos && !text.starts_with('['))
    text.replace(0, at + kCallOperator.size(), "[]");
  const auto specifiers = parts_of(text).specifiers;
  const auto arrow = specifiers.find("->");
  if (arrow == std::string::npos) return {};
  auto result = trim(std::string_view(specifiers).substr(arrow + 2));
  if (result.starts_with("decltype")) return "auto";  // what it is, is known when it is compiled
  if (!result.ends_with('&')) return {};
  result.remove_suffix(1);
  if (result.starts_with("const ")) result.remove_prefix(6);
  return std::string(trim(result));
}

std::optional<Function> Closures::as_function(const Value& value) const {
  if (!is_closure(value)) return std::nullopt;
  const auto& type = std::get<Object>(value).type.name;
  const auto members = fmt::format("struct {} {{\n", type);
  const auto text = session_.code().closures_in(type);
  const bool captures = !text.starts_with(members) || !text.substr(members.size()).starts_with(kCallOperator);
  return captures ? std::nullopt : std::optional(Function{type + "{}"});
}

bool Closures::is_by_reference(const cell::Expression& argument) const {
  if (const auto* lambda = std::get_if<cell::Lambda>(&argument.node))
    return parts_of(lambda->text).captures == LambdaText::Default::reference;
  const auto* name = std::get_if<cell::Name>(&argument.node);
  const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
  const auto* object = held == nullptr ? nullptr : std::get_if<Object>(&held->value);
  return object != nullptr && !text_of(object->type).empty();
}

Error Closures::by_reference(cell::Span span) const {
  return error(ErrorKind::unsupported, "a lambda for a device cannot capture by reference", span)
      .advise("Capture by value: [=].");
}

}  // namespace xcuda::interpreter
