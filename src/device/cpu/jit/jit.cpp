#include "device/cpu/jit/jit.hpp"

#include <fmt/format.h>

#include "base/host_arithmetic.hpp"
#include "device/cpu/emit/bounds_mark.hpp"
#include "device/cpu/jit/checked_loops.hpp"
#include "device/cpu/jit/disassembly.hpp"
#include "device/cpu/jit/half_comparisons.hpp"
#include "device/cpu/jit/quick_selection.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PassTimingInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopVersioning.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include <cstring>
#include <mutex>

namespace xcuda::device::cpu {

namespace {

std::string text_of(llvm::Error error) { return llvm::toString(std::move(error)); }

// LLVM has no other way to set these. How many blocks the register allocator looks at to split one value (LLVM:
// 10,000), times the number of values, is what its time grows with; moving mask arithmetic to mask registers made
// nothing faster. How the instructions of a block are ordered before registers are allocated.
struct Option {
  const char *name, *value;
};
constexpr Option kCodeGeneration[] = {{"grow-region-complexity-budget", "400"},
                                      {"disable-x86-domain-reassignment", "true"},
                                      {"pre-RA-sched", kQuickOrder}};

void start_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    throw_fatal_errors();
    for (const auto& [name, value] : kCodeGeneration)
      if (const auto known = llvm::cl::getRegisteredOptions().find(name);
          known != llvm::cl::getRegisteredOptions().end())
        known->second->addOccurrence(0, name, value);
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86Disassembler();
  });
}

// In a loop of thousands of blocks each that can leave it costs LLVM's preparation of loops a walk through all of them,
// and stack slots that become values cost a copy of all for each edge. Quick code has a slot for them anyway.
constexpr std::size_t kTooManyBlocks = 8192;

struct Optimisation {
  llvm::TargetMachine& target;
  Tier tier;
  std::uint64_t vector_bytes;
};

// Promotes the registers' stack slots to SSA values and cleans up: what a kernel needs and no more, because time to
// compile is time that the user waits. Quick code would be no quicker with combined instructions and moved invariants.
// Loops for one thread become what g++ -O3 makes of them.
void optimised(llvm::Module& module, const Optimisation& how) {
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::TimePassesHandler times;  // prints them if llvm::TimePassesIsEnabled
  times.registerCallbacks(callbacks);
  llvm::LoopAnalysisManager loops;  // goes last: the others' results refer to it
  llvm::FunctionAnalysisManager functions;
  functions.registerPass([&] { return llvm::PassInstrumentationAnalysis(&callbacks); });
  functions.registerPass([&] { return llvm::DominatorTreeAnalysis(); });
  functions.registerPass([&] { return llvm::PostDominatorTreeAnalysis(); });
  functions.registerPass([&] { return llvm::AssumptionAnalysis(); });
  functions.registerPass([&] { return llvm::LoopAnalysis(); });
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(); });
  functions.registerPass([&] { return how.target.getTargetIRAnalysis(); });
  functions.registerPass([&] { return llvm::BasicAA(); });
  functions.registerPass([&] {
    llvm::AAManager aliases;
    aliases.registerFunctionAnalysis<llvm::BasicAA>();
    aliases.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
    return aliases;
  });
  functions.registerPass([&] { return llvm::ScopedNoAliasAA(); });
  functions.registerPass([&] { return llvm::ShouldRunExtraVectorPasses(); });
  functions.registerPass([&] { return llvm::DemandedBitsAnalysis(); });
  functions.registerPass([&] { return llvm::LoopAccessAnalysis(); });
  functions.registerPass([&] { return llvm::MemorySSAAnalysis(); });
  functions.registerPass([&] { return llvm::ScalarEvolutionAnalysis(); });
  functions.registerPass([&] { return llvm::BranchProbabilityAnalysis(); });
  functions.registerPass([&] { return llvm::BlockFrequencyAnalysis(); });
  functions.registerPass([&] { return llvm::OptimizationRemarkEmitterAnalysis(); });
  llvm::ModuleAnalysisManager modules;
  modules.registerPass([&] { return llvm::PassInstrumentationAnalysis(&callbacks); });
  modules.registerPass([&] { return llvm::ProfileSummaryAnalysis(); });
  functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
  modules.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(functions); });
  loops.registerPass([&] { return llvm::PassInstrumentationAnalysis(&callbacks); });
  functions.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(loops); });
  loops.registerPass([&] { return llvm::FunctionAnalysisManagerLoopProxy(functions); });

  llvm::FunctionPassManager promotion, passes, invariants, last;
  promotion.addPass(llvm::PromotePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  if (how.tier == Tier::full) {
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::EarlyCSEPass());
  }
  invariants.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  invariants.addPass(llvm::SimplifyCFGPass());
  llvm::FunctionPassManager loop_passes;
  auto simplified = [&] {
    loop_passes.addPass(llvm::LoopSimplifyPass());
    loop_passes.addPass(llvm::LCSSAPass());
  };
  simplified();
  loop_passes.addPass(VersionCheckedLoops());
  loop_passes.addPass(llvm::SimplifyCFGPass());
  simplified();
  loop_passes.addPass(llvm::LoopVersioningPass());  // for arrays that may be the same
  loop_passes.addPass(WidenUnrolledLoops{{}, how.vector_bytes});
  simplified();
  loop_passes.addPass(llvm::LoopVectorizePass());
  loop_passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2, /*OnlyWhenForced=*/true)));
  loop_passes.addPass(llvm::EarlyCSEPass());
  loop_passes.addPass(llvm::InstCombinePass());
  loop_passes.addPass(llvm::SLPVectorizerPass());
  loop_passes.addPass(llvm::EarlyCSEPass());
  loop_passes.addPass(llvm::InstCombinePass());
  loop_passes.addPass(llvm::SimplifyCFGPass());
  if (!how.target.getMCSubtargetInfo()->checkFeatures("+avx512fp16")) last.addPass(WidenHalfComparisons());

  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const bool full = how.tier == Tier::full, small = function.size() < kTooManyBlocks;
    if (full || small) promotion.run(function, functions);
    passes.run(function, functions);
    if (full && small) invariants.run(function, functions);
    if (function.hasFnAttribute(kOneThreadMark) && has_counted_loops(function, functions))
      loop_passes.run(function, functions);
    last.run(function, functions);
  }
}

}  // namespace

struct Jit::State {
  const llvm::Target* target = nullptr;
  std::string triple, cpu, feature_text, key;
  TargetFeatures features;
  // A machine serves one compile at a time. Those that are not in use, made when there are too few.
  std::mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines;
  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> layer;
  llvm::orc::JITDylib* host = nullptr;  // what kernels call of this process
  std::mutex linking;
  std::uint64_t linked = 0;

  ~State() {
    layer.reset();
    if (session) llvm::consumeError(session->endSession());
  }

  llvm::orc::JITDylib& make_host_library() const {
    using namespace llvm::orc;
    SymbolMap known;
    auto define = [&](std::string_view name, const void* function) {
      known[session->intern(llvm::StringRef(name.data(), name.size()))] = {
          ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    define("memset", reinterpret_cast<const void*>(static_cast<void* (*)(void*, int, std::size_t)>(&std::memset)));
    define("memcpy",
           reinterpret_cast<const void*>(static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memcpy)));
    define("memmove",
           reinterpret_cast<const void*>(static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memmove)));
    for (const HostFunction& each : host_functions()) define(each.symbol, each.address);
    JITDylib& library = session->createBareJITDylib("host");
    if (auto error = library.define(absoluteSymbols(std::move(known))))
      throw Error(ErrorKind::internal, "the JIT does not know the host's functions").said(text_of(std::move(error)));
    return library;
  }
  std::unique_ptr<llvm::TargetMachine> make_machine() const {
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // PTX says where a fused operation is
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, cpu, feature_text, options,
                                                                            llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                                            llvm::CodeGenOptLevel::Default, true));
  }
  std::unique_ptr<llvm::TargetMachine> take_machine() {
    {
      const std::lock_guard lock(mutex);
      if (!machines.empty()) {
        auto machine = std::move(machines.back());
        machines.pop_back();
        return machine;
      }
    }
    return make_machine();
  }
  void give_back(std::unique_ptr<llvm::TargetMachine> machine) {
    const std::lock_guard lock(mutex);
    machines.push_back(std::move(machine));
  }
};

// For the time of a scope.
class Jit::Machine {
 public:
  explicit Machine(State& state) : state_(state), machine_(state.take_machine()) {}
  ~Machine() { state_.give_back(std::move(machine_)); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  llvm::TargetMachine& operator*() const { return *machine_; }
  llvm::TargetMachine* operator->() const { return machine_.get(); }

 private:
  State& state_;
  std::unique_ptr<llvm::TargetMachine> machine_;
};

Jit::Jit(const std::string& cpu) : state_(std::make_unique<State>()) {
  start_llvm();
  State& s = *state_;
  s.triple = llvm::sys::getProcessTriple();
  std::string failure;
  s.target = llvm::TargetRegistry::lookupTarget(s.triple, failure);
  if (!s.target)
    throw Error(ErrorKind::unsupported, "the CPU device has no code generator for " + s.triple).said(failure);
  s.cpu = cpu.empty() ? llvm::sys::getHostCPUName().str() : cpu;
  if (cpu.empty()) {
    for (const auto& feature : llvm::sys::getHostCPUFeatures())
      s.feature_text +=
          (s.feature_text.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  }
  s.machines.push_back(s.make_machine());
  if (!s.machines.front()) throw Error(ErrorKind::unsupported, "the CPU device cannot generate code for " + s.cpu);
  const llvm::MCSubtargetInfo& subtarget = *s.machines.front()->getMCSubtargetInfo();
  if (!cpu.empty() && !subtarget.isCPUStringValid(cpu))
    throw Error(ErrorKind::unsupported, "LLVM knows no processor \"" + cpu + "\" (XCUDA_CPU_TARGET)");
  s.features.avx512 = subtarget.checkFeatures("+avx512f") && subtarget.checkFeatures("+avx512bw") &&
                      subtarget.checkFeatures("+avx512dq") && subtarget.checkFeatures("+avx512vl");
  s.features.fast_gather = subtarget.checkFeatures("+fast-gather");
  s.key = s.cpu + s.feature_text;

  auto control = llvm::orc::SelfExecutorProcessControl::Create();
  if (!control) throw Error(ErrorKind::internal, "cannot start the JIT").said(text_of(control.takeError()));
  s.session = std::make_unique<llvm::orc::ExecutionSession>(std::move(*control));
  auto memory = llvm::jitlink::InProcessMemoryManager::Create();
  if (!memory) throw Error(ErrorKind::internal, "the JIT cannot get memory").said(text_of(memory.takeError()));
  s.layer = std::make_unique<llvm::orc::ObjectLinkingLayer>(*s.session, std::move(*memory));
  s.host = &s.make_host_library();
}

Jit::~Jit() = default;

const std::string& Jit::cpu() const { return state_->key; }
const TargetFeatures& Jit::features() const { return state_->features; }

std::string Jit::description() const {
  return std::string("LLVM ") + LLVM_VERSION_STRING + " (" + state_->cpu +
         (state_->features.avx512 ? ", AVX-512)" : ", AVX2)");
}

void Jit::prepare(llvm::Module& module) const {
  const Machine machine(*state_);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
}

void Jit::optimise(llvm::Module& module, Tier tier) const {
#ifndef NDEBUG
  std::string broken;
  llvm::raw_string_ostream report(broken);
  if (llvm::verifyModule(module, &report))
    throw Error(ErrorKind::internal, "the translator generated invalid code").said(report.str());
#endif
  const Machine machine(*state_);
  optimised(module, {*machine, tier, state_->features.avx512 ? 64u : 32u});
}

namespace {

struct Generation {
  llvm::TargetMachine& target;
  Dispatch dispatch;
  Tier tier;
};

// As addPassesToEmitFile() makes the passes, but with Dispatch::shared all blocks are in one loop, that of the
// dispatcher. Moving constants out of it makes registers that live in every block, and splitting those takes time that
// grows with the square of the blocks.
std::vector<std::byte> generated(llvm::Module& module, const Generation& how) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  auto passes = std::make_unique<llvm::legacy::PassManager>();
  auto& machine = static_cast<llvm::LLVMTargetMachine&>(how.target);
  // Registers of quick code are allocated block by block; see quick_selection.cpp, too.
  machine.setOptLevel(how.tier == Tier::quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
  machine.setFastISel(how.tier == Tier::quick);
  auto* information = new llvm::MachineModuleInfoWrapperPass(&machine);  // passes own it and config
  llvm::TargetPassConfig* config = machine.createPassConfig(*passes);
  config->setDisableVerify(true);  // debug builds verify in optimise()
  if (how.dispatch == Dispatch::shared)
    for (const void* pass : {&llvm::EarlyMachineLICMID, &llvm::MachineLICMID, &llvm::MachineCSEID})
      config->disablePass(pass);
  passes->add(config);
  passes->add(information);
  const bool failed = config->addISelPasses();
  if (!failed) config->addMachinePasses();
  config->setInitialized();
  if (failed || machine.addAsmPrinter(*passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                      information->getMMI().getContext()))
    throw Error(ErrorKind::internal, "LLVM cannot emit object files");
  passes->add(llvm::createFreeMachineFunctionPass());
  std::uint64_t too_large = 0;  // bytes that a function takes of its thread's stack
  module.getContext().setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* diagnostic, void* most) {
        if (const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(diagnostic))
          *static_cast<std::uint64_t*>(most) = std::max(*static_cast<std::uint64_t*>(most), frame->getStackSize());
      },
      &too_large);
  try {
    passes->run(module);
  } catch (const GenerationFailed&) {
    module.getContext().setDiagnosticHandlerCallBack(nullptr);
    passes.release();
    throw;
  }
  module.getContext().setDiagnosticHandlerCallBack(nullptr);
  if (too_large > 0)
    throw Error(
        ErrorKind::unsupported,
        fmt::format("the registers of this kernel need {:.1f} MiB of a thread's stack, and the CPU device allows {}",
                    static_cast<double>(too_large) / (1 << 20), kMostStack >> 20))
        .advise("Unroll less (#pragma unroll 1), or split the kernel.");
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

}  // namespace

std::vector<std::byte> Jit::object(llvm::Module& module, Dispatch dispatch, Tier tier) const {
  const Machine machine(*state_);
  if (tier == Tier::quick) {
    try {
      return generated(module, {*machine, dispatch, tier});
    } catch (const GenerationFailed&) {  // once more, as full code is selected
    }
  }
  const SelectFully fully;
  return generated(module, {*machine, dispatch, tier});
}

MachineCode Jit::disassembly(std::span<const std::byte> object, std::string entry) const {
  const Machine machine(*state_);
  MachineCode code = disassembled({*machine, object, std::move(entry)});
  code.target = description();
  return code;
}

namespace {

class LinkedObject final : public Jit::Linked {
 public:
  LinkedObject(llvm::orc::ExecutionSession& session, llvm::orc::JITDylib& library, KernelFunction kernel)
      : session_(session), library_(library), kernel_(kernel) {}
  ~LinkedObject() override { llvm::consumeError(session_.removeJITDylib(library_)); }
  KernelFunction kernel() const override { return kernel_; }

 private:
  llvm::orc::ExecutionSession& session_;
  llvm::orc::JITDylib& library_;
  KernelFunction kernel_;
};

}  // namespace

std::unique_ptr<Jit::Linked> Jit::link(std::span<const std::byte> object) {
  using namespace llvm::orc;
  State& s = *state_;
  const std::lock_guard lock(s.linking);
  JITDylib& library = s.session->createBareJITDylib("kernel" + std::to_string(++s.linked));
  auto fail = [&](llvm::Error error) {
    throw Error(ErrorKind::compile, "a kernel's code does not link into the process").said(text_of(std::move(error)));
  };
  library.addToLinkOrder(*s.host);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(reinterpret_cast<const char*>(object.data()), object.size()), "kernel");
  if (auto error = s.layer->add(library, std::move(buffer))) fail(std::move(error));
  auto symbol = s.session->lookup({&library}, "kernel");
  if (!symbol) fail(symbol.takeError());
  return std::make_unique<LinkedObject>(*s.session, library, symbol->getAddress().toPtr<KernelFunction>());
}

}  // namespace xcuda::device::cpu
