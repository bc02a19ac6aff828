// A kernel's control flow as the translator sees it: blocks that also end at barriers, and which registers each
// instruction reads and writes.
#pragma once

#include <vector>

#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/plan/bits.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

using BlockIndex = std::uint32_t;
constexpr BlockIndex kNoBlock = ~BlockIndex{0};

struct FlowBlock {
  enum class End : std::uint8_t {
    next,     // goes on to `next`
    branch,   // lanes where the predicate holds go to `taken`, the others to `next`; either may be kNoBlock: they leave
    leave,    // ret, exit
    barrier,  // the last instruction is one; the lanes wait, then go on at `next`
    yield,    // an empty block: lanes go on at `taken`, or after some turns wait and go on at `next`
    meet,     // lanes go on at `next` once those that its first instruction names are there, too
  };
  ptx::Index begin = 0, end = 0;  // of Function::instructions; includes the branch or barrier
  End ends = End::next;
  BlockIndex taken = kNoBlock, next = kNoBlock;
  ptx::Register predicate = ptx::kNoIndex;
  bool negated = false;
  std::uint32_t turns = 0;             // of yield
  bool after_yield = false;            // lanes that wait for this block need not wait for a barrier
  ptx::Index listens = ptx::kNoIndex;  // if after_yield: an instruction that they wait with
  ptx::Index arrives = ptx::kNoIndex;  // a barrier that reduces: the instruction, which is then the first of `next`
};

// The registers of one instruction; a guard is among the reads, and a guarded write is a read too.
struct Accesses {
  std::vector<ptx::Register> reads, writes;
};
Accesses accesses_of(const ptx::Function& function, const ptx::Instruction& instruction);

struct Graph {
  const ptx::Function* function = nullptr;
  std::vector<FlowBlock> blocks;    // in text order, which is their priority; block 0 is the entry
  std::vector<BitSet> live;         // registers live into each block
  std::vector<BlockIndex> resumes;  // blocks after a barrier, rising
  BitSet meetings;                  // blocks after the end of one that ends with `meet`
  // By register, the number that it is: the operand of a mov that alone writes it. No register is live for that.
  std::vector<const ptx::Operand*> numbers;

  bool yields = false;
  WaitsFor waits_for = WaitsFor::anything;  // if it has yields: what its loops wait for

  bool barriers() const { return !resumes.empty(); }  // or yields
};

// By block, what it reads before it writes it, and what it writes.
struct BlockAccesses {
  std::vector<BitSet> reads, writes;
};
BlockAccesses accesses_of(const Graph& graph);

enum class Ways : std::uint8_t { all, to_barriers };  // that end at the next barrier
// By block, the registers that are read before they are written on some way from its start.
std::vector<BitSet> live_registers(const Graph& graph, const BlockAccesses& accesses, Ways ways);

// By block, the number of the cycle that it is in: blocks that reach each other, through barriers too, have the same.
// kNoBlock: it is in none.
std::vector<BlockIndex> cycles_of(const Graph& graph);

// meets: by instruction, where lanes of a warp wait for one another; each such place begins a block. Errors:
// unsupported (brx, calls that are not services).
Graph graph_of(const ptx::Function& function, const std::vector<bool>& meets);

}  // namespace xcuda::device::cpu
