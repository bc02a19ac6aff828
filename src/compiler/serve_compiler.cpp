#include "compiler/serve_compiler.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/paths.hpp"
#include "base/sandbox.hpp"
#include "base/sanitizers.hpp"
#include "compiler/cache.hpp"
#include "compiler/compiler.hpp"
#include "compiler/compiler_codec.hpp"

namespace xcuda::compiler {
namespace {

using Clock = std::chrono::steady_clock;

bool readable(int fd) {
  pollfd item{fd, POLLIN, 0};
  return poll(&item, 1, 0) > 0;
}

// Templates can ask for all memory there is. Half of the machine's, and the compiler fails instead of its neighbours.
void bound_memory() {
  if constexpr (kAddressSanitizer) return;  // its shadow, terabytes of addresses, counts too
  const auto bytes = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) / 2;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= bytes)) return;
  limit.rlim_cur = limit.rlim_max = bytes;  // %config memory may only lower it
  setrlimit(RLIMIT_DATA, &limit);
}

class Server {
 public:
  explicit Server(Channel& channel) : channel_(channel) { bound_memory(); }

  void run() {
    while (auto message = channel_.receive()) {
      const auto verb = message->head.value("verb", "");
      if (verb == "open") open(*message);
      if (verb == "compile") channel_.send(answer(*message));
      // What the session asked for has been sent; now there is time to keep it.
      if (pending_) cache_.store(pending_->first, pending_->second);
      pending_.reset();
    }
  }

 private:
  void open(const Message& message) {
    try {
      const std::filesystem::path cache = message.head.at("cache_folder").get<std::string>();
      const std::filesystem::path session = message.head.value("session_folder", "");
      const auto toolkit = toolkit_from(message.head.at("toolkit"));
      std::vector<std::filesystem::path> writable{cache, session, session.parent_path()};
      if (toolkit.includes.empty()) writable.push_back(cache_folder(kHeadersOfNvrtc));
      enter_sandbox({Sandbox::closed, writable});
      if (!session.empty()) setenv("TMPDIR", session.c_str(), 1);  // where NVRTC writes before it precompiles
      cache_ = OutputCache(cache);
      compiler_.emplace(toolkit, message.head.at("own_includes").get<std::string>());
      if (!readable(channel_.fd())) compiler_->warm_up();
      // Precompiled headers of sessions that were killed: 175 MB each.
      if (!session.empty()) remove_abandoned_folders(session.parent_path());
    } catch (const Error& error) {
      refusal_ = error;  // told with the first compile
    }
  }

  Message answer(const Message& message) {
    try {
      if (!compiler_) throw refusal_.value_or(Error(ErrorKind::internal, "the compiler process was not opened"));
      const auto request = decode_request(message);
      auto asked = Clock::now();
      const auto output = compiler_->compile(request, [&] {
        // Whatever comes while a compile runs is "stop", or the session's end. Asked at most every 2 ms.
        const auto now = Clock::now();
        if (now - asked < std::chrono::milliseconds(2)) return false;
        asked = now;
        return readable(channel_.fd());
      });
      auto reply = encode(output);
      if (const auto key = message.head.value("key", ""); output.ok && !key.empty()) pending_.emplace(key, output);
      return reply;
    } catch (const Error& error) {
      return failure(error);
    } catch (const std::exception& error) {
      return failure(Error(ErrorKind::internal, "unexpected error in the compiler process").said(error.what()));
    }
  }

  static Message failure(const Error& error) {
    Message reply;
    reply.head["error"] = compiler::to_json(error);
    return reply;
  }

  Channel& channel_;
  std::optional<Compiler> compiler_;
  std::optional<Error> refusal_;
  OutputCache cache_{""};
  std::optional<std::pair<std::string, CompileOutput>> pending_;
};

}  // namespace

void serve(Channel& channel) { Server(channel).run(); }

}  // namespace xcuda::compiler
