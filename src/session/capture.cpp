#include "session/capture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "session/session.hpp"

namespace xcuda::session {

Capture::Capture(Session& session, std::optional<device::StreamId> of)
    : session_(session),
      graph_(session.streams().next_graph()),
      stream_(session.streams().next_stream()),
      current_(stream_),
      of_(of),
      process_(session.streams().process()) {
  for (const auto& array : session.arrays().all()) bindings_.emplace_back(array.name, array.address);
  session.device().begin_capture(graph_, stream_);
  members_.streams.insert(stream_);
  session.submission().set_capture(this);
}

Capture::Capture(Session& session, const Capture& before) : Capture(session, before.of_) {
  bindings_ = before.bindings_;
}

Capture::~Capture() {
  if (session_.submission().capture() == this) session_.submission().set_capture(nullptr);
  if (!session_.chosen().started()) return;
  session_.submission().forget(graph_);
  for (const auto address : kept_) session_.operations().workspace().free(address);
  if (finished_) return;
  // The graph did not run: every name gets its array back.
  for (const auto& [name, address] : bindings_) {
    const auto* array = session_.arrays().find(name);
    const auto* original = session_.arrays().at(address);
    if (array == nullptr || original == nullptr || original->address != address || original->name == name) continue;
    session_.arrays().exchange(name, std::string(original->name));
  }
}

device::GraphInfo Capture::end() {
  recording_ = false;
  session_.submission().set_capture(nullptr);
  return session_.device().end_capture(graph_);
}

ArrayUse use_of(const Array& array) {
  const auto name = std::string(array.name);
  return {name, name, array.bytes(), true, false, array.address, array.id};
}

std::string missing_of(Session& session, const std::vector<ArrayUse>& uses) {
  for (const auto& use : uses) {
    const auto* array = session.arrays().at(use.address);
    if (array == nullptr || array->id != use.id || array->address != use.address || array->bytes() < use.bytes)
      return fmt::format("{} was freed", use.array);
  }
  return {};
}

void Capture::give(const Array* array) {
  if (array == nullptr ||
      std::any_of(given_.begin(), given_.end(), [&](const auto& use) { return use.address == array->address; }))
    return;
  given_.push_back(use_of(*array));
  given_.back().may_write = written_.contains(array->address);
}

void Capture::note_given(const std::vector<ArrayUse>& more) {
  const auto& arrays = session_.arrays();
  for (const auto& use : more) give(arrays.at(use.address));
  for (const auto& name : session_.launches().given()) give(arrays.find(name));
  for (const auto* addresses : {&written_, &read_})  // also by fills and copies
    for (const auto address : *addresses) give(arrays.at(address));
}

std::string Capture::missing() const {
  if (process_ != session_.streams().process()) return "the device's process that had it has ended";
  const auto& modules = session_.code().modules().all();
  for (const auto id : modules_)
    if (std::none_of(modules.begin(), modules.end(), [&](const auto& one) { return one->id == id; }))
      return "a kernel in it was defined anew";
  return missing_of(session_, given_);
}

void Capture::wrote(device::Address address) {
  if (const auto* array = session_.arrays().at(address)) written_.insert(array->address);
}

void Capture::reads(device::Address address) {
  if (const auto* array = session_.arrays().at(address)) read_.insert(array->address);
}

void Capture::wrote(const std::vector<ArrayUse>& given) {
  for (const auto& use : given)
    if (const auto* array = use.may_write ? session_.arrays().find(use.array) : nullptr)
      written_.insert(array->address);
}

std::string Capture::rebound() const {
  std::string names;
  for (const auto& [name, address] : bindings_) {
    const auto* array = session_.arrays().find(name);
    if (array != nullptr && array->address == address) continue;
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

}  // namespace xcuda::session
