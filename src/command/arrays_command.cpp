// %arrays
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/snapshot.hpp"

namespace xcuda::command {
namespace {

void run_arrays(Invocation& call) {
  auto list = array_list_of(call.session);
  if (call.session.chosen().started()) {
    const auto info = call.session.device().info();
    list.memory_total = info.memory_total;
    list.memory_free = info.memory_free;
  }
  call.show(display::array_list_bundle(list));
}

}  // namespace

Command arrays_command() {
  return {
      .name = "arrays",
      .operand = Operand::none,
      .usage = "%arrays",
      .summary = "List the arrays with type, shape, size and device",
      .setup = kScaleSetup,
      .example = "%arrays\n",
      .run = run_arrays,
  };
}

}  // namespace xcuda::command
