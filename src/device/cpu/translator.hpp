// PTX to native code: Translator owns the JIT, a Program is one loaded PTX module in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk_cache.hpp"
#include "base/error.hpp"
#include "device/cpu/kernel_abi.hpp"
#include "device/device.hpp"

namespace xcuda::ptx {
struct Module;
}

namespace xcuda::device::cpu {

// What a pointer may reach: the array that holds the pointer found at parameter_offset of the argument buffer.
// variable >= 0: a module variable instead, by index into Program::variables().
struct BoundsSlot {
  std::uint32_t parameter_offset = 0;
  std::uint32_t parameter = 0;  // index of the kernel's parameter
  int variable = -1;
};

// One instruction that may call a service.
struct AccessSite {
  std::string opcode;  // "ld.global.f32"
  Place place;         // in the cell; the innermost place that is the cell's own
  Access access = Access::unknown;
  std::uint32_t size = 0;        // bytes per lane
  std::uint32_t components = 1;  // .v2, .v4
  bool synchronises = false;     // volatile, relaxed, acquire, release: does not conflict with atomics
  enum class Space : std::uint8_t { none, global, shared, local, constant, generic } space = Space::none;
  int slot = -1;   // index into KernelCode::bounds; -1 when the origin is not known
  int cache = -1;  // index into BlockFrame::caches; -1 when there is none
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
  std::uint32_t yields = 0;     // 1: a block may wait for others, and has to be run alone and resumed
  std::uint32_t waits_for = 0;  // then: Graph::WaitsFor, what its loops wait for
  // Where lanes wait, as sites: by mask of WarpSave, and by state of a warp all of whose lanes wait for one barrier.
  std::vector<std::uint32_t> wait_sites, barrier_sites;
  std::vector<BoundsSlot> bounds;
  std::vector<AccessSite> sites;
  std::vector<SharedVariable> shared_variables;
  std::string shape;  // the block shape class, for people: "rows of 16"
  Nanoseconds translate_time = 0, compile_time = 0;
  bool from_store = false;
};

// Whether every access is told to the runtime.
inline bool recorded(const Checks& checks) { return checks.races || checks.uninitialised; }

struct KernelRequest {
  std::string_view entry;  // PTX symbol
  Dim3 grid, block;
  Checks checks;
};

// One loaded PTX module: the memory of its variables and the native code of its kernels.
class Program {
 public:
  virtual ~Program() = default;

  virtual const std::vector<FunctionInfo>& functions() const = 0;
  virtual const std::vector<VariableInfo>& variables() const = 0;
  virtual const std::uint64_t* variable_addresses() const = 0;  // for Launch::variables

  // Compiled when first asked for. Errors: unsupported (opcode, kernel, line), compile, name. One thread at a time;
  // the reference stays valid as long as the program.
  virtual const KernelCode& kernel(const KernelRequest& request) = 0;

  // The native code that kernel() makes, for people.
  virtual MachineCode machine_code(const KernelRequest& request) = 0;
};

struct TranslatorOptions {
  std::string cpu;  // LLVM's name; empty is XCUDA_CPU_TARGET, else the host
  // Compiled objects of earlier processes. A key holds all that can change the object: PTX, entry, block shape, checks,
  // target, version. None: everything is compiled anew.
  DiskCache* store = nullptr;
};

class Translator {
 public:
  explicit Translator(const TranslatorOptions& options = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // name: the cell it came from. text: the PTX that the module was parsed from; without it nothing is stored. A program
  // must not outlive its translator. Errors: unsupported, compile, memory.
  std::unique_ptr<Program> load(std::shared_ptr<const ptx::Module> module, std::string name,
                                std::string_view text = {});

  std::string target() const;  // "LLVM 19.1.7 (sapphirerapids, AVX-512)"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::device::cpu
