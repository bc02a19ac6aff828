// What a kernel knows of its launch, its block and its warp.
#include "device/cpu/emit/emit_family.hpp"

namespace xcuda::device::cpu {

using llvm::Constant;
using ptx::Special;

namespace {

Value* constant_load(llvm::IRBuilder<>& b, Type* type, Value* base, std::size_t offset) {
  auto* load = b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

}  // namespace

LaunchContext::LaunchContext(Emitter& e) : e_(e), shared_(shared_layout(e.module, e.function)) {}

Value* LaunchContext::launch_word(std::size_t offset, Type* type) {
  Value*& word = words_[{offset, type}];
  if (!word) word = e_.at_entry([&](auto& b) { return constant_load(b, type, e_.launch, offset); });
  return word;
}

Value* LaunchContext::frame_pointer(std::size_t offset) {
  Value*& word = words_[{offset | std::size_t{1} << 32, e_.b.getPtrTy()}];
  if (!word) word = e_.at_entry([&](auto& b) { return constant_load(b, b.getPtrTy(), e_.frame, offset); });
  return word;
}

Value* LaunchContext::bounds_word(std::size_t offset) {
  Value*& word = words_[{std::size_t{5} << 32 | offset, e_.b.getInt64Ty()}];
  if (!word) {
    Value* table = launch_word(offsetof(LaunchAbi, bounds), e_.b.getPtrTy());
    word = e_.at_entry([&](auto& b) { return constant_load(b, b.getInt64Ty(), table, offset); });
  }
  return word;
}

Value* LaunchContext::parameters() { return launch_word(offsetof(LaunchAbi, parameters), e_.b.getPtrTy()); }

Value* LaunchContext::shared_base() {
  Value*& word = words_[{std::size_t{2} << 32, e_.b.getInt64Ty()}];
  if (!word) {
    Value* pointer = frame_pointer(offsetof(BlockFrame, shared));
    word = e_.at_entry([&](auto& b) { return b.CreatePtrToInt(pointer, b.getInt64Ty()); });
  }
  return word;
}

Value* LaunchContext::shared_size() {
  Value*& word = words_[{std::size_t{6} << 32, e_.b.getInt64Ty()}];
  if (!word) {
    Value* bytes = launch_word(offsetof(LaunchAbi, shared_bytes), e_.b.getInt32Ty());
    word = e_.at_entry([&](auto& b) { return b.CreateZExt(bytes, b.getInt64Ty()); });
  }
  return word;
}

Value* LaunchContext::local_base() {
  Value*& word = warp_values_[{0, 0}];
  if (!word && e_.parameter_table) {  // of this call: on the stack
    auto* slot = llvm::cast<llvm::AllocaInst>(
        e_.slots.scratch(llvm::ArrayType::get(e_.b.getInt8Ty(), std::uint64_t{32} * e_.plan.local.bytes), "locals"));
    slot->setAlignment(llvm::Align(64));
    word = e_.at_entry([&](auto& b) { return b.CreatePtrToInt(slot, b.getInt64Ty()); });
  }
  if (!word) {
    Value* locals = frame_pointer(offsetof(BlockFrame, locals));
    llvm::IRBuilder<> b = before_end(e_.warp_head);
    Value* offset =
        b.CreateMul(b.CreateZExt(e_.warp, b.getInt64Ty()), b.getInt64(std::uint64_t{32} * e_.plan.local.bytes));
    word = b.CreateAdd(b.CreatePtrToInt(locals, b.getInt64Ty()), offset);
  }
  return word;
}

Value* LaunchContext::variable_address(ptx::Index variable) {
  Value*& word = words_[{std::size_t{3} << 32 | variable, e_.b.getInt64Ty()}];
  if (!word) {
    Value* table = launch_word(offsetof(LaunchAbi, variables), e_.b.getPtrTy());
    word = e_.at_entry([&](auto& b) { return constant_load(b, b.getInt64Ty(), table, 8 * std::size_t{variable}); });
  }
  return word;
}

// Thread coordinates: the base when the form is affine, else a vector.
Value* LaunchContext::tid(int dimension) {
  using Rows = BlockShape::Rows;
  using Layers = BlockShape::Layers;
  Value*& cached = warp_values_[{1, dimension}];
  if (cached) return cached;
  auto* i32 = e_.b.getInt32Ty();
  Value* size[3] = {};
  for (int i = 0; i < 3; ++i) size[i] = launch_word(offsetof(LaunchAbi, block) + 4 * static_cast<std::size_t>(i), i32);
  llvm::IRBuilder<> b = before_end(e_.warp_head);
  const BlockShape& shape = e_.plan.shape;
  const bool narrow = shape.rows == Rows::narrow;
  if (shape.one_thread()) return cached = b.getInt32(0);
  if (shape.rows == Rows::line) return cached = dimension == 0 ? b.CreateShl(e_.warp, 5) : b.getInt32(0);
  if (narrow && dimension == 0) return cached = b.getInt32(0);

  if (shape.rows == Rows::scattered || (narrow && shape.layers == Layers::any)) {
    llvm::SmallVector<Constant*, 32> order;
    for (unsigned lane = 0; lane < 32; ++lane) order.push_back(b.getInt32(lane));
    Value* linear = b.CreateAdd(b.CreateVectorSplat(32, b.CreateShl(e_.warp, 5)), llvm::ConstantVector::get(order));
    auto divide = [&](Value* a, Value* by) {  // exact: both are below 2^24
      Value* quotient = b.CreateFDiv(b.CreateUIToFP(a, e_.values.lanes(b.getFloatTy())),
                                     b.CreateUIToFP(b.CreateVectorSplat(32, by), e_.values.lanes(b.getFloatTy())));
      return b.CreateFPToUI(quotient, e_.values.lanes(i32));
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
    row = b.CreateMul(e_.warp, b.getInt32(32 / shape.width));
  } else {
    Value* warps = b.CreateLShr(size[0], 5);
    if (dimension == 0) return cached = b.CreateShl(b.CreateURem(e_.warp, warps), 5);
    row = b.CreateUDiv(e_.warp, warps);
  }
  if (shape.layers == Layers::one) return cached = dimension == 1 ? row : b.getInt32(0);
  return cached = dimension == 1 ? b.CreateURem(row, size[1]) : b.CreateUDiv(row, size[1]);
}

Held LaunchContext::special(const Operand& operand) {
  auto* i32 = e_.b.getInt32Ty();
  auto* i64 = e_.b.getInt64Ty();
  auto word = [&](std::size_t offset) { return e_.values.uniform(launch_word(offset, i32)); };
  const auto index = static_cast<unsigned>(operand.special);
  auto dimension = [&](Special first) { return static_cast<std::size_t>(index - static_cast<unsigned>(first)); };
  switch (operand.special) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z: return {e_.plan.form_of(operand), {tid(static_cast<int>(dimension(Special::tid_x)))}};
    case Special::ntid_x:
      if (e_.one_thread()) return e_.values.uniform(e_.b.getInt32(1));
      if (e_.plan.shape.rows == BlockShape::Rows::narrow) return e_.values.uniform(e_.b.getInt32(e_.plan.shape.width));
      return word(offsetof(LaunchAbi, block));
    case Special::ntid_y:
    case Special::ntid_z:
      if (e_.one_thread() || e_.plan.shape.rows == BlockShape::Rows::line) return e_.values.uniform(e_.b.getInt32(1));
      return word(offsetof(LaunchAbi, block) + 4 * dimension(Special::ntid_x));
    case Special::ctaid_x: return e_.values.uniform(e_.block_x);
    case Special::ctaid_y:
    case Special::ctaid_z: {
      const std::size_t offset = offsetof(BlockFrame, block_index) + 4 * dimension(Special::ctaid_x);
      Value*& cached = words_[{offset | std::size_t{4} << 32, i32}];
      if (!cached) cached = e_.at_entry([&](auto& b) { return constant_load(b, i32, e_.frame, offset); });
      return e_.values.uniform(cached);
    }
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z: return word(offsetof(LaunchAbi, grid) + 4 * dimension(Special::nctaid_x));
    case Special::laneid: return {e_.plan.form_of(operand), {e_.b.getInt32(0)}};
    case Special::warpid: return e_.values.uniform(e_.warp);
    case Special::nwarpid: return word(offsetof(LaunchAbi, warps));
    case Special::smid: return e_.values.uniform(e_.b.getInt32(0));
    case Special::nsmid: return e_.values.uniform(e_.b.getInt32(1));
    case Special::gridid: return e_.values.uniform(launch_word(offsetof(LaunchAbi, grid_id), i64));
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt: {
      llvm::SmallVector<Constant*, 32> all;
      for (unsigned lane = 0; lane < 32; ++lane) {
        const std::uint32_t equal = 1u << lane, less = equal - 1;
        const std::uint32_t masks[] = {equal, less | equal, less, ~less, ~(less | equal)};
        all.push_back(e_.b.getInt32(masks[dimension(Special::lanemask_eq)]));
      }
      if (e_.one_thread()) return e_.values.uniform(all[0]);
      return e_.values.varying(llvm::ConstantVector::get(all));
    }
    case Special::clock:
    case Special::clock_hi:
    case Special::clock64: {
      Value* now = e_.b.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}, {});
      if (operand.special == Special::clock64) return e_.values.uniform(now);
      return e_.values.uniform(
          e_.b.CreateTrunc(operand.special == Special::clock ? now : e_.b.CreateLShr(now, 32), i32));
    }
    case Special::globaltimer:
    case Special::globaltimer_lo:
    case Special::globaltimer_hi: {
      Value* call = e_.services.call(Service::timer, {}, e_.exec, *e_.instruction);
      Value* results = e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), call, offsetof(LaneCall, results));
      Value* now = e_.b.CreateLoad(i64, results);
      if (operand.special == Special::globaltimer) return e_.values.uniform(now);
      return e_.values.uniform(
          e_.b.CreateTrunc(operand.special == Special::globaltimer_lo ? now : e_.b.CreateLShr(now, 32), i32));
    }
    case Special::total_smem_size:
    case Special::aggr_smem_size: return word(offsetof(LaunchAbi, shared_bytes));
    case Special::dynamic_smem_size: return word(offsetof(LaunchAbi, dynamic_shared));
    case Special::envreg:
      if (operand.number < 4)
        return e_.values.uniform(
            e_.b.CreateTrunc(launch_word(offsetof(LaunchAbi, envreg) + 8 * operand.number, i64), i32));
      return e_.values.uniform(e_.b.getInt32(0));
    case Special::reserved_smem_offset_begin:
    case Special::reserved_smem_offset: return e_.values.uniform(e_.b.getInt32(shared_.reserved));
    case Special::reserved_smem_offset_end:
      return e_.values.uniform(e_.b.getInt32(shared_.reserved + shared_.reserved_bytes));
    case Special::reserved_smem_offset_cap: return e_.values.uniform(e_.b.getInt32(shared_.reserved_bytes));
    // A GPU's counters and its graphs, which do not exist here.
    case Special::pm: return e_.values.uniform(e_.b.getInt32(0));
    case Special::current_graph_exec: return e_.values.uniform(e_.b.getInt64(0));
    default: e_.not_refused(*e_.instruction);
  }
}

// --- For --race and --init

llvm::Value* LaunchContext::view() { return frame_pointer(offsetof(BlockFrame, view)); }

llvm::Value* LaunchContext::view_word(std::size_t offset) {
  Value*& word = words_[{std::size_t{7} << 32 | offset, e_.b.getInt64Ty()}];
  if (!word) {
    Value* from = view();
    word = e_.at_entry([&](auto& b) {
      return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), from, offset));
    });
  }
  return word;
}

llvm::Value* LaunchContext::marked_word(int slot, std::size_t offset) {
  offset += sizeof(MarkedArray) * static_cast<std::size_t>(slot);
  Value*& word = words_[{std::size_t{8} << 32 | offset, e_.b.getInt64Ty()}];
  if (!word) {
    Value* table = launch_word(offsetof(LaunchAbi, marked), e_.b.getPtrTy());
    word = e_.at_entry([&](auto& b) {
      return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), table, offset));
    });
  }
  return word;
}

}  // namespace xcuda::device::cpu
