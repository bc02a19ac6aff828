// The compiler as the session sees it: caches first, then the process xcuda-compile, which is started early, killed
// when it hangs or when the user interrupts, and replaced when it is gone.
#pragma once

#include <memory>
#include <string>

#include "base/worker.hpp"
#include "compiler/compile_output.hpp"
#include "compiler/toolkit.hpp"

namespace xcuda::compiler {

struct ClientOptions {
  std::string program;         // path of xcuda-compile
  ToolkitSearch search;        // find_toolkit(current_environment())
  std::string own_includes;    // own_include_folder(...)
  std::string cache_folder;    // cache_folder("compile") of base/paths.hpp; empty: no disk cache
  std::string session_folder;  // private to the session, deleted by it: precompiled headers live here; empty: no --pch
};

struct CacheCounts {
  std::uint64_t memory_hits = 0, disk_hits = 0, misses = 0;
};

class CompilerClient {
 public:
  explicit CompilerClient(ClientOptions options);  // starts nothing
  ~CompilerClient();                               // ends the process
  CompilerClient(CompilerClient&&) noexcept;
  CompilerClient& operator=(CompilerClient&&) noexcept;

  void start();  // the process, so that NVRTC is loaded when the first cell comes; returns at once, never throws

  // A compile that fails is a value with ok = false and diagnostics. Errors: interrupted (also on the deadline);
  // compile: NVRTC crashed, or there is no toolkit.
  CompileOutput compile(const CompileRequest& request, const WaitLimits& limits);

  int process() const;  // pid of xcuda-compile; 0 when none runs
  const ToolkitSearch& search() const;
  CacheCounts cache_counts() const;
  void forget();  // the memory cache, for %reset and tests

 private:
  CompileOutput compile_as_it_is(const CompileRequest& request, const WaitLimits& limits);  // without whole_source

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::compiler
