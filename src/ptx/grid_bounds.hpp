// What the conditions around an instruction say of forms: the branches that have to be passed to get to it.
#pragma once

#include <functional>
#include <vector>

#include "ptx/grid_values.hpp"

namespace xcuda::ptx {

class GridBounds {
 public:
  using Read = std::function<GridValue(Register, Index)>;  // what a register holds for an instruction
  GridBounds(const Function& entry, const GridValues& values, Read read);

  std::vector<GridBound> around(Index instruction) const;

 private:
  // A branch over the instructions up to `end`, which nothing else enters. They run where its guard does not hold.
  struct Skip {
    Index branch = 0, end = 0;
  };
  enum class Truth : bool { no, yes };
  void find_skips();
  void add(Register predicate, Truth truth, std::vector<GridBound>& bounds, int depth) const;
  void compare(Index comparison, Truth truth, std::vector<GridBound>& bounds) const;
  GridValue value_of(const Operand& operand, Type type, Index at) const;

  const Function& entry_;
  const GridValues& values_;
  Read read_;
  std::vector<Index> definitions_;  // by register: the only instruction that writes it
  std::vector<Skip> skips_;
};

}  // namespace xcuda::ptx
