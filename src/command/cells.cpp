// %%kernel, %%alloc, %%launch: cells and lines of device code and statements.
#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "command/disassemble.hpp"
#include "command/families.hpp"
#include "command/invocation.hpp"
#include "command/source_files.hpp"
#include "display/device_report.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::command {

namespace {

// "2", "2,1" or "2,1,1": blocks of a cluster.
device::Dim3 cluster_of(const Invocation& call, const cell::Word& word) {
  device::Dim3 cluster;
  std::uint32_t* parts[] = {&cluster.x, &cluster.y, &cluster.z};
  std::size_t count = 0;
  const char* at = word.text.data();
  const char* const end = at + word.text.size();
  for (bool more = true; more; ++count) {
    const auto fail = [&] {
      return call.error(ErrorKind::value, fmt::format("--cluster takes one to three extents, not {}", word.text), word)
          .advise("--cluster 2,1,1 makes clusters of two blocks.");
    };
    if (count == 3) throw fail();
    const auto [rest, wrong] = std::from_chars(at, end, *parts[count]);
    if (wrong != std::errc{} || *parts[count] == 0) throw fail();
    more = rest != end;
    if (more && *rest != ',') throw fail();
    at = rest + 1;
  }
  if (cluster.count() > 16)
    throw call.error(ErrorKind::value, fmt::format("a cluster of {} blocks", cluster.count()), word)
        .advise("A cluster has 8 blocks at most, 16 where the kernel allows a size that is not portable.");
  return cluster;
}

}  // namespace

void run_kernel(Invocation& call) {
  auto view = call.session.compile_cell(call.run, call.arguments.compiler);
  view.files = source_files(call.session, view.output.ptx);
  if (call.arguments.has("--sass")) {
    const auto listing = disassembled(call, view.output, view.output.name);
    for (const auto& kernel : view.output.kernels)
      view.machine_code.push_back({kernel.name, section_of(listing, kernel.entry)});
  }
  if (!call.arguments.has("--quiet"))
    call.show(display::compile_bundle(view));
  else if (!view.output.diagnostics.empty())
    call.show(display::diagnostics_bundle(view.output.diagnostics));
}

void run_alloc(Invocation& call) {
  interpreter::Interpreter interpreter(call.session, call.run);
  interpreter.run(call.statements());
  if (call.arguments.has("--quiet")) return;
  display::ArrayList list{.device = call.session.device_info().name, .title = "Allocated"};
  for (const auto& name : interpreter.declared())
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
  interpreter::LaunchOptions options;
  options.report = interpreter::LaunchOptions::Report::timed;
  options.repeat = static_cast<std::uint64_t>(arguments.integer("--repeat").value_or(1));
  options.warmup = static_cast<std::uint64_t>(arguments.integer("--warmup").value_or(0));
  if (arguments.has("--no-restore")) options.restore = interpreter::LaunchOptions::Restore::no;
  options.dynamic_shared = static_cast<std::uint64_t>(arguments.integer("--shared").value_or(0));
  if (const auto name = arguments.text("--stream")) options.stream = call.session.stream(*name);
  if (arguments.has("--cooperative")) options.mode = device::LaunchMode::cooperative;
  options.checks.bounds = !arguments.has("--unchecked");
  if (arguments.has("--check")) {
    if (arguments.has("--no-restore") || !options.checks.bounds)
      throw call.error(
          ErrorKind::value,
          fmt::format("--check does not go with {}",
                      options.checks.bounds ? "--no-restore: it compares the effect of one launch" : "--unchecked"));
    options.compare = interpreter::LaunchOptions::Compare::with_cpu;
  }
  options.checks.races = arguments.has("--race");
  options.checks.uninitialised = arguments.has("--init");
  for (const auto* name : {"--race", "--init"})
    if (arguments.has(name) && !arguments.has("--check") && call.session.device_info().kind == device::Kind::cuda)
      throw call
          .error(ErrorKind::unsupported, fmt::format("{} needs the CPU device: a GPU does not tell its accesses", name))
          .advise(
              "--check runs the launch there first; %device cpu moves the session and its arrays there; %device gpu:0 "
              "moves them back.");
  if (const auto limit = arguments.number("--timeout")) call.session.limit_launches(*limit);
  if (const auto word = arguments.word("--cluster")) options.cluster = cluster_of(call, *word);
  interpreter::Interpreter interpreter(call.session, call.run, options);
  if (arguments.has("--graph"))
    interpreter.run_as_graph(call.statements(), call.magic.name_span);
  else
    interpreter.run(call.statements());
  const auto report = interpreter.report();
  if (arguments.has("--timeout")) call.session.limit_launches(call.session.settings().timeout);
  if (!arguments.has("--quiet") && !report.launches.empty()) call.show(display::launch_bundle(report));
}

}  // namespace xcuda::command
