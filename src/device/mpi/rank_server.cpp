#include "device/mpi/rank_server.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>
#include <system_error>
#include <utility>

#include "base/data_limit.hpp"
#include "device/remote/serve_verbs.hpp"
#include "device/transfer.hpp"

namespace xcuda::device::mpi {
namespace {

using ranks::Kind;
using ranks::Status;
using remote::Verb;

void append_to(auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); }

// One of the places where exceptions end.
template <class Function, class Handler> void guard_rank(Function function, Handler handle) {
  try {
    function();
  } catch (const Error& error) {
    handle(error);
  } catch (const std::bad_alloc&) {
    handle(Error(ErrorKind::memory, "the process of the rank is out of memory").advise(memory_advice()));
  } catch (const std::exception& error) {
    handle(Error(ErrorKind::internal, "unexpected failure in the process of the rank").said(error.what()));
  }
}

bool is_launch(Verb verb) {
  return verb == Verb::post_launch || verb == Verb::post_graph || verb == Verb::post_library ||
         verb == Verb::post_host_call;
}

// The number that each of these begins with.
std::uint64_t launch_number(const ranks::ToRank& message) {
  std::uint64_t number = 0;
  remote::Reader{message.body}(number);
  return number;
}

}  // namespace

RankServer::RankServer(std::uint32_t rank, std::string host, Maker make)
    : rank_(rank), host_(std::move(host)), make_(std::move(make)), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  std::thread([this] { run(); }).detach();
}

// --- Between the threads
// ----------------------------------------------------------------------------------------------

void RankServer::ring() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto rung = write(bell_.get(), &one, sizeof one);
}

void RankServer::hush() {
  std::uint64_t rings = 0;
  [[maybe_unused]] const auto taken = read(bell_.get(), &rings, sizeof rings);
}

void RankServer::tell(ranks::ToRank message) {
  if (message.kind == Kind::stop) return stop(message);
  const std::lock_guard lock(mutex_);
  inbox_.push_back(std::move(message));
  changed_.notify_all();
}

// What runs is stopped, and what has not begun is skipped, until the next synchronisation has told so.
void RankServer::stop(const ranks::ToRank& message) {
  ranks::Stop wish;
  if (!remote::decode(message.body, wish)) return;
  time_limit_ = wish.time_limit != 0;
  grace_ = wish.time_limit != 0 ? 0 : static_cast<std::int64_t>(wish.grace);
  interrupt_.raise();
}

std::optional<std::vector<std::byte>> RankServer::take_answer() {
  const std::lock_guard lock(mutex_);
  if (outbox_.empty()) return std::nullopt;
  auto first = std::move(outbox_.front());
  outbox_.pop_front();
  return first;
}

void RankServer::answer(ranks::FromRank answer) {
  answer.outputs = std::exchange(outputs_, {});
  const std::lock_guard lock(mutex_);
  outbox_.push_back(remote::encode(answer));
  ring();
}

ExchangeWork* RankServer::take_exchange() {
  const std::lock_guard lock(mutex_);
  return std::exchange(offered_, nullptr);
}

void RankServer::exchanged(std::string failure) {
  const std::lock_guard lock(mutex_);
  exchange_failure_ = std::move(failure);
  exchange_done_ = true;
  changed_.notify_all();
}

void RankServer::run() {
  guard_rank(
      [&] {
        device_ = make_([this](OutputStream stream, std::string_view text) {
          outputs_.push_back({stream, std::string(text)});
        });
      },
      [&](const Error& error) { start_error_ = error; });
  for (;;) {
    ranks::ToRank message;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !inbox_.empty(); });
      message = std::move(inbox_.front());
      inbox_.pop_front();
    }
    serve(std::move(message));
  }
}

// --- What the device does
// ---------------------------------------------------------------------------------------------

void RankServer::serve(ranks::ToRank message) {
  const auto refusal = [&](const Error& error) { refuse(error.message); };
  switch (message.kind) {
    case Kind::call:
    case Kind::restart: return call(message);
    case Kind::post:
      if (device_) guard_rank([&] { post(message); }, refusal);
      return;
    case Kind::exchange: {
      ranks::Exchange request;
      if (device_ && remote::decode(message.body, request)) guard_rank([&] { exchange(request); }, refusal);
      return;
    }
    default: return;
  }
}

void RankServer::refuse(std::string why) { told_later_.refused.push_back({0, std::move(why), {}, {}}); }

void RankServer::keep(Completion completion) {
  auto& all = told_later_;
  append_to(all.timings, completion.timings);
  append_to(all.reports, completion.reports);
  append_to(all.refused, completion.refused);
  append_to(all.skipped, completion.skipped);
  if (completion.fault && !all.fault) all.fault = std::move(completion.fault);
  if (completion.recovery) all.recovery = std::move(completion.recovery);
}

// Bytes that were read are taken out of the staging buffer, which an exchange uses, too.
void RankServer::keep_reads() {
  const auto staging = device_->staging();
  for (const auto& read : std::exchange(reads_, {}))
    for (std::uint64_t row = 0; row < read.height; ++row)
      append_to(read_, staging.subspan(read.to + row * read.to_pitch, read.width));
}

Completion RankServer::wait() {
  auto completion = device_->synchronize(
      {.interrupt = &interrupt_, .deadline = {}, .grace = std::chrono::milliseconds{grace_.load()}});
  if (completion.fault && completion.fault->kind == FaultKind::interrupted && time_limit_)
    completion.fault->kind = FaultKind::time_limit;
  if (!completion.fault && !told_later_.fault) keep_reads();
  reads_.clear();
  return completion;
}

void RankServer::post(const ranks::ToRank& message) {
  if (told_later_.fault) return;  // what follows would find arrays half done
  if (is_launch(message.verb) && interrupt_.raised()) {
    told_later_.skipped.push_back(launch_number(message));
    return;
  }
  StreamId stream{};
  CopyRequest copy;
  if (message.verb == Verb::post_read && remote::decode(message.body, stream, copy)) reads_.push_back(copy);
  if (message.verb == Verb::post_write && remote::decode(message.body, stream, copy)) {
    auto rest = std::span<const std::byte>(message.written);
    for (std::uint64_t row = 0; row < copy.height; ++row) {
      const auto place = device_->staging().subspan(copy.from + row * copy.from_pitch, copy.width);
      std::memcpy(place.data(), rest.data(), std::min<std::size_t>(copy.width, rest.size()));
      rest = rest.subspan(std::min<std::size_t>(copy.width, rest.size()));
    }
  }
  remote::serve_post(*device_, message.verb, message.body);
}

std::vector<std::byte> RankServer::value_of(const ranks::ToRank& message, ranks::FromRank& answer) {
  if (message.kind == Kind::restart) return remote::encode(device_->restart());
  if (message.verb == Verb::synchronize) {
    keep(wait());
    interrupt_.clear();
    time_limit_ = false;
    answer.read = std::exchange(read_, {});
    return remote::encode(std::exchange(told_later_, {}));
  }
  if (message.verb == Verb::info) {
    auto info = device_->info();
    info.name += fmt::format(" on {}", host_);
    return remote::encode(info);
  }
  std::vector<File> files, out;  // descriptors stay on their host, with the device that keeps them
  return remote::serve_call(*device_, message.verb, message.body, files, out);
}

void RankServer::call(const ranks::ToRank& message) {
  ranks::FromRank result;
  const auto fail = [&](const Error& error) {
    result.status = Status::error;
    result.value = remote::encode(remote::to_text(error));
  };
  if (!device_)
    fail(*start_error_);
  else
    guard_rank([&] { result.value = value_of(message, result); }, fail);
  // A fault that a call has found is told by the next synchronisation.
  if (device_ && (message.verb != Verb::synchronize || message.kind == Kind::restart))
    if (auto kept = device_->take_fault()) keep(std::move(*kept));
  answer(std::move(result));
}

void RankServer::exchange(const ranks::Exchange& request) {
  keep(wait());
  ExchangeWork work{request.number, {}, {}};
  Transfer transfer(*device_);
  for (const auto& one : request.transfers) {
    if (one.to_rank == rank_) {
      work.in.push_back({one.from_rank, one.to, std::vector<std::byte>(one.bytes)});
      continue;
    }
    auto& parcel =
        work.out.emplace_back(ExchangeWork::Parcel{one.to_rank, one.from, {}, device_->visible(one.from, one.bytes)});
    if (!parcel.seen.empty()) continue;
    parcel.bytes.resize(one.bytes);
    // After a fault the others still wait for their bytes.
    if (!told_later_.fault)
      guard_rank(
          [&] {
            transfer.read({one.from, one.bytes}, parcel.bytes);
          },
          [&](const Error& error) { refuse(error.message); });
    parcel.seen = parcel.bytes;
  }
  std::string failure;
  {
    std::unique_lock lock(mutex_);
    offered_ = &work;
    exchange_done_ = false;
    ring();
    changed_.wait(lock, [&] { return exchange_done_; });
    failure = std::exchange(exchange_failure_, {});
  }
  if (!failure.empty()) {
    failed_.push_back(std::move(work));
    return refuse(fmt::format("cannot exchange arrays between ranks: {}", failure));
  }
  if (told_later_.fault) return;
  for (const auto& parcel : work.in) transfer.write({parcel.address, parcel.bytes.size()}, parcel.bytes);
}

}  // namespace xcuda::device::mpi
