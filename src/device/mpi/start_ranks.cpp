#include "device/mpi/start_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/spawn.hpp"
#include "base/text.hpp"

namespace xcuda::device::mpi {
namespace {

File listen_at(const std::string& path) {
  File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (!socket || path.size() >= sizeof address.sun_path ||
      bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.get(), 1) != 0)
    throw Error(ErrorKind::io, fmt::format("cannot listen for rank 0 at {}", path)).said(errno_text(errno));
  return socket;
}

// Of the job that the session itself is part of: a launcher would take them for its own.
bool is_of_outer_job(std::string_view variable) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"PMIX_",          "PMI_",          "OMPI_COMM_WORLD_",
                                                         "OMPI_UNIVERSE_", "OMPI_MCA_ess_", "OMPI_MCA_orte_"};
  for (const auto prefix : kPrefixes)
    if (variable.starts_with(prefix)) return true;
  return false;
}

pid_t launch(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::vector<std::string> outer;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (const std::string_view text(*entry); is_of_outer_job(text)) outer.emplace_back(text.substr(0, text.find('=')));
  for (const auto& name : outer) unsetenv(name.c_str());
  const auto parent = getpid();
  const auto process = fork();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // it may wait for a host that is gone
  if (getppid() != parent) _exit(1);
  execvp(words[0], words.data());
  fmt::print(stderr, "cannot run {}: {}\n", command.front(), errno_text(errno));
  _exit(127);
}

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

int start(Channel channel, const std::string& command, const std::string& program) {
  const TemporaryFolder folder("mpi");
  const auto path = (folder.path() / "session").string();
  const auto socket = listen_at(path);
  const std::vector<std::string> words = {"/bin/sh", "-c", fmt::format("exec {} \"$@\"", command), "sh", program,
                                          "rank",    path};
  fcntl(channel.fd(), F_SETFD, FD_CLOEXEC);
  const auto process = launch(words);
  if (process < 0) throw Error(ErrorKind::io, "cannot start the launcher").said(errno_text(errno));
  const auto end = process_descriptor(process);
  std::array<pollfd, 2> items{pollfd{socket.get(), POLLIN, 0}, pollfd{end.get(), POLLIN, 0}};
  while (poll(items.data(), items.size(), -1) < 0 && errno == EINTR) {}
  if (items[0].revents != 0) {
    Channel rank(File(accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    Message message;
    message.files.emplace_back(fcntl(channel.fd(), F_DUPFD_CLOEXEC, 0));
    rank.send(message);
  }
  // From now on the channel is that of rank 0: the session sees its end.
  { const Channel given = std::move(channel); }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  return status_of(status);
}

}  // namespace

int start_ranks(Channel channel, const std::string& command, const std::string& program) {
  try {
    return start(std::move(channel), command, program);
  } catch (const Error& error) {
    fmt::print(stderr, "{}: {}\n", error.message, error.library);
    return 1;
  }
}

}  // namespace xcuda::device::mpi
