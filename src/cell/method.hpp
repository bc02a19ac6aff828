// A function that is called like a member: x.sum(axis = 0) is sum(x, axis = 0). And v.rend(), which the parser reads as
// std::make_reverse_iterator(v.begin()).
#pragma once

#include <string_view>

#include "cell/tree.hpp"

namespace xcuda::cell {

// Its parts have the places that they have in the text; the whole has that of the call.
ExpressionPtr copy_of(const Expression& expression);
ExpressionPtr as_function(const Call& call, const Member& member, Span span);

struct ReverseMethod {
  std::string_view name, from;
};
inline constexpr ReverseMethod kReverseMethods[] = {
    {"rbegin", "end"}, {"crbegin", "cend"}, {"rend", "begin"}, {"crend", "cbegin"}};
// The v.begin() of v.rend() as the parser has it; null for other calls, std::make_reverse_iterator(v.begin()) as well.
const Member* reversed_member(const Call& call);
std::string_view reverse_name(const Member& reversed);                                 // "rend" of v.begin()
ExpressionPtr as_reverse_method(const Call& call, const Member& reversed, Span span);  // v.rend() as it is written

}  // namespace xcuda::cell
