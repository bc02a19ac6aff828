#include "compiler/library_folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/paths.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

TEST(LibraryFolders, AreThoseOfTheToolkitAndOfTheWheels) {
  const TemporaryFolder folder("library_folders");
  const auto make = [&](const char* path) {
    fs::create_directories(folder.path() / path);
    return (folder.path() / path).string();
  };
  const auto toolkit = make("cuda-12/lib64");
  const auto site = make("venv/lib/python3.11/site-packages");
  const auto wheel = make("venv/lib/python3.11/site-packages/nvidia/cublas/lib");
  const auto other = make("python/lib/python3.12/site-packages");
  const std::map<std::string, std::string> variables = {{"CUDA_HOME", folder.path() / "cuda-12"},
                                                        {"VIRTUAL_ENV", folder.path() / "venv"}};
  SearchEnvironment environment;
  environment.root = folder.path();
  environment.variable = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  EXPECT_EQ(library_folders(environment, folder.path() / "python/bin/python3"),
            (std::vector<std::string>{toolkit, site, wheel, other}));
  environment.variable = [](const std::string&) { return std::nullopt; };
  EXPECT_EQ(library_folders(environment, ""), std::vector<std::string>());
}

}  // namespace
}  // namespace xcuda::compiler
