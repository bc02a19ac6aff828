// Function-like macros among the statements: the macro's text with the arguments in it, as an expression.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/conditional.hpp"
#include "cell/tree.hpp"

namespace xcuda::cell {

// The text with all calls of function-like macros replaced, as the preprocessor does it; a macro inside itself stays,
// as does a call with a wrong number of arguments. Throws Error(unsupported), without a place, for macros whose
// expansion takes too long.
using FindMacro = std::function<std::optional<Macro>(std::string_view name)>;
// Macros without parameters (constants) are replaced within the arguments, since # and ## of an inner macro see that.
using FindConstant = std::function<const std::string*(std::string_view name)>;
std::string expand_macros(std::string_view text, const FindMacro& find, const FindConstant& constants = {});

// Gives a tree the place of what it was made from: errors inside are shown there.
void place_at(Expression& expression, Span span);

}  // namespace xcuda::cell
