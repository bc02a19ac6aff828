// The state between cells: tables, the device in use, and the one way to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arrays/operations.hpp"
#include "base/interrupt.hpp"
#include "display/error_report.hpp"
#include "session/array_files.hpp"
#include "session/array_table.hpp"
#include "session/device_code.hpp"
#include "session/history.hpp"
#include "session/host/host_worker.hpp"
#include "session/names.hpp"
#include "session/parts.hpp"
#include "session/recovery.hpp"
#include "session/session_workspace.hpp"
#include "session/stream_table.hpp"
#include "session/submission.hpp"
#include "session/textures.hpp"
#include "session/view.hpp"

namespace xcuda::session {

class Session {
 public:
  Session(SessionParts parts, Commands& commands);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The body of a cell, which is in the history from here on. Nothing escapes; an error is a value.
  std::optional<display::ErrorView> run_cell(const CellText& text, Sink& sink,
                                             const std::function<void(CellRun&)>& body);
  // Runs a body and all that it posts: returns the error that it threw, or that the device reports at its end.
  std::optional<display::ErrorView> run_to_end(CellRun& run, const std::function<void()>& body);
  void wake();   // before a cell, and after a command of the shell
  void reset();  // forgets all that cells defined

  ArrayTable& arrays() { return arrays_; }
  NameTable& names() { return names_; }
  TextureTable& textures() { return textures_; }
  StreamTable& streams() { return streams_; }
  ModuleVariables& variables() { return variables_; }
  DeviceCode& code() { return code_; }
  arrays::Operations& operations() { return operations_; }
  HostWorker& host() { return host_; }

  Submission& submission() { return submission_; }
  LaunchLog& launches() { return launches_; }
  Recovery& recovery() { return recovery_; }
  ChosenDevice& chosen() { return device_; }
  device::Device& device() { return device_.get(); }
  const device::DeviceInfo& device_info() { return device_.info(); }

  Settings& settings() { return settings_; }
  Interrupt& interrupt_flag() { return interrupt_; }
  Progress& progress() { return progress_; }
  Commands& commands() { return commands_; }
  const SessionParts& parts() const { return parts_; }
  const std::vector<HistoryEntry>& history() const { return history_; }
  std::uint64_t next_seed() { return seed_++; }

 private:
  SessionParts parts_;
  Commands& commands_;
  Settings settings_;
  Interrupt interrupt_;
  Current current_;
  Progress progress_;
  LaunchLog launches_;
  ChosenDevice device_{parts_, current_};
  ModuleVariables variables_;
  Submission submission_;
  StreamTable streams_{device_};
  SessionWorkspace workspace_{*this, current_};
  HostWorker host_{*this, current_};
  TextureTable textures_{device_, submission_};
  // Names and constants may hold textures and temporary memory, and go before these.
  DeviceCode code_;
  arrays::Operations operations_{workspace_};
  NameTable names_;
  ArrayTable arrays_;
  Recovery recovery_;
  std::vector<HistoryEntry> history_;
  std::uint64_t seed_ = kFirstSeed;
  static constexpr std::uint64_t kFirstSeed = 0x5eed;  // a fixed start: Restart and Run All repeats
};

}  // namespace xcuda::session
