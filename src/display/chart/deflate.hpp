// Text that a file holds compressed, as by zlib.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::display {

std::string deflated(std::string_view text);  // Error(memory)

}  // namespace xcuda::display
