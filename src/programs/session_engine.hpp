// The session as the Jupyter server's engine.
#pragma once

#include <memory>

#include "kernel/engine.hpp"

namespace xcuda {

std::unique_ptr<kernel::Engine> make_session_engine();

// Prints which parts of CUDA were found on this machine, and where; returns the exit code.
int doctor();

}  // namespace xcuda
