// !command
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/handle.hpp"
#include "command/runner.hpp"

extern char** environ;

namespace xcuda::command {
namespace {

struct Pipe {
  File read, write;
};
Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::io, "cannot make a pipe for the command").said(errno_text(errno));
  return {File(ends[0]), File(ends[1])};
}

// Signals as a program expects them: nothing blocked, nothing ignored; a process group of its own.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&raw_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&raw_, &none);
    posix_spawnattr_setsigdefault(&raw_, &all);
    posix_spawnattr_setpgroup(&raw_, 0);
    posix_spawnattr_setflags(&raw_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&raw_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &raw_; }

 private:
  posix_spawnattr_t raw_;
};

// Ends the whole group, and reaps the shell, however the function is left.
class Group {
 public:
  explicit Group(pid_t pid) : pid_(pid) {}
  ~Group() {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      wait();
    }
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void signal(int number) const { ::kill(-pid_, number); }
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
};

pid_t spawn_shell(const std::string& line, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  Attributes attributes;
  std::string shell = "/bin/sh", flag = "-c", text = line;
  char* arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, shell.c_str(), &actions, attributes.get(), arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw Error(ErrorKind::io, "cannot start /bin/sh").said(errno_text(failure));
  return pid;
}

}  // namespace

void run_shell(const std::string& line, session::Sink& sink, Interrupt& interrupt) {
  auto out = make_pipe(), err = make_pipe();
  Group group(spawn_shell(line, out.write.get(), err.write.get()));
  out.write.reset();
  err.write.reset();

  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> kill_at;
  int asked = 0;
  while (out.read || err.read) {
    pollfd waiting[3] = {
        {out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}, {asked > 0 ? -1 : interrupt.fd(), POLLIN, 0}};
    if (poll(waiting, 3, kill_at ? 50 : -1) < 0 && errno != EINTR)
      throw Error(ErrorKind::io, "cannot wait for the command").said(errno_text(errno));
    if (interrupt.count() > asked) {
      group.signal(asked == 0 ? SIGINT : SIGKILL);
      asked = interrupt.count();
      if (!kill_at) kill_at = Clock::now() + std::chrono::milliseconds(500);
    }
    if (kill_at && Clock::now() > *kill_at) group.signal(SIGKILL);
    for (int i = 0; i < 2; ++i) {
      if ((waiting[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      auto& file = i == 0 ? out.read : err.read;
      char buffer[65536];
      const auto got = read(file.get(), buffer, sizeof buffer);
      if (got > 0)
        sink.stream(i == 0 ? OutputStream::out : OutputStream::err, {buffer, static_cast<std::size_t>(got)});
      else if (got == 0 || errno != EINTR)
        file.reset();
    }
  }
  const int status = group.wait();
  interrupt.check();
  if (WIFSIGNALED(status))
    throw Error(ErrorKind::io, fmt::format("the command was ended by {} ({})", sigabbrev_np(WTERMSIG(status)),
                                           strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) == 127) throw Error(ErrorKind::io, "the command left with exit status 127: it was not found");
  if (WEXITSTATUS(status) != 0)
    throw Error(ErrorKind::io, fmt::format("the command left with exit status {}", WEXITSTATUS(status)));
}

}  // namespace xcuda::command
