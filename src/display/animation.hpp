// Several images as one that moves: an APNG, which every browser plays; other programs show its first frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "display/bundle.hpp"

namespace xcuda::display {

using PngFile = std::vector<std::byte>;

struct AnimationView {
  std::string name;             // of what was shown
  std::vector<PngFile> frames;  // as encode_png() writes them; at least one
  std::uint64_t shown = 0;      // how often it was shown: more than there are frames, if some were left out
  double each_second = 10;      // frames
};

// Whether two frames can be in one animation: they have the same size, kind of pixels and palette.
bool fits(const PngFile& first, const PngFile& other);

PngFile animated_png(const AnimationView& view);  // of frames that fit
Bundle animation_bundle(const AnimationView& view);

inline constexpr std::string_view kAnimationMime = "application/vnd.xcuda.animation+json";

}  // namespace xcuda::display
