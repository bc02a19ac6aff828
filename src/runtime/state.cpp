#include "runtime/state.hpp"

#include "device/session_stream.hpp"

namespace xcuda::runtime {

Stream* State::find_stream(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  if (stream == nullptr || stream == cudaStreamLegacy) return &default_stream;
  if (stream == cudaStreamPerThread) return &thread_stream;
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
  if (wanted == &default_pool) return wanted;
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
