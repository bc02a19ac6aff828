// %%roofline
#include <fmt/format.h>

#include <algorithm>

#include "arrays/device_limits.hpp"
#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/timing/timed_launches.hpp"
#include "display/chart/chart.hpp"
#include "display/figures.hpp"
#include "display/readable_name.hpp"
#include "display/table.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {
namespace {

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

struct Roof {
  double operations = 0, bandwidth = 0;  // per second
  double at(double intensity) const { return std::min(operations, intensity * bandwidth); }
};

// What the device reaches, whatever its data sheet says.
Roof measured_roof(Invocation& call) {
  for (const auto* option : {"--peak-flops", "--peak-bandwidth"})
    if (call.arguments.has(option))
      throw call.error(ErrorKind::value, fmt::format("--measure cannot be used with {}", option))
          .advise("--measure finds both limits; leave one of the options out.");
  const session::Progress::Activity activity(call.session.progress(), "measuring the limits of the device");
  const auto limits = arrays::measure_limits(call.session.operations());
  return {limits.operations, limits.bandwidth};
}

Roof roof_of(Invocation& call) {
  if (call.arguments.has("--measure")) return measured_roof(call);
  const auto& info = call.session.device_info();
  const Roof roof{call.arguments.number("--peak-flops").value_or(peak_operations(info)),
                  call.arguments.number("--peak-bandwidth").value_or(info.peak_bandwidth)};
  if (roof.operations <= 0)
    throw call.error(ErrorKind::value, fmt::format("the peak of {} in operations per second is unknown", info.name))
        .advise("--measure finds it, or pass it: --peak-flops 1e11.");
  if (roof.bandwidth <= 0)
    throw call.error(ErrorKind::value, fmt::format("the memory bandwidth of {} is unknown", info.name))
        .advise("--measure finds it, or pass it: --peak-bandwidth 2e10.");
  return roof;
}

void run_roofline(Invocation& call) {
  call.expect_operands(0, 0);
  const auto flops = call.arguments.number("--flops");
  if (!flops)
    throw call.error(ErrorKind::value, "%%roofline needs the number of operations of one launch")
        .advise("Pass it: --flops 2e9. Pass --bytes, too, if the launch moves other bytes than its array arguments.");
  const auto roof = roof_of(call);
  interpreter::Interpreter interpreter(call.session, call.run, timed_launches(call, {.timed = 10, .warmup = 1}));
  interpreter.run(call.statements());
  const auto report = interpreter.report();
  if (report.launches.empty())
    throw call.error(ErrorKind::value, "the cell has no launch to place below the roof")
        .advise("Each launch after %%roofline, kernel<<<grid, block>>>(...), is one point.");

  display::Chart chart{.title = fmt::format("Roofline of {}", report.device),
                       .x_label = "operations per byte",
                       .y_label = "operations per second",
                       .x_scale = display::Scale::logarithmic,
                       .y_scale = display::Scale::logarithmic,
                       .names_points = true};
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
    const double bytes = call.arguments.number("--bytes").value_or(static_cast<double>(display::traffic_of(launch)));
    if (bytes <= 0)
      throw call
          .error(ErrorKind::value, fmt::format("the bytes that {} moves are unknown: it has no array arguments",
                                               display::readable_name(launch.kernel)))
          .advise("Pass them: --bytes 1e9.");
    const double median = display::summarise(launch.times).median, intensity = *flops / bytes,
                 reached = median > 0 ? *flops / (median * 1e-9) : 0;
    if (reached <= 0) {
      table.rows.push_back({display::kernel_field(launch.kernel), display::time_text(median),
                            fmt::format("{:.3g}", intensity), "", "", ""});
      continue;
    }
    least = std::min(least, intensity / 2);
    most = std::max(most, intensity * 2);
    points.push_back({display::readable_name(launch.kernel), {intensity}, {reached}});
    // Above the roof one of its numbers is not what the kernel does; which one is not known.
    const bool below = reached <= roof.at(intensity);
    const auto part = below ? display::percent(reached / roof.at(intensity)) : std::string("above it");
    if (!below)
      table.warnings.push_back(fmt::format(
          "{} is above the roof, which is impossible: it does fewer operations than --flops says, moves fewer bytes "
          "than --bytes or its array arguments say or reads them from a cache, or a peak is higher than given",
          display::readable_name(launch.kernel)));
    table.rows.push_back({display::kernel_field(launch.kernel), format_duration(median),
                          fmt::format("{:.3g}", intensity), display::operations_text(reached), part,
                          !below              ? ""
                          : intensity < ridge ? "memory"
                                              : "arithmetic"});
  }
  chart.series.push_back({fmt::format("{}: {}, {}", call.arguments.has("--measure") ? "measured roof" : "roof",
                                      display::operations_text(roof.operations), format_rate(roof.bandwidth)),
                          {least, ridge, most},
                          {roof.at(least), roof.at(ridge), roof.at(most)}});
  for (auto& point : points) chart.series.push_back(std::move(point));
  call.show(display::chart_bundle(chart));
  call.show(display::table_bundle(table));
}

}  // namespace

Command roofline_command() {
  return {
      .name = "roofline",
      .shape = Shape::cell,
      .operand = Operand::statements,
      .usage = "%%roofline --flops N [--bytes N] [--measure]",
      .summary = "Show what launches reach below the limits of the device's arithmetic and memory",
      .details =
          "--flops is the number of floating-point operations of one launch, as its author counts them. Without "
          "--bytes, each byte counts once if the kernel reads it and once if it writes it: on the CPU device they are "
          "counted, elsewhere each element of an array counts that the code may reach. The roof is the device's peak "
          "in single precision and the peak of its memory, if they are known, or what the "
          "options say. --measure finds both by running a copy, an update in place and a multiply-add kernel, which "
          "takes a "
          "second or two.",
      .options =
          {{.name = "--flops",
            .type = OptionType::number,
            .value = "N",
            .help = "floating-point operations of one launch",
            .minimum = 1},
           {.name = "--bytes",
            .type = OptionType::number,
            .value = "N",
            .help = "bytes that one launch moves",
            .minimum = 1},
           {.name = "--measure", .help = "find the limits of this device by running kernels that reach them"},
           {.name = "--peak-flops",
            .type = OptionType::number,
            .value = "N",
            .help = "operations per second that the device can do"},
           {.name = "--peak-bandwidth",
            .type = OptionType::number,
            .value = "N",
            .help = "bytes per second that its memory can move"},
           {.name = "--repeat",
            .type = OptionType::integer,
            .value = "N",
            .help = "timed runs of each launch (10)",
            .minimum = 1},
           {.name = "--warmup", .type = OptionType::integer, .value = "N", .help = "runs before the timed ones (1)"},
           kNoRestore},
      .setup = kScaleSetup,
      .example =
          "%%roofline --flops 1024 --peak-flops 1e11 --peak-bandwidth 2e10\n"
          "scale<<<4, 256>>>(x, 2.0f, n);\n",
      .run = run_roofline,
  };
}

}  // namespace xcuda::command
