// Handles a failed synchronisation, and updates the session's tables when the device's process was replaced.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays/operations.hpp"
#include "base/error.hpp"
#include "device/device.hpp"
#include "session/array_table.hpp"
#include "session/host_module_table.hpp"
#include "session/modules.hpp"
#include "session/stream_table.hpp"
#include "session/submission.hpp"
#include "session/textures.hpp"

namespace xcuda::session {

class Recovery {
 public:
  struct Parts {
    ChosenDevice& device;
    Submission& submission;
    LaunchLog& launches;
    ModuleVariables& variables;
    ModuleTable& modules;
    ArrayTable& arrays;
    TextureTable& textures;
    StreamTable& streams;
    arrays::Operations& operations;
    HostModuleTable& host_modules;
  };
  explicit Recovery(Parts parts) : parts_(parts) {}

  void rest();   // gives the device's process back; the next cell starts another
  void rouse();  // the device's process, as a cell will run soon; looks whether it is well
  // Called before a cell runs, and after a command of the shell: makes the device as the last cell left it. A process
  // that is gone, or that a signal has stopped, is replaced.
  void wake();
  device::Recovery restart();
  // Judges the end of posted work. Throws Error(launch), DeviceFailure, Error(interrupted).
  void judge(const device::Completion& completion);
  // Judges a run of host code, with this number, in its own process; the device has no part in it.
  void judge_host(device::Completion completion, std::uint64_t number, const LaunchSite& site);
  // Handles the loss of the process that a call found, and threw for: the known facts and the recovery.
  void take_fault();

 private:
  Error refusal(const device::RefusedLaunch& refused);
  Error skipped(const std::vector<std::uint64_t>& numbers);
  enum class Process : std::uint8_t { device, host };  // the process that ended
  [[noreturn]] void fail(const device::Fault& fault, const std::optional<device::Recovery>& recovery,
                         Process process = Process::device);
  std::string recovered(const device::Recovery& recovery);  // names of variables that were put back
  std::string refresh_addresses();
  void drop_borrowed();
  void move_arrays();

  Parts parts_;
  bool well_ = false;             // the device's process was, when rouse() looked
  bool resting_ = false;          // the device's process was given back
  bool addresses_stale_ = false;  // the device's process was replaced, and module memory was not asked for again yet
};

}  // namespace xcuda::session
