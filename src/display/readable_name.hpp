// Long names of C++ as people read them.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::display {

constexpr std::size_t kLongName = 100;  // characters, from which a name is shortened

// A name, or a type, that is not too long is left as it is. Of others the scopes go (`detail::Policy<ns::T>::Tuning` is
// `Tuning`), then the parameters of a function (`scan<int>(...)`), then, from the innermost ones on, what templates are
// made with: `scan<Tuning, pair<...>>`, `scan<...>`.
std::string readable_name(std::string_view name);

}  // namespace xcuda::display
