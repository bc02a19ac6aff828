// %%kernel
#include "command/disassemble.hpp"
#include "command/invocation.hpp"
#include "command/module_text.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

void run_kernel(Invocation& call) {
  auto view = call.session.code().compile(call.run, call.arguments.compiler);
  view.files = source_files(call.session, view.output.ptx);
  if (call.arguments.has("--sass")) {
    const auto listing = disassembled(call, view.output, view.output.name);
    for (const auto& kernel : view.output.kernels)
      view.machine_code.push_back({kernel.name, section_of(listing, kernel.entry)});
  }
  if (!call.arguments.has("--quiet"))
    call.show(display::compile_bundle(view));
  else if (!view.output.diagnostics.empty())
    call.show(display::diagnostics_bundle(view.output.diagnostics));
}

}  // namespace

Command kernel_command() {
  return {
      .name = "kernel",
      .shape = Shape::cell,
      .operand = Operand::device_code,
      .usage = "%%kernel [NVRTC options]",
      .summary = "Compile the whole cell as device code and report on it",
      .details =
          "The cell is CUDA C++ for the device: kernels, functions, types, constants, includes. NVRTC compiles it, and "
          "every later cell sees what it defines. Running the cell again replaces what it defined.\n\n"
          "Options are those of nvcc and NVRTC: -std=c++20, --fmad=false, -use_fast_math, -lineinfo, -G, "
          "-maxrregcount=N, -I dir, -D name=value, -arch=sm_XX, --pch.",
      .options = {{.name = "--quiet", .help = "show diagnostics only, no report"},
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
