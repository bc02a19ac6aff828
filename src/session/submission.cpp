#include "session/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "session/host/host_worker.hpp"
#include "session/reach.hpp"

namespace xcuda::session {
namespace {

// Bytes that a post takes along: of an element, which nobody has to wait for, and in a graph.
constexpr std::size_t kElement = 64, kMostInPost = 4096;
constexpr std::size_t kMostPosts = 8192;  // without waiting for them; a wait is 10 µs

}  // namespace

class Submission::Timed {
 public:
  using Kind = Timeline::Kind;
  Timed(Submission& submission, const Timeline::Work& work) : submission_(submission), stream_(work.stream) {
    auto* const timeline = submission.parts_.launches.timeline();
    if (timeline == nullptr || submission.capture_ != nullptr) return;
    const auto* entry = timeline->add(work);
    if (entry == nullptr) return;
    end_ = entry->end;
    submission_.record(entry->begin, stream_);
  }
  ~Timed() {
    if (end_) submission_.record(*end_, stream_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Submission& submission_;
  device::StreamId stream_;
  std::optional<device::EventId> end_;
};

void Submission::posted() {
  pending_ = true;
  time_limit_.run();
}

void Submission::change_time_limit(double seconds) {
  time_limit_.set(seconds);
  if (pending_) time_limit_.run();
}

void Submission::bound() {
  if (++posts_ < kMostPosts || capture_ != nullptr) return;
  posts_ = 0;
  synchronize();
}

std::uint64_t Submission::launch(device::LaunchRequest&& request, const SharedSite& site) {
  if (kept_ != nullptr) {
    kept_->kept_ = {std::move(request), site};
    return 0;
  }
  bound();
  if (capture_ != nullptr) {
    capture_->wrote(site->uses);
    capture_->uses(request.module);
  }
  Ranges ranges;
  if (parts_.device.order().several()) {
    ranges = ranges_of(request, *site);
    require_reach(request.stream, ranges, site.get());
  }
  // Before the launch waits: this may ask the device, which would have to wait then.
  bring_variables(request.module, request.stream);
  in_order(request.stream, ranges);
  ++changes_;
  const auto number = parts_.launches.add(site, request.block);
  request.number = number;
  request.code_wait = code_wait_;
  const Timed timed(*this, {Timed::Kind::launch, request.stream, site->kernel});
  parts_.device.get().post_launch(request);
  return number;
}

std::uint64_t Submission::launch(Work work, const SharedSite& site) {
  if (std::holds_alternative<device::HostCall>(work)) forbid_in_capture("a function of a host module cannot be called");
  bound();
  posted();
  const auto number = parts_.launches.add(site);
  std::visit(
      [&](auto& request) {
        request.number = number;
        post(std::move(request), site);
      },
      work);
  return number;
}

void Submission::post(device::GraphLaunch request, const SharedSite&) {
  ++changes_;
  in_order(request.stream, std::span(&DeviceOrder::kEverything, 1));
  const Timed timed(*this, {Timed::Kind::graph, request.stream});
  parts_.device.get().post_graph(request);
}

void Submission::post(device::LibraryLaunch request, const SharedSite& site) {
  note_written(library::reach_of(request.call.operands.front()).first);
  request.stream = default_stream();
  if (parts_.device.order().several()) {
    const auto ranges = ranges_of(request.call);
    require_reach(request.stream, ranges, nullptr);
    in_order(request.stream, ranges);
  }
  const Timed timed(*this, {Timed::Kind::library, request.stream, site->kernel});
  parts_.device.get().post_library(request);
}

void Submission::post(const device::HostCall& request, const SharedSite& site) {
  ++changes_;
  in_order({}, std::span(&DeviceOrder::kEverything, 1));
  const Timed timed(*this, {Timed::Kind::library, default_stream(), site->kernel});
  parts_.device.get().post_host_call(request);
}

void Submission::bring_variables(device::ModuleId module, device::StreamId stream) {
  posted();
  const auto device = device::device_of(stream);
  auto& order = parts_.device.order();
  auto& whole = parts_.device.get();
  const auto there = [&whole, device, module] { return whole.member(device).module_info(module); };
  if (order.several())
    if (const auto numbers = parts_.variables.number(module, device, order.devices(), there))
      whole.post_fill(stream, *numbers);
  if (device == 0) return parts_.variables.post_before_launch(module, stream);
  const auto copies = parts_.variables.post_for(module, device, there);
  for (const auto& copy : copies) copy_variable(stream, copy);
}

void Submission::note_written(device::Address address) {
  ++changes_;
  parts_.variables.wrote_at(address);
  if (capture_ != nullptr) capture_->wrote(address);
}

// What is written to an array that has copies goes to all of them: each device writes its own.
template <class Post> void Submission::on_each_copy(device::Address address, const Post& post) {
  auto& order = parts_.device.order();
  const auto& memory = parts_.device.memory();
  const bool one = !order.several() || order.is_chosen() || capture_ != nullptr;
  const auto copies = one ? 0 : memory.copies_of(address).size();
  if (copies == 0) return post(order.current(), address);
  for (std::uint32_t device = 0; device < copies; ++device) post(device, memory.copy_on(device, address));
}

void Submission::fill(const device::FillRequest& request) {
  if (request.count == 0) return;
  bound();
  posted();
  const Timed timed(*this, {Timed::Kind::fill, default_stream(), "", request.count * request.pattern.size()});
  fill_in_order(request);
}

void Submission::fill_in_order(const device::FillRequest& request) {
  const auto bytes = request.count * request.pattern.size();
  on_each_copy(request.address, [&](std::uint32_t device, device::Address address) {
    const DeviceOrder::Range range{address, bytes, DeviceOrder::Range::Access::write};
    const auto stream = capture_ != nullptr ? default_stream() : device::on_device({}, device);
    in_order(stream, std::span(&range, 1));
    note_written(address);
    auto there = request;
    there.address = address;
    parts_.device.get().post_fill(stream, there);
  });
}

void Submission::copy(device::Address to, device::Address from, std::uint64_t bytes) {
  if (bytes == 0 || (to == from && parts_.device.memory().copies_of(to).empty())) return;
  bound();
  posted();
  const Timed timed(*this, {Timed::Kind::copy, default_stream(), "", bytes});
  on_each_copy(to, [&](std::uint32_t device, device::Address address) {
    const DeviceOrder::Range ranges[] = {{address, bytes, DeviceOrder::Range::Access::write}, {from, bytes}};
    const auto stream = capture_ != nullptr ? default_stream() : device::on_device({}, device);
    if (address == from) return;
    in_order(stream, ranges);
    note_written(address);
    if (capture_ != nullptr) capture_->reads(from);
    parts_.device.get().post_copy(stream, {.to = address, .from = from, .width = bytes});
  });
}

void Submission::record(device::EventId event, device::StreamId stream) {
  posted();
  parts_.device.get().post_record(event, stream);
}

void Submission::wait(device::StreamId stream, device::EventId event) {
  posted();
  parts_.device.get().post_wait(stream, event);
}

device::Transfer Submission::transfer() {
  forbid_in_capture("host data cannot be moved");
  all_in_order();
  pending_ = true;
  return device::Transfer(parts_.device.get(), {[this] {
                                                  pending_ = true;
                                                  synchronize();
                                                },
                                                &parts_.interrupt,
                                                [this](std::uint64_t done, std::uint64_t total) {
                                                  parts_.progress.count(Progress::Unit::bytes, done, total);
                                                }});
}

device::Transfer Submission::unhindered_transfer() {
  all_in_order();
  return device::Transfer(parts_.device.get(), {[this] {
                                                  pending_ = true;
                                                  synchronize();
                                                },
                                                nullptr,
                                                {}});
}

// A graph takes the bytes along; through the staging buffer it would take those of the moment it runs.
void Submission::write(device::Address to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t most = capture_ != nullptr ? kMostInPost : kElement;
  if (bytes.size() <= most) {
    bound();
    pending_ = true;  // no work that the time limit is for
    const Timed timed(*this, {Timed::Kind::to_device, default_stream(), "", bytes.size()});
    return fill_in_order({to, 1, {bytes.begin(), bytes.end()}});
  }
  const Timed timed(*this, {Timed::Kind::to_device, default_stream(), "", bytes.size()});
  transfer().write({to, bytes.size()}, bytes);
  note_written(to);
  copy(to, to, bytes.size());  // to the others, where it has several
}

void Submission::write(const device::Region& to, const std::function<void(std::span<std::byte>)>& give) {
  const Timed timed(*this, {Timed::Kind::to_device, default_stream(), "", to.bytes()});
  transfer().write(to, give);
  note_written(to.address);
  copy(to.address, to.address, (to.height - 1) * to.pitch + to.width);
}

void Submission::read(device::Address from, std::span<std::byte> bytes) {
  forbid_in_capture("a value cannot be read");
  if (bytes.empty()) return;
  if (bytes.size() <= kElement && !parts_.device.get().visible(from, bytes.size()).empty()) {
    synchronize();
    const auto seen = parts_.device.get().visible(from, bytes.size());
    if (!seen.empty()) return void(std::copy(seen.begin(), seen.end(), bytes.begin()));
  }
  const Timed timed(*this, {Timed::Kind::to_host, default_stream(), "", bytes.size()});
  transfer().read({from, bytes.size()}, bytes);
}

void Submission::read(const device::Region& from, const std::function<void(std::span<const std::byte>)>& take) {
  const Timed timed(*this, {Timed::Kind::to_host, default_stream(), "", from.bytes()});
  transfer().read(from, take);
}

void Submission::read(std::span<const Piece> pieces) {
  forbid_in_capture("a value cannot be read");
  auto& whole = parts_.device.get();
  const auto is_visible = [&](const Piece& one) { return !whole.visible(one.from, one.bytes.size()).empty(); };
  if (std::any_of(pieces.begin(), pieces.end(), is_visible)) {
    for (const auto& one : pieces) read(one.from, one.bytes);
    return;
  }
  std::uint64_t bytes = 0;
  for (const auto& one : pieces) bytes += one.bytes.size();
  const Timed timed(*this, {Timed::Kind::to_host, default_stream(), "", bytes});
  posted();
  for (const auto& one : pieces)
    whole.post_read(device::on_device({}, one.device), {.from = one.from, .width = one.bytes.size()});
  synchronize();
  for (const auto& one : pieces)
    std::copy_n(whole.member(one.device).staging().begin(), one.bytes.size(), one.bytes.begin());
}

void Submission::name_range(const device::ArrayRange& range) {
  parts_.device.get().post_name_range(range);
  for (const auto copy : parts_.device.memory().copies_of(range.address)) {
    if (copy == range.address) continue;
    auto there = range;
    there.address = copy;
    parts_.device.get().post_name_range(there);
  }
  parts_.host.name_range(range);
}

void Submission::forget(std::variant<device::Address, device::TextureId, device::GraphId> what) {
  auto& device = parts_.device.get();
  if (const auto* address = std::get_if<device::Address>(&what)) {
    device.post_forget_range(*address);
    for (const auto copy : parts_.device.memory().copies_of(*address))
      if (copy != *address) device.post_forget_range(copy);
    parts_.host.forget_range(*address);
    forgotten_ = true;
    return;
  }
  if (const auto* texture = std::get_if<device::TextureId>(&what))
    device.post_destroy_texture(*texture);
  else
    device.post_destroy_graph(std::get<device::GraphId>(what));
  pending_ = true;
}

void Submission::copy_variable(device::StreamId stream, const device::CopyRequest& request) {
  ++changes_;
  using Access = DeviceOrder::Range::Access;
  DeviceOrder::Range ranges[2];  // of exported memory: a module's own is of its process alone
  std::size_t count = 0;
  for (const auto& [address, access] : {std::pair{request.to, Access::write}, std::pair{request.from, Access::read}})
    if (parts_.device.memory().allocation_of(address).bytes > 0) ranges[count++] = {address, request.width, access};
  // Also while a step lasts: the others read what the first device has put down for them.
  in_order(stream, {ranges, count}, DeviceOrder::Heard::at_once);
  parts_.device.get().post_copy(stream, request);
  pending_ = true;
}

// --- Several devices ------------------------------------------------------------------------------------------------

void Submission::in_order(device::StreamId stream, Ranges ranges, DeviceOrder::Heard heard) {
  auto& order = parts_.device.order();
  if (!order.several() || capture_ != nullptr) return;
  if (const auto waits = order.before(device::device_of(stream), ranges, heard); !waits.empty())
    parts_.device.get().post_order(waits);
}

// Before the launch of a site, or, where that names no arrays, of an operation of the session.
void Submission::require_reach(device::StreamId stream, Ranges ranges, const LaunchSite* site) {
  if (parts_.device.get().shares_memory()) return;
  const auto& memory = parts_.device.memory();
  const auto& order = parts_.device.order();
  if (site != nullptr && !site->uses.empty()) return require_given(memory, device::device_of(stream), *site);
  require_operands(memory, device::device_of(stream), ranges,
                   order.in_step() || order.is_chosen() ? Extent::part : Extent::whole);
}

// It crosses by the first device, which waits for all the others then.
void Submission::all_in_order() {
  auto& order = parts_.device.order();
  if (order.several()) parts_.device.get().post_order(order.before_all(0));
}

void Submission::together(const std::vector<DeviceOrder::Work>& work, const std::function<void(std::size_t)>& post) {
  auto& order = parts_.device.order();
  if (order.several()) parts_.device.get().post_order(order.before(std::span(work)));
  struct Step {
    DeviceOrder& order;
    explicit Step(DeviceOrder& of) : order(of) { order.open_step(); }
    ~Step() { order.close_step(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
  } const step(order);
  for (std::size_t i = 0; i < work.size(); ++i) {
    const DeviceOrder::Use use(order, work[i].device);
    post(i);
  }
}

Submission::Ranges Submission::ranges_of(const library::Call& call) {
  using Access = DeviceOrder::Range::Access;
  auto& ranges = ranges_;
  ranges.clear();
  for (const auto& operand : call.operands)
    if (const auto [first, last] = library::reach_of(operand); last > first)
      ranges.push_back({first, last - first, Access::write});
  if (call.workspace_bytes > 0) ranges.push_back({call.workspace, call.workspace_bytes, Access::write});
  return ranges;
}

// A pointer that a use does not tell of may lead anywhere in the array that it points into, and be written through.
Submission::Ranges Submission::ranges_of(const device::LaunchRequest& request, const LaunchSite& site) {
  using Access = DeviceOrder::Range::Access;
  if (!site.reach.empty()) return site.reach;
  auto& ranges = ranges_;
  ranges.clear();
  auto& memory = parts_.device.memory();
  for (const auto& use : site.uses)
    if (use.address != 0) ranges.push_back({use.address, use.bytes, use.may_write ? Access::write : Access::read});
  const auto told = ranges.size();
  for (std::size_t at = 0; at + sizeof(device::Address) <= request.arguments.size(); at += sizeof(device::Address)) {
    device::Address address = 0;
    std::memcpy(&address, request.arguments.data() + at, sizeof address);
    const auto known = std::any_of(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(told),
                                   [&](const auto& range) { return range.begin == address; });
    if (known || address == 0) continue;
    if (const auto [begin, bytes] = memory.allocation_of(address); bytes > 0)
      ranges.push_back({begin, bytes, Access::write});
  }
  return ranges;
}

void Submission::synchronize() {
  forbid_in_capture("a value cannot be read");
  if (!parts_.device.started()) return;
  if (!pending_) {  // all that used what was forgotten is done
    if (std::exchange(forgotten_, false)) parts_.device.memory().synchronized();
    return;
  }
  parts_.variables.post_save();
  pending_ = forgotten_ = false;
  const Progress::Activity activity(parts_.progress, "waiting for the device");
  const auto completion = parts_.device.get().synchronize(wait_request());
  time_limit_.stop();
  parts_.device.order().done();
  parts_.judge(completion);
}

// A graph gives no values while it is captured, and keeps only what stays the same from launch to launch.
void Submission::forbid_in_capture(std::string_view what) const {
  if (capture_ == nullptr) return;
  if (capture_->of_program())
    throw Error(ErrorKind::unsupported,
                fmt::format("{} while a graph is captured: the graph runs when it is launched", what))
        .advise("Put this statement after cudaStreamEndCapture and cudaGraphLaunch, or before the capture.");
  throw Error(ErrorKind::unsupported,
              fmt::format("{} while a graph is captured: the graph runs only after the cell", what))
      .advise("Put this statement into its own cell, before or after this one.");
}

device::WaitRequest Submission::wait_request() const {
  return {&parts_.interrupt, time_limit_.deadline(),
          std::chrono::milliseconds(static_cast<std::int64_t>(parts_.settings.grace * 1000)),
          [this](std::string_view what) { parts_.progress.tell(what); }};
}

WaitLimits limits_of(const device::WaitRequest& wait) {
  return {.interrupt = wait.interrupt, .deadline = wait.deadline, .grace = wait.grace};
}

}  // namespace xcuda::session
