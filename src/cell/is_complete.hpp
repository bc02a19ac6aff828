// Whether a console should run what was typed, or ask for another line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cell/tree.hpp"

namespace xcuda::cell {

struct Completeness {
  enum class Status : std::uint8_t { complete, incomplete, invalid } status = Status::complete;
  std::string indent;  // of the next line, when incomplete: four blanks for each open bracket
};

// A cell of one %%magic is complete when an empty line ends it, as in IPython: until then its body may go on.
Completeness is_complete(std::string_view text, Grammar grammar = nullptr);

}  // namespace xcuda::cell
