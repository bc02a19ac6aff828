#include "compiler/compiler.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "compiler/device_linker.hpp"
#include "compiler/library_folders.hpp"
#include "ptx/resource_usage.hpp"
#include "tests/unit/compiler/machine_toolkit.hpp"

namespace xcuda::compiler {
namespace {

using CompilerTest = WithToolkit;

TEST_F(CompilerTest, CxxKernelGetsItsSignatureFromTheMangledEntry) {
  auto request =
      request_of("__global__ void saxpy(float a, const float* x, float* y, size_t n) { *y = a * *x + n; }\n");
  request.kernels = {{.name = "saxpy", .parameter_names = {"a", "x", "y", "n"}, .source = "In[7]", .line = 1}};
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  const auto& kernel = output.kernels[0];
  EXPECT_EQ(kernel.name, "saxpy");
  EXPECT_TRUE(kernel.types_known);
  ASSERT_EQ(kernel.parameters.size(), 4U);
  EXPECT_EQ(kernel.parameters[1].name, "x");
  EXPECT_EQ(kernel.parameters[1].type, "float const*");
  EXPECT_TRUE(kernel.parameters[1].const_pointee);
  EXPECT_EQ(kernel.parameters[1].pointee, "float");
  EXPECT_EQ(kernel.parameters[2].offset, 16U);
  EXPECT_EQ(kernel.parameters[3].type, "unsigned long");
  EXPECT_EQ(kernel.parameters[3].size, 8U);
  EXPECT_TRUE(output.cubin.empty());
}

TEST_F(CompilerTest, ExternCKernelGetsItsSignatureFromAHelperThatStaysHidden) {
  auto request =
      request_of("struct P { int a; float b[3]; };\nextern \"C\" __global__ void k(float a, const P* p, P q) {}\n");
  request.kernels = {{.name = "k", .parameter_names = {"a", "p", "q"}, .line = 2}};
  request.extern_c_candidates = {"k"};
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  const auto& kernel = output.kernels[0];
  EXPECT_EQ(kernel.entry, "k");
  ASSERT_TRUE(kernel.types_known);
  EXPECT_EQ(kernel.parameters[1].type, "P const*");
  EXPECT_EQ(kernel.parameters[2].type, "P");
  EXPECT_EQ(kernel.parameters[2].size, 16U);
  EXPECT_EQ(kernel.parameters[2].alignment, 4U);
  EXPECT_EQ(output.ptx.find("xcuda_signature"), std::string::npos);
}

TEST_F(CompilerTest, CandidateThatNvrtcRefusesIsDropped) {
  auto request = request_of(
      "#if 0\nextern \"C\" __global__ void gone(int) {}\n#endif\nextern \"C\" __global__ void k(int a, double b) {}\n");
  request.kernels = {{.name = "k", .parameter_names = {"a", "b"}}};
  request.extern_c_candidates = {"k", "gone"};
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  EXPECT_FALSE(output.kernels[0].types_known);
  ASSERT_EQ(output.kernels[0].parameters.size(), 2U);
  EXPECT_EQ(output.kernels[0].parameters[1].offset, 8U);
  EXPECT_EQ(output.kernels[0].parameters[1].name, "b");
}

TEST_F(CompilerTest, TemplateInstanceKeepsTheNameItWasAskedBy) {
  auto request =
      request_of("namespace demo { template <class T, int N> __global__ void scale(T* x, T a) { x[N] *= a; } }\n");
  request.kernels = {{.name = "demo::scale", .parameter_names = {"x", "a"}, .is_template = true}};
  request.name_expressions = {"demo::scale<double, 2 + 2>"};
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  EXPECT_EQ(output.kernels[0].name, "demo::scale<double, 2 + 2>");
  EXPECT_EQ(output.kernels[0].parameters[1].type, "double");
  EXPECT_EQ(output.kernels[0].parameters[0].name, "x");
}

TEST_F(CompilerTest, ErrorHasLineColumnAndExcerpt) {
  const auto output =
      machine_compiler().compile(request_of("__global__ void k(float* y)\n{\n  /* é */ y[0] = hh(3);\n}\n"));
  ASSERT_FALSE(output.ok);
  ASSERT_EQ(output.diagnostics.size(), 1U);
  const auto& error = output.diagnostics[0];
  EXPECT_EQ(error.text, "identifier \"hh\" is undefined");
  EXPECT_EQ(error.place.source, "In[7]");
  EXPECT_EQ(error.place.line, 3);
  EXPECT_EQ(error.place.column, 19);
  EXPECT_EQ(error.place.width, 2);
  EXPECT_EQ(error.place.excerpt, "  /* é */ y[0] = hh(3);");
}

TEST_F(CompilerTest, KnownGpuGetsACubinFromTheSameCompile) {
  auto request = request_of("__global__ void k(float* y) { *y = 1; }\n");
  request.architecture = "sm_80";
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  EXPECT_FALSE(output.cubin.empty());
  EXPECT_NE(output.ptx.find(".target sm_80"), std::string::npos);
}

TEST_F(CompilerTest, HeadersThatNvrtcHoldsServeWhereThereAreNoOthers) {
  const TemporaryFolder cache("headers of NVRTC");
  setenv("XCUDA_CACHE_DIR", cache.path().c_str(), 1);
  auto bare = *machine_toolkit().toolkit;
  bare.includes.clear();
  Compiler compiler(bare, tree_includes());
  if (!compiler.library().install_headers(cache.path() / "tried"))
    GTEST_SKIP() << "NVRTC " << compiler.library().version() << " holds no headers";
  auto request = request_of(
      "#include <cuda_fp16.h>\n#include <cub/block/block_reduce.cuh>\n__global__ void k(__half* y) { *y = 1; }\n");
  for (int i = 0; i < 2; ++i) {
    const auto output = compiler.compile(request);
    EXPECT_TRUE(output.ok) << output.log;
    std::filesystem::remove_all(cache.path() / "headers");  // as --clear-cache does while a session runs
  }
  unsetenv("XCUDA_CACHE_DIR");
}

// 40 values that are alive at a time, and 24 registers.
constexpr const char* kSpilling = R"(__global__ void sums(float* x) {
  float r[40];
#pragma unroll
  for (int i = 0; i < 40; ++i) r[i] = x[i * 256 + threadIdx.x];
#pragma unroll
  for (int j = 0; j < 40; ++j) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 40; ++i) sum += r[i] * r[(i * j) % 40];
    x[j * 256 + threadIdx.x] = sum;
  }
}
)";

TEST_F(CompilerTest, SpilledRegistersAreInTheLogAndAmongTheRemarksWhenAskedFor) {
  auto request = request_of(kSpilling);
  request.architecture = "sm_90";
  request.options = {"--maxrregcount=24"};
  const auto quiet = machine_compiler().compile(request);
  ASSERT_TRUE(quiet.ok) << quiet.log;
  const auto spills = ptx::spills_of(quiet.log);
  ASSERT_EQ(spills.size(), 1U) << quiet.log;
  EXPECT_TRUE(spills.contains("_Z4sumsPf"));
  EXPECT_GT(spills.begin()->second.stores, 0U);
  EXPECT_GT(spills.begin()->second.loads, 0U);
  EXPECT_TRUE(quiet.diagnostics.empty());

  request.options.emplace_back("--ptxas-options=-v");
  const auto told = machine_compiler().compile(request);
  ASSERT_TRUE(told.ok) << told.log;
  EXPECT_TRUE(std::any_of(told.diagnostics.begin(), told.diagnostics.end(), [](const Diagnostic& one) {
    return one.severity == Severity::remark && one.text.find("24 registers") != std::string::npos;
  }));
}

TEST_F(CompilerTest, AnArchitectureTooOldIsNamedWithThoseThereAre) {
  auto request = request_of("__global__ void k() {}\n");
  request.architecture = "sm_30";
  const auto output = machine_compiler().compile(request);
  ASSERT_FALSE(output.ok);
  EXPECT_NE(output.diagnostics.at(0).text.find("cannot compile for sm_30; it supports "), std::string::npos)
      << output.diagnostics.at(0).text;
}

TEST_F(CompilerTest, AGpuNewerThanNvrtcGetsPtx) {
  auto request = request_of("__global__ void k() {}\n");
  request.architecture = "sm_999";
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  EXPECT_TRUE(output.cubin.empty());
  EXPECT_FALSE(output.ptx.empty());
}

constexpr const char* kNested =
    "__global__ void child(int* x) { *x = 1; }\n__global__ void parent(int* x) { child<<<1, 1>>>(x); }\n";

TEST_F(CompilerTest, KernelsThatLaunchKernelsAreLinkedWithTheDeviceRuntime) {
  auto request = request_of(kNested);
  request.architecture = "sm_90";
  const auto folders = [] { return library_folders(current_environment(), ""); };
  add_linker_folders(request, folders);
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 2U);
  ASSERT_GT(output.cubin.size(), sizeof(Elf64_Ehdr));
  Elf64_Ehdr header;
  std::memcpy(&header, output.cubin.data(), sizeof header);
  EXPECT_EQ(header.e_type, ET_EXEC);  // a relocatable one is ET_REL
}

TEST(DeviceLinker, IsWantedForLaunchesAndNotForTheirNames) {
  EXPECT_TRUE(launches_kernels(kNested));
  EXPECT_FALSE(
      launches_kernels("__global__ void k() {\n  // k<<<1, 32>>>() /* <<< */\n  printf(\"k<<<1>>>\\n\");\n}\n"));
}

TEST_F(CompilerTest, AMissingLinkerIsNamedWithItsPackage) {
  const LinkJob job{{}, "sm_90", "In[7]", 13, {"/nowhere"}};
  try {
    link_device_runtime(job);
    FAIL() << "linked without a linker";
  } catch (const Error& error) {
    EXPECT_EQ(error.message, "cannot link In[7], in which a kernel launches kernels");
    EXPECT_EQ(error.library, "libnvJitLink.so.13 was not found");
    EXPECT_NE(error.advice.find("%pip install 'nvidia-nvjitlink==13.*'"), std::string::npos) << error.advice;
  }
}

// The LTO code of a library, in a file of its own.
class LinkedCode : public CompilerTest {
 protected:
  CompileRequest calling(const std::string& function) {
    const std::string library =
        "template <class T> __device__ T twice(T x) { return 2 * x; }\n"
        "template __device__ float twice<float>(float);\n";
    const auto made = NvrtcLibrary(machine_toolkit().toolkit->nvrtc)
                          .compile({"library", library, {"--gpu-architecture=compute_80", "--dlink-time-opt"}, {}, {}});
    EXPECT_GT(made.lto.size(), 0U) << made.log;
    const auto path = (std::filesystem::path(folder_->path()) / "library.lto").string();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(made.lto.data()), static_cast<std::streamsize>(made.lto.size()));
    auto request = request_of("template <class T> __device__ T " + function + "(T x);\n" +
                              "__global__ void k(float* y, const float* x) { *y = " + function + "(*x); }\n");
    request.linked_files = {path};
    add_linker_folders(request, [] { return library_folders(current_environment(), ""); });
    return request;
  }
  std::optional<TemporaryFolder> folder_ = TemporaryFolder::make("lto");
};

TEST_F(LinkedCode, IsInThePtxOfTheCell) {
  const auto output = machine_compiler().compile(calling("twice"));
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  EXPECT_EQ(output.kernels[0].parameters.size(), 2U);
  EXPECT_EQ(output.kernels[0].parameters[1].type, "float const*");
  EXPECT_NE(output.ptx.find("add.f32"), std::string::npos) << output.ptx;  // 2 * x, in place of a call
  EXPECT_EQ(output.ptx.find(".extern .func"), std::string::npos) << output.ptx;
  EXPECT_TRUE(output.cubin.empty());
}

TEST_F(LinkedCode, IsInTheCodeForAGpu) {
  auto request = calling("twice");
  request.architecture = "sm_90";
  const auto output = machine_compiler().compile(request);
  ASSERT_TRUE(output.ok) << output.log;
  EXPECT_NE(output.ptx.find("add.f32"), std::string::npos) << output.ptx;
  ASSERT_GT(output.cubin.size(), sizeof(Elf64_Ehdr));
  Elf64_Ehdr header;
  std::memcpy(&header, output.cubin.data(), sizeof header);
  EXPECT_EQ(header.e_type, ET_EXEC);
}

TEST_F(LinkedCode, ThatIsMissingIsToldWithTheFiles) {
  auto request = calling("thrice");
  request.architecture = "sm_90";
  try {
    machine_compiler().compile(request);
    FAIL() << "linked without a function";
  } catch (const Error& error) {
    EXPECT_TRUE(error.message.starts_with("cannot link In[7] with /")) << error.message;
    EXPECT_NE(error.library.find("thrice"), std::string::npos) << error.library;
  }
}

TEST_F(CompilerTest, WhatTheLinkerRefusesIsToldInItsWords) {
  const std::vector<std::byte> nonsense(64, std::byte{1});
  LinkJob job{nonsense, "sm_90", "In[7]", machine_compiler().library().major(), {}};
  job.folders = library_folders(current_environment(), "");
  try {
    link_device_runtime(job);
    FAIL() << "linked nonsense";
  } catch (const Error& error) {
    EXPECT_FALSE(error.library.empty());
  }
}

TEST_F(CompilerTest, AnOptionThatNvrtcRefusesIsToldInItsWords) {
  auto request = request_of("__global__ void k() {}\n");
  request.options = {"--no-such-option"};
  const auto output = machine_compiler().compile(request);
  ASSERT_FALSE(output.ok);
  EXPECT_NE(output.diagnostics.at(0).text.find("--no-such-option"), std::string::npos);
}

TEST_F(CompilerTest, NulByteIsAnError) {
  EXPECT_THROW(machine_compiler().compile(request_of(std::string("int a;\0int b;", 13))), Error);
}

TEST_F(CompilerTest, LaunchBoundsAreReported) {
  const auto output =
      machine_compiler().compile(request_of("__global__ void __launch_bounds__(128) k(float* y) { *y = 1; }\n"));
  ASSERT_TRUE(output.ok) << output.log;
  EXPECT_EQ(output.kernels.at(0).max_threads, 128);
}

}  // namespace
}  // namespace xcuda::compiler
