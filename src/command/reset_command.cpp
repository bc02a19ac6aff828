// %reset
#include <fmt/format.h>

#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_reset(Invocation& call) {
  if (call.session.names().depth() > 1)
    throw call.error(ErrorKind::unsupported, "%reset cannot be inside a block: it would remove the block's names")
        .advise("Put it outside the braces.");
  const auto arrays = call.session.arrays().all().size();
  call.session.reset();
  call.show(display::text_bundle(
      fmt::format("the session is empty: {} array{} freed, all kernels, types and scalars forgotten", arrays,
                  arrays == 1 ? "" : "s")));
}

}  // namespace

Command reset_command() {
  return {
      .name = "reset",
      .operand = Operand::none,
      .usage = "%reset [-f]",
      .summary = "Forget every array, scalar, kernel and type of this session",
      .options = {{.name = "-f", .help = "as in IPython: do not ask, which %reset never does"}},
      .setup = kScaleSetup,
      .example = "%reset\n",
      .run = run_reset,
  };
}

}  // namespace xcuda::command
