#include "nvcc/tools.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <vector>

#include "base/file_stamp.hpp"
#include "base/paths.hpp"
#include "base/sanitizers.hpp"

namespace xcuda::nvcc {
namespace {

namespace fs = std::filesystem;

bool can_run(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string find_in_path(const std::string& name, const compiler::SearchEnvironment& environment) {
  std::istringstream folders(environment.variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && can_run(fs::path(folder) / name)) return fs::path(folder) / name;
  return {};
}

// bin/ of a toolkit; in a folder of NVIDIA's wheels that of cu13, or of a package.
std::string find_in_root(const fs::path& root, const std::string& name) {
  for (const char* folder : {"bin", "cu14/bin", "cu13/bin", "cuda_nvcc/bin"})
    if (can_run(root / folder / name)) return root / folder / name;
  return {};
}

// As nvcc chooses it: NVCC_CCBIN is a compiler or the folder of g++.
std::string find_host_compiler(const compiler::SearchEnvironment& environment) {
  const auto chosen = environment.variable("NVCC_CCBIN").value_or("");
  if (chosen.empty()) return find_in_path("g++", environment);
  if (can_run(fs::path(chosen) / "g++")) return fs::path(chosen) / "g++";
  if (chosen.find('/') == std::string::npos) return find_in_path(chosen, environment);
  return can_run(chosen) ? chosen : std::string();
}

}  // namespace

std::string find_cuda_program(const std::string& name, const compiler::ToolkitSearch& search,
                              const compiler::SearchEnvironment& environment) {
  if (search.toolkit)
    if (auto path = find_in_root(search.toolkit->root, name); !path.empty()) return path;
  for (const auto& tried : search.tried)
    if (auto path = find_in_root(tried.path, name); !path.empty()) return path;
  return find_in_path(name, environment);
}

std::string find_cpu_toolkit() {
  if (kAddressSanitizer || kThreadSanitizer) return {};  // a library that is compiled so needs a program that is, too
  const auto worker = find_sibling_program("xcuda-cpu");
  if (!worker) return {};
  const auto root = (worker->parent_path() / "../lib/xcuda/toolkit").lexically_normal();
  std::error_code failed;
  return can_run(root / "bin/nvcc") && fs::exists(root / "lib64/libcudart.so.13", failed) ? root.string()
                                                                                          : std::string();
}

std::vector<std::string> cpu_toolkit_environment(const compiler::SearchEnvironment& environment) {
  const auto root = find_cpu_toolkit();
  if (root.empty()) return {};
  const auto in_front = [&](const char* variable, const std::string& folder, const char* usual) {
    const auto rest = environment.variable(variable).value_or(usual);
    return fmt::format("{}={}{}{}", variable, folder, rest.empty() ? "" : ":", rest);
  };
  return {in_front("PATH", root + "/bin", "/usr/local/bin:/usr/bin:/bin"),
          in_front("LIBRARY_PATH", root + "/lib64", ""), in_front("LD_LIBRARY_PATH", root + "/lib64", ""),
          in_front("CMAKE_LIBRARY_PATH", root + "/lib64", "")};
}

Tools find_tools(const compiler::ToolkitSearch& search, const compiler::SearchEnvironment& environment) {
  Tools tools;
  tools.nvcc = find_cuda_program("nvcc", search, environment);
  tools.host_compiler = find_host_compiler(environment);
  tools.stdbuf = find_in_path("stdbuf", environment);
  tools.fingerprint = file_stamp(tools.nvcc) + file_stamp(tools.host_compiler);
  if (!tools.nvcc.empty()) {
    const auto bin = fs::path(tools.nvcc).parent_path();
    for (const auto& part : {bin / "nvcc.profile", bin / "ptxas", bin / "../nvvm/bin/cicc"})
      tools.fingerprint += file_stamp(part);
  }
  return tools;
}

std::string describe(const Tools& tools) {
  const auto line = [](const char* name, const std::string& path, const char* advice) {
    return fmt::format("  {:<14} {}\n", name, path.empty() ? fmt::format("not found. {}", advice) : path);
  };
  return line("nvcc", tools.nvcc, kNvccAdvice) + line("g++", tools.host_compiler, kHostCompilerAdvice);
}

}  // namespace xcuda::nvcc
