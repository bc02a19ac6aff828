// A compiler's diagnostics, drawn as an error's excerpts are.
#pragma once

#include <vector>

#include "compiler/compile_output.hpp"
#include "display/bundle.hpp"
#include "display/styled_text.hpp"

namespace xcuda::display {

// Diagnostics with excerpt and caret, and notes below each; the text ends with a newline unless empty.
StyledText styled_diagnostics(const std::vector<compiler::Diagnostic>& diagnostics);
nlohmann::json diagnostics_json(const std::vector<compiler::Diagnostic>& diagnostics);
nlohmann::json place_json(const Place& place);

// For warnings beside a successful compile.
Bundle diagnostics_bundle(const std::vector<compiler::Diagnostic>& diagnostics);

}  // namespace xcuda::display
