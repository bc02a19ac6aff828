#pragma once

#include <string_view>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

// The definition of a struct in a cell that a type comes from, of a class template its most special one; null: none.
const Definition* class_definition(session::Session& session, const Type& type);
// Whether the text of a struct has "static int n;".
bool declares_static(std::string_view definition, std::string_view name);

}  // namespace xcuda::interpreter
