// The names in a text that is being typed: the session does not know yet what the cell itself defines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"

namespace xcuda::editor {

struct OwnWord {
  std::string text;
  std::string_view type;    // "kernel", "function", "type", "macro", "namespace", "variable"
  std::string declaration;  // "__global__ void k(float* x)", "float y"; empty where the text only uses it
};
// The names that begin with `prefix`, in the order of the text, each once; without those in comments and strings, the
// one at the cursor, members (p.x), words of CUDA C++, and single letters.
std::vector<OwnWord> own_words(std::string_view text, std::size_t cursor, std::string_view prefix,
                               const Interrupt* interrupt);

}  // namespace xcuda::editor
