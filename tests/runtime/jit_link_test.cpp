// nvJitLink as programs on the CPU device have it: PTX in place of a CUBIN. What NVIDIA's answers is that of 13.0.
#include <elf.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/runtime/loaded_kernel.hpp"

// Not every toolkit has its header.
extern "C" {
int nvJitLinkVersion(unsigned* major, unsigned* minor);
int __nvJitLinkCreate_13_0(void** handle, std::uint32_t count, const char** options);  // as the header's
int nvJitLinkDestroy(void** handle);
int nvJitLinkAddData(void* handle, int kind, const void* data, std::size_t size, const char* name);
int nvJitLinkAddFile(void* handle, int kind, const char* path);
int nvJitLinkComplete(void* handle);
int nvJitLinkGetErrorLogSize(void* handle, std::size_t* size);
int nvJitLinkGetErrorLog(void* handle, char* to);
int nvJitLinkGetLinkedCubinSize(void* handle, std::size_t* size);
int nvJitLinkGetLinkedCubin(void* handle, void* to);
int nvJitLinkGetLinkedPtxSize(void* handle, std::size_t* size);
int nvJitLinkGetLinkedPtx(void* handle, char* to);
// NVIDIA's library keeps 2 KB of each link.
const char* __lsan_default_suppressions() { return "leak:libnvJitLink\n"; }
}

namespace xcuda::test {
namespace {

constexpr int kCubin = 1, kPtx = 2, kLto = 3, kAny = 10;
constexpr const char* kKernel = R"(
extern __device__ float compute(float a, float x);
extern "C" __global__ void apply(float a, float* x) { x[threadIdx.x] = compute(a, x[threadIdx.x]); })";
constexpr const char* kFunction = "__device__ float compute(float a, float x) { return a * x + 1; }";

std::string compiled(const char* source, int kind) {
  nvrtcProgram program = nullptr;
  if (nvrtcCreateProgram(&program, source, "part.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return {};
  const char* options[] = {"-rdc=true", "-dlto"};
  EXPECT_EQ(nvrtcCompileProgram(program, kind == kLto ? 2 : 1, options), NVRTC_SUCCESS);
  std::size_t size = 0;
  std::string code;
  if (kind == kLto) {
    nvrtcGetLTOIRSize(program, &size);
    code.resize(size);
    nvrtcGetLTOIR(program, code.data());
  } else {
    nvrtcGetPTXSize(program, &size);
    code.resize(size);
    nvrtcGetPTX(program, code.data());
  }
  nvrtcDestroyProgram(&program);
  return code;
}

template <class T> std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A fat binary with PTX, as nvcc embeds it.
std::string fat_binary(const std::string& ptx) {
  const std::string text = ptx + std::string(8 - ptx.size() % 8, '\0');
  struct {
    std::uint16_t kind = 1, version = 0x101;
    std::uint32_t header_size = 64;
    std::uint64_t size = 0;
    std::uint32_t compressed_size = 0, unknown = 0;
    std::uint16_t minor = 0, major = 8;
    std::uint32_t architecture = 80, name_offset = 0, name_size = 0;
    std::uint64_t flags = 0, reserved = 0, uncompressed_size = 0;
  } entry;
  entry.size = text.size();
  struct {
    std::uint32_t magic = 0xba55ed50;
    std::uint16_t version = 1, header_size = 16;
    std::uint64_t size = 0;
  } header;
  header.size = sizeof entry + text.size();
  return bytes_of(header) + bytes_of(entry) + text;
}

// An object with the section in which -rdc=true leaves device code.
std::string object_with(const std::string& section) {
  const std::string names("\0.shstrtab\0__nv_relfatbin\0", 26);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_type = ET_REL;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3, header.e_shstrndx = 1;
  Elf64_Shdr nothing{}, of_names{}, of_code{};
  of_names.sh_type = SHT_STRTAB, of_names.sh_name = 1;
  of_names.sh_offset = sizeof header + 3 * sizeof(Elf64_Shdr), of_names.sh_size = names.size();
  of_code.sh_type = SHT_PROGBITS, of_code.sh_name = 11;
  of_code.sh_offset = of_names.sh_offset + names.size(), of_code.sh_size = section.size();
  return bytes_of(header) + bytes_of(nothing) + bytes_of(of_names) + bytes_of(of_code) + names + section;
}

std::string library_with(const std::string& object) {
  auto size = std::to_string(object.size());
  size.resize(10, ' ');
  return "!<arch>\n" + std::string(48, ' ') + size + "`\n" + object;
}

class JitLink : public testing::Test {
 protected:
  void SetUp() override {
    unsigned major = 0, minor = 0;
    int nvrtc_major = 0, nvrtc_minor = 0;
    if (nvJitLinkVersion(&major, &minor) != 0 || nvrtcVersion(&nvrtc_major, &nvrtc_minor) != NVRTC_SUCCESS)
      GTEST_SKIP() << "NVRTC and nvJitLink 13 are not installed";
    EXPECT_EQ(major, 13U);
  }
  void TearDown() override {
    if (handle_ != nullptr) {
      EXPECT_EQ(nvJitLinkDestroy(&handle_), 0);
      EXPECT_EQ(handle_, nullptr);
    }
  }
  int create(std::vector<const char*> options) {
    return __nvJitLinkCreate_13_0(&handle_, static_cast<std::uint32_t>(options.size()), options.data());
  }
  int add(const char* source, int kind) {
    const auto code = compiled(source, kind);
    return nvJitLinkAddData(handle_, kind, code.data(), code.size(), "part");
  }
  std::string log() {
    std::size_t size = 0;
    EXPECT_EQ(nvJitLinkGetErrorLogSize(handle_, &size), 0);
    std::string text(size, '\0');
    if (size > 0) EXPECT_EQ(nvJitLinkGetErrorLog(handle_, text.data()), 0);
    return text;
  }
  std::string linked() {
    std::size_t size = 0;
    EXPECT_EQ(nvJitLinkGetLinkedCubinSize(handle_, &size), 0);
    std::string code(size, '\0');
    EXPECT_EQ(nvJitLinkGetLinkedCubin(handle_, code.data()), 0);
    return code;
  }
  static void expect_runs(const std::string& code) { expect_kernel_gives(code, "apply", {2}, {3, 5, 7, 9}); }
  void* handle_ = nullptr;
};

TEST_F(JitLink, LinksPartsInLtoIrForAnyArchitecture) {
  ASSERT_EQ(create({"-lto", "-arch=sm_90"}), 0);
  ASSERT_EQ(add(kKernel, kLto), 0) << log();
  ASSERT_EQ(add(kFunction, kLto), 0) << log();
  ASSERT_EQ(nvJitLinkComplete(handle_), 0) << log();
  EXPECT_EQ(log(), "");
  std::size_t size = 0;
  EXPECT_EQ(nvJitLinkGetLinkedPtxSize(handle_, &size), 3);  // it was not asked for
  expect_runs(linked());
}

TEST_F(JitLink, LinksAKernelInLtoIrWithAFunctionInPtx) {
  ASSERT_EQ(create({"-lto", "-arch=sm_80"}), 0);
  ASSERT_EQ(add(kFunction, kPtx), 0) << log();
  ASSERT_EQ(add(kKernel, kLto), 0) << log();
  ASSERT_EQ(nvJitLinkComplete(handle_), 0) << log();
  expect_runs(linked());
}

TEST_F(JitLink, LinksPtxOfFilesAndOfMemory) {
  const auto path = testing::TempDir() + "jit_link_part.ptx";
  std::ofstream(path) << compiled(kFunction, kPtx).c_str();
  ASSERT_EQ(create({"-arch=sm_80"}), 0);
  ASSERT_EQ(add(kKernel, kPtx), 0) << log();
  ASSERT_EQ(nvJitLinkAddFile(handle_, kAny, path.c_str()), 0) << log();
  ASSERT_EQ(nvJitLinkComplete(handle_), 0) << log();
  expect_runs(linked());
  std::remove(path.c_str());
}

TEST_F(JitLink, GivesPtxOfLtoIrWhereThatIsAskedFor) {
  ASSERT_EQ(create({"-lto", "-ptx", "-arch=sm_80"}), 0);
  ASSERT_EQ(add(kKernel, kLto), 0);
  ASSERT_EQ(add(kFunction, kLto), 0);
  ASSERT_EQ(nvJitLinkComplete(handle_), 0) << log();
  std::size_t size = 0;
  EXPECT_EQ(nvJitLinkGetLinkedCubinSize(handle_, &size), 6);
  ASSERT_EQ(nvJitLinkGetLinkedPtxSize(handle_, &size), 0);
  std::string text(size, '\0');
  ASSERT_EQ(nvJitLinkGetLinkedPtx(handle_, text.data()), 0);
  EXPECT_NE(text.find(".entry apply"), text.npos);
  expect_runs(text);
}

TEST_F(JitLink, RefusesWhatNvidiasRefuses) {
  EXPECT_EQ(create({"-lto"}), 2);                         // no architecture
  EXPECT_EQ(create({"-lto", "-arch=sm_80", "-foo"}), 1);  // an unknown option
  EXPECT_EQ(create({"-ptx", "-arch=sm_80"}), 11);         // -ptx without -lto
  ASSERT_EQ(create({"-arch=sm_80"}), 0);
  EXPECT_EQ(add(kFunction, kLto), 18);  // without -lto
  const std::string wrong = ".version 9.0\n.target sm_80\nfoo";
  EXPECT_EQ(nvJitLinkAddData(handle_, kPtx, wrong.data(), wrong.size(), "wrong"), 4);
  EXPECT_NE(log().find("Parsing error near 'foo'"), std::string::npos) << log();
}

TEST_F(JitLink, FindsThatAFunctionIsMissing) {
  for (const bool lto : {false, true}) {
    ASSERT_EQ(lto ? create({"-lto", "-arch=sm_80"}) : create({"-arch=sm_80"}), 0);
    ASSERT_EQ(add(kKernel, lto ? kLto : kPtx), 0);
    EXPECT_NE(nvJitLinkComplete(handle_), 0);
    EXPECT_NE(log().find("_Z7computeff"), std::string::npos) << log();
    EXPECT_EQ(nvJitLinkDestroy(&handle_), 0);
  }
}

TEST_F(JitLink, LinksObjectsAndLibraries) {
  const auto object = object_with(fat_binary(compiled(kFunction, kPtx)));
  for (const auto& file : {object, library_with(object)}) {
    ASSERT_EQ(create({"-arch=sm_80"}), 0);
    ASSERT_EQ(add(kKernel, kPtx), 0) << log();
    ASSERT_EQ(nvJitLinkAddData(handle_, kAny, file.data(), file.size(), "file"), 0) << log();
    ASSERT_EQ(nvJitLinkComplete(handle_), 0) << log();
    expect_runs(linked());
    EXPECT_EQ(nvJitLinkDestroy(&handle_), 0);
  }
}

TEST_F(JitLink, RefusesObjectsWithoutPtxAndThoseThatAreCutOff) {
  ASSERT_EQ(create({"-arch=sm_80"}), 0);
  const auto refused = [&](const std::string& file, const char* why) {
    EXPECT_EQ(nvJitLinkAddData(handle_, kAny, file.data(), file.size(), "part.o"), 8);
    EXPECT_NE(log().find("part.o: " + std::string(why)), std::string::npos) << log();
  };
  const auto binary = fat_binary(compiled(kFunction, kPtx));
  const auto object = object_with(binary);
  refused(object_with(""), "this object or library has no device code that can be linked");
  refused(object.substr(0, object.size() - 1), "this object or library ends before its contents do");
  refused(library_with(object).substr(0, 200), "this object or library ends before its contents do");
  refused(object_with(binary.substr(0, binary.size() - 8)), "the device code of this program has an unknown form");
}

TEST_F(JitLink, RefusesMachineCodeByName) {
  ASSERT_EQ(create({"-arch=sm_80"}), 0);
  const std::string elf =
      "\x7f"
      "ELF and the rest";
  EXPECT_EQ(nvJitLinkAddData(handle_, kCubin, elf.data(), elf.size(), "kernel.cubin"), 8);
  EXPECT_NE(log().find("kernel.cubin: machine code of a GPU"), std::string::npos) << log();
  EXPECT_EQ(nvJitLinkAddFile(handle_, kAny, "/no/such/file"), 8);
  EXPECT_NE(log().find("No such file"), std::string::npos) << log();
}

}  // namespace
}  // namespace xcuda::test
