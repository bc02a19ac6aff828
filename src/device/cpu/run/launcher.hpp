// Runs one launch: compiles its kernel if need be, lays out what generated code reads of it, and runs its blocks.
#pragma once

#include "device/cpu/run/block_runner.hpp"
#include "device/cpu/run/loaded_kernels.hpp"
#include "device/cpu/run/outcomes.hpp"
#include "device/cpu/watch/shadow.hpp"

namespace xcuda::device::cpu {

struct LauncherParts {
  AddressSpace& space;
  Outcomes& outcomes;
  ThreadPool& pool;
  TextSink output, error_output;  // of kernels
};

class Launcher {
 public:
  explicit Launcher(LauncherParts parts) : parts_(std::move(parts)), runner_(parts_.pool) {}

  // Runs a kernel of the program, whose limits were checked, and the grids that it launches. An interrupt ends the wait
  // for its code: then it is skipped. Errors: unsupported, compile.
  void run(const LaunchRequest& request, LoadedModule& program, Pace& pace);
  const CompileWait& wait() const { return wait_; }  // for code

  void set_limit(Limit limit, std::uint64_t bytes);
  std::uint64_t limit(Limit limit) const;

 private:
  struct Grids;
  void run_grid(Grids& grids, const LaunchRequest& request, const KernelCode& code, const ChildWork* launched);
  void run_child(Grids& grids, const ChildWork& work);
  void transfer(const LaunchRequest& request, const ChildWork& work) const;
  void cut(const LaunchRequest& request, std::string_view where) const;
  void lay_out(LaunchState& state, const LoadedModule& program, const std::vector<AddressRange>& bounds) const;
  std::vector<AddressRange> bounds_of(const LaunchRequest& request, const LoadedModule& program,
                                      const KernelCode& code) const;
  void note_written(const LaunchState& state, const std::vector<AddressRange>& bounds) const;

  LauncherParts parts_;
  std::uint64_t printf_buffer_ = 16 << 20, stack_size_ = 1024;  // bytes
  const CompileWait wait_{[this] { return parts_.outcomes.stopping(); },
                          [this](std::string_view what) { parts_.outcomes.doing(what); }};
  BlockRunner runner_;
  Shadows shadows_;
};

}  // namespace xcuda::device::cpu
