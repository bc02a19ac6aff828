// User objects: data of the program that lives as long as graphs hold it.
#include <memory>
#include <mutex>

#include "runtime/api.hpp"
#include "runtime/graph/graph_calls.hpp"

namespace xcuda::runtime {
namespace {

cudaError_t with_object(cudaUserObject_t object, const std::function<cudaError_t(State&, UserObject&)>& function) {
  return with_state([&](State& state) {
    const auto found = state.user_objects.find(object);
    return found == state.user_objects.end() ? cudaErrorInvalidValue : function(state, *found->second);
  });
}

// The last reference takes the object with it, after the work that was posted.
void release(State& state, cudaUserObject_t object, unsigned count) {
  const auto found = state.user_objects.find(object);
  if (found == state.user_objects.end()) return;
  auto& one = *found->second;
  one.references -= count;
  if (one.references > 0) return;
  state.engine.post({.work = [destroy = one.destroy, data = one.data] { destroy(data); }});
  state.user_objects.erase(found);
}

}  // namespace

void retain_objects(State& state, Graph& copy, const Graph& of) {
  copy.objects = of.objects;
  for (const auto& [object, count] : copy.objects) state.user_objects.at(object)->references += count;
}

void release_objects(State& state, Graph& graph) {
  for (const auto& [object, count] : graph.objects) release(state, object, count);
  graph.objects.clear();
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* to, void* data, cudaHostFn_t destroy, unsigned references,
                                 unsigned flags) {
  return with_state([&](State& state) {
    if (to == nullptr || destroy == nullptr || references == 0 || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    auto object = std::make_unique<UserObject>(UserObject{data, destroy, references});
    *to = reinterpret_cast<cudaUserObject_t>(object.get());
    state.user_objects.emplace(*to, std::move(object));
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return with_object(object, [&](State&, UserObject& found) {
    if (count == 0) return cudaErrorInvalidValue;
    found.references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return with_object(object, [&](State& state, UserObject& found) {
    if (count == 0 || count > found.references) return cudaErrorInvalidValue;
    release(state, object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
  return with_graph(graph, [&](State& state, Graph& found) {
    const auto at = state.user_objects.find(object);
    if (at == state.user_objects.end() || count == 0 || (flags & ~cudaGraphUserObjectMove))
      return cudaErrorInvalidValue;
    if (!(flags & cudaGraphUserObjectMove)) at->second->references += count;
    found.objects[object] += count;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return with_graph(graph, [&](State& state, Graph& found) {
    const auto at = found.objects.find(object);
    if (at == found.objects.end() || count == 0 || count > at->second) return cudaErrorInvalidValue;
    if ((at->second -= count) == 0) found.objects.erase(at);
    release(state, object, count);
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
