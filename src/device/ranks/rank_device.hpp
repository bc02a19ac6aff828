// The device of one rank: the verbs of a remote device, on an MPI job's line. A rank that is lost stays lost until the
// job is started again: what needs it is an error with its name, and what it only has to be told is dropped.
#pragma once

#include <memory>
#include <string>

#include "device/ranks/rank_job.hpp"
#include "device/remote/supervised_device.hpp"

namespace xcuda::device::ranks {

class RankDevice final : public remote::SupervisedDevice {
 public:
  RankDevice(const std::shared_ptr<RankJob>& job, std::uint32_t rank, std::function<WaitRequest()> limits);

  bool is_lost() const { return !lost_.empty(); }

  void destroy_memory(MemoryId id) override;
  ModuleInfo load_module(const ModuleImage& image) override;
  void unload_module(ModuleId id) override;
  void create_event(EventId id) override;
  void destroy_event(EventId id) override;
  void destroy_stream(StreamId id) override;
  void set_limit(Limit limit, std::uint64_t bytes) override;
  void post_launch(const LaunchRequest& request) override;
  void post_library(const LibraryLaunch& request) override;
  void post_fill(StreamId stream, const FillRequest& request) override;
  void post_copy(StreamId stream, const CopyRequest& request) override;
  void post_read(StreamId stream, const CopyRequest& request) override;
  void post_write(StreamId stream, const CopyRequest& request) override;
  bool share_words(const File&) override { return false; }  // no memory is in common
  Completion synchronize(const WaitRequest& request) override;
  // A set goes on without a rank; without all of them it does not.
  bool lives() const override { return is_lost() || SupervisedDevice::lives(); }
  void rouse() override {}
  Recovery restart() override;  // after the job's

 protected:
  Completion after_loss(remote::Line::Loss loss) override;
  void leaving() override {}

 private:
  Fault lost_fault() const;

  std::uint32_t rank_;
  std::string lost_;  // what is known of the loss; empty while the rank is there
  bool others_are_left_ = true;
  bool touched_ = false;  // something was posted since it was lost
};

}  // namespace xcuda::device::ranks
