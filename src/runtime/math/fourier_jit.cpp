#include "runtime/math/fourier_jit.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/jit_link/link_with_source.hpp"
#include "runtime/kernels.hpp"
#include "runtime/loaded_images.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr const char* kElements[] = {"float2", "double2", "float",
                                     "double"};  // of four types that load, and four that store
// Declares the function, and gives its address to the host. Without a kernel that names it the linker drops it.
std::string source_of(const std::string& name, int type, const char* linkage) {
  const auto* const element = kElements[type % 4];
  const auto declaration = type < 4
                               ? fmt::format("{} {}(void*, unsigned long long, void*, void*)", element, name)
                               : fmt::format("void {}(void*, unsigned long long, {}, void*, void*)", name, element);
  return fmt::format(
      "extern {} __device__ {};\nextern \"C\" __global__ void xcuda_cufft_address(void** to) {{ *to = "
      "reinterpret_cast<void*>(&{}); }}\n",
      linkage, declaration, name);
}

std::shared_ptr<Image> load(const std::string& ptx, std::string& message) {
  Image* image = nullptr;
  with_state([&](State& state) { return load_module(state, ptx.c_str(), image, &message); });
  if (image == nullptr) return nullptr;
  return {image, [](Image* loaded) {
            const RuntimeUnchanged unchanged;
            with_state([&](State& state) { return unload_module(state, loaded); });
          }};
}

cudaError_t read_address(Image* image, std::uint64_t& address) {
  void* memory = nullptr;
  if (const auto error = runtime::cudaMalloc(&memory, sizeof address); error != cudaSuccess) return error;
  void* arguments[] = {&memory};
  auto error = with_state([&](State& state) {
    Function* function = nullptr;
    const auto missing = find_kernel_of(image, "xcuda_cufft_address", function);
    if (missing != cudaSuccess) return missing;
    LaunchCall call;
    call.function = function;
    call.grid = call.block = dim3(1);
    call.arguments = arguments;
    return launch(state, call);
  });
  if (error == cudaSuccess) error = runtime::cudaMemcpy(&address, memory, sizeof address, cudaMemcpyDeviceToHost);
  runtime::cudaFree(memory);
  return error;
}

}  // namespace

bool is_callback_type(int type) { return type >= 0 && type < 2 * static_cast<int>(std::size(kElements)); }

Outcome load_jit_callback(const std::string& name, std::string_view code, int type, FourierCallback& callback) {
  const RuntimeUnchanged unchanged;
  std::string message;
  for (const auto* linkage : {"", "\"C\""}) {
    const auto linked = jit_link::link_with_source(code, source_of(name, type, linkage));
    if (linked.ptx.empty()) {
      if (message.empty()) message = linked.log;
      continue;
    }
    message.clear();
    callback.image = load(with_fourier_kernels(linked.ptx), message);
    if (callback.image && read_address(callback.image.get(), callback.function) == cudaSuccess) return Outcome::done;
    break;
  }
  say_once(fmt::format("cufftXtSetJITCallback: {}: {}", name, message));
  return Outcome::failed;
}

}  // namespace xcuda::runtime::math
