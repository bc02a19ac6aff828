#include "interpreter/run_cell.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/parse.hpp"
#include "interpreter/host/find_host_functions.hpp"
#include "interpreter/host/notebook_headers.hpp"
#include "interpreter/interpreter.hpp"
#include "interpreter/session_names.hpp"
#include "language/answers.hpp"
#include "language/python/advice.hpp"

namespace xcuda::interpreter {
namespace {

void show_notes(CellRun& run, const display::CompileView& view) {
  auto notes = view.output.diagnostics;
  for (const auto& one : view.replaced)
    if (one.parameters == compiler::ReplacedFunction::Parameters::other)
      notes.push_back({compiler::Severity::note,
                       fmt::format("replaces {} of {}; %%kernel --overload keeps both", one.signature, one.source),
                       {},
                       run.source.place(one.by),
                       {}});
  if (!notes.empty()) run.sink.display(display::diagnostics_bundle(notes));
}

void run_parsed(Session& session, CellRun& run) {
  session.recovery().rouse();
  const auto grammar = session.commands().grammar();
  const auto library = session.code().program().library_scope();
  run.text = cell::with_replacements(run.source.text, run.source.name, grammar, library);
  run.source.text = run.text;
  auto parsed = cell::try_parse_cell(run.source.text, run.source.name, grammar, library);
  auto& cell = parsed.cell;
  run.cell = &cell;
  if (parsed.error) {
    SessionNames names(session, run);
    throw language::with_python_advice({std::move(*parsed.error)}, run.source, language::Stage::parse, grammar, names)
        .front();
  }
  session.wake();
  if (cell.magic) session.commands().check(run, *cell.magic);
  // What takes device code compiles it, with its own options.
  if (!cell.magic || cell.magic->takes != cell::MagicText::device_code) show_notes(run, define(session, run));
  if (cell.magic)
    session.commands().run(session, run, *cell.magic);
  else
    Interpreter(session, run).run(cell.statements);
  session.submission().synchronize();
  session.commands().cell_ended(session);
  session.code().prepare();
}

bool declares(const cell::Cell& cell, const std::string& name) {
  return std::any_of(cell.statements.begin(), cell.statements.end(), [&](const auto& statement) {
    const auto* declaration = std::get_if<cell::Declaration>(&statement->node);
    return declaration != nullptr && std::any_of(declaration->declarators.begin(), declaration->declarators.end(),
                                                 [&](const auto& one) { return one.name == name; });
  });
}

}  // namespace

display::CompileView define(Session& session, CellRun& run, DeviceCode::CellRequest request) {
  request.grammar = session.commands().grammar();
  define_host_headers(session, run, request);
  if (const auto host_code = language::host_code_error(*run.cell, run.source.name)) throw *host_code;
  drop_known_prototypes(session, run);
  if (run.cell->device.empty()) {
    check_statements(session, run, nullptr);
    return {};
  }
  find_host_functions(session, run, request.grammar);
  request.advice_on = [&](const std::string& name) {
    const bool of_statements =
        session.names().find(name) != nullptr || session.arrays().find(name) != nullptr || declares(*run.cell, name);
    const auto& functions = run.cell->functions;
    const bool of_host =
        std::any_of(functions.begin(), functions.end(), [&](const auto& one) { return one->name == name; });
    if (of_host || !session.code().functions().find(name).empty())
      return fmt::format(
          "{0} is run on the host, statement by statement, so no kernel can call it: device code has no "
          "exceptions, launches or values of C++'s library.",
          name);
    return of_statements ? fmt::format(
                               "{} is a variable of statements, which device code does not see: give it to the "
                               "kernel as an argument, or declare it __device__ or __managed__.",
                               name)
                         : std::string();
  };
  request.check = [&](const compiler::CompileOutput& output) { check_statements(session, run, &output); };
  return session.code().compile(run, request);
}

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
