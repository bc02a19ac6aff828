// Names as C++ writes them, of mangled ones (Itanium C++ ABI).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xcuda {

std::optional<std::string> demangle(std::string_view symbol);  // "scale(float*, int)"; nothing when it is not mangled
std::string demangled(std::string_view symbol);                // ... and then the symbol itself
std::string demangled_type(const char* name);                  // of std::type_info::name(): "int" of "i"

}  // namespace xcuda
