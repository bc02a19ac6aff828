// In front of libc (LD_PRELOAD): a system call that the plan names fails, moves a part of its bytes, or ends the
// process.
//
// A library in front and no seam in base/: it reaches the calls of LLVM, NVRTC, libpng and libstdc++ as well, and the
// programs under test are those that are installed. What it does not see are calls that libc makes on its own behalf
// (malloc's mmap, the clone of posix_spawn).
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/faults/plan.hpp"

namespace {

using namespace xcuda::test;

Plan* plan = nullptr;
int own_role = -1;

// The library's own calls go round it.
__attribute__((constructor)) void read_plan() {
  const char* const path = std::getenv(kPlanVariable);
  if (path == nullptr) return;
  for (std::size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i] == program_invocation_short_name) own_role = static_cast<int>(i);
  if (own_role < 0) return;
  const auto file = static_cast<int>(syscall(SYS_open, path, O_RDWR | O_CLOEXEC, 0));
  if (file < 0) return;
  void* const mapped =
      reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  syscall(SYS_close, file);
  if (mapped != MAP_FAILED) plan = static_cast<Plan*>(mapped);
}

[[noreturn]] void end() {
  ::kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Whether this is the call: the errno, kShort, or 0 to go on.
int fault_of(Call call) {
  if (plan == nullptr) return 0;
  const auto mode = plan->mode.load(std::memory_order_relaxed);
  if (mode == Mode::count) plan->counts[static_cast<std::size_t>(own_role)][static_cast<std::size_t>(call)]++;
  if (mode != Mode::fail || plan->role != own_role || plan->call != static_cast<int>(call)) return 0;
  if (plan->left.fetch_sub(1) != 1) return 0;
  plan->struck++;
  return plan->fault;
}

// Before a call that changes a file. True: do half of it, then end().
bool is_last_change() {
  if (plan == nullptr) return false;
  const auto mode = plan->mode.load(std::memory_order_relaxed);
  if (mode == Mode::count) plan->changes[static_cast<std::size_t>(own_role)]++;
  if ((mode != Mode::kill_before && mode != Mode::kill_half) || plan->role != own_role) return false;
  if (plan->left.fetch_sub(1) != 1) return false;
  plan->struck++;
  if (mode == Mode::kill_before) end();
  return true;
}

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::size_t part_of(std::size_t size) { return size > 1 ? size / 2 : size; }

// The type of what is open; 0 for an eventfd and its like, whose calls do not fail.
mode_t type_of(int fd) {
  struct stat about {};
  return plan != nullptr && syscall(SYS_fstat, fd, &about) == 0 ? about.st_mode & S_IFMT : 0;
}
int read_fault(int fd) { return type_of(fd) != 0 ? fault_of(Call::read) : 0; }
int write_fault(int fd) {
  const auto type = type_of(fd);
  return type == 0 ? 0 : fault_of(type == S_IFREG ? Call::write : Call::write_stream);
}

// Whether a file has a name, so that a change of it lasts.
bool is_file(int fd) {
  struct stat about {};
  return syscall(SYS_fstat, fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink > 0;
}

}  // namespace

// The next definition of the function, and what to return instead when the plan says so.
#define XCUDA_REAL(name) static auto* const real = next<decltype(name)>(#name)
#define XCUDA_FAIL(call, failed) XCUDA_FAIL_BY(fault_of(Call::call), failed)
#define XCUDA_FAIL_BY(value, failed) \
  const int fault = value;           \
  if (fault > 0) {                   \
    errno = fault;                   \
    return failed;                   \
  }

extern "C" {

int open(const char* path, int flags, ...) {
  XCUDA_REAL(open);
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  XCUDA_FAIL(open, -1)
  if ((flags & O_CREAT) != 0 && is_last_change()) {
    real(path, flags, mode);
    end();
  }
  return real(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  XCUDA_REAL(openat);
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  XCUDA_FAIL(open, -1)
  if ((flags & O_CREAT) != 0 && is_last_change()) {
    real(folder, path, flags, mode);
    end();
  }
  return real(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  XCUDA_REAL(fopen);
  XCUDA_FAIL(open, nullptr)
  return real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  XCUDA_REAL(fopen64);
  XCUDA_FAIL(open, nullptr)
  return real(path, mode);
}
int mkostemp(char* pattern, int flags) {
  XCUDA_REAL(mkostemp);
  XCUDA_FAIL(open, -1)
  if (is_last_change()) {
    real(pattern, flags);
    end();
  }
  return real(pattern, flags);
}

ssize_t read(int fd, void* to, size_t size) {
  XCUDA_REAL(read);
  XCUDA_FAIL_BY(read_fault(fd), -1)
  return real(fd, to, fault == kShort ? part_of(size) : size);
}
ssize_t pread(int fd, void* to, size_t size, off_t at) {
  XCUDA_REAL(pread);
  XCUDA_FAIL_BY(read_fault(fd), -1)
  return real(fd, to, fault == kShort ? part_of(size) : size, at);
}

ssize_t write(int fd, const void* from, size_t size) {
  XCUDA_REAL(write);
  XCUDA_FAIL_BY(write_fault(fd), -1)
  if (plan != nullptr && is_file(fd) && is_last_change()) {
    real(fd, from, size / 2);
    end();
  }
  return real(fd, from, fault == kShort ? part_of(size) : size);
}
ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
  XCUDA_REAL(pwrite);
  XCUDA_FAIL_BY(write_fault(fd), -1)
  if (plan != nullptr && is_file(fd) && is_last_change()) {
    real(fd, from, size / 2, at);
    end();
  }
  return real(fd, from, fault == kShort ? part_of(size) : size, at);
}
ssize_t writev(int fd, const iovec* parts, int count) {
  XCUDA_REAL(writev);
  XCUDA_FAIL_BY(write_fault(fd), -1)
  if (plan != nullptr && is_file(fd) && is_last_change()) {
    if (count > 0) write(fd, parts[0].iov_base, parts[0].iov_len / 2);
    end();
  }
  if (fault == kShort && count > 0) return write(fd, parts[0].iov_base, part_of(parts[0].iov_len));
  return real(fd, parts, count);
}

// The first part's half: descriptors go along all the same.
ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  XCUDA_REAL(sendmsg);
  XCUDA_FAIL(send, -1)
  if (fault != kShort || message->msg_iovlen == 0) return real(socket, message, flags);
  iovec part = message->msg_iov[0];
  part.iov_len = part_of(part.iov_len);
  msghdr less = *message;
  less.msg_iov = &part;
  less.msg_iovlen = 1;
  return real(socket, &less, flags);
}
ssize_t recvmsg(int socket, msghdr* message, int flags) {
  XCUDA_REAL(recvmsg);
  XCUDA_FAIL(receive, -1)
  if (fault != kShort || message->msg_iovlen == 0) return real(socket, message, flags);
  iovec part = message->msg_iov[0];
  part.iov_len = part_of(part.iov_len);
  auto* const parts = std::exchange(message->msg_iov, &part);
  const auto count = std::exchange(message->msg_iovlen, 1);
  const auto got = real(socket, message, flags);
  message->msg_iov = parts;
  message->msg_iovlen = count;
  return got;
}
int poll(pollfd* items, nfds_t count, int timeout) {
  XCUDA_REAL(poll);
  XCUDA_FAIL(poll, -1)
  return real(items, count, timeout);
}

void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  XCUDA_REAL(mmap);
  XCUDA_FAIL(map, MAP_FAILED)
  return real(at, size, protection, flags, fd, offset);
}
int mprotect(void* at, size_t size, int protection) {
  XCUDA_REAL(mprotect);
  XCUDA_FAIL(protect, -1)
  return real(at, size, protection);
}
int memfd_create(const char* name, unsigned flags) {
  XCUDA_REAL(memfd_create);
  XCUDA_FAIL(memory_file, -1)
  return real(name, flags);
}
int fallocate(int fd, int mode, off_t offset, off_t size) {
  XCUDA_REAL(fallocate);
  XCUDA_FAIL(set_size, -1)
  return real(fd, mode, offset, size);
}
int ftruncate(int fd, off_t size) {
  XCUDA_REAL(ftruncate);
  XCUDA_FAIL(set_size, -1)
  if (plan != nullptr && is_file(fd) && is_last_change()) end();
  return real(fd, size);
}

int socketpair(int domain, int type, int protocol, int* ends) {
  XCUDA_REAL(socketpair);
  XCUDA_FAIL(socket_pair, -1)
  return real(domain, type, protocol, ends);
}
int pipe2(int* ends, int flags) {
  XCUDA_REAL(pipe2);
  XCUDA_FAIL(pipe, -1)
  return real(ends, flags);
}
int eventfd(unsigned start, int flags) {
  XCUDA_REAL(eventfd);
  XCUDA_FAIL(event, -1)
  return real(start, flags);
}
int signalfd(int fd, const sigset_t* signals, int flags) noexcept {
  XCUDA_REAL(signalfd);
  XCUDA_FAIL(event, -1)
  return real(fd, signals, flags);
}
int fcntl(int fd, int command, ...) {
  static auto* const real = next<int(int, int, void*)>("fcntl");
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
    XCUDA_FAIL(duplicate, -1)
  }
  return real(fd, command, argument);
}
int dup(int fd) {
  XCUDA_REAL(dup);
  XCUDA_FAIL(duplicate, -1)
  return real(fd);
}
long syscall(long number, ...) noexcept {
  static auto* const real = next<long(long, long, long, long, long, long, long)>("syscall");
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (auto& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_pidfd_open) {
    XCUDA_FAIL(watch_process, -1)
  }
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

// These return their error.
int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* files,
                const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]) {
  XCUDA_REAL(posix_spawn);
  if (const int fault = fault_of(Call::start_process); fault > 0) return fault;
  return real(pid, path, files, attributes, argv, envp);
}
pid_t fork() noexcept {
  XCUDA_REAL(fork);
  XCUDA_FAIL(start_process, -1)
  return real();
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* data) noexcept {
  XCUDA_REAL(pthread_create);
  if (const int fault = fault_of(Call::start_thread); fault > 0) return fault;
  return real(thread, attributes, work, data);
}
pid_t waitpid(pid_t pid, int* status, int options) {
  XCUDA_REAL(waitpid);
  XCUDA_FAIL(wait_process, -1)
  return real(pid, status, options);
}
int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  XCUDA_REAL(waitid);
  XCUDA_FAIL(wait_process, -1)
  return real(type, id, info, options);
}

int fstat(int fd, struct stat* about) noexcept {
  XCUDA_REAL(fstat);
  XCUDA_FAIL(status, -1)
  return real(fd, about);
}
int stat(const char* path, struct stat* about) noexcept {
  static auto* const real = next<int(const char*, struct stat*)>("stat");
  XCUDA_FAIL(status, -1)
  return real(path, about);
}
int mkdir(const char* path, mode_t mode) noexcept {
  XCUDA_REAL(mkdir);
  XCUDA_FAIL(folder, -1)
  return real(path, mode);
}
char* mkdtemp(char* pattern) noexcept {
  XCUDA_REAL(mkdtemp);
  XCUDA_FAIL(folder, nullptr)
  return real(pattern);
}
DIR* opendir(const char* path) {
  XCUDA_REAL(opendir);
  XCUDA_FAIL(list, nullptr)
  return real(path);
}
DIR* fdopendir(int fd) {
  XCUDA_REAL(fdopendir);
  XCUDA_FAIL(list, nullptr)
  return real(fd);
}
int fsync(int fd) {
  XCUDA_REAL(fsync);
  XCUDA_FAIL(sync, -1)
  if (is_last_change()) end();
  return real(fd);
}
// The descriptor is gone whatever close() says.
int close(int fd) {
  XCUDA_REAL(close);
  const int fault = fault_of(Call::close);
  const int result = real(fd);
  if (fault <= 0) return result;
  errno = fault;
  return -1;
}
int rename(const char* from, const char* to) noexcept {
  XCUDA_REAL(rename);
  XCUDA_FAIL(rename, -1)
  if (is_last_change()) {
    real(from, to);
    end();
  }
  return real(from, to);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  XCUDA_REAL(renameat);
  XCUDA_FAIL(rename, -1)
  if (is_last_change()) {
    real(from_folder, from, to_folder, to);
    end();
  }
  return real(from_folder, from, to_folder, to);
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  XCUDA_REAL(unlinkat);
  if (is_last_change()) {
    real(folder, path, flags);
    end();
  }
  return real(folder, path, flags);
}
int unlink(const char* path) noexcept {
  XCUDA_REAL(unlink);
  if (is_last_change()) {
    real(path);
    end();
  }
  return real(path);
}
int flock(int fd, int operation) noexcept {
  XCUDA_REAL(flock);
  XCUDA_FAIL(lock, -1)
  return real(fd, operation);
}

}  // extern "C"
