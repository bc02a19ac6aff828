// %alloc, %%alloc
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/snapshot.hpp"
#include "display/device_report.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {
namespace {

void run_alloc(Invocation& call) {
  interpreter::Interpreter interpreter(call.session, call.run);
  interpreter.run(call.statements());
  if (call.arguments.has("--quiet")) return;
  display::ArrayList list{.device = call.session.device_info().name, .title = "Allocated"};
  for (const auto& name : interpreter.declared())
    if (const auto* array = call.session.arrays().find(name))
      list.arrays.push_back(
          {array->name, array->type, array->shape, array->bytes(), place_text(call.session, *array), array->defined});
  if (list.arrays.empty()) return;
  const auto info = call.session.device().info();
  list.memory_total = info.memory_total;
  list.memory_free = info.memory_free;
  call.show(display::array_list_bundle(list));
}

}  // namespace

Command alloc_command() {
  return {
      .name = "alloc",
      .shape = Shape::line_or_cell,
      .operand = Operand::declarations,
      .usage = "%alloc float x[n] = uniform(0, 1);",
      .summary = "Declare arrays and scalars and show a table of them",
      .details =
          "Declarations are C++: an element type, a name, extents in brackets, an initial value. Initial values are a "
          "constant, a nested list, arange(start, step), linspace(start, stop), uniform(lo, hi, seed), normal(mean, "
          "std, seed), like(x), load(\"file.npy\") of NumPy files, images, text and raw files. Without one an array is "
          "zero.",
      .options = {{.name = "--quiet", .help = "show no table"}},
      .example =
          "%%alloc\n"
          "const size_t n = 1 << 16;\n"
          "float x[n] = uniform(0, 1, seed = 1), y[n] = normal(), out[n];\n"
          "int grid[4][4] = arange();\n",
      .run = run_alloc,
  };
}

}  // namespace xcuda::command
