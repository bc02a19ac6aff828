// %arrays
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/device_report.hpp"
#include "interpreter/texture_declarations.hpp"

namespace xcuda::command {
namespace {

void run_arrays(Invocation& call) {
  display::ArrayList list;
  if (call.session.chosen().started()) {
    const auto info = call.session.device().info();
    list.device = info.name;
    list.memory_total = info.memory_total;
    list.memory_free = info.memory_free;
  }
  for (const auto& array : call.session.arrays().all())
    list.arrays.push_back({array.name, array.type, array.shape, array.bytes(), list.device, array.defined});
  std::string shared;
  for (const auto& array : call.session.arrays().all())
    if (call.session.arrays().is_lent(array)) shared += (shared.empty() ? "" : ", ") + array.name;
  if (!shared.empty()) list.notes.push_back("shared with Python: " + shared);
  for (const auto& [name, variable] : call.session.names().outermost())
    if (const auto* texture = std::get_if<session::Texture>(&variable.value))
      list.notes.push_back(interpreter::description(call.session, *texture));
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
