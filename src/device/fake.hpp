// A device for tests: memory is the host's, kernels are host functions, time is counted. Deterministic: what was posted
// runs in the order it was posted, and as late as it may: in synchronize(), or when the queue is full.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/fake_module.hpp"
#include "device/host_modules.hpp"
#include "device/host_window.hpp"
#include "device/recorded_graphs.hpp"
#include "device/shared_words.hpp"
#include "device/start.hpp"

namespace xcuda::device {

// What a kernel of the fake gets. Device addresses are host addresses.
struct FakeLaunch {
  const LaunchRequest& request;
  const FunctionInfo& function;
  std::function<std::optional<FaultKind>()> ended;             // by an interrupt or the deadline, for endless kernels
  std::function<Address(const std::string& symbol)> variable;  // of the module

  template <class T> T argument(std::size_t index) const {
    T value{};
    const auto& layout = function.parameters.at(index);
    std::memcpy(&value, request.arguments.data() + layout.offset, std::min<std::size_t>(sizeof value, layout.size));
    return value;
  }
  std::uint64_t threads() const { return request.grid.count() * request.block.count(); }
};
using FakeKernel = std::function<std::optional<Fault>(FakeLaunch&)>;

struct FakeOptions {
  StartRequest start;
  std::map<std::string, FakeKernel> kernels;          // by entry
  std::map<std::uint64_t, Fault> faults;              // injected at a launch number
  std::function<void(std::string_view verb)> before;  // called with each verb's name, before it does anything
  std::uint64_t memory = std::uint64_t{1} << 30;      // bytes
  std::uint64_t memory_of_others = 0;                 // bytes of it that other processes hold
  std::size_t queue_depth = ~std::size_t{0};          // posts that wait; one more runs the first of them
  enum class Memory : std::uint8_t { outlives, ends_with_device } memory_kind = Memory::outlives;
  enum class Words : std::uint8_t { used, refused } words = Words::used;
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(FakeOptions options);

  DeviceInfo info() override;
  File create_memory(const MemoryRequest& request) override;
  void import_memory(const MemoryRequest& request, const File& descriptor) override;
  void destroy_memory(MemoryId id) override;
  void post_name_range(const ArrayRange& range) override;
  void post_forget_range(Address address) override;
  std::span<std::byte> staging() override;
  void post_fill(StreamId stream, const FillRequest& request) override;
  void post_copy(StreamId stream, const CopyRequest& request) override;
  void post_read(StreamId stream, const CopyRequest& request) override;
  void post_write(StreamId stream, const CopyRequest& request) override;
  ModuleInfo load_module(const ModuleImage& image) override;
  void unload_module(ModuleId id) override;
  ModuleInfo module_info(ModuleId id) override;
  MachineCode machine_code(const CodeRequest& request) override;
  void post_prepare(const PrepareRequest& request) override;
  void post_launch(const LaunchRequest& request) override;
  void post_library(const LibraryLaunch& request) override;
  HostModuleInfo load_host_module(const HostModuleImage& image) override;
  void unload_host_module(ModuleId id) override;
  void post_host_call(const HostCall& request) override;
  Occupancy occupancy(const OccupancyRequest& request) override;
  std::uint32_t best_block(const OccupancyRequest& request) override;
  void create_stream(StreamId id) override;
  void destroy_stream(StreamId id) override;
  void create_event(EventId id) override;
  void destroy_event(EventId id) override;
  void post_record(EventId event, StreamId stream) override;
  void post_wait(StreamId stream, EventId event) override;
  bool share_words(const File& words) override;
  void post_write_value(std::uint32_t word, std::uint32_t value) override;
  void post_wait_value(std::uint32_t word, std::uint32_t value) override;
  Nanoseconds elapsed(EventId from, EventId to) override;
  void begin_capture(GraphId id, StreamId stream) override;
  GraphInfo end_capture(GraphId id) override;
  void post_graph(const GraphLaunch& request) override;
  void post_destroy_graph(GraphId id) override;
  void create_texture(const TextureRequest& request) override;
  void post_destroy_texture(TextureId id) override;
  void set_limit(Limit limit, std::uint64_t bytes) override;
  std::uint64_t limit(Limit limit) override;
  Completion synchronize(const WaitRequest& request) override;

  const std::map<Address, ArrayRange>& ranges() const { return ranges_; }
  const std::vector<PrepareRequest>& prepared() const { return prepared_; }

 private:
  std::uint64_t free() const { return options_.memory - options_.memory_of_others - taken_; }  // bytes
  struct Posted {
    enum class Kind : std::uint8_t { work, launch };
    Kind kind = Kind::work;
    std::uint64_t number = 0;
    std::function<std::optional<Fault>(const WaitRequest&)> run;
  };
  void begin(std::string_view verb);       // throws when the device is at its end
  bool begin_post(std::string_view verb);  // false when the device is at its end
  void post(std::string_view verb, StreamId stream, std::function<std::optional<Fault>(const WaitRequest&)> run);
  void post_rectangle(std::string_view verb, StreamId stream, const CopyRequest& request);
  void enqueue(Posted posted);
  void run_first(const WaitRequest& request);
  void refuse(std::uint64_t number, std::string why);
  void finish(const WaitRequest& request);
  void finish_for(std::string_view verb);  // a call that waits for what was posted
  bool is_mapped(Address address, std::uint64_t size) const;
  std::optional<Fault> copy(std::string_view verb, const CopyRequest& request);
  std::optional<Fault> launch(const LaunchRequest& request, const WaitRequest& wait);
  std::optional<std::string> refusal(const LaunchRequest& request) const;
  const FunctionInfo& function(ModuleId module, const std::string& entry) const;

  FakeOptions options_;
  HostWindow window_;
  std::vector<std::byte> own_staging_;
  std::uint64_t taken_ = 0;
  std::map<MemoryId, std::uint64_t> memories_;
  std::map<Address, ArrayRange> ranges_;
  std::vector<PrepareRequest> prepared_;
  std::map<ModuleId, FakeModule> modules_;
  std::set<StreamId> streams_{StreamId{0}};
  std::map<EventId, std::optional<Nanoseconds>> events_;
  RecordedGraphs graphs_;
  HostModules host_modules_;
  std::map<TextureId, TextureRequest> textures_;
  std::map<Limit, std::uint64_t> limits_{
      {Limit::stack_size, 1024}, {Limit::printf_buffer, 1 << 20}, {Limit::malloc_heap, 8 << 20}};
  SharedWords words_;
  bool gave_up_ = false;  // waiting for one of them, since the last synchronisation
  std::deque<Posted> posted_;
  std::vector<RefusedLaunch> refused_;
  std::vector<LaunchTiming> timings_;
  std::vector<std::uint64_t> skipped_;
  Nanoseconds clock_ = 0;
  std::optional<Fault> end_;      // after a fault
  std::optional<Fault> pending_;  // the fault until synchronize() has reported it
};

}  // namespace xcuda::device
