// What the parser is told of magics: one of each kind.
#pragma once

#include "cell/parse.hpp"

namespace xcuda::cell {

inline MagicText sample_grammar(std::string_view name, MagicShape shape) {
  if (name == "kernel" && shape == MagicShape::cell) return MagicText::device_code;
  return name == "launch" ? MagicText::statements : name == "alloc" ? MagicText::declarations : MagicText::words;
}

}  // namespace xcuda::cell
