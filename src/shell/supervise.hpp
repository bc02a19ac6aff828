// The process between a session and the commands of its shell. It outlives each command, sees what a command leaves
// in the background, and ends all of it when the session ends, whatever ends the session.
//
// Messages to it: {"verb": "run", "line": TEXT, "processes": how many it may have at once}, {"verb": "stop"}. From it:
// {"begun": true}, or {"failed": WHAT, "why": TEXT}; {"stream": OutputStream} with a body; at the end of the shell
// {"ended": its wait status, "left": [{"pid", "command"}], "more": how many more are left, "crowd": how many processes
// it had, when it was killed for that}.
#pragma once

#include "base/channel.hpp"

namespace xcuda::shell {

// Serves until the session is gone; the exit status of the process.
int supervise(Channel& channel);

}  // namespace xcuda::shell
