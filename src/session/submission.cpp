#include "session/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "session/host/host_worker.hpp"

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

std::uint64_t Submission::launch(device::LaunchRequest request, const SharedSite& site) {
  bound();
  if (capture_ != nullptr) capture_->wrote(site->uses);
  bring_variables(request.module, request.stream);
  ++changes_;
  const auto number = parts_.launches.add(site, request.block);
  request.number = number;
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
  const Timed timed(*this, {Timed::Kind::graph, request.stream});
  parts_.device.get().post_graph(request);
}

void Submission::post(device::LibraryLaunch request, const SharedSite& site) {
  note_written(library::reach_of(request.call.operands.front()).first);
  request.stream = default_stream();
  const Timed timed(*this, {Timed::Kind::library, request.stream, site->kernel});
  parts_.device.get().post_library(request);
}

void Submission::post(device::HostCall request, const SharedSite& site) {
  ++changes_;
  const Timed timed(*this, {Timed::Kind::library, default_stream(), site->kernel});
  parts_.device.get().post_host_call(request);
}

void Submission::bring_variables(device::ModuleId module, device::StreamId stream) {
  posted();
  parts_.variables.post_before_launch(module, stream);
}

void Submission::note_written(device::Address address) {
  ++changes_;
  parts_.variables.wrote_at(address);
  if (capture_ != nullptr) capture_->wrote(address);
}

void Submission::fill(const device::FillRequest& request) {
  if (request.count == 0) return;
  bound();
  posted();
  note_written(request.address);
  const Timed timed(*this, {Timed::Kind::fill, default_stream(), "", request.count * request.pattern.size()});
  parts_.device.get().post_fill(default_stream(), request);
}

void Submission::copy(device::Address to, device::Address from, std::uint64_t bytes) {
  if (bytes == 0) return;
  bound();
  posted();
  note_written(to);
  const Timed timed(*this, {Timed::Kind::copy, default_stream(), "", bytes});
  parts_.device.get().post_copy(default_stream(), {.to = to, .from = from, .width = bytes});
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
    note_written(to);
    const Timed timed(*this, {Timed::Kind::to_device, default_stream(), "", bytes.size()});
    return parts_.device.get().post_fill(default_stream(), {to, 1, {bytes.begin(), bytes.end()}});
  }
  const Timed timed(*this, {Timed::Kind::to_device, default_stream(), "", bytes.size()});
  transfer().write({to, bytes.size()}, bytes);
  note_written(to);
}

void Submission::write(const device::Region& to, const std::function<void(std::span<std::byte>)>& give) {
  const Timed timed(*this, {Timed::Kind::to_device, default_stream(), "", to.bytes()});
  transfer().write(to, give);
  note_written(to.address);
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

void Submission::name_range(const device::ArrayRange& range) {
  parts_.device.get().post_name_range(range);
  parts_.host.name_range(range);
}

void Submission::forget_range(device::Address address) {
  parts_.device.get().post_forget_range(address);
  parts_.host.forget_range(address);
  forgotten_ = true;
}

void Submission::forget(device::TextureId texture) {
  parts_.device.get().post_destroy_texture(texture);
  pending_ = true;
}

void Submission::forget(device::GraphId graph) {
  parts_.device.get().post_destroy_graph(graph);
  pending_ = true;
}

void Submission::copy_variable(device::StreamId stream, const device::CopyRequest& request) {
  ++changes_;
  parts_.device.get().post_copy(stream, request);
  pending_ = true;
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
  parts_.judge(completion);
}

// A graph gives no values while it is captured, and keeps only what stays the same from launch to launch.
void Submission::forbid_in_capture(std::string_view what) const {
  if (capture_ == nullptr) return;
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
