// Text that a file or a program wrote may hold control characters. A terminal would obey them, and XML does not allow
// them.
#pragma once

#include <string>
#include <string_view>

namespace xcuda {

// Shows each control character as its picture, which is as wide as a letter: ESC is ␛. Tabs and ends of lines stay;
// characters without a picture (0x80 to 0x9F) become U+FFFD.
std::string show_controls(std::string_view text);

}  // namespace xcuda
