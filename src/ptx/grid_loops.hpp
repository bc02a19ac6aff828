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

  // The only instruction in a loop that writes the register, which adds the sum of `by` to it, some of it perhaps by
  // instructions before. Others that write it are outside.
  struct Step {
    Index loop = 0, at = 0;
    std::vector<Operand> by;
  };
  // One for each loop that steps the register, in the order in which they run.
  const std::vector<Step>& steps_of(Register reg) const { return steps_[reg]; }

  // base: what a register holds before the loop; number: an operand that no loop steps.
  struct Read {
    std::function<GridValue(Register)> base;
    std::function<GridValue(const Operand&)> number;
  };
  // By how much an iteration moves the register; nothing where that is not a known number.
  std::optional<std::int64_t> length(const Step& step, const Read& read) const;
  // How often the loop runs at most once it is entered; nothing where that is not known.
  std::optional<std::int64_t> iterations(Index loop, const GridValues& values, const Read& read) const;
  // Whether the instruction runs only before the loop.
  bool is_before(const Step& step, Index reader) const { return reader < loops_[step.loop].head; }
  // What the register is when another instruction reads it, as more than its base: the least and the most.
  std::pair<std::int64_t, std::int64_t> added(const Step& step, std::int64_t length, std::int64_t iterations,
                                              Index reader) const;

 private:
  struct Loop {
    Index head = 0, latch = 0;
  };
  void find_loops();
  void find_steps();
  std::optional<Step> step_in(Index loop, Register reg) const;
  std::optional<Index> writer_in(Index loop, Register reg) const;  // the only one

  const Function& entry_;
  std::vector<Loop> loops_;
  std::vector<std::vector<Index>> writers_;  // by register
  std::vector<std::vector<Step>> steps_;     // by register
};

}  // namespace xcuda::ptx
