// %%timeline
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/chart/timeline_chart.hpp"
#include "display/readable_name.hpp"
#include "interpreter/interpreter.hpp"
#include "session/timeline.hpp"

namespace xcuda::command {
namespace {

using session::Timeline;

class Recording {
 public:
  Recording(session::LaunchLog& launches, Timeline& timeline) : launches_(launches) { launches_.record(&timeline); }
  ~Recording() { launches_.record(nullptr); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  session::LaunchLog& launches_;
};

std::string label_of(const Timeline::Entry& entry) {
  switch (entry.kind) {
    case Timeline::Kind::launch:
    case Timeline::Kind::library: return display::readable_name(entry.name);
    case Timeline::Kind::graph: return "graph";
    case Timeline::Kind::fill: return "fill";
    case Timeline::Kind::copy: return "copy on the device";
    case Timeline::Kind::to_device: return "copy to the device";
    case Timeline::Kind::to_host: return "copy to the host";
  }
  return "";
}

display::TimelineView view_of(Invocation& call, const Timeline& timeline) {
  auto& device = call.session.device();
  display::TimelineView view{.device = call.session.device_info().name, .left_out = timeline.left_out()};
  // Streams are not in step with each other: one may begin before the first event of another.
  const auto since_origin = [&](device::StreamId stream, device::EventId event) {
    const auto origin = timeline.origin(device::device_of(stream));
    return static_cast<double>(std::max<device::Nanoseconds>(device.elapsed(origin, event), 0));
  };
  const bool several = call.session.chosen().order().several();
  const auto row_of = [&](device::StreamId stream) {
    auto name = call.session.streams().name_of(stream);
    if (!several) return name;
    const auto number = fmt::format("device {}", device::device_of(stream));
    return device::without_device(stream) == device::StreamId{0} ? number : fmt::format("{}, {}", number, name);
  };
  std::vector<device::StreamId> streams;
  for (const auto& entry : timeline.entries()) {
    auto found = std::find(streams.begin(), streams.end(), entry.stream);
    if (found == streams.end()) {
      view.streams.push_back(row_of(entry.stream));
      found = streams.insert(found, entry.stream);
    }
    view.bars.push_back({.stream = static_cast<std::size_t>(found - streams.begin()),
                         .label = label_of(entry),
                         .begin = since_origin(entry.stream, entry.begin),
                         .end = since_origin(entry.stream, entry.end),
                         .bytes = entry.bytes});
  }
  // A GPU's first launch waits for its code: the device does not work meanwhile, and the time would leave its work no
  // room.
  view.before = std::numeric_limits<double>::infinity();
  for (const auto& bar : view.bars) view.before = std::min(view.before, bar.begin);
  for (auto& bar : view.bars) {
    bar.begin -= view.before;
    bar.end -= view.before;
  }
  return view;
}

void run_timeline(Invocation& call) {
  call.expect_operands(0, 0);
  auto& submission = call.session.submission();
  call.session.device();
  const auto devices = call.session.chosen().order().devices();
  Timeline timeline(call.session.streams(), devices);
  interpreter::Interpreter interpreter(call.session, call.run);
  submission.synchronize();
  for (std::uint32_t device = 0; device < devices; ++device)
    submission.record(timeline.origin(device), device::on_device({}, device));
  {
    const Recording recording(call.session.launches(), timeline);
    interpreter.run(call.statements());
  }
  submission.synchronize();
  if (timeline.entries().empty())
    throw call.error(ErrorKind::value, "the cell has no launch, fill or copy to show")
        .advise("Each launch after %%timeline is one bar.");
  call.show(display::timeline_bundle(view_of(call, timeline)));
}

}  // namespace

Command timeline_command() {
  return {
      .name = "timeline",
      .shape = Shape::cell,
      .operand = Operand::statements,
      .usage = "%%timeline",
      .summary = "Run statements and show when each stream did what",
      .details =
          "A bar for each launch, graph, fill and copy, in a row for each stream. An event before and one after each "
          "of "
          "them tell the times, so a bar also has the few microseconds in which the work waits for the device to begin "
          "it. The first 500 are shown. The CPU device runs one piece of work after the other, whatever its stream. "
          "Several devices have a row each; their clocks are compared at the beginning only, to a few microseconds.",
      .setup = kScaleSetup,
      .example =
          "%%timeline\n"
          "float y[1024] = 1;\n"
          "for (int i = 0; i < 3; ++i) scale<<<4, 256>>>(x, 2.0f, n);\n"
          "y = x * 2;\n",
      .run = run_timeline,
  };
}

}  // namespace xcuda::command
