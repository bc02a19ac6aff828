#include "compiler/compiler_client.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_stamp.hpp"
#include "compiler/cache.hpp"
#include "compiler/compiler_codec.hpp"
#include "compiler/diagnostics.hpp"

namespace xcuda::compiler {
struct CompilerClient::State {
  ClientOptions options;
  std::string surroundings;  // for keys; made when first wanted
  MemoryCache memory;
  OutputCache disk;
  CacheCounts counts;
  std::unordered_set<std::string> whole_wanted;  // keys of units that did not compile without all includes
  std::optional<Worker> worker;

  explicit State(ClientOptions given)
      : options(std::move(given)),
        memory(options.cache_folder.empty() ? MemoryCache::kAlone : MemoryCache::kBeforeDisk),
        disk(options.cache_folder) {}

  // Starts the process, so that the next compile finds it warm; that compile reports errors.
  void spawn_if_possible() {
    if (!options.search.toolkit || access(options.program.c_str(), X_OK) != 0) return;
    try {
      spawn();
    } catch (const Error&) {
      worker.reset();  // no process or descriptor can be had now
    }
  }

  const Toolkit& toolkit() const {
    if (options.search.toolkit) return *options.search.toolkit;
    throw Error(ErrorKind::compile,
                "found no CUDA toolkit with NVRTC on this machine, so device code cannot be compiled")
        .said(fmt::format("tried {} places", options.search.tried.size()))
        .advise(fmt::format("To fix this, {}. `xcuda --doctor` lists the places.", kToolkitAdvice));
  }

  void spawn() {
    if (worker && worker->alive()) return;
    worker.emplace(WorkerOptions{.program = options.program, .arguments = {}, .environment = {}, .on_output = {}});
    Message open;
    open.head = {{"verb", "open"},
                 {"toolkit", to_json(toolkit())},
                 {"own_includes", options.own_includes},
                 {"cache_folder", options.cache_folder}};
    open.head["session_folder"] = options.session_folder;
    worker->post(std::move(open));
  }

  const std::string& keys_surroundings() {
    if (surroundings.empty())
      surroundings = fmt::format("{}|{}|{}", toolkit().fingerprint, file_stamp(options.program),
                                 folder_fingerprint(options.own_includes));
    return surroundings;
  }

  CompileOutput compile_anew(const CompileRequest& request, const std::string& key, const WaitLimits& limits);
  std::variant<Message, WorkerLost> ask(const CompileRequest& request, const std::string& key,
                                        const WaitLimits& limits);
  [[noreturn]] void lost(const WorkerLost& loss, const CompileRequest& request);
};

std::variant<Message, WorkerLost> CompilerClient::State::ask(const CompileRequest& request, const std::string& key,
                                                             const WaitLimits& limits) {
  spawn();
  auto message = encode(request);
  message.head["verb"] = "compile";
  message.head["pch_folder"] = options.session_folder;
  if (request.cacheable && !options.cache_folder.empty()) message.head["key"] = key;
  auto with_stop = limits;
  with_stop.ask_to_stop = [this] { worker->post({.head = {{"verb", "stop"}}, .body = {}, .files = {}}); };
  return worker->call(std::move(message), with_stop);
}

CompileOutput CompilerClient::State::compile_anew(const CompileRequest& request, const std::string& key,
                                                  const WaitLimits& limits) {
  auto answer = ask(request, key, limits);
  // Another program may have ended the process. When the next one ends, too, the source is the cause.
  if (const auto* loss = std::get_if<WorkerLost>(&answer); loss != nullptr && loss->by_itself()) {
    worker.reset();
    answer = ask(request, key, limits);
  }
  if (const auto* loss = std::get_if<WorkerLost>(&answer)) lost(*loss, request);
  const auto& reply = std::get<Message>(answer);
  if (const auto error = reply.head.find("error"); error != reply.head.end()) throw error_from(*error);
  return decode_output(reply.head, reply.body);
}

void CompilerClient::State::lost(const WorkerLost& loss, const CompileRequest& request) {
  worker.reset();
  spawn_if_possible();
  const auto name = shown_source(request.name);
  using Reason = WorkerLost::Reason;
  if (loss.reason == Reason::interrupted)
    throw Error(ErrorKind::interrupted, fmt::format("the compile of {} was interrupted", name));
  if (loss.reason == Reason::time_limit)
    throw Error(ErrorKind::interrupted, fmt::format("the compile of {} took longer than its time limit", name));
  auto said = fmt::format("twice: {}", describe(loss));
  if (!loss.last_words.empty()) said += fmt::format("; its last output: {}", loss.last_words);
  if (!loss.greeted)
    throw Error(ErrorKind::compile,
                fmt::format("cannot compile {}: cannot start the program {}", name, options.program))
        .said(std::move(said))
        .advise("Run xcuda --doctor to check the installation.");
  throw Error(ErrorKind::compile, fmt::format("the compiler, NVRTC, crashed on {}", name))
      .said(std::move(said))
      .advise(
          "The session is intact and the cell changed nothing. Try a smaller cell: deep templates are the "
          "usual cause.");
}

CompilerClient::CompilerClient(ClientOptions options) : state_(std::make_unique<State>(std::move(options))) {}
CompilerClient::~CompilerClient() = default;
CompilerClient::CompilerClient(CompilerClient&&) noexcept = default;
CompilerClient& CompilerClient::operator=(CompilerClient&&) noexcept = default;

void CompilerClient::start() { state_->spawn_if_possible(); }

CompileOutput CompilerClient::compile(const CompileRequest& request, const WaitLimits& limits) {
  if (request.whole_source.empty()) return compile_as_it_is(request, limits);
  auto whole = request;
  whole.source = std::exchange(whole.whole_source, {});
  std::erase(whole.options, "--minimal");
  const auto key = cache_key(request, state_->keys_surroundings());
  if (!state_->whole_wanted.contains(key)) {
    const auto start = Clock::now();
    auto output = compile_as_it_is(request, limits);
    if (output.ok) return output;
    // It may be for want of a header, or it may not: the unit with all of them tells, and what it says counts.
    output = compile_as_it_is(whole, limits);
    if (output.ok) state_->whole_wanted.insert(key);
    output.phases.total = since(start);
    return output;
  }
  return compile_as_it_is(whole, limits);
}

CompileOutput CompilerClient::compile_as_it_is(const CompileRequest& request, const WaitLimits& limits) {
  auto& state = *state_;
  const auto start = Clock::now();
  const auto key = cache_key(request, state.keys_surroundings());
  const auto finish = [&](CompileOutput output, CacheResult cache) {
    output.cache = cache;
    output.phases.total = since(start);
    return output;
  };
  if (request.cacheable) {
    if (const auto* found = state.memory.find(key))
      if (auto output = renamed(*found, request.name)) {
        ++state.counts.memory_hits;
        return finish(std::move(*output), CacheResult::memory);
      }
    if (auto found = state.disk.find(key); found && can_answer(*found, request))
      if (auto output = renamed(std::move(*found), request.name)) {
        state.memory.store(key, *output);
        ++state.counts.disk_hits;
        return finish(std::move(*output), CacheResult::disk);
      }
  }
  ++state.counts.misses;
  auto output = state.compile_anew(request, key, limits);
  if (output.ok && request.cacheable) state.memory.store(key, output);
  return finish(std::move(output), CacheResult::miss);
}

int CompilerClient::process() const { return state_->worker ? static_cast<int>(state_->worker->pid()) : 0; }
const ToolkitSearch& CompilerClient::search() const { return state_->options.search; }
CacheCounts CompilerClient::cache_counts() const { return state_->counts; }
void CompilerClient::forget() {
  state_->memory.clear();
  state_->whole_wanted.clear();
}

}  // namespace xcuda::compiler
