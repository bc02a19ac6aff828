// An entry that runs some of the blocks of a grid, as if all of them were launched: its text, made from that of the
// entry. It has one parameter more: a PartOfGrid.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

struct PartOfGrid {
  std::array<std::uint32_t, 3> first{};  // the block that is {0, 0, 0} of the launch
  std::array<std::uint32_t, 3> grid{};   // of all parts
};

// The module's text with that entry, changed, and no others. Empty where the entry has no body.
std::string part_entry(std::string_view text, const Module& module, const Function& entry);

}  // namespace xcuda::ptx
