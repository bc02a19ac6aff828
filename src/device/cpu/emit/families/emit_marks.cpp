// For --race and --init: marks the words of an access without the runtime, if all of them are in the usual state: no
// other thread touched them since the block's last barrier. The runtime examines all other cases and makes the message.
// mark.hpp says what a mark is, access_recorder.hpp what orders accesses.
#include <algorithm>

#include "device/cpu/abi/mark.hpp"
#include "device/cpu/emit/families/watched_words.hpp"

namespace xcuda::device::cpu {

namespace {

constexpr std::uint64_t kInWarp = std::uint64_t{1} << Mark::kReadersShift,
                        in_block = std::uint64_t{2} << Mark::kReadersShift, in_grid = Mark::kReadersMask;
static_assert(static_cast<int>(Mark::Readers::warp) == 1 && static_cast<int>(Mark::Readers::block) == 2);

class Marker : WatchedWords {
 public:
  Marker(const WatchedWords& words, llvm::BasicBlock* slow)
      : WatchedWords(words), slow_(slow), unread_(e_.plan.phases.unread.contains(e_.index_of(access_.instruction))) {}

  void emit() {
    Value* enabled = b_.CreateICmpNE(origin(Access::write), b_.getInt64(0));
    llvm::BasicBlock* on = e_.new_block("marks");
    b_.CreateCondBr(enabled, on, slow_);
    b_.SetInsertPoint(on);
    phase_ = of_warp(offsetof(WarpOrder, phase));
    if (!shared_) {
      launch_ = view(offsetof(AccessView, launch));
      block_ = view(offsetof(AccessView, block));
    }
    switch (way_) {
      case Way::common:
        for (int first = 0; first < 32; first += width_) mark_row({first_position(first), first, 1, true});
        return;
      case Way::rows: return mark_rows();
      case Way::lanes: return mark_lanes();
    }
  }

 private:
  // --- Values: numbers or vectors of 64-bit marks ------------------------------------------------------------------

  Value* number(Value* like, std::uint64_t bits) { return e_.values.constant(like->getType(), bits); }
  Value* like(Value* scalar, Value* other) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(other->getType());
    return vector ? b_.CreateVectorSplat(vector->getNumElements(), scalar) : scalar;
  }
  Value* less(Value* marks, Value* scalar) { return b_.CreateICmpULT(marks, like(scalar, marks)); }
  Value* same(Value* marks, Value* others, std::uint64_t mask) {
    return b_.CreateICmpEQ(b_.CreateAnd(b_.CreateXor(marks, others), number(marks, mask)), number(marks, 0));
  }
  Value* readers(Value* marks, std::uint64_t who) {
    return b_.CreateICmpEQ(b_.CreateAnd(marks, number(marks, Mark::kReadersMask)), number(marks, who));
  }

  Value* view(std::size_t offset) {
    return b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), e_.context.view(), offset));
  }
  Value* of_warp(std::size_t offset) {
    Value* at = b_.CreateMul(b_.CreateZExt(e_.warp, b_.getInt64Ty()), b_.getInt64(sizeof(WarpOrder)));
    at = b_.CreateInBoundsGEP(b_.getInt8Ty(), e_.context.view(),
                              b_.CreateAdd(at, b_.getInt64(offsetof(AccessView, warps) + offset)));
    return b_.CreateLoad(b_.getInt64Ty(), at);
  }

  // Where the marks of the word at position 0 would be.
  Value* origin(Access of) {
    if (shared_)
      return e_.context.view_word(of == Access::read ? offsetof(AccessView, shared_reads)
                                                     : offsetof(AccessView, shared_writes));
    return e_.context.marked_word(site_.slot,
                                  of == Access::read ? offsetof(MarkedArray, reads) : offsetof(MarkedArray, writes));
  }
  Value* address(Value* position, Access of) {  // a mark has twice as many bytes as a word
    return b_.CreateAdd(like(origin(of), position), b_.CreateShl(position, number(position, 1)));
  }
  Value* pointer(Value* position, Access of) { return b_.CreateIntToPtr(address(position, of), b_.getPtrTy()); }

  // --- What is known of marks: in shared memory none is of another block, because those are older than this one ------

  Value* older_write(Value* marks) {
    Value* older = less(marks, phase_);
    return shared_ ? older : elsewhere(marks, older);
  }
  Value* older_read(Value* marks) {
    Value* older = less(marks, phase_);
    return shared_ ? older : elsewhere(marks, b_.CreateAnd(older, b_.CreateNot(readers(marks, in_grid))));
  }
  Value* elsewhere(Value* marks, Value* older) {
    return b_.CreateOr(less(marks, launch_), b_.CreateAnd(b_.CreateNot(less(marks, block_)), older));
  }
  Value* mine(Value* marks, Value* me, std::uint64_t mask) {
    Value* mine = same(marks, me, mask);
    return shared_ ? mine : b_.CreateAnd(mine, b_.CreateNot(less(marks, block_)));
  }
  Value* my_read(Value* marks, Value* me) { return mine(marks, me, Mark::kThreadMask | Mark::kReadersMask); }
  Value* my_write(Value* marks, Value* me) {
    return b_.CreateAnd(mine(marks, me, Mark::kThreadMask), less(marks, b_.getInt64(Mark::at(Mark::kPending))));
  }

  Value* first_mark(int lane) {
    const Mark constant(0, static_cast<std::uint32_t>(lane), number_);
    Value* mark = b_.CreateAdd(view(offsetof(AccessView, time)), b_.getInt64(constant.bits()));
    return b_.CreateAdd(mark, b_.CreateShl(b_.CreateZExt(e_.warp, b_.getInt64Ty()), b_.getInt64(5)));
  }

  // --- Rows ----------------------------------------------------------------------------------------------------------

  struct Row {
    Value* position;
    int first, lanes;
    bool common;  // several lanes read each word
  };

  void mark_rows() {
    const Lanes& lanes = e_.plan.patterns.lanes(position_.form.pattern);
    bool equal = width_ < 32 && position_.form.groups == 1 && kind_ == Access::read && e_.all_active();
    for (int first = 0; first < 32; first += width_) equal &= lanes[first] == lanes[0];
    for (int first = 0; first < (equal ? width_ : 32); first += width_)
      mark_row({first_position(first), first, width_, equal});
  }

  void mark_row(const Row& row) {
    const auto count = static_cast<unsigned>(row.lanes) * words_;
    Type* type =
        count == 1 ? static_cast<Type*>(b_.getInt64Ty()) : e_.values.lanes(b_.getInt64Ty(), static_cast<int>(count));
    Value *write_at = pointer(row.position, Access::write), *read_at = pointer(row.position, Access::read);
    Value* mask = nullptr;
    if (!e_.all_active()) {
      llvm::SmallVector<int, 32> order;
      for (int i = 0; i < row.lanes; ++i) order.push_back(row.first + i);
      mask = b_.CreateShuffleVector(e_.masks.active(), order);
    }
    auto load = [&](Value* at) -> Value* {
      if (mask) return b_.CreateMaskedLoad(type, at, llvm::Align(8), mask, llvm::Constant::getNullValue(type));
      return b_.CreateAlignedLoad(type, at, llvm::Align(8));
    };
    auto store = [&](Value* marks, Value* at) {
      if (mask)
        b_.CreateMaskedStore(marks, at, llvm::Align(8), mask);
      else
        b_.CreateAlignedStore(marks, at, llvm::Align(8));
    };
    Value* writes = load(write_at);
    Value* me = like(first_mark(row.first), writes);
    if (count > 1) {
      llvm::SmallVector<llvm::Constant*, 32> lanes;
      for (unsigned i = 0; i < count; ++i) lanes.push_back(b_.getInt64(row.common && row.lanes == 1 ? 0 : i / words_));
      me = b_.CreateAdd(me, llvm::ConstantVector::get(lanes));
    }
    if (row.common) me = b_.CreateOr(me, number(me, kInWarp));

    llvm::BasicBlock *usual = e_.new_block("mark"), *rest = e_.new_block("look_closer"), *next = e_.new_block("marked");
    Value* fine = all(older_write(writes));
    if (kind_ == Access::read) {  // words that this phase's threads have read already need no mark
      Value* reads = load(read_at);
      const std::uint64_t who = shared_ ? in_block : in_grid;
      Value* known = b_.CreateAnd(b_.CreateNot(less(reads, shared_ ? phase_ : launch_)), readers(reads, who));
      llvm::BasicBlock *unwritten = e_.new_block("unwritten"), *unknown = e_.new_block("unread");
      b_.CreateCondBr(fine, unwritten, rest);
      b_.SetInsertPoint(unwritten);
      Value* covered = all(mask ? b_.CreateOr(known, b_.CreateNot(mask)) : known);
      b_.CreateCondBr(covered, next, unknown);
      b_.SetInsertPoint(unknown);
      if (shared_ && row.common) {
        Value* mine = b_.CreateAnd(
            same(reads, me, Mark::kWarpMask),
            b_.CreateICmpULT(b_.CreateAnd(reads, number(reads, Mark::kReadersMask)), number(reads, in_block)));
        Value* others = b_.CreateAnd(b_.CreateNot(less(reads, phase_)), b_.CreateNot(mine));
        me = b_.CreateXor(me, b_.CreateSelect(others, number(me, kInWarp | in_block), number(me, 0)));
        b_.CreateBr(usual);
      } else {
        b_.CreateCondBr(all(older_read(reads)), usual, rest);
      }
    } else if (unread_) {
      b_.CreateCondBr(fine, usual, rest);
    } else if (shared_) {
      check_reads(fine, load(read_at), me, mask, usual, rest);
    } else {  // an array that the launch never reads has no marks of reads
      llvm::BasicBlock *marks = e_.new_block("reads"), *none = e_.new_block("no_reads");
      b_.CreateCondBr(b_.CreateICmpEQ(origin(Access::read), b_.getInt64(0)), none, marks);
      b_.SetInsertPoint(none);
      b_.CreateCondBr(fine, usual, rest);
      b_.SetInsertPoint(marks);
      check_reads(fine, load(read_at), me, mask, usual, rest);
    }
    b_.SetInsertPoint(usual);
    store(me, kind_ == Access::read ? read_at : write_at);
    b_.CreateBr(next);
    b_.SetInsertPoint(rest);
    if (mask) {
      b_.CreateBr(slow_);
    } else {
      Value* marked =
          e_.services.mark({.site = number_,
                            .words = count,
                            .thread_shift = words_ / 2,
                            .first = static_cast<std::uint32_t>(row.first),
                            .what = (row.common ? MarkedRow::kCommon : 0) | (shared_ ? MarkedRow::kShared : 0) |
                                    (kind_ == Access::write ? MarkedRow::kWrites : 0)},
                           write_at, known_reads(read_at));
      b_.CreateCondBr(b_.CreateICmpNE(marked, b_.getInt32(0)), next, slow_);
    }
    b_.SetInsertPoint(next);
  }

  void check_reads(Value* fine, Value* reads, Value* me, Value* mask, llvm::BasicBlock* usual, llvm::BasicBlock* rest) {
    Value* read = b_.CreateOr(older_read(reads), my_read(reads, me));
    if (mask) read = b_.CreateOr(read, b_.CreateNot(mask));
    b_.CreateCondBr(b_.CreateAnd(fine, all(read)), usual, rest);
  }

  // --- Lanes that are anywhere ---------------------------------------------------------------------------------------

  bool distinct() {
    if (!position_.form.is_affine() || position_.form.groups != 1) return false;
    Lanes lanes = e_.plan.patterns.lanes(position_.form.pattern);
    std::sort(lanes.begin(), lanes.end());
    for (std::size_t i = 1; i < lanes.size(); ++i)
      if (lanes[i] - lanes[i - 1] < static_cast<std::int64_t>(site_.size)) return false;
    return true;
  }

  void mark_lanes() {
    Value* positions = e_.values.vector_of(position_);
    for (unsigned word = 0; word < words_; ++word) {
      Value* at = word ? b_.CreateAdd(positions, number(positions, kWordBytes * word)) : positions;
      mark_lanes(at);
    }
  }

  void mark_lanes(Value* at) {
    Type* type = e_.values.lanes(b_.getInt64Ty());
    const auto pointers_to = [&](Access of) {
      return b_.CreateIntToPtr(address(at, of), e_.values.lanes(b_.getPtrTy()));
    };
    Value *written_at = pointers_to(Access::write), *read_at = pointers_to(Access::read);
    Value* on = e_.masks.active();
    auto gather = [&](Value* from) -> Value* {
      return b_.CreateMaskedGather(type, from, llvm::Align(8), on, llvm::Constant::getNullValue(type));
    };
    Value* writes = gather(written_at);
    Value* reads = gather_reads([&] { return gather(read_at); });
    llvm::SmallVector<llvm::Constant*, 32> lanes;
    for (unsigned lane = 0; lane < 32; ++lane) lanes.push_back(b_.getInt64(lane));
    Value* me = b_.CreateAdd(e_.values.splat(first_mark(0)), llvm::ConstantVector::get(lanes));
    Value* fine = older_write(writes);
    if (shared_) fine = b_.CreateOr(fine, my_write(writes, me));
    Value* marks = me;
    if (kind_ == Access::read) {
      Value* fresh = older_read(reads);
      if (shared_) {  // who has read the word since the last barrier, with this thread
        Value* warp = b_.CreateAnd(same(reads, me, Mark::kWarpMask),
                                   less(b_.CreateAnd(reads, number(reads, Mark::kReadersMask)), b_.getInt64(in_block)));
        fresh = b_.CreateOr(fresh, my_read(reads, me));
        fresh = b_.CreateOr(fresh, b_.CreateAnd(warp, less(reads, of_warp(offsetof(WarpOrder, synchronised)))));
        Value* others = b_.CreateSelect(warp, number(me, kInWarp), number(me, in_block));
        marks = b_.CreateSelect(fresh, me, b_.CreateOr(me, others));
      } else {
        fine = b_.CreateAnd(fine, fresh);
      }
    } else {
      if (kind_ == Access::atomic) {
        fine = b_.CreateOr(older_write(writes),
                           b_.CreateICmpNE(b_.CreateAnd(writes, number(writes, Mark::kAtomicBit)), number(writes, 0)));
        marks = b_.CreateOr(me, number(me, Mark::kAtomicBit));
      }
      fine = b_.CreateAnd(fine, b_.CreateOr(older_read(reads), my_read(reads, me)));
    }
    fine = b_.CreateOr(fine, b_.CreateNot(on));
    llvm::BasicBlock* usual = e_.new_block("mark");
    b_.CreateCondBr(all(fine), usual, slow_);
    b_.SetInsertPoint(usual);
    const bool reading = kind_ == Access::read;
    Value* marked_at = reading ? read_at : written_at;
    b_.CreateMaskedScatter(marks, marked_at, llvm::Align(8), on);
    if (distinct() || kind_ == Access::atomic) return;
    // Lanes that share a word: one of them has left its mark.
    Value* lost = b_.CreateAnd(b_.CreateICmpNE(gather(marked_at), marks), on);
    llvm::BasicBlock *shared = e_.new_block("shared_words"), *next = e_.new_block("marked");
    Value* none = b_.CreateICmpEQ(e_.values.to_mask(lost), b_.getInt32(0));
    b_.CreateCondBr(none, next, reading ? shared : slow_);
    b_.SetInsertPoint(shared);
    if (reading) {
      Value* unknown = readers(marks, 0);
      marks = b_.CreateSelect(unknown, b_.CreateOr(marks, number(marks, kInWarp)), marks);
      b_.CreateMaskedScatter(marks, read_at, llvm::Align(8), lost);
      b_.CreateBr(next);
    } else {
      b_.CreateUnreachable();
    }
    b_.SetInsertPoint(next);
  }

  Value* known_reads(Value* at) {  // null: there are none
    if (unread_) return llvm::ConstantPointerNull::get(b_.getPtrTy());
    if (shared_ || kind_ == Access::read) return at;
    return b_.CreateSelect(b_.CreateICmpEQ(origin(Access::read), b_.getInt64(0)),
                           llvm::ConstantPointerNull::get(b_.getPtrTy()), at);
  }

  // Zero, which is older than all there is, for an array that the launch never reads.
  Value* gather_reads(const std::function<Value*()>& gather) {
    if (unread_) return number(e_.values.splat(phase_), 0);
    if (shared_ || kind_ == Access::read) return gather();
    llvm::BasicBlock *marks = e_.new_block("reads"), *on = e_.new_block("reads_known"), *before = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpEQ(origin(Access::read), b_.getInt64(0)), on, marks);
    b_.SetInsertPoint(marks);
    Value* reads = gather();
    b_.CreateBr(on);
    b_.SetInsertPoint(on);
    llvm::PHINode* merged = b_.CreatePHI(reads->getType(), 2);
    merged->addIncoming(llvm::Constant::getNullValue(reads->getType()), before);
    merged->addIncoming(reads, marks);
    return merged;
  }

  llvm::BasicBlock* slow_;  // where the runtime has to be asked
  bool unread_;             // marks of reads are older than the phase
  Value *phase_ = nullptr, *launch_ = nullptr, *block_ = nullptr;
};

}  // namespace

bool emit_marks(Emitter& e, const MemoryAccess& access, std::uint32_t site, llvm::BasicBlock* slow,
                llvm::BasicBlock* done) {
  WatchedWords words(e, access, site);
  if (!words.can_be_marked()) return false;
  if (e.initialisation_recorded()) emit_stamps(words, slow);
  if (e.races_recorded() && !e.plan.phases.alone.contains(e.index_of(access.instruction))) Marker(words, slow).emit();
  e.b.CreateBr(done);
  return true;
}

}  // namespace xcuda::device::cpu
