// For --init: words of shared memory have a number that says which block wrote them last. Reads compare it with that of
// the running block, writes store it. An array is written as a whole, or the runtime knows its written parts.
#include "device/cpu/emit/families/watched_words.hpp"

namespace xcuda::device::cpu {

namespace {

class Stamper : WatchedWords {
 public:
  Stamper(const WatchedWords& words, llvm::BasicBlock* slow) : WatchedWords(words), slow_(slow) {}

  void emit() {
    llvm::BasicBlock* on = e_.new_block("initialised");
    if (shared_)
      stamp(on);
    else
      b_.CreateBr(e_.races_recorded() ? on : slow_);
    b_.SetInsertPoint(on);
  }

 private:
  void stamp(llvm::BasicBlock* on) {
    Value* origin = e_.context.view_word(offsetof(AccessView, stamps));
    llvm::BasicBlock* stamps = e_.new_block("stamps");
    b_.CreateCondBr(b_.CreateICmpNE(origin, b_.getInt64(0)), stamps, slow_);
    b_.SetInsertPoint(stamps);
    Value* now = b_.CreateLoad(
        b_.getInt32Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), e_.context.view(), offsetof(AccessView, begun)));
    auto row = [&](Value* position, unsigned count, Value* mask) {  // false: a lane reads what nobody wrote
      Type* type =
          count == 1 ? static_cast<Type*>(b_.getInt32Ty()) : e_.values.lanes(b_.getInt32Ty(), static_cast<int>(count));
      Value* at = b_.CreateIntToPtr(b_.CreateAdd(origin, position), b_.getPtrTy());
      Value* stamp = count == 1 ? now : b_.CreateVectorSplat(count, now);
      if (kind_ == Access::write) {
        if (mask)
          b_.CreateMaskedStore(stamp, at, llvm::Align(4), mask);
        else
          b_.CreateAlignedStore(stamp, at, llvm::Align(4));
        return;
      }
      Value* known = mask ? static_cast<Value*>(b_.CreateMaskedLoad(type, at, llvm::Align(4), mask, stamp))
                          : b_.CreateAlignedLoad(type, at, llvm::Align(4));
      go_on_if(all(b_.CreateICmpUGE(known, stamp)));
    };
    if (way_ == Way::common) {
      for (int first = 0; first < 32; first += width_) row(first_position(first), words_, nullptr);
    } else if (way_ == Way::rows) {
      for (int first = 0; first < 32; first += width_) {
        Value* mask = active_row(first);
        row(first_position(first), static_cast<unsigned>(width_) * words_, mask);
      }
    } else {
      Value* positions = e_.values.vector_of(position_);
      for (unsigned word = 0; word < words_; ++word) {
        Value* at = b_.CreateAdd(positions, e_.values.splat(b_.CreateAdd(origin, b_.getInt64(kWordBytes * word))));
        at = b_.CreateIntToPtr(at, e_.values.lanes(b_.getPtrTy()));
        Value* stamp = e_.values.splat(now);
        if (kind_ != Access::write)
          go_on_if(all(b_.CreateICmpUGE(
              b_.CreateMaskedGather(stamp->getType(), at, llvm::Align(4), e_.masks.active(), stamp), stamp)));
        else
          b_.CreateMaskedScatter(stamp, at, llvm::Align(4), e_.masks.active());
      }
    }
    b_.CreateBr(on);
  }

  void go_on_if(Value* condition) {
    llvm::BasicBlock* next = e_.new_block("on");
    b_.CreateCondBr(condition, next, slow_);
    b_.SetInsertPoint(next);
  }

  llvm::BasicBlock* slow_;
};

}  // namespace

void emit_stamps(const WatchedWords& words, llvm::BasicBlock* slow) { Stamper(words, slow).emit(); }

}  // namespace xcuda::device::cpu
