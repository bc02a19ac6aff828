// Texture and surface objects of a program, as they were asked for.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "device/ids.hpp"

namespace xcuda::runtime {

struct TextureObject {
  device::TextureId id{};
  cudaResourceDesc resource{};
  std::optional<cudaTextureDesc> sampling;  // none: a surface
  std::optional<cudaResourceViewDesc> view;
};

}  // namespace xcuda::runtime
