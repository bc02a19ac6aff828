// %%bench, %%roofline
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.hpp"
#include "base/units.hpp"
#include "command/families.hpp"
#include "command/invocation.hpp"
#include "display/bench_report.hpp"
#include "display/chart/chart.hpp"
#include "display/figures.hpp"
#include "display/table.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {
namespace {

using Clock = std::chrono::steady_clock;

interpreter::LaunchOptions timed(const Invocation& call, std::uint64_t repeat) {
  interpreter::LaunchOptions options;
  options.report = interpreter::LaunchOptions::Report::timed;
  options.repeat =
      static_cast<std::uint64_t>(call.arguments.integer("--repeat").value_or(static_cast<std::int64_t>(repeat)));
  options.warmup = static_cast<std::uint64_t>(call.arguments.integer("--warmup").value_or(1));
  if (call.arguments.has("--no-restore")) options.restore = interpreter::LaunchOptions::Restore::no;
  return options;
}

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
  return report.launches.empty() ? std::vector<device::Nanoseconds>() : report.launches.front().times;
}

// Anything else by the host, until the device is idle.
std::vector<device::Nanoseconds> time_statement(Invocation& call, const cell::Statement& statement,
                                                const interpreter::LaunchOptions& options) {
  interpreter::Interpreter interpreter(call.session, call.run);
  std::vector<device::Nanoseconds> times;
  for (std::uint64_t i = 0; i < options.warmup + options.repeat; ++i) {
    call.session.synchronize();
    const auto begin = Clock::now();
    interpreter.execute(statement);
    call.session.synchronize();
    if (i >= options.warmup)
      times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
  }
  return times;
}

// Single-precision operations per second, counting a multiply-add as two; 0 when the device's multiprocessors are not
// known.
double peak_operations(const device::DeviceInfo& info) {
  if (info.kind != device::Kind::cuda) return 0;
  struct Lanes {
    int major, minor;
    double each_clock;
  };
  static constexpr Lanes kLanes[] = {{7, 0, 64},  {7, 2, 64},  {7, 5, 64},   {8, 0, 64},   {8, 6, 128}, {8, 7, 128},
                                     {8, 9, 128}, {9, 0, 128}, {10, 0, 128}, {10, 3, 128}, {12, 0, 128}};
  for (const auto& lanes : kLanes)
    if (lanes.major == info.compute_major && lanes.minor == info.compute_minor)
      return 2 * lanes.each_clock * info.multiprocessors * info.clock_hz;
  return 0;
}

std::string operations_text(double per_second) {
  struct Unit {
    double size;
    std::string_view name;
  };
  static constexpr Unit kUnits[] = {{1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}};
  for (const auto& unit : kUnits)
    if (per_second >= unit.size) return fmt::format("{:.3g} {}", per_second / unit.size, unit.name);
  return fmt::format("{:.3g} FLOP/s", per_second);
}

struct Roof {
  double operations = 0, bandwidth = 0;  // per second
  double at(double intensity) const { return std::min(operations, intensity * bandwidth); }
};

Roof roof_of(Invocation& call) {
  const auto& info = call.session.device_info();
  const Roof roof{call.arguments.number("--peak-flops").value_or(peak_operations(info)),
                  call.arguments.number("--peak-bandwidth").value_or(info.peak_bandwidth)};
  if (roof.operations <= 0)
    throw call.error(ErrorKind::value, fmt::format("how many operations per second {} can do is not known", info.name))
        .advise("Give it: --peak-flops 1e11.");
  if (roof.bandwidth <= 0)
    throw call.error(ErrorKind::value, fmt::format("how many bytes per second {} can move is not known", info.name))
        .advise("Give it: --peak-bandwidth 2e10.");
  return roof;
}

}  // namespace

void run_bench(Invocation& call) {
  call.expect_operands(0, 0);
  const auto options = timed(call, 20);
  display::BenchReport report{.device = call.session.device_info().name, .warmup = static_cast<int>(options.warmup)};
  interpreter::Interpreter interpreter(call.session, call.run);
  for (const auto& statement : call.statements()) {
    const auto place = session::place_of(call.run.source, statement->span);
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
    throw call.error(ErrorKind::value, "there is nothing to time: the cell has no launch and no other statement")
        .advise("Each line below %%bench is one contender.");
  call.show(display::bench_bundle(report));
}

void run_roofline(Invocation& call) {
  call.expect_operands(0, 0);
  const auto flops = call.arguments.number("--flops");
  if (!flops)
    throw call.error(ErrorKind::value, "%%roofline needs the operations of one launch")
        .advise(
            "Give them: --flops 2e9; with --bytes the bytes it moves, if they are not those of its array arguments.");
  const auto roof = roof_of(call);
  interpreter::Interpreter interpreter(call.session, call.run, timed(call, 10));
  interpreter.run(call.statements());
  const auto report = interpreter.report();
  if (report.launches.empty()) throw call.error(ErrorKind::value, "there is no launch to place below the roof");

  display::Chart chart{.title = fmt::format("Roofline of {}", report.device),
                       .x_label = "operations per byte",
                       .y_label = "operations per second",
                       .x_scale = display::Scale::logarithmic,
                       .y_scale = display::Scale::logarithmic};
  display::Table table{.columns = {{"kernel", display::Align::left, display::Column::Kind::code},
                                   {"time", display::Align::right},
                                   {"operations / byte", display::Align::right},
                                   {"reached", display::Align::right},
                                   {"of the roof"},
                                   {"bound by"}}};
  const double ridge = roof.operations / roof.bandwidth;
  double least = ridge / 30, most = ridge * 30;
  std::vector<display::Series> points;
  for (const auto& launch : report.launches) {
    double bytes = call.arguments.number("--bytes").value_or(0);
    if (bytes <= 0)
      for (const auto& argument : launch.arguments) bytes += static_cast<double>(argument.bytes);
    if (bytes <= 0)
      throw call
          .error(ErrorKind::value,
                 fmt::format("how many bytes {} moves is not known: it has no array arguments", launch.kernel))
          .advise("Give them: --bytes 1e9.");
    const double median = display::summarise(launch.times).median, intensity = *flops / bytes,
                 reached = median > 0 ? *flops / (median * 1e-9) : 0;
    if (reached <= 0) {
      table.rows.push_back({launch.kernel, display::time_text(median), fmt::format("{:.3g}", intensity), "", "", ""});
      continue;
    }
    least = std::min(least, intensity / 2);
    most = std::max(most, intensity * 2);
    points.push_back({launch.kernel, {intensity}, {reached}});
    // Above the roof one of its numbers is not what the kernel does; which one is not known.
    const bool below = reached <= roof.at(intensity);
    const auto part = below ? display::percent(reached / roof.at(intensity)) : std::string("above it");
    if (!below)
      table.warnings.push_back(fmt::format(
          "{} is above the roof, where no kernel can be: it does fewer operations than --flops says, it moves fewer "
          "bytes than --bytes or its array arguments say or reads them from a cache, or a peak is higher than given",
          launch.kernel));
    table.rows.push_back({launch.kernel, format_duration(median), fmt::format("{:.3g}", intensity),
                          operations_text(reached), part,
                          !below              ? ""
                          : intensity < ridge ? "memory"
                                              : "arithmetic"});
  }
  chart.series.push_back({fmt::format("roof: {}, {}", operations_text(roof.operations), format_rate(roof.bandwidth)),
                          {least, ridge, most},
                          {roof.at(least), roof.at(ridge), roof.at(most)}});
  for (auto& point : points) chart.series.push_back(std::move(point));
  call.show(display::chart_bundle(chart));
  call.show(display::table_bundle(table));
}

}  // namespace xcuda::command
