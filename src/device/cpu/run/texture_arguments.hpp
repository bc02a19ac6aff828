// The handles of textures in a launch's arguments.
#pragma once

#include <optional>

#include "device/cpu/memory/address_space.hpp"

namespace xcuda::device::cpu {

// Errors: value (the id is taken; not memory of the session).
void add_texture(AddressSpace& space, const TextureRequest& request);

// Writes the handles into the arguments; a refusal when a texture is gone.
std::optional<RefusedLaunch> bind_textures(const AddressSpace& space, LaunchRequest& request);

}  // namespace xcuda::device::cpu
