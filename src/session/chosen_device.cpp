#include "session/chosen_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "session/error_output.hpp"

namespace xcuda::session {

ChosenDevice::ChosenDevice(SessionParts& parts, const Current& current) : parts_(parts), current_(current) {
  const auto usable = std::find_if(parts_.devices.begin(), parts_.devices.end(),
                                   [](const DeviceChoice& d) { return d.reason.empty(); });
  chosen_ = static_cast<std::size_t>(usable - parts_.devices.begin());
}

OutputHandler ChosenDevice::output() {
  return [this](OutputStream which, std::string_view text) {
    if (current_.run == nullptr) return;
    auto& sink = current_.run->sink;
    if (which == OutputStream::out) return show(text, sink);
    asserts_.take(text, [&](std::string_view other) { sink.stream(OutputStream::err, other); });
  };
}

void ChosenDevice::show(std::string_view text, Sink& sink) {
  static constexpr char kMarks[] = {kErrorsBegin, kErrorsEnd, '\0'};
  while (!text.empty()) {
    const auto mark = text.find_first_of(kMarks);
    if (mark > 0) sink.stream(shown_as_, text.substr(0, mark));
    if (mark == std::string_view::npos) return;
    shown_as_ = text[mark] == kErrorsBegin ? OutputStream::err : OutputStream::out;
    text.remove_prefix(mark + 1);
  }
}

std::vector<FailedAssert> ChosenDevice::failed_asserts() {
  asserts_.flush([this](std::string_view text) {
    if (current_.run != nullptr) current_.run->sink.stream(OutputStream::err, text);
  });
  return asserts_.failed();
}

void ChosenDevice::start_early() {
  if (device_ != nullptr || chosen_ >= parts_.devices.size()) return;
  device_ = choice().start(output());
}

const ChosenDevice::Library& ChosenDevice::library(library::Family family) {
  if (const auto found = libraries_.find(family); found != libraries_.end()) return found->second;
  library::OpenRequest request{family, {}, {}};
  if (parts_.library_folders) request.folders = parts_.library_folders();
  Library opened{get().open_library(request)};
  const auto& facts = opened.facts;
  constexpr double kLong = 1e9;  // nanoseconds that are worth a word
  const auto time = static_cast<double>(facts.load_time);
  if (time > kLong && current_.run != nullptr)
    current_.run->sink.display(display::text_bundle(fmt::format("{} {} was loaded in {}, once for this session.",
                                                                facts.name, facts.version, format_duration(time))));
  return libraries_.emplace(family, std::move(opened)).first->second;
}

device::Address ChosenDevice::workspace(library::Family family, std::uint32_t device) {
  const auto bytes = library(family).facts.workspace_bytes;
  if (bytes == 0) return 0;
  auto& known = libraries_.at(family).workspaces[device];
  if (known == 0) known = memory().allocate(device::Placement{{{device, bytes}}}, "the workspace of a library");
  return known;
}

std::uint64_t ChosenDevice::workspace_bytes(const library::Call& call) {
  constexpr std::size_t kKnown = 4096;  // plans; each is a question to the device's process
  const auto family = library::family_of(call.operation);
  library(family);
  auto& planned = libraries_.at(family).planned;
  const auto key = library::plan_key(call);
  if (const auto found = planned.find(key); found != planned.end()) return found->second;
  library::OpenRequest request{family, {}, call};
  if (parts_.library_folders) request.folders = parts_.library_folders();
  const auto bytes = get().open_library(request).workspace_bytes;
  if (planned.size() >= kKnown) planned.clear();
  return planned[key] = bytes;
}

void ChosenDevice::limit_memory(std::uint64_t bytes) {
  memory_limit_ = bytes;
  if (memory_ != nullptr) memory_->limit(bytes);
}

std::unique_ptr<device::Memory> ChosenDevice::make_memory(device::Device& device) const {
  auto memory = std::make_unique<device::Memory>(device);
  memory->limit(memory_limit_);
  return memory;
}

void ChosenDevice::shut_down() {
  libraries_.clear();
  scratch_.clear();
  memory_.reset();
  device_.reset();
}

device::Device& ChosenDevice::get() {
  if (memory_ != nullptr) return *device_;
  if (chosen_ >= parts_.devices.size())
    throw Error(ErrorKind::device, "found no device to run on")
        .advise("Run xcuda --doctor to see which devices it looked for.");
  start_early();
  auto device = std::move(device_);  // one that does not start says so for ever: the next use tries another
  info_ = device->info();
  device_ = std::move(device);
  memory_ = make_memory(*device_);
  order_.begin(device_->devices());
  peers_.clear();
  if (current_.run == nullptr) return *device_;
  auto& sink = current_.run->sink;
  if (!info_.memory_outlives_process)
    sink.display(display::text_bundle(
        fmt::format("{} cannot share its memory between processes: arrays will not survive a fault", info_.name)));
  if (info_.window.size < info_.memory_total)
    sink.display(display::text_bundle(fmt::format(
        "The limit on address space (ulimit -v) leaves {} of addresses for arrays, but there are {} of memory.",
        format_bytes(info_.window.size), format_bytes(info_.memory_total))));
  return *device_;
}

const device::DeviceInfo& ChosenDevice::info() {
  get();
  return info_;
}

void ChosenDevice::look(const WaitLimits& limits) {
  if (!parts_.look) return;
  auto found = parts_.look(limits);
  if (chosen_ < parts_.devices.size()) {  // the one in use stays, whatever is said now
    const DeviceChoice current = choice();
    const auto same =
        std::find_if(found.begin(), found.end(), [&](const DeviceChoice& d) { return d.selector == current.selector; });
    chosen_ = static_cast<std::size_t>(same - found.begin());
    if (same == found.end())
      found.push_back(current);
    else
      same->reason.clear();
  } else {
    chosen_ = found.size();
  }
  parts_.devices = std::move(found);
}

bool ChosenDevice::can_be_had(const device::Selector& selector) const {
  return std::any_of(parts_.devices.begin(), parts_.devices.end(),
                     [&](const DeviceChoice& choice) { return choice.selector == selector && choice.reason.empty(); });
}

device::Selector ChosenDevice::offer(device::Selector selector, const WaitLimits& limits) {
  using device::Selector;
  if (selector.reach == Selector::Reach::mpi) {
    if (parts_.together && !can_be_had(selector)) parts_.devices.push_back(parts_.together(selector));
    return selector;
  }
  if (selector.count == 1 || !parts_.together) return selector;
  const auto one = [&](std::uint32_t i) {
    return selector.kind == device::Kind::cpu ? Selector{}
                                              : Selector{selector.kind, selector.ordinal + static_cast<int>(i)};
  };
  const auto missing = [&]() -> std::optional<Selector> {
    for (std::uint32_t i = 0; i < selector.count; ++i)
      if (!can_be_had(one(i))) return one(i);
    return std::nullopt;
  };
  if (selector.count == Selector::kAll || missing()) look(limits);
  if (selector.count == Selector::kAll) {
    while (can_be_had(one(selector.count))) ++selector.count;
    if (selector.count <= 1) return one(0);
  }
  if (const auto not_here = missing()) return *not_here;
  if (!can_be_had(selector)) parts_.devices.push_back(parts_.together(selector));
  return selector;
}

std::unique_ptr<device::Device> ChosenDevice::start_host_process() {
  const auto found = std::find_if(parts_.devices.begin(), parts_.devices.end(), [](const DeviceChoice& d) {
    return d.selector == device::Selector{} && d.reason.empty();
  });
  return found == parts_.devices.end() ? nullptr : found->start(output());
}

std::optional<ChosenDevice::Successor> ChosenDevice::start(const device::Selector& selector) {
  const auto target = std::find_if(parts_.devices.begin(), parts_.devices.end(),
                                   [&](const DeviceChoice& d) { return d.selector == selector; });
  const auto index = static_cast<std::size_t>(target - parts_.devices.begin());
  if (index == chosen_ && started()) return std::nullopt;
  Successor next{index, target->start(output()), {}, nullptr};
  next.info = next.device->info();
  next.memory = make_memory(*next.device);
  return next;
}

void ChosenDevice::take(Successor successor) {
  libraries_.clear();
  scratch_.clear();
  memory_ = std::move(successor.memory);
  device_ = std::move(successor.device);
  order_.begin(device_->devices());
  peers_.clear();
  info_ = std::move(successor.info);
  chosen_ = successor.index;
}

}  // namespace xcuda::session
