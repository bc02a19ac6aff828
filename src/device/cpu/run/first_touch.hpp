// Pieces of mirrors on first touch: the access that finds nothing waits in the signal handler until the session has
// brought the piece.
#pragma once

#include <signal.h>

#include "device/device.hpp"
#include "device/piece_request.hpp"

namespace xcuda::device::cpu {

// From now on accesses in the window that fail ask at the door.
void ask_for_pieces(const PieceDoor& door, const Window& window);

// Of a signal handler. True when the access may be made again; false when it is a mistake, or nobody is asked.
bool bring_touched_piece(const siginfo_t& info, const void* context);

}  // namespace xcuda::device::cpu
