#include "shell/supervise.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/passing.hpp"
#include "base/worker.hpp"
#include "shell/descendants.hpp"

namespace xcuda::shell {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kGrace{500};     // between SIGINT and SIGTERM, and between that and SIGKILL
constexpr milliseconds kCountTime{20};  // between two looks at how many processes a command has
constexpr milliseconds kNameTime{50};   // for a process that was forked just now to become the program it is to run
constexpr std::size_t kMostNamed = 10;
constexpr const char* kShell = "/bin/sh";

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

// What the session wants to be run, and where.
struct Command {
  std::string line, folder;
  std::size_t processes = 0;           // that it may have at once; 0: no limit
  std::vector<std::byte> environment;  // "NAME=value", each with a null at its end
};

// What a process inherits is as a program expects it; it ends with this one.
[[noreturn]] void become_shell(const Command& command, std::vector<char*>& environment, int out, int err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = open("/dev/null", O_RDONLY);
  if (input >= 0 && dup2(input, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2) {
    closefrom(3);
    // A folder that has been removed meanwhile is for the command to find out.
    [[maybe_unused]] const int moved = chdir(command.folder.c_str());
    execle(kShell, kShell, "-c", command.line.c_str(), nullptr, environment.data());
  }
  _exit(127);
}

class Supervisor {
 public:
  explicit Supervisor(Channel& channel) : channel_(channel) {
    const auto signals = watched_signals();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    signals_.reset(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  int run();

 private:
  enum class Next : std::uint8_t { go_on, leave };

  Next wait();
  Next take_messages();
  Next take_signals();
  void start(Command command);
  void ask_to_stop();
  void press();
  void count();
  std::vector<Process> own(std::vector<Process> all) const;
  void pass_on(std::size_t which);
  void drop_output();
  void reap();
  void finish();
  nlohmann::json left_running(std::size_t& more);
  void send(nlohmann::json head, std::vector<std::byte> body = {}) {
    channel_.queue({.head = std::move(head), .body = std::move(body), .files = {}});
  }

  Channel& channel_;
  File signals_;
  bool sending_ = false;  // the session has not taken all that was said

  std::string line_;
  pid_t shell_ = 0;             // 0: none runs
  std::optional<int> status_;   // of the shell that has ended
  std::array<File, 2> output_;  // of the command: stdout and stderr
  int pressure_ = 0;            // how often it was asked to stop
  std::optional<Clock::time_point> press_at_;
  std::size_t most_ = 0, crowd_ = 0;  // processes that it may have, and had when it was killed for that

  std::vector<File> unheard_;   // output of commands whose shell has ended
  std::vector<Process> known_;  // what earlier commands left, as far as it was told
};

int Supervisor::run() {
  while (signals_) {  // without them the end of a command would not be seen
    const auto sent = channel_.flush();
    sending_ = sent == Channel::Flow::pending;
    // What could not be sent is lost: the session notices the end of this process, and would wait for the words.
    if (sent == Channel::Flow::closed || wait() == Next::leave || take_signals() == Next::leave ||
        take_messages() == Next::leave)
      break;
    if (press_at_ && Clock::now() >= *press_at_) press();
    if (shell_ != 0 && most_ > 0) count();
    // What the session does not take waits where it is: in the command.
    for (std::size_t which = 0; which < 2 && !sending_; ++which) pass_on(which);
    drop_output();
    if (status_) finish();
  }
  end_descendants();
  return 0;
}

Supervisor::Next Supervisor::wait() {
  std::vector<pollfd> items{{channel_.fd(), static_cast<short>(POLLIN | (sending_ ? POLLOUT : 0)), 0},
                            {signals_.get(), POLLIN, 0}};
  for (const auto& file : output_) items.push_back({sending_ ? -1 : file.get(), POLLIN, 0});
  for (const auto& file : unheard_) items.push_back({file.get(), POLLIN, 0});
  int timeout = -1;
  if (press_at_) {
    const auto left = std::chrono::ceil<milliseconds>(*press_at_ - Clock::now()).count();
    timeout = static_cast<int>(std::max<std::int64_t>(left, 0));
  }
  if (shell_ != 0 && most_ > 0 && (timeout < 0 || timeout > kCountTime.count()))
    timeout = static_cast<int>(kCountTime.count());
  return poll_once(items, timeout) < 0 ? Next::leave : Next::go_on;
}

Supervisor::Next Supervisor::take_messages() {
  Message message;
  for (;;) switch (channel_.receive(message)) {
      case Channel::Flow::pending: return Next::go_on;
      case Channel::Flow::closed:
      case Channel::Flow::broken: return Next::leave;
      case Channel::Flow::done:
        const auto verb = message.head.value("verb", "");
        if (verb == "run")
          start({message.head.value("line", ""), message.head.value("folder", ""),
                 message.head.value("processes", std::size_t{0}), std::move(message.body)});
        if (verb == "stop") ask_to_stop();
    }
}

Supervisor::Next Supervisor::take_signals() {
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == sizeof info)
    if (info.ssi_signo != SIGCHLD) return Next::leave;
  reap();
  return Next::go_on;
}

void Supervisor::start(Command command) {
  const auto fail = [&](const char* what) { send({{"failed", what}, {"why", errno_text(errno)}}); };
  std::array<int, 2> out{-1, -1}, err{-1, -1};
  if (pipe2(out.data(), O_CLOEXEC) != 0) return fail("cannot create a pipe for the command");
  output_[0] = File(out[0]);
  const File out_end(out[1]);
  if (pipe2(err.data(), O_CLOEXEC) != 0) return fail("cannot create a pipe for the command");
  output_[1] = File(err[0]);
  const File err_end(err[1]);
  for (const auto& file : output_) fcntl(file.get(), F_SETFL, O_NONBLOCK);

  std::vector<char*> environment;  // made before the fork: nothing may allocate after it
  auto* text = reinterpret_cast<char*>(command.environment.data());
  for (auto* const end = text + command.environment.size(); text < end; text += std::strlen(text) + 1)
    environment.push_back(text);
  environment.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return fail("cannot start /bin/sh");
  if (pid == 0) become_shell(command, environment, out_end.get(), err_end.get());
  setpgid(pid, pid);  // whoever of the two comes first
  line_ = std::move(command.line);
  shell_ = pid;
  pressure_ = 0;
  most_ = command.processes;
  crowd_ = 0;
  send({{"begun", true}});
}

void Supervisor::ask_to_stop() {
  if (shell_ == 0) return;
  if (pressure_ > 0) pressure_ = 2;  // asked again: now
  press();
}

// SIGINT, then SIGTERM, then SIGKILL, which also reaches what has left the group.
void Supervisor::press() {
  constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGKILL};
  const int number = kSignals[static_cast<std::size_t>(std::min(pressure_++, 2))];
  ::kill(-shell_, number);
  ::kill(-shell_, SIGCONT);  // one that is stopped takes no other signal
  if (number == SIGKILL) {
    press_at_.reset();
  } else {
    press_at_ = Clock::now() + kGrace;
  }
}

// The processes of this command; earlier commands left the others.
std::vector<Process> Supervisor::own(std::vector<Process> all) const {
  std::erase_if(all,
                [&](const Process& each) { return std::find(known_.begin(), known_.end(), each) != known_.end(); });
  return all;
}

// Too many processes are all killed, with what they start meanwhile: first the group, which takes one call and none of
// it can outrun. Those that the system cannot kill are listed as left.
void Supervisor::count() {
  auto all = own(descendants());
  if (all.size() <= most_) return;
  crowd_ = all.size();
  if (shell_ != 0) ::kill(-shell_, SIGKILL);
  for (const auto until = Clock::now() + kGrace; !all.empty() && Clock::now() < until; all = own(descendants())) {
    for (const auto& process : all) ::kill(process.pid, SIGKILL);
    reap();
    std::this_thread::sleep_for(milliseconds(1));
  }
}

// A piece of what the command has written.
void Supervisor::pass_on(std::size_t which) {
  auto& file = output_[which];
  if (!file) return;
  std::vector<std::byte> piece(65536);
  const auto got = read(file.get(), piece.data(), piece.size());
  if (got > 0) {
    piece.resize(static_cast<std::size_t>(got));
    send({{"stream", which == 0 ? OutputStream::out : OutputStream::err}}, std::move(piece));
  } else if (got == 0 || (errno != EAGAIN && !passes(errno))) {
    file.reset();
  }
}

void Supervisor::drop_output() {
  std::array<char, 65536> piece;
  std::erase_if(unheard_, [&](const File& file) {
    const auto got = read(file.get(), piece.data(), piece.size());
    return got == 0 || (got < 0 && errno != EAGAIN && !passes(errno));
  });
}

void Supervisor::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR);) {
    if (pid != shell_) continue;
    status_ = status;
    shell_ = 0;
    press_at_.reset();
  }
}

// The shell has ended. What it wrote is in the pipes by now, and no more than a pipe holds of that belongs to it.
void Supervisor::finish() {
  for (std::size_t which = 0; which < 2; ++which) {
    auto turns = output_[which] ? fcntl(output_[which].get(), F_GETPIPE_SZ) / 65536 + 1 : 0;
    for (; turns > 0 && output_[which]; --turns) pass_on(which);
    if (output_[which]) unheard_.push_back(std::move(output_[which]));
    output_[which].reset();
  }
  std::size_t more = 0;
  auto left = left_running(more);
  send({{"ended", *status_}, {"left", std::move(left)}, {"more", more}, {"crowd", crowd_}});
  status_.reset();
}

// What this command left running, in the order of their start.
nlohmann::json Supervisor::left_running(std::size_t& more) {
  std::vector<Process> all, fresh;
  const auto until = Clock::now() + kNameTime;
  for (;;) {
    all = descendants();
    fresh = own(all);
    const auto is_copy = [&](const Process& each) {
      return command_line(each.pid).starts_with(std::string(kShell) + " -c " + line_.substr(0, 20));
    };
    if (Clock::now() >= until || std::none_of(fresh.begin(), fresh.end(), is_copy)) break;
    std::this_thread::sleep_for(milliseconds(1));
  }
  known_ = std::move(all);
  std::sort(fresh.begin(), fresh.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  auto named = nlohmann::json::array();
  for (const auto& process : fresh) {
    if (named.size() == kMostNamed) break;
    if (auto command = command_line(process.pid); !command.empty())
      named.push_back({{"pid", process.pid}, {"command", std::move(command)}});
  }
  more = fresh.size() > kMostNamed ? fresh.size() - kMostNamed : 0;
  return named;
}

}  // namespace

int supervise(Channel& channel) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // At the session's death this process has work to do; should it be stopped, it goes on then.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  return Supervisor(channel).run();
}

}  // namespace xcuda::shell
