// %ptx, %%ptx
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "command/code/module_text.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/readable_name.hpp"

namespace xcuda::command {
namespace {

// The text of one entry in a module's PTX: from its directive to the brace that closes it.
std::string entry_text(const std::string& ptx, const std::string& entry) {
  for (auto at = ptx.find(entry + "("); at != std::string::npos; at = ptx.find(entry + "(", at + 1)) {
    const auto line = ptx.rfind('\n', at) + 1;
    if (ptx.substr(line, at - line).find(".entry") == std::string::npos) continue;
    const auto end = ptx.find("\n}", at);
    return ptx.substr(line, end == std::string::npos ? end : end + 3 - line);
  }
  return ptx;
}

void load_ptx(Invocation& call) {
  call.expect_operands(1, 1);
  const auto& name = call.arguments.operands[0];
  // The lines before the body are kept empty, so that an error's line is the cell's.
  const auto line = line_column(call.run.source.text, call.magic.body_span.begin).line;
  std::string text(static_cast<std::size_t>(std::max(line - 1, 0)), '\n');
  text += call.magic.body;
  const files::ModuleFile file{name.text, call.run.source.name, {}, files::ModuleFile::Kind::ptx, std::move(text)};
  show_module(call, call.session.code().load_file(call.run, file, name.span));
}

void run_ptx(Invocation& call) {
  if (call.magic.whole_cell) return load_ptx(call);
  call.expect_operands(0, 1);
  if (call.arguments.operands.empty()) {
    const auto* module = call.session.code().modules().newest();
    if (module == nullptr) throw call.error(ErrorKind::name, "no cell has compiled a kernel yet");
    call.show(display::ptx_bundle(fmt::format("PTX of {}", module->source), module->output.ptx,
                                  source_files(call.session, module->output.ptx)));
    return;
  }
  const auto kernel = call.kernel(call.arguments.operands[0]);
  const auto& ptx = kernel.module->output.ptx;
  call.show(display::ptx_bundle(
      fmt::format("PTX of {} from {}", display::readable_name(kernel.signature->name), kernel.module->source),
      entry_text(ptx, kernel.signature->entry), source_files(call.session, ptx)));
}

}  // namespace

Command ptx_command() {
  return {
      .name = "ptx",
      .shape = Shape::line_or_cell,
      .operand = Operand::kernel,
      .usage = "%ptx [kernel]",
      .summary = "Show the PTX of a kernel, or of the last compiled cell; as %%ptx name, load the cell as a module",
      .details =
          "A cell of PTX is loaded unchanged. Launch its entries like kernels of C++, and read and write its variables "
          "by name. A mangled name gives the types of parameters; otherwise their sizes are checked. .version, .target "
          "and .address_size are optional. Loading a name again replaces it.",
      .setup = kScaleSetup,
      .example =
          "%%ptx twice\n"
          ".visible .entry twice(.param .u64 x) {\n"
          "  .reg .b64 %a, %i;\n"
          "  .reg .f32 %v;\n"
          "  .reg .b32 %t;\n"
          "  ld.param.u64 %a, [x];\n"
          "  mov.u32 %t, %tid.x;\n"
          "  mul.wide.u32 %i, %t, 4;\n"
          "  add.u64 %a, %a, %i;\n"
          "  ld.global.f32 %v, [%a];\n"
          "  add.f32 %v, %v, %v;\n"
          "  st.global.f32 [%a], %v;\n"
          "  ret;\n"
          "}\n",
      .run = run_ptx,
  };
}

}  // namespace xcuda::command
