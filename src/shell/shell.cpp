#include "shell/shell.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "base/channel.hpp"
#include "base/error.hpp"
#include "base/passing.hpp"
#include "base/paths.hpp"
#include "base/spawn.hpp"
#include "base/worker_protocol.hpp"

namespace xcuda::shell {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLeaveTime{5000};     // for the supervising process to end all that there is
constexpr milliseconds kGiveUp{5000};        // after an interrupt, when nothing ends the command
constexpr milliseconds kLookAgain{20};       // how often a second interrupt is looked for
constexpr milliseconds kLongest{3'600'000};  // of one wait
constexpr const char* kProgram = "xcuda-shell";

Error lost(const std::string& why) {
  return Error(ErrorKind::io, "the command was lost: its process ended")
      .said(why)
      .advise("Run the cell again: the next command starts a new process.");
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

struct Shell::State {
  pid_t process = 0;  // of xcuda-shell; 0: none
  Channel channel{File{}};

  ~State() { end(); }
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void start();
  void end();
  std::string reap(milliseconds patience);

  enum class Step : std::uint8_t { message, nothing, gone };
  Step take(Message& message);
};

void Shell::State::start() {
  pid_t ended = -1;
  while (process != 0 && (ended = waitpid(process, nullptr, WNOHANG)) < 0 && errno == EINTR) {}
  if (process != 0 && ended == 0) return;
  process = 0;
  auto pair = make_channel_pair();
  const File nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere) throw Error(ErrorKind::io, "cannot open /dev/null").said(errno_text(errno));
  SpawnRequest request;
  request.program = sibling_program(kProgram);
  request.environment = {{kWorkerVariable, fmt::format("{}:{}", getpid(), kWorkerProtocol)}};
  request.out = request.err = nowhere.get();
  request.socket = pair.there.get();
  process = spawn(request);
  channel = Channel(std::move(pair.here));
}

// How it ended; it is killed when it has not in time.
std::string Shell::State::reap(milliseconds patience) {
  const auto pid = std::exchange(process, 0);
  const auto end = process_descriptor(pid);
  pollfd item{end.get(), POLLIN, 0};
  poll(&item, 1, static_cast<int>(patience.count()));
  ::kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  WorkerLost loss;
  if (WIFEXITED(status)) loss.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) loss.signal = WTERMSIG(status);
  return describe(loss);
}

void Shell::State::end() {
  if (process == 0) return;
  channel = Channel(File{});  // that is what it waits for
  ::kill(process, SIGCONT);
  reap(kLeaveTime);
}

Shell::State::Step Shell::State::take(Message& message) {
  switch (channel.receive(message)) {
    case Channel::Flow::done: return Step::message;
    case Channel::Flow::pending: return Step::nothing;
    case Channel::Flow::closed:
    case Channel::Flow::broken: return Step::gone;
  }
  return Step::gone;
}

Shell::Shell() : state_(std::make_unique<State>()) {}
Shell::~Shell() = default;

CommandEnd Shell::run(const Command& command, const Output& on_output, Interrupt& interrupt) {
  auto& state = *state_;
  const auto send = [&](const char* verb) {
    std::error_code failure;
    nlohmann::json head{
        {"verb", verb}, {"line", command.line}, {"folder", std::filesystem::current_path(failure).string()}};
    if (command.processes > 0) head["processes"] = command.processes;
    std::vector<std::byte> environment;
    const auto add = [&](const char* entry) {
      const auto text = std::as_bytes(std::span(entry, std::strlen(entry) + 1));
      environment.insert(environment.end(), text.begin(), text.end());
    };
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      const auto name = text.substr(0, text.find('=') + 1);
      if (std::none_of(command.environment.begin(), command.environment.end(),
                       [&](const auto& own) { return !name.empty() && own.starts_with(name); }))
        add(*entry);
    }
    for (const auto& entry : command.environment) add(entry.c_str());
    state.channel.queue({.head = std::move(head), .body = std::move(environment), .files = {}});
  };
  state.start();
  // What an unfinished command still says must not be taken for the next one's.
  struct EndUnlessFinished {
    State& state;
    bool finished = false;
    ~EndUnlessFinished() {
      if (!finished) state.end();
    }
  } process{state};
  send("run");
  bool begun = false, again = false, late = false;
  int asked = 0;
  std::optional<Clock::time_point> give_up;
  const auto stop = [&] {
    send("stop");
    ::kill(state.process, SIGCONT);  // should a signal have stopped it
    if (!give_up) give_up = Clock::now() + kGiveUp;
  };
  for (;;) {
    const bool sending = state.channel.flush() == Channel::Flow::pending;
    Message message;
    const auto step = state.take(message);
    if (step == State::Step::gone) {
      const auto why = state.reap(kLeaveTime);
      // One that was killed while it had nothing to do costs nothing.
      if (begun || std::exchange(again, true)) throw lost(why);
      state.start();
      send("run");
      continue;
    }
    if (step == State::Step::message) {
      const auto& head = message.head;
      if (head.contains("begun")) begun = true;
      process.finished = head.contains("failed") || head.contains("ended");
      if (head.contains("failed"))
        throw Error(ErrorKind::io, head.at("failed").get<std::string>()).said(head.value("why", ""));
      if (head.contains("stream"))
        on_output(head.at("stream").get<OutputStream>(),
                  {reinterpret_cast<const char*>(message.body.data()), message.body.size()});
      if (!head.contains("ended")) continue;
      CommandEnd end{.status = head.at("ended"),
                     .late = late,
                     .crowd = head.value("crowd", std::size_t{0}),
                     .left = {},
                     .more = head.at("more")};
      for (const auto& left : head.at("left")) end.left.push_back({left.at("pid"), left.at("command")});
      return end;
    }
    if (interrupt.count() > asked) {
      asked = interrupt.count();
      stop();
      continue;
    }
    if (command.deadline && !late && asked == 0 && Clock::now() >= *command.deadline) {
      late = true;
      stop();
      continue;
    }
    if (give_up && Clock::now() > *give_up) {
      state.end();
      throw lost("neither SIGINT, SIGTERM nor SIGKILL ended it");
    }
    std::array<pollfd, 2> items{pollfd{state.channel.fd(), static_cast<short>(POLLIN | (sending ? POLLOUT : 0)), 0},
                                pollfd{asked == 0 ? interrupt.fd() : -1, POLLIN, 0}};
    auto patience = give_up ? kLookAgain : milliseconds(-1);
    if (command.deadline && !late && asked == 0)
      patience =
          std::clamp(std::chrono::ceil<milliseconds>(*command.deadline - Clock::now()), milliseconds(0), kLongest);
    if (poll_once(items, static_cast<int>(patience.count())) < 0)
      throw Error(ErrorKind::io, "cannot wait for the command").said(errno_text(errno));
  }
}

}  // namespace xcuda::shell
