#include "runtime/graph/graph_memory.hpp"

#include <algorithm>
#include <functional>

#include "runtime/api.hpp"

namespace xcuda::runtime {
namespace {

using Kind = Allocation::Kind;

std::uint64_t used_by_graphs(const State& state) {
  std::uint64_t bytes = 0;
  for (const auto& [address, memory] : state.graph_memory.all)
    if (memory->live) bytes += memory->size;
  return bytes;
}

std::uint64_t reserved_by_graphs(const State& state) {
  std::uint64_t bytes = 0;
  for (const auto& [address, memory] : state.graph_memory.all)
    if (!memory->is_condition) bytes += memory->size;
  return bytes;
}

std::shared_ptr<GraphMemory> make(State& state, std::size_t bytes, Kind kind) {
  auto memory = std::make_shared<GraphMemory>();
  memory->address = reinterpret_cast<void*>(state.memory.allocate({.kind = kind, .size = bytes}));
  memory->size = bytes;
  memory->is_condition = kind == Kind::condition;
  state.graph_memory.all.emplace(memory->address, memory);
  state.graph_memory.most_reserved = std::max(state.graph_memory.most_reserved, reserved_by_graphs(state));
  return memory;
}

cudaError_t with_attributes(int device, const void* value, const std::function<cudaError_t(State&)>& function) {
  return with_state([&](State& state) {
    if (device != 0) return cudaErrorInvalidDevice;
    return value == nullptr ? cudaErrorInvalidValue : function(state);
  });
}

}  // namespace

std::shared_ptr<GraphMemory> make_graph_memory(State& state, std::size_t bytes) {
  return make(state, bytes, Kind::device);
}
std::shared_ptr<GraphMemory> make_condition(State& state) { return make(state, sizeof(unsigned), Kind::condition); }

void allocate_graph_memory(State& state, GraphMemory& memory) {
  memory.live = true;
  state.graph_memory.most_used = std::max(state.graph_memory.most_used, used_by_graphs(state));
}

cudaError_t free_graph_memory(State& state, const void* address) {
  const auto found = state.graph_memory.all.find(address);
  if (found == state.graph_memory.all.end() || !found->second->live) return cudaErrorInvalidValue;
  found->second->live = false;
  give_back_graph_memory(state);
  return cudaSuccess;
}

void give_back_graph_memory(State& state) {
  std::erase_if(state.graph_memory.all, [&](const auto& one) {
    const auto& [address, memory] = one;
    if (memory.use_count() > 1 || memory->live) return false;
    state.engine.post({.work = [&state, at = address] { state.memory.free(at, {Kind::device, Kind::condition}); }});
    return true;
  });
}

// It goes when its graphs do.
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return with_state([&](State&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return with_attributes(device, value, [&](State& state) {
    auto& to = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent: to = used_by_graphs(state); return cudaSuccess;
      case cudaGraphMemAttrUsedMemHigh: to = state.graph_memory.most_used; return cudaSuccess;
      case cudaGraphMemAttrReservedMemCurrent: to = reserved_by_graphs(state); return cudaSuccess;
      case cudaGraphMemAttrReservedMemHigh: to = state.graph_memory.most_reserved; return cudaSuccess;
      default: return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return with_attributes(device, value, [&](State& state) {
    if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaGraphMemAttrUsedMemHigh: state.graph_memory.most_used = used_by_graphs(state); return cudaSuccess;
      case cudaGraphMemAttrReservedMemHigh:
        state.graph_memory.most_reserved = reserved_by_graphs(state);
        return cudaSuccess;
      default: return cudaErrorInvalidValue;
    }
  });
}

}  // namespace xcuda::runtime
