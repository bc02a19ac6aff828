// Calls as an exported program has them: which functions are of arrays, of elements, and what is given to them.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "arrays/array_source.hpp"
#include "base/text.hpp"
#include "base/type.hpp"
#include "cell/tree.hpp"
#include "cell/value.hpp"

namespace xcuda::exporter {

using namespace arrays;

inline constexpr std::string_view kReductions[] = {"sum", "prod", "min",   "max", "argmin", "argmax", "mean",
                                                   "any", "all",  "count", "var", "std",    "norm"};
inline constexpr std::string_view kArrayFunctions[] = {"sort", "argsort", "unique",    "histogram", "scan",
                                                       "map",  "reshape", "transpose", "reverse",   "like"};
// Of float and double, and spelled the same in CUDA C++.
inline constexpr std::string_view kPlainFunctions[] = {
    "sin",   "cos",  "tan",  "asin",  "acos",     "atan", "sinh",  "cosh",  "tanh",     "exp",    "exp2",
    "expm1", "log",  "log2", "log10", "log1p",    "sqrt", "rsqrt", "cbrt",  "floor",    "ceil",   "trunc",
    "round", "rint", "fabs", "abs",   "erf",      "erfc", "pow",   "atan2", "fmod",     "hypot",  "fmin",
    "fmax",  "min",  "max",  "fma",   "copysign", "fdim", "isnan", "isinf", "isfinite", "tgamma", "lgamma"};

inline bool is_comparison(std::string_view op) {
  return op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=" || op == "&&" || op == "||";
}

inline std::string plain_type(const std::string& spelled) {
  const auto type = xcuda::find_type(spelled);
  return type && type->lanes == 1 && type->scalar != Scalar::none ? type->name : spelled;
}

// Of two element types, as C++ converts them; empty where that is not known here.
inline std::string common(const std::string& a, const std::string& b) {
  const auto left = xcuda::find_type(a), right = xcuda::find_type(b);
  if (!left || !right || !cell::kind_of(*left) || !cell::kind_of(*right)) return "";
  return cell::common_type(*left, *right).name;
}

inline std::string_view callee_of(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  return name == nullptr ? std::string_view() : without_std(name->text);
}

inline const cell::Expression* given(const cell::Call& call, std::string_view name, std::size_t position) {
  for (const auto& argument : call.arguments)
    if (argument.name == name) return argument.value.get();
  return position < call.arguments.size() && call.arguments[position].name.empty()
             ? call.arguments[position].value.get()
             : nullptr;
}

inline bool is_one_argument_reduction(const cell::Call& call, std::string_view function) {
  if (function != "min" && function != "max") return true;
  return call.arguments.size() == 1 || std::any_of(call.arguments.begin(), call.arguments.end(),
                                                   [](const auto& argument) { return !argument.name.empty(); });
}

// A text as it stands between quotes in C++.
inline std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

}  // namespace xcuda::exporter
