#include "device/cpu/run/texture_arguments.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/units.hpp"
#include "device/cpu/abi/texture_call.hpp"
#include "device/id_errors.hpp"

namespace xcuda::device::cpu {

void add_texture(AddressSpace& space, const TextureRequest& request) {
  const std::uint64_t handle = texture_handle(request.id);
  if (space.textures.contains(handle)) throw taken(request.id);
  if (!space.contains(request.address, request.bytes()))
    throw Error(ErrorKind::value, fmt::format("a texture of {} at {:#x}, beyond the memory of this session",
                                              format_bytes(request.bytes()), request.address));
  for (std::size_t i = 0; i < request.smaller.size(); ++i)
    if (!space.contains(request.smaller[i], request.level_bytes(i + 1)))
      throw Error(ErrorKind::value, fmt::format("level {} of a texture at {:#x}, beyond the memory of this session",
                                                i + 1, request.smaller[i]));
  space.textures.emplace(handle, request);
}

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
