#include "device/remote/remote_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/process_limits.hpp"
#include "device/remote/codec.hpp"
#include "device/remote/connection.hpp"
#include "device/remote/protocol.hpp"

namespace xcuda::device::remote {
namespace {

constexpr std::chrono::milliseconds kDismissTime{2000};  // for a worker whose session is done with it

// The limit on file sizes counts for shared memory, too. A small staging buffer works as well.
RemoteOptions within_limits(RemoteOptions options) {
  constexpr std::uint64_t kUnit = 64 << 10;  // bytes; less is of no use
  if (const auto limit = file_size_limit(); limit && *limit >= kUnit)
    options.staging_size = std::min(options.staging_size, *limit / kUnit * kUnit);
  return options;
}

// What a supervised device tells a new process by its journal, or what costs nothing but time when it is lost.
bool may_be_lost(Verb verb) {
  return verb == Verb::post_name_range || verb == Verb::post_forget_range || verb == Verb::post_destroy_texture ||
         verb == Verb::post_prepare || verb == Verb::post_guard || verb == Verb::post_write_value ||
         verb == Verb::post_wait_value;
}

// What a person would say for the fault of a call.
Error error_of(Verb verb, const Fault& fault) {
  const bool interrupted = fault.kind == FaultKind::interrupted || fault.kind == FaultKind::time_limit;
  return Error(interrupted ? ErrorKind::interrupted : ErrorKind::device,
               fmt::format("the device could not {}: {}", verb_phrase(verb), fault_name(fault.kind)))
      .said(fault.library);
}

}  // namespace

RemoteDevice::RemoteDevice(RemoteOptions options)
    : options_(within_limits(std::move(options))),
      staging_file_(make_memory_file("xcuda-staging", options_.staging_size, Reserve::as_used)),
      staging_(staging_file_, options_.staging_size),
      connection_(connect(options_.window, WindowWish::any)) {}

RemoteDevice::~RemoteDevice() {
  if (connection_) connection_->dismiss(kDismissTime);
}

std::unique_ptr<Line> RemoteDevice::connect(const Window& window, WindowWish wish) {
  if (options_.line) return options_.line(window, staging_.bytes());
  auto worker = options_.worker;
  worker.on_leaving = [this] { leaving(); };
  return std::make_unique<Connection>(
      ConnectionRequest{std::move(worker), window, wish, &staging_file_, options_.staging_size});
}

WaitRequest RemoteDevice::start_limits() const {
  auto limits = options_.limits ? options_.limits() : WaitRequest{};
  const auto latest = std::chrono::steady_clock::now() + options_.start_limit;
  limits.deadline = std::min(limits.deadline.value_or(latest), latest);
  return limits;
}

pid_t RemoteDevice::process() const { return connection_ ? connection_->pid() : 0; }

void RemoteDevice::require_connection(Verb verb) const {
  if (connection_) return;
  if (ended_) throw *ended_;
  throw Error(ErrorKind::device, fmt::format("cannot {}: the device ended", verb_phrase(verb)));
}

std::optional<Completion> RemoteDevice::take_fault() { return std::exchange(kept_fault_, std::nullopt); }

void RemoteDevice::forget_posts() {
  launched_.clear();
  outstanding_ = false;
}

// A process that was killed, or stopped, while it had nothing to do.
bool RemoteDevice::lost_nothing(const Line::Loss& loss) const {
  const auto& fault = *loss.completion.fault;
  const bool by_itself = fault.kind == FaultKind::worker_died || fault.kind == FaultKind::worker_hung;
  return by_itself && fault.launches.empty() && !outstanding_;
}

// The launches at fault, as far as anybody can tell: those named, else all that were not known to be done.
Completion RemoteDevice::tell(Line::Loss loss) {
  auto& fault = *loss.completion.fault;
  if (fault.launches.empty()) fault.launches = launched_;
  forget_posts();
  answered_ = waits_ = false;
  return after_loss(std::move(loss));
}

Completion RemoteDevice::after_loss(Line::Loss loss) {
  connection_.reset();
  const auto& fault = *loss.completion.fault;
  ended_ = Error(ErrorKind::device, fmt::format("the device ended: {}", fault_name(fault.kind))).said(fault.library);
  return std::move(loss.completion);
}

// --- Posts ----------------------------------------------------------------------------------------------------------

template <class... Arguments> void RemoteDevice::post(Verb verb, const Arguments&... arguments) {
  if (!connection_) return;
  outstanding_ = outstanding_ || !may_be_lost(verb);
  buffer_.clear();
  Writer{buffer_}(arguments...);
  connection_->post(verb, buffer_, options_.limits);
}

void RemoteDevice::post_name_range(const ArrayRange& range) {
  if (knows_arrays_) post(Verb::post_name_range, range);
}
void RemoteDevice::post_forget_range(Address address) {
  if (knows_arrays_) post(Verb::post_forget_range, address);
}
void RemoteDevice::post_guard(const std::vector<GuardedRange>& ranges) { post(Verb::post_guard, ranges); }
void RemoteDevice::post_fill(StreamId stream, const FillRequest& request) { post(Verb::post_fill, stream, request); }
void RemoteDevice::post_copy(StreamId stream, const CopyRequest& request) { post(Verb::post_copy, stream, request); }
void RemoteDevice::post_read(StreamId stream, const CopyRequest& request) { post(Verb::post_read, stream, request); }
void RemoteDevice::post_write(StreamId stream, const CopyRequest& request) { post(Verb::post_write, stream, request); }
void RemoteDevice::post_record(EventId event, StreamId stream) { post(Verb::post_record, event, stream); }
void RemoteDevice::post_wait(StreamId stream, EventId event) { post(Verb::post_wait, stream, event); }

void RemoteDevice::post_write_value(std::uint32_t word, std::uint32_t value) {
  post(Verb::post_write_value, word, value);
}
void RemoteDevice::post_wait_value(std::uint32_t word, std::uint32_t value) {
  post(Verb::post_wait_value, word, value);
}

void RemoteDevice::post_prepare(const PrepareRequest& request) { post(Verb::post_prepare, request); }

void RemoteDevice::post_launch(const LaunchRequest& request) {
  launched_.push_back(request.number);
  post(Verb::post_launch, request);
}

void RemoteDevice::post_library(const LibraryLaunch& request) {
  launched_.push_back(request.number);
  post(Verb::post_library, request);
}

void RemoteDevice::post_host_call(const HostCall& request) {
  launched_.push_back(request.number);
  post(Verb::post_host_call, request);
}

void RemoteDevice::post_graph(const GraphLaunch& request) {
  launched_.push_back(request.number);
  post(Verb::post_graph, request);
}

void RemoteDevice::post_destroy_graph(GraphId id) { post(Verb::post_destroy_graph, id); }

// --- Calls ----------------------------------------------------------------------------------------------------------

// A process that was lost while it had nothing to do costs nothing: the next one is asked. If that is lost, too, the
// call itself may be the cause.
Line::Answer RemoteDevice::ask(Verb verb, std::span<const std::byte> arguments, const File* file) {
  for (int attempt = 0;; ++attempt) {
    require_connection(verb);
    std::vector<File> files;
    if (file != nullptr) files.push_back(duplicate(*file));
    const auto limits = answered_ && options_.limits ? options_.limits() : answered_ ? WaitRequest{} : start_limits();
    auto outcome = connection_->call({verb, arguments, std::move(files)}, limits);
    if (auto* const loss = std::get_if<Line::Loss>(&outcome)) {
      // The caller may hold the address of a module's variable, which is another one now.
      const bool again = attempt == 0 && lost_nothing(*loss) && !has_module_variables();
      auto completion = tell(std::move(*loss));
      if (again && completion.recovery && completion.recovery->complete()) {
        keep_recovery(*std::move(completion.recovery));
        continue;
      }
      auto error = error_of(verb, *completion.fault);
      kept_fault_ = std::move(completion);
      throw std::move(error);
    }
    answered_ = ever_answered_ = true;
    if (auto* const error = std::get_if<Error>(&outcome)) throw std::move(*error);
    return std::move(std::get<Line::Answer>(outcome));
  }
}

template <class Value> Value RemoteDevice::value_of(Verb verb, const Line::Answer& answer) {
  Value value{};
  if (!decode(answer.value, value))
    throw Error(ErrorKind::internal, fmt::format("the device's answer to {} is malformed", verb_name(verb)));
  return value;
}

template <class Value, class... Arguments> Value RemoteDevice::call(Verb verb, const Arguments&... arguments) {
  return value_of<Value>(verb, ask(verb, encode(arguments...)));
}

template <class... Arguments> void RemoteDevice::command(Verb verb, const Arguments&... arguments) {
  ask(verb, encode(arguments...));
}

std::span<std::byte> RemoteDevice::staging() { return staging_.bytes(); }

DeviceInfo RemoteDevice::info() {
  auto info = call<DeviceInfo>(Verb::info);
  if (const auto own = process(); own != 0) info.process = own;
  knows_arrays_ = info.knows_arrays;
  return info;
}

File RemoteDevice::create_memory(const MemoryRequest& request) {
  auto answer = ask(Verb::create_memory, encode(request));
  return answer.files.empty() ? File{} : std::move(answer.files.front());
}

void RemoteDevice::import_memory(const MemoryRequest& request, const File& descriptor) {
  if (!descriptor) throw Error(ErrorKind::value, "cannot import memory: its descriptor is not open");
  ask(Verb::import_memory, encode(request), &descriptor);
}

bool RemoteDevice::share_words(const File& words) {
  return value_of<bool>(Verb::share_words, ask(Verb::share_words, {}, &words));
}

void RemoteDevice::mirror_memory(const MemoryRequest& request, const File& descriptor) {
  ask(Verb::mirror_memory, encode(request), &descriptor);
}

Address RemoteDevice::open_memory(const ForeignMemory& memory) { return call<Address>(Verb::open_memory, memory); }
void RemoteDevice::destroy_memory(MemoryId id) { command(Verb::destroy_memory, id); }
ModuleInfo RemoteDevice::load_module(const ModuleImage& image) { return call<ModuleInfo>(Verb::load_module, image); }
void RemoteDevice::unload_module(ModuleId id) { command(Verb::unload_module, id); }
ModuleInfo RemoteDevice::module_info(ModuleId id) { return call<ModuleInfo>(Verb::module_info, id); }
std::vector<std::byte> RemoteDevice::place_variables(ModuleId module, const std::vector<VariableInfo>& variables) {
  return call<std::vector<std::byte>>(Verb::place_variables, module, variables);
}
MachineCode RemoteDevice::machine_code(const CodeRequest& request) {
  return call<MachineCode>(Verb::machine_code, request);
}
Occupancy RemoteDevice::occupancy(const OccupancyRequest& request) { return call<Occupancy>(Verb::occupancy, request); }
std::uint32_t RemoteDevice::best_block(const OccupancyRequest& request) {
  return call<std::uint32_t>(Verb::best_block, request);
}
library::Facts RemoteDevice::open_library(const library::OpenRequest& request) {
  return call<library::Facts>(Verb::open_library, request);
}
HostModuleInfo RemoteDevice::load_host_module(const HostModuleImage& image) {
  return call<HostModuleInfo>(Verb::load_host_module, image);
}
void RemoteDevice::unload_host_module(ModuleId id) { command(Verb::unload_host_module, id); }
void RemoteDevice::create_stream(StreamId id) { command(Verb::create_stream, id); }
void RemoteDevice::destroy_stream(StreamId id) { command(Verb::destroy_stream, id); }
void RemoteDevice::create_event(EventId id) { command(Verb::create_event, id); }
void RemoteDevice::destroy_event(EventId id) { command(Verb::destroy_event, id); }
Nanoseconds RemoteDevice::elapsed(EventId from, EventId to) { return call<Nanoseconds>(Verb::elapsed, from, to); }
void RemoteDevice::begin_capture(GraphId id, StreamId stream) { command(Verb::begin_capture, id, stream); }
GraphInfo RemoteDevice::end_capture(GraphId id) { return call<GraphInfo>(Verb::end_capture, id); }
void RemoteDevice::create_texture(const TextureRequest& request) { command(Verb::create_texture, request); }
void RemoteDevice::post_destroy_texture(TextureId id) { post(Verb::post_destroy_texture, id); }
void RemoteDevice::set_limit(Limit limit, std::uint64_t bytes) { command(Verb::set_limit, limit, bytes); }
std::uint64_t RemoteDevice::limit(Limit limit) { return call<std::uint64_t>(Verb::limit, limit); }

void RemoteDevice::rouse() {
  if (connection_ && answered_) connection_->rouse();
}

// One that has never answered may take long to start, and says so to a call.
void RemoteDevice::begin_synchronize() {
  waits_ = connection_ && answered_;
  if (waits_) connection_->begin_wait();
}

bool RemoteDevice::is_done() {
  return !waits_ || !connection_ || (connection_->begin_wait() && connection_->reached_fence());
}

Device::Look RemoteDevice::look() { return connection_ && answered_ ? connection_->look() : Look{}; }

void RemoteDevice::begin_rest() {
  if (connection_) connection_->close();
}

Completion RemoteDevice::synchronize(const WaitRequest& request) {
  waits_ = false;
  require_connection(Verb::synchronize);
  if (answered_ && !request.fetch && connection_->pass_fence()) {
    forget_posts();
    return {};
  }
  auto outcome = connection_->call({Verb::synchronize, {}, {}}, request);
  if (auto* const loss = std::get_if<Line::Loss>(&outcome)) {
    const bool harmless = lost_nothing(*loss);
    auto completion = tell(std::move(*loss));
    if (harmless && completion.recovery && completion.recovery->complete()) completion.fault.reset();
    return completion;
  }
  answered_ = ever_answered_ = true;
  if (auto* const error = std::get_if<Error>(&outcome)) throw std::move(*error);
  forget_posts();
  return value_of<Completion>(Verb::synchronize, std::get<Line::Answer>(outcome));
}

}  // namespace xcuda::device::remote
