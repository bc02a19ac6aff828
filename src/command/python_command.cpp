// %%python
#include <fmt/format.h>

#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "python/cells.hpp"

namespace xcuda::command {
namespace {

void run_python(Invocation& call) {
  python::PythonCell cell{call.magic.body, {}};
  if (const auto first = call.arguments.text("-o")) cell.outputs.push_back(*first);
  if (cell.outputs.empty() && !call.arguments.operands.empty())
    throw call
        .error(ErrorKind::value, fmt::format("{} has no meaning here", call.arguments.operands[0].text),
               call.arguments.operands[0])
        .advise("Arrays of the session are there by their names; -o x y makes arrays of Python's x and y.");
  for (const auto& word : call.arguments.operands) cell.outputs.push_back(word.text);
  python::run_cell(call.session, call.run, cell);
}

}  // namespace

Command python_command() {
  return {
      .name = "python",
      .shape = Shape::cell,
      .operand = Operand::text,
      .usage = "%%python [-o x y ...]",
      .summary = "Run the cell in Python, where the session's arrays are NumPy arrays without a copy",
      .details =
          "The environment's Python runs it, in IPython's shell where IPython is installed; variables live on from one "
          "%%python cell to the next. Arrays and scalars of the session have their names, unless Python has a variable "
          "or a built-in of that name; xcuda.x is always the session's x. What is written to an array is in the "
          "session "
          "at once. xcuda.y = value makes an array of the session, copied once; -o y does it for Python's y at the end "
          "of the cell. Launches end before Python sees an array. docs/python.md has the rest.",
      .options = {{.name = "-o", .type = OptionType::text, .value = "y", .help = "make y an array of the session"}},
      .setup = "float x[4] = arange();\n",
      .example =
          "%%python\n"
          "import numpy as np\n"
          "xcuda.y = np.asarray(x) ** 2\n"
          "print(np.asarray(y).sum())\n",
      .run = run_python,
  };
}

}  // namespace xcuda::command
