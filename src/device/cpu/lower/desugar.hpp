// Instructions that other instructions can say, written so before PTX is parsed: jumps through a table, and barriers
// that only some of a block's threads take part in.
#pragma once

#include <string>
#include <string_view>

namespace xcuda::device::cpu {

// The same text when it has none of them. Lines keep their numbers.
std::string desugared(std::string_view ptx);

}  // namespace xcuda::device::cpu
