// %time, %%time
#include <fmt/format.h>

#include <chrono>

#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {
namespace {

void run_time(Invocation& call) {
  interpreter::Interpreter interpreter(call.session, call.run);
  call.session.submission().synchronize();
  const auto begin = std::chrono::steady_clock::now();
  interpreter.run(call.statements());
  call.session.submission().synchronize();
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - begin;
  call.run.sink.stream(OutputStream::out, fmt::format("wall time: {}\n", format_duration(wall.count())));
}

}  // namespace

Command time_command() {
  return {
      .name = "time",
      .shape = Shape::line_or_cell,
      .operand = Operand::statements,
      .usage = "%time statement",
      .summary = "Run statements once and show the time until the device is idle",
      .details = "%%launch shows the time that the device took for each launch; %%bench compares statements.",
      .setup = kScaleSetup,
      .example = "%time scale<<<4, 256>>>(x, 2.0f, n);\n",
      .run = run_time,
  };
}

}  // namespace xcuda::command
