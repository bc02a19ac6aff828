// %%cuda, %%cu
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/whole_program.hpp"
#include "command/program/program_cell.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

// __FILE__ of a cell's program. The same for all cells, so that a program is compiled once, whatever the cell's number.
constexpr const char* kCellFile = "cell.cu";

void run_cuda(Invocation& call) {
  const auto& magic = call.magic;
  auto& groups = call.runner.programs().groups();
  const bool program = cell::main_of(magic.body).has_value();
  const auto name = call.arguments.word("--name");
  const auto group = call.arguments.text("--group").value_or("");
  nvcc::SourceFile file{name ? name->text : kCellFile, magic.body,
                        line_column(call.run.source.text, magic.body_span.begin).line, call.run.source.name};
  if (name) {
    call.run.current = name->span;
    auto kept = file;
    kept.shown = name->text;
    groups.save(group.empty() ? std::string(nvcc::kSharedGroup) : group, std::move(kept));
  }
  if (program || !name) {
    // This cell's file is meant among those with a main().
    auto files = groups.files_of(group);
    std::erase_if(files, [&](const auto& one) { return one.name == file.name || cell::main_of(one.text); });
    const auto others = files;
    files.insert(files.begin(), std::move(file));
    if (program)
      run_program(call, std::move(files));
    else
      load_host_module(call, std::move(files));
    if (call.arguments.has("--keep")) keep_device_code(call, others);
    return;
  }
  const auto where = group.empty() ? "every program" : "programs of the group " + group;
  call.run.sink.stream(OutputStream::out, fmt::format("{} is a file of {}\n", name->text, where));
}

std::vector<Option> cuda_options() {
  auto options = program_options();
  options.push_back({.name = "--name",
                     .type = OptionType::text,
                     .value = "NAME",
                     .help = "keep the cell as a source or header of this name, for programs of other cells"});
  options.push_back({.name = "--group",
                     .type = OptionType::text,
                     .value = "GROUP",
                     .help = "the program is made of this cell and of the files of the group"});
  options.push_back({.name = "--keep", .help = "make its kernels and device functions the session's, too"});
  return options;
}

Command program_row(std::string_view name, std::string_view usage, std::string_view summary, std::string_view example) {
  return {
      .name = name,
      .shape = Shape::cell,
      .operand = Operand::program,
      .usage = usage,
      .summary = summary,
      .details =
          "nvcc compiles the cell, and the program runs as a process of its own in the folder of the session. A cell "
          "that defines main() needs no %%cuda; with it, options can be given. Its output arrives line by line while "
          "it "
          "runs; an exit status other than 0 or a signal is the cell's error. Interrupt ends it. A program that was "
          "compiled before is not compiled again, unless the cell, the options, a header that it includes or the "
          "toolkit "
          "have changed. docs/programs.md has the rest.\n\n"
          "All options of nvcc can be given: -O3, -std=c++20, -lcublas, -arch=sm_90, -G, -Xcompiler -fopenmp. Without "
          "an "
          "architecture it is that of the session's device. What follows -- is for the program. #include "
          "\"session.cuh\" brings the device code of the session.\n\n"
          "A cell without main() is a host module: statements call its functions, with arrays as pointers. --name "
          "keeps "
          "it as a file for programs instead.",
      .options = cuda_options(),
      .example = example,
      .run = run_cuda,
  };
}

}  // namespace

Command cuda_command() {
  return program_row("cuda", "%%cuda [nvcc options] [-- arguments]",
                     "Compile the cell with nvcc and run it as a program",
                     "%%cuda -O3 -- 3 4\n"
                     "#include <cstdio>\n"
                     "#include <cstdlib>\n"
                     "int main(int argc, char** argv) {\n"
                     "  int sum = 0;\n"
                     "  for (int i = 1; i < argc; ++i) sum += std::atoi(argv[i]);\n"
                     "  std::printf(\"%d\\n\", sum);\n"
                     "}\n");
}

Command cu_command() {
  return program_row("cu", "%%cu [nvcc options] [-- arguments]", "The same as %%cuda",
                     "%%cu\n"
                     "#include <iostream>\n"
                     "int main() { std::cout << \"a program\" << std::endl; }\n");
}

}  // namespace xcuda::command
