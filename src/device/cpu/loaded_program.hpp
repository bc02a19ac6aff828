// Loaded PTX modules: the memory of their variables, and their kernels, compiled when they are first wanted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/disk_cache.hpp"
#include "device/cpu/compile_jobs.hpp"
#include "device/cpu/jit/jit.hpp"
#include "device/cpu/run/loaded_kernels.hpp"

namespace xcuda::device::cpu {

struct TranslatorOptions {
  std::string cpu;  // LLVM's name; empty is XCUDA_CPU_TARGET, else the host
  // Compiled objects of earlier processes. A key holds all that can change the object: PTX, entry, block shape, checks,
  // target, version. None: everything is compiled anew.
  DiskCache* store = nullptr;
  // Threads beside the caller's that compile kernels for later launches. 0: the caller compiles a kernel when needed.
  int threads = 0;
  std::function<void()> prepare_thread{};  // runs first on each of them
  // For tests; none: XCUDA_CPU_DISPATCH (inlined or shared), else what suits each kernel.
  std::optional<Dispatch> dispatch{};
  // For tests; none: XCUDA_CPU_TIER (quick or full), else quick then full with threads, and full without them.
  std::optional<Tier> tier{};
};

struct ProgramSource {
  std::string_view name;  // the cell it came from
  std::string_view ptx;
};

// Owns the JIT.
class Translator {
 public:
  explicit Translator(const TranslatorOptions& options = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // A program must not outlive its translator; its compiles may outlive the program. Errors: unsupported, compile,
  // memory.
  std::unique_ptr<LoadedModule> load(const ProgramSource& source);

  std::string target() const;  // "LLVM 19.1.7 (sapphirerapids, AVX-512)"
  Jit& jit();
  CompileJobs* jobs();  // null without threads

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::device::cpu
