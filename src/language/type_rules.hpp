// Type rules that several functions share.
#pragma once

#include <span>

#include "language/form.hpp"

namespace xcuda::language {

using Given = std::span<const Form>;  // by parameter; Kind::nothing where it is not given

inline bool is_given(Given given, std::size_t i) { return i < given.size() && given[i].kind != Form::Kind::nothing; }

// The result for (array x [, int axis, bool keep]): a number, or an array without the axis.
Form reduced(Given given, Type type);
// The result of a reduction along an axis, which the result lacks.
Form reduced_along(const Form& x, const Form& axis, Type type);

Type sum_type(const Type& type);                   // integers are added in 64 bits
Type shared_type(const Type& a, const Type& b);    // of one type itself; without a name where there is none
Type computed_type(const Type& a, const Type& b);  // of an operator: C++'s usual conversions
Extent extent_of(const Form& form);                // of a number that is known
// The extents that are given one after the other, as a list, or as x.shape; nothing where their number is unknown.
std::optional<Extents> extents_of(std::span<const Form> given);
// An array with so many extents; with 0 a number.
Form of_rank(Type type, std::optional<std::size_t> rank);
Form of_extents(Type type, std::optional<Extents> extents);
Form spread(Type type, const Form& a, const Form& b);  // of two operands, as NumPy repeats them

}  // namespace xcuda::language
