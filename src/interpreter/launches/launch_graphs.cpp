#include "interpreter/launches/launch_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "interpreter/launches/backups.hpp"
#include "interpreter/launches/launch_reports.hpp"
#include "interpreter/statements.hpp"

namespace xcuda::interpreter {

void Graphs::run(const std::vector<cell::StatementPtr>& statements, cell::Span span) {
  const auto outside = frame_.options.stream;
  const auto checked = frame_.options.report;
  frame_.options.report = LaunchOptions::Report::none;
  frame_.options.stream.reset();
  session_.device();
  session_.submission().synchronize();  // so that what went wrong before is not told as the graph's
  Capture capture(session_);
  frame_.statements.run(statements);
  run_.current = span;
  const auto info = capture.end();
  frame_.options.report = checked;
  frame_.options.stream = outside;
  if (frame_.options.repeats())
    if (const auto names = capture.rebound(); !names.empty())
      throw error(
          ErrorKind::value,
          fmt::format("{} name other arrays after the cell than before it: a repeated graph would use the wrong ones",
                      names),
          span)
          .advise("With --repeat, swap arrays an even number of times in the cell: two steps per iteration.");
  capture.keep_bindings();
  if (info.nodes == 0) return;
  launch(capture, info, span);
}

void Graphs::launch(const Capture& capture, const device::GraphInfo& info, cell::Span span) {
  std::vector<std::string> written;
  for (const auto address : capture.written())
    if (const auto* array = session_.arrays().at(address)) written.push_back(array->name);
  std::vector<ArrayUse> uses;
  for (const auto& name : session_.launches().given()) {
    const auto* array = session_.arrays().find(name);
    if (array != nullptr)
      uses.push_back(
          {name, name, array->bytes(), true, std::find(written.begin(), written.end(), name) != written.end()});
  }
  const auto place = run_.source.place(span);
  display::LaunchView row;
  row.kernel = "graph";
  row.source = run_.source.name;
  row.line = place.line;
  row.graph_nodes = info.nodes;
  if (info.instantiate_time > 0)
    row.notes.push_back(
        fmt::format("the graph was instantiated in {}", format_duration(static_cast<double>(info.instantiate_time))));
  const auto site = session_.launches().site(&capture, "graph", uses, [&] {
    return LaunchSite{&capture, "graph", fmt::format("the graph of {}", run_.source.name), place, uses};
  });
  const bool restoring = frame_.options.repeats() && frame_.options.restore == LaunchOptions::Restore::yes;
  std::optional<Backups> backups;
  if (restoring) backups.emplace(session_, run_, written);
  const auto shown = frame_.launch_reports.add(std::move(row));
  for (std::uint64_t i = 0; i < frame_.options.warmup + frame_.options.repeat; ++i) {
    session_.interrupt_flag().check();
    if (i > 0 && backups) backups->post_restore();
    const bool timed = i >= frame_.options.warmup;
    const auto number = session_.submission().launch(
        device::GraphLaunch{0, capture.graph(), frame_.options.stream.value_or(device::StreamId{0}),
                            timed ? device::Timing::each : device::Timing::none},
        site);
    if (timed) frame_.launch_reports.time(number, shown);
  }
  session_.submission().synchronize();
  if (!backups) written.clear();
  frame_.launch_reports.repeated(shown, written);
}

}  // namespace xcuda::interpreter
