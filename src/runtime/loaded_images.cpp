#include "runtime/loaded_images.hpp"

#include <fstream>
#include <iterator>

#include "runtime/api.hpp"
#include "runtime/fat_binary.hpp"

namespace xcuda::runtime {
namespace {

Image* image_of(const Image* image) { return registry().holds(image) ? const_cast<Image*>(image) : nullptr; }

}  // namespace

cudaError_t load_module(State& state, const void* code, Image*& image, std::string* message) {
  if (code == nullptr) return cudaErrorInvalidValue;
  std::string ptx;
  const auto error = converted(
      [&] {
        ptx = ptx_of_module(code);
        return ptx.empty() ? cudaErrorInvalidKernelImage : cudaSuccess;
      },
      message);
  // As a GPU's driver says of code that is not for the device.
  if (error != cudaSuccess) return error == cudaErrorNotSupported ? cudaErrorNoKernelImageForDevice : error;
  auto* added = registry().add_text(std::move(ptx));
  const auto refused = registry().load(*added, state.engine.device(), state.memory, message);
  if (refused != cudaSuccess) {
    registry().remove_image(added);
    return refused;
  }
  image = added;
  return cudaSuccess;
}

cudaError_t load_module_of_file(State& state, const char* path, Image*& image, std::string* message) {
  if (path == nullptr) return cudaErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cudaErrorFileNotFound;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return load_module(state, text.c_str(), image, message);
}

cudaError_t unload_module(State& state, Image* image) {
  if (image_of(image) == nullptr) return cudaErrorInvalidResourceHandle;
  state.engine.wait_for_all();
  if (state.engine.failure() != cudaSuccess) return state.engine.failure();
  registry().unload(image, state.engine.device(), state.memory);
  return cudaSuccess;
}

cudaError_t find_kernel_of(const Image* image, const char* name, Function*& function) {
  auto* found = image_of(image);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (name == nullptr) return cudaErrorInvalidValue;
  auto* kernel = registry().kernel_of(*found, name);
  if (kernel == nullptr) return cudaErrorSymbolNotFound;
  function = kernel;
  return cudaSuccess;
}

cudaError_t find_variable_of(const Image* image, const char* name, const device::VariableInfo*& variable) {
  const auto* found = image_of(image);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (name == nullptr) return cudaErrorInvalidValue;
  variable = registry().info_of(Variable{.image = const_cast<Image*>(found), .symbol = name});
  return variable ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t find_kernels_of(const Image* image, std::vector<Function*>& functions) {
  auto* found = image_of(image);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  for (const auto& info : found->info.functions) functions.push_back(registry().kernel_of(*found, info.entry));
  return cudaSuccess;
}

// --- Libraries of kernels
// ---------------------------------------------------------------------------------------------

namespace {

Image* image_of(cudaLibrary_t library) { return reinterpret_cast<Image*>(library); }

cudaError_t give_variable(void** address, std::size_t* bytes, cudaLibrary_t library, const char* name) {
  return with_state([&](State&) {
    const device::VariableInfo* variable = nullptr;
    const auto error = find_variable_of(image_of(library), name, variable);
    if (error != cudaSuccess) return error;
    if (address != nullptr) *address = reinterpret_cast<void*>(variable->address);
    if (bytes != nullptr) *bytes = variable->size;
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return with_state([&](State& state) {
    if (library == nullptr) return cudaErrorInvalidValue;
    return load_module(state, code, *reinterpret_cast<Image**>(library));
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
  return with_state([&](State& state) {
    if (library == nullptr) return cudaErrorInvalidValue;
    return load_module_of_file(state, path, *reinterpret_cast<Image**>(library));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return with_state([&](State& state) { return unload_module(state, image_of(library)); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return with_state([&](State&) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    return find_kernel_of(image_of(library), name, *reinterpret_cast<Function**>(kernel));
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return with_state([&](State&) {
    std::vector<Function*> found;
    if (count == nullptr) return cudaErrorInvalidValue;
    const auto error = find_kernels_of(image_of(library), found);
    *count = static_cast<unsigned>(found.size());
    return error;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return with_state([&](State&) {
    std::vector<Function*> found;
    if (kernels == nullptr) return cudaErrorInvalidValue;
    const auto error = find_kernels_of(image_of(library), found);
    for (std::size_t i = 0; i < found.size() && i < count; ++i) kernels[i] = reinterpret_cast<cudaKernel_t>(found[i]);
    return error;
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* bytes, cudaLibrary_t library, const char* name) {
  return give_variable(address, bytes, library, name);
}
cudaError_t cudaLibraryGetManaged(void** address, std::size_t* bytes, cudaLibrary_t library, const char* name) {
  return give_variable(address, bytes, library, name);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int device) {
  if (device != 0) return set_last(cudaErrorInvalidDevice);
  return runtime::cudaFuncSetAttribute(kernel, attribute, value);
}

}  // namespace xcuda::runtime
