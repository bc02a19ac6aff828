#include "python/python_client.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"

namespace xcuda::python {
namespace {

namespace fs = std::filesystem;

// Code that does not look for signals, such as a large matrix product, may take so long to come by one.
constexpr std::chrono::seconds kGrace{10};

// This copy of the package and no other that is installed; for the cells' own imports the working folder comes first,
// as in a notebook of Python, and this copy last.
constexpr const char* kStart =
    "import sys; sys.path.insert(0, sys.argv[1]); from xeus_cuda.worker.__main__ import main; "
    "sys.path.append(sys.path.pop(0)); main()";

std::string runnable(const fs::path& path) {
  std::error_code failed;
  return !path.empty() && fs::is_regular_file(path, failed) && access(path.c_str(), X_OK) == 0 ? path.string() : "";
}

std::string below(const char* prefix) {
  return prefix != nullptr && *prefix != '\0' ? runnable(fs::path(prefix) / "bin" / "python3") : "";
}

std::string on_path() {
  std::string_view path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  while (!path.empty()) {
    const auto end = std::min(path.find(':'), path.size());
    if (auto found = runnable(fs::path(path.substr(0, end)) / "python3"); !found.empty()) return found;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

std::string interpreter() {
  if (const char* own = std::getenv("XCUDA_PYTHON"); own != nullptr && *own != '\0') return own;
  for (const char* prefix : {std::getenv("VIRTUAL_ENV"), std::getenv("CONDA_PREFIX")})
    if (auto found = below(prefix); !found.empty()) return found;
  if (auto found = below(install_prefix().c_str()); !found.empty()) return found;
  return on_path();
}

}  // namespace

Installation find_python() {
  const auto package = find_shared_file("xcuda/python");
  return {interpreter(), package ? package->string() : std::string()};
}

void Client::start(const Request& request) {
  if (worker_) {
    // Only an answer shows that it lives. The cell itself may not be asked twice.
    const auto answer = worker_->call({.head = {{"verb", "alive"}}, .body = {}, .files = {}}, limits_of(request));
    if (std::holds_alternative<Message>(answer)) return;
    if (const auto& loss = std::get<WorkerLost>(answer); !loss.by_itself()) lost(loss);
    worker_.reset();
    request.on_output(
        OutputStream::err,
        "[Python's process had ended: this is a new one, and the variables of earlier %%python cells are gone.]\n");
  }
  handed_over_.clear();
  if (installation_.interpreter.empty())
    throw Error(ErrorKind::io, "cannot run a cell of Python: found no python3")
        .said("looked in XCUDA_PYTHON, VIRTUAL_ENV, CONDA_PREFIX, the prefix of xcuda and PATH")
        .advise("Install Python 3.9 or newer, or set XCUDA_PYTHON to its path and restart the kernel.");
  if (installation_.package.empty())
    throw Error(ErrorKind::io, "cannot run a cell of Python: share/xcuda/python is not installed")
        .advise("Check the installation: xcuda --doctor.");
  WorkerOptions options;
  options.program = installation_.interpreter;
  options.arguments = {"-c", kStart, installation_.package};
  options.on_output = [this](OutputStream which, std::string_view text) {
    if (current_ != nullptr) current_->on_output(which, text);
  };
  worker_.emplace(std::move(options));
}

WaitLimits Client::limits_of(const Request& request) const {
  auto limits = request.limits;
  limits.grace = kGrace;
  limits.ask_to_stop = [pid = worker_->pid()] { ::kill(pid, SIGINT); };
  return limits;
}

nlohmann::json Client::call(const Request& request) {
  current_ = &request;
  const struct Reset {
    const Request*& current;
    ~Reset() { current = nullptr; }
  } reset{current_};
  start(request);
  const auto limits = limits_of(request);
  auto message = request.make();
  for (;;) {
    auto answer = worker_->call(std::move(message), limits);
    if (const auto* loss = std::get_if<WorkerLost>(&answer)) lost(*loss);
    auto& reply = std::get<Message>(answer);
    if (reply.head.contains("done")) return std::move(reply.head);
    message = request.answer(reply);
  }
}

void Client::lost(const WorkerLost& loss) {
  worker_.reset();
  using Reason = WorkerLost::Reason;
  constexpr const char* kKept = "The arrays of the session are all there; the variables of %%python cells are gone.";
  if (loss.reason == Reason::interrupted)
    throw Error(ErrorKind::interrupted, "Python did not stop at the interrupt, so its process was ended").note(kKept);
  auto said = describe(loss);
  if (const auto words = trim(loss.last_words); !words.empty() && !loss.greeted)
    said += fmt::format("; its last output: {}", words);
  throw Error(ErrorKind::io, loss.greeted ? "Python's process ended in this cell" : "Python cannot be started")
      .said(std::move(said))
      .note(kKept);
}

std::set<Client::PieceKey>& Client::handed_over(std::uint64_t epoch) {
  if (epoch_ != epoch) handed_over_.clear();
  epoch_ = epoch;
  return handed_over_;
}

}  // namespace xcuda::python
