// The layout of a type that only NVRTC can know: size, alignment, members with their types and offsets. Asked with
// constants that end up in the PTX, and with name expressions for the types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "compiler/nvrtc_library.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::compiler {

// Names of the data members in a class's definition, "struct P { int a; float b[3]; };": those that are in its own
// body, without static ones and bit fields.
std::vector<std::string> member_names(std::string_view definition);

// Adds the constants and expressions to a job whose source holds the type and the helper of signature.hpp.
void add_layout(const TypeQuery& query, NvrtcJob& job);

std::optional<TypeLayout> read_layout(const TypeQuery& query, const ptx::Module& module,
                                      const std::vector<std::pair<std::string, std::string>>& lowered_names);

}  // namespace xcuda::compiler
