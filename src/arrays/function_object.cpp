#include "arrays/function_object.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "arrays/array_source.hpp"
#include "cell/lexer.hpp"
#include "cell/parser.hpp"
#include "language/functions.hpp"

namespace xcuda::arrays {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
    {"plus", "+"},   {"multiplies", "*"}, {"minus", "-"},        {"bit_and", "&"},
    {"bit_or", "|"}, {"bit_xor", "^"},    {"logical_and", "&&"}, {"logical_or", "||"}};

// Empty for a type that the libraries do not have.
std::string library_operator(std::string_view type) {
  auto base = language::without_std(type);
  const bool library = base.size() < type.size() || type.starts_with("thrust::");
  if (base.starts_with("thrust::")) base.remove_prefix(8);
  base = base.substr(0, base.find('<'));
  if (!library) return {};
  for (const auto& [word, op] : kOperators)
    if (base == word) return fmt::format("[](const auto& a, const auto& b) {{ return a {} b; }}", op);
  return base == "maximum" || base == "minimum" ? std::string(base.substr(0, 3)) : std::string();
}

}  // namespace

FunctionObject function_object(const cell::Expression& expression) {
  if (const auto* lambda = std::get_if<cell::Lambda>(&expression.node)) {
    auto tokens = cell::tokens_of(lambda->text);  // one line without comments: lines are places of the expression
    std::erase_if(tokens, [](const cell::Token& token) { return token.is("__device__") || token.is("__host__"); });
    return {cell::join(tokens), {}};
  }
  std::string type;
  const auto* cast = std::get_if<cell::Cast>(&expression.node);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (cast != nullptr && cast->style == cell::Cast::Style::braces)
    if (const auto* list = std::get_if<cell::List>(&cast->operand->node); list != nullptr && list->elements.empty())
      type = cast->type;
  if (call != nullptr && call->arguments.empty())
    if (const auto* callee = std::get_if<cell::Name>(&call->callee->node)) type = callee->text;
  if (type.empty()) return {};
  if (auto known = library_operator(type); !known.empty()) return {std::move(known), {}};
  auto text = type + "{}";
  return {std::move(text), std::move(type)};
}

}  // namespace xcuda::arrays
