// Starts the ranks of a session by the launcher's command, and hands the session's channel to the process of rank 0.
#pragma once

#include <string>

#include "base/channel.hpp"

namespace xcuda::device::mpi {

// The command as a shell has it, "mpirun -n 4"; the path of this program and its arguments follow. Returns the exit
// status of the command.
int start_ranks(Channel channel, const std::string& command, const std::string& program);

}  // namespace xcuda::device::mpi
