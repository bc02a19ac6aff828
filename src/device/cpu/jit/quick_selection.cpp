#include "device/cpu/jit/quick_selection.hpp"

#include <llvm/CodeGen/SchedulerRegistry.h>
#include <llvm/CodeGen/SelectionDAG.h>
#include <llvm/Support/ErrorHandling.h>

#include <algorithm>
#include <array>
#include <string>

// LLVM simplifies the graph of a basic block four times, also without optimisation, which took a quarter of the time of
// quick code and made it hardly smaller. It has no option for that, so the linker leads its calls here (--wrap, see
// CMakeLists.txt).
#define XCUDA_COMBINE "_ZN4llvm12SelectionDAG7CombineENS_12CombineLevelEPNS_9AAResultsENS_15CodeGenOptLevelE"

namespace llvm {
void combine_by_llvm(SelectionDAG* graph, CombineLevel level, AAResults* aliases,
                     CodeGenOptLevel optimisation) asm("__real_" XCUDA_COMBINE);
void combine(SelectionDAG* graph, CombineLevel level, AAResults* aliases,
             CodeGenOptLevel optimisation) asm("__wrap_" XCUDA_COMBINE);
}  // namespace llvm

namespace xcuda::device::cpu {
namespace {

thread_local bool select_fully = false;

bool is_quick(llvm::CodeGenOptLevel optimisation) {
  return optimisation == llvm::CodeGenOptLevel::None && !select_fully;
}

// Operations that only the last round of combining turns into ones that X86 has: logic of vectors of floats, and
// conversions of halves.
bool has_to_be_combined(const llvm::SDNode& node, const llvm::SelectionDAG& graph) {
  const auto is_half = [](llvm::EVT type) {
    return type.isSimple() && (type.getScalarType() == llvm::MVT::f16 || type.getScalarType() == llvm::MVT::bf16);
  };
  if (std::any_of(node.value_begin(), node.value_end(), is_half)) return true;
  if (!node.isTargetOpcode() || !node.getValueType(0).isFloatingPoint()) return false;
  static constexpr std::array<std::string_view, 4> kLogic{"X86ISD::FAND", "X86ISD::FOR", "X86ISD::FXOR",
                                                          "X86ISD::FANDN"};
  return std::find(kLogic.begin(), kLogic.end(), node.getOperationName(&graph)) != kLogic.end();
}

llvm::ScheduleDAGSDNodes* make_order(llvm::SelectionDAGISel* selection, llvm::CodeGenOptLevel optimisation) {
  return is_quick(optimisation) ? llvm::createFastDAGScheduler(selection, optimisation)
                                : llvm::createDefaultScheduler(selection, optimisation);
}
const llvm::RegisterScheduler order(kQuickOrder, "fast for quick code, LLVM's choice otherwise", make_order);

[[noreturn]] void fail(void*, const char* reason, bool) { throw GenerationFailed(reason); }

}  // namespace

void throw_fatal_errors() { llvm::install_fatal_error_handler(fail); }

SelectFully::SelectFully() { select_fully = true; }
SelectFully::~SelectFully() { select_fully = false; }

}  // namespace xcuda::device::cpu

void llvm::combine(SelectionDAG* graph, CombineLevel level, AAResults* aliases, CodeGenOptLevel optimisation) {
  using namespace xcuda::device::cpu;
  const auto has_to_be = [&](const SDNode& node) { return has_to_be_combined(node, *graph); };
  if (!is_quick(optimisation) ||
      (level == AfterLegalizeDAG && std::any_of(graph->allnodes_begin(), graph->allnodes_end(), has_to_be)))
    combine_by_llvm(graph, level, aliases, optimisation);
  else if (level == AfterLegalizeDAG)
    // Legalize takes a node at the address of a deleted one for the one that it has seen there. LLVM's last round of
    // combining makes up for that.
    graph->Legalize();
}
