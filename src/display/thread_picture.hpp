// A block of threads as a small picture in text: a character for each thread.
#pragma once

#include <vector>

#include "device/dim3.hpp"
#include "display/styled_text.hpp"

namespace xcuda::display {

struct MarkedThreads {
  device::Dim3 block;                 // extents
  std::vector<device::Dim3> threads;  // indices of those that are marked
};

// Rows of a block of one dimension are one or two warps; rows of other blocks are the block's, if they are not too
// long. Each ends with the numbers of its threads. A warp without a marked thread is blank: it may not have got there.
StyledText thread_picture(const MarkedThreads& marked);

}  // namespace xcuda::display
