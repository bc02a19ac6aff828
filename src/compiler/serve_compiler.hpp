// The loop of xcuda-compile: requests from the session's socket to a Compiler, one at a time.
#pragma once

#include "base/channel.hpp"

namespace xcuda::compiler {

// Verbs: open {toolkit, own_includes, cache_folder}, which is not answered; compile {request, key}, answered with
// {output} or {error}; stop, which cancels the compile under way and is ignored otherwise. Returns when the session
// has closed the socket.
void serve(Channel& channel);

}  // namespace xcuda::compiler
