#include "files/files_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/shared_memory.hpp"
#include "compiler/compiler_codec.hpp"
#include "files/facts_message.hpp"

namespace xcuda::files {
namespace {

// Two halves: one is filled while the other is read. Small enough to stay in the cache.
constexpr std::size_t kBuffer = std::size_t{4} << 20;  // bytes

}  // namespace

struct Client::State {
  std::string program;
  std::optional<Worker> worker;
  SharedMapping buffer;
  std::uint64_t opened = 0;              // number of the file that is open
  std::span<const std::byte> available;  // elements in the buffer that nobody has taken yet

  explicit State(std::string path) : program(std::move(path)) {}

  enum class Process : std::uint8_t { fresh, old };
  Process spawn(const std::string& name) {
    if (worker && worker->alive()) return Process::old;
    worker.reset();
    if (program.empty())
      throw Error(ErrorKind::io, fmt::format("cannot read {}: the program xcuda-files is not installed", name))
          .advise("Check the installation: keep the programs of xeus-cuda in one folder.");
    auto file = make_memory_file("xcuda-files", kBuffer, Reserve::as_used);
    buffer = SharedMapping(file, kBuffer);
    worker.emplace(WorkerOptions{.program = program, .arguments = {}, .environment = {}, .on_output = {}});
    Message message;
    message.head = {{"verb", "buffer"}, {"bytes", kBuffer}};
    message.files.push_back(std::move(file));
    worker->post(std::move(message));
    return Process::fresh;
  }

  // The first request for a file. That a process has died while nothing was asked of it may be noticed only now; it
  // costs nothing, and the next one is asked.
  Message begin(const std::string& name, const std::function<Message()>& request, const WaitLimits& limits) {
    const auto process = spawn(name);
    auto answer = worker->call(request(), limits);
    const auto* loss = std::get_if<WorkerLost>(&answer);
    if (process == Process::old && loss != nullptr && loss->reason == WorkerLost::Reason::died) {
      spawn(name);
      answer = worker->call(request(), limits);
    }
    return taken(std::move(answer), name);
  }

  // name: as messages show it.
  Message taken(std::variant<Message, WorkerLost> answer, const std::string& name) {
    if (const auto* loss = std::get_if<WorkerLost>(&answer)) lost(*loss, name);
    auto& reply = std::get<Message>(answer);
    if (const auto error = reply.head.find("error"); error != reply.head.end()) throw compiler::error_from(*error);
    return std::move(reply);
  }

  [[noreturn]] void lost(const WorkerLost& loss, const std::string& name) {
    worker.reset();
    opened = 0;
    using Reason = WorkerLost::Reason;
    if (loss.reason == Reason::interrupted)
      throw Error(ErrorKind::interrupted, fmt::format("reading {} was interrupted", name));
    if (loss.reason == Reason::time_limit)
      throw Error(ErrorKind::interrupted, fmt::format("reading {} took longer than its time limit", name));
    auto said = describe(loss);
    if (!loss.last_words.empty()) said += fmt::format("; its last output: {}", loss.last_words);
    throw Error(ErrorKind::io, fmt::format("the process that reads files crashed on {}", name))
        .said(std::move(said))
        .advise("The session is intact. The file is damaged or changed while it was read.");
  }
};

Client::Client(std::string program) : state_(std::make_unique<State>(std::move(program))) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

OpenArray Client::open(const std::string& path, ArrayRequest wanted, const WaitLimits& limits) {
  auto& state = *state_;
  wanted.kind = file_kind(path);
  auto file = std::make_optional<InputFile>(path);  // what is wrong with it is said without a process
  const auto name = shown_path(path);
  static std::uint64_t count = 0;
  state.opened = 0;
  state.available = {};
  const auto request = [&] {
    Message message;
    message.head = {{"verb", "open"}, {"kind", static_cast<int>(wanted.kind)}, {"name", path}};
    if (!wanted.member.empty()) message.head["member"] = wanted.member;
    if (wanted.scalar) message.head["scalar"] = static_cast<int>(*wanted.scalar);
    if (wanted.extents) message.head["extents"] = *wanted.extents;
    if (!file) file.emplace(path);  // for another process
    message.files.push_back(std::move(*file).release());
    file.reset();
    return message;
  };
  const auto reply = state.begin(name, request, limits);
  OpenArray result{path, facts_from(reply.head), ++count};
  state.opened = result.number;
  return result;
}

void Client::read(const OpenArray& file, std::span<std::byte> elements, const WaitLimits& limits) {
  auto& state = *state_;
  while (!elements.empty()) {
    if (state.available.empty()) {
      if (state.opened != file.number)
        throw Error(ErrorKind::internal, fmt::format("{} is no longer open", shown_path(file.path)));
      const auto name = shown_path(file.path);
      const auto reply =
          state.taken(state.worker->call({.head = {{"verb", "read"}}, .body = {}, .files = {}}, limits), name);
      const auto integer = [&](const char* field) {  // too large where it is not one
        const auto& value = reply.head.at(field);
        return value.is_number_integer() ? value.get<std::size_t>() : std::numeric_limits<std::size_t>::max();
      };
      const auto half = integer("half"), bytes = integer("bytes");
      const auto room = state.buffer.size() / 2;
      if (half > 1 || bytes == 0 || bytes > room)
        throw Error(ErrorKind::internal,
                    fmt::format("{} returned fewer elements than it holds", shown_path(file.path)));
      state.available = state.buffer.bytes().subspan(half * room, bytes);
    }
    const auto count = std::min(elements.size(), state.available.size());
    std::memcpy(elements.data(), state.available.data(), count);
    elements = elements.subspan(count);
    state.available = state.available.subspan(count);
  }
}

compiler::CompileOutput Client::module(const ModuleFile& file, const WaitLimits& limits) {
  auto& state = *state_;
  const auto name = shown_path(file.source);
  const auto request = [&] {
    Message message;
    message.head = {{"verb", "module"},
                    {"name", file.name},
                    {"source", file.source},
                    {"architecture", file.architecture},
                    {"kind", static_cast<int>(file.kind)}};
    const auto bytes = std::as_bytes(std::span(file.bytes));
    message.body.assign(bytes.begin(), bytes.end());
    return message;
  };
  const auto reply = state.begin(name, request, limits);
  return compiler::decode_output(reply.head, reply.body);
}

int Client::process() const { return state_->worker ? static_cast<int>(state_->worker->pid()) : 0; }

}  // namespace xcuda::files
