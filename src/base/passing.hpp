// System calls that fail for a moment only: a signal came, or the kernel was short of memory.
#pragma once

#include <poll.h>

#include <span>

namespace xcuda {

// Whether a call that failed so is worth making again. Where memory is short it returns after a pause.
bool passes(int number);

// poll() whose failure passes counts as a wait that is over: the caller looks, and waits again. -1 is a mistake of the
// caller's, with errno.
int poll_once(std::span<pollfd> items, int timeout);  // milliseconds; -1: without a limit

}  // namespace xcuda
