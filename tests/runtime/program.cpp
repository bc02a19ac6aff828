#include "tests/runtime/program.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace xcuda::test {

char fill, missing, trapping, countdown, scale;

namespace {

constexpr char kPtx[] = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 scale = 3;
.visible .entry fill(.param .u64 fill_param_0, .param .u32 fill_param_1)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [fill_param_0];
  ld.param.u32 %r1, [fill_param_1];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
.extern .func cudaGraphSetConditional(.param .b64 p0, .param .b32 p1);
.visible .entry countdown(.param .u64 countdown_param_0, .param .u64 countdown_param_1)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [countdown_param_0];
  ld.param.u64 %rd2, [countdown_param_1];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r1, [%rd1];
  sub.u32 %r2, %r1, 1;
  st.global.u32 [%rd1], %r2;
  {
  .param .b64 param0;
  st.param.b64 [param0+0], %rd2;
  .param .b32 param1;
  st.param.b32 [param1+0], %r2;
  call.uni cudaGraphSetConditional, (param0, param1);
  }
  ret;
}
.visible .entry trapping()
{
  trap;
  ret;
}
)";

template <class T> void append(std::vector<char>& to, T value) {
  const auto* bytes = reinterpret_cast<const char*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

// The form that nvcc writes: a header, then for each text a header of 64 bytes and the text.
std::vector<char> fat_binary() {
  std::vector<char> entry;
  const std::uint64_t size = (sizeof kPtx + 7) / 8 * 8;
  append<std::uint16_t>(entry, 1);  // PTX
  append<std::uint16_t>(entry, 0x101);
  append<std::uint32_t>(entry, 64);
  append<std::uint64_t>(entry, size);
  append<std::uint64_t>(entry, 0);
  append<std::uint32_t>(entry, 8);
  append<std::uint32_t>(entry, 80);  // compute_80
  entry.resize(64);
  entry.insert(entry.end(), kPtx, kPtx + sizeof kPtx);
  entry.resize(64 + size);
  std::vector<char> whole;
  append<std::uint32_t>(whole, 0xba55ed50);
  append<std::uint16_t>(whole, 1);
  append<std::uint16_t>(whole, 16);
  append<std::uint64_t>(whole, entry.size());
  whole.insert(whole.end(), entry.begin(), entry.end());
  return whole;
}

struct Wrapper {
  std::uint32_t magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* rest = nullptr;
};

}  // namespace

const char* program_text() { return kPtx; }
const char* program_binary() {
  static const std::vector<char> binary = fat_binary();
  return binary.data();
}

void** program() {
  static Wrapper wrapper{.data = program_binary()};
  static void** const handle = [] {
    void** made = __cudaRegisterFatBinary(&wrapper);
    for (auto [host, name] :
         {std::pair{&fill, "fill"}, {&missing, "missing"}, {&trapping, "trapping"}, {&countdown, "countdown"}})
      __cudaRegisterFunction(made, host, host, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(made, &scale, &scale, "scale", 0, sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(made);
    return made;
  }();
  return handle;
}

cudaError_t launch_fill(int* out, int value, unsigned threads, cudaStream_t stream) {
  program();
  void* arguments[] = {&out, &value};
  return cudaLaunchKernel(&fill, dim3{1, 1, 1}, dim3{threads, 1, 1}, arguments, 0, stream);
}

}  // namespace xcuda::test
