// Expressions that are addresses in C++. The name of an array means its elements here, and does not count.
#pragma once

#include <string_view>
#include "base/type.hpp"

#include "cell/tree.hpp"

namespace xcuda::language {

bool is_address(const cell::Expression& expression);  // &x[i], (float*)x
bool gives_address(const cell::Cast& cast);           // (size_t)&x[i], reinterpret_cast<size_t>(x)
bool holds_address(const Type& type);                 // an integer of 64 bits, or bool
bool is_integer_of_address(std::string_view type);    // uintptr_t, whose numbers are addresses
bool is_of_addresses(const cell::Binary& binary);     // &x[i] - &x[j], &x[i] == &y[j], &x[i] - x

// x of x + n, m[1] of m[1] + 8 - k: where a pointer is expected, an array means its first element. Otherwise null.
const cell::Expression* moved_array(const cell::Expression& expression);
const cell::Name* pointed_name(const cell::Expression& expression);  // p of &p; null for others

// Whether a declarator is T* const: "const" comes last before its name.
bool is_constant_pointer(std::string_view source, const cell::Declaration& declaration,
                         const cell::Declarator& declarator);

// int id = cudaGetDevice(&id): the variable is there before its value.
// Whether the initial value of a pointer has sizeof(*name) in it.
bool is_sized_by(std::string_view source, const cell::Expression& init, std::string_view name);
bool is_given_to(const cell::Expression& init, std::string_view name);

}  // namespace xcuda::language
