#include "base/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/data_limit.hpp"
#include "base/error.hpp"
#include "base/process_limits.hpp"

namespace xcuda {
namespace {

// Runs tasks on one thread that is never joined. It is never destroyed either, so that the thread may outlive main().
class Spawner {
 public:
  static Spawner& get() {
    static auto* const spawner = new Spawner;
    return *spawner;
  }

  int run(std::function<int()> work) {
    std::packaged_task<int()> task(std::move(work));
    auto result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return result.get();
  }

 private:
  Spawner() {
    std::thread([this] { serve(); }).detach();
  }

  [[noreturn]] void serve() {
    for (;;) {
      std::packaged_task<int()> task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return !tasks_.empty(); });
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<int()>> tasks_;
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> variables;
  for (char** item = environ; *item != nullptr; ++item) {
    const std::string_view text(*item);
    const auto name = text.substr(0, text.find('='));
    if (std::none_of(added.begin(), added.end(), [&](const auto& pair) { return pair.first == name; }))
      variables.emplace_back(text);
  }
  for (const auto& [name, value] : added) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// A descriptor above those the child is given, so that no dup2 of the child overwrites one that is still needed.
File above_standard(int fd) {
  File copy(fcntl(fd, F_DUPFD_CLOEXEC, kWorkerSocket + 1));
  if (!copy)
    throw Error(ErrorKind::io, "cannot duplicate a descriptor for a new process")
        .said(errno_text(errno))
        .advise(open_files_advice(errno));
  return copy;
}

struct FileActions {
  posix_spawn_file_actions_t actions;
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

struct Attributes {
  posix_spawnattr_t attributes;
  Attributes() {
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

std::string advice_for(int error) {
  if (error == EAGAIN)
    return "The limit on processes (ulimit -u, or that of a control group) is reached: end some, or raise it.";
  if (error == ENOMEM) return "The machine, or the control group, is short of memory: end other programs.";
  return "Check the installation: keep the programs of xeus-cuda in one folder.";
}

}  // namespace

pid_t spawn(const SpawnRequest& request) {
  std::vector<std::string> arguments{request.program};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  auto variables = environment_with(request.environment);
  const auto argv = pointers(arguments);
  const auto envp = pointers(variables);

  const auto out = above_standard(request.out), err = above_standard(request.err),
             socket = above_standard(request.socket);
  FileActions files;
  posix_spawn_file_actions_addopen(&files.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files.actions, out.get(), 1);
  posix_spawn_file_actions_adddup2(&files.actions, err.get(), 2);
  posix_spawn_file_actions_adddup2(&files.actions, socket.get(), kWorkerSocket);
  posix_spawn_file_actions_addclosefrom_np(&files.actions, kWorkerSocket + 1);
  const Attributes attributes;

  pid_t pid = 0;
  const int error = Spawner::get().run([&] {
    return posix_spawn(&pid, request.program.c_str(), &files.actions, &attributes.attributes, argv.data(), envp.data());
  });
  if (error != 0)
    throw Error(ErrorKind::io, fmt::format("cannot start the program {}", request.program))
        .said(errno_text(error))
        .advise(advice_for(error));
  limit_data_of(pid);  // before it has begun to run
  return pid;
}

File process_descriptor(pid_t pid) { return File(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

}  // namespace xcuda
