#include "interpreter/run_cell.hpp"

#include "cell/parse.hpp"
#include "interpreter/interpreter.hpp"
#include "interpreter/session_names.hpp"
#include "language/answers.hpp"

namespace xcuda::interpreter {
namespace {

void run_parsed(Session& session, CellRun& run) {
  session.rouse();
  const auto cell = cell::parse_cell(run.source.text, run.source.name, session.commands().grammar());
  session.wake();
  run.cell = &cell;
  if (const auto host_code = language::host_code_error(cell, run.source.name)) throw *host_code;
  if (cell.magic) {
    if (!cell.statements.empty()) check_statements(session, run, nullptr);
    session.commands().run(session, run, *cell.magic);
  } else {
    if (cell.device.empty()) {
      check_statements(session, run, nullptr);
    } else {
      const auto check = [&](const compiler::CompileOutput& output) { check_statements(session, run, &output); };
      const auto compiled = session.code().compile(run, {}, check);
      if (!compiled.output.diagnostics.empty())
        run.sink.display(display::diagnostics_bundle(compiled.output.diagnostics));
    }
    Interpreter(session, run).run(cell.statements);
  }
  session.submission().synchronize();
  session.commands().cell_ended(session);
}

}  // namespace

std::optional<display::ErrorView> run_cell(Session& session, const CellText& text, Sink& sink) {
  return session.run_cell(text, sink, [&](CellRun& run) { run_parsed(session, run); });
}

std::optional<display::ErrorView> evaluate(Session& session, const std::string& expression, Sink& sink,
                                           display::Bundle& bundle) {
  CellRun run{{"expression", expression}, {}, sink};
  return session.run_to_end(run, [&] {
    session.interrupt_flag().check();
    session.wake();
    const auto tree = cell::parse_expression(expression, run.source.name);
    Interpreter interpreter(session, run);
    bundle = interpreter.bundle(interpreter.evaluate(*tree), interpreter.written(*tree));
  });
}

}  // namespace xcuda::interpreter
