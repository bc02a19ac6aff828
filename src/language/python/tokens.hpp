// The words and marks of a line of Python, up to its end, a comment or a semicolon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace xcuda::language {

struct PythonToken {
  enum class Kind : std::uint8_t { end, name, number, string, mark };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t begin = 0;
};

// Nothing for text that Python's expressions do not have, and for a line of more than 4 KiB.
std::optional<std::vector<PythonToken>> python_tokens(std::string_view text);

}  // namespace xcuda::language
