// %occupancy
#include <fmt/format.h>

#include <algorithm>

#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/rows.hpp"
#include "display/chart/occupancy_chart.hpp"

namespace xcuda::command {
namespace {

void run_occupancy(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& info = call.session.device_info();
  if (info.kind != device::Kind::cuda)
    throw call
        .error(ErrorKind::unsupported, fmt::format("{} has no multiprocessors, so it has no occupancy", info.name))
        .advise("Occupancy is for GPUs: %device lists the devices.");
  const auto kernel = call.kernel(call.arguments.operands[0]);
  const auto& function = *kernel.function;
  display::OccupancyView view{.kernel = kernel.signature->name,
                              .device = info.name,
                              .registers = function.registers,
                              .static_shared = function.shared_bytes};
  view.dynamic_shared = static_cast<std::uint64_t>(call.arguments.integer("--shared").value_or(0));
  auto most = info.max_threads_per_block;
  if (function.max_threads_per_block > 0)
    most = std::min<std::uint64_t>(most, static_cast<std::uint64_t>(function.max_threads_per_block));
  for (std::uint32_t threads = display::kOccupancyStep; threads <= most; threads += display::kOccupancyStep)
    view.rows.push_back(
        {threads, call.session.device().occupancy({kernel.module->id, function.entry, threads, view.dynamic_shared})});
  if (view.rows.empty())
    throw call.error(ErrorKind::value,
                     fmt::format("{} allows blocks of at most {} threads, less than a warp", view.kernel, most));
  call.show(display::occupancy_bundle(view));
  show_picture(call, display::occupancy_chart(view));
}

}  // namespace

Command occupancy_command() {
  return {
      .name = "occupancy",
      .operand = Operand::kernel,
      .usage = "%occupancy kernel",
      .summary = "Show which occupancy each block size allows, and what limits it",
      .details =
          "Occupancy is the share of a multiprocessor's warps that can be resident at the same time. It follows from "
          "the "
          "kernel's registers and shared memory and from the GPU's limits. The highest occupancy is not always the "
          "fastest: %%bench compares block sizes.",
      .options = {{.name = "--shared",
                   .type = OptionType::bytes,
                   .value = "BYTES",
                   .help = "dynamic shared memory of a block"},
                  kSaveChart},
      .example = "",  // needs a GPU
      .run = run_occupancy,
  };
}

}  // namespace xcuda::command
