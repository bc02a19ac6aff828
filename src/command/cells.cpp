// %%kernel, %%alloc, %%launch: cells and lines of device code and statements.
#include <fmt/format.h>

#include "command/families.hpp"
#include "command/invocation.hpp"
#include "display/device_report.hpp"
#include "session/executor.hpp"

namespace xcuda::command {

void run_kernel(Invocation& call) {
  const auto view = call.session.compile_cell(call.run, call.arguments.compiler);
  if (!call.arguments.has("--quiet")) call.show(display::compile_bundle(view));
  else if (!view.output.diagnostics.empty()) call.show(display::diagnostics_bundle(view.output.diagnostics));
}

void run_alloc(Invocation& call) {
  session::Executor executor(call.session, call.run);
  executor.run(call.statements());
  if (call.arguments.has("--quiet")) return;
  display::ArrayList list{.device = call.session.device_info().name, .title = "Allocated"};
  for (const auto& name : executor.declared())
    if (const auto* array = call.session.arrays().find(name))
      list.arrays.push_back({array->name, array->type, array->shape, array->bytes(), list.device, array->defined});
  if (list.arrays.empty()) return;
  const auto info = call.session.device().info();
  list.memory_total = info.memory_total;
  list.memory_free = info.memory_free;
  call.show(display::array_list_bundle(list));
}

void run_launch(Invocation& call) {
  const auto& arguments = call.arguments;
  session::LaunchOptions options;
  options.report = session::LaunchOptions::Report::timed;
  options.repeat = static_cast<std::uint64_t>(arguments.integer("--repeat").value_or(1));
  options.warmup = static_cast<std::uint64_t>(arguments.integer("--warmup").value_or(0));
  if (arguments.has("--no-restore")) options.restore = session::LaunchOptions::Restore::no;
  options.dynamic_shared = static_cast<std::uint64_t>(arguments.integer("--shared").value_or(0));
  if (const auto name = arguments.text("--stream")) options.stream = call.session.stream(*name);
  if (arguments.has("--cooperative")) options.mode = device::LaunchMode::cooperative;
  options.checks.bounds = !arguments.has("--unchecked");
  if (arguments.has("--check")) {
    if (arguments.has("--no-restore") || !options.checks.bounds)
      throw call.error(ErrorKind::value, fmt::format("--check does not go with {}", options.checks.bounds ? "--no-restore: it compares the effect of one launch" : "--unchecked"));
    options.compare = session::LaunchOptions::Compare::with_cpu;
  }
  if (const auto limit = arguments.number("--timeout")) {
    const auto time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(*limit));
    call.session.set_deadline(std::chrono::steady_clock::now() + time);
  }
  session::Executor executor(call.session, call.run, options);
  executor.run(call.statements());
  const auto report = executor.report();
  call.session.set_deadline(std::nullopt);
  if (!arguments.has("--quiet") && !report.launches.empty()) call.show(display::launch_bundle(report));
}

}  // namespace xcuda::command
