// The state of a program's runtime. Device, memory and handles begin with the first call that needs them, and
// cudaDeviceReset() ends them; what the program has registered stays.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/handle.hpp"
#include "runtime/cuda_arrays.hpp"
#include "runtime/device_engine.hpp"
#include "runtime/graph/program_graph.hpp"
#include "runtime/lent_device.hpp"
#include "runtime/memory/managed_advice.hpp"
#include "runtime/memory_map.hpp"
#include "runtime/registry.hpp"
#include "runtime/shared_event.hpp"
#include "runtime/texture_objects.hpp"

struct CUctx_st;

namespace xcuda::runtime {

struct Stream {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  std::uint64_t id = 0;
  Engine::Number last = 0;         // what was posted to it last
  std::shared_ptr<Graph> capture;  // the graph that its work goes to
  std::vector<Node*> tail;         // of the capture, on which its next node depends
  bool begins_capture = false;
  std::map<cudaStreamAttrID, cudaStreamAttrValue> attributes;  // as they were set
  CUctx_st* context = nullptr;  // that was current when it was made; null: of a default stream, or not made here
};

struct Event {
  unsigned flags = cudaEventDefault;
  bool recorded = false;
  Engine::Number number = 0;  // of the record
  std::shared_ptr<std::chrono::steady_clock::time_point> time;
  std::weak_ptr<Graph> capture;         // that it was recorded in
  std::vector<Node*> tail;              // what it waits for there
  std::shared_ptr<SharedEvent> shared;  // of an event of several processes
};

// Another process's memory, from the page in which it begins.
struct OpenedMemory {
  void* begin = nullptr;
  std::size_t size = 0;
  std::uint64_t inode = 0, offset = 0;
  cudaMemPool_t pool = nullptr;  // that it was imported with; null: it was opened by its handle
  int count = 1;                 // how often it was opened
  int closing = 0;               // how often by cudaFreeAsync(), whose work has not run yet
  OpenedMemory() = default;
  OpenedMemory(OpenedMemory&& other) noexcept;
  OpenedMemory& operator=(OpenedMemory&&) = delete;
  ~OpenedMemory();
};

struct Pool {
  enum class Where : std::uint8_t { device, host, managed } where = Where::device;
  std::uint64_t threshold = 0, used = 0, most = 0;  // bytes
  int reuse[3] = {1, 1, 1};                         // the three attributes that begin with cudaMemPoolReuse
  File file{};                                      // that other processes know it by; none: it is not shared
  bool is_imported = false;
};

struct State {
  State();
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::uint64_t number;  // of this state, among those that the program has had

  Engine engine;
  MemoryMap memory;
  mutable std::recursive_mutex mutex;  // of what follows; on a lent device work runs while it is posted
  GraphTable graph_table;              // before what may hold graphs, which take their names from it when they end
  Stream default_stream{.id = 1};
  std::vector<Engine::Number> ended_streams;  // their last work, for which the default stream's next waits
  std::map<cudaStream_t, std::unique_ptr<Stream>> streams;
  // The default streams of threads, which share them: one with a single owner is of a thread that has ended.
  std::vector<std::shared_ptr<Stream>> thread_streams;
  std::map<cudaEvent_t, std::unique_ptr<Event>> events;
  std::map<cudaUserObject_t, std::unique_ptr<UserObject>> user_objects;
  std::map<cudaGraph_t, std::shared_ptr<Graph>> graphs;  // the program's own, not those within others
  std::map<cudaGraphExec_t, std::unique_ptr<Executable>> executables;
  GraphMemories graph_memory;
  ManagedAdvice advice;
  std::map<const void*, OpenedMemory> opened;
  std::map<cudaArray_const_t, std::unique_ptr<Array>> arrays;
  std::map<cudaMipmappedArray_const_t, std::unique_ptr<MipmappedArray>> mipmaps;
  std::map<unsigned long long, TextureObject> textures;  // surfaces, too
  std::uint32_t made_textures = lent_device() != nullptr ? kFirstLentId : 0;
  Pool default_pools[3] = {{Pool::Where::device}, {Pool::Where::host}, {Pool::Where::managed}};
  Pool* current_pools[3] = {&default_pools[0], &default_pools[1], &default_pools[2]};
  std::set<std::unique_ptr<Pool>> pools;
  std::set<const void*> freed;          // by cudaFreeAsync(), whose work has not run yet
  std::size_t pending_launches = 2048;  // of kernels, as it was set: there are as many as memory holds
  std::uint64_t next_id = 2;            // of streams

  Stream* find_stream(cudaStream_t stream);  // null: there is none
  Stream& stream_of_thread();
  void note_ended(const Stream& stream);  // of one that is blocking
  bool captures(cudaStream_t stream);
  Event* find_event(cudaEvent_t event);
  Pool* find_pool(cudaMemPool_t pool);
  const Array* find_array(cudaArray_const_t array) const;
  const MipmappedArray* find_mipmap(cudaMipmappedArray_const_t mipmap) const;
  const TextureObject* find_texture(unsigned long long handle) const;
};

Registry& registry();

}  // namespace xcuda::runtime
