// %timeit, %%timeit
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numeric>

#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {
namespace {

constexpr double kLongEnough = 0.2e9;  // nanoseconds of one run
constexpr std::int64_t kMostLoops = 10'000'000;
constexpr std::int64_t kRuns = 7;

class Timed {
 public:
  explicit Timed(Invocation& call)
      : call_(call), interpreter_(call.session, call.run), measured_(call.session.submission()) {}

  // Nanoseconds of so many loops, until the device is idle.
  double run(std::int64_t loops) {
    const auto& statements = call_.statements();
    for (std::size_t i = 0; i < call_.magic.setup; ++i) interpreter_.execute(*statements[i]);
    call_.session.submission().synchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < loops; ++i) {
      for (std::size_t k = call_.magic.setup; k < statements.size(); ++k) once(*statements[k]);
      if (i % 64 == 0) call_.session.interrupt_flag().check();
    }
    call_.session.submission().synchronize();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }

  // 1, 2, 5, 10, 20, ... loops: the first that take long enough.
  std::int64_t loops_for_a_run() {
    for (std::int64_t decade = 1;; decade *= 10)
      for (const std::int64_t step : {1, 2, 5})
        if (const auto loops = decade * step; loops >= kMostLoops || run(loops) >= kLongEnough) return loops;
  }

 private:
  // A last value is computed, and not shown each time.
  void once(const cell::Statement& statement) {
    const auto* last = std::get_if<cell::ExpressionStatement>(&statement.node);
    if (last == nullptr || !last->shown) return interpreter_.execute(statement);
    interpreter_.elements(interpreter_.evaluate(*last->expression));
  }

  Invocation& call_;
  interpreter::Interpreter interpreter_;
  session::MeasuredLaunches measured_;
};

void run_timeit(Invocation& call) {
  if (call.statements().size() == call.magic.setup)
    throw call.error(ErrorKind::value, "there is nothing to time").advise("Usage: " + std::string(call.command.usage));
  Timed timed(call);
  timed.run(1);  // compiles, and loads what is needed
  const auto wanted = call.arguments.integer("-n");
  const auto loops = wanted ? *wanted : timed.loops_for_a_run();
  std::vector<double> times(static_cast<std::size_t>(call.arguments.integer("-r").value_or(kRuns)));
  auto& progress = call.session.progress();
  for (std::size_t i = 0; i < times.size(); ++i) {
    progress.count(session::Progress::Unit::runs, i, times.size());
    times[i] = timed.run(loops) / static_cast<double>(loops);
  }
  progress.count(session::Progress::Unit::runs, times.size(), times.size());
  const auto count = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
  const double squares = std::accumulate(times.begin(), times.end(), 0.0,
                                         [&](double sum, double t) { return sum + (t - mean) * (t - mean); });
  call.run.sink.stream(OutputStream::out,
                       fmt::format("{} ± {} per loop (mean ± standard deviation of {} runs, {} loop{} each)\n",
                                   format_duration(mean), format_duration(std::sqrt(squares / count)), times.size(),
                                   format_count(static_cast<std::uint64_t>(loops)), loops == 1 ? "" : "s"));
}

}  // namespace

Command timeit_command() {
  return {
      .name = "timeit",
      .shape = Shape::line_or_cell,
      .operand = Operand::statements,
      .usage = "%timeit [-n N] [-r R] statement",
      .summary = "Run statements many times and show the time of one loop",
      .details =
          "Each run is N loops, one after the other, until the device is idle; without -n as many as take 0.2 s. A "
          "last "
          "value is computed and not shown. What the statements change stays changed, once for each loop; %%launch "
          "--repeat restores what a kernel wrote, and times it on the device. Statements on the line "
          "of %%timeit itself run before each run and are not timed.",
      .options = {{.name = "-n", .type = OptionType::integer, .value = "N", .help = "loops per run", .minimum = 1},
                  {.name = "-r", .type = OptionType::integer, .value = "R", .help = "runs (7)", .minimum = 1}},
      .refused_options = {{"-o", "Leave it out: the times are shown; %%bench compares statements."},
                          {"-q", "Leave it out: the times are all that is shown."},
                          {"-p", "Leave it out: times have three digits."},
                          {"-t", "Leave it out: times are those of the clock on the wall."},
                          {"-c", "Leave it out: times are those of the clock on the wall."}},
      .takes_setup = true,
      .setup = kScaleSetup,
      .example = "%timeit -n 10 -r 3 scale<<<4, 256>>>(x, 2.0f, n);\n",
      .run = run_timeit,
  };
}

}  // namespace xcuda::command
