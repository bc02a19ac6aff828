// Turns mangled names (Itanium C++ ABI) into names as C++ writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xcuda {

std::optional<std::string> demangle(std::string_view symbol);  // "scale(float*, int)"; nothing if not mangled
std::string demangled(std::string_view symbol);                // the symbol itself if not mangled
std::string demangled_type(const char* name);                  // of std::type_info::name(): "int" of "i"

}  // namespace xcuda
