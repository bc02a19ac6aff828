// Lanes of a warp that wait for one another: where an instruction is for several lanes, those that come first wait
// until the others whom it names are there, have come to another such instruction, or have left.
#include "device/cpu/emit/emit_family.hpp"
#include "device/cpu/emit/warp_state.hpp"
#include "device/cpu/plan/warp_sync.hpp"

namespace xcuda::device::cpu {

llvm::Value* Emitter::waiting_in(const BitSet& blocks) {
  Value* all = builder_.getInt32(0);
  blocks.each([&](BlockIndex i) {
    all = builder_.CreateOr(all, builder_.CreateLoad(builder_.getInt32Ty(), copies_[i].waiting));
  });
  return all;
}

// Lanes that could not go on at a meeting while `others` are elsewhere.
llvm::Value* Emitter::blocked_lanes(BlockIndex meeting, Value* others) {
  Value *all = builder_.getInt32(all_lanes), *none = builder_.getInt32(0);
  const ptx::Operand* named = named_lanes(function_, function_.instructions[graph_.blocks[meeting].begin]);
  if (!named) return builder_.CreateSelect(builder_.CreateICmpNE(others, none), all, none);
  const Held lanes = read(*named, ptx::Type::b32);
  if (lanes.uniform())
    return builder_.CreateSelect(builder_.CreateICmpNE(builder_.CreateAnd(lanes.parts[0], others), none), all, none);
  Value* missing = builder_.CreateAnd(vector_of(lanes), splat(others));
  return to_mask(builder_.CreateICmpNE(missing, constant(missing->getType(), 0)));
}

// Of the lanes that wait at meetings and those that run, if they have come to one, lets go who need not wait; the
// others, if they have not, have left. Returns the blocks that hold lanes then.
BitSet Emitter::let_go(const BitSet& pending, const BitSet& waiting, std::optional<BlockIndex> arrived) {
  auto* i32 = builder_.getInt32Ty();
  BitSet meetings = plan_.meetings(waiting), elsewhere = waiting;
  elsewhere.erase(meetings);
  BitSet held = pending;
  held.insert(meetings);
  if (arrived) held.insert(*arrived);
  if (meetings.empty() && !arrived) return held;
  Value* others = waiting_in(elsewhere);
  pending.each([&](BlockIndex i) { others = builder_.CreateOr(others, builder_.CreateLoad(i32, copies_[i].pending)); });
  if (arrived) meetings.insert(*arrived);
  meetings.each([&](BlockIndex i) {
    Value* lanes =
        waiting.contains(i) ? static_cast<Value*>(builder_.CreateLoad(i32, copies_[i].waiting)) : builder_.getInt32(0);
    if (arrived == i) lanes = builder_.CreateOr(lanes, exec_);
    Value* blocked = builder_.CreateAnd(lanes, blocked_lanes(i, others));
    builder_.CreateStore(blocked, copies_[i].waiting);
    Value* free = builder_.CreateAnd(lanes, builder_.CreateNot(blocked));
    if (pending.contains(i)) free = builder_.CreateOr(free, builder_.CreateLoad(i32, copies_[i].pending));
    builder_.CreateStore(free, copies_[i].pending);
  });
  return held;
}

// Where no lane of the warp runs any more: nobody may wait at a meeting if all that could come there wait elsewhere.
void Emitter::check_meetings(const BitSet& waiting, Value* in_vain) {
  auto* i32 = builder_.getInt32Ty();
  const BitSet meetings = plan_.strict_meetings(waiting);
  BitSet elsewhere = waiting;
  elsewhere.erase(plan_.meetings(waiting));
  meetings.each([&](BlockIndex i) {
    Value* lanes = builder_.CreateLoad(i32, copies_[i].waiting);
    Value* stuck = builder_.CreateAnd(in_vain, builder_.CreateICmpNE(lanes, builder_.getInt32(0)));
    cold_branch(
        stuck,
        [&] {
          // Whom the lanes wait for, and where those are: a site per lane, or none.
          const ptx::Instruction& instruction = function_.instructions[graph_.blocks[i].begin];
          const ptx::Operand* named = named_lanes(function_, instruction);
          Value* sites = splat(builder_.getInt32(all_lanes));
          elsewhere.each([&](BlockIndex other) {
            for (const Block& block : graph_.blocks)
              if (block.ends == Block::End::barrier && block.next == other) {
                const ptx::Index barrier = block.arrives != ptx::none ? block.arrives : block.end - 1;
                Value* there = to_vector(builder_.CreateLoad(i32, copies_[other].waiting));
                sites = builder_.CreateSelect(there, splat(builder_.getInt32(site(function_.instructions[barrier]))),
                                              sites);
              }
          });
          Value* inputs[] = {named ? read_vector(*named, ptx::Type::b32) : splat(builder_.getInt32(all_lanes)), sites};
          call_service(Service::warp_stuck, inputs, lanes, instruction);
        },
        "meets_nobody");
  });
}

}  // namespace xcuda::device::cpu
