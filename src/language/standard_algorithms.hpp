// The sequential algorithms of C++'s library that statements call on arrays. Their code is in
// share/xcuda/include/xcuda_std.
#pragma once

#include <span>
#include <string_view>

#include "cell/tree.hpp"

namespace xcuda::language {

struct StandardAlgorithm {
  std::string_view name;        // "std::sort"
  std::string_view parameters;  // "first, last[, less]"
  std::string_view help;        // a sentence
};
std::span<const StandardAlgorithm> standard_algorithms();
// Whether a name such as "std::sort" is an algorithm's, by the name alone.
bool is_standard_algorithm(std::string_view callee);

// Whether the arguments of a call fit an algorithm: std::sort(x, x + n), std::fill_n(&x[3], n, 1). The caller checks
// that x is an array.
bool is_algorithm_call(const cell::Call& call);

// What the expression is a pointer into, as far as its text says: x of x, x + n, &x[i], std::end(x), m[1] of m[1] + 8.
// Null for anything else.
const cell::Expression* pointed_into(const cell::Expression& expression);
bool is_reverse_iterator(const cell::Expression& expression);  // v.rbegin(), as the parser has it

// "std::greater<int>()", "::tolower": an object of a type of the library, or one of its functions of characters.
bool is_library_object(const cell::Expression& expression);

// x of std::end(x); null for anything else.
const cell::Expression* end_of(const cell::Expression& expression);
// v of std::back_inserter(v), which begins where v ends.
const cell::Expression* appended_to(const cell::Expression& expression);
// x of std::begin(x) and std::data(x).
const cell::Expression* begin_of(const cell::Expression& expression);

}  // namespace xcuda::language
