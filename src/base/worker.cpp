#include "base/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/passing.hpp"
#include "base/process_limits.hpp"
#include "base/spawn.hpp"
#include "base/worker_protocol.hpp"

namespace xcuda {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kLastWords = 4096;      // bytes of stderr that are kept
constexpr int kPipeBytes = 1 << 20;           // so that a burst of output does not stop the worker
constexpr milliseconds kLeaveTime{1000};      // between the end of its socket and the end of a process
constexpr milliseconds kSecondInterrupt{20};  // how often a second interrupt is looked for while the first is pending
constexpr milliseconds kStoppedLimit{1000};   // a process that a signal has stopped for so long hangs

struct Pipe {
  File read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(ErrorKind::io, "cannot create a pipe for a worker's output")
        .said(errno_text(errno))
        .advise(open_files_advice(errno));
  Pipe result{File(ends[0]), File(ends[1])};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);  // refused over the user's quota: the default size works as well
  return result;
}

// False when time is up first.
bool poll_until(std::span<pollfd> items, std::optional<Clock::time_point> when) {
  for (;;) {
    int timeout = -1;
    if (when) {
      const auto left = std::chrono::ceil<milliseconds>(*when - Clock::now()).count();
      timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
    }
    const int ready = poll_once(items, timeout);
    if (ready > 0) return true;
    if (ready < 0) {
      const int failure = errno == EINVAL ? EMFILE : errno;  // poll() says EINVAL for more than the limit on open files
      throw Error(ErrorKind::io, "cannot wait for a worker")
          .said(errno_text(failure))
          .advise(open_files_advice(failure));
    }
    if (when && Clock::now() >= *when) return false;
  }
}

}  // namespace

struct Worker::State {
  WorkerOptions options;
  Channel channel{File{}};
  File out, err;  // empty after their end
  pid_t process = 0;
  File process_end;  // readable when the process has ended; may be empty
  bool reaped = false;
  int wait_status = 0;
  bool greeted = false;  // the worker's hello has come
  std::string last_words;
  std::optional<Message> report;
  std::optional<WorkerLost::Reason> lost;
  std::optional<Clock::time_point> stopped_since, closed_at;
  File status;  // of /proc, once somebody has looked

  explicit State(WorkerOptions wanted);
  ~State() { end(milliseconds{0}); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void read_pipe(File& pipe, OutputStream which);
  void read_output();
  bool has_ended();
  bool stands_still();
  bool idles();
  void leaves();
  void end(milliseconds patience);
  void say(std::string_view words);
  WorkerLost lose(WorkerLost::Reason reason, milliseconds patience);
  WorkerLost loss() const;

  enum class Step : std::uint8_t { answer, nothing, gone };
  Step take_message(Message& answer);
  Step take_answer(Message& answer);
  void wait(const WaitLimits& limits, int asked, std::optional<Clock::time_point> until);
};

Worker::State::State(WorkerOptions wanted) : options(std::move(wanted)) {
  auto pair = make_channel_pair();
  auto out_pipe = make_pipe();
  auto err_pipe = make_pipe();
  SpawnRequest request;
  request.program = options.program;
  request.arguments = options.arguments;
  request.environment = options.environment;
  request.environment.emplace_back(kWorkerVariable, fmt::format("{}:{}", getpid(), kWorkerProtocol));
  request.out = out_pipe.write.get();
  request.err = err_pipe.write.get();
  request.socket = pair.there.get();
  process = spawn(request);
  process_end = process_descriptor(process);
  channel = Channel(std::move(pair.here));
  out = std::move(out_pipe.read);
  err = std::move(err_pipe.read);
}

// Takes what is there now, at most what a pipe holds: a worker that writes without end does not keep it.
void Worker::State::read_pipe(File& pipe, OutputStream which) {
  std::array<char, 65536> buffer;
  for (std::size_t taken = 0; pipe && taken < kPipeBytes;) {
    const auto got = read(pipe.get(), buffer.data(), buffer.size());
    if (got > 0) {
      taken += static_cast<std::size_t>(got);
      const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
      if (which == OutputStream::err) say(text);
      if (options.on_output) options.on_output(which, text);
    } else if (got < 0 && errno == EAGAIN) {
      break;
    } else if (got == 0 || !passes(errno)) {
      pipe.reset();
    }
  }
}

// Mostly there is nothing, which one call finds out.
void Worker::State::read_output() {
  std::array<pollfd, 2> items{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
  if (poll(items.data(), items.size(), 0) == 0) return;
  read_pipe(out, OutputStream::out);
  read_pipe(err, OutputStream::err);
}

void Worker::State::say(std::string_view words) {
  last_words += words;
  if (last_words.size() > kLastWords) last_words.erase(0, last_words.size() - kLastWords);
}

bool Worker::State::has_ended() {
  if (reaped) return true;
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

// Waits up to `patience`, reading its output, then kills the whole group, and reaps.
void Worker::State::end(milliseconds patience) {
  if (reaped) return;
  const auto until = Clock::now() + patience;
  while (!has_ended() && Clock::now() < until) {
    std::array<pollfd, 3> items{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0},
                                pollfd{process_end.get(), POLLIN, 0}};
    // Without a process descriptor the end of its pipes, or a short wait, counts as the process's.
    poll_until(items, process_end ? until : std::min(until, Clock::now() + milliseconds{5}));
    read_output();
  }
  // Before the leader is reaped, so that the number of its group cannot belong to others yet.
  ::kill(-process, SIGKILL);
  while (waitpid(process, &wait_status, 0) < 0 && errno == EINTR) {}
  reaped = true;
  process_end.reset();
  read_output();
  out.reset();
  err.reset();
}

void Worker::State::leaves() {
  if (const auto tell = std::exchange(options.on_leaving, nullptr)) tell();
}

WorkerLost Worker::State::lose(WorkerLost::Reason reason, milliseconds patience) {
  leaves();
  end(patience);
  Message message;
  while (take_answer(message) == Step::answer) {  // a report may still be in the socket
  }
  lost = reason;
  auto result = loss();
  result.report = std::move(report);
  return result;
}

WorkerLost Worker::State::loss() const {
  WorkerLost result;
  result.reason = *lost;
  if (WIFEXITED(wait_status)) result.exit_status = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) result.signal = WTERMSIG(wait_status);
  result.greeted = greeted;
  result.last_words = last_words;
  return result;
}

Worker::State::Step Worker::State::take_message(Message& answer) {
  switch (channel.receive(answer)) {
    case Channel::Flow::done: return Step::answer;
    case Channel::Flow::pending: return Step::nothing;
    case Channel::Flow::closed: return Step::gone;
    case Channel::Flow::broken: say(channel.fault()); return Step::gone;
  }
  return Step::gone;
}

// The next message that is neither the hello nor a report.
Worker::State::Step Worker::State::take_answer(Message& answer) {
  for (;;) {
    const auto step = take_message(answer);
    if (step != Step::answer) return step;
    if (!greeted) {
      if (!answer.head.is_object() || answer.head.value("protocol", nlohmann::json()) != kWorkerProtocol) {
        say(fmt::format("the program {} uses another version of the protocol", options.program));
        return Step::gone;
      }
      greeted = true;
    } else if (answer.head.is_object() && answer.head.contains("report")) {
      report = std::move(answer);
      leaves();
    } else {
      return Step::answer;
    }
  }
}

bool Worker::State::stands_still() {
  siginfo_t info{};
  const bool stopped = !reaped && waitid(P_PID, static_cast<id_t>(process), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
                       info.si_pid == process;
  if (!stopped)
    stopped_since.reset();
  else if (!stopped_since)
    stopped_since = Clock::now();
  return stopped && Clock::now() - *stopped_since >= kStoppedLimit;
}

// A signal is seen from the moment it is sent: it waits, or has woken the process already.
bool Worker::State::idles() {
  if (reaped) return false;
  if (!status) status = File(open(fmt::format("/proc/{}/status", process).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer;
  const auto got = status ? pread(status.get(), buffer.data(), buffer.size(), 0) : -1;
  if (got <= 0) return false;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  const auto has = [&](std::string_view line) { return text.find(line) != std::string_view::npos; };
  return has("\nState:\tS") && has("\nSigPnd:\t0000000000000000\n") && has("\nShdPnd:\t0000000000000000\n");
}

void Worker::State::wait(const WaitLimits& limits, int asked, std::optional<Clock::time_point> until) {
  if (limits.interrupt != nullptr && asked > 0)
    until = std::min(until.value_or(Clock::time_point::max()), Clock::now() + kSecondInterrupt);
  const bool sending = channel.flush() == Channel::Flow::pending;
  std::array<pollfd, 6> items{
      pollfd{channel.fd(), static_cast<short>(POLLIN | (sending ? POLLOUT : 0)), 0},
      pollfd{out.get(), POLLIN, 0},
      pollfd{err.get(), POLLIN, 0},
      pollfd{process_end.get(), POLLIN, 0},
      pollfd{limits.interrupt != nullptr && asked == 0 ? limits.interrupt->fd() : -1, POLLIN, 0},
      pollfd{limits.bell, POLLIN, 0}};
  poll_until(items, until);
}

Worker::Worker(WorkerOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Worker::~Worker() = default;
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;

void Worker::post(Message message) {
  if (state_->lost || state_->reaped) return;
  state_->channel.queue(std::move(message));
  state_->channel.flush();
}

std::variant<Message, WorkerLost> Worker::call(Message message, const WaitLimits& limits) {
  auto& state = *state_;
  if (state.lost) return state.loss();
  if (state.reaped) return state.lose(WorkerLost::Reason::died, milliseconds{0});
  state.channel.queue(std::move(message));

  std::optional<Clock::time_point> killed_at;  // by an interrupt that was not followed
  int asked = 0;                               // the number of interrupts when it was asked to stop
  Message answer;
  const auto spin_until = Clock::now() + state.options.spin;
  for (;;) {
    const bool ended = state.has_ended();  // asked first: what an ended process said is in the socket by then
    const bool sent = state.channel.flush() != Channel::Flow::closed;
    const auto step = state.take_answer(answer);
    state.read_output();
    if (step == State::Step::answer) return answer;
    if (step == State::Step::gone || !sent || ended) return state.lose(WorkerLost::Reason::died, kLeaveTime);
    if (limits.bell_rang) limits.bell_rang();
    const auto now = Clock::now();
    if (limits.deadline && now >= *limits.deadline) return state.lose(WorkerLost::Reason::time_limit, milliseconds{0});
    if (limits.interrupt != nullptr && limits.interrupt->raised()) {
      const int count = limits.interrupt->count();
      if (asked == 0 && limits.ask_to_stop) {
        limits.ask_to_stop();
        asked = count;
        killed_at = now + limits.grace;
      }
      if (asked == 0 || count > asked || now >= *killed_at)
        return state.lose(WorkerLost::Reason::interrupted, milliseconds{0});
    }
    if (now < spin_until) continue;
    auto until = std::min(limits.deadline.value_or(Clock::time_point::max()), now + kStoppedLimit / 2);
    if (killed_at) until = std::min(until, *killed_at);
    if (limits.meanwhile) limits.meanwhile();
    state.wait(limits, asked, until);
    if (state.stands_still()) return state.lose(WorkerLost::Reason::stopped, milliseconds{0});
  }
}

void Worker::drain() {
  state_->channel.flush();
  state_->read_output();
}
void Worker::kill() { state_->end(milliseconds{0}); }

void Worker::close() {
  state_->channel.flush();
  state_->channel = Channel(File{});
  if (!state_->closed_at) state_->closed_at = Clock::now();
}

void Worker::dismiss(milliseconds patience) {
  close();
  state_->end(std::chrono::duration_cast<milliseconds>(*state_->closed_at + patience - Clock::now()));
}

bool Worker::alive() { return !state_->has_ended(); }
bool Worker::has_something_to_say() {
  pollfd item{state_->channel.fd(), POLLIN, 0};
  return state_->has_ended() || poll_once({&item, 1}, 0) > 0 || state_->stands_still();
}
bool Worker::idles() { return state_->idles(); }
bool Worker::stands_still() { return state_->stands_still(); }
pid_t Worker::pid() const { return state_->process; }

std::string describe(const WorkerLost& lost) {
  std::string text;
  switch (lost.reason) {
    case WorkerLost::Reason::interrupted: return "the interrupt ended it";
    case WorkerLost::Reason::time_limit: return "it reached the time limit";
    case WorkerLost::Reason::stopped: return "it was stopped by a signal (SIGSTOP) and ended";
    case WorkerLost::Reason::died: break;
  }
  if (lost.signal != 0) {
    const char* const name = sigabbrev_np(lost.signal);
    const char* const what = sigdescr_np(lost.signal);
    return fmt::format("it was killed by SIG{} ({})", name != nullptr ? name : std::to_string(lost.signal).c_str(),
                       what != nullptr ? what : "unknown signal");
  }
  return fmt::format("it exited with status {}", lost.exit_status);
}

}  // namespace xcuda
