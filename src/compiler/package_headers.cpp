#include "compiler/package_headers.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/text.hpp"
#include "compiler/user_headers.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

struct Package {
  std::vector<std::string_view> headers;    // names, or folders with their "/"
  std::string_view wheel;                   // for %pip install
  std::vector<std::string_view> variables;  // that name its root
  std::vector<std::string_view> places;     // its headers, below a folder of Python's packages
  std::vector<std::string_view> below;      // its headers, below its root
};

const std::vector<Package>& packages() {
  static const std::vector<Package> all{{{"cute/", "cutlass/"},
                                         "nvidia-cutlass",
                                         {"CUTLASS_HOME", "CUTLASS_PATH"},
                                         {"cutlass_library/source/include", "nvidia/mathdx/external/cutlass/include"},
                                         {"include", "external/cutlass/include"}},
                                        {{"cublasdx.hpp", "cufftdx.hpp", "curanddx.hpp", "cusolverdx.hpp", "cublasdx/",
                                          "cufftdx/", "curanddx/", "cusolverdx/", "commondx/"},
                                         "nvidia-mathdx",
                                         {"MATHDX_ROOT"},
                                         {"nvidia/mathdx/include"},
                                         {"include"}}};
  return all;
}

const Package* package_of(std::string_view name) {
  for (const auto& package : packages())
    for (const auto header : package.headers)
      if (header.ends_with('/') ? name.starts_with(header) : name == header) return &package;
  return nullptr;
}

// cuSolverDx's routines are LTO code, which its archive has beside the headers.
constexpr std::string_view kSolverHeader = "cusolverdx.hpp", kSolverCode = "lib/libcusolverdx.fatbin";

// cuBLASDx and the others include CuTe, and take the version in their own package.
bool is_of_dx(std::string_view name) { return package_of(name) == &packages()[1]; }

std::set<std::string> included_names(std::string_view source) {
  std::set<std::string> found;
  for (auto line : split_lines(source)) {
    line = trim(line);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    if (auto name = include_name(line.substr(7)); name && is_package_header(name->name))
      found.insert(std::move(name->name));
  }
  return found;
}

bool has(const std::string& folder, std::string_view header) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(folder) / header, ignored);
}

enum class First : std::uint8_t { own, mathdx };  // package whose copy counts

std::vector<std::string> candidates_of(const Package& package, const std::vector<std::string>& folders, First first) {
  std::vector<std::string> found;
  auto variables = package.variables;
  variables.insert(first == First::mathdx ? variables.begin() : variables.end(), "MATHDX_ROOT");
  for (const auto variable : variables)
    if (const char* const root = std::getenv(std::string(variable).c_str()); root != nullptr && *root != '\0')
      for (const auto below : package.below) found.push_back(fs::path(root) / below);
  auto places = package.places;
  if (first == First::mathdx) std::reverse(places.begin(), places.end());
  for (const auto place : places)
    for (const auto& folder : folders) found.push_back(fs::path(folder) / place);
  return found;
}

// The name in "cannot open source file "cublasdx.hpp""; empty for other errors.
std::string_view missing_header(std::string_view text) {
  constexpr std::string_view kBegin = "open source file \"";
  const auto begin = text.find(kBegin);
  if (begin == text.npos) return {};
  const auto name = text.substr(begin + kBegin.size());
  return name.substr(0, name.find('"'));
}

}  // namespace

bool is_package_header(std::string_view name) { return package_of(name) != nullptr; }

void add_package_folders(CompileRequest& request, const std::function<std::vector<std::string>()>& folders) {
  auto names = included_names(request.source);
  names.merge(included_names(request.whole_source));
  if (names.empty()) return;
  const bool with_dx = std::any_of(names.begin(), names.end(), is_of_dx);
  if (with_dx) names.insert("cute/tensor.hpp");
  const auto places = folders();
  for (const auto& name : names) {
    const auto is_here = [&](const std::string& folder) { return has(folder, name); };
    auto& given = request.include_folders;
    auto at = std::find_if(given.begin(), given.end(), is_here);
    if (at == given.end()) {
      const auto candidates = candidates_of(*package_of(name), places, with_dx ? First::mathdx : First::own);
      const auto found = std::find_if(candidates.begin(), candidates.end(), is_here);
      if (found == candidates.end()) continue;
      given.push_back(*found);
      at = given.end() - 1;
    }
    // Another version in the same folder is another key of the cache.
    const auto remember = [&](const fs::path& path) {
      struct stat about {};
      if (stat(path.c_str(), &about) != 0) return false;
      request.headers.push_back({path, fmt::format("{} {}", about.st_size, about.st_mtim.tv_sec)});
      return true;
    };
    remember(fs::path(*at) / name);
    if (name != kSolverHeader) continue;
    const auto code = fs::path(*at).parent_path() / kSolverCode;
    if (remember(code)) request.linked_files.push_back(code);
  }
}

void explain_package_headers(std::vector<Diagnostic>& diagnostics) {
  for (auto& one : diagnostics) {
    const auto name = missing_header(one.text);
    // Its wheel on PyPI (25.1, 25.6) has neither all of cuSolverDx's headers nor its code.
    if (name.starts_with("cusolverdx/"))
      one.text = fmt::format(
          "<{}> is missing: nvidia-mathdx on PyPI lacks a part of cuSolverDx. NVIDIA's archive of "
          "MathDx has it: unpack it and run %env MATHDX_ROOT=FOLDER, where FOLDER holds its "
          "include/ and lib/",
          name);
    else if (const auto* package = name.empty() ? nullptr : package_of(name))
      one.text = fmt::format("<{}> is not installed: %pip install {}", name, package->wheel);
  }
}

}  // namespace xcuda::compiler
