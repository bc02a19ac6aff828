// What can be typed at the cursor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "command/scope.hpp"

namespace xcuda::editor {

struct Match {
  std::string text;       // replaces [begin, end)
  std::string type;       // "array", "kernel", "command", "option", "function", "variable", "type", "keyword", ...
  std::string signature;  // a signature, or dtype and shape; may be empty
  std::string help{};     // a line; may be empty
};
struct Matches {
  std::vector<Match> matches;      // nearest first
  std::size_t begin = 0, end = 0;  // bytes of the code
};

// An interrupt, where one is given, ends a search that takes long: Error(interrupted).
Matches complete(std::string_view code, std::size_t cursor, const command::Scope& scope,
                 const Interrupt* interrupt = nullptr);

}  // namespace xcuda::editor
