// Several devices as one: the arrays of a session have the same addresses on all of them, and the number of a stream
// says which device does the work (ids.hpp). What a session loads is loaded on each. A fault ends the process of one
// device, which recovers by itself; the others keep theirs.
//
// Host data, host modules, mirrors and memory of other programs are the first device's. An event belongs to the device
// that records it; who waits for it on another device waits in the process of the session.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "device/device.hpp"
#include "device/seams.hpp"

namespace xcuda::device {

class DeviceSet final : public Device {
 public:
  // At least one device. The limits end a wait of one device for another; none: nothing does.
  explicit DeviceSet(std::vector<std::unique_ptr<Device>> members, std::function<WaitRequest()> limits = {});

  DeviceInfo info() override;  // of the first. Errors: unsupported (addresses or memory cannot be shared)
  std::uint32_t devices() const override { return static_cast<std::uint32_t>(members_.size()); }
  Device& member(std::uint32_t device) override { return *members_.at(device); }

  File create_memory(const MemoryRequest& request) override;  // on the device that the request names
  void import_memory(const MemoryRequest& request, const File& descriptor) override;
  Address open_memory(const ForeignMemory& memory) override;
  void destroy_memory(MemoryId id) override;
  void mirror_memory(const MemoryRequest& request, const File& descriptor) override;
  void post_guard(const std::vector<GuardedRange>& ranges) override;
  void post_name_range(const ArrayRange& range) override;
  void post_forget_range(Address address) override;
  std::span<const std::byte> visible(Address from, std::uint64_t bytes) override;
  std::span<std::byte> staging() override;
  void post_fill(StreamId stream, const FillRequest& request) override;
  void post_copy(StreamId stream, const CopyRequest& request) override;
  void post_read(StreamId stream, const CopyRequest& request) override;
  void post_write(StreamId stream, const CopyRequest& request) override;

  ModuleInfo load_module(const ModuleImage& image) override;
  void unload_module(ModuleId id) override;
  ModuleInfo module_info(ModuleId id) override;
  std::vector<std::byte> place_variables(ModuleId module, const std::vector<VariableInfo>& variables) override;
  MachineCode machine_code(const CodeRequest& request) override;
  void post_prepare(const PrepareRequest& request) override;
  void post_launch(const LaunchRequest& request) override;
  Occupancy occupancy(const OccupancyRequest& request) override;
  std::uint32_t best_block(const OccupancyRequest& request) override;
  library::Facts open_library(const library::OpenRequest& request) override;
  void post_library(const LibraryLaunch& request) override;
  HostModuleInfo load_host_module(const HostModuleImage& image) override;
  void unload_host_module(ModuleId id) override;
  void post_host_call(const HostCall& request) override;

  void create_stream(StreamId id) override;
  void destroy_stream(StreamId id) override;
  void create_event(EventId id) override;
  void destroy_event(EventId id) override;
  void post_record(EventId event, StreamId stream) override;
  void post_wait(StreamId stream, EventId event) override;
  void post_order(std::uint32_t device, std::uint32_t after) override;
  Nanoseconds elapsed(EventId from, EventId to) override;
  void begin_capture(GraphId id, StreamId stream) override;
  GraphInfo end_capture(GraphId id) override;
  void post_graph(const GraphLaunch& request) override;  // on the device that it was captured on
  void post_destroy_graph(GraphId id) override;
  void create_texture(const TextureRequest& request) override;
  void post_destroy_texture(TextureId id) override;
  void set_limit(Limit limit, std::uint64_t bytes) override;
  std::uint64_t limit(Limit limit) override;

  void rouse() override;
  Completion synchronize(const WaitRequest& request) override;
  std::optional<Completion> take_fault() override;
  bool lives() const override;
  bool idles() override;
  Recovery restart() override;
  void rest() override;

 private:
  Device& first() { return *members_.front(); }
  Device* worker(StreamId stream);  // for work; null when a fault is to be told first
  std::uint32_t recorded_on(EventId event) const;
  void wait_for(std::uint32_t device, const WaitRequest& request);
  void add(std::uint32_t device, Completion completion);
  void require(std::uint32_t device) const;  // Error(value): the set has no such device
  void check_sharing(const std::vector<DeviceInfo>& infos) const;

  std::vector<std::unique_ptr<Device>> members_;
  std::function<WaitRequest()> limits_;
  std::vector<bool> busy_;  // has been given work since it was waited for
  std::map<EventId, std::uint32_t> recorded_on_;
  std::map<GraphId, std::uint32_t> captured_on_;
  std::set<MemoryId> foreign_, mirrors_;  // of the first device alone
  Seams seams_;
  Completion told_later_;  // of devices that others had to wait for
  LaunchRequest launch_;   // as its device knows it: one that keeps its memory
};

}  // namespace xcuda::device
