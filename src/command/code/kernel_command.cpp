// %%kernel
#include "command/code/disassemble.hpp"
#include "command/code/machine_code_lines.hpp"
#include "command/code/module_text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "interpreter/interpreter.hpp"
#include "interpreter/run_cell.hpp"

namespace xcuda::command {
namespace {

void run_kernel(Invocation& call) {
  using compiler::Overloads;
  auto view = interpreter::define(
      call.session, call.run,
      {call.arguments.compiler, call.arguments.has("--overload") ? Overloads::keep : Overloads::replace, {}});
  view.files = source_files(call.session, view.output.ptx);
  // As %sass does: SASS of a GPU's code, or what the CPU device runs.
  const bool sass = call.arguments.has("--sass"),
             native = sass && call.session.device_info().kind != device::Kind::cuda &&
                      (view.output.cubin.empty() || call.session.parts().disassembler.empty());
  if (sass && !native) {
    const auto listing = disassembled(call, view.output, call.run.source.name);
    for (const auto& kernel : view.output.kernels)
      view.machine_code.push_back({kernel.name, section_of(listing, kernel.entry)});
  }
  if (!call.arguments.has("--quiet"))
    call.show(display::compile_bundle(view));
  else if (!view.output.diagnostics.empty())
    call.show(display::diagnostics_bundle(view.output.diagnostics));
  if (native)
    for (const auto& kernel : view.output.kernels)
      for (const auto& known : call.session.code().modules().find(kernel.name))
        if (known.signature->entry == kernel.entry) show_machine_code(call, known);
  interpreter::Interpreter(call.session, call.run).run(call.statements());
}

}  // namespace

Command kernel_command() {
  return {
      .name = "kernel",
      .shape = Shape::cell,
      .operand = Operand::device_code,
      .usage = "%%kernel [NVRTC options]",
      .summary = "Compile the device code of the cell with options and report on it",
      .details =
          "Device code is kernels, functions, types, constants, includes. NVRTC compiles it, and every later cell sees "
          "what it defines. Running the cell again replaces what it defined. A function replaces all functions of its "
          "name in other cells; with --overload, only those with the same parameters. Statements in the cell run "
          "afterwards.\n\n"
          "Options are those of nvcc and NVRTC: -std=c++20, --fmad=false, -use_fast_math, -lineinfo, -G, "
          "-maxrregcount=N, -I dir, -D name=value, -arch=sm_XX, --pch.",
      .options = {{.name = "--overload",
                   .help = "keep functions of other cells with the same name and other parameters"},
                  {.name = "--quiet", .help = "show diagnostics only, no report"},
                  {.name = "--sass", .help = "also show the machine code of each kernel (see %sass)"}},
      .compiler_options = true,
      .example =
          "%%kernel --fmad=false\n"
          "__global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {\n"
          "  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;\n"
          "  if (i < n) out[i] = a * x[i] + y[i];\n"
          "}\n",
      .run = run_kernel,
  };
}

}  // namespace xcuda::command
