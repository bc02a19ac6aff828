// NVRTC, opened at run time. nvrtc_library.cpp is the one file that knows its interface.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace xcuda::compiler {

struct NvrtcJob {
  std::string name, source;          // no NUL bytes
  std::vector<std::string> options;  // all of them, architecture included
  std::vector<std::string> name_expressions;
  std::function<bool()> cancelled;  // asked now and then where NVRTC can be stopped; may be empty
};

struct NvrtcResult {
  enum class Status { ok, failed, bad_option, cancelled, internal } status = Status::ok;
  std::string message;  // NVRTC's name of the status: "NVRTC_ERROR_COMPILATION"
  std::string log;      // as NVRTC wrote it
  std::string ptx;
  std::vector<std::byte> cubin;  // empty for a virtual architecture
  std::vector<std::byte> lto;    // with --dlink-time-opt, instead of both
  std::vector<std::pair<std::string, std::string>> lowered_names;
  std::size_t pch_heap_wanted = 0;  // bytes; set when the heap for precompiled headers was too small
};

class NvrtcLibrary {
 public:
  // path of the library, or a bare name for the loader. Errors: compile (missing, too old, not NVRTC).
  explicit NvrtcLibrary(const std::string& path);
  ~NvrtcLibrary();
  NvrtcLibrary(NvrtcLibrary&&) noexcept;
  NvrtcLibrary& operator=(NvrtcLibrary&&) noexcept;

  int major() const;
  int minor() const;
  std::string version() const;             // "13.0"
  bool can_precompile() const;             // --pch, 12.8 and newer
  std::vector<int> architectures() const;  // 75, 80, ...: those it can compile for, ascending
  void grow_pch_heap(std::size_t bytes);
  // Puts the CUDA headers that NVRTC 13.3 and newer holds into a folder and its subfolder cccl, unless they are there;
  // some 25 MB. False where it has none, or the folder cannot be written.
  bool install_headers(const std::string& folder) const;

  NvrtcResult compile(const NvrtcJob& job);

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace xcuda::compiler
