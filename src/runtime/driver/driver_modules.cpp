// Modules and libraries, which are the same here, and PTX that is linked while the program runs.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/driver/driver_calls.hpp"
#include "runtime/errors.hpp"
#include "runtime/fat_binary.hpp"
#include "runtime/loaded_images.hpp"
#include "runtime/object_code.hpp"
#include "runtime/ptx_link.hpp"

namespace xcuda::runtime::driver {
namespace {

using Clock = std::chrono::steady_clock;

Image* image_of(CUmodule module) { return reinterpret_cast<Image*>(module); }
Image* image_of(CUlibrary library) { return reinterpret_cast<Image*>(library); }

// Where a program wants to read what the compiler said. Other options are hints.
class JitOptions {
 public:
  JitOptions(unsigned count, const CUjit_option* options, void** values) {
    for (unsigned i = 0; i < count && options != nullptr && values != nullptr; ++i) {
      switch (options[i]) {
        case CU_JIT_WALL_TIME: time_ = &values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER: info_.buffer = static_cast<char*>(values[i]); break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: info_.size = &values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER: error_.buffer = static_cast<char*>(values[i]); break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: error_.size = &values[i]; break;
        default: break;
      }
    }
  }

  void begin() { begin_ = Clock::now(); }  // of the work whose time is asked for
  bool has_error_log() const { return error_.buffer != nullptr && error_.size != nullptr; }

  void write(const std::string& message) {
    info_.write({});
    error_.write(message);
    if (time_ == nullptr) return;
    const float milliseconds = std::chrono::duration<float, std::milli>(Clock::now() - begin_).count();
    *time_ = reinterpret_cast<void*>(static_cast<std::uintptr_t>(std::bit_cast<std::uint32_t>(milliseconds)));
  }

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;  // bytes of the buffer, then of what is in it
    void write(std::string_view text) const {
      if (buffer == nullptr || size == nullptr || *size == nullptr) return;
      const auto room = reinterpret_cast<std::uintptr_t>(*size);
      const auto count = std::min<std::size_t>(text.size(), room - 1);
      std::memcpy(buffer, text.data(), count);
      buffer[count] = '\0';
      *size = reinterpret_cast<void*>(count);
    }
  };
  Log info_, error_;
  void** time_ = nullptr;
  Clock::time_point begin_ = Clock::now();
};

enum class Source : std::uint8_t { code, file };
cudaError_t load(Image** to, const void* from, Source source, JitOptions options = {0, nullptr, nullptr}) {
  return with_state([&](State& state) {
    if (to == nullptr) return cudaErrorInvalidValue;
    std::string message;
    const auto error = source == Source::file
                           ? load_module_of_file(state, static_cast<const char*>(from), *to, &message)
                           : load_module(state, from, *to, &message);
    if (!message.empty() && !options.has_error_log()) say(message);
    options.write(message);
    return error;
  });
}

cudaError_t give_kernel(Function** to, const Image* image, const char* name) {
  return with_state([&](State&) { return to == nullptr ? cudaErrorInvalidValue : find_kernel_of(image, name, *to); });
}

cudaError_t give_count(unsigned* to, const Image* image) {
  return with_state([&](State&) {
    std::vector<Function*> found;
    const auto error = find_kernels_of(image, found);
    return error == cudaSuccess ? give(to, found.size()) : error;
  });
}

template <class Handle> cudaError_t give_kernels(Handle* to, unsigned count, const Image* image) {
  return with_state([&](State&) {
    std::vector<Function*> found;
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = find_kernels_of(image, found);
    for (std::size_t i = 0; i < found.size() && i < count; ++i) to[i] = reinterpret_cast<Handle>(found[i]);
    return error;
  });
}

cudaError_t give_variable(CUdeviceptr* address, std::size_t* bytes, const Image* image, const char* name) {
  return with_state([&](State&) {
    const device::VariableInfo* variable = nullptr;
    if (const auto error = find_variable_of(image, name, variable); error != cudaSuccess) return error;
    if (address != nullptr) *address = variable->address;
    if (bytes != nullptr) *bytes = variable->size;
    return cudaSuccess;
  });
}

}  // namespace

CUresult cuModuleLoad(CUmodule* to, const char* path) {
  return in_context([&] { return load(reinterpret_cast<Image**>(to), path, Source::file); });
}
CUresult cuModuleLoadData(CUmodule* to, const void* code) {
  return in_context([&] { return load(reinterpret_cast<Image**>(to), code, Source::code); });
}
CUresult cuModuleLoadDataEx(CUmodule* to, const void* code, unsigned count, CUjit_option* options, void** values) {
  return in_context(
      [&] { return load(reinterpret_cast<Image**>(to), code, Source::code, JitOptions(count, options, values)); });
}
CUresult cuModuleLoadFatBinary(CUmodule* to, const void* code) { return driver::cuModuleLoadData(to, code); }
CUresult cuModuleUnload(CUmodule module) {
  return in_context([&] { return runtime::cudaLibraryUnload(reinterpret_cast<cudaLibrary_t>(module)); });
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* to) {
  return after_init([&] { return give(to, CU_MODULE_LAZY_LOADING); });  // kernels are compiled by their first launch
}
CUresult cuModuleGetFunction(CUfunction* to, CUmodule module, const char* name) {
  return in_context([&] { return give_kernel(reinterpret_cast<Function**>(to), image_of(module), name); });
}
CUresult cuModuleGetFunctionCount(unsigned* to, CUmodule module) {
  return in_context([&] { return give_count(to, image_of(module)); });
}
CUresult cuModuleEnumerateFunctions(CUfunction* to, unsigned count, CUmodule module) {
  return in_context([&] { return give_kernels(to, count, image_of(module)); });
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* to, std::size_t* bytes, CUmodule module, const char* name) {
  return in_context([&] { return give_variable(to, bytes, image_of(module), name); });
}

// --- Libraries
// --------------------------------------------------------------------------------------------------------

CUresult cuLibraryLoadData(CUlibrary* to, const void* code, CUjit_option* options, void** values, unsigned count,
                           CUlibraryOption*, void**, unsigned) {
  return after_init(
      [&] { return load(reinterpret_cast<Image**>(to), code, Source::code, JitOptions(count, options, values)); });
}
CUresult cuLibraryLoadFromFile(CUlibrary* to, const char* path, CUjit_option* options, void** values, unsigned count,
                               CUlibraryOption*, void**, unsigned) {
  return after_init(
      [&] { return load(reinterpret_cast<Image**>(to), path, Source::file, JitOptions(count, options, values)); });
}
CUresult cuLibraryUnload(CUlibrary library) {
  return after_init([&] { return runtime::cudaLibraryUnload(library); });
}
CUresult cuLibraryGetKernel(CUkernel* to, CUlibrary library, const char* name) {
  return after_init([&] { return give_kernel(reinterpret_cast<Function**>(to), image_of(library), name); });
}
CUresult cuLibraryGetKernelCount(unsigned* to, CUlibrary library) {
  return after_init([&] { return give_count(to, image_of(library)); });
}
CUresult cuLibraryEnumerateKernels(CUkernel* to, unsigned count, CUlibrary library) {
  return after_init([&] { return give_kernels(to, count, image_of(library)); });
}
CUresult cuLibraryGetModule(CUmodule* to, CUlibrary library) {
  return in_context([&] {
    return registry().holds(image_of(library)) ? give(to, reinterpret_cast<CUmodule>(library))
                                               : cudaErrorInvalidResourceHandle;
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* to, std::size_t* bytes, CUlibrary library, const char* name) {
  return in_context([&] { return give_variable(to, bytes, image_of(library), name); });
}
CUresult cuLibraryGetManaged(CUdeviceptr* to, std::size_t* bytes, CUlibrary library, const char* name) {
  return after_init([&] { return give_variable(to, bytes, image_of(library), name); });
}

// --- Linking
// ----------------------------------------------------------------------------------------------------------

namespace {

struct Link {
  std::vector<std::string> texts;
  std::string result;
  JitOptions options;
};
std::mutex links_mutex;
std::map<CUlinkState, std::unique_ptr<Link>> links;

Link* find_link(CUlinkState state) {
  const std::lock_guard lock(links_mutex);
  const auto found = links.find(state);
  return found == links.end() ? nullptr : found->second.get();
}

bool is_of_the_host(CUjitInputType type) { return type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY; }

std::vector<std::string> texts_of(CUjitInputType type, const std::string& code) {
  if (is_of_the_host(type)) return ptx_of_object(code);
  return {ptx_of_module(code.c_str())};
}

// name: a null pointer where the program gives none.
cudaError_t add_code(Link& link, CUjitInputType type, const std::string& code, const char* name) {
  if (type > CU_JIT_INPUT_NVVM) return cudaErrorInvalidValue;
  if (type == CU_JIT_INPUT_NVVM) {
    say("linking of NVVM IR is not supported on the CPU device: link PTX");
    return cudaErrorNotSupported;
  }
  std::string message;
  std::vector<std::string> texts;
  const auto error = converted(
      [&] {
        texts = texts_of(type, code);
        return cudaSuccess;
      },
      &message);
  if (error == cudaSuccess) {
    std::move(texts.begin(), texts.end(), std::back_inserter(link.texts));
    return error;
  }
  if (is_of_the_host(type) && name != nullptr) message = fmt::format("{}: {}", name, message);
  if (!link.options.has_error_log()) say(message);
  link.options.write(message);
  return cudaErrorNoKernelImageForDevice;
}

}  // namespace

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* to) {
  return in_context([&] {
    if (to == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<Link>(Link{{}, {}, JitOptions(count, options, values)});
    const std::lock_guard lock(links_mutex);
    *to = reinterpret_cast<CUlinkState>(made.get());
    links.emplace(*to, std::move(made));
    return cudaSuccess;
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, std::size_t size, const char* name,
                          unsigned, CUjit_option*, void**) {
  return in_context([&] {
    auto* link = find_link(state);
    if (link == nullptr) return cudaErrorInvalidResourceHandle;
    if (data == nullptr) return cudaErrorInvalidValue;
    return add_code(*link, type, std::string(static_cast<const char*>(data), size), name);
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned, CUjit_option*, void**) {
  return in_context([&] {
    auto* link = find_link(state);
    if (link == nullptr) return cudaErrorInvalidResourceHandle;
    if (path == nullptr) return cudaErrorInvalidValue;
    // The device answers the calls of the device runtime itself.
    if (std::string_view(path).ends_with("libcudadevrt.a")) return cudaSuccess;
    std::ifstream file(path, std::ios::binary);
    if (!file) return cudaErrorFileNotFound;
    return add_code(*link, type, std::string{std::istreambuf_iterator<char>(file), {}}, path);
  });
}

// What a GPU gets as a CUBIN is one PTX text, which can be loaded as a module.
CUresult cuLinkComplete(CUlinkState state, void** code, std::size_t* size) {
  return in_context([&] {
    auto* link = find_link(state);
    if (link == nullptr) return cudaErrorInvalidResourceHandle;
    if (link->texts.empty()) return cudaErrorInvalidValue;
    link->options.begin();
    link->result = linked_ptx(link->texts);
    link->options.write({});
    if (code != nullptr) *code = link->result.data();
    if (size != nullptr) *size = link->result.size() + 1;
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return in_context([&] {
    const std::lock_guard lock(links_mutex);
    return links.erase(state) > 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace xcuda::runtime::driver
