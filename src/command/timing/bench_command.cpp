// %%bench
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/timing/timed_launches.hpp"
#include "display/bench_report.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {
namespace {

// The statement in one line, without the semicolon.
std::string line_of(const session::CellRun& run, const cell::Statement& statement) {
  std::string text;
  for (const char c :
       std::string_view(run.source.text).substr(statement.span.begin, statement.span.end - statement.span.begin)) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank && (text.empty() || text.back() == ' ')) continue;
    text += blank ? ' ' : c;
  }
  while (text.ends_with(';') || text.ends_with(' ')) text.pop_back();
  constexpr std::size_t kWidest = 72;
  return code_points_of_bytes(text, text.size()) <= kWidest
             ? text
             : text.substr(0, bytes_of_code_points(text, kWidest - 1)) + "…";
}

// A launch is timed by the device, with what it wrote put back.
std::vector<device::Nanoseconds> time_launch(Invocation& call, const cell::Statement& statement,
                                             const interpreter::LaunchOptions& options) {
  interpreter::Interpreter interpreter(call.session, call.run, options);
  interpreter.execute(statement);
  const auto report = interpreter.report();
  std::vector<device::Nanoseconds> times;  // of devices that share the grid the longest
  for (const auto& row : report.launches) {
    times.resize(std::max(times.size(), row.times.size()));
    for (std::size_t i = 0; i < row.times.size(); ++i) times[i] = std::max(times[i], row.times[i]);
  }
  return times;
}

// Anything else by the host, until the device is idle.
std::vector<device::Nanoseconds> time_statement(Invocation& call, const cell::Statement& statement,
                                                const interpreter::LaunchOptions& options) {
  interpreter::Interpreter interpreter(call.session, call.run);
  std::vector<device::Nanoseconds> times;
  auto& progress = call.session.progress();
  const auto runs = options.warmup + options.repeat;
  for (std::uint64_t i = 0; i < runs; ++i) {
    progress.count(session::Progress::Unit::runs, i, runs);
    call.session.submission().synchronize();
    const auto begin = std::chrono::steady_clock::now();
    interpreter.execute(statement);
    call.session.submission().synchronize();
    if (i >= options.warmup)
      times.push_back(
          std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
  }
  progress.count(session::Progress::Unit::runs, runs, runs);
  return times;
}

void run_bench(Invocation& call) {
  call.expect_operands(0, 0);
  const auto options = timed_launches(call, {.timed = 20, .warmup = 1});
  const session::MeasuredLaunches measured(call.session.submission());
  display::BenchReport report{.device = call.session.device_info().name, .warmup = static_cast<int>(options.warmup)};
  interpreter::Interpreter interpreter(call.session, call.run);
  for (const auto& statement : call.statements()) {
    const auto place = call.run.source.place(statement->span);
    if (std::holds_alternative<cell::Declaration>(statement->node) ||
        std::holds_alternative<cell::Empty>(statement->node)) {
      interpreter.execute(*statement);  // what the others need
      continue;
    }
    const bool launch = std::holds_alternative<cell::Launch>(statement->node);
    display::Contender contender{
        .text = line_of(call.run, *statement), .source = call.run.source.name, .line = place.line};
    contender.clock = launch ? display::Contender::Clock::device : display::Contender::Clock::host;
    contender.times = launch ? time_launch(call, *statement, options) : time_statement(call, *statement, options);
    report.contenders.push_back(std::move(contender));
  }
  if (report.contenders.empty())
    throw call.error(ErrorKind::value, "the cell has no launch or other statement to time")
        .advise("Each line after %%bench is one contender.");
  call.show(display::bench_bundle(report));
}

}  // namespace

Command bench_command() {
  return {
      .name = "bench",
      .shape = Shape::cell,
      .operand = Operand::statements,
      .usage = "%%bench",
      .summary = "Time the statements of a cell and compare each with the fastest",
      .details =
          "Each statement is one contender. The device times a launch, and what it wrote is restored before each run. "
          "The host times any other statement, such as a block in braces, until the device is idle; it runs as often "
          "as it is timed. Declarations run once and are not timed.",
      .options =
          {{.name = "--repeat",
            .type = OptionType::integer,
            .value = "N",
            .help = "timed runs of each statement (20)",
            .minimum = 1},
           {.name = "--warmup", .type = OptionType::integer, .value = "N", .help = "runs before the timed ones (1)"},
           kNoRestore},
      .setup = kScaleSetup,
      .example =
          "%%bench --repeat 10\n"
          "scale<<<4, 256>>>(x, 2.0f, n);\n"
          "scale<<<32, 32>>>(x, 2.0f, n);\n",
      .run = run_bench,
  };
}

}  // namespace xcuda::command
