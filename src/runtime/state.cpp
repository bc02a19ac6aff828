#include "runtime/state.hpp"

#include <algorithm>
#include <atomic>

#include "device/session_stream.hpp"
#include "runtime/driver/driver_mappings.hpp"
#include "runtime/own_stream.hpp"

namespace xcuda::runtime {
namespace {

std::atomic<std::uint64_t> states{0};

thread_local bool null_is_own = false, thread_has_ended = false;

// The default stream of this thread, in the state that the thread has called last.
struct ThreadStream {
  std::uint64_t state = 0;
  std::shared_ptr<Stream> stream;
  ~ThreadStream() { thread_has_ended = true; }
};
thread_local ThreadStream own;

}  // namespace

OwnDefaultStream::OwnDefaultStream() : before_(null_is_own) { null_is_own = true; }
OwnDefaultStream::~OwnDefaultStream() { null_is_own = before_; }
bool OwnDefaultStream::is_set() { return null_is_own; }

State::State() : number(++states), memory(engine.device()) { driver::name_own_mappings(memory); }

// Threads may hold their streams longer, and graphs take their names from the table when they end.
State::~State() {
  for (const auto& stream : thread_streams) stream->capture.reset();
}

Stream& State::stream_of_thread() {
  const std::lock_guard lock(mutex);
  if (thread_has_ended) return default_stream;  // in what runs at the end of a program
  if (own.state == number) return *own.stream;
  std::erase_if(thread_streams, [&](const std::shared_ptr<Stream>& one) {
    const bool ended = one.use_count() == 1;
    if (ended) note_ended(*one);
    return ended;
  });
  own.stream = std::make_shared<Stream>();
  own.stream->id = next_id++;
  own.state = number;
  return *thread_streams.emplace_back(own.stream);
}

void State::note_ended(const Stream& stream) {
  std::erase_if(ended_streams, [&](Engine::Number last) { return engine.done(last); });
  if (!engine.done(stream.last)) ended_streams.push_back(stream.last);  // its work goes on
}

Stream* State::find_stream(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  if (stream == cudaStreamPerThread || (stream == nullptr && OwnDefaultStream::is_set())) return &stream_of_thread();
  if (stream == nullptr || stream == cudaStreamLegacy) return &default_stream;
  if (lent_device() != nullptr && device::is_session_stream(stream)) {
    auto& known = streams[stream];
    if (known == nullptr) {
      known = std::make_unique<Stream>();
      known->id = next_id++;
    }
    return known.get();
  }
  const auto found = streams.find(stream);
  return found == streams.end() ? nullptr : found->second.get();
}

bool State::captures(cudaStream_t stream) {
  const Stream* found = find_stream(stream);
  return found != nullptr && found->capture != nullptr;
}

Event* State::find_event(cudaEvent_t event) {
  const std::lock_guard lock(mutex);
  const auto found = events.find(event);
  return found == events.end() ? nullptr : found->second.get();
}

Pool* State::find_pool(cudaMemPool_t pool) {
  const std::lock_guard lock(mutex);
  auto* wanted = reinterpret_cast<Pool*>(pool);
  for (auto& one : default_pools)
    if (wanted == &one) return wanted;
  for (const auto& one : pools)
    if (one.get() == wanted) return wanted;
  return nullptr;
}

const Array* State::find_array(cudaArray_const_t array) const {
  const std::lock_guard lock(mutex);
  const auto found = arrays.find(array);
  return found == arrays.end() ? nullptr : found->second.get();
}

const MipmappedArray* State::find_mipmap(cudaMipmappedArray_const_t mipmap) const {
  const std::lock_guard lock(mutex);
  const auto found = mipmaps.find(mipmap);
  return found == mipmaps.end() ? nullptr : found->second.get();
}

const TextureObject* State::find_texture(unsigned long long handle) const {
  const std::lock_guard lock(mutex);
  const auto found = textures.find(handle);
  return found == textures.end() ? nullptr : &found->second;
}

// Never destroyed: the program's own static objects may still use it.
Registry& registry() {
  static auto* the_registry = new Registry;
  return *the_registry;
}

}  // namespace xcuda::runtime
