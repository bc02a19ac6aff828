// Long names of C++ as people read them.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::display {

constexpr std::size_t kLongName = 100;  // characters, from which a name is shortened

// Shortens a name or a type that is too long. First its scopes go (`detail::Policy<ns::T>::Tuning` is `Tuning`), then
// the parameters of a function (`scan<int>(...)`), then template arguments, the innermost ones first:
// `scan<Tuning, pair<...>>`, `scan<...>`.
std::string readable_name(std::string_view name);

}  // namespace xcuda::display
