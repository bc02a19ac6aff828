// A module of the fake device. Its `ptx` holds lines of `.entry <name> <bytes of each parameter>...`,
// `.variable <symbol> <bytes> <words>...` and `.constant <symbol> <bytes> <words>...`; lines that begin with // are
// ignored, anything else is refused.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace xcuda::device {

// The largest launches of the fake.
constexpr std::uint64_t kFakeThreads = 1024;     // of a block
constexpr std::uint64_t kFakeShared = 96 << 10;  // bytes of a block, when a launch asks for them

struct FakeModule {
  ModuleInfo info;
  std::vector<std::vector<std::byte>> variables;  // the memory of those in info
  bool holds(Address address, std::uint64_t size) const;
};

// knows: whether the fake has a kernel of that name. Error(compile), with the place.
FakeModule parse_fake_module(const ModuleImage& image, const std::function<bool(const std::string&)>& knows);

// Why the module does not run a launch, whatever its stream and textures; nothing when it does.
std::optional<std::string> why_refused(const LaunchRequest& request, const FakeModule& module);

}  // namespace xcuda::device
