// %launch, %%launch
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/timing/timed_launches.hpp"
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
          .advise("For clusters of two blocks: --cluster 2,1,1.");
    };
    if (count == 3) throw fail();
    const auto [rest, wrong] = std::from_chars(at, end, *parts[count]);
    if (wrong != std::errc{} || *parts[count] == 0) throw fail();
    more = rest != end;
    if (more && *rest != ',') throw fail();
    at = rest + 1;
  }
  if (cluster.count() > 16)
    throw call.error(ErrorKind::value, fmt::format("a cluster of {} blocks is too large", cluster.count()), word)
        .advise("A cluster has at most 8 blocks, or 16 if the kernel allows a non-portable size.");
  return cluster;
}

// "all", "1", "0-2", "0,3".
std::vector<std::uint32_t> devices_of(const Invocation& call, const cell::Word& word) {
  call.session.device();
  const auto count = call.session.chosen().order().devices();
  std::vector<std::uint32_t> devices;
  if (word.text == "all") {
    for (std::uint32_t device = 0; device < count; ++device) devices.push_back(device);
    return devices;
  }
  const auto fail = [&](std::string message) { return call.error(ErrorKind::value, std::move(message), word); };
  const char* at = word.text.data();
  const char* const end = at + word.text.size();
  for (bool more = true; more;) {
    std::uint32_t first = 0;
    auto [rest, wrong] = std::from_chars(at, end, first);
    auto last = first;
    if (wrong == std::errc{} && rest != end && *rest == '-') {
      const auto second = std::from_chars(rest + 1, end, last);
      rest = second.ptr;
      wrong = second.ec;
    }
    more = rest != end;
    if (wrong != std::errc{} || (more && *rest != ',') || last < first)
      throw fail(fmt::format("--devices takes numbers of devices, not {}", word.text))
          .advise("--devices all, --devices 0-1 or --devices 0,2.");
    if (last >= count)
      throw fail(session::unknown_device(std::to_string(last), count))
          .advise("%device gpu:all uses all GPUs together; %device cpu:2 works without any.");
    at = more ? rest + 1 : rest;
    for (auto device = first; device <= last; ++device)
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
  }
  return devices;
}

interpreter::LaunchOptions::Split split_of(const Invocation& call, const cell::Word& word) {
  using Split = interpreter::LaunchOptions::Split;
  constexpr std::pair<std::string_view, Split> kKnown[] = {
      {"x", Split::x}, {"y", Split::y}, {"z", Split::z}, {"none", Split::none}};
  for (const auto& [name, split] : kKnown)
    if (word.text == name) return split;
  throw call.error(ErrorKind::value, fmt::format("--split takes an axis of the grid, not {}", word.text), word)
      .advise("--split x, --split y, --split z or --split none.");
}

void run_launch(Invocation& call) {
  const auto& arguments = call.arguments;
  auto options = timed_launches(call, {});
  options.dynamic_shared = static_cast<std::uint64_t>(arguments.integer("--shared").value_or(0));
  if (const auto name = arguments.text("--stream")) options.stream = call.session.streams().stream(*name);
  if (arguments.has("--cooperative")) options.mode = device::LaunchMode::cooperative;
  options.checks.bounds = !arguments.has("--unchecked");
  if (arguments.has("--check")) {
    if (arguments.has("--no-restore") || !options.checks.bounds)
      throw call.error(
          ErrorKind::value,
          fmt::format("--check cannot be used with {}",
                      options.checks.bounds ? "--no-restore: it compares the results of one launch" : "--unchecked"));
    options.compare = interpreter::LaunchOptions::Compare::with_cpu;
  }
  options.checks.races = arguments.has("--race");
  options.checks.uninitialised = arguments.has("--init");
  for (const auto* name : {"--race", "--init"})
    if (arguments.has(name) && !arguments.has("--check") && call.session.device_info().kind == device::Kind::cuda)
      throw call
          .error(ErrorKind::unsupported,
                 fmt::format("{} needs the CPU device: a GPU does not report its accesses", name))
          .advise(
              "Use --check to run the launch there first. Or move the session and its arrays there with %device cpu, "
              "and back with %device gpu:0.");
  if (const auto limit = arguments.number("--timeout")) call.session.submission().time_limit().set(*limit);
  if (const auto word = arguments.word("--cluster")) options.cluster = cluster_of(call, *word);
  if (const auto word = arguments.word("--devices")) {
    options.devices = devices_of(call, *word);
    for (const auto* other : {"--check", "--graph", "--stream", "--split"})
      if (arguments.has(other))
        throw call.error(ErrorKind::value, fmt::format("--devices cannot be used with {}", other), *word);
  }
  if (const auto word = arguments.word("--split")) options.split = split_of(call, *word);
  interpreter::Interpreter interpreter(call.session, call.run, options);
  if (arguments.has("--graph"))
    interpreter.run_as_graph(call.statements(), call.magic.name_span);
  else
    interpreter.run(call.statements());
  const auto report = interpreter.report();
  if (arguments.has("--timeout")) call.session.submission().time_limit().set(call.session.settings().timeout);
  if (arguments.has("--quiet")) return;
  call.show(report.launches.empty()
                ? display::text_bundle("Nothing was launched. %time and %timeit show how long other statements take.")
                : display::launch_bundle(report));
}

}  // namespace

Command launch_command() {
  return {
      .name = "launch",
      .shape = Shape::line_or_cell,
      .operand = Operand::statements,
      .usage = "%launch kernel<<<grid, block>>>(arguments);",
      .summary = "Run statements; time and report every launch",
      .details =
          "With --repeat and --warmup the kernel runs on the real arrays. What it wrote is restored, so the result is "
          "that of one launch; --no-restore turns that off.\n\n"
          "With --graph nothing runs before the end of the cell: its launches, fills and copies become one graph, "
          "which is launched once, or N times with --repeat. A statement that needs a value before that is an error, "
          "and with --repeat each name must mean the same array after the cell as before it. Join another stream with "
          "record(e); wait(s, e); and join it back with record(f, s); wait(f);",
      .options =
          {
              {.name = "--repeat",
               .type = OptionType::integer,
               .value = "N",
               .help = "time N launches and report median, minimum and spread",
               .minimum = 1},
              {.name = "--warmup",
               .type = OptionType::integer,
               .value = "N",
               .help = "run N launches before the timed ones"},
              kNoRestore,
              {.name = "--quiet", .help = "show no report"},
              {.name = "--timeout",
               .type = OptionType::duration,
               .value = "TIME",
               .help = "end launches that take longer, e.g. 500ms"},
              {.name = "--check",
               .help = "run each launch on the CPU device first, with bounds checks and on copies, and compare what "
                       "both wrote"},
              {.name = "--unchecked", .help = "turn off the bounds checks of the CPU device"},
              {.name = "--race",
               .help = "find data races in shared and global memory, on the CPU device; up to a hundred times slower"},
              {.name = "--init",
               .help = "find reads of unwritten elements, in shared memory and in arrays declared without a value, on "
                       "the CPU device"},
              {.name = "--shared",
               .type = OptionType::bytes,
               .value = "BYTES",
               .help = "dynamic shared memory of launches that name none"},
              {.name = "--stream",
               .type = OptionType::text,
               .value = "NAME",
               .help = "stream of launches that name none; created if it is new"},
              {.name = "--cooperative", .help = "launch cooperatively, so that kernels can use grid.sync()"},
              {.name = "--cluster",
               .type = OptionType::text,
               .value = "X,Y,Z",
               .help = "blocks of a cluster (compute capability 9.0)"},
              {.name = "--devices",
               .type = OptionType::text,
               .value = "all|N-M",
               .help = "run each launch on these devices, beside each other; device() and local(x) are their own"},
              {.name = "--split",
               .type = OptionType::text,
               .value = "x|y|z|none",
               .help = "share the grid between the devices along this axis, although nothing shows that its blocks do "
                       "not depend on each other; none: never"},
              {.name = "--graph",
               .help = "capture the cell as a CUDA graph, launch it once and report the graph's time"},
          },
      .setup = kScaleSetup,
      .example =
          "%%launch --repeat 5 --warmup 1\n"
          "scale<<<4, 256>>>(x, 2.0f, n);\n",
      .run = run_launch,
  };
}

}  // namespace xcuda::command
