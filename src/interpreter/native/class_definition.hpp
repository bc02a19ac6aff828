#pragma once

#include <cstdint>
#include <string_view>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

// The definition of a struct in a cell that a type comes from, of a class template its most special one; null: none.
const Definition* class_definition(session::Session& session, const Type& type);
// Whether the text of a struct has "static int n;".
bool declares_static(std::string_view definition, std::string_view name);
// Whether it has "const int n;" or "float* const p;", whose elements are not const.
enum class Written : std::uint8_t { member, element };
bool declares_constant(std::string_view definition, std::string_view name, Written what);
// Error(type) where what is assigned to, s.v[1].n, is or is in a member that its struct declares const.
void require_no_constant_member(Frame& frame, const cell::Expression& target);

}  // namespace xcuda::interpreter
