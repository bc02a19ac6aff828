// Turns a tree into text, for tests and for looking at what the parser understood. One node a line, two blanks a level.
#pragma once

#include <string>

#include "cell/tree.hpp"

namespace xcuda::cell {

std::string dump(const Cell& cell);
std::string dump(const Expression& expression);  // one line: (= x (+ (* 2.0f x) y))

}  // namespace xcuda::cell
