// %%launch --graph: the statements are captured, and what they post runs as one.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "interpreter/backups.hpp"
#include "interpreter/executor.hpp"
#include "session/capture.hpp"

namespace xcuda::interpreter {

void Executor::run_as_graph(const std::vector<cell::StatementPtr>& statements, cell::Span span) {
  const auto outside = frame_.options.stream;
  const auto checked = frame_.options.report;
  frame_.options.report = LaunchOptions::Report::none;
  frame_.options.stream.reset();
  session_.device();
  session_.synchronize();  // so that what went wrong before is not told as the graph's
  Capture capture(session_);
  run(statements);
  run_.current = span;
  const auto info = capture.end();
  frame_.options.report = checked;
  frame_.options.stream = outside;
  if (frame_.options.repeat > 1 || frame_.options.warmup > 0)
    if (const auto names = capture.rebound(); !names.empty())
      throw error(
          ErrorKind::value,
          fmt::format("{} stand for other arrays after the cell than before it, and the graph would repeat on them",
                      names),
          span)
          .advise("With --repeat a cell swaps arrays an even number of times: two steps in each round of the loop.");
  capture.keep_bindings();
  if (info.nodes == 0) return;
  launch_graph(capture, info, span);
}

void Executor::launch_graph(const Capture& capture, const device::GraphInfo& info, cell::Span span) {
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
  const auto place = place_of(run_.source, span);
  display::LaunchView row;
  row.kernel = "graph";
  row.source = run_.source.name;
  row.line = place.line;
  row.graph_nodes = info.nodes;
  if (info.instantiate_time > 0)
    row.notes.push_back(
        fmt::format("the graph was made ready in {}", format_duration(static_cast<double>(info.instantiate_time))));
  const auto site = session_.launches().site(&capture, uses, [&] {
    return LaunchSite{&capture, "graph", fmt::format("the graph of {}", run_.source.name), place, uses};
  });
  const bool repeated = frame_.options.repeat > 1 || frame_.options.warmup > 0;
  const bool restoring = repeated && frame_.options.restore == LaunchOptions::Restore::yes;
  std::optional<Backups> backups;
  if (restoring) backups.emplace(session_, run_, written);
  rows_.push_back(std::move(row));
  for (std::uint64_t i = 0; i < frame_.options.warmup + frame_.options.repeat; ++i) {
    session_.interrupt_flag().check();
    if (i > 0 && backups) backups->post_restore();
    device::GraphLaunch request{session_.launches().next_number(), capture.graph(),
                                frame_.options.stream.value_or(device::StreamId{0}), device::Timing::none};
    if (i >= frame_.options.warmup) {
      request.timing = device::Timing::each;
      timed_.emplace_back(request.number, rows_.size() - 1);
    }
    session_.launches().posted(request.number, site);
    session_.posted();
    session_.device().post_graph(request);
  }
  session_.synchronize();
  auto& shown = rows_.back();
  shown.launches = frame_.options.repeat;
  shown.warmup = static_cast<int>(frame_.options.warmup);
  if (backups && !written.empty())
    shown.notes.push_back(fmt::format("{} {} restored before each repetition: the effect is one launch's",
                                      fmt::join(written, ", "), written.size() == 1 ? "was" : "were"));
}

}  // namespace xcuda::interpreter
