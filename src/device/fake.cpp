#include "device/fake.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "device/id_errors.hpp"

namespace xcuda::device {
namespace {

constexpr std::size_t kStaging = 1 << 20;

std::byte* bytes_at(Address address) { return reinterpret_cast<std::byte*>(address); }

Fault illegal_address(std::string_view verb, Address address) {
  Fault fault;
  fault.kind = FaultKind::illegal_address;
  fault.library = fmt::format("{} outside all memory at {:#x}", verb, address);
  fault.address = address;
  return fault;
}

std::uint64_t extent(const CopyRequest& request, std::uint64_t pitch) {
  return request.height <= 1 ? request.width : (request.height - 1) * pitch + request.width;
}

std::optional<FaultKind> why_over(const WaitRequest& request) {
  if (request.interrupt != nullptr && request.interrupt->raised()) return FaultKind::interrupted;
  if (request.deadline && std::chrono::steady_clock::now() >= *request.deadline) return FaultKind::time_limit;
  return std::nullopt;
}

}  // namespace

FakeDevice::FakeDevice(FakeOptions options) : options_(std::move(options)), window_(options_.start.window) {
  if (options_.start.staging.empty()) {
    own_staging_.resize(kStaging);
    options_.start.staging = own_staging_;
  }
}

void FakeDevice::begin(std::string_view verb) {
  if (options_.before) options_.before(verb);
  if (end_)
    throw Error(ErrorKind::device, fmt::format("cannot {}: the device ended after a fault", verb))
        .said(std::string(fault_name(end_->kind)));
}

bool FakeDevice::begin_post(std::string_view verb) {
  if (options_.before) options_.before(verb);
  return !end_;
}

DeviceInfo FakeDevice::info() {
  begin("info");
  DeviceInfo info;
  info.kind = Kind::fake;
  info.name = "Fake device";
  info.architecture = "compute_80";
  info.compute_major = 8;
  info.driver = "1.0";
  info.uuid = "fake-0";
  info.memory_total = options_.memory;
  info.memory_free = free();
  info.memory_granularity = HostWindow::kGranularity;
  info.memory_outlives_process = options_.memory_kind == FakeOptions::Memory::outlives;
  info.multiprocessors = 1;
  info.max_threads_per_block = kFakeThreads;
  info.max_threads_per_multiprocessor = 2048;
  info.max_blocks_per_multiprocessor = 16;
  info.max_block = {1024, 1024, 64};
  info.max_grid = {2147483647, 65535, 65535};
  info.shared_per_block = 48 << 10;
  info.shared_per_block_optin = info.shared_per_multiprocessor = kFakeShared;
  info.registers_per_multiprocessor = info.registers_per_block = 65536;
  info.constant_memory = 65536;
  info.cooperative_launch = true;
  info.window = window_.window();
  return info;
}

// --- Memory ---------------------------------------------------------------------------------------------------------

File FakeDevice::create_memory(const MemoryRequest& request) {
  begin("create_memory");
  if (request.size > free())
    throw Error(ErrorKind::memory, fmt::format("cannot create memory of {}: {} are free", format_bytes(request.size),
                                               format_bytes(free())));
  auto file = window_.create(request);
  taken_ += request.size;
  memories_[request.id] = request.size;
  return options_.memory_kind == FakeOptions::Memory::outlives ? std::move(file) : File{};
}

void FakeDevice::import_memory(const MemoryRequest& request, const File& descriptor) {
  begin("import_memory");
  window_.import(request, descriptor);
  taken_ += request.size;
  memories_[request.id] = request.size;
}

void FakeDevice::destroy_memory(MemoryId id) {
  begin("destroy_memory");
  const auto found = memories_.find(id);
  if (found == memories_.end()) throw missing(id);
  finish_for("destroy_memory");
  window_.destroy(id);
  taken_ -= found->second;
  memories_.erase(found);
}

void FakeDevice::post_name_range(const ArrayRange& range) {
  if (begin_post("post_name_range")) ranges_[range.address] = range;
}

void FakeDevice::post_forget_range(Address address) {
  if (begin_post("post_forget_range")) ranges_.erase(address);
}

std::span<std::byte> FakeDevice::staging() { return options_.start.staging; }

bool FakeDevice::is_mapped(Address address, std::uint64_t size) const {
  if (window_.find(address, size) != nullptr) return true;
  return std::any_of(modules_.begin(), modules_.end(),
                     [&](const auto& entry) { return entry.second.holds(address, size); });
}

// --- Posts ----------------------------------------------------------------------------------------------------------

void FakeDevice::refuse(std::uint64_t number, std::string why) { refused_.push_back({number, std::move(why), {}}); }

void FakeDevice::post(std::string_view verb, StreamId stream,
                      std::function<std::optional<Fault>(const WaitRequest&)> run) {
  if (!begin_post(verb)) return;
  if (!streams_.contains(stream)) return refuse(0, fmt::format("{}: {}", verb, missing_text(stream)));
  if (graphs_.has(stream)) return graphs_.keep(stream, std::move(run));
  enqueue({Posted::Kind::work, 0, std::move(run)});
}

void FakeDevice::post_fill(StreamId stream, const FillRequest& request) {
  if (request.pattern.empty()) return refuse(0, "post_fill: the pattern is empty");
  post("post_fill", stream, [this, request](const WaitRequest&) -> std::optional<Fault> {
    const auto size = request.pattern.size();
    if (!is_mapped(request.address, request.count * size)) return illegal_address("a fill", request.address);
    for (std::uint64_t i = 0; i < request.count; ++i)
      std::memcpy(bytes_at(request.address + i * size), request.pattern.data(), size);
    return std::nullopt;
  });
}

std::optional<Fault> FakeDevice::copy(std::string_view verb, const CopyRequest& request) {
  auto to = request.to, from = request.from;
  const auto staged = [&](Address& offset, std::uint64_t size) -> std::optional<Fault> {
    const auto buffer = staging();
    if (offset > buffer.size() || size > buffer.size() - offset)
      return illegal_address(std::string(verb) + " (in the staging buffer)", offset);
    offset += reinterpret_cast<Address>(buffer.data());
    return std::nullopt;
  };
  const auto mapped = [&](Address address, std::uint64_t size) -> std::optional<Fault> {
    return is_mapped(address, size) ? std::nullopt : std::optional(illegal_address(verb, address));
  };
  const auto to_size = extent(request, request.to_pitch), from_size = extent(request, request.from_pitch);
  if (auto fault = verb == "post_read" ? staged(to, to_size) : mapped(to, to_size)) return fault;
  if (auto fault = verb == "post_write" ? staged(from, from_size) : mapped(from, from_size)) return fault;
  for (std::uint64_t row = 0; row < request.height; ++row)
    std::memmove(bytes_at(to + row * request.to_pitch), bytes_at(from + row * request.from_pitch), request.width);
  return std::nullopt;
}

void FakeDevice::post_rectangle(std::string_view verb, StreamId stream, const CopyRequest& request) {
  if (graphs_.has(stream) && verb != "post_copy")
    return refuse(0, fmt::format("{}: a capture cannot use the staging buffer", verb));
  post(verb, stream, [this, verb, request](const WaitRequest&) { return copy(verb, request); });
}
void FakeDevice::post_copy(StreamId stream, const CopyRequest& request) {
  post_rectangle("post_copy", stream, request);
}
void FakeDevice::post_read(StreamId stream, const CopyRequest& request) {
  post_rectangle("post_read", stream, request);
}
void FakeDevice::post_write(StreamId stream, const CopyRequest& request) {
  post_rectangle("post_write", stream, request);
}

std::optional<std::string> FakeDevice::refusal(const LaunchRequest& request) const {
  const auto module = modules_.find(request.module);
  if (module == modules_.end()) return missing_text(request.module);
  if (auto why = why_refused(request, module->second)) return why;
  if (!streams_.contains(request.stream)) return missing_text(request.stream);
  for (const auto& argument : request.textures)
    if (!textures_.contains(argument.texture)) return missing_text(argument.texture);
  return std::nullopt;
}

void FakeDevice::post_prepare(const PrepareRequest& request) {
  if (begin_post("post_prepare")) prepared_.push_back(request);
}

void FakeDevice::post_launch(const LaunchRequest& request) {
  if (!begin_post("post_launch")) return;
  if (auto why = refusal(request)) return refuse(request.number, std::move(*why));
  if (graphs_.has(request.stream))
    return graphs_.keep(request.stream, [this, request](const WaitRequest& wait) {
      auto fault = launch(request, wait);
      if (fault && fault->launches.empty()) fault->launches = {request.number};
      return fault;
    });
  enqueue({Posted::Kind::launch, request.number,
           [this, request](const WaitRequest& wait) { return launch(request, wait); }});
}

std::optional<Fault> FakeDevice::launch(const LaunchRequest& request, const WaitRequest& wait) {
  if (const auto injected = options_.faults.find(request.number); injected != options_.faults.end())
    return injected->second;
  const auto variable = [&](const std::string& symbol) {
    for (const auto& known : modules_.at(request.module).info.variables)
      if (known.symbol == symbol) return known.address;
    return Address{0};
  };
  FakeLaunch call{request, function(request.module, request.entry), [&wait] { return why_over(wait); }, variable};
  auto fault = options_.kernels.at(request.entry)(call);
  const auto duration = static_cast<Nanoseconds>(1000 + call.threads());
  clock_ += duration;
  if (request.timing == Timing::each && !fault) timings_.push_back({request.number, duration});
  if (fault && fault->entry.empty()) fault->entry = request.entry;
  return fault;
}

void FakeDevice::enqueue(Posted posted) {
  posted_.push_back(std::move(posted));
  if (posted_.size() > options_.queue_depth) run_first({});
}

void FakeDevice::run_first(const WaitRequest& request) {
  const auto item = std::move(posted_.front());
  posted_.pop_front();
  if (end_) return;
  const bool stopped = request.interrupt != nullptr && request.interrupt->raised();
  if (item.kind == Posted::Kind::launch && (stopped || gave_up_)) return skipped_.push_back(item.number);
  if (gave_up_) return;
  auto fault = item.run(request);
  if (!fault) return;
  if (item.kind == Posted::Kind::launch && fault->launches.empty()) fault->launches = {item.number};
  end_ = pending_ = std::move(fault);
}

void FakeDevice::finish(const WaitRequest& request) {
  while (!posted_.empty()) run_first(request);
}

void FakeDevice::finish_for(std::string_view verb) {
  finish({});
  if (pending_)
    throw Error(ErrorKind::device, fmt::format("cannot {}: the device faulted", verb)).said(pending_->library);
}

Completion FakeDevice::synchronize(const WaitRequest& request) {
  if (!pending_) begin("synchronize");
  finish(request);
  gave_up_ = false;
  Completion completion;
  completion.timings = std::exchange(timings_, {});
  completion.refused = std::exchange(refused_, {});
  completion.skipped = std::exchange(skipped_, {});
  completion.fault = std::exchange(pending_, std::nullopt);
  return completion;
}

// --- Modules --------------------------------------------------------------------------------------------------------

ModuleInfo FakeDevice::load_module(const ModuleImage& image) {
  begin("load_module");
  if (modules_.contains(image.id)) throw taken(image.id);
  auto module = parse_fake_module(image, [&](const std::string& name) { return options_.kernels.contains(name); });
  return modules_.emplace(image.id, std::move(module)).first->second.info;
}

void FakeDevice::unload_module(ModuleId id) {
  begin("unload_module");
  if (!modules_.contains(id)) throw missing(id);
  finish_for("unload_module");
  modules_.erase(id);
}

ModuleInfo FakeDevice::module_info(ModuleId id) {
  begin("module_info");
  const auto found = modules_.find(id);
  if (found == modules_.end()) throw missing(id);
  return found->second.info;
}

// A host function's address is all that there is to tell.
MachineCode FakeDevice::machine_code(const CodeRequest& request) {
  begin("machine_code");
  const FunctionInfo& found = function(request.module, request.entry);
  return {"fake", "", 1, {{.instruction = "call " + found.entry}}};
}

const FunctionInfo& FakeDevice::function(ModuleId module, const std::string& entry) const {
  const auto found = modules_.find(module);
  if (found == modules_.end()) throw missing(module);
  for (const auto& function : found->second.info.functions)
    if (function.entry == entry) return function;
  throw Error(ErrorKind::name, fmt::format("module {} has no kernel {}", static_cast<unsigned>(module), entry));
}

void FakeDevice::post_library(const LibraryLaunch& request) {
  if (begin_post("post_library")) refuse(request.number, "the fake device has no libraries");
}

Occupancy FakeDevice::occupancy(const OccupancyRequest& request) {
  begin("occupancy");
  function(request.module, request.entry);
  if (request.block_threads == 0 || request.block_threads > kFakeThreads)
    throw Error(ErrorKind::value,
                fmt::format("cannot compute the occupancy with {} threads a block", request.block_threads));
  const std::uint64_t by_threads = 2048 / ((request.block_threads + 31) / 32 * 32);
  const std::uint64_t by_shared = request.dynamic_shared == 0 ? 16 : kFakeShared / request.dynamic_shared;
  const auto blocks = std::min({by_threads, by_shared, std::uint64_t{16}});
  const std::uint64_t warps = (request.block_threads + 31) / 32;
  Occupancy result;
  result.blocks_per_multiprocessor = static_cast<int>(blocks);
  result.fraction = static_cast<double>(blocks * warps) / 64;
  result.limiter = blocks == by_threads ? "threads" : blocks == by_shared ? "shared memory" : "blocks";
  return result;
}

std::uint32_t FakeDevice::best_block(const OccupancyRequest& request) {
  begin("best_block");
  function(request.module, request.entry);
  return 256;
}

// --- Streams and events ---------------------------------------------------------------------------------------------

void FakeDevice::create_stream(StreamId id) {
  begin("create_stream");
  if (!streams_.insert(id).second) throw taken(id);
}

void FakeDevice::destroy_stream(StreamId id) {
  begin("destroy_stream");
  if (id == StreamId{0} || streams_.erase(id) == 0) throw missing(id);
}

void FakeDevice::create_event(EventId id) {
  begin("create_event");
  if (!events_.emplace(id, std::nullopt).second) throw taken(id);
}

void FakeDevice::destroy_event(EventId id) {
  begin("destroy_event");
  if (events_.erase(id) == 0) throw missing(id);
}

void FakeDevice::post_record(EventId event, StreamId stream) {
  if (graphs_.has(stream) && begin_post("post_record")) {
    if (!events_.contains(event)) return refuse(0, "post_record: " + missing_text(event));
    return graphs_.record(event, stream);
  }
  post("post_record", stream, [this, event](const WaitRequest&) -> std::optional<Fault> {
    if (const auto found = events_.find(event); found != events_.end()) {
      found->second = ++clock_;
    } else {
      refuse(0, "post_record: " + missing_text(event));
    }
    return std::nullopt;
  });
}

void FakeDevice::post_wait(StreamId stream, EventId event) {
  if (streams_.contains(stream) && graphs_.join(stream, event)) return;
  post("post_wait", stream, [this, event](const WaitRequest&) -> std::optional<Fault> {
    if (!events_.contains(event)) refuse(0, "post_wait: " + missing_text(event));
    return std::nullopt;
  });
}

Nanoseconds FakeDevice::elapsed(EventId from, EventId to) {
  begin("elapsed");
  const auto time = [&](EventId id) {
    const auto found = events_.find(id);
    if (found == events_.end()) throw missing(id);
    if (!found->second)
      throw Error(ErrorKind::value, fmt::format("event {} was never recorded", static_cast<unsigned>(id)));
    return *found->second;
  };
  return time(to) - time(from);
}

// --- Graphs ---------------------------------------------------------------------------------------------------------

void FakeDevice::begin_capture(GraphId id, StreamId stream) {
  begin("begin_capture");
  if (streams_.contains(stream)) throw taken(stream);
  graphs_.begin(id, stream);
  streams_.insert(stream);
}

GraphInfo FakeDevice::end_capture(GraphId id) {
  begin("end_capture");
  if (const auto origin = graphs_.origin(id)) streams_.erase(*origin);
  return graphs_.end(id);
}

void FakeDevice::post_graph(const GraphLaunch& request) {
  if (!begin_post("post_graph")) return;
  const auto* graph = graphs_.find(request.graph);
  if (graph == nullptr) return refuse(request.number, missing_text(request.graph));
  if (!streams_.contains(request.stream)) return refuse(request.number, missing_text(request.stream));
  enqueue({Posted::Kind::launch, request.number,
           [this, request, work = *graph](const WaitRequest& wait) -> std::optional<Fault> {
             const auto start = clock_++;
             for (const auto& piece : work)
               if (auto fault = piece(wait)) return fault;
             if (request.timing == Timing::each) timings_.push_back({request.number, clock_ - start});
             return std::nullopt;
           }});
}

void FakeDevice::post_destroy_graph(GraphId id) {
  if (!begin_post("post_destroy_graph")) return;
  if (const auto origin = graphs_.origin(id)) streams_.erase(*origin);
  graphs_.drop(id);
}

void FakeDevice::create_texture(const TextureRequest& request) {
  begin("create_texture");
  if (textures_.contains(request.id)) throw taken(request.id);
  textures_[request.id] = request;
}

void FakeDevice::post_destroy_texture(TextureId id) {
  if (begin_post("post_destroy_texture")) textures_.erase(id);
}

void FakeDevice::set_limit(Limit limit, std::uint64_t bytes) {
  begin("set_limit");
  limits_[limit] = bytes;
}

std::uint64_t FakeDevice::limit(Limit limit) {
  begin("limit");
  return limits_.at(limit);
}

}  // namespace xcuda::device
