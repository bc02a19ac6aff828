// The frames that %image showed under each --id since the last cell that used it, for %animate to make one picture.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "display/animation.hpp"

namespace xcuda::command {

class Frames {
 public:
  // The most frames and bytes of one id: beyond them every second frame is left out, also of later ones.
  static constexpr std::size_t kMost = 400;
  static constexpr std::uint64_t kMostBytes = 32 << 20;

  struct Film {
    std::string cell;  // the cell that shows the frames: another one begins anew
    std::vector<display::PngFile> frames;
    std::uint64_t shown = 0, every = 1;  // every n-th of the shown frames is kept
    std::uint64_t bytes = 0;
  };
  // A frame that does not fit the others begins anew, too.
  void add(const std::string& id, const std::string& cell, display::PngFile frame);
  const Film* find(const std::string& id) const;
  std::vector<std::string> ids() const;

 private:
  static void thin_out(Film& film);
  std::map<std::string, Film> films_;
};

}  // namespace xcuda::command
