// Functions that nvcc's code calls before main(), for each source file of a program.
#include <mutex>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/lent_device.hpp"

namespace xcuda::runtime {

void** __cudaRegisterFatBinary(void* wrapper) { return reinterpret_cast<void**>(registry().add_image(wrapper)); }

void __cudaRegisterFatBinaryEnd(void**) {}  // an image is loaded when it is first used

// The device of a session goes on without the module.
void __cudaUnregisterFatBinary(void** handle) {
  auto* image = reinterpret_cast<Image*>(handle);
  if (lent_device() == nullptr || image->state != Image::State::loaded) return registry().remove_image(image);
  with_state([&](State& state) {
    state.engine.wait_for_all();
    {
      const std::lock_guard lock(state.mutex);
      for (const auto& variable : image->info.variables)  // some of them may be managed
        state.advice.forget(variable.address, variable.address + variable.size);
    }
    registry().unload(image, state.engine.device(), state.memory);
    return cudaSuccess;
  });
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  registry().add_function(host, {.image = reinterpret_cast<Image*>(handle), .entry = name});
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t size, int, int) {
  registry().add_variable(host, {.image = reinterpret_cast<Image*>(handle), .symbol = name, .size = size});
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t size, int, int) {
  registry().add_variable(host,
                          {.image = reinterpret_cast<Image*>(handle), .symbol = name, .size = size, .managed = host});
}

// Before the host first reads a __managed__ variable.
char __cudaInitModule(void** handle) {
  return with_state([&](State& state) {
           return registry().load(*reinterpret_cast<Image*>(handle), state.engine.device(), state.memory);
         }) == cudaSuccess
             ? 1
             : 0;
}

}  // namespace xcuda::runtime
