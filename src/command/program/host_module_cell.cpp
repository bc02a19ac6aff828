// A cell of %%cuda without main(): a host module.
#include <fmt/format.h>

#include <algorithm>

#include "cell/parse.hpp"
#include "command/program/host_module_text.hpp"
#include "command/program/program_cell.hpp"
#include "compiler/toolkit.hpp"
#include "interpreter/launches/kernel_argument.hpp"

namespace xcuda::command {
namespace {

// A module takes only the compiler's options among those of a program.
void check_options(const Invocation& call) {
  constexpr auto kAdvice = "Leave it out, or define main().";
  for (const auto& option : program_options())
    if (option.name != "-c" && option.name != "--compiler-args" && call.arguments.has(option.name))
      throw call.error(ErrorKind::value, fmt::format("{} is for programs, but the cell has no main()", option.name))
          .advise(kAdvice);
  if (!call.arguments.operands.empty())
    throw call
        .error(ErrorKind::value, "arguments are for programs, but the cell has no main()",
               call.arguments.operands.front())
        .advise(kAdvice);
}

HostModuleText text_of(const Invocation& call) {
  // The line of the magic becomes blanks, so that places are those of the cell.
  std::string text(call.run.source.text);
  const auto begin = call.magic.body_span.begin;
  std::replace_if(
      text.begin(), text.begin() + begin, [](char c) { return c != '\n'; }, ' ');
  auto parsed = cell::try_parse_device_code(text, call.run.source.name);
  if (parsed.error) throw std::move(*parsed.error);
  return host_module_text(parsed.cell, begin);
}

std::string line_of(const session::ModuleFunction& function) {
  const auto line = fmt::format("{} {}", function.signature.result, interpreter::prototype(function.signature));
  return function.info.can_be_called ? line : line + "  (statements cannot call it)";
}

}  // namespace

void load_host_module(Invocation& call, std::vector<nvcc::SourceFile> files) {
  check_options(call);
  auto& session = call.session;
  auto made = text_of(call);
  if (made.functions.empty())
    throw call.error(ErrorKind::value, "the cell has no main() to run and no function that statements could call")
        .advise(made.templates.empty()
                    ? fmt::format("Leave out %%{0} to define kernels and functions for the device and to run "
                                  "statements; %%{0} --name vec.cuh keeps the cell as a file for programs.",
                                  call.command.name)
                    : fmt::format("{} is a template, which has no code of its own: define a function that calls it "
                                  "with the types that you need.",
                                  made.templates.front()));
  if (session.chosen().choice().selector.kind == device::Kind::cpu && nvcc::find_cpu_toolkit().empty())
    throw call.error(ErrorKind::unsupported, "the CPU device has no CUDA Runtime for host modules here")
        .advise("Install xeus-cuda with lib/xcuda/toolkit; builds with a sanitizer have none.");
  auto& own = files.front();
  own.compiled = fmt::format("#define XCUDA_HOST_MODULE\n#include \"xcuda/host_module.hpp\"\n#line {} \"{}\"\n{}",
                             own.first_line, own.name, made.text);
  const auto folder = compiler::own_include_folder(compiler::current_environment());
  const auto build =
      build_program(call, {std::move(files),
                           {"-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-z", "-Xlinker", "defs", "-Xlinker",
                            "--version-script=" + folder + "/xcuda/host_module.map", "-I", folder},
                           "host module"});
  session.submission().synchronize();
  session::HostModuleCell cell{session.code().next_module(), call.run.source.name};
  cell.info = session.device().load_host_module({cell.id, cell.source, build.program.string()});
  session.recovery().take_fault();  // the device's process may be another one now, outside of the sandbox
  for (const auto& name : made.templates)
    if (std::find(made.functions.begin(), made.functions.end(), name) == made.functions.end())
      cell.templates.push_back(name);
  cell.texts = std::move(made.texts);
  const auto id = cell.id;
  auto& table = session.code().functions().modules();
  for (const auto unused : table.define(std::move(cell))) session.device().unload_host_module(unused);
  table.take_news();
  for (const auto& name : table.names())
    for (const auto& one : table.find(name))
      if (one->module == id) call.run.sink.stream(OutputStream::out, line_of(*one) + "\n");
}

}  // namespace xcuda::command
