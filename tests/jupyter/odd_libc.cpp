// In front of libc (LD_PRELOAD), what some machines are like:
//   XCUDA_ODD_LOCKS   file systems without locks, as some network file systems are mounted: ENOLCK
//   XCUDA_ODD_CLOCK   a file with a number of seconds that the time of day is ahead, read whenever it is asked for
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <ctime>

namespace {

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

time_t ahead() {
  static const char* const path = std::getenv("XCUDA_ODD_CLOCK");
  if (path == nullptr) return 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32] = {};
  const auto got = read(file, text, sizeof text - 1);
  close(file);
  return got > 0 ? std::atoll(text) : 0;
}

}  // namespace

extern "C" {

int flock(int fd, int operation) noexcept {
  static auto* const real = next<decltype(flock)>("flock");
  if (std::getenv("XCUDA_ODD_LOCKS") == nullptr) return real(fd, operation);
  errno = ENOLCK;
  return -1;
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const real = next<decltype(clock_gettime)>("clock_gettime");
  const int result = real(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += ahead();
  return result;
}

time_t time(time_t* to) noexcept {
  static auto* const real = next<decltype(time)>("time");
  const auto now = real(nullptr) + ahead();
  if (to != nullptr) *to = now;
  return now;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  const int result = real(now, zone);
  now->tv_sec += ahead();
  return result;
}

}  // extern "C"
