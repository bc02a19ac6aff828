// Pieces of mirrors on first touch: an access to a missing piece waits in the signal handler for the session.
#pragma once

#include <signal.h>

#include "device/device.hpp"
#include "device/piece_request.hpp"

namespace xcuda::device::cpu {

// From now on failing accesses in the window ask at the door.
void ask_for_pieces(const PieceDoor& door, const Window& window);

// For a signal handler. True when the access may be made again; false when it is a mistake, or nobody fetches pages.
bool bring_touched_piece(const siginfo_t& info, const void* context);

}  // namespace xcuda::device::cpu
