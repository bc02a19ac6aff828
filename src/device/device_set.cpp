#include "device/device_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/id_errors.hpp"

namespace xcuda::device {
namespace {

// How long a wait for GPUs looks before it sleeps, as one for a single GPU does.
constexpr std::chrono::microseconds kSpin{1000};

// Memory that some of the devices have already, until all have it.
class Unfinished {
 public:
  explicit Unfinished(MemoryId id) : id_(id) {}
  ~Unfinished() {
    for (auto* const device : on_)
      if (device->lives()) device->destroy_memory(id_);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  void is_on(Device& device) { on_.push_back(&device); }
  void finished() { on_.clear(); }

 private:
  MemoryId id_;
  std::vector<Device*> on_;
};

}  // namespace

DeviceSet::DeviceSet(std::vector<std::unique_ptr<Device>> members, std::function<WaitRequest()> limits)
    : members_(std::move(members)), limits_(std::move(limits)), work_(members_.size()) {
  if (members_.empty() || members_.size() > kMostDevices)
    throw Error(ErrorKind::value, fmt::format("a set has 1 to {} devices, not {}", kMostDevices, members_.size()));
  for (auto& work : work_) work.seen.resize(members_.size());
}

// All of them leave before the first one is waited for.
DeviceSet::~DeviceSet() { begin_rest(); }

Device& DeviceSet::member(std::uint32_t device) {
  settle();
  return *members_.at(device);
}

// --- What is the same on all of them --------------------------------------------------------------------------------

DeviceInfo DeviceSet::info() {
  settle();
  std::vector<DeviceInfo> infos;
  for (const auto& member : members_) infos.push_back(member->info());
  check_sharing(infos);
  if (infos.front().kind == Kind::cuda) spin_ = kSpin;
  order_by_words();
  return std::move(infos.front());
}

void DeviceSet::check_sharing(const std::vector<DeviceInfo>& infos) const {
  if (infos.size() == 1) return;
  for (const auto& info : infos) {
    if (!info.memory_outlives_process)
      throw Error(ErrorKind::unsupported, fmt::format("cannot use {} devices together: {} cannot share its memory "
                                                      "between processes",
                                                      infos.size(), info.name));
    if (info.window.base != infos.front().window.base)
      throw Error(ErrorKind::device, fmt::format("cannot use {} devices together: their arrays would have different "
                                                 "addresses, from {:#x} and from {:#x}",
                                                 infos.size(), infos.front().window.base, info.window.base))
          .advise("%restart starts their processes again.");
  }
}

void DeviceSet::require(std::uint32_t device) const {
  if (device >= members_.size())
    throw Error(ErrorKind::value, fmt::format("unknown device {}: the set has {}", device, members_.size()));
}

File DeviceSet::create_memory(const MemoryRequest& request) {
  settle();
  require(request.device);
  Unfinished unfinished(request.id);
  auto& owner = *members_[request.device];
  auto file = owner.create_memory(request);
  unfinished.is_on(owner);
  for (const auto& member : members_) {
    if (member.get() == &owner) continue;
    member->import_memory(request, file);
    unfinished.is_on(*member);
  }
  unfinished.finished();
  seams_.add(request);
  return file;
}

void DeviceSet::import_memory(const MemoryRequest& request, const File& descriptor) {
  settle();
  Unfinished unfinished(request.id);
  for (const auto& member : members_) {
    member->import_memory(request, descriptor);
    unfinished.is_on(*member);
  }
  unfinished.finished();
  seams_.add(request);
}

void DeviceSet::destroy_memory(MemoryId id) {
  settle();
  seams_.remove(id);
  if (mirrors_.erase(id) + foreign_.erase(id) > 0) return first().destroy_memory(id);
  for (const auto& member : members_) member->destroy_memory(id);
}

void DeviceSet::post_name_range(const ArrayRange& range) {
  for (std::uint32_t device = 0; device < members_.size(); ++device) with_room(device).post_name_range(range);
}
void DeviceSet::post_forget_range(Address address) {
  for (std::uint32_t device = 0; device < members_.size(); ++device) with_room(device).post_forget_range(address);
}

ModuleInfo DeviceSet::load_module(const ModuleImage& image) {
  settle();
  auto info = first().load_module(image);
  for (std::size_t i = 1; i < members_.size(); ++i) info.load_time += members_[i]->load_module(image).load_time;
  return info;
}

void DeviceSet::unload_module(ModuleId id) {
  settle();
  for (const auto& member : members_) member->unload_module(id);
}

void DeviceSet::create_event(EventId id) {
  settle();
  for (const auto& member : members_) member->create_event(id);
}
void DeviceSet::destroy_event(EventId id) {
  settle();
  recorded_on_.erase(id);
  for (const auto& member : members_) member->destroy_event(id);
}

void DeviceSet::create_texture(const TextureRequest& request) {
  settle();
  for (const auto& member : members_) member->create_texture(request);
}
void DeviceSet::post_destroy_texture(TextureId id) {
  for (std::uint32_t device = 0; device < members_.size(); ++device) with_room(device).post_destroy_texture(id);
}

void DeviceSet::set_limit(Limit limit, std::uint64_t bytes) {
  settle();
  for (const auto& member : members_) member->set_limit(limit, bytes);
}

// --- What the first one does for all --------------------------------------------------------------------------------

Address DeviceSet::open_memory(const ForeignMemory& memory) {
  const auto address = ask_first().open_memory(memory);
  foreign_.insert(memory.id);
  return address;
}
void DeviceSet::mirror_memory(const MemoryRequest& request, const File& descriptor) {
  ask_first().mirror_memory(request, descriptor);
  mirrors_.insert(request.id);
}
void DeviceSet::post_guard(const std::vector<GuardedRange>& ranges) { with_room(0).post_guard(ranges); }
std::span<const std::byte> DeviceSet::visible(Address from, std::uint64_t bytes) {
  return first().visible(from, bytes);
}
std::span<std::byte> DeviceSet::staging() { return first().staging(); }
ModuleInfo DeviceSet::module_info(ModuleId id) { return ask_first().module_info(id); }
MachineCode DeviceSet::machine_code(const CodeRequest& request) { return ask_first().machine_code(request); }
void DeviceSet::post_prepare(const PrepareRequest& request) { with_room(0).post_prepare(request); }
Occupancy DeviceSet::occupancy(const OccupancyRequest& request) { return ask_first().occupancy(request); }
std::uint32_t DeviceSet::best_block(const OccupancyRequest& request) { return ask_first().best_block(request); }
library::Facts DeviceSet::open_library(const library::OpenRequest& request) {
  return ask_first().open_library(request);
}
HostModuleInfo DeviceSet::load_host_module(const HostModuleImage& image) { return ask_first().load_host_module(image); }
void DeviceSet::unload_host_module(ModuleId id) { ask_first().unload_host_module(id); }
std::vector<std::byte> DeviceSet::place_variables(ModuleId module, const std::vector<VariableInfo>& variables) {
  return ask_first().place_variables(module, variables);
}
std::uint64_t DeviceSet::limit(Limit limit) { return ask_first().limit(limit); }

// --- Work -----------------------------------------------------------------------------------------------------------

// Work that follows a fault would find arrays half done. A stream of a device that is not there is the first one's,
// which refuses it.
Device* DeviceSet::worker(StreamId stream) {
  if (told_later_.fault) return nullptr;
  const auto device = device_of(stream);
  if (device >= members_.size()) return &first();
  auto& there = with_room(device);
  if (told_later_.fault) return nullptr;
  work_[device].busy = work_[device].since_value = true;
  return &there;
}

void DeviceSet::post_fill(StreamId stream, const FillRequest& request) {
  if (auto* const device = worker(stream))
    seams_.fills(request, [&](const FillRequest& part) { device->post_fill(without_device(stream), part); });
}

void DeviceSet::post_copy(StreamId stream, const CopyRequest& request) {
  if (auto* const device = worker(stream))
    seams_.copies(request, Seams::Sides::both,
                  [&](const CopyRequest& part) { device->post_copy(without_device(stream), part); });
}

void DeviceSet::post_read(StreamId stream, const CopyRequest& request) {
  if (auto* const device = worker(stream))
    seams_.copies(request, Seams::Sides::from,
                  [&](const CopyRequest& part) { device->post_read(without_device(stream), part); });
}

void DeviceSet::post_write(StreamId stream, const CopyRequest& request) {
  if (auto* const device = worker(without_device(stream)))
    seams_.copies(request, Seams::Sides::to,
                  [&](const CopyRequest& part) { device->post_write(without_device(stream), part); });
}

void DeviceSet::post_launch(const LaunchRequest& request) {
  auto* const device = worker(request.stream);
  if (device == nullptr) return;
  if (device_of(request.stream) == 0) return device->post_launch(request);
  launch_ = request;
  launch_.stream = without_device(request.stream);
  device->post_launch(launch_);
}

void DeviceSet::post_library(const LibraryLaunch& request) {
  auto* const device = worker(request.stream);
  if (device == nullptr) return;
  auto there = request;
  there.stream = without_device(request.stream);
  device->post_library(there);
}

void DeviceSet::post_host_call(const HostCall& request) {
  if (auto* const device = worker(StreamId{0})) device->post_host_call(request);
}

// --- Streams, events and graphs -------------------------------------------------------------------------------------

void DeviceSet::create_stream(StreamId id) {
  settle();
  require(device_of(id));
  members_[device_of(id)]->create_stream(without_device(id));
}

void DeviceSet::destroy_stream(StreamId id) {
  settle();
  if (device_of(id) >= members_.size()) throw missing(id);
  members_[device_of(id)]->destroy_stream(without_device(id));
}

std::uint32_t DeviceSet::recorded_on(EventId event) const {
  const auto found = recorded_on_.find(event);
  return found == recorded_on_.end() ? 0 : found->second;
}

void DeviceSet::post_record(EventId event, StreamId stream) {
  auto* const device = worker(stream);
  if (device == nullptr) return;
  recorded_on_[event] = device_of(stream) < members_.size() ? device_of(stream) : 0;
  device->post_record(event, without_device(stream));
}

void DeviceSet::post_wait(StreamId stream, EventId event) {
  auto* const device = worker(stream);
  if (device == nullptr) return;
  const auto there = recorded_on(event);
  if (members_[there].get() == device || !recorded_on_.contains(event))
    return device->post_wait(without_device(stream), event);
  post_order(device_of(stream), there);
}

Nanoseconds DeviceSet::elapsed(EventId from, EventId to) {
  settle();
  const auto device = recorded_on(from);
  if (recorded_on(to) != device)
    throw Error(ErrorKind::value,
                fmt::format("no time lies between event {} of device {} and event {} of device {}: "
                            "each device has a clock of its own",
                            static_cast<unsigned>(from), device, static_cast<unsigned>(to), recorded_on(to)));
  return members_[device]->elapsed(from, to);
}

void DeviceSet::begin_capture(GraphId id, StreamId stream) {
  settle();
  const auto device = device_of(stream);
  if (device >= members_.size()) throw missing(stream);
  members_[device]->begin_capture(id, without_device(stream));
  captured_on_[id] = device;
  capturing_ = true;
}

GraphInfo DeviceSet::end_capture(GraphId id) {
  settle();
  const auto found = captured_on_.find(id);
  capturing_ = false;
  return member(found == captured_on_.end() ? 0 : found->second).end_capture(id);
}

void DeviceSet::post_graph(const GraphLaunch& request) {
  const auto found = captured_on_.find(request.graph);
  const auto there = found == captured_on_.end() ? 0 : found->second;
  auto* const device = worker(on_device({}, there));
  if (device == nullptr) return;
  auto launch = request;
  launch.stream = device_of(request.stream) == there ? without_device(request.stream) : StreamId{0};
  device->post_graph(launch);
}

void DeviceSet::post_destroy_graph(GraphId id) {
  const auto found = captured_on_.find(id);
  capturing_ = false;  // it may be the one that is being captured, and no other is
  with_room(found == captured_on_.end() ? 0 : found->second).post_destroy_graph(id);
  captured_on_.erase(id);
}

}  // namespace xcuda::device
