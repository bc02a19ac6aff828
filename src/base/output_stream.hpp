// Which of a program's two outputs a text is of.
#pragma once

#include <cstdint>

namespace xcuda {

enum class OutputStream : std::uint8_t { out, err };

}  // namespace xcuda
