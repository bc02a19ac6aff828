// The conditions of preprocessor lines around statements: #if, #ifdef, #ifndef, #elif. Device code's are NVRTC's.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::cell {

using Macros = std::map<std::string, std::string, std::less<>>;  // name -> value, of those without parameters

// One with parameters.
struct Macro {
  std::vector<std::string> parameters;  // the last one may be "..."
  std::string replacement;
  bool takes(std::size_t arguments) const;
};

inline constexpr int kRuntimeVersion = 13000;  // CUDART_VERSION

// The macros that host compilers define on CUDA's machines, and the toolkit's versions.
const Macros& predefined_macros();

// name: "if", "ifdef", "elif", ...; rest: what follows it. Unknown names are 0, as in C++.
bool holds(std::string_view name, std::string_view rest, const Macros& macros);

}  // namespace xcuda::cell
