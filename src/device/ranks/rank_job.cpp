#include "device/ranks/rank_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "base/text.hpp"

namespace xcuda::device::ranks {
namespace {

constexpr std::chrono::milliseconds kLeaveTime{2000};

using Clock = std::chrono::steady_clock;
using remote::Line;

Line::Loss loss_of(FaultKind kind, std::string message, std::string library) {
  Line::Loss loss;
  auto& fault = loss.completion.fault.emplace();
  fault.kind = kind;
  fault.message = std::move(message);
  fault.library = std::move(library);
  return loss;
}

Message message_of(const ToRank& message) { return {.head = nullptr, .body = remote::encode(message), .files = {}}; }

}  // namespace

RankJob::RankJob(JobOptions options)
    : options_(std::move(options)), worker_(std::make_unique<Worker>(worker_options())), reads_(options_.ranks) {}

WorkerOptions RankJob::worker_options() const {
  WorkerOptions worker;
  worker.program = options_.program;
  worker.arguments = {"start", options_.launcher};
  return worker;
}

RankJob::~RankJob() { worker_->dismiss(kLeaveTime); }

void RankJob::restart() {
  worker_->dismiss(kLeaveTime);
  worker_ = std::make_unique<Worker>(worker_options());
  answered_ = false;
  for (auto& reads : reads_) reads.clear();
}

// An interrupt and a time limit end what the ranks wait for, and never the job, which holds the arrays.
WaitLimits RankJob::limits_of(const WaitRequest& request) {
  WaitLimits limits;
  if (!answered_) {  // there is nothing to lose
    limits.interrupt = request.interrupt;
    limits.deadline = request.deadline;
    return limits;
  }
  limits.bell = request.interrupt != nullptr ? request.interrupt->fd() : -1;
  limits.bell_rang = [this, request, told = 0, over = false]() mutable {
    const auto stop = [&](std::uint8_t time_limit) {
      const Stop wish{time_limit, static_cast<std::uint64_t>(request.grace.count())};
      for (std::uint32_t rank = 0; rank < options_.ranks; ++rank)
        worker_->post(message_of({rank, Kind::stop, {}, remote::encode(wish), {}}));
    };
    const int count = request.interrupt != nullptr ? request.interrupt->count() : 0;
    if (count > told) {
      told = count;
      stop(0);
    } else if (told > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});  // the bell does not stop
    }
    if (!over && request.deadline && Clock::now() >= *request.deadline) {
      over = true;
      stop(1);
    }
  };
  if (request.tell) limits.meanwhile = [] {};
  return limits;
}

Line::Outcome RankJob::job_lost(const WorkerLost& lost) {
  const auto words = std::string(trim(lost.last_words));
  const auto& command = options_.launcher;
  const auto said = words.empty() ? describe(lost) : fmt::format("{}; its last output: {}", describe(lost), words);
  if (!answered_ && !lost.by_itself())
    return loss_of(lost.reason == WorkerLost::Reason::time_limit ? FaultKind::time_limit : FaultKind::interrupted, {},
                   said);
  if (!answered_)
    return Error(ErrorKind::device, fmt::format("cannot start {} ranks by `{}`", options_.ranks, command))
        .said(said)
        .advise("%config launcher sets the command that starts them; xcuda --doctor says what it finds of MPI.");
  auto loss = loss_of(FaultKind::worker_died, fmt::format("the ranks that `{}` started have ended", command), said);
  loss.completion.fault->whole_set = true;
  return loss;
}

Line::Outcome RankJob::call(std::uint32_t rank, const Line::Call& call, const WaitRequest& limits) {
  return ask({rank, Kind::call, call.verb, {call.arguments.begin(), call.arguments.end()}, {}}, limits);
}

Recovery RankJob::restart_device(std::uint32_t rank) {
  const auto outcome = ask({rank, Kind::restart, {}, {}, {}}, {});
  if (const auto* const error = std::get_if<Error>(&outcome)) throw *error;
  Recovery recovery;
  if (const auto* const answer = std::get_if<Line::Answer>(&outcome); answer != nullptr)
    if (remote::decode(answer->value, recovery)) return recovery;
  throw Error(ErrorKind::device, fmt::format("cannot restart the device's process of rank {}", rank));
}

Line::Outcome RankJob::ask(const ToRank& message, const WaitRequest& limits) {
  const auto [rank, verb] = std::pair(message.rank, message.verb);
  auto result = worker_->call(message_of(message), limits_of(limits));
  if (auto* const lost = std::get_if<WorkerLost>(&result)) return job_lost(*lost);
  FromRank answer;
  if (!remote::decode(std::get<Message>(result).body, answer)) {
    worker_->kill();
    return loss_of(FaultKind::worker_died, {}, fmt::format("its answer to {} is malformed", remote::verb_name(verb)));
  }
  return outcome_of(rank, verb, std::move(answer));
}

Line::Outcome RankJob::outcome_of(std::uint32_t rank, remote::Verb verb, FromRank answer) {
  answered_ = true;
  if (options_.on_output)
    for (const auto& output : answer.outputs) options_.on_output(output.stream, output.text);
  switch (answer.status) {
    case Status::lost: {
      reads_[rank].clear();
      const std::string why(reinterpret_cast<const char*>(answer.value.data()), answer.value.size());
      return loss_of(FaultKind::worker_died, why, {});
    }
    case Status::error: {
      remote::ErrorText text;
      if (remote::decode(answer.value, text)) return remote::to_error(std::move(text));
      return Error(ErrorKind::internal,
                   fmt::format("the answer of rank {} to {} is malformed", rank, remote::verb_name(verb)));
    }
    case Status::done: break;
  }
  if (verb == remote::Verb::synchronize && !take_read(rank, answer.read))
    return Error(ErrorKind::internal, fmt::format("rank {} sent {} bytes that nobody reads", rank, answer.read.size()));
  return Line::Answer{std::move(answer.value), {}};
}

// Nothing comes of reads before a fault.
bool RankJob::take_read(std::uint32_t rank, std::span<const std::byte> bytes) {
  const auto reads = std::exchange(reads_[rank], {});
  if (bytes.empty()) return true;
  for (const auto& read : reads)
    for (std::uint64_t row = 0; row < read.height; ++row) {
      const auto at = read.to + row * read.to_pitch;
      if (bytes.size() < read.width || at + read.width > staging_.size()) return false;
      std::memcpy(staging_.data() + at, bytes.data(), read.width);
      bytes = bytes.subspan(read.width);
    }
  return bytes.empty();
}

void RankJob::post(const ToRank& message) { worker_->post(message_of(message)); }

void RankJob::exchange(const std::vector<Transfer>& transfers) {
  ++exchanges_;
  for (std::uint32_t rank = 0; rank < options_.ranks; ++rank) {
    Exchange share{exchanges_, {}};
    for (const auto& transfer : transfers)
      if (transfer.from_rank == rank || transfer.to_rank == rank) share.transfers.push_back(transfer);
    if (!share.transfers.empty()) post({rank, Kind::exchange, {}, remote::encode(share), {}});
  }
}

}  // namespace xcuda::device::ranks
