#include "language/standard_algorithms.hpp"

#include <initializer_list>

#include "base/text.hpp"

namespace xcuda::language {
namespace {

constexpr std::string_view kAlgorithms[] = {"std::accumulate",    "std::adjacent_difference",
                                            "std::all_of",        "std::any_of",
                                            "std::binary_search", "std::copy",
                                            "std::copy_if",       "std::copy_n",
                                            "std::count",         "std::count_if",
                                            "std::equal",         "std::exclusive_scan",
                                            "std::fill",          "std::fill_n",
                                            "std::find",          "std::find_if",
                                            "std::find_if_not",   "std::for_each",
                                            "std::for_each_n",    "std::generate",
                                            "std::generate_n",    "std::inclusive_scan",
                                            "std::inner_product", "std::iota",
                                            "std::is_sorted",     "std::lower_bound",
                                            "std::max_element",   "std::merge",
                                            "std::min_element",   "std::none_of",
                                            "std::nth_element",   "std::partial_sort",
                                            "std::partial_sum",   "std::partition",
                                            "std::reduce",        "std::remove",
                                            "std::remove_if",     "std::replace",
                                            "std::replace_if",    "std::reverse",
                                            "std::rotate",        "std::sort",
                                            "std::stable_sort",   "std::swap_ranges",
                                            "std::transform",     "std::transform_reduce",
                                            "std::unique",        "std::upper_bound"};

// The argument of a call of one of these names.
const cell::Expression* only_argument(const cell::Expression& expression,
                                      std::initializer_list<std::string_view> names) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  if (callee == nullptr || call->arguments.size() != 1) return nullptr;
  for (const auto name : names)
    if (callee->text == name) return call->arguments[0].value.get();
  return nullptr;
}

}  // namespace

bool is_standard_algorithm(std::string_view callee) { return among(callee, kAlgorithms); }

const cell::Expression* end_of(const cell::Expression& expression) {
  return only_argument(expression, {"std::end", "std::cend"});
}

const cell::Expression* begin_of(const cell::Expression& expression) {
  return only_argument(expression, {"std::begin", "std::cbegin", "std::data"});
}

const cell::Expression* pointed_into(const cell::Expression& expression) {
  if (const auto* begin = begin_of(expression)) return begin;
  if (const auto* end = end_of(expression)) return end;
  if (std::holds_alternative<cell::Name>(expression.node) || std::holds_alternative<cell::Index>(expression.node) ||
      std::holds_alternative<cell::Member>(expression.node))
    return &expression;
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node))
    return cast->type.ends_with('*') ? pointed_into(*cast->operand) : nullptr;
  if (const auto* sum = std::get_if<cell::Binary>(&expression.node))
    return sum->op == cell::BinaryOperator::add || sum->op == cell::BinaryOperator::subtract ? pointed_into(*sum->left)
                                                                                             : nullptr;
  const auto* address = std::get_if<cell::Unary>(&expression.node);
  const auto* index = address == nullptr || address->op != cell::UnaryOperator::address
                          ? nullptr
                          : std::get_if<cell::Index>(&address->operand->node);
  return index == nullptr ? nullptr : index->base.get();
}

bool is_algorithm_call(const cell::Call& call) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  if (callee == nullptr || !is_standard_algorithm(callee->text) || call.arguments.size() < 2) return false;
  for (const auto& argument : call.arguments)
    if (!argument.name.empty()) return false;
  const bool counted = callee->text.ends_with("_n");
  return pointed_into(*call.arguments[0].value) != nullptr &&
         (counted || pointed_into(*call.arguments[1].value) != nullptr);
}

bool is_library_object(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  return callee != nullptr && call->arguments.empty() && callee->text.starts_with("std::") &&
         callee->text.ends_with('>');
}

}  // namespace xcuda::language
