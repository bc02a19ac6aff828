#include "device/cpu/plan/plan_text.hpp"

#include <fmt/format.h>

#include "device/cpu/plan/plan_passes.hpp"

namespace xcuda::device::cpu {

namespace {

std::string block_name(BlockIndex block) { return block == kNoBlock ? "the end" : fmt::format("b{}", block); }

std::string names(const BitSet& blocks) {
  std::string text;
  blocks.each([&](BlockIndex b) { text += (text.empty() ? "" : " ") + block_name(b); });
  return text;
}

std::string times(std::string text, std::int64_t factor) {
  return factor == 1 ? text : fmt::format("{} * {}", text, factor);
}

// A function's plan while it is written.
struct Writer {
  const PlanWork& work;
  const Plan& plan = work.plan;
  const Graph& graph = plan.graph;
  const ptx::Function& function = work.request.function;
  std::string text{};

  template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  std::string name(ptx::Register reg) const { return function.register_name(reg); }
  std::string registers(const BitSet& set) const {
    std::string all;
    set.each([&](ptx::Register reg) { all += (all.empty() ? "" : " ") + name(reg); });
    return all;
  }
  std::string instruction(ptx::Index index) const {
    const ptx::Instruction& shown = function.instructions[index];
    return fmt::format("{}: {}", shown.line, ptx::text_of(work.request.module, function, shown));
  }
  std::string end_of(const FlowBlock& block) const {
    switch (block.ends) {
      case FlowBlock::End::next: return "goes to " + block_name(block.next);
      case FlowBlock::End::branch:
        return fmt::format("if {}{} goes to {}, else to {}", block.negated ? "not " : "", name(block.predicate),
                           block_name(block.taken), block_name(block.next));
      case FlowBlock::End::leave: return "leaves";
      case FlowBlock::End::barrier:
        return std::string("waits at a barrier") + (block.arrives == ptx::kNoIndex ? "" : " that reduces") +
               ", then goes to " + block_name(block.next);
      case FlowBlock::End::yield:
        return fmt::format("goes to {}, after {} turns waits and goes to {}", block_name(block.taken), block.turns,
                           block_name(block.next));
      case FlowBlock::End::meet: return "waits for lanes of the warp, then goes to " + block_name(block.next);
    }
    return {};
  }
  std::string pattern(Pattern pattern) const {
    const Lanes& lanes = plan.patterns.lanes(pattern);
    for (const std::size_t width : {32, 16, 8, 4, 2}) {  // one slope, which begins again with each row
      bool fits = true;
      for (std::size_t lane = 0; lane < 32; ++lane)
        fits &= lanes[lane] - lanes[0] == lanes[1] * static_cast<std::int64_t>(lane % width);
      if (fits && lanes[0] == 0) return times(width == 32 ? "lane" : fmt::format("lane % {}", width), lanes[1]);
      fits = true;
      for (std::size_t lane = 0; lane < 32; ++lane)
        fits &= lanes[lane] == lanes[width % 32] * static_cast<std::int64_t>(lane / width);
      if (fits && width < 32) return times(fmt::format("lane / {}", width), lanes[width]);
    }
    return fmt::format("{}", fmt::join(lanes, " "));
  }
  std::string form(const RegisterForm& form) const {
    const std::string groups = form.groups > 1 ? fmt::format(" of {} groups", form.groups) : "";
    const std::string lanes = form.pattern == kNoPattern ? "" : " + " + pattern(form.pattern);
    const bool zero = form.alignment > 62;  // every multiple: only 0 is one
    const std::string multiple =
        form.alignment && !zero ? fmt::format(", a multiple of {}", std::uint64_t{1} << form.alignment) : "";
    switch (form.kind) {
      case RegisterForm::Kind::none: return "never written";
      case RegisterForm::Kind::affine:
        return (form.is_uniform() ? "uniform" : (zero ? "0" : "base") + groups + lanes) + multiple;
      case RegisterForm::Kind::delayed: return fmt::format("offset + (index{}{}) * {}", groups, lanes, form.scale);
      case RegisterForm::Kind::permuted: return "base + " + times("(lane ^ low)", form.scale) + multiple;
      case RegisterForm::Kind::varying: return "varying";
    }
    return {};
  }
  std::string step(const Step& step) const {
    std::string sum;
    for (const Step::Part& part : step.parts)
      sum += (sum.empty() ? "" : " + ") +
             (part.reg == ptx::kNoIndex ? std::to_string(part.factor) : times(name(part.reg), part.factor));
    return sum;
  }
};

std::string or_nothing(const std::string& text) { return text.empty() ? "nothing\n" : text; }

}  // namespace

std::string graph_text(const PlanWork& work) {
  Writer writer{work};
  for (BlockIndex b = 0; b < writer.graph.blocks.size(); ++b) {
    const FlowBlock& block = writer.graph.blocks[b];
    writer.line("b{}: {}", b, writer.end_of(block));
    if (!writer.graph.live[b].empty()) writer.line("  live: {}", writer.registers(writer.graph.live[b]));
    for (ptx::Index i = block.begin; i < block.end; ++i) writer.line("  {}", writer.instruction(i));
  }
  return writer.text;
}

std::string forms_text(const PlanWork& work) {
  Writer writer{work};
  const Plan& plan = work.plan;
  for (BlockIndex b = 0; b < writer.graph.blocks.size(); ++b) {
    if (!plan.reached[b]) {
      writer.line("b{}: never reached", b);
      continue;
    }
    if (plan.pending[b].empty() && plan.waiting[b].empty()) continue;
    writer.line("while b{} runs", b);
    if (!plan.pending[b].empty()) writer.line("  lanes may be pending at {}", names(plan.pending[b]));
    if (!plan.waiting[b].empty()) writer.line("  lanes may wait for {}", names(plan.waiting[b]));
    if (!plan.kept[b].empty()) writer.line("  which need {}", writer.registers(plan.kept[b]));
  }
  if (!plan.together.empty()) writer.line("suspended lanes of a warp may wait for {}", names(plan.together));
  BitSet used(plan.forms.size());
  for (const ptx::Instruction& instruction : writer.function.instructions) {
    const Accesses accesses = accesses_of(writer.function, instruction);
    for (const auto* registers : {&accesses.reads, &accesses.writes})
      for (const ptx::Register reg : *registers) used.insert(reg);
  }
  used.each([&](ptx::Register reg) { writer.line("{}: {}", writer.name(reg), writer.form(plan.forms[reg])); });
  return writer.text;
}

std::string meetings_text(const PlanWork& work) {
  Writer writer{work};
  writer.graph.meetings.each([&](BlockIndex b) {
    writer.line("before b{}{}: {}", b, work.plan.calls.contains(b) ? ", a call" : "",
                writer.instruction(writer.graph.blocks[b].begin));
  });
  return or_nothing(writer.text);
}

std::string lane_loops_text(const PlanWork& work) {
  Writer writer{work};
  for (const LaneLoop& loop : work.plan.lane_loops) {
    std::string exits;
    for (const BlockIndex exit : loop.exits) exits += (exits.empty() ? "" : " ") + block_name(exit);
    writer.line("loop at b{}: {}, left to {}", loop.head, names(loop.blocks), exits);
    writer.line("  lane by lane {}", loop.always() ? "always" : fmt::format("from {} lanes on down", loop.most));
    writer.line("  begins with {}", writer.registers(loop.reads));
    writer.line("  results are {}", writer.registers(loop.results));
  }
  return or_nothing(writer.text);
}

std::string origins_text(const PlanWork& work) {
  Writer writer{work};
  for (ptx::Register reg = 0; reg < work.plan.origins.size(); ++reg) {
    const Origin& origin = work.plan.origins[reg];
    switch (origin.kind) {
      case Origin::Kind::none:
      case Origin::Kind::number: break;
      case Origin::Kind::candidate:
        writer.line("{}: the argument at byte {}, as it is", writer.name(reg), origin.index);
        break;
      case Origin::Kind::parameter:
        writer.line("{}: from the argument at byte {}", writer.name(reg), origin.index);
        break;
      case Origin::Kind::variable:
        writer.line("{}: from {}", writer.name(reg), work.request.module.variables[origin.index].name);
        break;
      case Origin::Kind::unknown: writer.line("{}: unknown", writer.name(reg)); break;
    }
  }
  return or_nothing(writer.text);
}

std::string checks_text(const PlanWork& work) {
  Writer writer{work};
  for (const CheckGroup& group : work.plan.checks.groups) {
    writer.line("bytes {} to {} from the register", group.begin, group.end);
    for (const ptx::Index member : group.members) writer.line("  {}", writer.instruction(member));
  }
  return or_nothing(writer.text);
}

std::string phases_text(const PlanWork& work) {
  Writer writer{work};
  const Phases& phases = work.plan.phases;
  for (ptx::Index i = 0; i < work.request.function.instructions.size(); ++i)
    if (phases.alone.contains(i) || phases.unread.contains(i))
      writer.line("{}\n  {}", writer.instruction(i),
                  phases.alone.contains(i) ? "races with nothing" : "is not read before the next barrier");
  return or_nothing(writer.text);
}

std::string saves_text(const PlanWork& work) {
  Writer writer{work};
  const SavePlan& saves = work.plan.saves;
  if (saves.saved.empty()) return "nothing\n";
  writer.line("kept: {}", writer.registers(saves.saved));
  for (BlockIndex b = 0; b < writer.graph.blocks.size(); ++b) {
    const FlowBlock& block = writer.graph.blocks[b];
    BitSet at_once(writer.function.registers.size());
    for (ptx::Index i = block.begin; i < block.end; ++i)
      for (const ptx::Register reg : accesses_of(writer.function, writer.function.instructions[i]).writes)
        if (saves.at_once[b] && saves.saved.contains(reg)) at_once.insert(reg);
    if (!at_once.empty()) writer.line("b{} stores when it writes: {}", b, writer.registers(at_once));
    if (!saves.at_barrier[b].empty())
      writer.line("b{} stores at its end: {}", b, writer.registers(saves.at_barrier[b]));
  }
  for (const BlockIndex b : writer.graph.resumes)
    if (saves.restored[b] != writer.graph.live[b])
      writer.line("b{} loads only: {}", b, writer.registers(saves.restored[b]));
  return writer.text;
}

std::string steps_text(const PlanWork& work) {
  Writer writer{work};
  const Steps& steps = work.plan.steps;
  for (BlockIndex b = 0; b < writer.graph.blocks.size(); ++b)
    for (ptx::Index i = writer.graph.blocks[b].begin; i < writer.graph.blocks[b].end; ++i) {
      const ptx::Operand* address = accessed(writer.function, writer.function.instructions[i]);
      if (!address) continue;
      if (const std::optional<Step> near = steps.between_barriers.of(address->reg, b))
        writer.line("{}\n  moves between barriers by {}", writer.instruction(i), writer.step(*near));
      else if (const std::optional<Step> far = steps.of_grid.of_grid(address->reg, b))
        writer.line("{}\n  moves with the grid by {}", writer.instruction(i), writer.step(*far));
    }
  return or_nothing(writer.text);
}

std::string dispatch_text(const PlanWork& work) { return work.plan.shared() ? "shared\n" : "inlined\n"; }

std::string masks_text(const PlanWork& work) {
  std::string text;
  for (BlockIndex b = 0; b < work.plan.masks.size(); ++b)
    text += fmt::format("{}: place {}\n", block_name(b), work.plan.masks[b]);
  return or_nothing(text);
}

std::string clones_text(const PlanWork& work) {
  std::string text;
  for (BlockIndex b = 0; b < work.plan.graph.blocks.size(); ++b)
    text +=
        fmt::format("block {}: {}{}\n", b, work.plan.converged.contains(b) ? "converged and divergent" : "divergent",
                    work.plan.entered.contains(b) ? ", lanes may be together" : "");
  return text;
}

}  // namespace xcuda::device::cpu
