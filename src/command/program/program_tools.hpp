// Tools of CUDA that run a program: compute-sanitizer, Nsight Compute, Nsight Systems.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/paths.hpp"
#include "command/invocation.hpp"
#include "nvcc/programs.hpp"

namespace xcuda::command {

// The tool that --sanitize, --profile, -p, --check, --race and --init ask for.
class ProgramTool {
 public:
  // Error(unsupported) when the tool is not on this machine, or there is no GPU (why not: no_gpu).
  ProgramTool(Invocation& call, const std::string& no_gpu);

  // Options that the compile gets for the tool.
  std::vector<std::string> compiler_options() const;
  std::vector<std::string> words() const;  // in front of the program
  // Shows the tool's findings. Errors: device, when the sanitizer found errors.
  void finish(const nvcc::Ended& ended) const;

 private:
  enum class Kind : std::uint8_t { none, sanitizer, ncu, nsys } kind_ = Kind::none;
  Error missing(std::string_view tool, std::string_view package) const;
  void show_table(const nvcc::Ended& ended) const;
  std::string report() const;  // the tool's table of kernels, as it wrote it

  Invocation& call_;
  std::string path_, check_;            // of the tool; of the sanitizer: "racecheck"
  std::string device_checks_;           // of the CPU device: "check race init"
  std::vector<std::string> arguments_;  // of the profiler, the user's own: its output is shown as it is
  std::optional<TemporaryFolder> folder_;
};

// "a 'b c' d" -> a, b c, d
std::vector<std::string> split_option_text(std::string_view text);

}  // namespace xcuda::command
