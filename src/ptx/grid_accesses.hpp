// Where the blocks of a grid access memory, as far as addresses are linear in blockIdx and threadIdx. Arguments and
// extents are those of one launch, so that all else in an address is a number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::ptx {

using Extents = std::array<std::uint32_t, 3>;  // x, y, z

// constant + the sum of block[axis] * blockIdx[axis] + thread[axis] * threadIdx[axis].
struct GridForm {
  std::int64_t constant = 0;
  std::array<std::int64_t, 3> block{}, thread{};
  bool is_constant() const { return *this == GridForm{constant, {}, {}}; }
  bool operator==(const GridForm&) const = default;
};

// What the conditions around an access say: least <= form <= most. The form's constant is 0.
struct GridBound {
  GridForm form;
  std::int64_t least = 0, most = 0;
};

struct GridAccess {
  static constexpr Index kMostParameters = 60;
  // The parameters that the address is computed from, a bit each; the last bit is for all others.
  std::uint64_t parameters = 0;
  bool of_variable = false, of_own = false;  // or from a variable of the module, or from shared and local memory
  bool reads = false, writes = false;
  std::uint32_t bytes = 0;
  // started: the form is that of a loop's first iteration, and an iteration moves it by `step` bytes at most.
  enum class Known : std::uint8_t { nothing, started, exactly } known = Known::nothing;
  GridForm at;
  std::int64_t low = 0, high = 0;  // exactly: what is added to the form in loops, at least and at most
  std::int64_t step = 0;
  std::int64_t grain = 0;  // exactly: what loops add is a multiple of it
  std::vector<GridBound> bounds;
};

struct GridAccesses {
  std::vector<GridAccess> accesses;  // of global memory
  // Why the blocks cannot be shared out between devices, whatever they access: "it uses atomics". Empty: they can.
  std::string obstacle;
};

GridAccesses grid_accesses(const Module& module, const Function& entry, std::span<const std::byte> arguments,
                           const Extents& grid, const Extents& block);

// The bytes [first, second) that threads of these blocks reach by an access that is known exactly; nothing if they do
// not make it, which may also be known of others.
struct BlockRange {
  Extents first{}, end{};
};
std::optional<std::pair<std::int64_t, std::int64_t>> reach_of(const GridAccess& access, const BlockRange& blocks,
                                                              const Extents& block);

// An access that is known exactly without what moves it by whole rows of so many bytes.
GridAccess within_rows(GridAccess access, std::int64_t row);

// Of memory in rows of so many bytes, which begins at an address: the columns [first, second) that it
// reaches, in bytes from a row's begin; nothing if it does not stay between the begin and the end of rows.
struct Rows {
  std::int64_t begin = 0, bytes = 0;
};
std::optional<std::pair<std::int64_t, std::int64_t>> columns_of(const GridAccess& access, const BlockRange& blocks,
                                                                const Extents& block, const Rows& rows);

}  // namespace xcuda::ptx
