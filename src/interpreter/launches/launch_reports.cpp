#include "interpreter/launches/launch_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ptx/parameter_uses.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::interpreter {

namespace {

// Floating-point (and integer) operations a second that the tensor cores, or for float without TF32 and complex numbers
// of it the others, can do: from NVIDIA's white papers, at the highest clock. 0 where it is not known.
double peak_of(const device::DeviceInfo& info, Scalar type, const session::Settings& settings) {
  struct Clock {  // operations of a multiprocessor each clock
    int major, minor;
    double float64, float32, tf32, half, int8;
  };
  static constexpr Clock kClocks[] = {{8, 0, 128, 128, 1024, 2048, 4096}, {9, 0, 256, 256, 2048, 4096, 8192}};
  for (const auto& clock : kClocks) {
    if (info.kind != device::Kind::cuda || clock.major != info.compute_major || clock.minor != info.compute_minor)
      continue;
    const double scale = info.multiprocessors * info.clock_hz;
    switch (type) {
      case Scalar::float64:
      case Scalar::complex128: return scale * clock.float64;
      case Scalar::float32:
      case Scalar::complex64: return scale * (settings.tf32 ? clock.tf32 : clock.float32);
      case Scalar::float16:
      case Scalar::bfloat16: return scale * clock.half;
      case Scalar::int8:
      case Scalar::uint8: return scale * clock.int8;  // fp8, which is as quick
      default: return 0;
    }
  }
  return 0;
}

// What a kernel's code does with its parameters; anything, where there is no PTX of it.
ptx::ParameterUses uses_of(const Kernel& kernel) {
  const auto& text = kernel.module->output.ptx;
  if (text.find(".version") != std::string::npos) {
    const auto module = ptx::parse_entry(text, kernel.module->source, kernel.signature->entry);
    const auto* entry = module.find_function(kernel.signature->entry);
    if (entry != nullptr && entry->defined) return ptx::parameter_uses(module, *entry);
  }
  return {std::vector<ptx::ParameterUse>(kernel.signature->parameters.size(), {true, true}), true};
}

ptx::ParameterUse use_of(const ptx::ParameterUses& uses, const Kernel& kernel, std::string_view parameter) {
  const auto& parameters = kernel.signature->parameters;
  for (std::size_t i = 0; i < parameters.size() && i < uses.parameters.size(); ++i)
    if (parameters[i].name == parameter) return uses.parameters[i];
  return {true, true};
}

// Of one statement that several devices ran beside each other: how much longer than the mean the slowest one took.
void note_imbalance(std::vector<display::LaunchView>& rows) {
  constexpr double kWorthAWord = 0.05;
  for (std::size_t first = 0; first < rows.size(); ++first) {
    if (rows[first].device.value_or(1) != 0) continue;
    double sum = 0, most = 0;
    std::size_t count = 0, slowest = first;
    for (std::size_t i = first; i < rows.size(); ++i) {
      const auto& row = rows[i];
      if (!row.device || row.line != rows[first].line || row.kernel != rows[first].kernel || row.times.empty())
        continue;
      const auto time =
          static_cast<double>(std::accumulate(row.times.begin(), row.times.end(), device::Nanoseconds{0}));
      if (time > most) slowest = i;
      most = std::max(most, time);
      sum += time;
      ++count;
    }
    const auto over = count > 1 && sum > 0 ? most * static_cast<double>(count) / sum - 1 : 0;
    if (over >= kWorthAWord)
      rows[slowest].notes.push_back(fmt::format("{} takes {:.0f} % longer on device {} than the mean of the devices",
                                                rows[slowest].kernel, 100 * over, *rows[slowest].device));
  }
}

}  // namespace

LaunchReports::LaunchReports(Frame& frame) : Part(frame), before_(session_.launches().library_calls()) {
  if (frame.options.report == LaunchOptions::Report::timed) session_.launches().report_libraries(&library_calls_);
}

LaunchReports::~LaunchReports() { session_.launches().report_libraries(before_); }

// A row for each statement; the calls of a loop share one.
void LaunchReports::add_library_calls() {
  const auto reports = session_.launches().take_reports();
  for (const auto& call : library_calls_) {
    auto found = std::find_if(rows_.begin(), rows_.end(), [&](const display::LaunchView& row) {
      return row.library && row.line == call.place.line && row.kernel == call.name &&
             row.library->operations == call.operations;
    });
    if (found != rows_.end()) {
      ++found->launches;
    } else {
      display::LaunchView view;
      view.kernel = call.name;
      view.source = run_.source.name;
      view.line = call.place.line;
      auto& library = view.library.emplace();
      library.library = fmt::format("{} {}", call.library.name, call.library.version);
      library.operations = call.operations;
      library.peak = peak_of(session_.device_info(), call.type, session_.settings());
      rows_.push_back(std::move(view));
      found = rows_.end() - 1;
    }
    const auto report =
        std::find_if(reports.begin(), reports.end(), [&](const auto& one) { return one.number == call.number; });
    if (report != reports.end()) {
      found->library->algorithm = report->algorithm;
      found->library->arithmetic = report->arithmetic;
    }
    timed_.emplace_back(call.number, static_cast<std::size_t>(found - rows_.begin()));
  }
  library_calls_.clear();
  std::sort(timed_.begin(), timed_.end());
}

std::size_t LaunchReports::row(const CheckedLaunch& launch) {
  const auto& [statement, span, name, kernel, request, uses, arguments] = launch;
  const auto place = run_.source.place(span);
  // A loop's launches of one shape share a row.
  for (std::size_t i = rows_.size(); i-- > 0;)
    if (!rows_[i].library && rows_[i].line == place.line && rows_[i].kernel == name && rows_[i].grid == request.grid &&
        rows_[i].block == request.block && rows_[i].device.value_or(0) == device::device_of(request.stream)) {
      ++rows_[i].launches;
      return i;
    }
  display::LaunchView view;
  view.kernel = name;
  view.source = run_.source.name;
  view.line = place.line;
  if (session_.chosen().order().several()) view.device = device::device_of(request.stream);
  view.grid = request.grid;
  view.block = request.block;
  view.dynamic_shared = request.dynamic_shared;
  view.cluster = request.cluster;
  view.function = *kernel.function;
  if (session_.device_info().kind == device::Kind::cuda)  // nothing else has multiprocessors to occupy
    view.occupancy =
        session_.device().occupancy({kernel.module->id, kernel.function->entry,
                                     static_cast<std::uint32_t>(request.block.count()), request.dynamic_shared});
  const auto code = uses_of(kernel);
  view.reaches_elsewhere = code.elsewhere;
  for (const auto& use : uses) {
    const auto of_code = use_of(code, kernel, use.parameter);
    const auto same =
        std::find_if(view.arguments.begin(), view.arguments.end(), [&](const auto& a) { return a.array == use.array; });
    if (same == view.arguments.end()) {
      view.arguments.push_back({use.parameter, use.array, use.bytes, of_code.reads, of_code.writes});
    } else {
      same->reads |= of_code.reads;
      same->writes |= of_code.writes;
    }
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
  view.restored.assign(restored.begin(), restored.end());
}

void LaunchReports::note(std::size_t row, std::string line) {
  auto& notes = rows_[row].notes;
  if (std::find(notes.begin(), notes.end(), line) == notes.end()) notes.push_back(std::move(line));
}

display::LaunchReport LaunchReports::finish() {
  session_.submission().synchronize();
  add_library_calls();
  std::size_t next = 0;
  for (const auto& timing : session_.launches().take_timings()) {
    while (next < timed_.size() && timed_[next].first < timing.number) ++next;
    if (next == timed_.size() || timed_[next].first != timing.number) continue;
    auto& row = rows_[timed_[next].second];
    if (timing.bytes)
      row.counted = timing.bytes;
    else
      row.times.push_back(timing.duration);
  }
  note_imbalance(rows_);
  const auto& info = session_.device_info();
  return {std::move(rows_), info.name, info.peak_bandwidth};
}

}  // namespace xcuda::interpreter
