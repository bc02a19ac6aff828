// The session as the Jupyter server's engine.
#pragma once

#include <memory>

#include "kernel/engine.hpp"

namespace xcuda {

std::unique_ptr<kernel::Engine> make_session_engine();

// What of CUDA was found on this machine, and where, on stdout; the exit code.
int doctor();

}  // namespace xcuda
