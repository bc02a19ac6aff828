#include "device/ranks/rank_device.hpp"

#include <fmt/format.h>

#include <utility>

#include "device/ranks/rank_line.hpp"

namespace xcuda::device::ranks {
namespace {

using remote::SupervisedDevice;

remote::RemoteOptions options_of(const std::shared_ptr<RankJob>& job, std::uint32_t rank,
                                 std::function<WaitRequest()> limits) {
  constexpr std::uint64_t kUnusedStaging = std::uint64_t{1} << 20;  // bytes; host data crosses in that of rank 0
  remote::RemoteOptions options;
  options.limits = std::move(limits);
  if (rank > 0) options.staging_size = kUnusedStaging;
  options.line = [job, rank](const Window&, std::span<std::byte> staging) {
    if (rank == 0) job->use_staging(staging);
    return std::make_unique<RankLine>(job, rank);
  };
  return options;
}

}  // namespace

RankDevice::RankDevice(const std::shared_ptr<RankJob>& job, std::uint32_t rank, std::function<WaitRequest()> limits)
    : SupervisedDevice(options_of(job, rank, std::move(limits))), rank_(rank) {}

Fault RankDevice::lost_fault() const {
  Fault fault;
  fault.kind = FaultKind::worker_died;
  fault.message = lost_;
  fault.whole_set = !others_are_left_;
  return fault;
}

// Its memory went with it, so that there is nothing to go on with.
Completion RankDevice::after_loss(remote::Line::Loss loss) {
  connection_.reset();
  const auto& fault = *loss.completion.fault;
  lost_ = fault.message.empty() ? fmt::format("rank {} was lost", rank_) : fault.message;
  touched_ = false;
  others_are_left_ = !fault.whole_set;
  ended_ = Error(ErrorKind::device, lost_)
               .said(fault.library)
               .advise(fmt::format("{}%restart starts all ranks again, with new arrays.",
                                   others_are_left_ ? "The arrays on other ranks are still there. " : ""));
  return std::move(loss.completion);
}

Recovery RankDevice::restart() {
  lost_.clear();
  touched_ = false;
  return SupervisedDevice::restart();
}

Completion RankDevice::synchronize(const WaitRequest& request) {
  if (!is_lost()) return SupervisedDevice::synchronize(request);
  Completion completion;
  if (std::exchange(touched_, false)) completion.fault = lost_fault();
  return completion;
}

// --- What a lost rank is only told ----------------------------------------------------------------------------------

void RankDevice::destroy_memory(MemoryId id) {
  if (!is_lost()) SupervisedDevice::destroy_memory(id);
}
ModuleInfo RankDevice::load_module(const ModuleImage& image) {
  return is_lost() && others_are_left_ ? ModuleInfo{} : SupervisedDevice::load_module(image);
}
void RankDevice::unload_module(ModuleId id) {
  if (!is_lost()) SupervisedDevice::unload_module(id);
}
void RankDevice::create_event(EventId id) {
  if (!is_lost()) SupervisedDevice::create_event(id);
}
void RankDevice::destroy_event(EventId id) {
  if (!is_lost()) SupervisedDevice::destroy_event(id);
}
void RankDevice::destroy_stream(StreamId id) {
  if (!is_lost()) SupervisedDevice::destroy_stream(id);
}
void RankDevice::set_limit(Limit limit, std::uint64_t bytes) {
  if (!is_lost()) SupervisedDevice::set_limit(limit, bytes);
}

// --- What needs it --------------------------------------------------------------------------------------------------

void RankDevice::post_launch(const LaunchRequest& request) {
  touched_ = true;
  SupervisedDevice::post_launch(request);
}
void RankDevice::post_library(const LibraryLaunch& request) {
  touched_ = true;
  SupervisedDevice::post_library(request);
}
void RankDevice::post_fill(StreamId stream, const FillRequest& request) {
  touched_ = true;
  SupervisedDevice::post_fill(stream, request);
}
void RankDevice::post_copy(StreamId stream, const CopyRequest& request) {
  touched_ = true;
  SupervisedDevice::post_copy(stream, request);
}
void RankDevice::post_read(StreamId stream, const CopyRequest& request) {
  touched_ = true;
  SupervisedDevice::post_read(stream, request);
}
void RankDevice::post_write(StreamId stream, const CopyRequest& request) {
  touched_ = true;
  SupervisedDevice::post_write(stream, request);
}

}  // namespace xcuda::device::ranks
