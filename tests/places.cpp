#include "tests/places.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace xcuda::test {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* variable, const char* built) {
  const char* const given = std::getenv(variable);
  return given != nullptr && *given != '\0' ? given : built;
}

}  // namespace

std::string source_file(std::string_view relative) {
  static const auto tree = [] {
    auto folder = from_environment("XCUDA_SOURCE_DIR", XCUDA_SOURCE_DIR);
    if (std::error_code error; !fs::is_directory(folder / "tests", error)) {
      std::fprintf(
          stderr, "there is no source tree of xeus-cuda in %s\nSet XCUDA_SOURCE_DIR to the folder that holds tests/.\n",
          folder.c_str());
      std::exit(2);
    }
    return folder;
  }();
  return tree / relative;
}

std::string program_file(std::string_view name) {
  std::error_code error;
  for (const auto& folder :
       {from_environment("XCUDA_PROGRAMS", ""), fs::read_symlink("/proc/self/exe", error).parent_path()})
    if (!folder.empty() && fs::exists(folder / name, error)) return folder / name;
  return from_environment("XCUDA_BINARY_DIR", XCUDA_BINARY_DIR) / "bin" / name;
}

}  // namespace xcuda::test
