#include "compiler/toolkit.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/handle.hpp"
#include "base/paths.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr const char* kTarget = "sbsa-linux";
constexpr const char* kMultiarch = "aarch64-linux-gnu";
#else
constexpr const char* kTarget = "x86_64-linux";
constexpr const char* kMultiarch = "x86_64-linux-gnu";
#endif

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
    found.push_back(at->path());
  std::sort(found.begin(), found.end());
  return found;
}

// "libnvrtc.so.12.4.127" -> {12, 4, 127}; "libnvrtc.so" -> {0}; nothing for libnvrtc-builtins.so and libnvrtc.alt.so.
std::optional<std::vector<int>> nvrtc_version(const std::string& file) {
  constexpr std::string_view kName = "libnvrtc.so";
  if (!file.starts_with(kName)) return std::nullopt;
  std::vector<int> version;
  std::istringstream rest(file.substr(kName.size()));
  for (char dot = 0; rest >> dot;) {
    int number = 0;
    if (dot != '.' || !(rest >> number)) return std::nullopt;
    version.push_back(number);
  }
  if (version.empty()) version.push_back(0);
  return version;
}

struct FolderTraits {
  using type = DIR*;
  static constexpr type kEmpty = nullptr;
  static void close(type folder) noexcept { closedir(folder); }
};

// The newest libnvrtc of a folder. /usr/lib/x86_64-linux-gnu has thousands of files, and this runs at every start.
std::string nvrtc_in(const fs::path& folder) {
  std::vector<int> best;
  std::string path;
  const Handle<FolderTraits> open(opendir(folder.c_str()));
  if (!open) return path;
  while (const auto* entry = readdir(open.get())) {
    const std::string_view name(entry->d_name);
    if (!name.starts_with("libnvrtc.so")) continue;
    const auto version = nvrtc_version(std::string(name));
    if (version && is_there(folder / name) && (path.empty() || *version > best)) {
      best = *version;
      path = folder / name;
    }
  }
  return path;
}

// "libnvrtc.so.11.8.89" for a library whose name says that it is too old; empty for others.
std::string too_old(const std::string& library) {
  std::error_code failed;
  const auto real = fs::canonical(library, failed);
  const auto name = (failed ? fs::path(library) : real).filename().string();
  const auto version = nvrtc_version(name);
  if (!version || version->front() == 0) return {};  // the library itself will tell
  const bool minor_known = version->size() > 1;
  const bool old = version->front() < kOldestMajor ||
                   (version->front() == kOldestMajor && minor_known && (*version)[1] < kOldestMinor);
  return old ? name : std::string();
}

// The number after "#define NAME"; it is in the first lines.
int define_of(const fs::path& header, std::string_view name) {
  std::string text(32768, '\0');
  std::ifstream file(header, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const auto define = fmt::format("#define {} ", name);
  const auto at = text.find(define);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + define.size());
}

// "13.0" from the headers of these folders; empty when they are not CUDA's.
std::string header_version(const std::vector<std::string>& includes) {
  for (const auto& folder : includes) {
    auto number = define_of(fs::path(folder) / "cuda_runtime_api.h", "CUDART_VERSION");
    if (number == 0) number = define_of(fs::path(folder) / "cuda.h", "CUDA_VERSION");
    if (number > 0) return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  }
  return {};
}

bool holds_headers(const fs::path& folder) {
  constexpr const char* kMarks[] = {"cuda_runtime_api.h", "cuda_fp16.h",        "curand_kernel.h",
                                    "cuda/std/cstdint",   "crt/host_defines.h", "cooperative_groups.h"};
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](const char* mark) { return is_there(folder / mark); });
}

void add_include(std::vector<std::string>& includes, const fs::path& folder) {
  // A toolkit's include may be a link to targets/.../include: one of them is enough.
  const auto add = [&](const fs::path& path) {
    const auto same = [&](const std::string& other) {
      std::error_code failed;
      return fs::equivalent(other, path, failed) && !failed;
    };
    if (std::none_of(includes.begin(), includes.end(), same)) includes.push_back(path);
  };
  if (holds_headers(folder)) add(folder);
  if (is_there(folder / "cccl" / "cuda" / "std")) add(folder / "cccl");
}

struct Found {
  std::string nvrtc, disassembler;
  std::vector<std::string> includes;
};

void look_in_root(const fs::path& root, Found& found) {
  for (const auto& folder :
       {root / "lib64", root / "lib", root / "targets" / kTarget / "lib", root / "lib" / kMultiarch})
    if (found.nvrtc.empty()) found.nvrtc = nvrtc_in(folder);
  add_include(found.includes, root / "include");
  add_include(found.includes, root / "targets" / kTarget / "include");
  for (const char* name : {"nvdisasm", "cuobjdump"})
    if (found.disassembler.empty() && is_there(root / "bin" / name)) found.disassembler = root / "bin" / name;
}

// nvidia's wheels: one folder per CUDA (nvidia/cu13, from CUDA 13 on), or one per package (nvidia/cuda_nvrtc, ...).
void look_in_wheels(const fs::path& site_packages, Found& found) {
  auto packages = entries_of(site_packages / "nvidia");
  std::stable_sort(packages.begin(), packages.end(), [](const fs::path& a, const fs::path& b) {
    const auto rank = [](const fs::path& path) { return path.filename().string().starts_with("cu1") ? 0 : 1; };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.filename().string() > b.filename().string();
  });
  for (const auto& package : packages) {
    if (package.filename().string().starts_with("cu1")) {
      Found whole;
      look_in_root(package, whole);
      if (!whole.nvrtc.empty()) {
        found = whole;
        return;
      }
    } else {
      look_in_root(package, found);
    }
  }
}

std::vector<fs::path> site_packages_of(const fs::path& prefix) {
  std::vector<fs::path> found;
  for (const auto& entry : entries_of(prefix / "lib"))
    if (entry.filename().string().starts_with("python3") && is_there(entry / "site-packages" / "nvidia"))
      found.push_back(entry / "site-packages");
  return found;
}

// The loader's cache is a table of strings with paths among them; reading it loads nothing.
std::vector<fs::path> loader_folders(const SearchEnvironment& environment) {
  std::vector<fs::path> folders;
  if (const auto path = environment.variable("LD_LIBRARY_PATH")) {
    std::istringstream parts(*path);
    for (std::string part; std::getline(parts, part, ':');)
      if (!part.empty()) folders.emplace_back(part);
  }
  std::ifstream file(environment.root + "/etc/ld.so.cache", std::ios::binary);
  const std::string cache((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr std::string_view kName = "/libnvrtc.so.";
  for (auto at = cache.find(kName); at != std::string::npos; at = cache.find(kName, at + 1)) {
    const auto begin = cache.rfind('\0', at) + 1;
    if (begin < at && cache[begin] == '/') folders.emplace_back(cache.substr(begin, at - begin));
  }
  return folders;
}

std::string stat_text(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return fmt::format("{}:{}:{}.{};", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string fingerprint_of(const Toolkit& toolkit) {
  std::error_code ignored;
  const auto real = fs::canonical(toolkit.nvrtc, ignored);
  auto text = stat_text(ignored ? toolkit.nvrtc : real.string());
  for (const auto& folder : toolkit.includes) {
    text += stat_text(folder);
    for (const char* header :
         {"cuda_runtime_api.h", "cuda_fp16.h", "curand_kernel.h", "cuda/std/__cccl/version.h", "cub/version.cuh"})
      text += stat_text(fmt::format("{}/{}", folder, header));
  }
  return text;
}

class Search {
 public:
  explicit Search(const SearchEnvironment& environment) : environment_(environment) {}

  ToolkitSearch run() {
    variable_root("CUDA_HOME");
    variable_root("CUDA_PATH");
    variable_root("CONDA_PREFIX");
    if (const auto folder = environment_.variable("CONDA_PREFIX"); folder && !site_packages_of(*folder).empty())
      wheels("CONDA_PREFIX", *folder);
    if (const auto folder = environment_.variable("VIRTUAL_ENV"))
      wheels("VIRTUAL_ENV", *folder);
    else
      not_set("VIRTUAL_ENV");
    if (!environment_.prefix.empty() && environment_.prefix != "/usr") {
      root("program's prefix", environment_.prefix);
      wheels("program's prefix", environment_.prefix);
    }
    if (const auto home = environment_.variable("HOME")) wheels("pip --user", fs::path(*home) / ".local");
    for (const char* folder : {"/usr/local/cuda", "/opt/cuda", "/usr"})
      root("usual folder", environment_.root + folder);
    for (const auto& folder : loader_folders(environment_)) {
      const auto name = folder.filename();
      const auto base = name == kMultiarch || folder.parent_path().filename() == kTarget
                            ? folder.parent_path().parent_path()
                            : folder.parent_path();
      Found found;
      look_in_root(base, found);
      found.nvrtc = nvrtc_in(folder);
      consider("loader's path", folder, found, base);
    }
    if (result_.toolkit) {
      result_.toolkit->version = header_version(result_.toolkit->includes);
      result_.toolkit->fingerprint = fingerprint_of(*result_.toolkit);
    }
    return std::move(result_);
  }

 private:
  void not_set(const std::string& name) { result_.tried.push_back({name, "", false, "not set"}); }

  void variable_root(const std::string& name) {
    const auto value = environment_.variable(name);
    if (value && !value->empty())
      root(name, *value);
    else
      not_set(name);
  }

  void root(const std::string& origin, const fs::path& folder) {
    Found found;
    look_in_root(folder, found);
    consider(origin, folder, found, folder);
  }

  void wheels(const std::string& origin, const fs::path& prefix) {
    const auto folders = site_packages_of(prefix);
    if (folders.empty()) {
      result_.tried.push_back({origin, prefix / "lib/python3*/site-packages/nvidia", false, "no such folder"});
      return;
    }
    for (const auto& folder : folders) {
      Found found;
      look_in_wheels(folder, found);
      consider(origin, folder / "nvidia", found, folder / "nvidia");
    }
  }

  void consider(const std::string& origin, const fs::path& place, const Found& found, const fs::path& base) {
    TriedPlace tried{origin, place, false, ""};
    const auto version = header_version(found.includes);
    const auto headers = found.includes.empty() ? std::string("no headers")
                         : version.empty()      ? "headers"
                                                : fmt::format("headers {}", version);
    if (!is_there(place)) {
      tried.reason = "no such folder";
    } else if (result_.toolkit && found.nvrtc.empty() && found.includes.empty()) {
      tried.reason = "no libnvrtc and no headers";
    } else if (const auto old = found.nvrtc.empty() ? std::string() : too_old(found.nvrtc);
               !result_.toolkit && !old.empty()) {
      tried.reason = fmt::format("{} is older than {}.{}", old, kOldestMajor, kOldestMinor);
    } else if (!result_.toolkit && found.nvrtc.empty()) {
      tried.reason = fmt::format("no libnvrtc, {}", headers);
    } else if (!result_.toolkit) {
      Toolkit toolkit;
      toolkit.origin = origin;
      toolkit.root = base;
      toolkit.nvrtc = found.nvrtc;
      toolkit.includes = found.includes;
      toolkit.disassembler = found.disassembler;
      result_.toolkit = std::move(toolkit);
      tried.taken = true;
      tried.reason = fmt::format("{}, {}", fs::path(found.nvrtc).filename().string(), headers);
    } else if (result_.toolkit->includes.empty() && !version.empty()) {
      result_.toolkit->includes = found.includes;
      tried.taken = true;
      tried.reason = fmt::format("{}, for a library without headers", headers);
    } else {
      tried.reason = found.nvrtc.empty()
                         ? headers
                         : fmt::format("{}, {}; not needed", fs::path(found.nvrtc).filename().string(), headers);
    }
    if (result_.toolkit && result_.toolkit->disassembler.empty()) result_.toolkit->disassembler = found.disassembler;
    result_.tried.push_back(std::move(tried));
  }

  const SearchEnvironment& environment_;
  ToolkitSearch result_;
};

}  // namespace

SearchEnvironment current_environment() {
  SearchEnvironment environment;
  environment.variable = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
  };
  environment.prefix = install_prefix();
  return environment;
}

ToolkitSearch find_toolkit(const SearchEnvironment& environment) { return Search(environment).run(); }

std::string describe(const ToolkitSearch& search) {
  std::string text;
  if (search.toolkit) {
    const auto& toolkit = *search.toolkit;
    text += fmt::format("NVRTC      {}\n", toolkit.nvrtc);
    for (const auto& folder : toolkit.includes) text += fmt::format("headers    {}\n", folder);
    if (toolkit.includes.empty()) text += "headers    not found: those that NVRTC holds are used, from 13.3 on\n";
    if (!toolkit.disassembler.empty()) text += fmt::format("SASS       {}\n", toolkit.disassembler);
  } else {
    text += fmt::format("NVRTC      not found: {}\n", kToolkitAdvice);
  }
  text += "\nPlaces, in order:\n";
  for (const auto& tried : search.tried)
    text += fmt::format("  {} {:<18} {:<44}  {}\n", tried.taken ? '*' : ' ', tried.origin, tried.path, tried.reason);
  return text;
}

std::string own_include_folder(const SearchEnvironment& environment) {
  const fs::path below = fs::path("share") / "xcuda" / "include";
  if (const auto share = environment.variable("XCUDA_SHARE"); share && is_there(fs::path(*share) / "xcuda" / "include"))
    return fs::path(*share) / "xcuda" / "include";
  if (!environment.prefix.empty() && is_there(fs::path(environment.prefix) / below))
    return fs::path(environment.prefix) / below;
  // A build folder inside the source tree.
  std::error_code failed;
  auto folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (; !failed && folder.has_relative_path(); folder = folder.parent_path())
    if (is_there(folder / below)) return folder / below;
  return {};
}

}  // namespace xcuda::compiler
