// What a program registers before main(): its device code, and which host symbols mean what in it. Device code is
// loaded when it is first used.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "runtime/memory_map.hpp"

namespace xcuda::runtime {

// One fat binary, which nvcc makes from each source file, or a module that the program loads.
struct Image {
  const void* wrapper = nullptr;
  std::string text;  // instead of a wrapper: PTX that the program has loaded itself
  device::ModuleId id{};
  enum class State : std::uint8_t { registered, loaded, refused } state = State::registered;
  cudaError_t error = cudaSuccess;  // why it was refused
  device::ModuleInfo info;
  std::vector<device::VariableInfo> texts;  // literals, which the program may have pointers to
};

// What a launch gets that is put together call by call (cuFuncSetBlockShape(), cuParamSetv(), cuLaunchGrid()).
struct PreparedLaunch {
  unsigned block[3] = {0, 0, 0};
  unsigned shared = 0;  // bytes
  std::vector<std::byte> arguments;
};

struct Function {
  Image* image = nullptr;
  std::string entry;
  int dynamic_shared = 48 << 10;  // bytes: cudaFuncAttributeMaxDynamicSharedMemorySize
  int carveout = -1;              // cudaFuncAttributePreferredSharedMemoryCarveout
  PreparedLaunch prepared;
};

struct Variable {
  Image* image = nullptr;
  std::string symbol;
  std::uint64_t size = 0;
  void** managed = nullptr;  // where the host keeps the address of a __managed__ variable
};

// Thread-safe; errors of CUDA are values.
class Registry {
 public:
  Image* add_image(const void* wrapper);
  void remove_image(Image* image);
  void add_function(const void* host, Function function);
  void add_variable(const void* host, Variable variable);

  // A module that the program loads, and its kernels and variables by name.
  Image* add_text(std::string ptx);
  bool holds(const Image* image) const;
  Function* kernel_of(Image& image, const std::string& entry);  // loaded; null: it has no such kernel

  // Loads the program's own device code. What is refused is said as load() does.
  void load_own(device::Device& device, MemoryMap& memory);
  // The kernels of this name in it, which is loaded for that.
  std::vector<Function*> kernels_named(const std::string& entry, device::Device& device, MemoryMap& memory);

  Function* function(const void* host);  // the function of a host symbol or a cudaKernel_t; null: not registered
  const Variable* variable(const void* host) const;

  // Loads the image if that has not been done. Errors go to stderr once, or to `message`.
  cudaError_t load(Image& image, device::Device& device, MemoryMap& memory, std::string* message = nullptr);
  void unload(Image* image, device::Device& device, MemoryMap& memory);  // and removes the image, whose work has ended
  const device::FunctionInfo* info_of(const Function& function) const;   // loaded; null: it has no such kernel
  const device::VariableInfo* info_of(const Variable& variable) const;
  void forget_device();  // what was loaded has gone with it

 private:
  mutable std::recursive_mutex mutex_;
  Function* add_kernel(Function function);
  device::ModuleId next_id();

  std::list<Image> images_;
  std::list<Function> kernels_;
  std::map<const void*, Function*> functions_;  // by their function on the host, and by their own address
  std::map<const void*, Variable> variables_;
  std::uint32_t next_id_ = 1;  // plus kFirstLentId on a lent device
};

}  // namespace xcuda::runtime
