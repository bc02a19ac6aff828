// What the text of a function says of its parameters, which decides how arrays and pointers are passed to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/native/native_arguments.hpp"

namespace xcuda::interpreter {

inline constexpr std::string_view kCallOperator = "operator()";

// How each overload declares its parameters: "float* x", "const T& value".
using Overloads = std::vector<std::vector<std::string>>;

// Of the functions of this name in pieces of cells, or in a struct; "operator()" is a name.
Overloads overloads_in(std::string_view text, std::string_view name);
Overloads overloads_of_lambda(std::string_view text);  // "[&](auto& x) { ... }"

template <class Test> bool any_overload(const Overloads& overloads, std::size_t parameter, Test test) {
  return std::any_of(overloads.begin(), overloads.end(), [&](const auto& parameters) {
    return parameter < parameters.size() && test(parameters[parameter]);
  });
}

bool takes_array(const std::string& parameter);
// Whether arguments decide what the type is, as of const T& x and auto x, where these are the types of templates.
bool is_deduced(const std::string& parameter, const std::vector<std::string>& template_types);
std::vector<std::string> template_types_in(std::string_view text);  // {"T", "F"} of template <class T, typename F>
// T& takes the variable or the array itself, and so may a parameter of a function that is not known.
ArrayPassing passing_to(const Overloads& overloads, std::size_t parameter);

}  // namespace xcuda::interpreter
