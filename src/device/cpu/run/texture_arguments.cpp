#include "device/cpu/run/texture_arguments.hpp"

#include <fmt/format.h>

#include <cstring>

#include "device/cpu/abi/texture_call.hpp"

namespace xcuda::device::cpu {

std::optional<RefusedLaunch> bind_textures(const AddressSpace& space, LaunchRequest& request) {
  for (const TextureArgument& argument : request.textures) {
    const std::uint64_t handle = texture_handle(argument.texture);
    if (!space.textures.contains(handle) || argument.offset + sizeof handle > request.arguments.size())
      return RefusedLaunch{request.number,
                           fmt::format("CUDA_ERROR_INVALID_HANDLE (400): there is no texture {}",
                                       static_cast<unsigned>(argument.texture)),
                           ""};
    std::memcpy(request.arguments.data() + argument.offset, &handle, sizeof handle);
  }
  return std::nullopt;
}

}  // namespace xcuda::device::cpu
