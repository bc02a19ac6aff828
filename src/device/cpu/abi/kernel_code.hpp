// What is known of a compiled kernel besides its code: what its services, its launches and its messages need.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/runtime_call.hpp"
#include "device/device.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// What the loops of a kernel whose blocks wait for others may wait for: nothing but mbarriers, or shared memory.
enum class WaitsFor : std::uint8_t { anything, mbarriers, shared_memory };

// How lanes that diverged find what runs next: tests at the end of each block, or one place that all blocks jump to.
enum class Dispatch : std::uint8_t { inlined, shared };

// How much time went into a kernel's code: the first launch waits for `quick` code; `full` code, made meanwhile,
// replaces it.
enum class Tier : std::uint8_t { quick, full };

// What a pointer may reach: the array that holds the pointer found at parameter_offset of the argument buffer.
// variable >= 0: a module variable instead, by index into Module::variables.
struct BoundsSlot {
  std::uint32_t parameter_offset = 0;
  std::uint32_t parameter = 0;  // index of the kernel's parameter
  int variable = -1;
};

// One instruction that may call a service.
struct AccessSite {
  ptx::Operation operation;
  Place place;  // in the cell; the innermost place that is the cell's own
  Access access = Access::unknown;
  std::uint32_t size = 0;        // bytes per lane
  std::uint32_t components = 1;  // .v2, .v4
  bool synchronises = false;     // volatile, relaxed, acquire, release: does not conflict with atomics
  enum class Space : std::uint8_t { none, global, shared, local, constant, generic } space = Space::none;
  int slot = -1;   // index into KernelCode::bounds; -1 when the origin is not known
  int cache = -1;  // index into BlockFrame::caches; -1 when there is none
  RuntimeCall runtime_call = RuntimeCall::none;
};

// A variable in shared memory, as messages name it.
struct SharedVariable {
  std::string name;
  std::uint32_t offset = 0, size = 0;  // bytes; size 0: the dynamic part
};

// A kernel compiled for one block shape class.
struct KernelCode {
  KernelFunction run = nullptr;
  std::uint32_t save_bytes = 0;     // per warp, a multiple of 64; 0 without barriers
  std::uint32_t local_bytes = 0;    // per thread, a multiple of 16
  std::uint32_t static_shared = 0;  // bytes; dynamic shared memory begins here
  std::uint32_t cached_ranges = 0;
  int tile_words = -1;       // where shared memory has the words of cooperative groups' tiles; -1: nowhere
  std::uint32_t yields = 0;  // 1: a block may wait for others, and has to be run alone and resumed
  WaitsFor waits_for = WaitsFor::anything;  // what a block that yields waits for
  Dispatch dispatch = Dispatch::inlined;
  // Where lanes wait, as sites: by mask of WarpSave, and by state of a warp all of whose lanes wait for one barrier.
  std::vector<std::uint32_t> wait_sites, barrier_sites;
  std::vector<BoundsSlot> bounds;
  std::vector<AccessSite> sites;
  std::vector<SharedVariable> shared_variables;
  std::string shape;  // the block shape class, for people: "rows of 16"
  Nanoseconds translate_time = 0, compile_time = 0;
  bool from_store = false;
  Tier tier = Tier::full;
  // For quick code: null until there is full code that may run the next block of a launch that began with this.
  const std::atomic<const KernelCode*>* better = nullptr;
};

// The code for the next block of a launch that began with `code`.
inline const KernelCode& newest(const KernelCode& code) {
  const KernelCode* better = code.better ? code.better->load(std::memory_order_acquire) : nullptr;
  return better ? *better : code;
}

// Whether the runtime is told of every access.
inline bool recorded(const Checks& checks) { return checks.races || checks.uninitialised; }

}  // namespace xcuda::device::cpu
