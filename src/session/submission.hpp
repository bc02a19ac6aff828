// What the session has the device do. Every launch, graph, fill, copy, write and read goes through here, and no other
// part of the session posts work: each needs the stream of a capture, the arrays and variables that it writes, the
// log that a fault is placed by, the clock of the time limit, and the wait that is due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/interrupt.hpp"
#include "device/device.hpp"
#include "device/transfer.hpp"
#include "session/capture.hpp"
#include "session/chosen_device.hpp"
#include "session/launch_log.hpp"
#include "session/module_variables.hpp"
#include "session/progress.hpp"
#include "session/settings.hpp"
#include "session/time_limit.hpp"
#include "session/timeline.hpp"

namespace xcuda::session {

class HostWorker;

class KeptLaunch;

class Submission {
 public:
  struct Parts {
    ChosenDevice& device;
    ModuleVariables& variables;
    LaunchLog& launches;
    Progress& progress;
    const Settings& settings;
    Interrupt& interrupt;
    HostWorker& host;
    std::function<void(const device::Completion&)> judge;  // throws what went wrong
  };
  explicit Submission(Parts parts) : parts_(std::move(parts)) {}

  // Work. The site is of the launch log; the result is the launch's number.
  std::uint64_t launch(device::LaunchRequest&& request, const SharedSite& site);
  using Work = std::variant<device::GraphLaunch, device::LibraryLaunch, device::HostCall>;
  std::uint64_t launch(Work work, const SharedSite& site);
  // Work of several devices, beside each other: none of them waits for what another one does meanwhile. Each is posted
  // while its device is the one that statements work on.
  void together(const std::vector<DeviceOrder::Work>& work, const std::function<void(std::size_t)>& post);
  void bring_variables(device::ModuleId module, device::StreamId stream);  // as before a launch
  void fill(const device::FillRequest& request);
  // Where an array has a copy on each device, all of them get it; from itself the others.
  void copy(device::Address to, device::Address from, std::uint64_t bytes);
  void record(device::EventId event, device::StreamId stream);
  void wait(device::StreamId stream, device::EventId event);

  // Contents, through the staging buffer; reads synchronise.
  void write(device::Address to, std::span<const std::byte> bytes);
  void write(const device::Region& to, const std::function<void(std::span<std::byte>)>& give);
  void read(device::Address from, std::span<std::byte> bytes);
  void read(const device::Region& from, const std::function<void(std::span<const std::byte>)>& take);
  // A few bytes of several devices, each by its own, in one wait.
  struct Piece {
    std::uint32_t device = 0;
    device::Address from = 0;
    std::span<std::byte> bytes{};
  };
  void read(std::span<const Piece> pieces);

  // What the device knows of memory, and what it forgets.
  void name_range(const device::ArrayRange& range);
  void forget(std::variant<device::Address, device::TextureId, device::GraphId> what);  // the address of a range
  void copy_variable(device::StreamId stream, const device::CopyRequest& request);      // a step of another request

  bool pending() const { return pending_; }
  // Waits for all that was posted. Throws what went wrong with it: Error(launch), DeviceFailure, Error(interrupted).
  void synchronize();

  device::WaitRequest wait_request() const;  // of the cell that runs
  TimeLimit& time_limit() { return time_limit_; }
  void change_time_limit(double seconds);  // for the rest of the cell, with what is under way

  // The graph whose statements run; null when there is none.
  Capture* capture() const { return capture_; }
  void set_capture(Capture* capture) { capture_ = capture; }
  void forbid_in_capture(std::string_view what) const;
  // Where work goes that names no stream.
  device::StreamId default_stream() const {
    return capture_ != nullptr ? capture_->current() : device::on_device({}, parts_.device.order().current());
  }

 private:
  friend class HostWorker;  // whose mirrors are brought up to date, and back
  friend class MeasuredLaunches;
  friend class KeptLaunch;

  class Timed;  // work between two events
  void post(device::GraphLaunch request, const SharedSite& site);
  void post(device::LibraryLaunch request, const SharedSite& site);
  void post(const device::HostCall& request, const SharedSite& site);
  device::Transfer transfer();
  device::Transfer unhindered_transfer();  // whatever an interrupt says: what host code has changed goes back
  void bound();  // before work, so that an endless loop notices a fault, and what is remembered of launches stays small
  void posted();  // work, which takes time of the limit
  void note_written(device::Address address);
  using Ranges = std::span<const DeviceOrder::Range>;
  void in_order(device::StreamId stream, Ranges ranges, DeviceOrder::Heard heard = DeviceOrder::Heard::after_step);
  void require_reach(device::StreamId stream, Ranges ranges, const LaunchSite* site);
  void all_in_order();                                                             // before host data crosses
  Ranges ranges_of(const device::LaunchRequest& request, const LaunchSite& site);  // until the next ones are asked for
  Ranges ranges_of(const library::Call& call);
  template <class Post> void on_each_copy(device::Address address, const Post& post);
  void fill_in_order(const device::FillRequest& request);

  Parts parts_;
  Capture* capture_ = nullptr;
  KeptLaunch* kept_ = nullptr;
  std::vector<DeviceOrder::Range> ranges_;  // of what is posted now
  device::CodeWait code_wait_ = device::CodeWait::quickest;
  std::size_t posts_ = 0;      // since bound() synchronised
  std::uint64_t changes_ = 0;  // rises with each request that may change the device's memory
  bool pending_ = false;       // something was posted since the last synchronisation
  bool forgotten_ = false;     // ranges, which the next synchronisation gives back
  TimeLimit time_limit_;
};

WaitLimits limits_of(const device::WaitRequest& wait);  // the same for another process than the device's

// While it lives, a launch waits for the code that stays: what is measured is the time of later launches, too.
class MeasuredLaunches {
 public:
  explicit MeasuredLaunches(Submission& submission)
      : submission_(submission), before_(std::exchange(submission.code_wait_, device::CodeWait::full)) {}
  ~MeasuredLaunches() { submission_.code_wait_ = before_; }
  MeasuredLaunches(const MeasuredLaunches&) = delete;
  MeasuredLaunches& operator=(const MeasuredLaunches&) = delete;

 private:
  Submission& submission_;
  device::CodeWait before_;
};

// While it lives, a launch comes here and does not happen.
class KeptLaunch {
 public:
  explicit KeptLaunch(Submission& submission) : submission_(submission) { submission.kept_ = this; }
  ~KeptLaunch() { submission_.kept_ = nullptr; }
  KeptLaunch(const KeptLaunch&) = delete;
  KeptLaunch& operator=(const KeptLaunch&) = delete;

  struct Kept {
    device::LaunchRequest request;
    SharedSite site;
  };
  const Kept& kept() const { return kept_; }

 private:
  friend class Submission;
  Submission& submission_;
  Kept kept_;
};

}  // namespace xcuda::session
