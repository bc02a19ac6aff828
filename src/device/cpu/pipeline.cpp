#include "device/cpu/pipeline.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <chrono>

#include "device/cpu/emit/emitter.hpp"
#include "device/cpu/emit/families/families.hpp"
#include "device/cpu/jit/jit.hpp"
#include "device/cpu/lower/desugar.hpp"
#include "device/cpu/lower/folding.hpp"
#include "device/cpu/lower/inlining.hpp"
#include "device/cpu/lower/refuse.hpp"
#include "device/cpu/plan/plan_passes.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::device::cpu {

namespace {

template <class Work> struct Pass {
  const char* name;
  void (*run)(Work& work);
  std::string (*text)(const Work& work);
};

// --- Of a module: PTX text to the tree that its kernels are compiled from --------------------------------------------

struct ModuleWork {
  std::string text, name;
  ptx::Module tree{};
};

std::string tree_text(const ModuleWork& work) {
  std::string text;
  for (const ptx::Function& function : work.tree.functions) {
    if (!function.defined) continue;
    text += function.name + "\n";
    for (const ptx::Instruction& instruction : function.instructions)
      text += "  " + ptx::text_of(work.tree, function, instruction) + "\n";
  }
  return text;
}

constexpr Pass<ModuleWork> kModulePasses[] = {
    {"parse", [](ModuleWork& work) { work.tree = ptx::parse(work.text, work.name); }, tree_text},
    {"desugar", [](ModuleWork& work) { work.tree = desugared(std::move(work.tree)); }, tree_text},
    {"inline", [](ModuleWork& work) { work.tree = with_barriers_inlined(std::move(work.tree)); }, tree_text},
    {"fold", [](ModuleWork& work) { work.tree = with_indices_folded(std::move(work.tree)); }, tree_text},
};

// --- Of a kernel: what cannot run, plan_passes() for it and each function that it calls, then code of all of them ---

struct KernelWork {
  const CompileRequest& request;
  const ptx::Function& function;
  BlockShape shape;
  llvm::Module& into;
  LineTable* lines = nullptr;
  KernelCode code{};
  std::vector<std::byte> object{};
};

// Accesses are recorded for warps.
BlockShape shape_for(const KernelRequest& kernel) {
  BlockShape shape = shape_of(kernel.block);
  if (shape.one_thread() && recorded(kernel.checks)) shape.rows = BlockShape::Rows::line;
  return shape;
}

// Before its plan is made.
constexpr Pass<KernelWork> kRefuse = {
    "refuse", [](KernelWork& work) { refuse(work.request.module, work.function); },
    [](const KernelWork& work) { return refused_text(work.request.module, work.function); }};

PlanRequest plan_of(const KernelWork& work, const ptx::Function& function) {
  return {work.request.module,
          function,
          work.shape,
          work.request.jit.features(),
          !recorded(work.request.kernel.checks),
          work.request.dispatch,
          work.request.tier};
}

void begin(const CompileRequest& request, const char* phase) {
  if (request.begins) request.begins(phase);
}

void emit(KernelWork& work) {
  const CompileRequest& request = work.request;
  Callees callees(work.into);
  auto emission = [&](const ptx::Function& function, Plan& plan) {
    return EmitRequest{
        request.module, function,  plan,      request.kernel.checks, request.jit.features(), family_of, work.into,
        callees,        work.code, work.lines};
  };
  request.jit.prepare(work.into);
  work.code.shape = work.shape.text();
  work.code.tier = request.tier;
  auto planned_for = [&](const ptx::Function& function) {
    begin(request, "plan");
    Plan plan = make_plan(plan_of(work, function));
    begin(request, "emit");
    return plan;
  };
  Plan plan = planned_for(work.function);
  Emitter(emission(work.function, plan)).emit();
  while (const auto next = callees.next()) {
    const ptx::Function& callee = request.module.functions[*next];
    Plan own = planned_for(callee);
    Emitter(emission(callee, own)).emit_function(callees.find(*next));
  }
}

std::string ir_text(const KernelWork& work) {
  std::string text;
  llvm::raw_string_ostream(text) << work.into;
  return text;
}

std::string assembly_text(const KernelWork& work) {
  std::string text;
  for (const CodeLine& line : work.request.jit.disassembly(work.object, work.function.name).lines)
    text += line.label.empty() ? "  " + line.instruction + "\n" : line.label + ":\n";
  return text;
}

constexpr Pass<KernelWork> kKernelPasses[] = {
    {"emit", emit, ir_text},
    {"optimise", [](KernelWork& work) { work.request.jit.optimise(work.into, work.request.tier); }, ir_text},
    {"object",
     [](KernelWork& work) { work.object = work.request.jit.object(work.into, work.code.dispatch, work.request.tier); },
     assembly_text},
};

// ---------------------------------------------------------------------------------------------------------------------

class Stopwatch {
 public:
  Nanoseconds lap() {
    const auto now = std::chrono::steady_clock::now();
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(now - from_).count();
    from_ = now;
    return passed;
  }

 private:
  std::chrono::steady_clock::time_point from_ = std::chrono::steady_clock::now();
};

const ptx::Function& kernel_of(const CompileRequest& request) {
  const ptx::Function* function = request.module.find_function(request.kernel.entry);
  if (!function || !function->entry || !function->defined)
    throw Error(ErrorKind::name, std::string(request.name) + " has no kernel " + std::string(request.kernel.entry));
  return *function;
}

}  // namespace

std::size_t instruction_count(const ptx::Module& module, const ptx::Function& function) {
  std::vector<const ptx::Function*> all{&function};
  std::size_t count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    count += all[i]->instructions.size();
    for (const ptx::Call& call : all[i]->calls) {
      if (call.callee.kind != ptx::Operand::Kind::symbol) continue;
      const ptx::Function* callee = &module.functions[call.callee.index];
      if (std::find(all.begin(), all.end(), callee) == all.end()) all.push_back(callee);
    }
  }
  return count;
}

// Full code for fewer instructions is there in 5 to 10 ms. Loops of one thread are vectorised, which quick code would
// lose more by.
Tier first_tier(const ptx::Module& module, const KernelRequest& kernel) {
  constexpr std::size_t kFewInstructions = 16;
  const ptx::Function* function = module.find_function(kernel.entry);
  return function && !shape_for(kernel).one_thread() && instruction_count(module, *function) >= kFewInstructions
             ? Tier::quick
             : Tier::full;
}

std::unique_ptr<const ptx::Module> lowered(std::string_view ptx, std::string_view name) {
  ModuleWork work{std::string(ptx), std::string(name)};
  for (const auto& pass : kModulePasses) pass.run(work);
  return std::make_unique<const ptx::Module>(std::move(work.tree));
}

CompiledKernel compile(const CompileRequest& request) {
  Stopwatch watch;
  llvm::LLVMContext context;
  llvm::Module into("kernel", context);
  KernelWork work{request, kernel_of(request), shape_for(request.kernel), into};
  kRefuse.run(work);
  for (const auto& pass : kKernelPasses) {
    if (pass.run != emit) begin(request, pass.name);
    pass.run(work);
    (pass.run == emit ? work.code.translate_time : work.code.compile_time) += watch.lap();
  }
  return {std::move(work.code), std::move(work.object)};
}

MachineCode disassembled(const CompileRequest& request) {
  llvm::LLVMContext context;
  llvm::Module into("kernel", context);
  LineTable lines(into);
  KernelWork work{request, kernel_of(request), shape_for(request.kernel), into, &lines};
  kRefuse.run(work);
  for (const auto& pass : kKernelPasses) {
    if (pass.run != emit) begin(request, pass.name);
    pass.run(work);
    if (pass.run == emit) lines.finish();
  }
  MachineCode code = request.jit.disassembly(work.object, std::string(request.kernel.entry));
  code.variant = variant_text(request.kernel);
  return code;
}

std::string variant_text(const KernelRequest& kernel) {
  return "blocks of " + shape_for(kernel).text() + (kernel.checks.bounds ? ", bounds checked" : ", unchecked") +
         (recorded(kernel.checks) ? ", accesses recorded" : "");
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const auto& pass : kModulePasses) names.emplace_back(pass.name);
  names.emplace_back(kRefuse.name);
  for (const PlanPass& pass : plan_passes()) names.emplace_back(pass.name);
  for (const auto& pass : kKernelPasses) names.emplace_back(pass.name);
  return names;
}

std::string text_after(const DumpRequest& dump) {
  ModuleWork work{std::string(dump.ptx), "the module"};
  for (const auto& pass : kModulePasses) {
    pass.run(work);
    if (pass.name == dump.pass) return pass.text(work);
  }
  const CompileRequest request{work.tree, work.name, dump.kernel, dump.jit, dump.dispatch, {}, dump.tier};
  llvm::LLVMContext context;
  llvm::Module into("kernel", context);
  KernelWork kernel{request, kernel_of(request), shape_for(dump.kernel), into};
  if (kRefuse.name == dump.pass) return kRefuse.text(kernel);
  kRefuse.run(kernel);
  for (const PlanPass& pass : plan_passes())
    if (pass.name == dump.pass) return pass.text(planned(plan_of(kernel, kernel.function)));
  for (const auto& pass : kKernelPasses) {
    pass.run(kernel);
    if (pass.name == dump.pass) return pass.text(kernel);
  }
  throw Error(ErrorKind::name, "there is no pass " + std::string(dump.pass));
}

}  // namespace xcuda::device::cpu
