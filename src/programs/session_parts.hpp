// What a session is made of on this machine: the compiler's process and the devices' processes.
#pragma once

#include <functional>
#include <memory>

#include "base/paths.hpp"
#include "compiler/compiler_client.hpp"
#include "session/session.hpp"

namespace xcuda {

struct Machine {
  std::unique_ptr<compiler::CompilerClient> compiler;
  std::optional<TemporaryFolder> folder;  // the session's own; empty when it cannot be made
};
Machine make_machine();
session::SessionParts make_parts(Machine& machine, const std::function<device::WaitRequest()>& limits);

}  // namespace xcuda
