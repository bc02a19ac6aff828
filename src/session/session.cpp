#include "session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "session/failures.hpp"

namespace xcuda::session {

Session::Session(SessionParts parts, Commands& commands)
    : parts_(std::move(parts)),
      commands_(commands),
      variables_({[this](std::uint64_t bytes) { return memory_->allocate(bytes); },
                  [this](device::Address address) { memory_->free(address); }}) {
  const auto usable = std::find_if(parts_.devices.begin(), parts_.devices.end(),
                                   [](const DeviceChoice& d) { return d.reason.empty(); });
  chosen_ = static_cast<std::size_t>(usable - parts_.devices.begin());
}

Session::~Session() = default;

void Session::start_device() {
  if (device_ != nullptr || chosen_ >= parts_.devices.size()) return;
  device_ = choice().start(output_handler());
}

OutputHandler Session::output_handler() {
  return [this](OutputStream which, std::string_view text) {
    if (run_ != nullptr) run_->sink.stream(which, text);
  };
}

void Session::shut_down() {
  memory_.reset();
  device_.reset();
}

void Session::rest() {
  if (memory_ == nullptr || resting_ || pending_ || !info_.memory_outlives_process) return;
  device_->rest();
  resting_ = true;
}

// Before a cell runs, and after a command of the shell: the device is as the last cell left it, whatever has become of
// its process. One that is gone, or that a signal has stopped, is replaced. Only its answer shows that it lives: one
// that was killed a moment ago still looks alive.
void Session::revive() {
  if (std::exchange(resting_, false)) return void(recovered(device_->restart()));
  if (memory_ == nullptr || pending_ || capture_ != nullptr || !device_->lives()) return;
  const auto completion = device_->synchronize(wait_limits());
  if (!device_->lives()) return;  // what needs it says why; the rest of the cell may not, and %restart is one
  if (completion.fault) fail(*completion.fault, completion.recovery);
  if (completion.recovery) return void(recovered(*completion.recovery));
  if (addresses_stale_) refresh_addresses();
}

void Session::wake() {
  revive();
  constexpr std::size_t kMostOperations = 512;  // modules of the session's own kernels that stay loaded
  if (operations_.size() > kMostOperations) operations_.drop();
}

device::Device& Session::device() {
  if (memory_ != nullptr) return *device_;
  if (chosen_ >= parts_.devices.size())
    throw Error(ErrorKind::device, "there is no device to run on")
        .advise("xcuda --doctor says which devices were looked for.");
  start_device();
  info_ = device_->info();
  memory_ = std::make_unique<device::Memory>(*device_);
  if (!info_.memory_outlives_process && run_ != nullptr)
    run_->sink.display(display::text_bundle(
        fmt::format("{} does not share its memory between processes: arrays will not survive a fault", info_.name)));
  if (info_.window.size < info_.memory_total && run_ != nullptr)
    run_->sink.display(display::text_bundle(
        fmt::format("The limit on address space (ulimit -v) leaves {} of addresses for arrays; there are {} of memory.",
                    format_bytes(info_.window.size), format_bytes(info_.memory_total))));
  return *device_;
}

const device::DeviceInfo& Session::device_info() {
  device();
  return info_;
}

void Session::posted() {
  pending_ = true;
  if (launch_limit_ > 0 && !deadline_) deadline_ = std::chrono::steady_clock::now() + launch_time_left_;
}

void Session::limit_launches(double seconds) {
  launch_limit_ = std::min(seconds, kMaxSeconds);
  launch_time_left_ =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(launch_limit_));
  deadline_.reset();
}

// Nothing is under way: what the host does next does not count.
void Session::stop_launch_clock() {
  if (!deadline_) return;
  launch_time_left_ = std::max(*deadline_ - std::chrono::steady_clock::now(), {});
  deadline_.reset();
}

device::WaitRequest Session::wait_limits() {
  return {&interrupt_, deadline_, std::chrono::milliseconds(static_cast<std::int64_t>(settings_.grace * 1000))};
}

WaitLimits Session::limits() {
  const auto wait = wait_limits();
  return {.interrupt = wait.interrupt, .deadline = wait.deadline, .grace = wait.grace};
}

void Session::synchronize() {
  forbid_in_capture("a value is needed");
  if (!pending_ || memory_ == nullptr) return;
  variables_.post_save(*device_);
  pending_ = false;
  const Progress::Activity activity(progress_, "waiting for the device");
  const auto completion = device_->synchronize(wait_limits());
  stop_launch_clock();
  launches_.add_timings(completion.timings);
  if (completion.fault) fail(*completion.fault, completion.recovery);
  if (completion.recovery) recovered(*completion.recovery);
  variables_.saved();
  if (!completion.refused.empty()) throw refusal(completion.refused.front());
  if (!completion.skipped.empty()) throw skipped(completion.skipped);
  launches_.done();
  memory_->synchronized();  // gives slabs back, and may throw: after all that there is to tell
}

Error Session::refusal(const device::RefusedLaunch& refused) {
  const auto* site = launches_.find(refused.number);
  auto error = Error(ErrorKind::launch, fmt::format("cannot launch {}", site != nullptr ? site->text : "a kernel"))
                   .said(refused.library)
                   .advise(refused.advice);
  if (site != nullptr) error.place = site->place;
  launches_.done();
  return error;
}

// The device stopped by itself between two launches: what follows in the cell would work on arrays that are half done.
Error Session::skipped(const std::vector<std::uint64_t>& numbers) {
  const auto* site = launches_.find(numbers.front());
  Error error(ErrorKind::interrupted, "interrupted");
  const auto first = site != nullptr ? fmt::format(": {}", site->text) : std::string();
  error.notes.push_back(numbers.size() == 1 ? fmt::format("One launch did not run{}.", first)
                                            : fmt::format("{} launches did not run, from this one on{}.",
                                                          format_count(numbers.size()), first));
  if (site != nullptr) error.place = site->place;
  launches_.done();
  return error;
}

// A call found the process gone, and threw; what is known of it, and the recovery, comes here.
void Session::take_fault() {
  if (memory_ == nullptr) return;
  const auto completion = device_->take_fault();
  if (!completion) return;
  if (completion->fault) fail(*completion->fault, completion->recovery);
  if (completion->recovery) recovered(*completion->recovery);
}

// Module memory is new: every address is asked again, and the variables are put back as they were saved.
void Session::after_restart() {
  info_ = device_->info();
  for (const auto& module : modules_.all()) {
    auto info = device_->module_info(module->id);
    variables_.reload_module(module->id, info);
    modules_.refresh(module->id, std::move(info));
  }
  for (const auto id : operations_.loaded()) variables_.reload_module(id, device_->module_info(id));
}

void Session::fail(const device::Fault& fault, const std::optional<device::Recovery>& recovery) {
  display::FaultView view;
  view.fault = fault;
  view.recovery = recovery;
  for (const auto number : fault.launches)
    if (const auto* site = launches_.find(number); site != nullptr)
      if (std::find(view.candidates.begin(), view.candidates.end(), site->text) == view.candidates.end())
        view.candidates.push_back(site->text);
  const auto* site = fault.launches.empty() ? nullptr : launches_.find(fault.launches.front());
  if (view.candidates.size() == 1) {
    view.launch = view.candidates.front();
    view.candidates.clear();
  }
  view.possibly_written = launches_.possibly_written();
  for (const auto& name : arrays_.names())
    if (std::find(view.possibly_written.begin(), view.possibly_written.end(), name) == view.possibly_written.end())
      view.others.push_back(name);

  auto kind = ErrorKind::device;
  if (fault.kind == device::FaultKind::interrupted || fault.kind == device::FaultKind::time_limit)
    kind = ErrorKind::interrupted;
  const bool too_long = fault.kind == device::FaultKind::time_limit && launch_limit_ > 0;
  if (fault.kind == device::FaultKind::assertion) kind = ErrorKind::assertion;
  std::string what = fault.message.empty() ? std::string(device::fault_name(fault.kind)) : fault.message;
  Error error(kind, view.launch.empty() ? what : fmt::format("{}: {}", view.launch, what));
  error.library = fault.library;
  if (site != nullptr) error.place = site->place;
  if (too_long)
    error.advice = fmt::format("The limit is {}; %%launch --timeout and %config timeout change it.",
                               format_duration(launch_limit_ * 1e9));
  // A GPU says no more than that; the CPU device names the array, the index, the thread and the line.
  const bool access =
      fault.kind == device::FaultKind::illegal_address || fault.kind == device::FaultKind::misaligned_address;
  if (access && fault.array.empty() && info_.kind == device::Kind::cuda)
    error.advice = "%%launch --check runs the same launch on the CPU device, with bounds checks, and names the access.";
  launches_.done();
  if (recovery) {
    const auto names = recovered(*recovery);
    if (!names.empty()) view.recovered_variables = names + ", as of the last synchronisation";
  } else if (fault.kind == device::FaultKind::interrupted) {
    throw Error(ErrorKind::interrupted, "interrupted");  // the device stopped by itself between two launches
  }
  throw DeviceFailure(std::move(error), std::move(view));
}

device::Recovery Session::restart_device() {
  device();
  synchronize();
  auto recovery = device_->restart();
  recovered(recovery);
  return recovery;
}

// A new process stands in for the old one: addresses, variables and what did not survive.
std::string Session::recovered(const device::Recovery& recovery) {
  addresses_stale_ = true;
  recorded_.clear();
  if (!recovery.window_kept) move_arrays();
  return refresh_addresses();
}

// Asks the new process for what moved. When it is lost meanwhile, the next cell asks again.
std::string Session::refresh_addresses() {
  after_restart();
  auto names = variables_.post_restore(*device_);
  pending_ = pending_ || !names.empty();
  addresses_stale_ = false;
  return names;
}

// The window is elsewhere: every array moves with it.
void Session::move_arrays() {
  const auto before = info_.window;
  info_ = device_->info();
  memory_->move_window(info_.window);
  textures_.move(textures_.remade([&](device::Address at) { return at - before.base + info_.window.base; }));
  for (auto& array : arrays_.all()) array.address = array.address - before.base + info_.window.base;
}

void Session::reset() {
  operations_.drop();
  for (const auto& module : modules_.all()) device_->unload_module(module->id);
  variables_.clear();
  for (const auto& array : arrays_.all()) free_memory(array);
  arrays_.clear();
  names_.clear();
  textures_.forget_uses();
  modules_.clear();
  program_.clear();
  layouts_.clear();
  for (const auto& [name, id] : streams_) device_->destroy_stream(id);
  for (const auto& [name, id] : events_) device_->destroy_event(id);
  streams_.clear();
  events_.clear();
  recorded_.clear();
  definitions_.clear();
  constants_.values.clear();
  seed_ = 0x5eed;
  for (auto& entry : history_) entry.outcome = HistoryEntry::Outcome::undone;
}

// A graph gives no values while it is captured, and keeps only what stays the same from launch to launch.
void Session::forbid_in_capture(std::string_view what) const {
  if (capture_ == nullptr) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("{} while a graph is captured: nothing of it runs before its end", what))
      .advise("Put this statement into a cell of its own, before or behind this one.");
}

void Session::note_written(device::Address address) {
  variables_.wrote_at(address);
  if (capture_ == nullptr) return;
  if (const auto* array = arrays_.at(address)) capture_->wrote(array->address);
}

void Session::end_texture(device::TextureId id) {
  if (memory_ == nullptr) return;
  device_->post_destroy_texture(id);
  pending_ = true;
}

device::EventId Session::event(const std::string& name) {
  if (const auto known = events_.find(name); known != events_.end()) return known->second;
  const device::EventId id{next_event_++};
  device().create_event(id);
  events_[name] = id;
  return id;
}

device::StreamId Session::stream(const std::string& name) {
  const auto known = streams_.find(name);
  if (known != streams_.end()) return known->second;
  const device::StreamId id{next_stream_++};
  device().create_stream(id);
  streams_[name] = id;
  return id;
}

}  // namespace xcuda::session
