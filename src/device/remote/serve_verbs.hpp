// The verbs of protocol.hpp, as they are decoded and done by a device in this process.
#pragma once

#include <span>
#include <vector>

#include "device/device.hpp"
#include "device/remote/protocol.hpp"

namespace xcuda::device::remote {

// All but `open`, and the verbs of shared words, which are the worker's own. Errors: internal (malformed), and what the
// device throws.
void serve_post(Device& device, Verb verb, std::span<const std::byte> payload);
// The encoded value. Files come with the call, and go out with the answer.
std::vector<std::byte> serve_call(Device& device, Verb verb, std::span<const std::byte> arguments,
                                  std::vector<File>& files, std::vector<File>& out);

}  // namespace xcuda::device::remote
