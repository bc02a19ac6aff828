// The exceptions of C++'s library, which statements hold as records: "struct std::out_of_range".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::cell {

struct StandardException {
  std::string_view name;  // after std::
  std::string_view base;  // likewise; empty for std::exception
  std::string_view text;  // what() of one that no text is given to; empty for one that is made of a text
};
const std::vector<StandardException>& standard_exceptions();
bool is_standard_exception(std::string_view word);  // "out_of_range"
// Null for other names: "std::out_of_range".
RecordPtr standard_exception(std::string_view name);

// The member that has the text, which no cell can name.
inline constexpr std::string_view kWhat = "what()";

}  // namespace xcuda::cell
