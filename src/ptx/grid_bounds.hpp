// What the conditions around an instruction say of forms: the branches that have to be passed to get to it.
#pragma once

#include <span>
#include <vector>

#include "ptx/grid_values.hpp"

namespace xcuda::ptx {

class GridBounds {
 public:
  GridBounds(const Function& entry, const GridValues& values, std::span<const GridValue> registers);

  std::vector<GridBound> around(Index instruction) const;

 private:
  // A branch over the instructions up to `end`, which nothing else enters. They run where its guard does not hold.
  struct Skip {
    Index branch = 0, end = 0;
  };
  enum class Truth : bool { no, yes };
  void find_skips();
  void add(Register predicate, Truth truth, std::vector<GridBound>& bounds, int depth) const;
  void compare(const Instruction& comparison, Truth truth, std::vector<GridBound>& bounds) const;
  GridValue value_of(const Operand& operand, Type type) const;

  const Function& entry_;
  const GridValues& values_;
  std::span<const GridValue> registers_;
  std::vector<Index> definitions_;  // by register: the only instruction that writes it
  std::vector<Skip> skips_;
};

}  // namespace xcuda::ptx
