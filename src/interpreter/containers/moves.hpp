// std::move(x) where a value is made of it: x is as C++'s library, or its type's own constructor, leaves it.
#pragma once

#include <optional>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

// Whether it is written std::move(x), which the parser has as x at the place of the whole.
bool is_moved(const cell::Source& source, const cell::Expression& expression);
// What is made of x; nothing where moving is copying.
std::optional<Value> moved(Frame& frame, const cell::Expression& expression);

}  // namespace xcuda::interpreter
