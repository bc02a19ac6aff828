// Names that nvcc declares without an include and NVRTC does not: the header for each.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace xcuda::compiler {

// What `<=>` needs is a header, too, although it is not a name.
inline constexpr const char* kSpaceship = "<=>";
inline bool compares(std::string_view text) { return text.find(kSpaceship) != text.npos; }

// The headers that give the names among `used`, each once.
std::vector<std::string_view> headers_on_demand(const std::unordered_set<std::string>& used);

bool wants_wide_integers(const std::unordered_set<std::string>& used);  // which nvcc has without being asked
// Texture types and what CUDA's runtime declares for device code are the costly part of what NVRTC declares by itself;
// a cell without these names and without includes compiles quicker with --minimal.
bool wants_runtime_declarations(const std::unordered_set<std::string>& used);

}  // namespace xcuda::compiler
