// What several functions give, by what they are given.
#pragma once

#include <span>

#include "language/form.hpp"

namespace xcuda::language {

using Given = std::span<const Form>;  // by parameter; Kind::nothing where it is not given

inline bool is_given(Given given, std::size_t i) { return i < given.size() && given[i].kind != Form::Kind::nothing; }

// Of (array x [, int axis, bool keep]): a number, or an array without the axis.
Form reduced(Given given, Type type);

}  // namespace xcuda::language
