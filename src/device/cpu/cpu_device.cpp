#include "device/cpu/cpu_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <type_traits>

#include "base/disk_cache.hpp"
#include "base/host_memory.hpp"
#include "base/paths.hpp"
#include "base/shared_memory.hpp"
#include "base/units.hpp"
#include "device/cpu/abi/texture_call.hpp"
#include "device/cpu/device_launches.hpp"
#include "device/cpu/loaded_modules.hpp"
#include "device/cpu/memory/memory_account.hpp"
#include "device/cpu/ordered_streams.hpp"
#include "device/cpu/run/checked_transfers.hpp"
#include "device/cpu/run/fault_signals.hpp"
#include "device/cpu/run/finish.hpp"
#include "device/cpu/run/first_touch.hpp"
#include "device/cpu/run/host_module_calls.hpp"
#include "device/cpu/run/host_processor.hpp"
#include "device/cpu/run/launch_limits.hpp"
#include "device/cpu/run/library_calls.hpp"
#include "device/cpu/run/texture_arguments.hpp"
#include "device/cpu/run/work_queue.hpp"
#include "device/recorded_graphs.hpp"
#include "device/shared_words.hpp"

namespace xcuda::device::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kObjectBytes = std::uint64_t{256} << 20;  // of compiled objects on disk
constexpr std::uint64_t kOwnStaging = 16 << 20;                   // bytes, where the session shares no buffer

class CpuDevice final : public Device {
 public:
  CpuDevice(const StartRequest& request, const CpuOptions& options)
      : space_(request.window, options.pages),
        door_(request.pieces),
        has_process_(request.fault_record != nullptr),
        outcomes_(request.fault_record),
        own_staging_(request.staging.empty()
                         ? SharedMapping(make_memory_file("xcuda-staging", kOwnStaging), kOwnStaging)
                         : SharedMapping()),
        transfers_({space_, outcomes_, request.staging.empty() ? own_staging_.bytes() : request.staging}),
        objects_(options.store == CpuOptions::Store::user ? cache_folder("cpu") : std::filesystem::path(),
                 kObjectBytes),
        pool_(thread_count(options.threads), prepare_thread_for_signals),
        modules_(space_, {"", &objects_, pool_.threads(), prepare_thread_for_signals}),
        launches_({{space_, outcomes_, pool_, options.output ? options.output : descriptor_sink(STDOUT_FILENO),
                    options.error_output ? options.error_output : descriptor_sink(STDERR_FILENO)},
                   modules_,
                   prepare_thread_for_signals}),
        libraries_({space_, outcomes_, pool_.threads()}),
        queue_(prepare_thread_for_signals) {}

  ~CpuDevice() override {
    host_calls_.modules().clear();  // whose static objects may still use the device
    launches_.end();
  }

  DeviceInfo info() override {
    check();
    const HostMemory memory = host_memory();
    DeviceInfo info;
    info.kind = Kind::cpu;
    info.name = fmt::format("{}, {} thread{}", processor_name(), pool_.threads(), pool_.threads() == 1 ? "" : "s");
    info.driver = modules_.target();
    info.memory_total = memory.total;
    info.memory_free = account_.free(memory.available);
    info.memory_granularity = HostWindow::kGranularity;
    info.multiprocessors = pool_.threads();
    describe_limits(info);
    info.l2_cache = last_level_cache();
    info.window = space_.memory.window();
    if (has_process_) info.process = getpid();
    return info;
  }

  // --- Memory ------------------------------------------------------------------------------------------------------

  File create_memory(const MemoryRequest& request) override {
    return call([&] {
      File file = space_.memory.create(request);
      account_.add(request, MemoryAccount::Origin::here);
      return file;
    });
  }
  void import_memory(const MemoryRequest& request, const File& descriptor) override {
    call([&] {
      space_.memory.import(request, descriptor);
      account_.add(request, MemoryAccount::Origin::elsewhere);
    });
  }
  void mirror_memory(const MemoryRequest& request, const File& descriptor) override {
    if (door_.request == nullptr) return Device::mirror_memory(request, descriptor);
    call([&] {
      space_.memory.mirror(request, descriptor);
      ask_for_pieces(door_, space_.memory.window());
    });
  }
  void post_guard(const std::vector<GuardedRange>& ranges) override {
    post([this, ranges] {
      for (const GuardedRange& range : ranges) space_.memory.guard(range);
    });
  }
  void destroy_memory(MemoryId id) override {
    call([&] {
      space_.memory.destroy(id);
      account_.remove(id);
    });
  }
  void post_name_range(const ArrayRange& range) override {
    post_name([this, range] {
      space_.arrays.name(range);
      if (range.unwritten) space_.written.declare(range.address, range.size);
    });
  }
  void post_forget_range(Address address) override {
    post_name([this, address] {
      space_.arrays.forget(address);
      space_.written.forget(address);
    });
  }

  Beside& beside() { return launches_; }
  std::vector<VariableInfo> texts_of(ModuleId id) {
    return call([&] { return modules_.texts(id); });
  }
  std::optional<ArrayRange> find_range(Address address) {
    return call([&] { return space_.arrays.holding(address); });
  }

  std::span<std::byte> staging() override { return transfers_.staging(); }

  void post_fill(StreamId stream, const FillRequest& request) override {
    post_work(stream, "fill", [this, request] { transfers_.fill(request); });
  }
  void post_copy(StreamId stream, const CopyRequest& request) override {
    post_work(stream, "copy", [this, request] { transfers_.copy(request); });
  }
  void post_read(StreamId stream, const CopyRequest& request) override {
    post_to(stream, "read", [this, stream, request] {
      if (may_use_staging(stream, "read")) transfers_.read(request);
    });
  }
  void post_write(StreamId stream, const CopyRequest& request) override {
    post_to(stream, "write", [this, stream, request] {
      if (may_use_staging(stream, "write")) transfers_.write(request);
    });
  }

  // --- Modules -----------------------------------------------------------------------------------------------------

  ModuleInfo load_module(const ModuleImage& image) override {
    return call([&] { return modules_.load(image); });
  }
  void unload_module(ModuleId id) override {
    call([&] { modules_.unload(id); });
  }
  ModuleInfo module_info(ModuleId id) override {
    return call([&] { return modules_.info(id); });
  }
  std::vector<std::byte> place_variables(ModuleId id, const std::vector<VariableInfo>& variables) override {
    return call([&] { return modules_.place_variables(id, variables); });
  }
  MachineCode machine_code(const CodeRequest& request) override {
    return call([&] { return modules_.machine_code(request, launches_.launcher().wait()); });
  }

  // --- Launches ----------------------------------------------------------------------------------------------------

  void post_prepare(const PrepareRequest& request) override {
    post([this, request] { modules_.prepare(request); });
  }
  void post_launch(const LaunchRequest& request) override {
    queue_.post([this, request = host_calls_.as_part_of_call(request)] {
      if (!outcomes_.ended()) launch(request);
    });
  }

  library::Facts open_library(const library::OpenRequest& request) override {
    return call([&] { return libraries_.open(request); });
  }
  void post_library(const LibraryLaunch& request) override {
    post_work(request.stream, "library", [this, request] { libraries_.run(request); });
  }

  HostModuleInfo load_host_module(const HostModuleImage& image) override {
    call([&] { modules_.check_free(image.id); });
    return host_calls_.modules().load(image);  // on this thread, on which its functions run, too
  }
  void unload_host_module(ModuleId id) override {
    call([] {});
    host_calls_.modules().unload(id);
  }
  void post_host_call(const HostCall& request) override {
    queue_.wait(nullptr, std::nullopt);
    if (!outcomes_.skipped(request.number)) host_calls_.run(request, transfers_.staging());
  }

  Occupancy occupancy(const OccupancyRequest& request) override {
    return call([&] { return occupancy_of(modules_.kernel(request.module, request.entry), request); });
  }
  std::uint32_t best_block(const OccupancyRequest& request) override {
    return call([&] { return best_block_of(modules_.kernel(request.module, request.entry), request); });
  }

  // --- Streams and events ------------------------------------------------------------------------------------------

  void create_stream(StreamId id) override {
    call([&] { streams_.create(id); });
  }
  void destroy_stream(StreamId id) override {
    call([&] { streams_.destroy(id); });
  }
  void create_event(EventId id) override {
    call([&] { streams_.create(id); });
  }
  void destroy_event(EventId id) override {
    call([&] { streams_.destroy(id); });
  }
  void post_record(EventId event, StreamId stream) override {
    post_to(stream, "record", [this, event, stream] {
      if (!streams_.has(event))
        refuse_post("record", missing("event", event));
      else if (graphs_.has(stream))
        graphs_.record(event, stream);
      else
        streams_.record(event);
    });
  }
  void post_wait(StreamId stream, EventId event) override {
    post_to(stream, "wait", [this, event, stream] {
      if (!streams_.has(event))
        refuse_post("wait", missing("event", event));
      else
        graphs_.join(stream, event);
    });
  }

  bool share_words(const File& words) override {
    call([&] { words_ = SharedWords(words); });
    return true;
  }
  void post_write_value(std::uint32_t word, std::uint32_t value) override {
    post([this, word, value] {
      if (!outcomes_.left_out()) words_.write(word, value);
    });
  }
  void post_wait_value(std::uint32_t word, std::uint32_t value) override {
    post([this, word, value] {
      const auto ended = words_.wait(word, value, [this] { return outcomes_.stopping(); });
      if (ended != SharedWords::Wait::reached) outcomes_.give_up();
    });
  }

  Nanoseconds elapsed(EventId from, EventId to) override {
    return call([&] { return streams_.elapsed(from, to); });
  }

  // --- Graphs: what was posted to the streams of a capture, run again in that order ---------------------------------

  void begin_capture(GraphId id, StreamId stream) override {
    call([&] {
      if (streams_.has(stream)) throw taken("stream", stream);
      graphs_.begin(id, stream);
      streams_.create(stream);
    });
  }
  GraphInfo end_capture(GraphId id) override {
    return call([&] {
      if (const auto origin = graphs_.origin(id)) streams_.forget(*origin);
      return graphs_.end(id);
    });
  }
  void post_graph(const GraphLaunch& request) override {
    post([this, request] { launch_graph(request); });
  }
  void post_destroy_graph(GraphId id) override {
    post([this, id] {
      if (const auto origin = graphs_.origin(id)) streams_.forget(*origin);
      graphs_.drop(id);
    });
  }

  // --- The rest ----------------------------------------------------------------------------------------------------

  void create_texture(const TextureRequest& request) override {
    call([&] { add_texture(space_, request); });
  }
  void post_destroy_texture(TextureId id) override {
    post([this, id] { space_.textures.erase(texture_handle(id)); });
  }

  void set_limit(Limit limit, std::uint64_t bytes) override {
    call([&] { launches_.launcher().set_limit(limit, bytes); });
  }
  std::uint64_t limit(Limit limit) override {
    return call([&] { return launches_.launcher().limit(limit); });
  }

  Completion synchronize(const WaitRequest& request) override {
    if (host_calls_.holds_fault()) return host_calls_.tell({});
    if (auto end = outcomes_.take_end()) return host_calls_.tell(std::move(*end));
    check();
    finish(queue_, outcomes_, request);
    if (!outcomes_.ended()) queue_.rethrow();
    return host_calls_.tell(outcomes_.take());
  }

 private:
  void check() const {
    if (outcomes_.ended())
      throw Error(ErrorKind::device, "the CPU device ended after a fault").advise("%restart starts a new one");
  }

  template <class Function> std::invoke_result_t<Function> call(Function&& function) {
    check();
    return queue_.call([this, &function] {
      const auto alone = launches_.alone();
      return function();
    });
  }

  // After a fault what is still posted is dropped.
  void post(std::function<void()> work) {
    queue_.post([this, work = std::move(work)] {
      if (outcomes_.ended()) return;
      const auto alone = launches_.alone();
      work();
    });
  }
  void post_name(std::function<void()> work) {
    queue_.post([this, work = std::move(work)] {
      if (!outcomes_.ended()) launches_.when_alone(work);
    });
  }

  // Posts work to a stream; work for an unknown stream is refused.
  void post_to(StreamId stream, const char* what, std::function<void()> work) {
    post([this, stream, what, work = std::move(work)] {
      if (outcomes_.gave_up()) return;
      if (streams_.has(stream))
        work();
      else
        refuse_post(what, missing("stream", stream));
    });
  }

  // Posts work to a stream, or keeps it for the stream's capture.
  void post_work(StreamId stream, const char* what, std::function<void()> work) {
    post_to(stream, what, [this, stream, work = std::move(work)] {
      if (graphs_.has(stream))
        keep(stream, work);
      else
        work();
    });
  }
  void keep(StreamId stream, std::function<void()> work) {
    graphs_.keep(stream, [work = std::move(work)](const WaitRequest&) -> std::optional<Fault> {
      work();  // a fault ends the device by itself
      return std::nullopt;
    });
  }
  bool may_use_staging(StreamId stream, std::string_view what) {
    if (!graphs_.has(stream)) return true;
    refuse_post(what, Error(ErrorKind::value, "a capture cannot use the staging buffer"));
    return false;
  }

  void refuse_post(std::string_view what, const Error& error) {
    outcomes_.refuse({0, fmt::format("{}: {}", what, error.message), ""});
  }

  void launch_graph(const GraphLaunch& request) {
    if (outcomes_.skipped(request.number)) return;
    const auto* graph = graphs_.find(request.graph);
    if (graph == nullptr || !streams_.has(request.stream)) {
      const Error why = graph == nullptr ? missing("graph", request.graph) : missing("stream", request.stream);
      return outcomes_.refuse({request.number, fmt::format("CUDA_ERROR_INVALID_HANDLE (400): {}", why.message), ""});
    }
    const Clock::time_point start = Clock::now();
    for (const auto& work : *graph) {
      if (outcomes_.ended()) return;
      work({});
    }
    if (outcomes_.ended() || request.timing == Timing::none) return;
    outcomes_.timed(request.number, (Clock::now() - start) / std::chrono::nanoseconds(1));
  }

  void launch(const LaunchRequest& request) {
    if (graphs_.has(request.stream)) {
      auto again = request;
      again.stream = StreamId{0};  // that of the capture is gone when the graph runs
      launches_.prepare(again);    // so that the first run is timed like the others
      return keep(request.stream, [this, again] { launch(again); });
    }
    if (streams_.has(request.stream)) return launches_.run(request);
    if (outcomes_.skipped(request.number)) return;
    const std::string why = missing("stream", request.stream).message;
    outcomes_.refuse({request.number, "CUDA_ERROR_INVALID_HANDLE (400): " + why, ""});
  }

  AddressSpace space_;  // first: it reserves the window
  PieceDoor door_;
  MemoryAccount account_{space_.memory.pages()};
  bool has_process_;
  Outcomes outcomes_;
  SharedMapping own_staging_;
  CheckedTransfers transfers_;
  DiskCache objects_;
  ThreadPool pool_;
  LoadedModules modules_;
  Streams streams_;
  RecordedGraphs graphs_;
  SharedWords words_;

  Launches launches_;
  LibraryCalls libraries_;
  HostCalls host_calls_{outcomes_};
  WorkQueue queue_;  // last: its thread uses all of the above
};

}  // namespace

Beside& beside(Device& cpu_device) { return static_cast<CpuDevice&>(cpu_device).beside(); }

std::vector<VariableInfo> texts_of(Device& cpu_device, ModuleId id) {
  return static_cast<CpuDevice&>(cpu_device).texts_of(id);
}

std::optional<ArrayRange> find_range(Device& cpu_device, Address address) {
  return static_cast<CpuDevice&>(cpu_device).find_range(address);
}

std::unique_ptr<Device> make_cpu_device(const StartRequest& request, const CpuOptions& options) {
  if (request.fault_record) install_fault_signals(*request.fault_record);
  return std::make_unique<CpuDevice>(request, options);
}

}  // namespace xcuda::device::cpu
