// Lanes of a warp that wait for one another: at an instruction for several lanes, those that come first wait until the
// other lanes that it names are there, have come to another such instruction, or have left.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "device/cpu/plan/warp_sync.hpp"

namespace xcuda::device::cpu {

llvm::Value* WarpFlow::waiting_in(const BitSet& blocks) {
  Value* all = e_.b.getInt32(0);
  blocks.each([&](BlockIndex i) { all = e_.b.CreateOr(all, e_.b.CreateLoad(e_.b.getInt32Ty(), copies_[i].waiting)); });
  return all;
}

// Lanes that could not go on at a meeting while `others` are elsewhere.
llvm::Value* WarpFlow::blocked_lanes(BlockIndex meeting, Value* others) {
  Value *all = e_.b.getInt32(kAllLanes), *none = e_.b.getInt32(0);
  const ptx::Operand* named = named_lanes(e_.function, e_.function.instructions[e_.graph.blocks[meeting].begin]);
  if (!named) return e_.b.CreateSelect(e_.b.CreateICmpNE(others, none), all, none);
  const Held lanes = e_.registers.read(*named, ptx::Type::b32);
  if (lanes.uniform())
    return e_.b.CreateSelect(e_.b.CreateICmpNE(e_.b.CreateAnd(lanes.parts[0], others), none), all, none);
  Value* missing = e_.b.CreateAnd(e_.values.vector_of(lanes), e_.values.splat(others));
  return e_.values.to_mask(e_.b.CreateICmpNE(missing, e_.values.constant(missing->getType(), 0)));
}

// Lets go lanes that need not wait, among those that wait at meetings and those that run, if they have come to one; if
// they have not, they have left. Returns the blocks that hold lanes then.
BitSet WarpFlow::let_go(const BitSet& pending, const BitSet& waiting, std::optional<BlockIndex> arrived) {
  auto* i32 = e_.b.getInt32Ty();
  BitSet meetings = e_.plan.meetings(waiting), elsewhere = waiting;
  elsewhere.erase(meetings);
  BitSet held = pending;
  held.insert(meetings);
  if (arrived) held.insert(*arrived);
  if (meetings.empty() && !arrived) return held;
  Value* others = waiting_in(elsewhere);
  pending.each([&](BlockIndex i) { others = e_.b.CreateOr(others, e_.b.CreateLoad(i32, copies_[i].pending)); });
  if (arrived) meetings.insert(*arrived);
  meetings.each([&](BlockIndex i) {
    Value* lanes =
        waiting.contains(i) ? static_cast<Value*>(e_.b.CreateLoad(i32, copies_[i].waiting)) : e_.b.getInt32(0);
    if (arrived == i) lanes = e_.b.CreateOr(lanes, e_.exec);
    Value* blocked = e_.b.CreateAnd(lanes, blocked_lanes(i, others));
    e_.b.CreateStore(blocked, copies_[i].waiting);
    Value* free = e_.b.CreateAnd(lanes, e_.b.CreateNot(blocked));
    if (pending.contains(i)) free = e_.b.CreateOr(free, e_.b.CreateLoad(i32, copies_[i].pending));
    e_.b.CreateStore(free, copies_[i].pending);
  });
  return held;
}

// Where no lane of the warp runs any more: no lane may wait at a meeting if all that could come there wait elsewhere.
void WarpFlow::check_meetings(const BitSet& waiting, Value* in_vain) {
  auto* i32 = e_.b.getInt32Ty();
  const BitSet meetings = e_.plan.strict_meetings(waiting);
  BitSet elsewhere = waiting;
  elsewhere.erase(e_.plan.meetings(waiting));
  meetings.each([&](BlockIndex i) {
    Value* lanes = e_.b.CreateLoad(i32, copies_[i].waiting);
    Value* stuck = e_.b.CreateAnd(in_vain, e_.b.CreateICmpNE(lanes, e_.b.getInt32(0)));
    e_.cold_branch(
        stuck,
        [&] {
          // Whom the lanes wait for, and where those are: a site per lane, or none.
          const ptx::Instruction& instruction = e_.function.instructions[e_.graph.blocks[i].begin];
          const ptx::Operand* named = named_lanes(e_.function, instruction);
          Value* sites = e_.values.splat(e_.b.getInt32(kAllLanes));
          elsewhere.each([&](BlockIndex other) {
            for (const FlowBlock& block : e_.graph.blocks)
              if (block.ends == FlowBlock::End::barrier && block.next == other) {
                const ptx::Index barrier = block.arrives != ptx::kNoIndex ? block.arrives : block.end - 1;
                Value* there = e_.values.to_vector(e_.b.CreateLoad(i32, copies_[other].waiting));
                sites = e_.b.CreateSelect(
                    there, e_.values.splat(e_.b.getInt32(e_.services.site(e_.function.instructions[barrier]))), sites);
              }
          });
          Value* inputs[] = {
              named ? e_.registers.read_vector(*named, ptx::Type::b32) : e_.values.splat(e_.b.getInt32(kAllLanes)),
              sites};
          e_.services.call(Service::warp_stuck, inputs, lanes, instruction);
        },
        "meets_nobody");
  });
}

}  // namespace xcuda::device::cpu
