// Host code of cells where the host does not see the session's memory, as on a GPU: it runs in a process of the CPU
// device, over mirrors of that memory. See docs/decisions/host_worker.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "arrays/operations.hpp"
#include "device/device.hpp"
#include "session/host/host_workspace.hpp"
#include "session/host/mirrors.hpp"
#include "session/launch_log.hpp"

namespace xcuda::session {

class Session;

class HostWorker {
 public:
  HostWorker(Session& session, const Current& current);
  ~HostWorker();
  HostWorker(const HostWorker&) = delete;
  HostWorker& operator=(const HostWorker&) = delete;

  // Whether host code of this session runs here, and not on its device. Starts nothing.
  bool wanted();
  // Whether code that uses this memory runs here; starts the process if needed. Errors: those of a start.
  bool takes(std::span<const device::Address> memory);
  arrays::Operations& operations() { return operations_; }
  device::Device& process() { return *process_; }
  const device::DeviceInfo& info() const { return info_; }

  // Puts variables into the session's memory. Returns their initial bytes.
  std::vector<std::byte> place_variables(device::ModuleId module, const std::vector<device::VariableInfo>& variables);
  // Memory of the process of so many bytes, until the next call.
  device::Address results(std::uint64_t bytes);
  std::vector<std::byte> read_results(std::uint64_t bytes);
  // Runs a kernel of one thread to its end, after all posts to the session's device; its changes are on that device
  // afterwards, also after a fault. Errors: those of a launch.
  void run(device::LaunchRequest request, const LaunchSite& site);

  // Names ranges as for the device.
  void name_range(const device::ArrayRange& range);
  void forget_range(device::Address address);

  void device_changed() { changed_ = true; }  // by others than the session: Python, the files' process
  void begin_cell();
  void clear();  // forgets what cells defined
  void end();    // the process, too

  const Mirrors::Counts& counts() const { return mirrors_.counts(); }

 private:
  void start();
  void prepare();
  void replaced(const device::Recovery& recovery);

  Session& session_;
  std::unique_ptr<device::Device> process_;
  device::DeviceInfo info_;
  Mirrors mirrors_;
  HostWorkspace workspace_;
  arrays::Operations operations_{workspace_};
  std::map<device::Address, device::ArrayRange> ranges_;
  enum class State : std::uint8_t { not_asked, refused } state_ = State::not_asked;  // refused: it cannot be had here
  std::uint64_t results_bytes_ = 0;
  std::uint64_t number_ = 0;              // of the launch
  std::uint64_t changes_seen_ = 0;        // of the submission
  bool changed_ = true, looked_ = false;  // looked: the process lived at a call of this cell
};

}  // namespace xcuda::session
