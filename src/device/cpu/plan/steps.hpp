// What a load in a loop with a barrier will read in the loop's next turn. Between two turns all warps of the block run,
// which is time enough to fetch the line; and the lines of a tile are too far apart for the processor to foresee them.
// Also what a load in a grid-stride loop will read many turns later: each turn is in another page.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/cpu/plan/flow_graph.hpp"

namespace xcuda::device::cpu {

// By how much a register changes from one turn to the next: the sum of number + register * factor.
struct Step {
  struct Part {
    ptx::Register reg;  // none: 1
    std::int64_t factor;
  };
  std::vector<Part> parts;
};

// Whether each block lies in a loop.
std::vector<bool> blocks_in_loops(const Graph& graph);

class StepFinder {
 public:
  StepFinder() = default;
  // in_loop: whether each block lies in a loop of the kind in question.
  StepFinder(const ptx::Function& function, const Graph& graph, std::vector<bool> in_loop);

  // Nothing where the register does not change by the same amount in each turn, or not at all.
  std::optional<Step> of(ptx::Register reg, BlockIndex block) const;
  // The step where it grows with the grid.
  std::optional<Step> of_grid(ptx::Register reg, BlockIndex block) const;

 private:
  struct Definitions {
    ptx::Index in_loop = ptx::kNoIndex;  // the instruction
    int loops = 0, others = 0;           // how many in loops and outside
  };
  bool add(ptx::Register reg, std::int64_t factor, int depth, Step& step) const;
  bool grows_with_grid(ptx::Register reg, int depth) const;
  bool add_product(std::span<const ptx::Operand> operands, std::int64_t factor, int depth, Step& step) const;
  bool add_same(const ptx::Operand& operand, std::int64_t factor, int depth, Step& step) const;

  const ptx::Function* function_ = nullptr;
  std::vector<bool> in_loop_;
  std::vector<Definitions> definitions_;  // by register
};

// Both kinds of loops.
struct Steps {
  StepFinder between_barriers, of_grid;
};

}  // namespace xcuda::device::cpu
