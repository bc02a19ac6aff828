#include "session/capture.hpp"

#include <algorithm>

#include "session/session.hpp"

namespace xcuda::session {

Capture::Capture(Session& session) : session_(session), graph_(session.next_graph()), stream_(session.next_stream()) {
  for (const auto& array : session.arrays().all()) bindings_.emplace_back(array.name, array.address);
  session.device().begin_capture(graph_, stream_);
  streams_.insert(stream_);
  session.set_capture(this);
}

Capture::~Capture() {
  session_.set_capture(nullptr);
  if (!session_.device_started()) return;
  session_.device().post_destroy_graph(graph_);
  session_.posted();
  if (finished_) return;
  // Nothing of it ran: every name gets the array back that it stood for.
  for (const auto& [name, address] : bindings_) {
    const auto* array = session_.arrays().find(name);
    const auto* original = session_.arrays().at(address);
    if (array == nullptr || original == nullptr || original->address != address || original->name == name) continue;
    session_.exchange(name, std::string(original->name));
  }
}

device::GraphInfo Capture::end() {
  recording_ = false;
  session_.set_capture(nullptr);
  return session_.device().end_capture(graph_);
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
