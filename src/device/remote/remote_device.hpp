// A device in another process, by the verbs of protocol.hpp. When the process is lost the device has ended;
// SupervisedDevice replaces it instead.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/shared_memory.hpp"
#include "base/worker.hpp"
#include "device/device.hpp"
#include "device/remote/line.hpp"

namespace xcuda::device::remote {

struct RemoteOptions {
  WorkerOptions worker;
  Window window;  // wanted
  std::uint64_t staging_size = std::uint64_t{128}
                               << 20;  // bytes; a GPU takes all of its pages, the others as they are used
  // What ends a call, or a post that waits for room; asked each time. Empty: nothing ends them.
  std::function<WaitRequest()> limits;
  std::chrono::milliseconds start_limit{60'000};  // for the worker's first answer
  // Makes the line to a worker that something else starts than this; empty: the process of `worker`.
  std::function<std::unique_ptr<Line>(const Window&, std::span<std::byte> staging)> line{};
};

class RemoteDevice : public Device {
 public:
  explicit RemoteDevice(RemoteOptions options);  // starts the process and does not wait; Error(io)
  ~RemoteDevice() override;
  RemoteDevice(const RemoteDevice&) = delete;
  RemoteDevice& operator=(const RemoteDevice&) = delete;

  DeviceInfo info() override;
  File create_memory(const MemoryRequest& request) override;
  void import_memory(const MemoryRequest& request, const File& descriptor) override;
  Address open_memory(const ForeignMemory& memory) override;
  void mirror_memory(const MemoryRequest& request, const File& descriptor) override;
  void post_guard(const std::vector<GuardedRange>& ranges) override;
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
  void rouse() override;
  void begin_synchronize() override;
  bool is_done() override;
  Look look() override;
  bool has_room() override { return !connection_ || connection_->has_room(); }
  void begin_rest() override;
  Completion synchronize(const WaitRequest& request) override;
  std::optional<Completion> take_fault() override;
  bool lives() const override { return connection_ != nullptr; }
  bool idles() override { return connection_ && answered_ && connection_->idles(); }

  pid_t process() const;  // of the worker; 0 when there is none

 protected:
  // Called when the process was lost, with what is known; the connection still exists, its process is reaped. Returns
  // the report: with a recovery when the device lives again.
  virtual Completion after_loss(Line::Loss loss);
  // Called before after_loss(), once it is certain that the process ends, while it is ending. Throws nothing.
  virtual void leaving() {}

  // Whether a loss would lose values that only the process has, although nothing was posted.
  virtual bool has_module_variables() const { return false; }

  std::unique_ptr<Line> connect(const Window& window, WindowWish wish);
  WaitRequest start_limits() const;
  void forget_posts();
  void keep_recovery(Recovery recovery) { kept_fault_.emplace().recovery = std::move(recovery); }  // for take_fault()

  RemoteOptions options_;
  File staging_file_;
  SharedMapping staging_;
  std::unique_ptr<Line> connection_;  // empty after the end
  std::optional<Error> ended_;        // why the connection ended
  bool knows_arrays_ = true;          // what the worker's info says
  bool answered_ = false;             // the worker has answered since its start
  bool ever_answered_ = false;        // some worker has
  bool waits_ = false;                // begin_synchronize(), for this connection

 private:
  template <class... Arguments> void post(Verb verb, const Arguments&... arguments);
  Line::Answer ask(Verb verb, std::span<const std::byte> arguments, const File* file = nullptr);
  bool lost_nothing(const Line::Loss& loss) const;
  template <class Value> Value value_of(Verb verb, const Line::Answer& answer);
  template <class Value, class... Arguments> Value call(Verb verb, const Arguments&... arguments);
  template <class... Arguments> void command(Verb verb, const Arguments&... arguments);
  Completion tell(Line::Loss loss);
  void require_connection(Verb verb) const;

  std::vector<std::byte> buffer_;        // of a post
  std::vector<std::uint64_t> launched_;  // numbers since the last synchronisation
  bool outstanding_ = false;             // something was posted since then that a new process is not told again
  std::optional<Completion> kept_fault_;
};

}  // namespace xcuda::device::remote
