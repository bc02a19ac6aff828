// Function-like macros among the statements: the macro's text with the arguments in it, as an expression.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::cell {

struct Macro {
  std::vector<std::string> parameters;  // the last one may be "..."
  std::string replacement;
  bool takes(std::size_t arguments) const;
};

// The text with all calls of function-like macros replaced, as the preprocessor does it; a macro inside itself stays,
// as does a call with a wrong number of arguments. Throws Error(unsupported), without a place, for macros whose
// expansion takes too long.
using FindMacro = std::function<std::optional<Macro>(std::string_view name)>;
std::string expand_macros(std::string_view text, const FindMacro& find);

// Gives a tree the place of what it was made from: errors inside are shown there.
void place_at(Expression& expression, Span span);

}  // namespace xcuda::cell
