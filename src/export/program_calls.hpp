// Calls as an exported program has them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "arrays/function_object.hpp"
#include "base/type.hpp"
#include "cell/tree.hpp"
#include "language/functions.hpp"

namespace xcuda::exporter {

using namespace arrays;

inline std::string plain_type(const std::string& spelled) {
  const auto type = xcuda::find_type(spelled);
  return type && type->lanes == 1 && type->scalar != Scalar::none ? type->name : spelled;
}

// The row of the called function; null when the language has no function of this name.
inline const language::Function* row_of(const cell::Call& call) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  const auto found = name == nullptr ? std::nullopt : language::find_function(name->text);
  return found && !found->single ? found->row : nullptr;
}
inline bool calls(const cell::Call* call, language::Operation operation) {
  const auto* row = call == nullptr ? nullptr : row_of(*call);
  return row != nullptr && row->operation == operation;
}

// Whether a call makes an array of its own, or reduces one, where an operand is expected: sort(x), eye(3).
inline bool gives_array(const language::Function& row, const cell::Call& call) {
  return language::takes_whole_arrays(row, call.arguments) || language::is_composed(row.operation) ||
         row.operation == language::Operation::arange || row.operation == language::Operation::linspace;
}

// A text as it is between quotes in C++.
inline std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

}  // namespace xcuda::exporter
