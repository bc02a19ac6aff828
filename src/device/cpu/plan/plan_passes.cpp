#include "device/cpu/plan/plan_passes.hpp"

#include <algorithm>

#include "device/cpu/plan/frontiers.hpp"
#include "device/cpu/plan/plan_text.hpp"
#include "device/cpu/plan/spans.hpp"
#include "device/cpu/plan/warp_sync.hpp"

namespace xcuda::device::cpu {

namespace {

using Next = PlanPass::Next;

// A block of one thread has no other threads to wait for at its barriers. Code that waits for other blocks has to be
// suspended, which is possible for code for warps.
void find_waits(Plan& plan) {
  if (!plan.shape.one_thread()) return;
  Graph& graph = plan.graph;
  const bool reduces = std::any_of(graph.blocks.begin(), graph.blocks.end(),
                                   [](const FlowBlock& block) { return block.arrives != ptx::kNoIndex; });
  if (graph.yields || reduces) {
    plan.shape.rows = BlockShape::Rows::line;
    return;
  }
  graph.resumes.clear();
}

Next find_graph(PlanWork& work) {
  const ptx::Function& function = work.request.function;
  if (work.meets.empty()) {
    work.joint = joint_instructions(work.request.module, function);
    work.meets.resize(function.instructions.size());
  }
  work.plan = {};
  work.plan.graph = graph_of(function, work.meets);
  work.plan.shape = work.request.shape;
  find_waits(work.plan);
  work.plan.local = local_layout(function);
  return Next::on;
}

Next find_forms(PlanWork& work) {
  find_frontiers(work.plan);
  return Next::on;
}

// Where lanes have to wait for others is known only when it is known where lanes may be.
Next find_meetings(PlanWork& work) {
  return add_meetings(work.request.function, work.plan, work.joint, work.meets) ? Next::again : Next::on;
}

// Which loops pay lane by lane is also known only now; with such loops lanes may be elsewhere.
Next find_lane_loops(PlanWork& work) {
  if (!work.request.lane_loops || work.plan.shape.one_thread()) return Next::on;
  work.plan.lane_loops = choose_lane_loops(work.plan, work.request.features);
  if (work.plan.lane_loops.empty()) return Next::on;
  find_frontiers(work.plan);
  return find_meetings(work);
}

Next trace_origins(PlanWork& work) {
  work.plan.origins = find_origins(work.request.function);
  return Next::on;
}

Next group_checks(PlanWork& work) {
  work.plan.checks = find_check_groups(work.plan.graph);
  return Next::on;
}

Next divide_phases(PlanWork& work) {
  work.plan.phases = find_phases(work.request.module, work.plan.graph, work.plan.origins);
  return Next::on;
}

Next plan_saves(PlanWork& work) {
  work.plan.saves = make_save_plan(work.plan);
  return Next::on;
}

Next find_steps(PlanWork& work) {
  Plan& plan = work.plan;
  plan.steps.between_barriers = StepFinder(work.request.function, plan.graph, plan.saves.barrier_loop);
  plan.steps.of_grid = StepFinder(work.request.function, plan.graph, blocks_in_loops(plan.graph));
  return Next::on;
}

// Tests at the end of each block are the quickest code, but there is one for each block that may hold lanes then.
struct FewTests {
  std::size_t a_block, in_all;
};
constexpr FewTests kFewTests{8, 256}, kFewTestsQuickly{3, 64};

Next choose_dispatch(PlanWork& work) {
  Plan& plan = work.plan;
  std::size_t tests = 0;
  for (BlockIndex b = 0; b < plan.graph.blocks.size(); ++b)
    if (plan.reached[b]) tests += plan.pending[b].count() + plan.waiting[b].count();
  // Blocks that were suspended go on in code of the other tier, if the form is the same.
  const FewTests few = work.request.tier == Tier::quick && !plan.graph.yields ? kFewTestsQuickly : kFewTests;
  const bool many = tests > few.in_all && tests > few.a_block * plan.graph.blocks.size();
  plan.dispatch = plan.shape.one_thread() ? Dispatch::inlined
                                          : work.request.dispatch.value_or(many ? Dispatch::shared : Dispatch::inlined);
  return Next::on;
}

Next place_masks(PlanWork& work) {
  if (!work.plan.shared()) work.plan.masks = share_masks(work.plan);
  return Next::on;
}

constexpr ptx::Index kShortLoop = 200;  // instructions

// Code for a warp whose lanes are all on is the quickest, and as much again. Quick code has it for short loops only.
Next choose_clones(PlanWork& work) {
  Plan& plan = work.plan;
  const std::vector<FlowBlock>& blocks = plan.graph.blocks;
  const auto count = static_cast<BlockIndex>(blocks.size());
  plan.converged = plan.entered = BitSet(count);
  const auto insert = [&](BlockIndex first, BlockIndex last) {
    for (BlockIndex i = first; i <= last; ++i) plan.converged.insert(i);
  };
  if (work.request.tier == Tier::full || plan.shape.one_thread()) {
    insert(0, count - 1);
    return Next::on;
  }
  const auto each_edge = [&](auto visit) {
    for (BlockIndex b = 0; b < count; ++b)
      for (const BlockIndex next : {blocks[b].next, blocks[b].taken})
        if (next != kNoBlock) visit(b, next);
  };
  each_edge([&](BlockIndex b, BlockIndex next) {
    if (next <= b && blocks[b].end - blocks[next].begin <= kShortLoop) insert(next, b);
  });
  each_edge([&](BlockIndex b, BlockIndex next) {
    if (!plan.converged.contains(b) && plan.converged.contains(next)) plan.entered.insert(next);
  });
  return Next::on;
}

constexpr PlanPass kPasses[] = {
    {"graph", find_graph, graph_text},
    {"forms", find_forms, forms_text},
    {"meetings", find_meetings, meetings_text},        // may begin anew
    {"lane-loops", find_lane_loops, lane_loops_text},  // may begin anew
    {"origins", trace_origins, origins_text},
    {"checks", group_checks, checks_text},
    {"phases", divide_phases, phases_text},
    {"saves", plan_saves, saves_text},
    {"steps", find_steps, steps_text},
    {"dispatch", choose_dispatch, dispatch_text},
    {"masks", place_masks, masks_text},
    {"clones", choose_clones, clones_text},
};

}  // namespace

std::span<const PlanPass> plan_passes() { return kPasses; }

PlanWork planned(const PlanRequest& request) {
  PlanWork work{request, {}, {}, {}};
  for (std::size_t i = 0; i < std::size(kPasses);) i = kPasses[i].run(work) == Next::again ? 0 : i + 1;
  return work;
}

}  // namespace xcuda::device::cpu
