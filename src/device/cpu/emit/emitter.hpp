// Emits the LLVM function of one kernel and block shape class. Control is in emit_control.cpp, values in
// emit_value.cpp; each family of opcodes has a file of its own and reaches the rest through this class.
//
// Every block is emitted twice. In the converged clone all 32 lanes are on: no masks, no blends. In the divergent
// clone `exec` says which lanes are on. Registers are shared by both: stack slots that LLVM turns into SSA values.
// Blocks of some loops have code for one lane, too, or nothing else: see lane_loops.hpp.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <span>

#include "device/cpu/abi/kernel_abi.hpp"
#include "device/cpu/abi/kernel_code.hpp"
#include "device/cpu/emit/line_table.hpp"
#include "device/cpu/plan/layout.hpp"
#include "device/cpu/plan/plan.hpp"
#include "device/cpu/plan/target_features.hpp"

namespace xcuda::device::cpu {

// A value of 32 lanes in the form its class names.
struct Held {
  Form form;
  llvm::SmallVector<llvm::Value*, 4> parts;  // affine: a base per group; delayed: an offset per group, then a 32-bit
                                             // index per group; permuted: base and low; varying: one vector
  bool uniform() const { return form.is_uniform(); }
};

// The device functions that a kernel calls, each once; those that are still to be emitted wait in order.
class Callees {
 public:
  explicit Callees(llvm::Module& into) : into_(into) {}
  llvm::Function* find(ptx::Index function);
  std::optional<ptx::Index> next();  // of Module::functions, to be emitted
  // Functions whose address may be in a pointer.
  std::vector<ptx::Index> addressed(const ptx::Module& module);

 private:
  llvm::Module& into_;
  std::map<ptx::Index, llvm::Function*> all_;
  std::vector<ptx::Index> waiting_;
  std::optional<std::vector<ptx::Index>> addressed_;
};

struct EmitRequest {
  const ptx::Module& module;
  const ptx::Function& function;
  Plan& plan;
  Checks checks;
  TargetFeatures features;
  llvm::Module& into;
  Callees& callees;
  LineTable* lines = nullptr;  // none: without the lines that the code comes from
};

class Emitter {
 public:
  explicit Emitter(const EmitRequest& request);

  // Emits the function, named "kernel", and fills what KernelCode tells of it. Errors: unsupported.
  void emit(KernelCode& code);
  // Emits a device function; what KernelCode tells grows.
  void emit_function(KernelCode& code, llvm::Function* into);

  // --- for the families ---

  using Value = llvm::Value;
  enum class Clone : std::uint8_t { converged, divergent, lane };

  llvm::IRBuilder<>& b() { return builder_; }
  const ptx::Module& module() const { return module_; }
  const ptx::Function& function() const { return function_; }
  Plan& plan() { return plan_; }
  const TargetFeatures& features() const { return features_; }
  bool checked() const { return checks_.bounds; }
  bool recorded() const { return cpu::recorded(checks_); }
  bool races_recorded() const { return checks_.races; }
  bool initialisation_recorded() const { return checks_.uninitialised; }
  bool converged() const { return clone_ != Clone::divergent; }  // or one lane is all there is
  std::span<const ptx::Operand> operands(const ptx::Instruction& instruction) const {
    return function_.operands_of(instruction);
  }

  // Types.
  llvm::Type* element(ptx::Type type);  // f32 is float, u8 is i8, pred is i1
  llvm::Type* integer(int bits) { return builder_.getIntNTy(static_cast<unsigned>(bits)); }
  llvm::Type* lanes(llvm::Type* element, int count = 32) {
    return llvm::FixedVectorType::get(element, static_cast<unsigned>(count));
  }

  // Constants of the type of `like`, scalar or vector.
  Value* constant(llvm::Type* like, std::uint64_t bits);
  Value* real(llvm::Type* like, double value);

  // Operands. The value has the element type of `type`; wider registers are cut.
  Held read(const ptx::Operand& operand, ptx::Type type);
  Value* read_vector(const ptx::Operand& operand, ptx::Type type) { return vector_of(read(operand, type)); }
  Held read_register(ptx::Register reg);
  // Writes a result; narrower values are extended as `type` says. Guard and blend are applied here.
  void write(const ptx::Operand& operand, const Held& value, ptx::Type type);
  void write_register(ptx::Register reg, Held value);

  bool is_read(const ptx::Operand& operand) const;  // anywhere in the function

  // Forms.
  Held uniform(Value* scalar) { return {Form::uniform(), {scalar}}; }
  Held varying(Value* vector) { return {Form::varying(), {vector}}; }
  Value* vector_of(const Held& value);               // <32 x T>
  Value* base_of(const Held& value, int group);      // without the pattern
  Value* group_value(const Held& value, int group);  // with the pattern of the group's first lane
  Value* splat(Value* scalar) { return builder_.CreateVectorSplat(32, scalar); }
  Value* pattern_vector(Pattern pattern, llvm::Type* element, std::int64_t factor = 1);

  Held moved(const Held& value, Value* distance);           // + a scalar, in the same form
  bool emit_delayed(const ptx::Instruction& instruction);   // when the result is delayed; false: it is not
  bool emit_permuted(const ptx::Instruction& instruction);  // the same

  // Masks. exec() is an i32 with a bit per lane.
  Value* exec() { return exec_; }
  Value* exec_vector();           // <32 x i1>
  Value* to_mask(Value* vector);  // <32 x i1> to i32
  Value* to_vector(Value* mask);  // i32 to <32 x i1>
  Value* active();                // <32 x i1>: exec and the guard of the current instruction
  Value* active_mask();           // as i32
  bool guarded() const { return guarded_; }
  const ptx::Instruction* current() const { return instruction_; }  // that is being emitted
  bool all_active() const { return converged() && !guarded_; }

  // Elementwise: `make` gets the operands as scalars (per group) or as vectors, whichever the forms allow.
  using Make = std::function<Value*(std::span<Value* const>)>;
  void elementwise(const ptx::Instruction& instruction, std::span<const ptx::Type> types, ptx::Type result,
                   const Make& make);
  // Of the values given, when an instruction does not map its operands one to one.
  Held map(std::span<const Held> values, const Make& make);

  // Calls `body` once per active lane in lane order with the lane number (i32); for what does not vectorise.
  void each_lane(Value* mask, const std::function<void(Value* lane)>& body);
  Value* scratch(llvm::Type* type, const char* name);  // a stack slot of the function
  Value* spill(Value* vector);                         // a stack slot that holds the vector
  Value* dummy();                                      // 64 bytes that may be read and written
  Value* lane_slot(Value* slot, llvm::Type* element, Value* lane);

  // Context, loaded where it is constant: once per function, block or warp.
  Value* launch_word(std::size_t offset, llvm::Type* type);
  Value* frame_pointer(std::size_t offset);
  Value* bounds_word(std::size_t offset);  // i64 of Launch::bounds
  int new_cache() { return static_cast<int>(code_->cached_ranges++); }
  Value* parameters();
  Value* shared_base();                          // i64
  Value* local_base();                           // i64: of lane 0 of this warp
  Value* variable_address(ptx::Index variable);  // i64
  Value* warp_index() { return warp_; }
  Held special(const ptx::Operand& operand);
  Held address_of_symbol(const ptx::Operand& operand);
  std::uint32_t shared_offset(const ptx::Symbol& symbol) const { return shared_.offset(symbol); }

  // The carry of add.cc and its kin: <32 x i1>.
  Value* carry();
  void set_carry(Value* carry);

  // Services. Arguments are vectors or scalars of any integer type. The kernel is left when the service says so.
  struct Served {
    Service service;
    Value* mask;
    std::uint32_t site;
  };
  Value* serve(const Served& what, std::span<Value* const> arguments);
  Value* call_service(Service service, std::span<Value* const> arguments, Value* mask,
                      const ptx::Instruction& instruction);
  Value* call_service(Service service, std::span<Value* const> arguments, Value* mask, std::uint32_t site);
  Value* lane_call();  // the LaneCall of this function
  // Checks addresses in full: members are pairs of site and distance; leaves the kernel at a fault.
  void call_check(const Held& at, llvm::ArrayRef<llvm::Constant*> members);
  // Tells of an access in the same way; values are what is stored.
  void call_record(const Held& at, std::uint32_t site, std::span<Value* const> values);
  // Marks a row; i32, not 0: that was all. And the AccessView, what it says of the launch, and the marks of an array.
  Value* call_mark(const MarkedRow& row, Value* writes, Value* reads);
  Value* view();
  Value* view_word(std::size_t offset);
  Value* marked_word(int slot, std::size_t offset);
  Value* shared_size();                                   // i64
  Value* service_results(Value* call, llvm::Type* type);  // <32 x T> from a LaneCall
  std::uint32_t site(const ptx::Instruction& instruction);
  std::uint32_t new_site(const ptx::Instruction& instruction);  // where an instruction has more than one
  Held shared_address(const ptx::Operand& operand);             // i64 offset in shared memory
  void leave_kernel();                                          // ends the current block of code: returns Outcome::left
  AccessSite& site_at(std::uint32_t index) { return code_->sites[index]; }
  KernelCode& code() { return *code_; }
  std::optional<Step> step_of(ptx::Register reg) const { return plan_.steps.between_barriers.of(reg, block_); }
  std::optional<Step> grid_step_of(ptx::Register reg) const { return plan_.steps.of_grid.of_grid(reg, block_); }

  // Values hoisted to the start of the function.
  Value* at_entry(const std::function<Value*(llvm::IRBuilder<>&)>& make);
  llvm::BasicBlock* new_block(const char* name);
  Value* cold_branch(Value* condition, const std::function<void()>& body, const char* name);  // if (rarely) body

  ptx::Index index_of(const ptx::Instruction& instruction) const {
    return static_cast<ptx::Index>(&instruction - function_.instructions.data());
  }
  Place place(const ptx::Instruction& instruction) const;
  [[noreturn]] void unsupported(const ptx::Instruction& instruction, std::string_view why = {}) const;

  // Of arguments for services (.param declared in the body): by argument and offset. Those of device functions are in
  // memory, a piece for each lane.
  std::map<std::pair<ptx::Index, std::int64_t>, Held> arguments;
  bool in_memory(ptx::Index argument) const { return argument_memory_[argument]; }
  Value* argument_base(ptx::Index argument);  // i64
  Callees& callees() { return callees_; }
  void write_vote(const ptx::Instruction& instruction);  // of a barrier that reduces, behind it
  Value* frame() { return frame_; }
  Value* launch() { return launch_; }

 private:
  struct Copies {  // of one block
    llvm::BasicBlock* converged = nullptr;
    llvm::BasicBlock* divergent = nullptr;  // takes exec from pending
    Value* pending = nullptr;               // i32 slot: lanes that wait to run it
    Value* waiting = nullptr;               // i32 slot: lanes that wait at the barrier before it
    llvm::BasicBlock* suspend = nullptr;    // at a barrier before it: saves registers
    llvm::BasicBlock* resume = nullptr;     // reloads them, then goes to one of the clones
    std::uint32_t state = 0;
  };

  Held delayed_index(const Held& value, const Form& form);  // a 32-bit affine value as a delayed one
  void make_registers();
  void make_skeleton();
  void make_function_skeleton(llvm::Function* into);
  void emit_blocks();
  void find_argument_memory();
  void find_wait_sites();
  llvm::Function* add_attributes(llvm::Function* function);
  void start_lanes(Value* mask);
  void emit_clone(BlockIndex index, Clone clone);
  void emit_body(const Block& block);
  void emit_instruction(const ptx::Instruction& instruction);
  struct OneLane {  // while its code is emitted
    std::vector<llvm::SmallVector<Value*, 4>> registers;
    std::vector<Form> forms;
    std::vector<llvm::BasicBlock*> blocks;  // null: outside the loop
    std::map<BlockIndex, llvm::BasicBlock*> exits;
  };
  void emit_lane_loop(const LaneLoop& loop);
  void emit_one_lane(const LaneLoop& loop, OneLane& one);
  CodePart part() const;
  void mark(const ptx::Instruction& instruction, CodePart part);
  void end_block(BlockIndex index);
  void end_converged(const Block& block);
  void end_divergent(BlockIndex index, const Block& block);
  void add_pending(BlockIndex from, BlockIndex to, Value* mask);
  void enter(BlockIndex to, const BitSet& held, const BitSet& waiting);
  void try_enter(BlockIndex to, const BitSet& held, const BitSet& waiting);
  void run_first_of(const std::vector<BlockIndex>& candidates, const BitSet& held, const BitSet& waiting);
  void run_first_or_wait(const BitSet& held, const BitSet& waiting);
  BitSet let_go(const BitSet& pending, const BitSet& waiting, std::optional<BlockIndex> arrived);
  Value* blocked_lanes(BlockIndex meeting, Value* others);
  Value* waiting_in(const BitSet& blocks);
  void check_meetings(const BitSet& waiting, Value* in_vain);
  void finish_warp();
  BitSet add_waiting(BlockIndex from, BlockIndex to);
  llvm::BasicBlock* converged_of(BlockIndex block);
  llvm::BasicBlock* yield_test(const Block& block, llvm::BasicBlock* on);
  Value* end_round(Value* waiting);
  void emit_yielded_resume();
  bool reduces() const;
  Value* votes(std::size_t index);
  void arrive(const ptx::Instruction& instruction);
  void record_arrival(const ptx::Instruction& instruction);
  void record_phase();
  void suspend(BlockIndex next, Value* mask);
  void suspend_all(const BitSet& waiting);
  void emit_resumes();
  void save_registers(const BitSet& registers);
  void save_register(ptx::Register reg);
  void store_register(ptx::Register reg, Held value);
  void restore_registers(const BitSet& registers);
  void assign_slots();
  Value* save_slot(std::uint32_t offset);
  Value* tid(int dimension);
  void call_lanes(const Held& at, llvm::ArrayRef<llvm::Constant*> members, std::size_t function);
  llvm::Constant* constant_table(llvm::Constant* table);

  const ptx::Module& module_;
  const ptx::Function& function_;
  Plan& plan_;
  const Graph& graph_;
  Checks checks_;
  TargetFeatures features_;
  llvm::Module& into_;
  Callees& callees_;
  LineTable* lines_;
  std::vector<bool> argument_memory_;  // by Function::arguments
  std::vector<Value*> argument_bases_;
  Value* parameter_table_ = nullptr;  // of a device function: where parameters and results are
  llvm::IRBuilder<> builder_;
  KernelCode* code_ = nullptr;
  BitSet read_;  // registers that some instruction reads

  llvm::Function* kernel_ = nullptr;
  Value* frame_ = nullptr;
  Value* launch_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr, *block_head_ = nullptr, *warp_head_ = nullptr, *warp_next_ = nullptr,
                   *left_ = nullptr, *many_ = nullptr, *yielded_ = nullptr;
  Value *block_x_ = nullptr, *warp_ = nullptr, *warps_waiting_ = nullptr, *save_ = nullptr;
  Value *warps_yielded_ = nullptr, *turns_ = nullptr, *release_ = nullptr;  // where the graph has yields
  Value* lane_call_ = nullptr;
  std::map<llvm::Constant*, llvm::Constant*> tables_;

  std::vector<llvm::SmallVector<Value*, 4>> registers_;  // stack slots, as Held::parts
  std::vector<Copies> copies_;
  std::vector<std::uint32_t> save_offsets_;  // by register; 0 when it is never saved
  SharedLayout shared_;
  std::map<std::pair<std::size_t, llvm::Type*>, Value*> words_;
  std::map<std::pair<int, int>, Value*> warp_values_;
  std::map<ptx::Index, std::uint32_t> sites_;  // by instruction

  Value *carry_ = nullptr, *dummy_ = nullptr;
  Clone clone_ = Clone::converged;
  BlockIndex block_ = 0;
  const ptx::Instruction* instruction_ = nullptr;
  bool guarded_ = false;
  Value* exec_ = nullptr;
  Value* exec_vector_ = nullptr;
};

// The table of families: the function that emits an opcode, or null.
using Family = void (*)(Emitter&, const ptx::Instruction&);
Family family_of(ptx::Opcode opcode);

void emit_arithmetic(Emitter& e, const ptx::Instruction& instruction);
void emit_integer(Emitter& e, const ptx::Instruction& instruction);
void emit_logic(Emitter& e, const ptx::Instruction& instruction);
void emit_float(Emitter& e, const ptx::Instruction& instruction);
void emit_convert(Emitter& e, const ptx::Instruction& instruction);
void emit_compare(Emitter& e, const ptx::Instruction& instruction);
void emit_move(Emitter& e, const ptx::Instruction& instruction);
void emit_load(Emitter& e, const ptx::Instruction& instruction);
void emit_store(Emitter& e, const ptx::Instruction& instruction);
void emit_atomic(Emitter& e, const ptx::Instruction& instruction);
void emit_warp(Emitter& e, const ptx::Instruction& instruction);
void emit_system(Emitter& e, const ptx::Instruction& instruction);
void emit_video(Emitter& e, const ptx::Instruction& instruction);
void emit_async(Emitter& e, const ptx::Instruction& instruction);
void emit_matrix(Emitter& e, const ptx::Instruction& instruction);
void emit_texture(Emitter& e, const ptx::Instruction& instruction);
void emit_call(Emitter& e, const ptx::Instruction& instruction);

void record_order(Emitter& e, const ptx::Instruction& instruction);  // for --race

// Helpers that families share; values are scalars or vectors.
llvm::Value* computed(Emitter& e, const ptx::Instruction& instruction,
                      std::span<llvm::Value* const> values);                                            // f32, f64
llvm::Value* extreme(Emitter& e, const ptx::Instruction& instruction, llvm::Value* x, llvm::Value* y);  // min, max
void emit_half(Emitter& e, const ptx::Instruction& instruction, int inputs);
llvm::Value* widened_half(Emitter& e, llvm::Value* value);                        // half or bfloat16 to f32
llvm::Value* narrowed_half(Emitter& e, llvm::Value* value, llvm::Type* element);  // f32 or f64, to nearest even
llvm::Value* rounded_to_odd(Emitter& e, llvm::Value* value,
                            llvm::Value* error);  // value + error, in the digits of value
llvm::Value* sum_to_odd(Emitter& e, llvm::Value* left, llvm::Value* right);
llvm::Value* half_of(Emitter& e, llvm::Value* word, unsigned part, llvm::Type* element);
llvm::Value* pair_of(Emitter& e, llvm::Value* low, llvm::Value* high);
llvm::Value* flush(Emitter& e, llvm::Value* value);  // a subnormal f32 becomes a zero of its sign
llvm::Value* flush_below(Emitter& e, llvm::Value* value,
                         std::uint32_t least);  // of f32; the bits of the least number kept
llvm::Value* saturate(Emitter& e, llvm::Value* value);
llvm::Value* directed(Emitter& e, ptx::Modifier rounding, llvm::Value* value, llvm::Value* error);
llvm::Value* divide(Emitter& e, llvm::Value* a, llvm::Value* b, bool is_signed);            // x / 0 is all ones
llvm::Value* approximate(Emitter& e, const ptx::Instruction& instruction, llvm::Value* x);  // sin, ex2, ...
llvm::Value* reciprocal_root(Emitter& e, llvm::Value* x);                                   // f32, within 2^-22.9

}  // namespace xcuda::device::cpu
