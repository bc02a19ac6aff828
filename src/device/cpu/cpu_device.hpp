// The CPU device: kernels on the host's cores, translated from PTX.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/shared_memory.hpp"
#include "device/device.hpp"
#include "device/start.hpp"

namespace xcuda::device::cpu {

struct CpuOptions {
  int threads = 0;  // threads that run blocks; 0: XCUDA_CPU_THREADS, else all that this process may use
  enum class Store : std::uint8_t { user, none } store = Store::user;  // where compiled objects are kept
  Reserve pages = Reserve::now;                                        // of arrays
  std::function<void(std::string_view)> output, error_output;          // of kernels; none: file descriptors 1 and 2
};

// For a runtime that keeps the order of streams itself and posts everything to stream 0: launches beside the one whose
// turn it is, which may wait for them or leave threads without work. Any thread may call it.
class Beside {
 public:
  virtual ~Beside() = default;

  // Tells of an array that launches beside may use from now on; post_name_range() follows.
  virtual void name(const ArrayRange& range) = 0;
  // Whether the launches that run have left a thread without work so long, as they have few blocks, or these wait.
  virtual bool has_room(std::chrono::steady_clock::duration time) = 0;
  // Takes a posted launch out of the queue, which waits where it was until it has ended. False: it has begun.
  virtual bool claim(std::uint64_t number) = 0;
  virtual std::uint64_t ended() = 0;  // the number of the last launch whose turn is over
  // Runs a launch to its end, on threads of its own, and says what synchronize() will say. Nothing goes on after a
  // fault. Errors: unsupported, compile.
  virtual Completion launch(const LaunchRequest& request) = 0;
  virtual void end() = 0;  // nothing begins any more, and what runs ends after the blocks that run now
};
Beside& beside(Device& cpu_device);

// The literals of a module, which its kernels may have pointers to, and load_module() does not list. Errors: value.
std::vector<VariableInfo> texts_of(Device& cpu_device, ModuleId id);

// The range with a name that holds the address.
std::optional<ArrayRange> find_range(Device& cpu_device, Address address);

// synchronize() reports a fault. If there is a fault record the fault is also written there, and the process has to end
// itself; signals of generated code then are faults too and end the process at once. Errors: memory.
std::unique_ptr<Device> make_cpu_device(const StartRequest& request, const CpuOptions& options = {});

}  // namespace xcuda::device::cpu
