// Loops whose number of iterations is known, and what they add to registers: steps of the same size, one an iteration.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ptx/grid_values.hpp"

namespace xcuda::ptx {

class GridLoops {
 public:
  explicit GridLoops(const Function& entry);

  // The only instruction in a loop that writes the register, which adds `step` to it. Others are outside.
  struct Step {
    Index loop = 0, at = 0;
    std::int64_t step = 0;
  };
  const Step* step_of(Register reg) const { return steps_[reg] ? &*steps_[reg] : nullptr; }

  // base: what a register holds before the loop; number: an operand of the comparison that ends it.
  struct Read {
    std::function<GridValue(Register)> base;
    std::function<GridValue(const Operand&)> number;
  };
  // How often the loop runs once it is entered; nothing where that is not known.
  std::optional<std::int64_t> iterations(Index loop, const GridValues& values, const Read& read) const;
  // Whether the instruction runs only before the loop.
  bool is_before(const Step& step, Index reader) const { return reader < loops_[step.loop].head; }
  // What the register is when another instruction reads it, as more than its base: the least and the most.
  std::pair<std::int64_t, std::int64_t> added(const Step& step, std::int64_t iterations, Index reader) const;

 private:
  struct Loop {
    Index head = 0, latch = 0;
  };
  void find_loops();
  void find_steps();

  const Function& entry_;
  std::vector<Loop> loops_;
  std::vector<std::vector<Index>> writers_;  // by register
  std::vector<std::optional<Step>> steps_;   // by register
};

}  // namespace xcuda::ptx
