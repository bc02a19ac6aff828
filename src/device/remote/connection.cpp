#include "device/remote/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "base/futex.hpp"
#include "base/text.hpp"

namespace xcuda::device::remote {
namespace {

using Clock = std::chrono::steady_clock;

// How often a full ring is looked at: the worker has a megabyte of work before it, so this costs nothing.
constexpr std::chrono::microseconds kRoomPoll{50};

File make_event() {
  File event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) throw Error(ErrorKind::io, "cannot make an eventfd for a device's process").said(errno_text(errno));
  return event;
}

Message make_message(const Connection::Call& call, std::uint64_t position) {
  Message message;
  Writer{message.body}(call.verb, position);
  message.body.insert(message.body.end(), call.arguments.begin(), call.arguments.end());
  return message;
}

// "it was ended by SIGKILL (Killed)" and the end of its stderr.
void explain(Fault& fault, const WorkerLost& lost) {
  fault.library = describe(lost);
  const auto words = trim(lost.last_words);
  if (!words.empty()) fault.library += fmt::format("; its last output: {}", valid_utf8(words));
}

}  // namespace

Connection::Connection(const ConnectionRequest& request)
    : area_file_(make_shared_area()),
      area_(area_file_),
      ring_(*area_),
      doorbell_(make_event()),
      stop_event_(make_event()),
      piece_bell_(make_event()),
      spin_(request.worker.spin),
      worker_(request.worker) {
  OpenRequest open;
  open.version = kProtocolVersion;
  open.window = request.window;
  open.shared_size = sizeof(SharedArea);
  open.staging_size = request.staging_size;
  open.first = request.wish == WindowWish::any;
  const auto arguments = encode(open);
  auto message = make_message({Verb::open, arguments, {}}, 0);
  message.files.push_back(duplicate(area_file_));
  message.files.push_back(duplicate(doorbell_));
  message.files.push_back(duplicate(stop_event_));
  message.files.push_back(duplicate(*request.staging));
  message.files.push_back(duplicate(piece_bell_));
  worker_.post(std::move(message));
}

void Connection::ask_to_stop() {
  area_->stop.store(1);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto rung = write(stop_event_.get(), &one, sizeof one);
}

// Asked by a thread in the middle of an access, which goes on with the answer.
void Connection::serve_piece(const std::function<Touch(Address, Access)>& fetch) {
  auto& wanted = area_->piece;
  if (wanted.state.load(std::memory_order_acquire) != PieceRequest::asked) return;
  std::uint64_t rings = 0;
  [[maybe_unused]] const auto taken = read(piece_bell_.get(), &rings, sizeof rings);
  wanted.answer = fetch(wanted.piece, wanted.access);
  wanted.state.store(PieceRequest::answered, std::memory_order_release);
  wake_one(wanted.state);
}

Connection::Outcome Connection::call(Call call, const WaitRequest& request) {
  auto message = make_message(call, ring_.position());
  message.files = std::move(call.files);
  WaitLimits limits;
  limits.interrupt = request.interrupt;
  limits.deadline = request.deadline;
  limits.grace = request.grace;
  limits.ask_to_stop = [this] { ask_to_stop(); };
  if (request.tell) limits.meanwhile = [this, &request] { request.tell(area_->fault.doing.get()); };
  if (request.fetch) {
    limits.bell = piece_bell_.get();
    limits.bell_rang = [this, &request] { serve_piece(request.fetch); };
  }
  ring_.announce_call();
  auto result = worker_.call(std::move(message), limits);
  area_->stop.store(0);
  if (auto* const lost = std::get_if<WorkerLost>(&result)) return describe_loss(std::move(*lost));
  auto& answer = std::get<Message>(result);

  Reader reader(answer.body);
  auto status = Status::done;
  reader(status);
  if (reader.ok() && status == Status::done)
    return Answer{{reader.rest().begin(), reader.rest().end()}, std::move(answer.files)};
  ErrorText text;
  if (reader.ok() && status == Status::error && reader(text).complete()) return to_error(std::move(text));
  // A worker whose answers make no sense cannot be trusted with arrays.
  worker_.kill();
  Loss loss;
  auto& fault = loss.completion.fault.emplace();
  fault.kind = FaultKind::worker_died;
  fault.library = fmt::format("its answer to {} is malformed", verb_name(call.verb));
  return loss;
}

Connection::Loss Connection::describe_loss(WorkerLost lost) {
  Loss loss;
  loss.last_words = lost.last_words;
  auto& completion = loss.completion;
  if (lost.report && !(decode(lost.report->body, completion) && completion.fault)) completion = {};
  if (!completion.fault) completion.fault = read_fault(area_->fault);
  const auto running = area_->fault.running.load();
  if (completion.fault) {
    if (completion.fault->launches.empty() && running != 0) completion.fault->launches = {running};
    return loss;
  }
  auto& fault = completion.fault.emplace();
  switch (lost.reason) {
    case WorkerLost::Reason::died: fault.kind = killed_for_.value_or(FaultKind::worker_died); break;
    case WorkerLost::Reason::interrupted: fault.kind = FaultKind::interrupted; break;
    case WorkerLost::Reason::time_limit: fault.kind = FaultKind::time_limit; break;
    case WorkerLost::Reason::stopped: fault.kind = FaultKind::worker_hung; break;
  }
  const auto doing = area_->fault.doing.get();
  if (!doing.empty() && fault.kind != FaultKind::worker_died && fault.kind != FaultKind::worker_hung)
    fault.message =
        fmt::format("{} while the device was {}",
                    fault.kind == FaultKind::interrupted ? "interrupted" : "the time limit was over", doing);
  if (fault.kind == FaultKind::worker_died) explain(fault, lost);
  if (fault.kind == FaultKind::worker_hung) fault.library = "a signal (SIGSTOP) had stopped the process";
  if (running != 0) fault.launches = {running};
  return loss;
}

bool Connection::post_fence() {
  return spin_.count() != 0 && !killed_for_ && ring_.try_post(Verb::post_fence, encode(++fences_), doorbell_);
}

void Connection::rouse() { roused_ = post_fence(); }

bool Connection::begin_wait() {
  if (!roused_ && !killed_for_) roused_ = ring_.try_post(Verb::post_fence, encode(++fences_), doorbell_);
  return roused_;
}

Device::Look Connection::look() {
  worker_.drain();
  return {killed_for_ || worker_.has_something_to_say(), area_->fault.doing.get()};
}

bool Connection::pass_fence() {
  if (!std::exchange(roused_, false) && !post_fence()) return false;
  const auto number = fences_;
  const auto until = Clock::now() + spin_;
  auto reached = area_->fence.load(std::memory_order_acquire);
  while (reached / 2 != number && Clock::now() < until) reached = area_->fence.load(std::memory_order_acquire);
  if (reached != 2 * number) return false;
  worker_.drain();  // what was printed until then
  return true;
}

void Connection::post(Verb verb, std::span<const std::byte> payload, const std::function<WaitRequest()>& limits) {
  roused_ = false;
  if (killed_for_) return;
  if (payload.size() > kLargestPost) {
    post(Verb::big_post, {}, limits);
    if (!killed_for_) worker_.post(make_message({verb, payload, {}}, 0));
    return;
  }
  if (ring_.try_post(verb, payload, doorbell_)) return;
  wait_for_room(verb, payload, limits ? limits() : WaitRequest{});
}

bool Connection::wait_for_room(Verb verb, std::span<const std::byte> payload, const WaitRequest& limits) {
  std::optional<Clock::time_point> asked_at;
  int asked = 0;
  for (;;) {
    worker_.drain();  // a worker that waits until its output is read makes no room
    if (ring_.try_post(verb, payload, doorbell_)) return true;
    if (!worker_.alive()) return false;
    const auto now = Clock::now();
    if (limits.deadline && now >= *limits.deadline) killed_for_ = FaultKind::time_limit;
    if (limits.interrupt != nullptr && limits.interrupt->raised()) {
      if (!asked_at) {
        ask_to_stop();
        asked_at = now;
        asked = limits.interrupt->count();
      } else if (now - *asked_at >= limits.grace || limits.interrupt->count() > asked) {
        killed_for_ = FaultKind::interrupted;
      }
    }
    if (worker_.stands_still()) killed_for_ = FaultKind::worker_hung;
    if (killed_for_) {
      worker_.kill();
      return false;
    }
    std::this_thread::sleep_for(kRoomPoll);
  }
}

}  // namespace xcuda::device::remote
