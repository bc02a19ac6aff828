// The host modules of this process, and calls of their functions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/shared_library.hpp"
#include "device/device.hpp"
#include "device/host_call.hpp"

namespace xcuda_module {
struct Table;
}

namespace xcuda::device {

class HostModules {
 public:
  // Errors: value (the id is taken), unsupported (the loader refuses it; made for another version).
  HostModuleInfo load(const HostModuleImage& image);
  void unload(ModuleId id);  // Error(value)
  void clear() { modules_.clear(); }

  // Runs the function on this thread and leaves its results in the staging buffer. Nothing where that went well.
  // stream: a stream as the CUDA Runtime knows it.
  std::optional<RefusedLaunch> call(const HostCall& call, std::span<std::byte> staging,
                                    const std::function<void*(StreamId)>& stream);

 private:
  struct Loaded {
    std::string path;
    SharedLibrary library;
    const xcuda_module::Table* table = nullptr;
  };
  std::map<ModuleId, Loaded> modules_;
};

}  // namespace xcuda::device
