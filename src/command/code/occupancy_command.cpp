// %occupancy
#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "command/draw/drawing.hpp"
#include "command/draw/drawing_options.hpp"
#include "command/rows.hpp"
#include "display/chart/occupancy_chart.hpp"

namespace xcuda::command {
namespace {

// Not even a block of one warp is resident.
Error no_block_fits(const Invocation& call, const display::OccupancyView& view) {
  const auto& info = call.session.device_info();
  const auto place = call.arguments.word("--shared").value_or(call.arguments.operands[0]);
  return call
      .error(ErrorKind::value,
             fmt::format(
                 "no block of {} fits a multiprocessor of {}: it has {} of shared memory and {} registers per thread",
                 view.kernel, view.device, format_bytes(view.static_shared + view.dynamic_shared), view.registers),
             place)
      .advise(fmt::format("A block can have {} of shared memory, --shared included.",
                          format_bytes(std::max(info.shared_per_block, info.shared_per_block_optin))));
}

void run_occupancy(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& info = call.session.device_info();
  if (info.kind != device::Kind::cuda)
    throw call
        .error(ErrorKind::unsupported, "the CPU device has no multiprocessors, so a kernel has no occupancy there")
        .advise("%device lists the devices; occupancy is for GPUs.");
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
    throw call
        .error(ErrorKind::value,
               fmt::format("{} allows blocks of at most {} threads, less than a warp", view.kernel, most),
               call.arguments.operands[0])
        .advise("Its __launch_bounds__ says so: raise the first number to 32 or more.");
  if (std::none_of(view.rows.begin(), view.rows.end(), [](const auto& row) { return row.occupancy.fraction > 0; }))
    throw no_block_fits(call, view);
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
