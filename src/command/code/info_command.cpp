// %info
#include <fmt/format.h>

#include <algorithm>

#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/snapshot.hpp"

namespace xcuda::command {
namespace {

void run_info(Invocation& call) {
  call.expect_operands(1, 1);
  const auto kernel = call.kernel(call.arguments.operands[0]);
  auto view = kernel_view_of(call.session, kernel);
  for (const auto& function : call.session.device().module_info(kernel.module->id).functions)
    if (function.entry == kernel.function->entry) view.function = function;  // with its native code
  auto& device = call.session.device();
  const auto shared = static_cast<std::uint64_t>(call.arguments.integer("--shared").value_or(0));
  const device::OccupancyRequest request{kernel.module->id, kernel.function->entry, 0, shared};
  view.best_block = device.best_block(request);
  std::vector<std::uint32_t> blocks = {64, 128, 256, 512, 1024};
  if (const auto block = call.arguments.integer("--block"))
    blocks = {static_cast<std::uint32_t>(std::min<std::int64_t>(*block, 1 << 20))};
  auto limit = call.session.device_info().max_threads_per_block;
  if (view.function->max_threads_per_block > 0)
    limit = std::min<std::uint64_t>(limit, static_cast<std::uint64_t>(view.function->max_threads_per_block));
  const bool gpu = call.session.device_info().kind == device::Kind::cuda;  // nothing else has multiprocessors to occupy
  for (const auto threads : blocks) {
    if (threads > limit || !gpu) continue;
    auto asked = request;
    asked.block_threads = threads;
    view.occupancies.push_back({threads, device.occupancy(asked)});
  }
  call.show(display::kernel_bundle(view));
}

}  // namespace

Command info_command() {
  return {
      .name = "info",
      .operand = Operand::kernel,
      .usage = "%info kernel",
      .summary = "Show a kernel's signature, registers, memory and occupancy",
      .options = {{.name = "--block",
                   .type = OptionType::integer,
                   .value = "THREADS",
                   .help = "threads per block for the occupancy",
                   .minimum = 1},
                  {.name = "--shared",
                   .type = OptionType::bytes,
                   .value = "BYTES",
                   .help = "dynamic shared memory for the occupancy"}},
      .setup = kScaleSetup,
      .example = "%info scale\n",
      .run = run_info,
  };
}

}  // namespace xcuda::command
