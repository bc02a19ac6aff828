// An array as pixels.
#pragma once

#include "command/draw/drawing.hpp"

namespace xcuda::command {

// side: pixels of the longer side at most; 0: 1024 of an array of more than 2 M elements.
display::ImageView image_of(Invocation& call, session::Pointer array, const cell::Word& word, std::uint64_t side);

}  // namespace xcuda::command
