// The device that the session uses: chosen, started when it is first wanted, replaced by %device.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/memory.hpp"
#include "session/assert_lines.hpp"
#include "session/device_order.hpp"
#include "session/parts.hpp"
#include "session/sink.hpp"

namespace xcuda::session {

class ChosenDevice {
 public:
  ChosenDevice(SessionParts& parts, const Current& current);

  device::Device& get();             // started when it is not; Errors: device, io, memory
  const device::DeviceInfo& info();  // as of its start
  device::Memory& memory() { return get(), *memory_; }
  // A library of the device, opened if needed, with memory for its calls. Errors: unsupported, device, memory.
  struct Library {
    library::Facts facts;
    std::map<std::uint32_t, device::Address> workspaces{};  // by device; of a set each has one
    std::map<std::string, std::uint64_t> planned{};         // bytes of workspace, by library::plan_key()
  };
  const Library& library(library::Family family);
  device::Address workspace(library::Family family, std::uint32_t device);  // 0 where it needs none; Error(memory)
  // Makes the plan of a call; returns the bytes that the call needs. Errors: unsupported, device, memory.
  std::uint64_t workspace_bytes(const library::Call& call);
  // Of arrays::Workspace::scratch(), for a device of the set.
  struct Scratch {
    std::uint64_t bytes = 0, place = 0;  // from the begin of the window, which may move
  };
  Scratch& scratch(std::uint32_t device) {
    if (device >= scratch_.size()) scratch_.resize(device + 1);
    return scratch_[device];
  }
  bool started() const { return memory_ != nullptr; }
  DeviceOrder& order() { return order_; }
  // Device and peer, where cudaDeviceEnablePeerAccess has been called.
  std::set<std::pair<std::uint32_t, std::uint32_t>>& peers() { return peers_; }
  void limit_memory(std::uint64_t bytes);  // of arrays, also on other devices; 0: what the device has

  void start_early();  // without waiting for it; Errors: io, memory
  void refresh_info() { info_ = device_->info(); }
  void shut_down();  // ends its process
  // Asserts of kernels that have failed; shows everything else that the device's process wrote to stderr.
  std::vector<FailedAssert> failed_asserts();

  const DeviceChoice& choice() const { return parts_.devices[chosen_]; }
  void look(const WaitLimits& limits);  // brings the choices up to date
  // A selector of several devices becomes a choice, if each of them can be had; if not, the result is the selector of
  // one that cannot.
  device::Selector offer(device::Selector selector, const WaitLimits& limits);
  // A CPU device beside it, whose output is shown like its own; null where there is none.
  std::unique_ptr<device::Device> start_host_process();
  // Another device, and the memory made on it.
  struct Successor {
    std::size_t index = 0;  // of the choices
    std::unique_ptr<device::Device> device;
    device::DeviceInfo info;
    std::unique_ptr<device::Memory> memory;
  };
  // Starts another device, not yet in use; nothing when it is in use already. The selector is that of a choice.
  std::optional<Successor> start(const device::Selector& selector);
  void take(Successor successor);

 private:
  bool can_be_had(const device::Selector& selector) const;
  std::unique_ptr<device::Memory> make_memory(device::Device& device) const;
  OutputHandler output();
  void show(std::string_view text, Sink& sink);  // what the device printed

  SessionParts& parts_;
  const Current& current_;
  std::size_t chosen_ = 0;
  std::unique_ptr<device::Device> device_;
  device::DeviceInfo info_;
  std::unique_ptr<device::Memory> memory_;
  std::uint64_t memory_limit_ = 0;
  DeviceOrder order_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> peers_;
  AssertLines asserts_;
  OutputStream shown_as_ = OutputStream::out;
  std::map<library::Family, Library> libraries_;  // of this device
  std::vector<Scratch> scratch_;                  // by device of the set
};

}  // namespace xcuda::session
