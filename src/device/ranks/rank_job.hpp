// The processes of an MPI job as the session sees them: one line to rank 0, which passes messages on. The job's own
// output is MPI's; it is kept for errors. A lost rank is a value here, as a lost worker is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/worker.hpp"
#include "device/ranks/rank_messages.hpp"
#include "device/remote/line.hpp"

namespace xcuda::device::ranks {

struct JobOptions {
  std::string program;   // xcuda-mpi
  std::string launcher;  // the command that starts the ranks; the program and its arguments follow
  std::uint32_t ranks = 1;
  std::function<void(OutputStream, std::string_view)> on_output;  // of the ranks' devices
};

class RankJob {
 public:
  explicit RankJob(JobOptions options);  // starts the processes and does not wait; Error(io)
  ~RankJob();
  RankJob(const RankJob&) = delete;
  RankJob& operator=(const RankJob&) = delete;
  void restart();                               // others take their place; what was told to these is lost
  Recovery restart_device(std::uint32_t rank);  // its process alone. Errors: device

  std::uint32_t ranks() const { return options_.ranks; }
  remote::Line::Outcome call(std::uint32_t rank, const remote::Line::Call& call, const WaitRequest& limits);
  void post(const ToRank& message);
  void exchange(const std::vector<Transfer>& transfers);

  // The buffer in which host data crosses, of the session's first device.
  void use_staging(std::span<std::byte> staging) { staging_ = staging; }
  std::span<std::byte> staging() const { return staging_; }
  void will_read(std::uint32_t rank, const CopyRequest& request) { reads_[rank].push_back(request); }
  pid_t pid() const { return worker_->pid(); }

 private:
  WorkerOptions worker_options() const;
  WaitLimits limits_of(const WaitRequest& request);
  remote::Line::Outcome ask(const ToRank& message, const WaitRequest& limits);
  remote::Line::Outcome outcome_of(std::uint32_t rank, remote::Verb verb, FromRank answer);
  remote::Line::Outcome job_lost(const WorkerLost& lost);
  bool take_read(std::uint32_t rank, std::span<const std::byte> bytes);

  JobOptions options_;
  std::unique_ptr<Worker> worker_;
  bool answered_ = false;
  std::span<std::byte> staging_;
  std::vector<std::vector<CopyRequest>> reads_;  // of each rank, since its last synchronisation
  std::uint32_t exchanges_ = 0;
};

}  // namespace xcuda::device::ranks
