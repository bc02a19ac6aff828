// Where a line of device code reaches memory, by its text alone: a device knows the line of an access, and the column
// that NVRTC gives is where the line begins.
#pragma once

#include <string_view>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::cell {

struct LineAccess {
  Span span;              // "tile[y][x]", "*p", "node->next", "total", "atomicAdd(&x[i], 1)"
  std::string_view name;  // the variable that it begins with; empty for another expression
  enum class Kind : std::uint8_t {
    plain,
    atomic,
    name,  // a variable by its name alone, which may be in a register
  } kind = Kind::plain;
  bool reads = false, writes = false;
};
std::vector<LineAccess> accesses_of_line(std::string_view line);

// Calls of functions whose names begin with `name`, members included: "__syncthreads()", "block.sync()".
std::vector<Span> calls_of_line(std::string_view line, std::string_view name);

// From the first token to the last: without blanks and comments.
Span code_of_line(std::string_view line);

}  // namespace xcuda::cell
