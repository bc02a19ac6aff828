// Programs of a session: compiled by nvcc, kept by what they were made from, run as processes of their own.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/disk_cache.hpp"
#include "base/interrupt.hpp"
#include "base/paths.hpp"
#include "compiler/compile_output.hpp"
#include "nvcc/groups.hpp"
#include "nvcc/source_file.hpp"
#include "nvcc/tools.hpp"
#include "shell/shell.hpp"

namespace xcuda::nvcc {

struct BuildRequest {
  std::vector<SourceFile> files;     // headers, too
  std::vector<std::string> options;  // of nvcc
  std::string cpu_toolkit;           // find_cpu_toolkit(), for a program of the CPU device; empty: for a GPU
};

struct Build {
  bool ok = false;
  std::filesystem::path program;
  std::vector<compiler::Diagnostic> diagnostics;
  std::string log;  // all that the tools said
};

struct RunRequest {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> under;  // the words of a tool that runs the program: compute-sanitizer --tool racecheck
  std::string input;               // a file; empty: nothing
  std::optional<std::chrono::duration<double>> limit;
  std::uint64_t processes = 0;  // how many it may have at once; 0: no limit
  enum class Gpu : std::uint8_t { there, missing } gpu = Gpu::there;
};

struct Ended {
  shell::CommandEnd end;
  bool missed_gpu = false;  // it asked CUDA for a GPU where there is none
};

class Programs {
 public:
  // cache: a folder for compiled programs; empty: they are kept as long as the session.
  Programs(compiler::ToolkitSearch search, std::filesystem::path cache);

  // A build that fails is a value with diagnostics. Errors: unsupported (no nvcc, no host compiler), io, interrupted.
  Build build(const BuildRequest& request, Interrupt& interrupt);
  // Runs in the session's folder, with stdout buffered by lines, so that output arrives while it runs. Errors: io.
  Ended run(const RunRequest& request, const shell::Shell::Output& on_output, Interrupt& interrupt);

  Groups& groups() { return groups_; }
  // A folder with these files, for a compiler that reads them later; it lives as long as the session.
  std::filesystem::path folder_with(const std::vector<SourceFile>& files);

  // The path of a tool that comes with CUDA; empty when there is none.
  std::string find_tool(const std::string& name) const;

 private:
  struct Kept {
    std::filesystem::path program;
    std::string dependencies;  // a line for each header that it was made of: size, time and path
    std::string log;
  };

  Tools tools() const;
  const std::filesystem::path& folder();
  std::string key_of(const BuildRequest& request, const Tools& tools) const;
  const Kept* find(const std::string& key);
  Build compile(const BuildRequest& request, const std::string& key, const Tools& tools, Interrupt& interrupt);
  void keep(const std::string& key, Kept kept);

  compiler::ToolkitSearch search_;
  DiskCache cache_;
  std::optional<TemporaryFolder> folder_;  // of the programs; since the first one
  std::map<std::string, Kept> kept_;
  Groups groups_;
  shell::Shell shell_;
};

}  // namespace xcuda::nvcc
