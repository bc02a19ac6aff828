// The native code of a kernel on the CPU device.
#pragma once

#include "command/invocation.hpp"

namespace xcuda::command {

// Shows the code for blocks of --block and with the checks of the command's options, where it has them.
void show_machine_code(Invocation& call, const session::Kernel& kernel);

}  // namespace xcuda::command
