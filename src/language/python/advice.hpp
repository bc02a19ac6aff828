// Advice for cells in the style of Python and NumPy: the line as it is written here. It is given only where that line
// has no error.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "language/environment.hpp"

namespace xcuda::language {

enum class Stage : std::uint8_t { parse, check };  // the stage that found the errors

// The errors of a cell, in the order of its text; those of one translated line become one.
std::vector<Error> with_python_advice(std::vector<Error> errors, const cell::Source& source, Stage stage,
                                      cell::Grammar grammar, Environment& environment);

}  // namespace xcuda::language
