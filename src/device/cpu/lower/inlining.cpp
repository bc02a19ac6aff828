#include "device/cpu/lower/inlining.hpp"

#include <algorithm>
#include <vector>

#include "device/cpu/lower/called_functions.hpp"
#include "device/cpu/lower/pointed_calls.hpp"
#include "device/cpu/lower/recursion.hpp"
#include "device/cpu/lower/splicing.hpp"

namespace xcuda::device::cpu {

using ptx::Function;
using ptx::Index;
using ptx::Instruction;
using ptx::Module;
using ptx::Trait;

namespace {

bool waits_for_block(const Instruction& instruction) { return instruction.is_barrier_of_block(); }

// Barriers of some threads are loops by now, see desugar.cpp.
bool has_waiting_loop(const Function& function) {
  return std::any_of(function.labels.begin(), function.labels.end(),
                     [](const ptx::Label& label) { return label.name.starts_with("$xcuda_wait_"); });
}

// The end of a thread, which is not that of a function. What follows a trap or a call that does not return is the
// compiler's way to say so.
bool ends_threads(const Function& function) {
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    if (!function.instructions[i].is(Trait::ends_thread)) continue;
    if (i == 0 || !function.instructions[i - 1].is(Trait::traps | Trait::calls)) return true;
  }
  return false;
}

class Inliner {
 public:
  explicit Inliner(Module& module) : module_(module) {}

  void run() {
    if (!choose()) return;
    for (Index i = 0; i < module_.functions.size(); ++i) visit(i);
    for (Function& function : module_.functions)
      if (function.entry) enter_by_jumps(function, {module_, recursive_, too_deep_});
  }

 private:
  // Functions that wait or end threads, and those that call them.
  bool choose() {
    chosen_.assign(module_.functions.size(), false);
    for (Index i = 0; i < module_.functions.size(); ++i) {
      const Function& function = module_.functions[i];
      if (function.entry || !function.defined) continue;
      const auto& all = function.instructions;
      chosen_[i] =
          std::any_of(all.begin(), all.end(), waits_for_block) || has_waiting_loop(function) || ends_threads(function);
    }
    if (std::find(chosen_.begin(), chosen_.end(), true) == chosen_.end()) return false;
    declare_functions();
    const auto addressed = addressed_functions(module_);
    const PointedCalls pointed{module_, addressed, chosen_, nothing_};
    const auto calls_chosen = [&](const Function& function) {
      return has_targets(function, pointed) ||
             std::any_of(function.instructions.begin(), function.instructions.end(), [&](const Instruction& each) {
               const auto callee = callee_of(function, each);
               return callee && chosen_[*callee];
             });
    };
    for (bool more = true; more;) {
      more = false;
      for (Index i = 0; i < module_.functions.size(); ++i)
        if (!chosen_[i] && !module_.functions[i].entry && calls_chosen(module_.functions[i])) chosen_[i] = more = true;
    }
    for (Function& function : module_.functions)
      if (has_targets(function, pointed)) name_targets(function, pointed);
    recursive_.assign(chosen_.size(), false);
    for (Index i = 0; i < chosen_.size(); ++i) recursive_[i] = chosen_[i] && reaches(i, i);
    for (Index i = 0; i < chosen_.size(); ++i) chosen_[i] = chosen_[i] && !recursive_[i];
    return true;
  }

  void declare_functions() {
    too_deep_ = static_cast<Index>(module_.functions.size());
    module_.functions.emplace_back().name = kTooDeep;
    nothing_ = static_cast<Index>(module_.functions.size());
    Function& nothing = module_.functions.emplace_back();
    nothing.name = "xcuda_nothing";
    nothing.defined = true;
    nothing.instructions.push_back(make_instruction(nothing, {}, ptx::Opcode::ret, {}));
    chosen_.resize(module_.functions.size(), false);
    done_.assign(module_.functions.size(), false);
  }

  bool reaches(Index from, Index to) const {
    std::vector<bool> seen(module_.functions.size());
    std::vector<Index> open{from};
    while (!open.empty()) {
      const Function& function = module_.functions[open.back()];
      open.pop_back();
      for (const Instruction& instruction : function.instructions) {
        const auto callee = callee_of(function, instruction);
        if (!callee || seen[*callee]) continue;
        if (*callee == to) return true;
        seen[*callee] = true;
        open.push_back(*callee);
      }
    }
    return false;
  }

  // Callees before their callers, so that what is put in place is complete; the chain of calls may be of any length.
  void visit(Index first) {
    struct Open {
      Index function;
      std::size_t next = 0;  // instruction
      bool calls = false;
    };
    std::vector<Open> open;
    const auto enter = [&](Index index) {
      if (done_[index]) return false;
      done_[index] = true;
      open.push_back({index});
      return true;
    };
    enter(first);
    while (!open.empty()) {
      Function& function = module_.functions[open.back().function];
      bool entered = false;
      while (!entered && open.back().next < function.instructions.size()) {
        const auto callee = callee_of(function, function.instructions[open.back().next++]);
        if (!callee || !chosen_[*callee]) continue;
        open.back().calls = true;
        entered = enter(*callee);
      }
      if (entered) continue;
      if (open.back().calls) splice(function, {module_, chosen_, inserted_});
      open.pop_back();
    }
  }

  Module& module_;
  std::vector<bool> chosen_, recursive_, done_;
  Index too_deep_ = 0, nothing_ = 0;
  std::size_t inserted_ = 0;  // instructions
};

}  // namespace

Module with_barriers_inlined(Module module) {
  Inliner(module).run();
  return module;
}

}  // namespace xcuda::device::cpu
