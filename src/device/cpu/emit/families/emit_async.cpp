// cp.async is a copy at once, so that committing and waiting do nothing. An mbarrier is a word of shared memory: the
// number of its phase, how many arrivals are pending, and how many each phase expects. Shared memory belongs to one
// thread of the pool, so that plain reads and writes do.
#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/emit/families/memory_access.hpp"

namespace xcuda::device::cpu {

namespace {

constexpr std::uint64_t kCountBits = kMbarrierCountBits, kCountMask = (1 << kCountBits) - 1;

// For --race: all but the newest groups of copies are there.
void record_wait_for_copies(Emitter& e, const Instruction& instruction, std::uint64_t newest) {
  if (!e.recorded()) return;
  Value* groups[] = {e.values.constant(e.values.lanes(e.b.getInt64Ty()), newest)};
  e.services.call(Service::wait_copies, groups, e.masks.active_mask(), instruction);
}

class Mbarrier {
 public:
  Mbarrier(Emitter& e, const Instruction& instruction)
      : e_(e), b_(e.b), instruction_(instruction), operands_(e.operands(instruction)) {}

  void emit() {
    if (instruction_.has(Modifier::pending_count)) return pending_count();
    const std::size_t at = instruction_.outputs;
    const MemoryAccess access = access_of(e_, instruction_, at, Access::write);
    emit_record(e_, access);
    addresses_ = e_.slots.spill(e_.values.vector_of(access.address));
    if (instruction_.has(Modifier::inval)) return;
    if (instruction_.has(Modifier::init)) return init(operands_[at + 1]);
    if (instruction_.has(Modifier::arrive) || instruction_.has(Modifier::arrive_drop)) {
      const Operand* count = operands_.size() > at + 1 ? &operands_[at + 1] : nullptr;
      return arrive(count, at ? &operands_[0] : nullptr);
    }
    if (instruction_.has(Modifier::test_wait) || instruction_.has(Modifier::try_wait)) return test(operands_[at + 1]);
    e_.not_refused(instruction_);
  }

  // cp.async.mbarrier.arrive: what was copied is there. Without .noinc the arrival is one more than was expected.
  void copies_arrive() {
    const MemoryAccess access = access_of(e_, instruction_, 0, Access::write);
    addresses_ = e_.slots.spill(e_.values.vector_of(access.address));
    record_wait_for_copies(e_, instruction_, 0);
    if (instruction_.has(Modifier::noinc)) arrive(nullptr, nullptr);
  }

 private:
  Value* pointer(Value* lane) {
    Value* address = b_.CreateLoad(b_.getInt64Ty(), e_.slots.lane_slot(addresses_, b_.getInt64Ty(), lane));
    return b_.CreateIntToPtr(address, b_.getPtrTy());
  }
  Value* word(Value* at) { return b_.CreateAlignedLoad(b_.getInt64Ty(), at, Align(8), true); }

  void init(const Operand& operand) {
    Value* counts = e_.slots.spill(
        b_.CreateZExt(e_.registers.read_vector(operand, PtxType::b32), e_.values.lanes(b_.getInt64Ty())));
    e_.masks.each_lane(e_.masks.active_mask(), [&](Value* lane) {
      Value* count = b_.CreateLoad(b_.getInt64Ty(), e_.slots.lane_slot(counts, b_.getInt64Ty(), lane));
      b_.CreateAlignedStore(b_.CreateOr(count, b_.CreateShl(count, kCountBits)), pointer(lane), Align(8), true);
    });
    Value* made[] = {b_.CreateAlignedLoad(e_.values.lanes(b_.getInt64Ty()), addresses_, Align(64))};
    e_.services.call(Service::mbarrier_made, made, e_.masks.active_mask(), instruction_);
  }

  // For --race: which mbarriers lanes have arrived at, or found complete.
  void record(Service service, Value* mask) {
    if (!e_.recorded()) return;
    Value* addresses[] = {b_.CreateAlignedLoad(e_.values.lanes(b_.getInt64Ty()), addresses_, Align(64))};
    e_.services.call(service, addresses, mask, instruction_);
  }

  void arrive(const Operand* count, const Operand* token) {
    auto* i64 = b_.getInt64Ty();
    record(Service::arrived, e_.masks.active_mask());
    Value* counts =
        count ? e_.slots.spill(b_.CreateZExt(e_.registers.read_vector(*count, PtxType::b32), e_.values.lanes(i64)))
              : nullptr;
    Value* tokens = token ? e_.slots.spill(e_.values.constant(e_.values.lanes(i64), 0)) : nullptr;
    const bool drops = instruction_.has(Modifier::arrive_drop);
    e_.masks.each_lane(e_.masks.active_mask(), [&](Value* lane) {
      Value* at = pointer(lane);
      Value* old = word(at);
      if (tokens) b_.CreateStore(old, e_.slots.lane_slot(tokens, i64, lane));
      Value* n =
          counts ? static_cast<Value*>(b_.CreateLoad(i64, e_.slots.lane_slot(counts, i64, lane))) : b_.getInt64(1);
      Value* next = b_.CreateSub(old, b_.CreateShl(n, kCountBits));
      if (drops) next = b_.CreateSub(next, n);
      Value* pending = b_.CreateAnd(next, b_.getInt64(kCountMask << kCountBits));
      // The phase is complete: the next one begins.
      Value* expected = b_.CreateAnd(next, b_.getInt64(kCountMask));
      Value* fresh = b_.CreateOr(b_.CreateAdd(next, b_.getInt64(std::uint64_t{1} << 2 * kCountBits)),
                                 b_.CreateShl(expected, kCountBits));
      b_.CreateAlignedStore(b_.CreateSelect(b_.CreateICmpEQ(pending, b_.getInt64(0)), fresh, next), at, Align(8), true);
    });
    if (token)
      e_.registers.write(*token, e_.values.varying(b_.CreateAlignedLoad(e_.values.lanes(i64), tokens, Align(64))),
                         PtxType::b64);
  }

  void test(const Operand& state) {
    auto* i64 = b_.getInt64Ty();
    const bool parity = instruction_.has(Modifier::parity);
    Value* states = parity ? b_.CreateZExt(e_.registers.read_vector(state, PtxType::b32), e_.values.lanes(i64))
                           : e_.registers.read_vector(state, PtxType::b64);
    Value* words = e_.slots.spill(e_.values.constant(e_.values.lanes(i64), 0));
    e_.masks.each_lane(e_.masks.active_mask(),
                       [&](Value* lane) { b_.CreateStore(word(pointer(lane)), e_.slots.lane_slot(words, i64, lane)); });
    Value* now = b_.CreateLShr(b_.CreateAlignedLoad(e_.values.lanes(i64), words, Align(64)), 2 * kCountBits);
    Value* over = parity ? b_.CreateICmpNE(b_.CreateAnd(now, e_.values.constant(now->getType(), 1)),
                                           b_.CreateAnd(states, e_.values.constant(now->getType(), 1)))
                         : b_.CreateICmpNE(now, b_.CreateLShr(states, 2 * kCountBits));
    e_.registers.write(operands_[0], e_.values.varying(over), PtxType::pred);
    record(Service::waited, b_.CreateAnd(e_.masks.active_mask(), e_.values.to_mask(over)));
  }

  void pending_count() {
    const PtxType types[] = {PtxType::b64};
    e_.registers.elementwise(instruction_, types, PtxType::b32, [&](std::span<Value* const> v) {
      llvm::Type* narrow =
          v[0]->getType()->isVectorTy() ? static_cast<llvm::Type*>(e_.values.lanes(b_.getInt32Ty())) : b_.getInt32Ty();
      return b_.CreateTrunc(
          b_.CreateAnd(b_.CreateLShr(v[0], kCountBits), e_.values.constant(v[0]->getType(), kCountMask)), narrow);
    });
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const Instruction& instruction_;
  std::span<const Operand> operands_;
  Value* addresses_ = nullptr;
};

// The destination: an offset in shared memory.
Value* checked_target(Emitter& e, const Instruction& instruction, unsigned bytes) {
  auto& b = e.b;
  Value* offsets = e.values.vector_of(shared_address(e, e.operands(instruction)[0]));
  if (e.checked()) {
    Value* room =
        b.CreateSub(b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, e.context.shared_size(), b.getInt64(bytes - 1)),
                    b.getInt64(bytes - 1));
    Value* beyond = b.CreateAnd(b.CreateICmpUGE(offsets, e.values.splat(room)), e.masks.active());
    Value* outside = b.CreateICmpNE(e.values.to_mask(beyond), b.getInt32(0));
    e.cold_branch(
        outside,
        [&] {
          const std::uint32_t site = e.services.new_site(instruction);
          AccessSite& described = e.services.site_at(site);
          described.access = Access::write;
          described.size = bytes;
          described.space = AccessSite::Space::shared;
          Value* inputs[] = {offsets};
          e.services.call(Service::check_access, inputs, e.masks.active_mask(), site);
        },
        "out_of_bounds");
  }
  return b.CreateAdd(offsets, e.values.splat(e.context.shared_base()));
}

void copy(Emitter& e, const Instruction& instruction) {
  auto& b = e.b;
  const auto operands = e.operands(instruction);
  const auto bytes = static_cast<unsigned>(operands[2].bits);
  MemoryAccess from = access_of(e, instruction, 1, Access::read);
  from.address = e.values.varying(e.values.vector_of(from.address));
  Value* sources = e.slots.spill(from.address.parts[0]);
  Value* target_vector = checked_target(e, instruction, bytes);
  Value* targets = e.slots.spill(target_vector);
  if (e.recorded()) {
    const std::uint32_t site = e.services.new_site(instruction);
    AccessSite& described = e.services.site_at(site);
    described.access = Access::write;
    described.size = bytes;
    described.components = 0;
    described.space = AccessSite::Space::generic;
    Value* inputs[] = {target_vector, from.address.parts[0]};
    e.services.call(Service::copy, inputs, e.masks.active_mask(), site);
  }
  // How many bytes are copied; the rest is zero. A predicate says that none are.
  Value* sizes = nullptr;
  if (operands.size() > 3u + instruction.has(Modifier::L2_cache_hint)) {
    const Operand& size = operands[3];
    const bool ignores = size.kind == Operand::Kind::reg && e.function.registers[size.reg] == PtxType::pred;
    if (ignores)
      sizes = b.CreateSelect(e.registers.read_vector(size, PtxType::pred),
                             e.values.constant(e.values.lanes(b.getInt32Ty()), 0),
                             e.values.constant(e.values.lanes(b.getInt32Ty()), bytes));
    else if (size.kind != Operand::Kind::integer || size.bits != bytes)
      sizes = e.registers.read_vector(size, PtxType::b32);
    if (sizes) sizes = e.slots.spill(sizes);
  }
  llvm::Type* whole = e.values.integer(static_cast<int>(bytes * 8));
  auto at = [&](Value* slots, Value* lane) {
    return b.CreateIntToPtr(b.CreateLoad(b.getInt64Ty(), e.slots.lane_slot(slots, b.getInt64Ty(), lane)), b.getPtrTy());
  };
  e.masks.each_lane(e.masks.active_mask(), [&](Value* lane) {
    Value *source = at(sources, lane), *target = at(targets, lane);
    if (!sizes) {
      b.CreateAlignedStore(b.CreateAlignedLoad(whole, source, Align(1)), target, Align(1));
      return;
    }
    Value* size = b.CreateLoad(b.getInt32Ty(), e.slots.lane_slot(sizes, b.getInt32Ty(), lane));
    b.CreateAlignedStore(e.values.constant(whole, 0), target, Align(1));
    b.CreateMemCpy(target, Align(1), source, Align(1),
                   b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size, b.getInt32(bytes)));
  });
}

}  // namespace

void emit_async(Emitter& e, const Instruction& instruction) {
  if (instruction.opcode == Opcode::mbarrier) return Mbarrier(e, instruction).emit();
  if (instruction.has(Modifier::mbarrier) && instruction.has(Modifier::arrive))
    return Mbarrier(e, instruction).copies_arrive();
  if (instruction.has(Modifier::commit_group)) {
    if (e.recorded()) e.services.call(Service::close_copies, {}, e.masks.active_mask(), instruction);
    return;
  }
  if (instruction.has(Modifier::wait_all)) return record_wait_for_copies(e, instruction, 0);
  // The group that is open stays so, beside the newest ones.
  if (instruction.has(Modifier::wait_group))
    return record_wait_for_copies(e, instruction, e.operands(instruction)[0].bits + 1);
  copy(e, instruction);
}

}  // namespace xcuda::device::cpu
