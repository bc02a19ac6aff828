#include "device/cpu/plan/shape.hpp"

#include <fmt/format.h>

namespace xcuda::device::cpu {

BlockShape shape_of(const Dim3& block) {
  using Rows = BlockShape::Rows;
  using Layers = BlockShape::Layers;
  BlockShape shape;
  if (block.count() == 1) {
    shape.rows = Rows::single;
    return shape;
  }
  shape.full_warps = block.count() % 32 == 0;
  if (block.y == 1 && block.z == 1) return shape;
  shape.layers = block.z == 1 ? Layers::one : Layers::any;
  if (block.x % 32 == 0) {
    shape.rows = Rows::wide;
    if (block.z > 1) shape.layers = Layers::aligned;
  } else if (block.x <= 16 && (block.x & (block.x - 1)) == 0) {
    shape.rows = Rows::narrow;
    shape.width = block.x;
    if (block.z > 1 && block.y % (32 / block.x) == 0) shape.layers = Layers::aligned;
  } else {
    shape.rows = Rows::scattered;
    shape.layers = Layers::any;
  }
  return shape;
}

std::string BlockShape::key() const {
  static constexpr const char* kNames[] = {"single", "line", "wide", "narrow", "scattered"};
  return fmt::format("{}{}z{}{}", kNames[static_cast<int>(rows)], width, static_cast<int>(layers),
                     full_warps ? "" : "p");
}

std::string BlockShape::text() const {
  switch (rows) {
    case Rows::single: return "one thread";
    case Rows::line: return full_warps ? "one row" : "one row, no multiple of 32";
    case Rows::wide: return "rows of a multiple of 32";
    case Rows::narrow: return fmt::format("rows of {}", width);
    case Rows::scattered: return "any rows";
  }
  return {};
}

}  // namespace xcuda::device::cpu
