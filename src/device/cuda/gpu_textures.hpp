// Texture and surface objects of a GPU. The hardware reads two kinds in place: two dimensions with aligned rows, and
// one dimension by the numbers of elements (tex1Dfetch), which takes an object of its own. All others have a CUDA
// array, which is written from the session's array before each launch that samples it and, for a surface, read back
// after it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/owned.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

class GpuTextures {
 public:
  GpuTextures(const Driver& driver, CUdevice device);

  void create(const TextureRequest& request);  // Errors: value, memory
  void drop(TextureId id);                     // launches that were given it run to their end
  void synchronized() { dropped_.clear(); }    // everything posted so far is done

  // Writes the handles into the arguments, or returns why it cannot.
  struct Problem {
    std::string what, advice;
  };
  std::optional<Problem> bind(LaunchRequest& request) const;
  // Called before and after the launch, on its stream.
  CUresult before(const LaunchRequest& request, CUstream stream) const;
  CUresult after(const LaunchRequest& request, CUstream stream) const;

 private:
  struct Limits {
    std::uint64_t line = 0, elements = 0, plane_width = 0, plane_height = 0, plane_pitch = 0;
    std::uint64_t alignment = 512, pitch_alignment = 32;
  };
  struct Texture {
    TextureRequest request;
    TextureArray copy;      // none: the session's array itself is sampled
    TextureObject sampled;  // none: too long to be sampled, or a surface
    SurfaceObject surface;
    TextureObject fetched;  // of linear memory; none: cannot be read by the numbers of elements
    unsigned long long handle(TextureUse use) const;  // 0 when there is none
  };
  bool lies_well(const TextureRequest& request) const;
  bool can_fetch(const TextureRequest& request) const;
  TextureArray make_copy(const TextureRequest& request) const;
  enum class Direction : std::uint8_t { to_copy, from_copy };
  CUresult move(const Texture& texture, Direction direction, CUstream stream) const;

  const Driver& driver_;
  Limits limits_;
  std::map<TextureId, Texture> textures_;
  std::vector<Texture> dropped_;  // textures that may still be sampled
};

}  // namespace xcuda::device::cuda
