// Block shape classes: what the translator may assume about the threads of a warp. One compiled kernel serves all
// blocks of its class.
#pragma once

#include <cstdint>
#include <string>

#include "device/device.hpp"

namespace xcuda::device::cpu {

struct BlockShape {
  enum class Rows : std::uint8_t {
    single,    // (1, 1, 1): one thread, so that everything is the same for all threads there are
    line,      // (x, 1, 1): thread = warp * 32 + lane, any x
    wide,      // x is a multiple of 32: a warp lies in one row
    narrow,    // x is 1, 2, 4, 8 or 16: a warp is 32 / x whole rows
    scattered  // anything else: nothing is known of a lane's coordinates
  };
  enum class Layers : std::uint8_t {
    one,      // z is 1
    aligned,  // a warp lies in one layer
    any
  };
  Rows rows = Rows::line;
  Layers layers = Layers::one;
  std::uint32_t width = 0;  // of narrow rows
  bool full_warps = false;  // threads are a multiple of 32

  bool one_thread() const { return rows == Rows::single; }
  // Lanes of a row-group share what depends on the row only; 1, 2 or 4 groups in a warp.
  int groups() const { return rows == Rows::narrow && width >= 8 ? static_cast<int>(32 / width) : 1; }

  std::string key() const;   // file-name safe
  std::string text() const;  // for people
  bool operator==(const BlockShape&) const = default;
};

BlockShape shape_of(const Dim3& block);

}  // namespace xcuda::device::cpu
