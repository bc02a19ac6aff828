// The line to one rank of an MPI job.
#pragma once

#include <memory>

#include "device/ranks/rank_job.hpp"
#include "device/remote/line.hpp"

namespace xcuda::device::ranks {

class RankLine final : public remote::Line {
 public:
  RankLine(std::shared_ptr<RankJob> job, std::uint32_t rank) : job_(std::move(job)), rank_(rank) {}

  Outcome call(Call call, const WaitRequest& limits) override { return job_->call(rank_, call, limits); }
  void post(remote::Verb verb, std::span<const std::byte> payload, const std::function<WaitRequest()>&) override;
  void dismiss(std::chrono::milliseconds) override {}  // the job ends with its last device
  pid_t pid() const override { return 0; }             // of another host: its info tells

 private:
  std::shared_ptr<RankJob> job_;
  std::uint32_t rank_;
};

}  // namespace xcuda::device::ranks
