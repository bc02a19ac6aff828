// Several devices as one: the arrays of a session have the same addresses on all of them, and the number of a stream
// says which device does the work (ids.hpp). What a session loads is loaded on each. A fault ends the process of one
// device, which recovers by itself; the others keep theirs.
//
// Host data, host modules, mirrors and memory of other programs are the first device's. An event belongs to the device
// that records it.
//
// One device waits for another by a word that all of them map (shared_words.hpp), and the session goes on; where a
// device cannot, the session waits. Members are processes: one that ends is noticed while others wait for it, and what
// it has not done is left out by those that waited.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "device/device.hpp"
#include "device/seams.hpp"
#include "device/shared_words.hpp"

namespace xcuda::device {

class DeviceSet : public Device {
 public:
  // At least one device. The limits end a wait outside of synchronize(); none: nothing does.
  explicit DeviceSet(std::vector<std::unique_ptr<Device>> members, std::function<WaitRequest()> limits = {});
  ~DeviceSet() override;
  DeviceSet(const DeviceSet&) = delete;
  DeviceSet& operator=(const DeviceSet&) = delete;

  DeviceInfo info() override;  // of the first. Errors: unsupported (addresses or memory cannot be shared)
  std::uint32_t devices() const override { return static_cast<std::uint32_t>(members_.size()); }
  Device& member(std::uint32_t device) override;

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
  void post_order(std::span<const Precedence> order) override;
  void post_order(std::uint32_t device, std::uint32_t after) {
    const Precedence one{device, after};
    post_order({&one, 1});
  }
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
  void begin_rest() override;
  void rest() override;

 protected:
  virtual Device* worker(StreamId stream);  // for work; null when a fault is to be told first
  virtual void wait_for(std::uint32_t device, const WaitRequest& request);
  void require(std::uint32_t device) const;  // Error(value): the set has no such device

 private:
  // What one device has been given.
  struct Work {
    bool busy = false;                // something, since it was waited for
    bool since_value = false;         // ... since the last value that it was to write
    std::uint32_t value = 0;          // which that is
    std::vector<std::uint32_t> seen;  // by device: the last value of it that this one waits for
  };
  struct Hold {
    std::uint32_t after = 0, value = 0;  // a value that some device waits for
  };

  Device& first() { return *members_.front(); }
  Device& ask_first() {
    settle();
    return first();
  }
  std::uint32_t recorded_on(EventId event) const;
  bool order_by_words();
  bool has_to_wait(const Precedence& one) const;
  void post_value(std::uint32_t device);
  void wait_for_value(const Precedence& one);
  Device& with_room(std::uint32_t device) {
    if (!holds_.empty()) make_room(device);
    return *members_[device];
  }
  void make_room(std::uint32_t device);
  bool is_held();  // some device waits for a value that has not been written
  WaitRequest limits() const { return limits_ ? limits_() : WaitRequest{}; }
  void end_hold();
  void end_holds();  // waits until no device is held
  void settle();     // before a call, which its process would answer late, or never. Errors: device, interrupted
  template <class Done> bool wait_until(const WaitRequest& request, const Done& done);
  bool all_done();
  void begin_all();
  void finish(const WaitRequest& request);
  std::uint32_t next_of(std::uint64_t devices);
  void let_go(std::uint32_t device);  // what waits for values of a device that has nothing left to do
  void let_all_go();
  void add(std::uint32_t device, Completion completion);
  void check_sharing(const std::vector<DeviceInfo>& infos) const;

  std::vector<std::unique_ptr<Device>> members_;
  std::function<WaitRequest()> limits_;
  std::vector<Work> work_;  // by device
  SharedWords words_;       // empty: not shared, or they cannot be
  enum class Order : std::uint8_t { unknown, by_words, by_session } order_ = Order::unknown;
  std::chrono::microseconds spin_{0};  // how long a wait looks before it sleeps
  std::vector<Hold> holds_;            // since the last synchronisation, in the order of posting
  std::size_t first_hold_ = 0;         // those before it are over
  bool capturing_ = false;
  bool found_by_call_ = false;  // the fault of told_later_
  std::map<EventId, std::uint32_t> recorded_on_;
  std::map<GraphId, std::uint32_t> captured_on_;
  std::set<MemoryId> foreign_, mirrors_;  // of the first device alone
  Seams seams_;
  Completion told_later_;  // of devices that others had to wait for
  LaunchRequest launch_;   // as its device knows it: one that keeps its memory
};

}  // namespace xcuda::device
