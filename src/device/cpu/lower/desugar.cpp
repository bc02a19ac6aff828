#include "device/cpu/lower/desugar.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cpu/lower/instruction_writer.hpp"
#include "device/cpu/lower/splicing.hpp"
#include "device/host_code.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Module;
using ptx::Opcode;
using ptx::Operand;
using ptx::SymbolKind;

namespace {

// What the instructions do, as functions that are put in their place.
//
// A barrier of a count of threads is a counter and a number that rises each time the count is full. A GPU has sixteen
// of them. With a vote, those that say yes are counted in one word, and the last one to come puts the sum into one of
// two others by turns, so that the next round does not overwrite it before all have read it. For --race a thread that
// waits acquires what all have released that came; one that only arrives does not, unless it is the last one.
//
// A thread's memory from alloca() is a local variable and how far it is used.
constexpr std::string_view kLibraryText = R"(
.version 8.0
.target sm_80
.address_size 64
.shared .align 8 .b8 xcuda_barriers[384];

.func xcuda_barrier_zero()
{
  .reg .pred %p;
  .reg .b32 %x, %y, %i;
  .reg .b64 %a;
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  or.b32 %x, %x, %y;
  mov.u32 %y, %tid.z;
  or.b32 %x, %x, %y;
  setp.ne.u32 %p, %x, 0;
  @%p bra $xcuda_zero_end;
  mov.u32 %i, 0;
  mov.u64 %a, xcuda_barriers;
$xcuda_zero:
  st.volatile.shared.u32 [%a], 0;
  add.u64 %a, %a, 4;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 96;
  @%p bra $xcuda_zero;
$xcuda_zero_end:
  ret;
}

.func xcuda_barrier_arrive(.reg .b32 %barrier, .reg .b32 %threads)
{
  .reg .pred %p;
  .reg .b32 %old, %last, %ignored;
  .reg .b64 %a;
  membar.cta;
  mov.u64 %a, xcuda_barriers;
  mad.wide.u32 %a, %barrier, 8, %a;
  sub.u32 %last, %threads, 1;
  atom.release.cta.shared.add.u32 %old, [%a], 1;
  setp.eq.u32 %p, %old, %last;
  @%p membar.cta;
  @%p st.volatile.shared.u32 [%a], 0;
  @%p atom.acq_rel.cta.shared.add.u32 %ignored, [%a+4], 1;
  ret;
}

.func xcuda_barrier_sync(.reg .b32 %barrier, .reg .b32 %threads)
{
  .reg .pred %p;
  .reg .b32 %old, %last, %round, %now;
  .reg .b64 %a;
  membar.cta;
  mov.u64 %a, xcuda_barriers;
  mad.wide.u32 %a, %barrier, 8, %a;
  ld.volatile.shared.u32 %round, [%a+4];
  sub.u32 %last, %threads, 1;
  atom.acq_rel.cta.shared.add.u32 %old, [%a], 1;
  setp.eq.u32 %p, %old, %last;
  @%p st.volatile.shared.u32 [%a], 0;
  @%p atom.acq_rel.cta.shared.add.u32 %now, [%a+4], 1;
$xcuda_wait_sync:
  ld.volatile.shared.u32 %now, [%a+4];
  setp.eq.u32 %p, %now, %round;
  @%p bra $xcuda_wait_sync;
  membar.cta;
  ret;
}

.func (.reg .b32 %sum) xcuda_barrier_vote(.reg .b32 %barrier, .reg .b32 %threads, .reg .pred %yes)
{
  .reg .pred %p;
  .reg .b32 %come, %round, %now, %mine;
  .reg .b64 %a, %votes, %place;
  membar.cta;
  mov.u64 %a, xcuda_barriers;
  mad.wide.u32 %votes, %barrier, 16, %a;
  mad.wide.u32 %a, %barrier, 8, %a;
  ld.volatile.shared.u32 %round, [%a+4];
  and.b32 %mine, %round, 1;
  mad.wide.u32 %place, %mine, 4, %votes;
  selp.u32 %mine, 1, 0, %yes;
  atom.acq_rel.cta.shared.add.u32 %come, [%votes+128], %mine;
  atom.acq_rel.cta.shared.add.u32 %come, [%a], 1;
  add.u32 %come, %come, 1;
  setp.eq.u32 %p, %come, %threads;
  ld.volatile.shared.u32 %now, [%votes+128];
  @%p st.volatile.shared.u32 [%place+132], %now;
  @%p st.volatile.shared.u32 [%votes+128], 0;
  @%p st.volatile.shared.u32 [%a], 0;
  @%p atom.acq_rel.cta.shared.add.u32 %now, [%a+4], 1;
$xcuda_wait_vote:
  ld.volatile.shared.u32 %now, [%a+4];
  setp.eq.u32 %p, %now, %round;
  @%p bra $xcuda_wait_vote;
  membar.cta;
  ld.volatile.shared.u32 %sum, [%place+132];
  ret;
}

.func (.reg .b64 %address, .reg .b64 %top) xcuda_alloca(.reg .b64 %stack, .reg .b64 %used, .reg .b64 %bytes,
                                                        .reg .b64 %alignment)
{
  .reg .pred %p;
  .reg .b64 %mask;
  neg.s64 %mask, %alignment;
  add.u64 %address, %used, %alignment;
  sub.u64 %address, %address, 1;
  and.b64 %address, %address, %mask;
  add.u64 %top, %address, %bytes;
  sub.u64 %mask, %top, %stack;
  setp.gt.u64 %p, %mask, 4096;
  @%p trap;
  ret;
}
)";
constexpr std::uint64_t kStackBytes = 4096;  // as much as a GPU gives unasked, times 4; xcuda_alloca() knows it, too

bool counts_threads(const Instruction& instruction) {
  if (!instruction.is_barrier_of_block()) return false;
  if (instruction.has(Modifier::red)) return instruction.operand_count == 4;
  return instruction.operand_count == 2 && instruction.has_any({Modifier::arrive, Modifier::sync});
}

bool jumps_by_table(const Instruction& instruction) {
  return instruction.targets != ptx::kNoIndex && instruction.operand_count == 1;
}

bool moves_stack(const Instruction& instruction) {
  if (instruction.type() != ptx::Type::u64) return false;
  switch (instruction.opcode) {
    case Opcode::alloca: return instruction.operand_count == 2 || instruction.operand_count == 3;
    case Opcode::stacksave:
    case Opcode::stackrestore: return instruction.operand_count == 1;
    default: return false;
  }
}

// By what is not known, or is zero.
bool may_divide_by_zero(const Function& function, const Instruction& instruction) {
  const bool integer = ptx::is_signed(instruction.type()) || ptx::is_unsigned(instruction.type());
  if (!instruction.is(ptx::Trait::divides) || !integer || instruction.guarded() || instruction.operand_count != 3)
    return false;
  const Operand& divisor = function.operands[instruction.first_operand + 2];
  return divisor.kind != Operand::Kind::integer || divisor.bits == 0;
}

bool is_of_host(const Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](const Function& function) {
    return function.entry && function.name.find(kNativeKernel) != std::string::npos;
  });
}

template <class Predicate> bool any_instruction(const Function& function, Predicate predicate) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), predicate);
}

// The library's functions as the last ones of a module.
class Library {
 public:
  explicit Library(Module& module)
      : begin_(static_cast<Index>(module.functions.size())),
        variables_begin_(module.variables.size()),
        module_(module) {
    Module library = ptx::parse(kLibraryText, "xcuda");
    const auto variables = static_cast<Index>(module.variables.size());
    for (Function& function : library.functions) {
      for (Operand& operand : function.operands)
        if (operand.symbol_kind == SymbolKind::variable) operand.index += variables;
      module.functions.push_back(std::move(function));
    }
    for (ptx::Variable& variable : library.variables) module.variables.push_back(std::move(variable));
  }

  Index find(std::string_view name) const {
    return static_cast<Index>(module_.find_function(name) - module_.functions.data());
  }
  Index begin() const { return begin_; }
  std::size_t variables_begin() const { return variables_begin_; }

 private:
  Index begin_;
  std::size_t variables_begin_;
  const Module& module_;
};

// Writes the instructions of a function anew.
class Rewriter : InstructionWriter {
 public:
  enum class Barriers : std::uint8_t { none, counted };  // in the module
  enum class Division : std::uint8_t { free, checked };  // by zero
  Rewriter(Function& function, const Library& library, Division division)
      : InstructionWriter(function), library_(library), division_(division) {}

  void run(Barriers barriers) {
    const bool moves = any_instruction(function_, moves_stack);
    rewrite(
        [&] {
          if (function_.entry && barriers == Barriers::counted) call("xcuda_barrier_zero", {}, {});
          if (moves) begin_stack();
        },
        [&](const Instruction& each) {
          at_ = each;
          if (counts_threads(each))
            barrier();
          else if (jumps_by_table(each))
            jump_by_table();
          else if (moves_stack(each))
            stack();
          else {
            if (division_ == Division::checked && may_divide_by_zero(function_, each)) test_divisor();
            function_.instructions.push_back(each);
          }
        });
  }

 private:
  Operand operand(std::size_t index) const { return function_.operands[at_.first_operand + index]; }

  void call(std::string_view name, std::vector<Operand> results, std::vector<Operand> arguments) {
    Instruction& instruction = add(Opcode::call, {});
    instruction.call = static_cast<Index>(function_.calls.size());
    const Operand callee = named(Operand::Kind::symbol, SymbolKind::function, library_.find(name));
    function_.calls.push_back({callee, std::move(results), std::move(arguments), ptx::kNoIndex, {}});
  }

  void barrier() {
    if (at_.has(Modifier::arrive)) return call("xcuda_barrier_arrive", {}, {operand(0), operand(1)});
    if (!at_.has(Modifier::red)) return call("xcuda_barrier_sync", {}, {operand(0), operand(1)});
    const Operand result = operand(0), threads = operand(2);
    const Operand sum = at_.has(Modifier::popc) ? result : new_register(ptx::Type::u32);
    call("xcuda_barrier_vote", {sum}, {operand(1), threads, operand(3)});
    if (at_.has(Modifier::and_)) compare(Modifier::eq, result, sum, threads);
    if (at_.has(Modifier::or_)) compare(Modifier::ne, result, sum, number(0));
  }

  // A trap with a type is a division by zero. (Its own type need not be that of the source: NVRTC divides small numbers
  // of 64 bits as those of 32.)
  void test_divisor() {
    const Operand zero = new_register(ptx::Type::pred);
    compare(Modifier::eq, zero, operand(2), number(0));
    function_.instructions.back().types[0] = at_.type();
    Instruction& trap = typed(add(Opcode::trap, {}), at_.type());
    trap.outputs = 0;
    trap.guard = zero.reg;
    trap.guard_negated = false;
  }

  // Comparisons one after the other; `@p brx` begins with a jump over them.
  void jump_by_table() {
    const Index over = begin_guard();
    const std::vector<Index>& targets = function_.target_lists[at_.targets];
    const Operand chosen = operand(0), equal = new_register(ptx::Type::pred);
    for (std::size_t i = 0; i + 1 < targets.size(); ++i) {
      compare(Modifier::eq, equal, chosen, number(i));
      jump(equal.reg, targets[i]);
    }
    jump(ptx::kNoIndex, targets.back());
    end_of_guard(over);
  }

  void begin_stack() {
    stack_ = new_local("xcuda_stack", kStackBytes);
    top_ = new_register(ptx::Type::u64);
    move(top_, stack_);
  }
  void stack() {
    if (at_.opcode == Opcode::stacksave) return move(operand(0), top_);
    if (at_.opcode == Opcode::stackrestore) return move(top_, operand(0));
    const Operand alignment = at_.operand_count == 3 ? operand(2) : number(8);
    call("xcuda_alloca", {operand(0), top_}, {stack_, top_, operand(1), alignment});
  }

  const Library& library_;
  Division division_;
  Operand stack_, top_;  // of alloca(): its memory, and how far it is used
};

}  // namespace

Module desugared(Module module) {
  bool any = false;
  const auto division = is_of_host(module) ? Rewriter::Division::checked : Rewriter::Division::free;
  auto barriers = Rewriter::Barriers::none;
  for (const Function& function : module.functions) {
    if (any_instruction(function, counts_threads)) barriers = Rewriter::Barriers::counted;
    any = any || any_instruction(function, jumps_by_table) || any_instruction(function, moves_stack);
    any = any || (division == Rewriter::Division::checked && any_instruction(function, [&](const Instruction& each) {
                    return may_divide_by_zero(function, each);
                  }));
  }
  if (!any && barriers == Rewriter::Barriers::none) return module;

  const Library library(module);
  std::vector<bool> chosen(module.functions.size());
  std::fill(chosen.begin() + library.begin(), chosen.end(), true);
  std::size_t inserted = 0;
  for (Index i = 0; i < library.begin(); ++i) {
    Function& function = module.functions[i];
    if (!function.defined) continue;
    Rewriter(function, library, division).run(barriers);
    splice(function, {module, chosen, inserted});
  }
  const auto calls_library = [&](const Function& function) {
    return any_instruction(function, [&](const Instruction& each) {
      const auto callee = callee_of(function, each);
      return callee && *callee >= library.begin();
    });
  };
  if (std::none_of(module.functions.begin(), module.functions.end(), calls_library)) {
    module.functions.resize(library.begin());
    if (inserted == 0) module.variables.resize(library.variables_begin());
  }
  return module;
}

}  // namespace xcuda::device::cpu
