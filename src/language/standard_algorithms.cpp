#include "language/standard_algorithms.hpp"

#include "language/functions.hpp"
#include "language/host/vector_types.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace xcuda::language {
namespace {

constexpr StandardAlgorithm kAlgorithms[] = {
    {"std::accumulate", "first, last, init[, op]", "The sum of the elements and init, in order"},
    {"std::adjacent_difference", "first, last, out[, op]", "The first element, then each minus the one before it"},
    {"std::adjacent_find", "first, last", "The position of the first of two equal neighbours, or last"},
    {"std::all_of", "first, last, f", "Whether f is true of all elements"},
    {"std::any_of", "first, last, f", "Whether f is true of any element"},
    {"std::binary_search", "first, last, value[, less]", "Whether sorted elements have a value"},
    {"std::copy", "first, last, out", "The elements, copied to out"},
    {"std::copy_backward", "first, last, out", "The elements, copied to where out ends, the last one first"},
    {"std::copy_if", "first, last, out, f", "The elements that f is true of, copied to out"},
    {"std::copy_n", "first, n, out", "The first n elements, copied to out"},
    {"std::count", "first, last, value", "How many elements are equal to a value"},
    {"std::count_if", "first, last, f", "How many elements f is true of"},
    {"std::equal_range", "first, last, value[, less]", "Where sorted elements equal to value begin and end, as a pair"},
    {"std::equal", "first, last, other", "Whether two ranges have the same elements"},
    {"std::exclusive_scan", "first, last, out, init[, op]", "The sums of init and the elements before each"},
    {"std::fill", "first, last, value", "Sets all elements to a value"},
    {"std::fill_n", "first, n, value", "Sets the first n elements to a value"},
    {"std::find", "first, last, value", "The position of the first element equal to value, or last"},
    {"std::find_first_of", "first, last, other, other_last",
     "The position of the first element that another range has"},
    {"std::find_if", "first, last, f", "The position of the first element that f is true of, or last"},
    {"std::find_if_not", "first, last, f", "The position of the first element that f is false of, or last"},
    {"std::for_each", "first, last, f", "Calls f with each element"},
    {"std::for_each_n", "first, n, f", "Calls f with each of the first n elements"},
    {"std::generate", "first, last, f", "Sets each element to the next result of f()"},
    {"std::generate_n", "first, n, f", "Sets each of the first n elements to the next result of f()"},
    {"std::includes", "first, last, other, other_last[, less]", "Whether a sorted range has all elements of another"},
    {"std::inclusive_scan", "first, last, out[, op]", "The sums of the elements up to each"},
    {"std::inner_product", "first, last, other, init",
     "The sum of init and the products of the elements of two ranges"},
    {"std::inplace_merge", "first, middle, last[, less]", "Merges two sorted neighbours"},
    {"std::iota", "first, last, value", "Sets the elements to value, value + 1, ..."},
    {"std::is_heap", "first, last[, less]", "Whether the elements are a heap"},
    {"std::is_partitioned", "first, last, f", "Whether the elements that f is true of come first"},
    {"std::is_permutation", "first, last, other", "Whether a range has the elements of another in any order"},
    {"std::is_sorted_until", "first, last[, less]", "Where the elements stop to be in ascending order"},
    {"std::is_sorted", "first, last[, less]", "Whether the elements are in ascending order"},
    {"std::iter_swap", "a, b", "Exchanges the elements at two positions"},
    {"std::lexicographical_compare", "first, last, other, other_last", "Whether a range comes before another one"},
    {"std::lower_bound", "first, last, value[, less]",
     "The position of the first of sorted elements that is not less than value"},
    {"std::make_heap", "first, last[, less]", "Makes a heap of the elements"},
    {"std::max_element", "first, last[, less]", "The position of the greatest element"},
    {"std::merge", "first, last, other, other_last, out[, less]", "Two sorted ranges as one"},
    {"std::min_element", "first, last[, less]", "The position of the least element"},
    {"std::minmax_element", "first, last[, less]", "The positions of the least and the greatest element, as a pair"},
    {"std::mismatch", "first, last, other", "Where two ranges differ first, as a pair"},
    {"std::move_backward", "first, last, out", "As std::copy_backward"},
    {"std::next_permutation", "first, last[, less]",
     "Makes the next order of the elements; false after the last one, which makes the first"},
    {"std::none_of", "first, last, f", "Whether f is false of all elements"},
    {"std::nth_element", "first, nth, last[, less]",
     "Puts the element at nth where sorting would, lesser ones before it"},
    {"std::partial_sort", "first, middle, last[, less]", "Puts the least elements up to middle into ascending order"},
    {"std::partial_sum", "first, last, out[, op]", "The sums of the elements up to each"},
    {"std::partition_point", "first, last, f", "Where the elements that f is true of end"},
    {"std::pop_heap", "first, last[, less]", "Moves the first element of a heap to the end"},
    {"std::push_heap", "first, last[, less]", "Adds the last element to the heap before it"},
    {"std::partition", "first, last, f",
     "Moves the elements that f is true of to the front, and returns where they end"},
    {"std::prev_permutation", "first, last[, less]",
     "Makes the order of the elements before this one; false before the first one, which makes the last"},
    {"std::qsort", "first, n, size, compare", "Sorts n elements by a function of two const void*; also without std::"},
    {"std::reduce", "first, last[, init[, op]]", "The sum of the elements and init"},
    {"std::remove_copy", "first, last, out, value", "The elements that are not equal to value, copied to out"},
    {"std::remove_copy_if", "first, last, out, f", "The elements that f is false of, copied to out"},
    {"std::replace_copy", "first, last, out, old, value", "The elements, copied to out with value in place of old"},
    {"std::reverse_copy", "first, last, out", "The elements in reverse order, copied to out"},
    {"std::rotate_copy", "first, middle, last, out", "The elements from middle on, then the others, copied to out"},
    {"std::remove", "first, last, value", "Moves the other elements to the front, and returns where they end"},
    {"std::remove_if", "first, last, f",
     "Moves the elements that f is false of to the front, and returns where they end"},
    {"std::replace", "first, last, old, value", "Sets the elements that are equal to old to a value"},
    {"std::replace_if", "first, last, f, value", "Sets the elements that f is true of to a value"},
    {"std::reverse", "first, last", "Reverses the order of the elements"},
    {"std::rotate", "first, middle, last", "Puts the elements from middle on before the others"},
    {"std::search", "first, last, other, other_last", "Where a range has another in it, or last"},
    {"std::set_difference", "first, last, other, other_last, out[, less]",
     "What only the first of two sorted ranges has"},
    {"std::set_intersection", "first, last, other, other_last, out[, less]", "What both of two sorted ranges have"},
    {"std::set_union", "first, last, other, other_last, out[, less]", "What either of two sorted ranges has"},
    {"std::shuffle", "first, last, engine", "Puts the elements into an order drawn at random"},
    {"std::sort_heap", "first, last[, less]", "Puts a heap into ascending order"},
    {"std::sort", "first, last[, less]", "Puts the elements into ascending order"},
    {"std::stable_partition", "first, last, f",
     "Moves the elements that f is true of to the front; all keep their order"},
    {"std::stable_sort", "first, last[, less]", "Puts the elements into ascending order; equal ones keep theirs"},
    {"std::swap_ranges", "first, last, other", "Exchanges the elements of two ranges"},
    {"std::transform", "first, last[, other], out, f", "f of each element, or of two, written to out"},
    {"std::transform_reduce", "first, last, other, init",
     "The sum of init and the products of the elements of two ranges"},
    {"std::unique_copy", "first, last, out", "One of equal neighbours, copied to out"},
    {"std::unique", "first, last", "Keeps one of equal neighbours, at the front, and returns where they end"},
    {"std::upper_bound", "first, last, value[, less]",
     "The position of the first of sorted elements that is greater than value"},
};

// The argument of a call of one of these names.
const cell::Expression* only_argument(const cell::Expression& expression,
                                      std::initializer_list<std::string_view> names) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
  if (member != nullptr && !member->arrow && call->arguments.empty())  // v.begin()
    for (const auto name : names)
      if (member->member == without_std(name)) return member->base.get();
  if (callee == nullptr || call->arguments.size() != 1) return nullptr;
  for (const auto name : names)
    if (callee->text == name) return call->arguments[0].value.get();
  return nullptr;
}

}  // namespace

std::span<const StandardAlgorithm> standard_algorithms() { return kAlgorithms; }

bool is_standard_algorithm(std::string_view callee) {
  return std::any_of(std::begin(kAlgorithms), std::end(kAlgorithms),
                     [&](const auto& one) { return one.name == callee; });
}

const cell::Expression* end_of(const cell::Expression& expression) {
  return only_argument(expression, {"std::end", "std::cend"});
}

const cell::Expression* appended_to(const cell::Expression& expression) {
  return only_argument(expression, {"std::back_inserter"});
}

const cell::Expression* begin_of(const cell::Expression& expression) {
  return only_argument(expression, {"std::begin", "std::cbegin", "std::data"});
}

bool is_reverse_iterator(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  return callee != nullptr && callee->text == "std::make_reverse_iterator" && call->arguments.size() == 1;
}

const cell::Expression* pointed_into(const cell::Expression& expression) {
  if (const auto* begin = begin_of(expression)) return begin;
  if (const auto* end = end_of(expression)) return end;
  if (const auto* vector = appended_to(expression)) return vector;
  if (is_reverse_iterator(expression)) return pointed_into(*std::get<cell::Call>(expression.node).arguments[0].value);
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
  if (callee == nullptr || call.arguments.size() < 2) return false;
  // sort(v.begin(), v.end()), after `using namespace std;`
  const bool sorts = callee->text.ends_with("qsort") && call.arguments.size() == 4;
  const bool unqualified = sorts || vector_of_iterator(*call.arguments[0].value) != nullptr;
  if (!is_standard_algorithm(callee->text) && !(unqualified && is_standard_algorithm("std::" + callee->text)))
    return false;
  for (const auto& argument : call.arguments)
    if (!argument.name.empty()) return false;
  const bool counted = sorts || callee->text.ends_with("_n");
  return pointed_into(*call.arguments[0].value) != nullptr &&
         (counted || pointed_into(*call.arguments[1].value) != nullptr);
}

bool is_library_object(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node); name != nullptr && name->text.starts_with("::")) {
    const auto known = find_function(std::string_view(name->text).substr(2));  // ::tolower
    return known && known->row->operation == Operation::character;
  }
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  return callee != nullptr && call->arguments.empty() && callee->text.starts_with("std::") &&
         callee->text.ends_with('>');
}

}  // namespace xcuda::language
