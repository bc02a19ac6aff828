// Which definition of a register is the last one on every way to a place, as in SSA form.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

// Where a register got its value: an instruction that writes it, by index; or, `instructions + b`, the beginning of
// block b, where ways with different values of it meet (the beginning of the function, too).
using Site = std::uint32_t;

// If a register has the same site at two places, and the way between them does not lead over that site again, it has
// the same value. It does not where the first place is on every way from the site to the second one: a site is on every
// way to the places where it is the register's, and so is each instruction whose result is at hand.
class ReachingValues {
 public:
  // Nothing for functions so large that it would take long, and for jumps through a table.
  static std::optional<ReachingValues> of(const ptx::Function& function);

  // The instructions that can be reached, each after the sites of what it reads. held: by register, before it.
  using Visit = std::function<void(ptx::Index instruction, const std::vector<Site>& held)>;
  void each(const Visit& visit) const;

  // The ways to a site that is the beginning of a block, if each() comes to them before: none of them is the way back
  // of a loop.
  struct Way {
    std::vector<Site> held;             // at its end
    ptx::Index branch = ptx::kNoIndex;  // the last branch on it, if where that leads decides that it is this way
    bool taken = false;                 // the branch leads to its label
  };
  std::vector<Way> ways_to(Site site) const;
  bool is_beginning(Site site) const { return site >= function_.instructions.size(); }

 private:
  using BlockIndex = std::uint32_t;
  struct Block {
    ptx::Index begin = 0, end = 0;
    std::vector<BlockIndex> next, before;
  };

  explicit ReachingValues(const ptx::Function& function) : function_(function) {}
  void divide();
  void order(BlockIndex first);
  void settle();
  void pass(ptx::Index instruction, std::vector<Site>& held) const;
  bool enter(BlockIndex block, std::vector<std::vector<Site>>& left);

  const ptx::Function& function_;
  std::vector<Block> blocks_;
  std::vector<BlockIndex> order_;        // those that can be reached, in reverse postorder
  std::vector<std::size_t> rank_;        // by block, its place there
  std::vector<std::vector<Site>> held_;  // by block, where it begins; then by register
};

}  // namespace xcuda::device::cpu
