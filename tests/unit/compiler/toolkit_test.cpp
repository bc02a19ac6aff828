#include "compiler/toolkit.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

// A machine in a folder: files are made empty, but for the headers that carry a version.
class ToolkitTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("xcuda_toolkit_" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string make(const std::string& path, const std::string& text = "") {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return root_ / path;
  }
  std::string toolkit(const std::string& folder, int major = 13) {
    make(folder + "/lib64/libnvrtc.so." + std::to_string(major));
    make(folder + "/lib64/libnvrtc-builtins.so." + std::to_string(major));
    headers(folder, major);
    return root_ / folder;
  }
  void headers(const std::string& folder, int major) {
    make(folder + "/include/cuda_runtime_api.h", "#define CUDART_VERSION  " + std::to_string(major) + "040\n");
  }
  ToolkitSearch search() {
    SearchEnvironment environment;
    environment.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      if (found == variables_.end()) return std::nullopt;
      return found->second;
    };
    environment.prefix = prefix_;
    environment.root = root_;
    return find_toolkit(environment);
  }
  std::string reason_of(const ToolkitSearch& search, const std::string& folder) {
    for (const auto& place : search.tried)
      if (place.path == root_ / folder) return place.reason;
    return "not tried";
  }
  fs::path root_;
  std::map<std::string, std::string> variables_;
  std::string prefix_;
};

TEST_F(ToolkitTest, NothingIsFoundOnAnEmptyMachineAndEveryPlaceIsListed) {
  const auto found = search();
  EXPECT_FALSE(found.toolkit);
  std::vector<std::string> origins;
  for (const auto& place : found.tried) {
    origins.push_back(place.origin);
    EXPECT_FALSE(place.taken);
    EXPECT_FALSE(place.reason.empty());
  }
  EXPECT_EQ(origins, (std::vector<std::string>{"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "usual folder",
                                               "usual folder", "usual folder"}));
  EXPECT_NE(describe(found).find("not found"), std::string::npos);
}

TEST_F(ToolkitTest, TheOrderHolds) {
  toolkit("usr/local/cuda");
  EXPECT_EQ(search().toolkit->origin, "usual folder");
  fs::create_directories(root_ / "venv");
  make("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  headers("venv/lib/python3.11/site-packages/nvidia/cu13", 13);
  prefix_ = root_ / "venv";
  EXPECT_EQ(search().toolkit->origin, "program's prefix");
  variables_["VIRTUAL_ENV"] = root_ / "venv";
  EXPECT_EQ(search().toolkit->origin, "VIRTUAL_ENV");
  variables_["CONDA_PREFIX"] = toolkit("conda");
  EXPECT_EQ(search().toolkit->origin, "CONDA_PREFIX");
  variables_["CUDA_PATH"] = toolkit("path");
  EXPECT_EQ(search().toolkit->origin, "CUDA_PATH");
  variables_["CUDA_HOME"] = toolkit("home");
  EXPECT_EQ(search().toolkit->origin, "CUDA_HOME");
  variables_["CUDA_HOME"] = root_ / "nowhere";
  const auto found = search();
  EXPECT_EQ(found.toolkit->origin, "CUDA_PATH");
  EXPECT_EQ(found.tried[0].reason, "no such folder");
}

TEST_F(ToolkitTest, IncludeFoldersHoldCccl) {
  toolkit("usr/local/cuda");
  make("usr/local/cuda/include/cccl/cuda/std/cstdint");
  const auto includes = search().toolkit->includes;
  EXPECT_EQ(includes,
            (std::vector<std::string>{root_ / "usr/local/cuda/include", root_ / "usr/local/cuda/include/cccl"}));
  EXPECT_EQ(search().toolkit->version, "13.4");
}

TEST_F(ToolkitTest, WheelsOfCuda12HaveAFolderPerPackage) {
  const std::string site = "venv/lib/python3.12/site-packages/nvidia/";
  make(site + "cuda_nvrtc/lib/libnvrtc.so.12");
  make(site + "cuda_nvrtc/lib/libnvrtc-builtins.so.12.9");
  headers(site + "cuda_runtime", 12);
  make(site + "curand/include/curand_kernel.h");
  make(site + "cuda_cccl/include/cuda/std/cstdint");
  make(site + "cudnn/include/cudnn.h");
  variables_["VIRTUAL_ENV"] = root_ / "venv";
  const auto found = search();
  ASSERT_TRUE(found.toolkit);
  EXPECT_TRUE(found.toolkit->nvrtc.ends_with("cuda_nvrtc/lib/libnvrtc.so.12"));
  EXPECT_EQ(found.toolkit->includes.size(), 3U);
  EXPECT_EQ(found.toolkit->version, "12.4");
}

TEST_F(ToolkitTest, ALibraryWithoutHeadersTakesThoseOfALaterPlace) {
  make("opt/cuda/lib64/libnvrtc.so.13");
  headers("usr", 12);
  const auto found = search();
  ASSERT_TRUE(found.toolkit);
  EXPECT_EQ(found.toolkit->includes, (std::vector<std::string>{root_ / "usr/include"}));
  EXPECT_EQ(found.tried.back().taken, true);
}

TEST_F(ToolkitTest, HeadersAloneAreNoToolkit) {
  headers("usr/local/cuda", 13);
  const auto found = search();
  EXPECT_FALSE(found.toolkit);
  EXPECT_EQ(reason_of(found, "usr/local/cuda"), "no libnvrtc, headers 13.4");
}

TEST_F(ToolkitTest, TheNewestLibraryOfAFolderIsTaken) {
  toolkit("usr/local/cuda", 12);
  make("usr/local/cuda/lib64/libnvrtc.so.12.9.86");
  make("usr/local/cuda/lib64/libnvrtc.alt.so.13");
  EXPECT_TRUE(search().toolkit->nvrtc.ends_with("libnvrtc.so.12.9.86"));
}

TEST_F(ToolkitTest, ALibraryThatIsTooOldIsPassedOver) {
  make("usr/local/cuda/lib64/libnvrtc.so.11.8.89");
  fs::create_symlink("libnvrtc.so.11.8.89", root_ / "usr/local/cuda/lib64/libnvrtc.so.11.2");
  make("opt/cuda/lib64/libnvrtc.so.12.3.107");
  fs::create_symlink("libnvrtc.so.12.3.107", root_ / "opt/cuda/lib64/libnvrtc.so.12");
  auto found = search();
  EXPECT_FALSE(found.toolkit);
  EXPECT_EQ(reason_of(found, "usr/local/cuda"), "libnvrtc.so.11.8.89 is older than 12.4");
  EXPECT_EQ(reason_of(found, "opt/cuda"), "libnvrtc.so.12.3.107 is older than 12.4");
  make("usr/lib64/libnvrtc.so.12");  // which it is, the library itself will say
  found = search();
  ASSERT_TRUE(found.toolkit);
  EXPECT_EQ(found.toolkit->root, root_ / "usr");
}

TEST_F(ToolkitTest, WheelsAreFoundInCondaEnvironmentsAndInTheUsersFolder) {
  const auto wheel = [&](const std::string& prefix) {
    make(prefix + "/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
    headers(prefix + "/lib/python3.12/site-packages/nvidia/cu13", 13);
    return (root_ / prefix).string();
  };
  wheel("home/.local");
  variables_["HOME"] = root_ / "home";
  EXPECT_EQ(search().toolkit->origin, "pip --user");
  variables_["CONDA_PREFIX"] = wheel("conda");
  const auto found = search();
  EXPECT_EQ(found.toolkit->origin, "CONDA_PREFIX");
  EXPECT_EQ(found.toolkit->root, root_ / "conda/lib/python3.12/site-packages/nvidia");
  toolkit("conda");  // conda's own packages come first
  EXPECT_EQ(search().toolkit->root, root_ / "conda");
}

TEST_F(ToolkitTest, TheLoadersPathIsLast) {
  make("somewhere/libnvrtc.so.12");
  variables_["LD_LIBRARY_PATH"] = (root_ / "nowhere").string() + ":" + (root_ / "somewhere").string();
  const auto found = search();
  ASSERT_TRUE(found.toolkit);
  EXPECT_EQ(found.toolkit->origin, "loader's path");
  make("etc/ld.so.cache",
       std::string("x\0libnvrtc.so.12\0", 17) + (root_ / "deep/lib64/libnvrtc.so.12").string() + std::string(1, '\0'));
  make("deep/lib64/libnvrtc.so.12");
  headers("deep", 12);
  variables_.clear();
  EXPECT_EQ(search().toolkit->version, "12.4");
}

TEST_F(ToolkitTest, TheFingerprintChangesWithTheLibrary) {
  toolkit("usr/local/cuda");
  const auto before = search().toolkit->fingerprint;
  EXPECT_EQ(search().toolkit->fingerprint, before);
  make("usr/local/cuda/lib64/libnvrtc.so.13", "another");
  EXPECT_NE(search().toolkit->fingerprint, before);
}

TEST_F(ToolkitTest, OwnHeadersAreFoundBelowThePrefix) {
  make("prefix/share/xcuda/include/x.h");
  SearchEnvironment environment{[](const std::string&) { return std::optional<std::string>(); }, root_ / "prefix", ""};
  EXPECT_EQ(own_include_folder(environment), root_ / "prefix/share/xcuda/include");
}

}  // namespace
}  // namespace xcuda::compiler
