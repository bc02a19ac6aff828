#include "interpreter/native/parameter_texts.hpp"

#include <iterator>
#include <optional>

#include "cell/lexer.hpp"

namespace xcuda::interpreter {
namespace {

// "(float* x, T (&m)[8])" from its first parenthesis on.
std::vector<std::string> parameter_texts(const std::vector<cell::Token>& tokens, std::size_t open) {
  std::vector<std::string> texts;
  std::string text;
  int depth = 0, angles = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    const bool opens = token.is("(") || token.is("[") || token.is("{");
    const bool closes = token.is(")") || token.is("]") || token.is("}");
    if (token.is("<")) ++angles;
    if (token.is(">")) --angles;
    if (closes && --depth == 0) break;
    if (depth == 1 && angles <= 0 && token.is(",")) {
      texts.push_back(std::move(text));
      text.clear();
    } else if (i > open) {
      text += std::string(token.is_identifier() ? " " : "") + std::string(token.text);
    }
    if (opens) ++depth;
  }
  if (!text.empty()) texts.push_back(std::move(text));
  return texts;
}

// Where the parameters of a function begin: at the parenthesis after its name, "operator()" of an object.
std::optional<std::size_t> parameters_at(const std::vector<cell::Token>& tokens, std::size_t i, std::string_view name) {
  const auto is = [&](std::size_t at, std::string_view text) { return at < tokens.size() && tokens[at].is(text); };
  if (name == kCallOperator)
    return is(i, "operator") && is(i + 1, "(") && is(i + 2, ")") && is(i + 3, "(") ? std::optional(i + 3)
                                                                                   : std::nullopt;
  return is(i, name) && is(i + 1, "(") ? std::optional(i + 1) : std::nullopt;
}

}  // namespace

Overloads overloads_in(std::string_view text, std::string_view name) {
  Overloads overloads;
  constexpr std::string_view kNext = "\n\n// ";  // before each piece
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(kNext, at), text.size());
    const auto tokens = cell::tokens_of(text.substr(at, end - at));
    int depth = 0;
    std::optional<int> declared;  // the depth of the declarations: deeper ones are calls
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].is("{")) ++depth;
      if (tokens[i].is("}")) --depth;
      const auto open = parameters_at(tokens, i, name);
      if (!open || depth > declared.value_or(depth)) continue;
      declared = depth;
      overloads.push_back(parameter_texts(tokens, *open));
    }
    at = end + 2;
  }
  return overloads;
}

Overloads overloads_of_lambda(std::string_view text) {
  const auto tokens = cell::tokens_of(text);
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("[")) ++depth;
    if (!tokens[i].is("]") || --depth > 0) continue;
    if (i + 1 < tokens.size() && tokens[i + 1].is("(")) return {parameter_texts(tokens, i + 1)};
    break;
  }
  return {{}};
}

bool takes_array(const std::string& parameter) {
  static constexpr std::string_view kSigns[] = {"*", "[", "(&", "span"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](std::string_view sign) { return parameter.find(sign) != std::string::npos; });
}

bool is_deduced(const std::string& parameter, const std::vector<std::string>& template_types) {
  const auto tokens = cell::tokens_of(parameter);
  std::size_t i = !tokens.empty() && tokens[0].is("const") ? 1 : 0;
  if (i == tokens.size()) return false;
  const auto& type = tokens[i];
  if (!type.is("auto") && std::find(template_types.begin(), template_types.end(), type.text) == template_types.end())
    return false;
  for (++i; i < tokens.size() && (tokens[i].is("&") || tokens[i].is("&&") || tokens[i].is("const"));) ++i;
  return i == tokens.size() || (i + 1 == tokens.size() && tokens[i].is_identifier());
}

std::vector<std::string> template_types_in(std::string_view text) {
  const auto tokens = cell::tokens_of(text);
  std::vector<std::string> types;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    if ((tokens[i].is("class") || tokens[i].is("typename")) && i > 0 &&
        (tokens[i - 1].is("<") || tokens[i - 1].is(",")))
      types.emplace_back(tokens[i + 1].text);
  return types;
}

ArrayPassing passing_to(const Overloads& overloads, std::size_t parameter) {
  if (overloads.empty()) return ArrayPassing::place;
  const auto any = [&](auto test) { return any_overload(overloads, parameter, test); };
  if (any([](const std::string& p) { return p.find("*&") != std::string::npos; })) return ArrayPassing::reference;
  if (any([](const std::string& p) {
        return p.find("(&") != std::string::npos || p.find("span") != std::string::npos;
      }))
    return ArrayPassing::whole;
  const bool refers =
      any([](const std::string& p) { return p.find('*') == std::string::npos && p.find('&') != std::string::npos; });
  return refers ? ArrayPassing::reference : ArrayPassing::pointer;
}

}  // namespace xcuda::interpreter
