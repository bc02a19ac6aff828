// What a kernel knows of its launch, its block and its warp.
#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using llvm::Constant;
using ptx::Special;

namespace {

// Builds before the end of a block that dominates what follows.
llvm::IRBuilder<> before_end(llvm::BasicBlock* block) {
  if (llvm::Instruction* end = block->getTerminator()) return llvm::IRBuilder<>(end);
  return llvm::IRBuilder<>(block);
}

Value* constant_load(llvm::IRBuilder<>& b, Type* type, Value* base, std::size_t offset) {
  auto* load = b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

}  // namespace

Value* Emitter::at_entry(const std::function<Value*(llvm::IRBuilder<>&)>& make) {
  llvm::IRBuilder<> b = before_end(entry_);
  return make(b);
}

Value* Emitter::launch_word(std::size_t offset, Type* type) {
  Value*& word = words_[{offset, type}];
  if (!word) word = at_entry([&](auto& b) { return constant_load(b, type, launch_, offset); });
  return word;
}

Value* Emitter::frame_pointer(std::size_t offset) {
  Value*& word = words_[{offset | std::size_t{1} << 32, builder_.getPtrTy()}];
  if (!word) word = at_entry([&](auto& b) { return constant_load(b, b.getPtrTy(), frame_, offset); });
  return word;
}

Value* Emitter::bounds_word(std::size_t offset) {
  Value*& word = words_[{std::size_t{5} << 32 | offset, builder_.getInt64Ty()}];
  if (!word) {
    Value* table = launch_word(offsetof(Launch, bounds), builder_.getPtrTy());
    word = at_entry([&](auto& b) { return constant_load(b, b.getInt64Ty(), table, offset); });
  }
  return word;
}

Value* Emitter::parameters() { return launch_word(offsetof(Launch, parameters), builder_.getPtrTy()); }

Value* Emitter::shared_base() {
  Value*& word = words_[{std::size_t{2} << 32, builder_.getInt64Ty()}];
  if (!word) {
    Value* pointer = frame_pointer(offsetof(BlockFrame, shared));
    word = at_entry([&](auto& b) { return b.CreatePtrToInt(pointer, b.getInt64Ty()); });
  }
  return word;
}

Value* Emitter::shared_size() {
  Value*& word = words_[{std::size_t{6} << 32, builder_.getInt64Ty()}];
  if (!word) {
    Value* bytes = launch_word(offsetof(Launch, shared_bytes), builder_.getInt32Ty());
    word = at_entry([&](auto& b) { return b.CreateZExt(bytes, b.getInt64Ty()); });
  }
  return word;
}

Value* Emitter::local_base() {
  Value*& word = warp_values_[{0, 0}];
  if (!word && parameter_table_) {  // of this call: on the stack
    auto* slot = llvm::cast<llvm::AllocaInst>(
        scratch(llvm::ArrayType::get(builder_.getInt8Ty(), std::uint64_t{32} * plan_.local.bytes), "locals"));
    slot->setAlignment(llvm::Align(64));
    word = at_entry([&](auto& b) { return b.CreatePtrToInt(slot, b.getInt64Ty()); });
  }
  if (!word) {
    Value* locals = frame_pointer(offsetof(BlockFrame, locals));
    llvm::IRBuilder<> b = before_end(warp_head_);
    Value* offset = b.CreateMul(b.CreateZExt(warp_, b.getInt64Ty()), b.getInt64(std::uint64_t{32} * plan_.local.bytes));
    word = b.CreateAdd(b.CreatePtrToInt(locals, b.getInt64Ty()), offset);
  }
  return word;
}

Value* Emitter::variable_address(ptx::Index variable) {
  Value*& word = words_[{std::size_t{3} << 32 | variable, builder_.getInt64Ty()}];
  if (!word) {
    Value* table = launch_word(offsetof(Launch, variables), builder_.getPtrTy());
    word = at_entry([&](auto& b) { return constant_load(b, b.getInt64Ty(), table, 8 * std::size_t{variable}); });
  }
  return word;
}

// Thread coordinates: the base when the form is affine, else a vector.
Value* Emitter::tid(int dimension) {
  using Rows = BlockShape::Rows;
  using Layers = BlockShape::Layers;
  Value*& cached = warp_values_[{1, dimension}];
  if (cached) return cached;
  auto* i32 = builder_.getInt32Ty();
  Value* size[3] = {};
  for (int i = 0; i < 3; ++i) size[i] = launch_word(offsetof(Launch, block) + 4 * static_cast<std::size_t>(i), i32);
  llvm::IRBuilder<> b = before_end(warp_head_);
  const BlockShape& shape = plan_.shape;
  const bool narrow = shape.rows == Rows::narrow;
  if (shape.rows == Rows::line) return cached = dimension == 0 ? b.CreateShl(warp_, 5) : b.getInt32(0);
  if (narrow && dimension == 0) return cached = b.getInt32(0);

  if (shape.rows == Rows::scattered || (narrow && shape.layers == Layers::any)) {
    llvm::SmallVector<Constant*, 32> order;
    for (unsigned lane = 0; lane < 32; ++lane) order.push_back(b.getInt32(lane));
    Value* linear = b.CreateAdd(b.CreateVectorSplat(32, b.CreateShl(warp_, 5)), llvm::ConstantVector::get(order));
    auto divide = [&](Value* a, Value* by) {  // exact: both are below 2^24
      Value* quotient = b.CreateFDiv(b.CreateUIToFP(a, lanes(b.getFloatTy())),
                                     b.CreateUIToFP(b.CreateVectorSplat(32, by), lanes(b.getFloatTy())));
      return b.CreateFPToUI(quotient, lanes(i32));
    };
    auto remainder = [&](Value* a, Value* by) {
      return b.CreateSub(a, b.CreateMul(divide(a, by), b.CreateVectorSplat(32, by)));
    };
    if (dimension == 0) return cached = remainder(linear, size[0]);
    Value* row = divide(linear, size[0]);
    return cached = dimension == 1 ? remainder(row, size[1]) : divide(row, size[1]);
  }
  Value* row = nullptr;
  if (narrow) {
    row = b.CreateMul(warp_, b.getInt32(32 / shape.width));
  } else {
    Value* warps = b.CreateLShr(size[0], 5);
    if (dimension == 0) return cached = b.CreateShl(b.CreateURem(warp_, warps), 5);
    row = b.CreateUDiv(warp_, warps);
  }
  if (shape.layers == Layers::one) return cached = dimension == 1 ? row : b.getInt32(0);
  return cached = dimension == 1 ? b.CreateURem(row, size[1]) : b.CreateUDiv(row, size[1]);
}

Held Emitter::special(const Operand& operand) {
  auto* i32 = builder_.getInt32Ty();
  auto* i64 = builder_.getInt64Ty();
  auto word = [&](std::size_t offset) { return uniform(launch_word(offset, i32)); };
  const auto index = static_cast<unsigned>(operand.special);
  auto dimension = [&](Special first) { return static_cast<std::size_t>(index - static_cast<unsigned>(first)); };
  switch (operand.special) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z: return {plan_.form_of(operand), {tid(static_cast<int>(dimension(Special::tid_x)))}};
    case Special::ntid_x:
      if (plan_.shape.rows == BlockShape::Rows::narrow) return uniform(builder_.getInt32(plan_.shape.width));
      return word(offsetof(Launch, block));
    case Special::ntid_y:
    case Special::ntid_z:
      if (plan_.shape.rows == BlockShape::Rows::line) return uniform(builder_.getInt32(1));
      return word(offsetof(Launch, block) + 4 * dimension(Special::ntid_x));
    case Special::ctaid_x: return uniform(block_x_);
    case Special::ctaid_y:
    case Special::ctaid_z: {
      const std::size_t offset = offsetof(BlockFrame, block_index) + 4 * dimension(Special::ctaid_x);
      Value*& cached = words_[{offset | std::size_t{4} << 32, i32}];
      if (!cached) cached = at_entry([&](auto& b) { return constant_load(b, i32, frame_, offset); });
      return uniform(cached);
    }
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z: return word(offsetof(Launch, grid) + 4 * dimension(Special::nctaid_x));
    case Special::laneid: return {plan_.form_of(operand), {builder_.getInt32(0)}};
    case Special::warpid: return uniform(warp_);
    case Special::nwarpid: return word(offsetof(Launch, warps));
    case Special::smid: return uniform(builder_.getInt32(0));
    case Special::nsmid: return uniform(builder_.getInt32(1));
    case Special::gridid: return uniform(launch_word(offsetof(Launch, grid_id), i64));
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt: {
      llvm::SmallVector<Constant*, 32> all;
      for (unsigned lane = 0; lane < 32; ++lane) {
        const std::uint32_t equal = 1u << lane, less = equal - 1;
        const std::uint32_t masks[] = {equal, less | equal, less, ~less, ~(less | equal)};
        all.push_back(builder_.getInt32(masks[dimension(Special::lanemask_eq)]));
      }
      return varying(llvm::ConstantVector::get(all));
    }
    case Special::clock:
    case Special::clock_hi:
    case Special::clock64: {
      Value* now = builder_.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}, {});
      if (operand.special == Special::clock64) return uniform(now);
      return uniform(builder_.CreateTrunc(operand.special == Special::clock ? now : builder_.CreateLShr(now, 32), i32));
    }
    case Special::globaltimer:
    case Special::globaltimer_lo:
    case Special::globaltimer_hi: {
      Value* call = call_service(Service::timer, {}, exec_, *instruction_);
      Value* results = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), call, offsetof(LaneCall, results));
      Value* now = builder_.CreateLoad(i64, results);
      if (operand.special == Special::globaltimer) return uniform(now);
      return uniform(
          builder_.CreateTrunc(operand.special == Special::globaltimer_lo ? now : builder_.CreateLShr(now, 32), i32));
    }
    case Special::total_smem_size:
    case Special::aggr_smem_size: return word(offsetof(Launch, shared_bytes));
    case Special::dynamic_smem_size: return word(offsetof(Launch, dynamic_shared));
    case Special::envreg:
      if (operand.number < 4)
        return uniform(builder_.CreateTrunc(launch_word(offsetof(Launch, envreg) + 8 * operand.number, i64), i32));
      return uniform(builder_.getInt32(0));
    // A launch without clusters: each block is a cluster of its own.
    case Special::clusterid_x: return uniform(block_x_);
    case Special::nclusterid_x:
    case Special::nclusterid_y:
    case Special::nclusterid_z: return word(offsetof(Launch, grid) + 4 * dimension(Special::nclusterid_x));
    case Special::cluster_nctaid_x:
    case Special::cluster_nctaid_y:
    case Special::cluster_nctaid_z:
    case Special::cluster_nctarank: return uniform(builder_.getInt32(1));
    case Special::cluster_ctaid_x:
    case Special::cluster_ctaid_y:
    case Special::cluster_ctaid_z:
    case Special::cluster_ctarank: return uniform(builder_.getInt32(0));
    // What a GPU counts, keeps for itself or has of graphs: nothing of it is here.
    case Special::pm:
    case Special::reserved_smem_offset_begin:
    case Special::reserved_smem_offset_end:
    case Special::reserved_smem_offset_cap: return uniform(builder_.getInt32(0));
    case Special::current_graph_exec: return uniform(builder_.getInt64(0));
    case Special::is_explicit_cluster: return uniform(builder_.getFalse());
    default: unsupported(*instruction_, std::string(ptx::text_of(operand.special)));
  }
}

}  // namespace xcuda::device::cpu
