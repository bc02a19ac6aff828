#include "language/addresses.hpp"

#include <algorithm>

#include "cell/lexer.hpp"

namespace xcuda::language {

bool is_address(const cell::Expression& expression) {
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node)) return unary->op == cell::UnaryOperator::address;
  const auto* cast = std::get_if<cell::Cast>(&expression.node);
  return cast != nullptr && cast->type.ends_with('*');
}

bool gives_address(const cell::Cast& cast) {
  if (cast.type.ends_with('*')) return false;
  return cast.style == cell::Cast::Style::reinterpreted || is_address(*cast.operand);
}

bool holds_address(const Type& type) {
  return type.scalar == Scalar::boolean || type.scalar == Scalar::int64 || type.scalar == Scalar::uint64;
}

bool is_integer_of_address(std::string_view type) {
  if (type.starts_with("std::")) type.remove_prefix(5);
  return type == "uintptr_t" || type == "intptr_t";
}

bool is_of_addresses(const cell::Binary& binary) {
  const auto named = [](const cell::Expression& side) { return std::holds_alternative<cell::Name>(side.node); };
  const bool left = is_address(*binary.left), right = is_address(*binary.right);
  return (binary.op == cell::BinaryOperator::subtract ||
          cell::family(binary.op) == cell::BinaryRow::Family::comparison) &&
         (left || right) && (left || named(*binary.left)) && (right || named(*binary.right));
}

const cell::Expression* moved_array(const cell::Expression& expression) {
  const auto* sum = std::get_if<cell::Binary>(&expression.node);
  if (sum == nullptr || (sum->op != cell::BinaryOperator::add && sum->op != cell::BinaryOperator::subtract))
    return nullptr;
  const auto& left = *sum->left;
  const auto* row = std::get_if<cell::Unary>(&left.node);  // *m + 1
  const bool array = std::holds_alternative<cell::Name>(left.node) || std::holds_alternative<cell::Index>(left.node) ||
                     (row != nullptr && row->op == cell::UnaryOperator::pointee);
  return array ? &left : moved_array(left);
}

const cell::Name* pointed_name(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  return unary != nullptr && unary->op == cell::UnaryOperator::address ? std::get_if<cell::Name>(&unary->operand->node)
                                                                       : nullptr;
}

bool is_constant_pointer(std::string_view source, const cell::Declaration& declaration,
                         const cell::Declarator& declarator) {
  const auto begin = declaration.type_span.end, end = declarator.name_span.begin;
  if (!declarator.pointer || end <= begin) return false;
  auto tokens = cell::tokens_of(source.substr(begin, end - begin));
  while (!tokens.empty() && (tokens.back().is("&") || tokens.back().is("&&"))) tokens.pop_back();  // T* const& p
  return !tokens.empty() && tokens.back().is("const");
}

bool is_sized_by(std::string_view source, const cell::Expression& init, std::string_view name) {
  const auto tokens = cell::tokens_of(source.substr(init.span.begin, init.span.end - init.span.begin));
  const auto of = [&](std::size_t i) {
    while (i < tokens.size() && (tokens[i].is("(") || tokens[i].is("*"))) ++i;
    return i < tokens.size() && tokens[i].is(name);
  };
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is("sizeof") && of(i + 1)) return true;
  return false;
}

bool is_given_to(const cell::Expression& init, std::string_view name) {
  const auto* call = std::get_if<cell::Call>(&init.node);
  return call != nullptr && std::any_of(call->arguments.begin(), call->arguments.end(), [&](const cell::Argument& one) {
           const auto* of = pointed_name(*one.value);
           return of != nullptr && of->text == name;
         });
}

}  // namespace xcuda::language
