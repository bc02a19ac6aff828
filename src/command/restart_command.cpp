// %restart
#include <fmt/format.h>

#include "base/units.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_restart(Invocation& call) {
  const auto recovery = call.session.recovery().restart();
  const auto arrays = call.session.arrays().all().size();
  call.show(display::text_bundle(
      fmt::format("{} was restarted in {}; {} array{} {}", call.session.device_info().name,
                  format_duration(static_cast<double>(recovery.duration)), arrays, arrays == 1 ? "" : "s",
                  recovery.arrays_kept ? "kept" : "made anew, as their memory ended with its process")));
}

}  // namespace

Command restart_command() {
  return {
      .name = "restart",
      .operand = Operand::none,
      .usage = "%restart",
      .summary = "Replace the device's process; arrays and kernels stay",
      .example = "%restart\n",
      .run = run_restart,
  };
}

}  // namespace xcuda::command
