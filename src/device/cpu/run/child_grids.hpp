// Dynamic parallelism: what the threads of one grid ask of the CUDA Runtime. Grids, copies and fills begin when the
// grid that asked for them has ended: no thread can wait for one, so this is an order that CUDA allows for every
// stream.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/cpu/abi/kernel_abi.hpp"
#include "device/device.hpp"

namespace xcuda::device::cpu {

// The values of cudaError_t that functions called by kernels return.
enum class RuntimeError : std::uint32_t {
  none = 0,
  invalid_value = 1,
  no_memory = 2,
  invalid_configuration = 9,
  too_deep = 65,
  too_many = 69,
  invalid_function = 98,
  invalid_handle = 400,
  out_of_resources = 701,
};
const char* name_of(std::uint32_t error);    // "cudaErrorInvalidValue"
const char* string_of(std::uint32_t error);  // "invalid argument"

// The thread that asked, and where in the cell.
struct Asking {
  std::uint64_t thread = 0, block = 0;  // by number, in the grid
  Dim3 block_index{}, thread_index{};
  const Place* place = nullptr;  // of a kernel's code
};

struct ChildWork {
  enum class Kind : std::uint8_t { grid, copy, fill } kind = Kind::grid;
  Asking from_thread{};
  int depth = 0;                 // of the grid: 1 for one that the launch's own grid launched
  std::string parent{};          // the kernel that asked for it
  std::string asked_by() const;  // "quicksort, block (0, 0, 0), thread (3, 0, 0), at In[3], line 7"
  // A grid:
  const FunctionInfo* function = nullptr;
  Dim3 grid{}, extents{};
  std::uint32_t shared = 0;  // bytes, dynamic
  std::vector<std::byte> arguments{};
  // A copy or a fill:
  Address to = 0, from = 0;
  std::uint64_t bytes = 0;
  std::byte value{};
};

// Threads of the grid may call it at the same time.
class ChildGrids {
 public:
  // depth: how many grids, one launched by the other, are above it. parent: its kernel.
  void begin(std::string parent, int depth);

  struct Wanted {
    const FunctionInfo* function = nullptr;  // null: no kernel
    Dim3 grid, block;
    std::uint32_t shared = 0;
  };
  Address buffer(const Wanted& wanted, const Asking& asking);  // for its arguments; 0 for an unknown kernel
  RuntimeError launch(Address buffer, std::uint64_t stream, const Asking& asking);
  RuntimeError add(ChildWork work, std::uint64_t stream, const Asking& asking);  // a copy or a fill
  std::optional<AddressRange> find(Address address);                             // the buffer that it is in

  // Streams and events, which order nothing more than a grid's end does, are numbers.
  std::uint64_t create();
  RuntimeError check(std::uint64_t handle, const Asking& asking);         // checks that it was created
  RuntimeError check_stream(std::uint64_t stream, const Asking& asking);  // checks that it was created, or has a name
  RuntimeError destroy(std::uint64_t handle, const Asking& asking);

  // The thread's last error. Asking for it counts as having seen it.
  RuntimeError fail(RuntimeError error, const Asking& asking, RefusedLaunch why = {});
  RuntimeError last_error(std::uint64_t thread);
  void forget_error(std::uint64_t thread);

  // After the grid has ended: the work that begins now, the first last, and an error that its thread has not asked for.
  std::vector<ChildWork> take();
  std::optional<RefusedLaunch> unseen() const;

 private:
  struct Buffer {
    Wanted wanted;
    std::vector<std::byte> memory;
  };
  struct Failure {
    RuntimeError error{};
    bool seen = false;
    RefusedLaunch why{};
  };
  RuntimeError queue(ChildWork work, std::uint64_t stream, const Asking& asking);

  std::string parent_;
  int depth_ = 0;
  std::mutex mutex_;
  std::atomic<bool> used_{false};
  std::map<Address, Buffer> buffers_;
  std::set<std::uint64_t> handles_;
  std::uint64_t last_handle_ = 0;
  std::vector<ChildWork> ordinary_, tail_;
  std::map<std::uint64_t, Failure> failures_;  // by thread
};

}  // namespace xcuda::device::cpu
