#include "device/remote/supervised_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/text.hpp"
#include "device/remote/replay.hpp"

namespace xcuda::device::remote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAttempts = 3;                          // to start a process before the device is given up
constexpr std::chrono::milliseconds kLeaveTime{500};  // for a process that is replaced although nothing is wrong

}  // namespace

// --- Verbs that the journal keeps -----------------------------------------------------------------------------------

void SupervisedDevice::learn_window() {
  if (!journal_.window) info();
}

DeviceInfo SupervisedDevice::info() {
  auto info = RemoteDevice::info();
  if (!journal_.window) journal_.window = info.window;
  kind_ = info.kind;
  return info;
}

File SupervisedDevice::create_memory(const MemoryRequest& request) {
  learn_window();
  auto file = RemoteDevice::create_memory(request);
  auto copy = duplicate(file);
  remember(request, std::move(file));
  return copy;
}

void SupervisedDevice::import_memory(const MemoryRequest& request, const File& descriptor) {
  learn_window();
  RemoteDevice::import_memory(request, descriptor);
  remember(request, duplicate(descriptor));
}

void SupervisedDevice::mirror_memory(const MemoryRequest& request, const File& descriptor) {
  learn_window();
  RemoteDevice::mirror_memory(request, descriptor);
  journal_.memory[request.id] = {request, duplicate(descriptor), Journal::Memory::Kind::mirror};
}

void SupervisedDevice::destroy_memory(MemoryId id) {
  RemoteDevice::destroy_memory(id);
  const auto memory = journal_.memory.find(id);
  if (memory == journal_.memory.end()) return;
  visible_.remove(memory->second.request.address);
  journal_.memory.erase(memory);
}

std::span<const std::byte> SupervisedDevice::visible(Address from, std::uint64_t bytes) {
  return visible_.part(from, bytes);
}

// A GPU's descriptors cannot be mapped here.
void SupervisedDevice::remember(const MemoryRequest& request, File descriptor) {
  const auto& memory = journal_.memory[request.id] = {request, std::move(descriptor)};
  if (kind_ != Kind::cuda) visible_.add(request, memory.descriptor);
}

void SupervisedDevice::post_name_range(const ArrayRange& range) {
  // What was written meanwhile is known to the process alone.
  (journal_.ranges[range.address] = range).unwritten = false;
  RemoteDevice::post_name_range(range);
}

void SupervisedDevice::post_forget_range(Address address) {
  journal_.ranges.erase(address);
  RemoteDevice::post_forget_range(address);
}

ModuleInfo SupervisedDevice::load_module(const ModuleImage& image) {
  auto info = RemoteDevice::load_module(image);
  journal_.modules.push_back(image);
  if (!info.variables.empty()) journal_.with_variables.insert(image.id);
  return info;
}

void SupervisedDevice::unload_module(ModuleId id) {
  RemoteDevice::unload_module(id);
  std::erase_if(journal_.modules, [&](const ModuleImage& image) { return image.id == id; });
  journal_.with_variables.erase(id);
  journal_.placed.erase(id);
}

std::vector<std::byte> SupervisedDevice::place_variables(ModuleId module, const std::vector<VariableInfo>& variables) {
  auto initial = RemoteDevice::place_variables(module, variables);
  journal_.placed[module] = variables;
  return initial;
}

// Code of a host module is the user's own, like a program of a cell. A process cannot leave its sandbox: the next one
// never enters it.
void SupervisedDevice::leave_sandbox() {
  if (!std::exchange(in_sandbox_, false)) return;
  options_.worker.environment.emplace_back("XCUDA_SANDBOX", "off");
  keep_recovery(restart());
}

HostModuleInfo SupervisedDevice::load_host_module(const HostModuleImage& image) {
  leave_sandbox();
  auto info = RemoteDevice::load_host_module(image);
  journal_.host_modules.push_back(image);
  return info;
}

void SupervisedDevice::unload_host_module(ModuleId id) {
  RemoteDevice::unload_host_module(id);
  std::erase_if(journal_.host_modules, [&](const HostModuleImage& image) { return image.id == id; });
}

bool SupervisedDevice::share_words(const File& words) {
  const bool can = RemoteDevice::share_words(words);
  if (can) journal_.words = duplicate(words);
  return can;
}

void SupervisedDevice::create_stream(StreamId id) {
  RemoteDevice::create_stream(id);
  journal_.streams.insert(id);
}

void SupervisedDevice::destroy_stream(StreamId id) {
  RemoteDevice::destroy_stream(id);
  journal_.streams.erase(id);
}

void SupervisedDevice::create_event(EventId id) {
  RemoteDevice::create_event(id);
  journal_.events.insert(id);
}

void SupervisedDevice::destroy_event(EventId id) {
  RemoteDevice::destroy_event(id);
  journal_.events.erase(id);
}

void SupervisedDevice::create_texture(const TextureRequest& request) {
  RemoteDevice::create_texture(request);
  journal_.textures[request.id] = request;
}

void SupervisedDevice::post_destroy_texture(TextureId id) {
  journal_.textures.erase(id);
  RemoteDevice::post_destroy_texture(id);
}

void SupervisedDevice::set_limit(Limit limit, std::uint64_t bytes) {
  RemoteDevice::set_limit(limit, bytes);
  journal_.limits[limit] = bytes;
}

// --- Recovery -------------------------------------------------------------------------------------------------------

Completion SupervisedDevice::after_loss(Line::Loss loss) {
  // A process that never answered was an attempt itself.
  auto outcome = revive(loss, ever_answered_ ? kAttempts : kAttempts - 1);
  auto& completion = loss.completion;
  if (auto* const recovery = std::get_if<Recovery>(&outcome)) {
    completion.recovery = std::move(*recovery);
  } else {
    ended_ = std::get<Error>(std::move(outcome));
  }
  return std::move(completion);
}

std::unique_ptr<Line> SupervisedDevice::connect_once_more() {
  return connect(journal_.window.value_or(options_.window), journal_.window ? WindowWish::same : WindowWish::any);
}

// A process takes long to end: the kernel gives back its memory, and a driver its context.
void SupervisedDevice::leaving() {
  try {
    successor_ = connect_once_more();
  } catch (const Error&) {  // there may be room once the process has ended
  }
}

// False when no process can be started: there may be no room for one, or no descriptor left.
bool SupervisedDevice::connect_again(std::optional<Error>& refused) {
  try {
    connection_ = successor_ ? std::move(successor_) : connect_once_more();
    return true;
  } catch (const Error& error) {
    refused = error;
    return false;
  }
}

std::variant<Recovery, Error> SupervisedDevice::revive(Line::Loss last, int attempts) {
  const auto begin = Clock::now();
  connection_.reset();
  ended_.reset();
  try_again_ = false;
  std::optional<Error> refused;
  std::map<ModuleId, int> fatal;  // modules whose loading took the process along, and how often
  std::vector<ModuleId> dropped;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (!connect_again(refused)) continue;
    WaitRequest limits;
    limits.deadline = Clock::now() + options_.start_limit;  // no interrupt: the one that led here is still pending
    Recovery recovery;
    Replay replay(*connection_, journal_, limits);
    if (replay.run(recovery)) {
      recovery.modules_lost.insert(recovery.modules_lost.end(), dropped.begin(), dropped.end());
      answered_ = ever_answered_ = true;
      if (!recovery.window_kept) see_again();
      recovery.duration = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
      return recovery;
    }
    if (replay.loss()) last = *replay.loss();
    refused = replay.error();
    if (const auto module = replay.module(); module && ++fatal[*module] == kAttempts - 1) {
      std::erase_if(journal_.modules, [&](const ModuleImage& image) { return image.id == *module; });
      std::erase_if(journal_.host_modules, [&](const HostModuleImage& image) { return image.id == *module; });
      dropped.push_back(*module);
    }
    connection_.reset();
  }
  successor_.reset();
  try_again_ = Clock::now() - begin < options_.start_limit;
  if (refused)
    return std::move(*refused).note(
        fmt::format("while replacing the device's process; {} tries again", try_again_ ? "the next cell" : "%restart"));
  auto error = Error(ErrorKind::device, "cannot start the device's process");
  if (attempts > 1) error.message += fmt::format(": {} attempts failed", kAttempts);
  error.library = last.completion.fault ? last.completion.fault->library : std::string(trim(last.last_words));
  error.advice =
      fmt::format("{} tries again; xcuda --doctor checks the installation.", try_again_ ? "The next cell" : "%restart");
  return error;
}

// What kept a process from starting may be over: a full card, too many processes, whoever ended them.
void SupervisedDevice::rouse() {
  if (connection_) return RemoteDevice::rouse();
  if (!try_again_) return;
  auto outcome = revive({}, 1);
  if (auto* const recovery = std::get_if<Recovery>(&outcome))
    keep_recovery(std::move(*recovery));
  else
    ended_ = std::get<Error>(std::move(outcome));
}

void SupervisedDevice::see_again() {
  visible_.clear();
  if (kind_ == Kind::cuda) return;
  for (const auto& [id, memory] : journal_.memory)
    if (memory.kind == Journal::Memory::Kind::own) visible_.add(memory.request, memory.descriptor);
}

Recovery SupervisedDevice::restart() {
  if (connection_) connection_->dismiss(kLeaveTime);
  forget_posts();
  auto outcome = revive({}, kAttempts);
  if (auto* const error = std::get_if<Error>(&outcome)) {
    ended_ = *error;
    throw std::move(*error);
  }
  return std::get<Recovery>(std::move(outcome));
}

void SupervisedDevice::rest() {
  if (connection_) connection_->dismiss(kLeaveTime);
  connection_.reset();
  forget_posts();
  ended_ = Error(ErrorKind::device, "the device's process was ended after its idle time")
               .advise("%restart starts it again.");
}

}  // namespace xcuda::device::remote
