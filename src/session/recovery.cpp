#include "session/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "device/host_code.hpp"
#include "session/failures.hpp"
#include "session/own_cell.hpp"

namespace xcuda::session {
namespace {

// Its memory went with a device that shares none.
Error lost_device(const device::Fault& fault, const ArrayTable& arrays, const device::Memory& memory) {
  const auto lives_there = [&](const Array& array) {
    auto places = memory.copies_of(array.address);
    if (places.empty()) places.push_back(array.address);
    for (const auto place : places)
      for (const auto& home : memory.homes_of(place, std::max<std::uint64_t>(array.bytes(), 1)))
        if (home.device == fault.device) return true;
    return false;
  };
  Error error(ErrorKind::device, fault.message);
  error.library = fault.library;
  if (fault.whole_set)
    return std::move(error).advise("The arrays went with them. %restart starts all of them again, with new arrays.");
  std::vector<std::string> gone;
  for (const auto& array : arrays.all())
    if (lives_there(array)) gone.push_back(array.name);
  if (!gone.empty())
    error.notes.push_back(fmt::format("device {} had all or part of {}", fault.device, fmt::join(gone, ", ")));
  error.advice = "What other devices have is still there. %restart starts all of them again, with new arrays.";
  return error;
}

// What statements say of the same access or operation, as a ValueError.
bool is_of_code(device::FaultKind kind) {
  using Kind = device::FaultKind;
  switch (kind) {
    case Kind::illegal_address:
    case Kind::misaligned_address:
    case Kind::out_of_bounds:
    case Kind::null_pointer:
    case Kind::uninitialised_read:
    case Kind::stack_overflow:
    case Kind::trap: return true;
    default: return false;
  }
}

// A limit that is over has ended a device, and the new process is still to be asked for what it has.
void leave_time(TimeLimit& limit) {
  constexpr double kSeconds = 10;
  if (!limit.deadline() || *limit.deadline() > TimeLimit::Clock::now()) return;
  limit.set(kSeconds);
  limit.run();
}

}  // namespace

void Recovery::rest() {
  if (!parts_.device.started() || resting_ || parts_.submission.pending()) return;
  if (!parts_.device.info().memory_outlives_process || !parts_.device.get().shares_memory()) return;
  parts_.device.get().rest();
  resting_ = true;
}

void Recovery::rouse() {
  well_ = false;
  if (resting_ || !parts_.device.started() || parts_.submission.pending()) return;
  auto& device = parts_.device.get();
  well_ = device.idles();
  if (device.lives()) device.rouse();
}

void Recovery::wake() {
  auto& chosen = parts_.device;
  if (std::exchange(resting_, false)) return void(recovered(chosen.get().restart()));
  if (!chosen.started()) return;
  auto& device = chosen.get();
  if (!device.lives()) device.rouse();
  if (!device.lives()) return;  // what needs it says why; the rest of the cell may not, and %restart is one
  take_fault();
  if (parts_.submission.pending() || parts_.submission.capture() != nullptr) return;
  if (std::exchange(well_, false) && !addresses_stale_) return;
  const auto completion = device.synchronize(parts_.submission.wait_request());
  if (!device.lives()) return;
  if (completion.fault) fail(*completion.fault, completion.recovery);
  if (completion.recovery) return void(recovered(*completion.recovery));
  if (addresses_stale_) refresh_addresses();
}

device::Recovery Recovery::restart() {
  auto& device = parts_.device.get();
  parts_.submission.synchronize();
  auto recovery = device.restart();
  recovered(recovery);
  return recovery;
}

void Recovery::judge(const device::Completion& completion) {
  parts_.launches.add_timings(completion.timings);
  parts_.launches.add_reports(completion.reports);
  if (completion.fault) fail(*completion.fault, completion.recovery);
  if (completion.recovery) recovered(*completion.recovery);
  parts_.variables.saved();
  if (!completion.refused.empty()) throw refusal(completion.refused.front());
  if (!completion.skipped.empty()) throw skipped(completion.skipped);
  parts_.launches.done();
  parts_.device.memory().synchronized();  // gives slabs back, and may throw: after all that there is to tell
}

void Recovery::judge_host(device::Completion completion, std::uint64_t number, const LaunchSite& site) {
  if (!completion.fault && completion.refused.empty() && completion.skipped.empty()) return;
  const auto known =
      parts_.launches.add(parts_.launches.site(site.statement, site.kernel, site.uses, [&] { return site; }));
  for (auto& refused : completion.refused)
    if (refused.number == number) refused.number = known;
  for (auto& skipped : completion.skipped) skipped = known;
  if (completion.fault) {
    completion.fault->launches = {known};
    fail(*completion.fault, completion.recovery, Process::host);
  }
  if (!completion.refused.empty()) throw refusal(completion.refused.front());
  throw skipped(completion.skipped);
}

void Recovery::take_fault() {
  if (!parts_.device.started()) return;
  const auto completion = parts_.device.get().take_fault();
  if (!completion) return;
  parts_.device.order().forget_waits();
  if (completion->fault) fail(*completion->fault, completion->recovery);
  if (completion->recovery) recovered(*completion->recovery);
}

Error Recovery::refusal(const device::RefusedLaunch& refused) {
  const auto* site = parts_.launches.find(refused.number);
  if (!refused.thrown.empty()) {
    auto error = Error(ErrorKind::value,
                       fmt::format("{} threw {}", site != nullptr ? site->text : "a host module", refused.thrown))
                     .said(refused.library);
    if (site != nullptr) error.place = site->place;
    parts_.launches.done();
    return error;
  }
  auto error = Error(ErrorKind::launch, fmt::format("cannot launch {}", site != nullptr ? site->text : "a kernel"))
                   .said(refused.library)
                   .advise(refused.advice);
  if (site != nullptr) error.place = site->place;
  parts_.launches.done();
  return error;
}

// The device stopped by itself between two launches: what follows in the cell would work on arrays that are half done.
Error Recovery::skipped(const std::vector<std::uint64_t>& numbers) {
  const auto* site = parts_.launches.find(numbers.front());
  Error error(ErrorKind::interrupted, "interrupted");
  const auto first = site != nullptr ? fmt::format(": {}", site->text) : std::string();
  error.notes.push_back(numbers.size() == 1 ? fmt::format("One launch did not run{}.", first)
                                            : fmt::format("{} launches did not run, from this one on{}.",
                                                          format_count(numbers.size()), first));
  if (site != nullptr) error.place = site->place;
  parts_.launches.done();
  return error;
}

void Recovery::fail(const device::Fault& fault, const std::optional<device::Recovery>& recovery, Process process) {
  if (!recovery && process == Process::device && fault.kind == device::FaultKind::worker_died &&
      !parts_.device.get().shares_memory()) {
    parts_.launches.done();
    throw lost_device(fault, parts_.arrays, parts_.device.memory());
  }
  display::FaultView view;
  view.fault = fault;
  view.recovery = recovery;
  for (const auto number : fault.launches)
    if (const auto* site = parts_.launches.find(number); site != nullptr)
      if (std::find(view.candidates.begin(), view.candidates.end(), site->text) == view.candidates.end())
        view.candidates.push_back(site->text);
  const auto* site = fault.launches.empty() ? nullptr : parts_.launches.find(fault.launches.front());
  if (view.candidates.size() == 1) {
    view.launch = view.candidates.front();
    view.candidates.clear();
  }
  if (view.fault.block && site != nullptr) {  // counted from the first block of its part of the grid
    view.fault.block->x += site->first_block.x;
    view.fault.block->y += site->first_block.y;
    view.fault.block->z += site->first_block.z;
  }
  const auto name_cell = [&](std::string& source) {
    if (source == kOwnCell && site != nullptr) source = site->place.source;
    if (source.starts_with("/In[")) source.erase(0, 1);  // as a GPU's assert has it
  };
  if (fault.entry.find(device::kNativeKernel) != std::string::npos)
    view.code = fault.source == kOwnCell ? display::FaultyCode::host_loop : display::FaultyCode::host_function;
  name_cell(view.fault.source);
  if (view.fault.other) name_cell(view.fault.other->source);
  view.possibly_written = parts_.launches.possibly_written();
  for (const auto& name : parts_.arrays.names())
    if (std::find(view.possibly_written.begin(), view.possibly_written.end(), name) == view.possibly_written.end())
      view.others.push_back(name);

  auto kind = view.code != display::FaultyCode::kernel && is_of_code(fault.kind) ? ErrorKind::value : ErrorKind::device;
  if (fault.kind == device::FaultKind::interrupted || fault.kind == device::FaultKind::time_limit)
    kind = ErrorKind::interrupted;
  const bool too_long = fault.kind == device::FaultKind::time_limit && parts_.submission.time_limit().seconds() > 0;
  if (fault.kind == device::FaultKind::assertion) kind = ErrorKind::assertion;
  const bool host_died = process == Process::host && fault.kind == device::FaultKind::worker_died;
  std::string what = host_died               ? "the process for host code died"
                     : fault.message.empty() ? std::string(device::fault_name(fault.kind))
                                             : fault.message;
  auto asserts = parts_.device.failed_asserts();
  for (auto& failed : asserts) name_cell(failed.source);
  if (!asserts.empty() && kind == ErrorKind::assertion) {
    const auto& first = asserts.front();
    what = fmt::format("the assertion `{}` failed", first.condition);
    view.fault.block = first.blocks.front();
    view.fault.thread = first.threads.front();
    if (view.fault.line == 0) {
      view.fault.source = first.source;
      view.fault.line = first.line;
    }
  }
  const auto block = view.candidates.empty() && !fault.launches.empty()
                         ? parts_.launches.block_of(fault.launches.front())
                         : std::nullopt;
  if (block && !asserts.empty() && asserts.front().blocks.size() == 1 && asserts.front().count > 1)
    view.failed_threads = display::MarkedThreads{*block, asserts.front().threads};
  if (parts_.device.order().several() && process == Process::device)
    what = fmt::format("device {}: {}", fault.device, what);
  Error error(kind, view.launch.empty() ? what : fmt::format("{}: {}", view.launch, what));
  error.library = fault.library;
  for (const auto& failed : asserts) {
    const auto threads = threads_text(failed, block);
    if (&failed != &asserts.front())
      error.notes.push_back(fmt::format("{}:{}: the assertion `{}` failed{}{}", failed.source, failed.line,
                                        failed.condition, threads.empty() ? "" : " in ", threads));
    else if (!threads.empty())
      error.notes.push_back("it failed in " + threads);
  }
  if (site != nullptr) error.place = site->place;
  if (too_long)
    error.advice = fmt::format("The limit is {}. Change it with %%launch --timeout or %config timeout.",
                               format_duration(parts_.submission.time_limit().seconds() * 1e9));
  // A GPU says no more than that; the CPU device names the array, the index, the thread and the line.
  const bool access =
      fault.kind == device::FaultKind::illegal_address || fault.kind == device::FaultKind::misaligned_address;
  if (access && fault.array.empty() && process == Process::device && parts_.device.info().kind == device::Kind::cuda)
    error.advice = "To find the access, use %%launch --check: it runs the launch on the CPU device with bounds checks.";
  parts_.launches.done();
  if (recovery && process == Process::device) {
    leave_time(parts_.submission.time_limit());
    const auto names = recovered(*recovery);
    if (parts_.host_modules.take_news()) error.notes.emplace_back(kReloadedNote);
    if (!names.empty()) view.recovered_variables = names + ", as of the last synchronisation";
  } else if (!recovery && fault.kind == device::FaultKind::interrupted) {
    throw Error(ErrorKind::interrupted, "interrupted");  // the device stopped by itself between two launches
  }
  throw DeviceFailure(std::move(error), std::move(view));
}

// A new process replaces the old one: addresses, variables and what did not survive.
std::string Recovery::recovered(const device::Recovery& recovery) {
  addresses_stale_ = true;
  parts_.streams.forget_recorded();
  parts_.host_modules.reloaded();
  for (const auto id : recovery.modules_lost)
    parts_.host_modules.lose(id, "the device's new process could not load it");
  drop_borrowed();
  if (!recovery.window_kept) move_arrays();
  return refresh_addresses();
}

// Module memory is new: every address is asked again, and the variables are put back as they were saved. When the
// process is lost meanwhile, the next cell asks again. Returns the variables' names.
std::string Recovery::refresh_addresses() {
  parts_.device.refresh_info();
  auto& device = parts_.device.get();
  for (const auto& module : parts_.modules.all()) {
    auto info = device.module_info(module->id);
    parts_.variables.reload_module(module->id, info);
    parts_.modules.refresh(module->id, std::move(info));
  }
  for (const auto id : parts_.operations.loaded()) parts_.variables.reload_module(id, device.module_info(id));
  auto names = parts_.variables.post_restore();
  addresses_stale_ = false;
  return names;
}

// What another process lends is open in a process, and the new one cannot open it: the lender may have taken it back.
void Recovery::drop_borrowed() {
  auto& memory = parts_.device.memory();
  memory.forget_borrowed();
  for (const auto& name : parts_.arrays.names())
    if (memory.is_borrowed(parts_.arrays.find(name)->address)) parts_.arrays.free(name);
}

// The window is elsewhere: every array moves with it.
void Recovery::move_arrays() {
  parts_.arrays.call_in();
  const auto before = parts_.device.info().window;
  parts_.device.refresh_info();
  const auto& window = parts_.device.info().window;
  parts_.device.memory().move_window(window);
  const auto moved = [&](device::Address at) { return at - before.base + window.base; };
  parts_.textures.move(parts_.textures.remade(moved));
  parts_.arrays.move(moved);
}

}  // namespace xcuda::session
