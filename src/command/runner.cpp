#include "command/runner.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "command/help.hpp"
#include "command/invocation.hpp"
#include "command/name_page.hpp"
#include "command/scope.hpp"
#include "language/habits.hpp"
#include "python/cells.hpp"
#include "session/settings.hpp"

namespace xcuda::command {
namespace {

Error unknown(const session::CellRun& run, const cell::Magic& magic) {
  const std::string sign = magic.whole_cell ? "%%" : "%";
  if (const auto* habit = language::find_habit(language::Habit::Kind::command, magic.name))
    return Error(ErrorKind::name, fmt::format("{}{} is a magic of {}", sign, magic.name, habit->owner))
        .advise(std::string(habit->advice))
        .at(run.source.place(magic.name_span));
  std::vector<std::string> names;
  for (const auto& row : table())
    if (row.shape != Shape::notation) names.emplace_back(row.name);
  auto error = Error(ErrorKind::name, fmt::format("unknown command {}{}", sign, magic.name))
                   .at(run.source.place(magic.name_span));
  const auto near = nearest(magic.name, names);
  error.advice = near.empty() ? "%lsmagic lists the commands." : fmt::format("Did you mean {}{}?", sign, near);
  return error;
}

const Command& command_of(const session::CellRun& run, const cell::Magic& magic) {
  const auto* command = find(magic.name);
  if (command == nullptr || command->run == nullptr) throw unknown(run, magic);
  const bool fits = command->shape == Shape::line_or_cell || (command->shape == Shape::cell) == magic.whole_cell;
  if (!fits)
    throw Error(ErrorKind::syntax,
                magic.whole_cell ? fmt::format("%{0} is for a line, not a cell: write %{0}", magic.name)
                                 : fmt::format("%%{0} is for a whole cell: write %%{0} on the first line", magic.name))
        .at(run.source.place(magic.name_span));
  return *command;
}

}  // namespace

void Runner::check(const session::CellRun& run, const cell::Magic& magic) {
  read_arguments(command_of(run, magic), magic, {run.source.name, run.source.text});
}

void Runner::run(session::Session& session, session::CellRun& run, const cell::Magic& magic) {
  const auto& command = command_of(run, magic);
  Invocation invocation{
      session, run, magic, command, read_arguments(command, magic, {run.source.name, run.source.text}), *this};
  if (command.operand == Operand::none) invocation.expect_operands(0, 0);
  command.run(invocation);
}

void Runner::help(session::Session& session, session::CellRun& run, const cell::Help& help, cell::Span span) {
  const auto scope = scope_of(session);
  auto bundle = name_page(help.name, help.source ? Detail::source : Detail::summary, scope);
  if (!bundle) {
    run.current = span;
    bundle = help_on(help.name, scope);
  }
  run.sink.page(*bundle);
}

void Runner::shell(session::Session& session, session::CellRun& run, const cell::Shell& shell, cell::Span span) {
  run.current = span;
  session.submission().synchronize();  // output in the order of the cell
  shell::Command command{shell.command, {}};
  if (session.chosen().choice().selector.kind == device::Kind::cpu)
    command.environment = nvcc::cpu_toolkit_environment(compiler::current_environment());
  command.processes = session.settings().processes;
  run_shell(shell_, command, run.sink, session.interrupt_flag());
  session.wake();
}

nvcc::Programs& Runner::programs() {
  if (!programs_) programs_.emplace(compiler::find_toolkit(compiler::current_environment()), cache_folder("programs"));
  return *programs_;
}

void Runner::cell_ended(session::Session& session) { python::release(session); }

}  // namespace xcuda::command
