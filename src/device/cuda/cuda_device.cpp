#include "device/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "base/units.hpp"
#include "device/cuda/device_info.hpp"
#include "device/cuda/driver_fault.hpp"
#include "device/cuda/gpu_context.hpp"
#include "device/cuda/gpu_copies.hpp"
#include "device/cuda/gpu_graphs.hpp"
#include "device/cuda/gpu_host_calls.hpp"
#include "device/cuda/gpu_launch.hpp"
#include "device/cuda/gpu_launch_log.hpp"
#include "device/cuda/gpu_memory.hpp"
#include "device/cuda/gpu_module.hpp"
#include "device/cuda/gpu_streams.hpp"
#include "device/cuda/gpu_textures.hpp"
#include "device/cuda/gpu_words.hpp"
#include "device/cuda/host_buffer.hpp"
#include "device/id_errors.hpp"
#include "library/cuda/cuda_libraries.hpp"

namespace xcuda::device::cuda {
namespace {

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, const StartRequest& request, int ordinal);
  ~CudaDevice() override;

  DeviceInfo info() override;

  File create_memory(const MemoryRequest& request) override;
  void import_memory(const MemoryRequest& request, const File& descriptor) override {
    memory_.import(request, descriptor);
  }
  Address open_memory(const ForeignMemory& memory) override { return memory_.open(memory); }
  void destroy_memory(MemoryId id) override;
  void post_name_range(const ArrayRange&) override {}  // the hardware checks pages, not arrays
  void post_forget_range(Address) override {}

  std::span<std::byte> staging() override { return staging_.bytes(); }
  void post_fill(StreamId stream, const FillRequest& request) override;
  void post_copy(StreamId stream, const CopyRequest& request) override {
    copy(stream, request, {request.to, request.from});
  }
  void post_read(StreamId stream, const CopyRequest& request) override {
    if (may_use_staging(stream)) copy(stream, request, {staging_.at(request.to), request.from});
  }
  void post_write(StreamId stream, const CopyRequest& request) override {
    if (may_use_staging(stream)) copy(stream, request, {request.to, staging_.at(request.from)});
  }

  ModuleInfo load_module(const ModuleImage& image) override;
  void unload_module(ModuleId id) override;
  ModuleInfo module_info(ModuleId id) override { return find_module(id).info(); }

  void post_launch(const LaunchRequest& request) override;
  Occupancy occupancy(const OccupancyRequest& request) override;
  std::uint32_t best_block(const OccupancyRequest& request) override;

  library::Facts open_library(const library::OpenRequest& request) override { return libraries_.open(request); }
  void post_library(const LibraryLaunch& request) override;

  HostModuleInfo load_host_module(const HostModuleImage& image) override { return host_calls_.load(image); }
  void unload_host_module(ModuleId id) override { host_calls_.unload(id); }
  void post_host_call(const HostCall& request) override;

  void create_stream(StreamId id) override;
  void destroy_stream(StreamId id) override;
  void create_event(EventId id) override { streams_.create_event(id); }
  void destroy_event(EventId id) override { streams_.destroy_event(id); }
  void post_record(EventId event, StreamId stream) override;
  void post_wait(StreamId stream, EventId event) override;
  bool share_words(const File& words) override { return words_.share(words); }
  void post_write_value(std::uint32_t word, std::uint32_t value) override {
    posted(words_.write(word, value, streams_.others()), "write a value for other GPUs");
  }
  void post_wait_value(std::uint32_t word, std::uint32_t value) override {
    posted(words_.wait(word, value, streams_.others()), "wait for a value of another GPU");
  }
  Nanoseconds elapsed(EventId from, EventId to) override { return streams_.elapsed(from, to); }

  void begin_capture(GraphId id, StreamId stream) override;
  GraphInfo end_capture(GraphId id) override { return graphs_.end(id); }
  void post_graph(const GraphLaunch& request) override;
  void post_destroy_graph(GraphId id) override { graphs_.drop(id); }

  void create_texture(const TextureRequest& request) override { textures_.create(request); }
  void post_destroy_texture(TextureId id) override { textures_.drop(id); }

  void set_limit(Limit limit, std::uint64_t bytes) override;
  std::uint64_t limit(Limit limit) override;

  Completion synchronize(const WaitRequest& request) override;

 private:
  bool may_use_staging(StreamId stream);
  void copy(StreamId stream, const CopyRequest& request, const Ends& ends);
  GpuModule& find_module(ModuleId id);
  Function& find_function(ModuleId module, const std::string& entry);
  std::optional<CUstream> find_stream(StreamId id) const;
  std::optional<CUstream> posting_stream(StreamId id);       // ... told at the next synchronize() when there is none
  void posted(CUresult result, std::string_view attempted);  // a post that failed; told at the next synchronize()
  void refuse(std::uint64_t number, std::string library, std::string advice);

  // In this order: what is made of others is ended before them, and the context last.
  const Driver& driver_;
  CUdevice device_;
  PrimaryContext context_;
  DeviceInfo info_;
  GpuMemory memory_;
  HostBuffer staging_;
  LaunchMarks marks_;
  LaunchTimer timer_;
  std::map<ModuleId, GpuModule> modules_;
  GpuStreams streams_;
  GpuGraphs graphs_;
  GpuWords words_;
  GpuTextures textures_;
  library::cuda::Libraries libraries_;
  GpuHostCalls host_calls_;
  std::vector<library::Report> reports_;
  std::vector<RefusedLaunch> refused_;
  std::optional<Fault> fault_;  // of a post
};

CudaDevice::CudaDevice(const Driver& driver, const StartRequest& request, int ordinal)
    : driver_(driver),
      device_(open_device(driver_, ordinal)),
      context_(make_context_current(driver_, device_)),
      info_(describe(driver_, device_, ordinal)),
      memory_(driver_, device_, request.window,
              info_.memory_outlives_process ? GpuMemory::Export::descriptor : GpuMemory::Export::none),
      staging_(driver_, request.staging),
      marks_(driver_),
      timer_(driver_),
      streams_(driver_),
      graphs_(driver_),
      words_(driver_, device_),
      textures_(driver_, device_),
      libraries_(std::atoi(info_.driver.c_str())),  // "13.0 (580.65.06)"
      host_calls_(driver_) {
  info_.memory_granularity = memory_.granularity();
  info_.window = memory_.window();
  // What several notebooks print between two synchronisations; the driver's own 1 MiB loses lines.
  driver_.check(driver_.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, std::size_t{16} << 20),
                "set the size of the printf buffer");
}

// Running work may use all that ends now. The last synchronize() reported its faults, or they do not matter any more.
CudaDevice::~CudaDevice() {
  driver_.cuCtxSynchronize();
  host_calls_.clear();  // whose static objects may still use the context
}

DeviceInfo CudaDevice::info() {
  std::size_t free = 0, total = 0;
  driver_.check(driver_.cuMemGetInfo(&free, &total), "read how much memory is free");
  DeviceInfo now = info_;
  now.memory_free = free > GpuMemory::kReserve ? free - GpuMemory::kReserve : 0;
  return now;
}

// --- Memory and copies ---------------------------------------------------------------------------------------------

File CudaDevice::create_memory(const MemoryRequest& request) {
  File descriptor = memory_.create(request);
  driver_.check(driver_.cuMemsetD8Async(request.address, 0, request.size, nullptr), ErrorKind::memory,
                "clear new GPU memory");
  // Other streams do not wait for the default one by themselves when they were made non-blocking.
  driver_.check(driver_.cuStreamSynchronize(nullptr), "clear new GPU memory");
  return descriptor;
}

void CudaDevice::destroy_memory(MemoryId id) {
  driver_.check(driver_.cuCtxSynchronize(), "wait for the GPU before freeing memory");
  memory_.destroy(id);
}

void CudaDevice::post_fill(StreamId stream, const FillRequest& request) {
  const auto posting = graphs_.capturing() ? Posting::captured : Posting::now;
  if (const auto raw = posting_stream(stream)) posted(fill(driver_, request, *raw, posting), "fill GPU memory");
}

// A graph would read or write the staging buffer when it runs, not now.
bool CudaDevice::may_use_staging(StreamId stream) {
  const auto raw = find_stream(stream);
  if (!raw || !graphs_.captures(*raw)) return true;
  refuse(0, "a capture cannot use the staging buffer", "");
  return false;
}

void CudaDevice::copy(StreamId stream, const CopyRequest& request, const Ends& ends) {
  if (const auto raw = posting_stream(stream)) posted(device::cuda::copy(driver_, request, ends, *raw), "copy memory");
}

// --- Modules and launches ------------------------------------------------------------------------------------------

ModuleInfo CudaDevice::load_module(const ModuleImage& image) {
  if (modules_.contains(image.id))
    throw Error(ErrorKind::value, fmt::format("module {} is already loaded", static_cast<unsigned>(image.id)));
  return modules_.try_emplace(image.id, driver_, image).first->second.info();
}

void CudaDevice::unload_module(ModuleId id) {
  find_module(id);
  driver_.check(driver_.cuCtxSynchronize(), "wait for the GPU before unloading a module");
  modules_.erase(id);
}

GpuModule& CudaDevice::find_module(ModuleId id) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) throw missing(id);
  return found->second;
}

Function& CudaDevice::find_function(ModuleId module, const std::string& entry) {
  Function* function = find_module(module).find(entry);
  if (function == nullptr)
    throw Error(ErrorKind::name, fmt::format("module {} has no kernel {}", static_cast<unsigned>(module), entry));
  return *function;
}

void CudaDevice::refuse(std::uint64_t number, std::string library, std::string advice) {
  refused_.push_back({number, std::move(library), std::move(advice)});
}

void CudaDevice::post_launch(const LaunchRequest& given) {
  std::optional<LaunchRequest> bound;
  if (!given.textures.empty())
    if (auto problem = textures_.bind(bound.emplace(given)))
      return refuse(given.number, std::move(problem->what), std::move(problem->advice));
  const LaunchRequest& request = bound ? *bound : given;
  const auto module = modules_.find(request.module);
  Function* function = module == modules_.end() ? nullptr : module->second.find(request.entry);
  const auto stream = find_stream(request.stream);
  if (function == nullptr)
    return refuse(request.number, fmt::format("no kernel {} is loaded", request.entry),
                  "Run the cell that defines it again.");
  if (!stream) return refuse(request.number, "the stream does not exist", "Declare it: stream s;");
  const bool captured = graphs_.captures(*stream);
  const bool timed = request.timing == Timing::each && !captured;
  if (!captured) marks_.before();
  if (const CUresult result = textures_.before(request, *stream); result != CUDA_SUCCESS)
    return posted(result, "copy an array into a texture");
  if (timed)
    if (const CUresult result = timer_.before(request.number, *stream); result != CUDA_SUCCESS)
      return posted(result, "record an event");
  if (const CUresult result = launch(driver_, request, *function, *stream); result != CUDA_SUCCESS) {
    if (timed) timer_.abandon();
    if (ends_context(result)) return posted(result, "launch a kernel");
    return refuse(request.number, driver_.text(result), advice_for({result, request, *function}, info_));
  }
  if (timed) posted(timer_.after(*stream), "record an event");
  posted(textures_.after(request, *stream), "copy a surface back into its array");
  if (!captured) marks_.launched(request.number, request.stream, *stream);
}

void CudaDevice::post_library(const LibraryLaunch& request) {
  const auto stream = find_stream(request.stream);
  if (!stream) return refuse(request.number, "the stream does not exist", "Declare it: stream s;");
  const bool captured = graphs_.captures(*stream);
  if (captured && request.call.operation == library::Operation::random)
    return refuse(request.number, "cuRAND allocates memory, which a graph cannot hold",
                  "draw the numbers before the graph");
  const bool timed = request.timing == Timing::each && !captured;
  if (!captured) marks_.before();
  if (timed)
    if (const CUresult result = timer_.before(request.number, *stream); result != CUDA_SUCCESS)
      return posted(result, "record an event");
  auto outcome = libraries_.run(request.call, {*stream, captured});
  if (!outcome.refused.empty()) {
    if (timed) timer_.abandon();
    return refuse(request.number, std::move(outcome.refused), "");
  }
  if (!captured) marks_.launched(request.number, request.stream, *stream);
  if (!timed) return;
  posted(timer_.after(*stream), "record an event");
  outcome.report.number = request.number;
  reports_.push_back(std::move(outcome.report));
}

void CudaDevice::post_host_call(const HostCall& request) {
  if (graphs_.capturing()) return refuse(request.number, "a graph cannot hold a call of a host module", "");
  marks_.before();
  if (auto refused = host_calls_.run(request, staging_.bytes(), [&](StreamId id) { return find_stream(id); }))
    refused_.push_back(std::move(*refused));
  marks_.launched(request.number, StreamId{0}, nullptr);
}

Occupancy CudaDevice::occupancy(const OccupancyRequest& request) {
  Function& function = find_function(request.module, request.entry);
  int blocks = 0;
  driver_.check(
      driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, function.raw, static_cast<int>(request.block_threads), request.dynamic_shared),
      ErrorKind::value,
      fmt::format("compute the occupancy of {} with {} threads a block", request.entry, request.block_threads));
  const std::uint64_t warps = (request.block_threads + 31) / 32;
  Occupancy result;
  result.blocks_per_multiprocessor = blocks;
  result.fraction = static_cast<double>(blocks) * static_cast<double>(warps * 32) /
                    static_cast<double>(info_.max_threads_per_multiprocessor);
  result.limiter = occupancy_limiter(
      info_, {function.info.registers, function.info.shared_bytes + request.dynamic_shared, request.block_threads});
  return result;
}

std::uint32_t CudaDevice::best_block(const OccupancyRequest& request) {
  Function& function = find_function(request.module, request.entry);
  int grid = 0, block = 0;
  driver_.check(
      driver_.cuOccupancyMaxPotentialBlockSize(&grid, &block, function.raw, nullptr, request.dynamic_shared, 0),
      ErrorKind::value, fmt::format("find the best block for {}", request.entry));
  return static_cast<std::uint32_t>(block);
}

// --- Streams and events --------------------------------------------------------------------------------------------

std::optional<CUstream> CudaDevice::find_stream(StreamId id) const {
  const auto captured = graphs_.find_stream(id);
  return captured ? captured : streams_.find_stream(id);
}

std::optional<CUstream> CudaDevice::posting_stream(StreamId id) {
  const auto raw = find_stream(id);
  if (!raw) refuse(0, missing_text(id), "Declare it: stream s;");
  return raw;
}

void CudaDevice::create_stream(StreamId id) {
  if (find_stream(id)) throw taken(id);
  streams_.create_stream(id);
}

void CudaDevice::destroy_stream(StreamId id) {
  if (const auto raw = streams_.find_stream(id); raw && *raw != nullptr) marks_.close(id, *raw);
  streams_.destroy_stream(id);
}

void CudaDevice::post_record(EventId event, StreamId stream) {
  const CUevent e = streams_.find_event(event);
  if (e == nullptr)
    return refuse(0, fmt::format("there is no event {} to record", static_cast<unsigned>(event)),
                  "Declare it: event e;");
  if (const auto s = posting_stream(stream)) posted(driver_.cuEventRecord(e, *s), "record an event");
}

void CudaDevice::post_wait(StreamId stream, EventId event) {
  const CUevent e = streams_.find_event(event);
  if (e == nullptr)
    return refuse(0, fmt::format("there is no event {} to wait for", static_cast<unsigned>(event)),
                  "Declare it: event e;");
  if (const auto s = posting_stream(stream)) posted(driver_.cuStreamWaitEvent(*s, e, 0), "wait for an event");
}

// --- Graphs --------------------------------------------------------------------------------------------------------

void CudaDevice::begin_capture(GraphId id, StreamId stream) {
  if (find_stream(stream)) throw taken(stream);
  graphs_.begin(id, stream);
}

void CudaDevice::post_graph(const GraphLaunch& request) {
  const CUgraphExec graph = graphs_.find(request.graph);
  const auto stream = find_stream(request.stream);
  if (graph == nullptr) return refuse(request.number, missing_text(request.graph), "");
  if (!stream) return refuse(request.number, "the stream does not exist", "Declare it: stream s;");
  const bool timed = request.timing == Timing::each;
  marks_.before();
  if (timed)
    if (const CUresult result = timer_.before(request.number, *stream); result != CUDA_SUCCESS)
      return posted(result, "record an event");
  if (const CUresult result = driver_.cuGraphLaunch(graph, *stream); result != CUDA_SUCCESS) {
    if (timed) timer_.abandon();
    if (ends_context(result)) return posted(result, "launch a graph");
    return refuse(request.number, driver_.text(result), "");
  }
  if (timed) posted(timer_.after(*stream), "record an event");
  marks_.launched(request.number, request.stream, *stream);
}

// --- Textures and limits -------------------------------------------------------------------------------------------

void CudaDevice::set_limit(Limit limit, std::uint64_t bytes) {
  driver_.check(driver_.cuCtxSetLimit(driver_limit(limit), bytes), ErrorKind::value,
                fmt::format("set a limit of the GPU's context to {}", format_bytes(bytes)));
}

std::uint64_t CudaDevice::limit(Limit limit) {
  std::size_t bytes = 0;
  driver_.check(driver_.cuCtxGetLimit(&bytes, driver_limit(limit)), "read a limit of the GPU's context");
  return bytes;
}

// --- The end of posts ----------------------------------------------------------------------------------------------

void CudaDevice::posted(CUresult result, std::string_view attempted) {
  if (result == CUDA_SUCCESS || fault_) return;
  if (!ends_context(result)) return refuse(0, fmt::format("cannot {}: {}", attempted, driver_.text(result)), "");
  Fault fault;
  fault.kind = fault_kind(result);
  fault.library = driver_.text(result);
  fault.message = fmt::format("cannot {}", attempted);
  fault_ = std::move(fault);
}

Completion CudaDevice::synchronize(const WaitRequest&) {
  // An interrupt or a deadline ends this process from outside: a running kernel cannot be stopped.
  const CUresult result = driver_.cuCtxSynchronize();
  Completion completion;
  completion.refused = std::exchange(refused_, {});
  if (result == CUDA_SUCCESS && !fault_) {
    completion.timings = timer_.harvest();
    completion.reports = std::exchange(reports_, {});
    marks_.synchronized();
    graphs_.synchronized();
    textures_.synchronized();
    return completion;
  }
  Fault fault = fault_.value_or(Fault{});
  if (result != CUDA_SUCCESS) {
    fault.kind = fault_kind(result);
    fault.library = driver_.text(result);
    fault.launches = marks_.unfinished();
  }
  completion.fault = std::move(fault);
  return completion;
}

}  // namespace

std::unique_ptr<Device> make_cuda_device(const Driver& driver, const StartRequest& request, int ordinal) {
  return std::make_unique<CudaDevice>(driver, request, ordinal);
}

std::unique_ptr<Device> make_cuda_device(const StartRequest& request, int ordinal) {
  return make_cuda_device(Driver::get(), request, ordinal);
}

}  // namespace xcuda::device::cuda
