#include "compiler/nvrtc_library.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "machine_toolkit.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

class NvrtcLibraryTest : public WithToolkit {
 protected:
  void SetUp() override {
    WithToolkit::SetUp();
    folder_ = fs::temp_directory_path() / ("xcuda_nvrtc_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(NvrtcLibraryTest, TheSecondLibraryIsTakenFromTheFolderOfTheFirst) {
  // As in NVIDIA's wheels: a folder that the loader knows nothing of. The copy is a file of its own, so it is told
  // apart.
  const auto nvrtc = fs::canonical(machine_toolkit().toolkit->nvrtc);
  const auto second = fmt::format("libnvrtc-builtins.so.{}", NvrtcLibrary(machine_toolkit().toolkit->nvrtc).version());
  ASSERT_TRUE(fs::exists(nvrtc.parent_path() / second));
  fs::create_symlink(nvrtc, folder_ / "libnvrtc.so");
  fs::copy_file(nvrtc.parent_path() / second, folder_ / second);
  NvrtcLibrary library(folder_ / "libnvrtc.so");
  std::ifstream file("/proc/self/maps");
  std::ostringstream maps;
  maps << file.rdbuf();
  EXPECT_NE(maps.str().find((folder_ / second).string()), std::string::npos);
  EXPECT_EQ(
      library
          .compile(
              {.name = "/In[1]", .source = "__global__ void k() {}\n", .options = {"--gpu-architecture=compute_80"}})
          .status,
      NvrtcResult::Status::ok);
}

TEST_F(NvrtcLibraryTest, WhatWasToldToStopOnceIsNoResult) {
  NvrtcLibrary library(machine_toolkit().toolkit->nvrtc);
  NvrtcJob job{.name = "/In[1]",
               .source = "__global__ void k(float* x, int n) { for (int i = 0; i < n; ++i) x[i] *= x[n - i]; }\n",
               .options = {"--gpu-architecture=compute_80"}};
  int last = 1;
  for (;; ++last) {
    int asked = 0;
    job.cancelled = [&] { return ++asked == last; };
    const auto result = library.compile(job);
    if (asked < last) break;
    ASSERT_EQ(result.status, NvrtcResult::Status::cancelled) << "at question " << last << " of " << asked;
    EXPECT_EQ(asked, last) << "it was asked again";
  }
  EXPECT_GT(last, 10);
}

TEST_F(NvrtcLibraryTest, WhatIsNoNvrtcIsRefusedWithWhatToDo) {
  std::ofstream(folder_ / "libnvrtc.so.13") << "not a library";
  try {
    NvrtcLibrary library(folder_ / "libnvrtc.so.13");
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::compile);
    EXPECT_NE(error.library.find("libnvrtc.so.13"), std::string::npos);
    EXPECT_NE(error.advice.find("CUDA_HOME"), std::string::npos);
    EXPECT_NE(error.advice.find("xcuda-install --cuda"), std::string::npos);
  }
}

}  // namespace
}  // namespace xcuda::compiler
