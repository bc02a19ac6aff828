// What a session gives the worker that it starts: the shared memory, its bells and the staging buffer.
#pragma once

#include <optional>
#include <vector>

#include "base/channel.hpp"
#include "base/shared_memory.hpp"
#include "device/remote/ring.hpp"
#include "device/remote/stop_watch.hpp"
#include "device/start.hpp"

namespace xcuda::device::remote {

struct Opened {
  AreaMapping area;
  File doorbell;
  SharedMapping staging;
  StopWatch* stop = nullptr;  // never destroyed: its thread lives as long as the process
  File piece_bell;
  StartRequest start;
};

// Reads the session's first message; nothing where it has another version of the protocol.
std::optional<Opened> open(const Message& message, std::vector<File> files);

}  // namespace xcuda::device::remote
