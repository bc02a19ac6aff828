#pragma once

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

// The definition of a struct in a cell that a type comes from, of a class template its most special one; null: none.
const Definition* class_definition(session::Session& session, const Type& type);

}  // namespace xcuda::interpreter
