// %%cuda_group_save, %cuda_group_run, %cuda_group_delete: nvcc4jupyter's names for programs of several files
#include <fmt/format.h>

#include "base/text.hpp"
#include "command/program/program_cell.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

const Option kGroup{.name = "--group", .type = OptionType::text, .value = "GROUP", .help = "the group of files"};
const Option kShortGroup{.name = "-g", .type = OptionType::text, .value = "GROUP", .help = "the same"};

std::string group_of(const Invocation& call) {
  for (const auto* name : {"-g", "--group"})
    if (const auto group = call.arguments.text(name)) return *group;
  throw call.error(ErrorKind::value, fmt::format("{} needs the name of a group", call.title()))
      .advise(fmt::format("Usage: {}", call.command.usage));
}

Error unknown_group(Invocation& call, const std::string& group) {
  auto error = call.error(ErrorKind::name, fmt::format("no group is called {}", group));
  const auto near = nearest(group, call.runner.programs().groups().names());
  error.advice = near.empty() ? fmt::format("%%cuda_group_save -n main.cu -g {} keeps a file in it.", group)
                              : fmt::format("Did you mean {}?", near);
  return error;
}

void run_group_save(Invocation& call) {
  const auto group = group_of(call);
  auto name = call.arguments.word("-n");
  if (!name) name = call.arguments.word("--name");
  if (!name)
    throw call.error(ErrorKind::value, "%%cuda_group_save needs the name of the file")
        .advise(fmt::format("Usage: {}", call.command.usage));
  call.run.current = name->span;
  const auto line = line_column(call.run.source.text, call.magic.body_span.begin).line;
  call.runner.programs().groups().save(group, {name->text, call.magic.body, line, name->text});
}

void run_group_program(Invocation& call) {
  const auto group = group_of(call);
  const auto& groups = call.runner.programs().groups();
  if (!groups.contains(group)) throw unknown_group(call, group);
  auto files = groups.files_of(group);
  if (std::none_of(files.begin(), files.end(), nvcc::is_compiled))
    throw call.error(ErrorKind::value, fmt::format("the group {} has headers only", group))
        .advise(fmt::format("%%cuda_group_save -n main.cu -g {} keeps a source in it.", group));
  run_program(call, std::move(files));
}

void run_group_delete(Invocation& call) {
  const auto group = group_of(call);
  if (!call.runner.programs().groups().remove(group)) throw unknown_group(call, group);
}

}  // namespace

Command cuda_group_save_command() {
  return {
      .name = "cuda_group_save",
      .shape = Shape::cell,
      .operand = Operand::none,
      .usage = "%%cuda_group_save -n file -g group",
      .summary = "Keep the cell as a file of a program, as nvcc4jupyter does",
      .details =
          "%cuda_group_run compiles and runs the files of a group. Those of the group shared are part of every "
          "program. "
          "%%cuda --name file --group group does the same.",
      .options = {{.name = "-n", .type = OptionType::text, .value = "NAME", .help = "the name of the file"},
                  {.name = "--name", .type = OptionType::text, .value = "NAME", .help = "the same"},
                  kShortGroup,
                  kGroup},
      .example =
          "%%cuda_group_save -n twice.h -g doubling\n"
          "inline int twice(int x) { return 2 * x; }\n",
      .run = run_group_save,
  };
}

Command cuda_group_run_command() {
  auto options = program_options();
  options.push_back(kShortGroup);
  options.push_back(kGroup);
  return {
      .name = "cuda_group_run",
      .shape = Shape::line_or_cell,
      .operand = Operand::program,
      .usage = "%cuda_group_run -g group [nvcc options] [-- arguments]",
      .summary = "Compile and run the files of a group as a program",
      .details =
          "The files are those that %%cuda_group_save and %%cuda --name have kept; it takes the options of %%cuda.",
      .options = std::move(options),
      .setup =
          "%%cuda_group_save -n main.cu -g greeting\n"
          "#include <cstdio>\n"
          "int main() { std::printf(\"hello\\n\"); }\n",
      .example = "%cuda_group_run -g greeting\n",
      .run = run_group_program,
  };
}

Command cuda_group_delete_command() {
  return {
      .name = "cuda_group_delete",
      .operand = Operand::none,
      .usage = "%cuda_group_delete -g group",
      .summary = "Forget the files of a group",
      .options = {kShortGroup, kGroup},
      .setup = "%%cuda_group_save -n twice.h -g doubling\n",
      .example = "%cuda_group_delete -g doubling\n",
      .run = run_group_delete,
  };
}

}  // namespace xcuda::command
