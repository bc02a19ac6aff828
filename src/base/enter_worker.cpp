#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/process_limits.hpp"
#include "base/spawn.hpp"
#include "base/worker.hpp"
#include "base/worker_protocol.hpp"

namespace xcuda {
namespace {

[[noreturn]] void refuse(std::string_view program, std::string_view why) {
  fmt::print(stderr, "{}: {}\nxcuda starts {}; it does nothing by itself.\n", program, why, program);
  std::exit(2);
}

// The numbers that the session put into the environment: its process id and the version of the protocol.
struct Origin {
  int session = 0, version = 0;
};
std::optional<Origin> read_origin(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view all(text);
  const auto* const end = all.data() + all.size();
  Origin origin;
  const auto first = std::from_chars(all.data(), end, origin.session);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ':') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, origin.version);
  if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
  return origin;
}

}  // namespace

Channel enter_worker(int argc, char** argv, std::string_view program) {
  (void)argc;
  (void)argv;
  const auto origin = read_origin(std::getenv(kWorkerVariable));
  if (!origin) refuse(program, "not started by a session");
  unsetenv(kWorkerVariable);  // a process that this one starts is not a worker
  if (origin->version != kWorkerProtocol)
    refuse(
        program,
        fmt::format(
            "the session uses version {} of the protocol, this program version {}; install both from the same release",
            origin->version, kWorkerProtocol));
  prepare_limits();
  // First the signal, then the question: a session that ends in between is seen either way.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != origin->session) std::_Exit(0);
  if (fcntl(kWorkerSocket, F_SETFD, FD_CLOEXEC) != 0) refuse(program, "its socket is missing");
  setvbuf(stdout, nullptr, _IONBF, 0);
  setvbuf(stderr, nullptr, _IONBF, 0);

  Channel channel{File(kWorkerSocket)};
  channel.queue({.head = {{"hello", program}, {"protocol", kWorkerProtocol}}, .body = {}, .files = {}});
  channel.flush();  // a session that is gone is noticed by the first receive()
  return channel;
}

}  // namespace xcuda
