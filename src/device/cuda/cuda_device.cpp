#include "device/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/units.hpp"
#include "device/cuda/device_info.hpp"
#include "device/cuda/gpu_graphs.hpp"
#include "device/cuda/gpu_memory.hpp"
#include "device/cuda/gpu_module.hpp"
#include "device/cuda/gpu_textures.hpp"
#include "device/cuda/host_buffer.hpp"
#include "device/cuda/launch_log.hpp"

namespace xcuda::device::cuda {
namespace {

struct PrimaryContext {
  PrimaryContext(const Driver& driver, CUdevice device) : driver_(driver), device_(device) {
    CUcontext context = nullptr;
    driver_.check(driver_.cuDevicePrimaryCtxRetain(&context, device_), "make a context on the GPU");
    driver_.check(driver_.cuCtxSetCurrent(context), "make the GPU's context current");
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext() { driver_.cuDevicePrimaryCtxRelease(device_); }

  const Driver& driver_;
  CUdevice device_;
};

CUdevice open_device(const Driver& driver, int ordinal) {
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "count the GPUs");
  if (ordinal < 0 || ordinal >= count)
    throw Error(ErrorKind::value, fmt::format("there is no GPU {}: {} visible", ordinal,
                                              count == 1 ? "one is" : fmt::format("{} are", count)))
        .advise("%device lists them; CUDA_VISIBLE_DEVICES limits what is visible");
  CUdevice device = 0;
  driver.check(driver.cuDeviceGet(&device, ordinal), fmt::format("open GPU {}", ordinal));
  return device;
}

FaultKind fault_kind(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE: return FaultKind::illegal_address;
    case CUDA_ERROR_MISALIGNED_ADDRESS: return FaultKind::misaligned_address;
    case CUDA_ERROR_HARDWARE_STACK_ERROR: return FaultKind::stack_overflow;
    case CUDA_ERROR_ASSERT: return FaultKind::assertion;
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_INVALID_PC: return FaultKind::illegal_instruction;
    case CUDA_ERROR_LAUNCH_FAILED: return FaultKind::trap;
    case CUDA_ERROR_LAUNCH_TIMEOUT: return FaultKind::time_limit;
    case CUDA_ERROR_OUT_OF_MEMORY: return FaultKind::out_of_memory;
    default: return FaultKind::other;
  }
}

// After these the context answers every call with the same error.
bool ends_context(CUresult result) {
  const FaultKind kind = fault_kind(result);
  return result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_UNKNOWN ||
         (kind != FaultKind::other && kind != FaultKind::out_of_memory);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const StartRequest& request, int ordinal);
  ~CudaDevice() override;

  DeviceInfo info() override;

  File create_memory(const MemoryRequest& request) override;
  void import_memory(const MemoryRequest& request, const File& descriptor) override {
    memory_.import(request, descriptor);
  }
  void destroy_memory(MemoryId id) override;
  void post_name_range(const ArrayRange&) override {}  // the hardware checks pages, not arrays
  void post_forget_range(Address) override {}

  std::span<std::byte> staging() override { return staging_.bytes(); }
  void post_fill(StreamId stream, const FillRequest& request) override;
  void post_copy(StreamId stream, const CopyRequest& request) override {
    copy(stream, request, request.to, request.from);
  }
  void post_read(StreamId stream, const CopyRequest& request) override {
    if (may_use_staging(stream)) copy(stream, request, staging_.at(request.to), request.from);
  }
  void post_write(StreamId stream, const CopyRequest& request) override {
    if (may_use_staging(stream)) copy(stream, request, request.to, staging_.at(request.from));
  }

  ModuleInfo load_module(const ModuleImage& image) override;
  void unload_module(ModuleId id) override;
  ModuleInfo module_info(ModuleId id) override { return find_module(id).info(); }

  void post_launch(const LaunchRequest& request) override;
  Occupancy occupancy(const OccupancyRequest& request) override;
  std::uint32_t best_block(const OccupancyRequest& request) override;

  void create_stream(StreamId id) override;
  void destroy_stream(StreamId id) override;
  void create_event(EventId id) override;
  void destroy_event(EventId id) override;
  void post_record(EventId event, StreamId stream) override;
  void post_wait(StreamId stream, EventId event) override;
  Nanoseconds elapsed(EventId from, EventId to) override;

  void begin_capture(GraphId id, StreamId stream) override;
  GraphInfo end_capture(GraphId id) override;
  void post_graph(const GraphLaunch& request) override;
  void post_destroy_graph(GraphId id) override;

  void create_texture(const TextureRequest& request) override { textures_.create(request); }
  void post_destroy_texture(TextureId id) override { textures_.drop(id); }

  void set_limit(Limit limit, std::uint64_t bytes) override;
  std::uint64_t limit(Limit limit) override;

  Completion synchronize(const WaitRequest& request) override;

 private:
  bool may_use_staging(StreamId stream);
  void copy(StreamId stream, const CopyRequest& request, CUdeviceptr to, CUdeviceptr from);
  CUresult fill(CUstream stream, const FillRequest& request);
  GpuModule& find_module(ModuleId id);
  Function& find_function(ModuleId module, const std::string& entry);
  CUstream* find_stream(StreamId id);
  CUevent* find_event(EventId id);
  CUstream* posting_stream(StreamId id);  // ... nullptr, and told at the next synchronize(), when there is none
  CUresult launch(const LaunchRequest& request, Function& function, CUstream stream);
  void posted(CUresult result, std::string_view attempted);  // a post that failed; told at the next synchronize()
  void refuse(std::uint64_t number, std::string library, std::string advice);

  const Driver& driver_;
  CUdevice device_;
  PrimaryContext context_;
  DeviceInfo info_;
  GpuMemory memory_;
  HostBuffer staging_;
  LaunchMarks marks_;
  LaunchTimer timer_;
  std::map<ModuleId, GpuModule> modules_;
  std::map<StreamId, CUstream> streams_;
  std::map<EventId, CUevent> events_;
  GpuGraphs graphs_;
  GpuTextures textures_;
  std::vector<RefusedLaunch> refused_;
  std::optional<Fault> fault_;  // of a post
};

CudaDevice::CudaDevice(const StartRequest& request, int ordinal)
    : driver_(Driver::get()),
      device_(open_device(driver_, ordinal)),
      context_(driver_, device_),
      info_(describe(driver_, device_, ordinal)),
      memory_(driver_, device_, request.window,
              info_.memory_outlives_process ? GpuMemory::Export::descriptor : GpuMemory::Export::none),
      staging_(driver_, request.staging),
      marks_(driver_),
      timer_(driver_),
      graphs_(driver_),
      textures_(driver_, device_) {
  info_.memory_granularity = memory_.granularity();
  info_.window = memory_.window();
  // What several notebooks print between two synchronisations; the driver's own 1 MiB loses lines.
  driver_.check(driver_.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, std::size_t{16} << 20),
                "set the size of the printf buffer");
  streams_[StreamId{0}] = nullptr;
}

CudaDevice::~CudaDevice() {
  driver_.cuCtxSynchronize();
  for (const auto& [id, event] : events_) driver_.cuEventDestroy(event);
  for (const auto& [id, stream] : streams_)
    if (stream != nullptr && !graphs_.owns(stream)) driver_.cuStreamDestroy(stream);
}

DeviceInfo CudaDevice::info() {
  std::size_t free = 0, total = 0;
  driver_.check(driver_.cuMemGetInfo(&free, &total), "read how much memory is free");
  DeviceInfo now = info_;
  now.memory_free = free > GpuMemory::reserve ? free - GpuMemory::reserve : 0;
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

CUresult CudaDevice::fill(CUstream stream, const FillRequest& request) {
  const auto size = request.pattern.size();
  const auto all = [&](std::byte value) {
    return std::all_of(request.pattern.begin(), request.pattern.end(), [&](std::byte b) { return b == value; });
  };
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (request.count == 0) return CUDA_SUCCESS;
  if (all(request.pattern[0]))
    return driver_.cuMemsetD8Async(request.address, static_cast<unsigned char>(request.pattern[0]),
                                   request.count * size, stream);
  if (size == 2) {
    unsigned short value = 0;
    std::copy(request.pattern.begin(), request.pattern.end(), reinterpret_cast<std::byte*>(&value));
    return driver_.cuMemsetD16Async(request.address, value, request.count, stream);
  }
  if (size == 4) {
    unsigned value = 0;
    std::copy(request.pattern.begin(), request.pattern.end(), reinterpret_cast<std::byte*>(&value));
    return driver_.cuMemsetD32Async(request.address, value, request.count, stream);
  }
  // Any other size: the first pattern, then copies of what is there, doubling. Pageable host memory is taken before the
  // call returns; a graph would read it when it runs, so that a capture sets byte by byte.
  if (graphs_.capturing()) {
    for (std::size_t i = 0; i < size; ++i)
      if (const CUresult result =
              driver_.cuMemsetD8Async(request.address + i, static_cast<unsigned char>(request.pattern[i]), 1, stream);
          result != CUDA_SUCCESS)
        return result;
  } else if (const CUresult result = driver_.cuMemcpyAsync(
                 request.address, reinterpret_cast<CUdeviceptr>(request.pattern.data()), size, stream);
             result != CUDA_SUCCESS) {
    return result;
  }
  for (std::uint64_t done = 1; done < request.count;) {
    const std::uint64_t more = std::min(done, request.count - done);
    if (const CUresult result =
            driver_.cuMemcpyAsync(request.address + done * size, request.address, more * size, stream);
        result != CUDA_SUCCESS)
      return result;
    done += more;
  }
  return CUDA_SUCCESS;
}

void CudaDevice::post_fill(StreamId stream, const FillRequest& request) {
  if (const CUstream* raw = posting_stream(stream)) posted(fill(*raw, request), "fill GPU memory");
}

// A graph would read or write the staging buffer when it runs, not now.
bool CudaDevice::may_use_staging(StreamId stream) {
  const CUstream* raw = find_stream(stream);
  if (raw == nullptr || !graphs_.captures(*raw)) return true;
  refuse(0, "nothing crosses the staging buffer in a capture", "");
  return false;
}

void CudaDevice::copy(StreamId stream, const CopyRequest& request, CUdeviceptr to, CUdeviceptr from) {
  const CUstream* raw = posting_stream(stream);
  if (raw == nullptr || request.width == 0 || request.height == 0) return;
  if (request.height == 1) return posted(driver_.cuMemcpyAsync(to, from, request.width, *raw), "copy memory");
  CUDA_MEMCPY2D rectangle{};
  rectangle.srcMemoryType = rectangle.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rectangle.srcDevice = from;
  rectangle.dstDevice = to;
  rectangle.srcPitch = request.from_pitch;
  rectangle.dstPitch = request.to_pitch;
  rectangle.WidthInBytes = request.width;
  rectangle.Height = request.height;
  posted(driver_.cuMemcpy2DAsync(&rectangle, *raw), "copy memory");
}

// --- Modules and launches ------------------------------------------------------------------------------------------

ModuleInfo CudaDevice::load_module(const ModuleImage& image) {
  if (modules_.contains(image.id))
    throw Error(ErrorKind::value, fmt::format("module {} is loaded already", static_cast<unsigned>(image.id)));
  return modules_.try_emplace(image.id, driver_, image).first->second.info();
}

void CudaDevice::unload_module(ModuleId id) {
  find_module(id);
  driver_.check(driver_.cuCtxSynchronize(), "wait for the GPU before unloading a module");
  modules_.erase(id);
}

GpuModule& CudaDevice::find_module(ModuleId id) {
  const auto found = modules_.find(id);
  if (found == modules_.end())
    throw Error(ErrorKind::value, fmt::format("there is no module {}", static_cast<unsigned>(id)));
  return found->second;
}

Function& CudaDevice::find_function(ModuleId module, const std::string& entry) {
  Function* function = find_module(module).find(entry);
  if (function == nullptr)
    throw Error(ErrorKind::name, fmt::format("module {} has no kernel {}", static_cast<unsigned>(module), entry));
  return *function;
}

CUresult CudaDevice::launch(const LaunchRequest& request, Function& function, CUstream stream) {
  if (request.dynamic_shared > function.dynamic_shared_allowed) {
    const CUresult result = driver_.cuFuncSetAttribute(function.raw, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                       static_cast<int>(request.dynamic_shared));
    if (result != CUDA_SUCCESS) return result;
    function.dynamic_shared_allowed = request.dynamic_shared;
  }
  std::size_t size = request.arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::byte*>(request.arguments.data()),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  void** arguments = size == 0 ? nullptr : extra;
  const auto shared = static_cast<unsigned>(request.dynamic_shared);
  if (!request.cluster && request.mode == LaunchMode::normal)
    return driver_.cuLaunchKernel(function.raw, request.grid.x, request.grid.y, request.grid.z, request.block.x,
                                  request.block.y, request.block.z, shared, stream, nullptr, arguments);
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config{};
  config.gridDimX = request.grid.x;
  config.gridDimY = request.grid.y;
  config.gridDimZ = request.grid.z;
  config.blockDimX = request.block.x;
  config.blockDimY = request.block.y;
  config.blockDimZ = request.block.z;
  config.sharedMemBytes = shared;
  config.hStream = stream;
  config.attrs = attributes;
  if (request.cluster) {
    auto& cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = request.cluster->x;
    cluster.value.clusterDim.y = request.cluster->y;
    cluster.value.clusterDim.z = request.cluster->z;
  }
  if (request.mode == LaunchMode::cooperative) {
    auto& cooperative = attributes[config.numAttrs++];
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
  }
  return driver_.cuLaunchKernelEx(&config, function.raw, nullptr, arguments);
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
  const CUstream* stream = find_stream(request.stream);
  if (function == nullptr)
    return refuse(request.number, fmt::format("no kernel {} is loaded", request.entry),
                  "run the cell that defines it again");
  if (stream == nullptr) return refuse(request.number, "the stream does not exist", "declare it: stream s;");
  const bool captured = graphs_.captures(*stream);
  const bool timed = request.timing == Timing::each && !captured;
  if (!captured) marks_.before();
  if (const CUresult result = textures_.before(request, *stream); result != CUDA_SUCCESS)
    return posted(result, "copy an array into a texture");
  if (timed)
    if (const CUresult result = timer_.before(request.number, *stream); result != CUDA_SUCCESS)
      return posted(result, "record an event");
  const CUresult result = launch(request, *function, *stream);
  if (result != CUDA_SUCCESS) {
    if (timed) timer_.abandon();
    if (ends_context(result)) return posted(result, "launch a kernel");
    std::string advice;
    if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
      advice = fmt::format(
          "{} takes {} registers a thread, so {} threads a block at most; use smaller blocks, __launch_bounds__ or "
          "-maxrregcount",
          request.entry, function->info.registers, function->info.max_threads_per_block);
    else if (request.dynamic_shared + function->info.shared_bytes > info_.shared_per_block_optin)
      advice = fmt::format("a block has at most {} of shared memory here", format_bytes(info_.shared_per_block_optin));
    else if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
      advice = "a cooperative grid must fit on the GPU at once; use fewer blocks";
    return refuse(request.number, driver_.text(result), std::move(advice));
  }
  if (timed) posted(timer_.after(*stream), "record an event");
  posted(textures_.after(request, *stream), "copy a surface back into its array");
  if (!captured) marks_.launched(request.number, request.stream, *stream);
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

CUstream* CudaDevice::find_stream(StreamId id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

CUevent* CudaDevice::find_event(EventId id) {
  const auto found = events_.find(id);
  return found == events_.end() ? nullptr : &found->second;
}

CUstream* CudaDevice::posting_stream(StreamId id) {
  CUstream* raw = find_stream(id);
  if (raw == nullptr)
    refuse(0, fmt::format("there is no stream {}", static_cast<unsigned>(id)), "declare it: stream s;");
  return raw;
}

void CudaDevice::create_stream(StreamId id) {
  if (streams_.contains(id))
    throw Error(ErrorKind::value, fmt::format("stream {} exists already", static_cast<unsigned>(id)));
  CUstream raw = nullptr;
  driver_.check(driver_.cuStreamCreate(&raw, CU_STREAM_DEFAULT), "make a stream");
  streams_[id] = raw;
}

void CudaDevice::destroy_stream(StreamId id) {
  const CUstream* raw = find_stream(id);
  if (raw == nullptr || id == StreamId{0})
    throw Error(ErrorKind::value, fmt::format("there is no stream {} to end", static_cast<unsigned>(id)));
  marks_.close(id, *raw);
  driver_.check(driver_.cuStreamDestroy(*raw), "end a stream");
  streams_.erase(id);
}

void CudaDevice::create_event(EventId id) {
  if (events_.contains(id))
    throw Error(ErrorKind::value, fmt::format("event {} exists already", static_cast<unsigned>(id)));
  CUevent raw = nullptr;
  driver_.check(driver_.cuEventCreate(&raw, CU_EVENT_DEFAULT), "make an event");
  events_[id] = raw;
}

void CudaDevice::destroy_event(EventId id) {
  const CUevent* raw = find_event(id);
  if (raw == nullptr) throw Error(ErrorKind::value, fmt::format("there is no event {}", static_cast<unsigned>(id)));
  driver_.check(driver_.cuEventDestroy(*raw), "end an event");
  events_.erase(id);
}

void CudaDevice::post_record(EventId event, StreamId stream) {
  const CUevent* e = find_event(event);
  if (e == nullptr)
    return refuse(0, fmt::format("there is no event {} to record", static_cast<unsigned>(event)),
                  "declare it: event e;");
  if (const CUstream* s = posting_stream(stream)) posted(driver_.cuEventRecord(*e, *s), "record an event");
}

void CudaDevice::post_wait(StreamId stream, EventId event) {
  const CUevent* e = find_event(event);
  if (e == nullptr)
    return refuse(0, fmt::format("there is no event {} to wait for", static_cast<unsigned>(event)),
                  "declare it: event e;");
  if (const CUstream* s = posting_stream(stream)) posted(driver_.cuStreamWaitEvent(*s, *e, 0), "wait for an event");
}

Nanoseconds CudaDevice::elapsed(EventId from, EventId to) {
  const CUevent* a = find_event(from);
  const CUevent* b = find_event(to);
  if (a == nullptr || b == nullptr)
    throw Error(ErrorKind::value, "cannot read the time between two events: one does not exist");
  float milliseconds = 0;
  const CUresult result = driver_.cuEventElapsedTime(&milliseconds, *a, *b);
  if (result == CUDA_ERROR_INVALID_HANDLE)
    throw Error(ErrorKind::value, "cannot read the time between two events: one was never recorded")
        .said(driver_.text(result))
        .advise("record both first: record(e)");
  driver_.check(result, ErrorKind::value, "read the time between two events");
  return std::llround(double{milliseconds} * 1e6);
}

// --- Graphs --------------------------------------------------------------------------------------------------------

void CudaDevice::begin_capture(GraphId id, StreamId stream) {
  if (streams_.contains(stream))
    throw Error(ErrorKind::value, fmt::format("stream {} exists already", static_cast<unsigned>(stream)));
  streams_[stream] = graphs_.begin(id, stream);
}

GraphInfo CudaDevice::end_capture(GraphId id) {
  if (const auto origin = graphs_.origin(id)) streams_.erase(*origin);
  return graphs_.end(id);
}

void CudaDevice::post_graph(const GraphLaunch& request) {
  const CUgraphExec graph = graphs_.find(request.graph);
  const CUstream* stream = find_stream(request.stream);
  if (graph == nullptr)
    return refuse(request.number, fmt::format("there is no graph {}", static_cast<unsigned>(request.graph)), "");
  if (stream == nullptr) return refuse(request.number, "the stream does not exist", "declare it: stream s;");
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

void CudaDevice::post_destroy_graph(GraphId id) {
  if (const auto origin = graphs_.origin(id)) streams_.erase(*origin);
  graphs_.drop(id);
}

// --- Textures and limits -------------------------------------------------------------------------------------------

CUlimit driver_limit(Limit limit) {
  switch (limit) {
    case Limit::stack_size: return CU_LIMIT_STACK_SIZE;
    case Limit::printf_buffer: return CU_LIMIT_PRINTF_FIFO_SIZE;
    case Limit::malloc_heap: return CU_LIMIT_MALLOC_HEAP_SIZE;
  }
  return CU_LIMIT_STACK_SIZE;
}

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

void prepare_environment() {
  // With lazy loading the first launch of a function waits for running kernels: a deadlock behind an endless one.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
}

std::unique_ptr<Device> make_cuda_device(const StartRequest& request, int ordinal) {
  return std::make_unique<CudaDevice>(request, ordinal);
}

}  // namespace xcuda::device::cuda
