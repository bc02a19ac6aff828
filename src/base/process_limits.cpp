#include "base/process_limits.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/units.hpp"

namespace xcuda {
namespace {

constexpr std::size_t kUsualStack = std::size_t{8} << 20;  // bytes
constexpr rlim_t kUsualFiles = 1024;
// Sockets of a client, what the two workers are spoken to with, and a few arrays.
constexpr rlim_t kLeastFiles = 96;
constexpr std::size_t kLeastThreads = 12;  // ZeroMQ's, the server's, the session's, and its workers

rlimit limit_of(int which) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(static_cast<__rlimit_resource>(which), &limit);
  return limit;
}

void set_soft(int which, rlim_t value) {
  auto limit = limit_of(which);
  limit.rlim_cur = value;
  setrlimit(static_cast<__rlimit_resource>(which), &limit);
}

std::optional<std::uint64_t> finite(int which) {
  const auto value = limit_of(which).rlim_cur;
  return value == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(value);
}

// Tries whether so many threads can run at once; 0, or an errno.
int try_threads(std::size_t count) {
  sem_t go;
  sem_init(&go, 0, 0);
  std::vector<pthread_t> threads;
  int failure = 0;
  while (threads.size() < count && failure == 0) {
    pthread_t thread{};
    const auto wait = [](void* semaphore) -> void* {
      while (sem_wait(static_cast<sem_t*>(semaphore)) != 0) {}
      return nullptr;
    };
    failure = pthread_create(&thread, nullptr, wait, &go);
    if (failure == 0) threads.push_back(thread);
  }
  for (std::size_t i = 0; i < threads.size(); ++i) sem_post(&go);
  for (const auto thread : threads) pthread_join(thread, nullptr);
  sem_destroy(&go);
  return failure;
}

}  // namespace

void prepare_limits() {
  std::signal(SIGXFSZ, SIG_IGN);
  if (const auto time = limit_of(RLIMIT_CPU);
      time.rlim_max != RLIM_INFINITY && time.rlim_max > 1 && time.rlim_cur >= time.rlim_max)
    set_soft(RLIMIT_CPU, time.rlim_max - 1);
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  std::size_t size = 0;
  if (pthread_attr_getstacksize(&usual, &size) == 0 && size < kUsualStack &&
      pthread_attr_setstacksize(&usual, kUsualStack) == 0)
    pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
}

int run_with_usual_stack(const std::function<int()>& work) {
  if (limit_of(RLIMIT_STACK).rlim_cur >= kUsualStack) return work();
  struct Task {
    const std::function<int()>& work;
    int result = 0;
  } task{work};
  const auto run = [](void* data) -> void* {
    auto& mine = *static_cast<Task*>(data);
    mine.result = mine.work();
    return nullptr;
  };
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, run, &task) != 0) return work();
  pthread_join(thread, nullptr);
  return task.result;
}

std::optional<Error> missing_for_a_session() {
  auto files = limit_of(RLIMIT_NOFILE);
  if (files.rlim_cur < kUsualFiles) set_soft(RLIMIT_NOFILE, std::min(files.rlim_max, kUsualFiles));
  files = limit_of(RLIMIT_NOFILE);
  if (files.rlim_cur < kLeastFiles)
    return Error(ErrorKind::io, fmt::format("a session needs {} open files, but the limit is {}", kLeastFiles,
                                            static_cast<std::uint64_t>(files.rlim_cur)))
        .advise("Raise it: ulimit -n 1024");
  if (const int failure = try_threads(kLeastThreads); failure != 0)
    return Error(ErrorKind::io, fmt::format("a session needs {} threads, but cannot start them", kLeastThreads))
        .said(errno_text(failure))
        .advise(
            "The limit on processes (ulimit -u) or on address space (ulimit -v), or that of a control group, is too "
            "low: raise it.");
  return std::nullopt;
}

std::optional<std::uint64_t> address_space_limit() { return finite(RLIMIT_AS); }
std::string address_space_advice() {
  const auto limit = address_space_limit();
  return limit ? fmt::format("The limit on address space (ulimit -v) is {}: raise it.", format_bytes(*limit)) : "";
}

std::string open_files_advice(int number) {
  if (number == EMFILE) return "The limit on open files (ulimit -n) is reached: raise it, or free arrays.";
  if (number == ENFILE) return "The machine has as many open files as it can: end other programs.";
  return {};
}

std::uint64_t within_address_space(std::uint64_t wanted) {
  constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;
  const auto limit = address_space_limit();
  return limit ? std::min(wanted, *limit / 2 / kUnit * kUnit) : wanted;
}

std::optional<std::uint64_t> file_size_limit() { return finite(RLIMIT_FSIZE); }

}  // namespace xcuda
