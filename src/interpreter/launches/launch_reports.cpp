#include "interpreter/launches/launch_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xcuda::interpreter {

std::size_t LaunchReports::row(const CheckedLaunch& launch) {
  const auto& [statement, span, kernel, request, uses] = launch;
  const auto place = place_of(run_.source, span);
  // A loop's launches of one shape share a row.
  for (std::size_t i = rows_.size(); i-- > 0;)
    if (rows_[i].line == place.line && rows_[i].kernel == statement.kernel.text && rows_[i].grid == request.grid &&
        rows_[i].block == request.block) {
      ++rows_[i].launches;
      return i;
    }
  display::LaunchView view;
  view.kernel = statement.kernel.text;
  view.source = run_.source.name;
  view.line = place.line;
  view.grid = request.grid;
  view.block = request.block;
  view.dynamic_shared = request.dynamic_shared;
  view.cluster = request.cluster;
  view.function = *kernel.function;
  if (session_.device_info().kind == device::Kind::cuda)  // nothing else has multiprocessors to occupy
    view.occupancy =
        session_.device().occupancy({kernel.module->id, kernel.function->entry,
                                     static_cast<std::uint32_t>(request.block.count()), request.dynamic_shared});
  for (const auto& use : uses) {
    const auto same =
        std::find_if(view.arguments.begin(), view.arguments.end(), [&](const auto& a) { return a.array == use.array; });
    const auto kind = use.may_write ? display::ArrayArgument::Use::may_write : display::ArrayArgument::Use::reads;
    if (same == view.arguments.end())
      view.arguments.push_back({use.parameter, use.array, use.bytes, kind});
    else if (use.may_write)
      same->use = kind;
  }
  return add(std::move(view));
}

std::size_t LaunchReports::add(display::LaunchView row) {
  rows_.push_back(std::move(row));
  return rows_.size() - 1;
}

void LaunchReports::repeated(std::size_t row, std::span<const std::string> restored) {
  auto& view = rows_[row];
  view.warmup = static_cast<int>(frame_.options.warmup);
  view.launches += frame_.options.repeat - 1;
  if (!restored.empty())
    note(row, fmt::format("{} {} restored before each repetition: the result is that of one launch",
                          fmt::join(restored, ", "), restored.size() == 1 ? "was" : "were"));
}

display::LaunchReport LaunchReports::finish() {
  session_.submission().synchronize();
  std::size_t next = 0;
  for (const auto& timing : session_.launches().take_timings()) {
    while (next < timed_.size() && timed_[next].first < timing.number) ++next;
    if (next < timed_.size() && timed_[next].first == timing.number)
      rows_[timed_[next].second].times.push_back(timing.duration);
  }
  const auto& info = session_.device_info();
  return {std::move(rows_), info.name, info.peak_bandwidth};
}

}  // namespace xcuda::interpreter
