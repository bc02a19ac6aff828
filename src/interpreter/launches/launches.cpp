#include "interpreter/launches/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "interpreter/launches/backups.hpp"
#include "interpreter/launches/kernel_templates.hpp"
#include "interpreter/launches/launch_arguments.hpp"
#include "interpreter/launches/launch_configurations.hpp"
#include "interpreter/launches/launch_overloads.hpp"
#include "interpreter/launches/launch_reports.hpp"
#include "interpreter/launches/second_run.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::chrono::milliseconds kCountedAtMost{50};  // a launch that is run again to count its traffic

// Textures are numbers to C++.
bool takes_handles(const compiler::KernelSignature& kernel) {
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [](const auto& p) { return p.type == "unsigned long long"; });
}

// Whether its code calls functions that are not inlined, or that is unknown. A failed assert is an error in any run.
bool calls_functions(const Kernel& kernel) {
  const auto& text = kernel.module->output.ptx;
  if (text.find(".version") == std::string::npos) return true;
  const auto module = ptx::parse_entry(text, kernel.module->source, kernel.signature->entry);
  const auto* entry = module.find_function(kernel.signature->entry);
  return entry == nullptr || std::any_of(entry->calls.begin(), entry->calls.end(), [&](const ptx::Call& call) {
           return call.callee.kind != ptx::Operand::Kind::symbol ||
                  module.functions[call.callee.index].name != "__assertfail";
         });
}

}  // namespace

// All that can be wrong with it is found before anything of it is under way.
CheckedLaunch Launches::check(const cell::Launch& launch, cell::Span span, const LaunchManner& manner) {
  std::vector<KernelArgument> arguments;
  auto name = frame_.lookup.kernel_of(launch);
  const auto& found =
      session_.code().find_kernels(run_, frame_.kernel_templates.name_of(launch, name), launch.kernel_span);
  auto kernel = found.front();
  if (found.size() > 1) {
    const auto overloads = found;  // an argument may compile something
    arguments = frame_.launch_arguments.read(launch, nullptr);
    kernel = choose_overload(overloads, arguments, run_.source, span);
  }
  const auto [shape, stream] = frame_.launch_configurations.of(launch, kernel, manner);
  if (arguments.empty()) arguments = frame_.launch_arguments.read(launch, kernel.signature);
  if (arguments.size() < kernel.signature->parameters.size())
    frame_.launch_arguments.add_defaults(frame_.kernel_templates.defaults(kernel, launch), span, arguments);
  frame_.launch_arguments.convert_enumerations(*kernel.signature, arguments);
  if (takes_handles(*kernel.signature) && arguments.size() == kernel.signature->parameters.size())
    check_textures(*kernel.signature, session_.textures().uses_of(kernel), arguments, run_.source);
  for (const auto& argument : arguments)
    session_.code().require_same_struct(run_.source, kernel, argument.type, argument.span);
  auto checked = check_arguments(*kernel.signature, *kernel.function, arguments, run_.source, span);
  if (manner.mode == device::LaunchMode::cooperative && !session_.device_info().cooperative_launch)
    throw error(ErrorKind::unsupported, fmt::format("{} cannot launch cooperatively", session_.device_info().name),
                span)
        .advise("Split the kernel where its grid synchronises: launches in one stream run in order.");

  device::LaunchRequest request;
  request.module = kernel.module->id;
  request.entry = kernel.function->entry;
  request.grid = shape.grid;
  request.block = shape.block;
  request.dynamic_shared = shape.dynamic_shared;
  request.stream = stream;
  request.mode = manner.mode;
  request.cluster = manner.cluster;
  request.checks = frame_.options.checks;
  request.arguments = std::move(checked.bytes);
  request.textures = std::move(checked.textures);
  if (!request.textures.empty()) frame_.launch_arguments.mark_fetched(request.textures, kernel);
  return {launch, span, std::move(name), kernel, std::move(request), std::move(checked.arrays), std::move(arguments)};
}

SharedSite Launches::site_of(const CheckedLaunch& launch) {
  return session_.launches().site(&launch.statement, launch.name, launch.uses, [&] {
    auto text = snippet(run_.source, launch.span);  // with the kernel's name in place of a pointer's
    if (launch.name != launch.statement.kernel.text) text.replace(0, text.find("<<<"), launch.name);
    return LaunchSite{&launch.statement, launch.name, std::move(text), run_.source.place(launch.span), launch.uses};
  });
}

// The statement is evaluated once for each device, so that device() and local(x) are its own.
Launches::Step Launches::on_devices(const cell::Launch& statement, cell::Span span, const LaunchManner& manner) {
  using Access = DeviceOrder::Range::Access;
  frame_.streams.forbid_in_capture("launches of several devices", span);
  Step step;
  for (const auto device : frame_.options.devices) {
    const DeviceOrder::Use use(session_.chosen().order(), device);
    step.launches.push_back(check(statement, span, manner));
    step.sites.push_back(site_of(step.launches.back()));
    step.work.push_back({device, {}});
    for (const auto& one : step.launches.back().uses)
      step.work.back().ranges.push_back({one.address, one.bytes, one.may_write ? Access::write : Access::read});
  }
  return step;
}

Launches::Step Launches::in_parts(const CheckedLaunch& launch, const GridSplit& split) {
  Step step{{}, split.sites, split.work, {}};
  for (std::size_t i = 0; i < split.parts.size(); ++i)
    step.launches.push_back(frame_.grid_splits.part(launch, split, i));
  return step;
}

void Launches::post(Step& step, Timed timed) {
  const auto one = [&](std::size_t i) {
    auto request = step.launches[i].request;
    if (timed == Timed::yes) request.timing = device::Timing::each;
    const auto number = session_.submission().launch(std::move(request), step.sites[i]);
    if (timed == Timed::yes) frame_.launch_reports.time(number, step.rows[i]);
  };
  step.work.empty() ? one(0) : session_.submission().together(step.work, one);
}

void Launches::run(const cell::Launch& statement, cell::Span span, const LaunchManner& manner) {
  const bool silent = frame_.options.report == LaunchOptions::Report::none;
  Step step;
  GridSplit* split = nullptr;
  if (frame_.options.devices.empty()) {
    auto launch = check(statement, span, manner);
    split = frame_.grid_splits.of(launch);
    const auto site = site_of(launch);
    if (split != nullptr && !split->parts.empty()) {
      frame_.grid_splits.prepare(launch, site, *split);
      if (silent)
        return session_.submission().together(split->work, [&](std::size_t i) {
          session_.submission().launch(device::LaunchRequest(split->requests[i]), split->sites[i]);
        });
      step = in_parts(launch, *split);
    } else {
      if (silent && frame_.options.compare == LaunchOptions::Compare::no)
        return void(session_.submission().launch(std::move(launch.request), site));
      step.launches.push_back(std::move(launch));
      step.sites.push_back(site);
    }
  } else {
    step = on_devices(statement, span, manner);
  }
  auto& first = step.launches.front();
  std::optional<SecondRun> second;
  if (frame_.options.compare == LaunchOptions::Compare::with_cpu)
    second.emplace(session_, SecondRun::Launch{&first.kernel, first.request, first.uses, snippet(run_.source, span),
                                               run_.source.place(span)});
  if (silent) return post(step, Timed::no);
  for (const auto& launch : step.launches) step.rows.push_back(frame_.launch_reports.row(launch));
  if (split != nullptr) note(step.rows.front(), first.name, *split);
  if (frame_.options.repeats())
    repeat(step);
  else
    post(step, Timed::yes);
  if (!second) return;
  session_.submission().synchronize();
  for (auto& line : second->compare()) frame_.launch_reports.note(step.rows.front(), std::move(line));
}

void Launches::note(std::size_t row, std::string_view kernel, const GridSplit& split) {
  if (split.parts.empty())
    return frame_.launch_reports.note(row, fmt::format("{} runs on one device: {}", kernel, split.why_not));
  const auto how = split.array.empty() ? std::string("in equal shares") : fmt::format("as {} is split", split.array);
  frame_.launch_reports.note(row, fmt::format("{} devices share the grid of {} along {}, {}", split.parts.size(),
                                              kernel, "xyz"[split.axis], how));
}

// The warm-up and all timed launches see the same data, and what stays is the effect of one launch.
void Launches::repeat(Step& step) {
  const session::MeasuredLaunches measured(session_.submission());
  const bool restoring = frame_.options.restore == LaunchOptions::Restore::yes;
  std::vector<std::string> written;
  for (const auto& launch : step.launches)
    for (const auto& use : launch.uses)
      if (restoring && use.may_write && std::find(written.begin(), written.end(), use.array) == written.end())
        written.push_back(use.array);
  std::optional<Backups> backups;
  if (restoring) backups.emplace(session_, run_, written, step.launches.front().request.module);
  // Long runs are waited for twice a second, so that what is counted has been done and not only posted.
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  const auto total = frame_.options.warmup + frame_.options.repeat;
  std::uint64_t wait_at = 1;
  for (std::uint64_t i = 0; i < total; ++i) {
    session_.interrupt_flag().check();
    if (i == wait_at) {
      session_.submission().synchronize();
      session_.progress().count(Progress::Unit::runs, i, total);
      const std::chrono::duration<double> each = (Clock::now() - begun) / static_cast<double>(i);
      wait_at =
          i + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(0.5 / std::max(each.count(), 1e-9), 1e9)));
    }
    if (i > 0 && backups) backups->post_restore();
    post(step, i < frame_.options.warmup ? Timed::no : Timed::yes);
  }
  session_.submission().synchronize();
  if (wait_at > 1) session_.progress().count(Progress::Unit::runs, total, total);  // they were counted
  for (const auto row : step.rows) frame_.launch_reports.repeated(row, written);
  const std::chrono::duration<double> each = (Clock::now() - begun) / static_cast<double>(total);
  if (backups && step.work.empty() && each < kCountedAtMost && can_be_counted(step.launches.front())) {
    backups->post_restore();
    count(step.launches.front(), step.sites.front(), step.rows.front());
  }
}

// The CPU device then runs blocks one after the other, and hears of each access.
bool Launches::can_be_counted(const CheckedLaunch& launch) const {
  const auto& checks = launch.request.checks;
  if (session_.device_info().kind != device::Kind::cpu || checks.races || checks.uninitialised) return false;
  return !calls_functions(launch.kernel);  // such as printf(), which would print once more
}

void Launches::count(const CheckedLaunch& launch, const SharedSite& site, std::size_t row) {
  auto request = launch.request;
  request.timing = device::Timing::counted;
  request.checks.races = true;
  frame_.launch_reports.time(session_.submission().launch(std::move(request), site), row);
  session_.submission().synchronize();
}

}  // namespace xcuda::interpreter
