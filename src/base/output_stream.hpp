// Words about the outputs of a program or cell.
#pragma once

#include <cstdint>

namespace xcuda {

enum class OutputStream : std::uint8_t { out, err };
enum class Clear : std::uint8_t { now, with_next };  // the outputs so far go at once, or when the next one comes

}  // namespace xcuda
