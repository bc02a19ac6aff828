#include "runtime/texture_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "device/cpu/abi/texture_call.hpp"
#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/cuda_arrays.hpp"
#include "runtime/errors.hpp"

namespace xcuda::runtime {
namespace {

using device::TextureRequest;

cudaError_t missing(const char* what) {
  say(fmt::format("{} not supported on the CPU device", what));
  return cudaErrorNotSupported;
}

// The elements that an object reads.
cudaError_t add_elements(const State& state, const cudaResourceDesc& resource, TextureRequest& request) {
  const auto add_channels = [&](const cudaChannelFormatDesc& format) {
    const auto channels = channels_of(format);
    if (!channels) return cudaErrorInvalidChannelDescriptor;
    request.channels = channels->count;
    request.channel_bits = channels->bits;
    request.channel = channels->kind;
    return cudaSuccess;
  };
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const auto* array = state.find_array(resource.res.array.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      request.address = reinterpret_cast<device::Address>(array->memory);
      request.width = array->extent.width;
      request.height = array->extent.height;
      (array->layered() ? request.layers : request.depth) = array->extent.depth;
      request.gather = (array->flags & cudaArrayTextureGather) != 0;
      return add_channels(array->channels);
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      if (const auto error = add_channels(linear.desc); error != cudaSuccess) return error;
      request.address = reinterpret_cast<device::Address>(linear.devPtr);
      request.width = linear.sizeInBytes / request.element_bytes();
      if (linear.devPtr == nullptr || request.width == 0 || request.width > kLinearTexture ||
          !state.memory.find(linear.devPtr) || !state.memory.fits(linear.devPtr, linear.sizeInBytes))
        return cudaErrorInvalidValue;
      return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto& plane = resource.res.pitch2D;
      if (const auto error = add_channels(plane.desc); error != cudaSuccess) return error;
      request.address = reinterpret_cast<device::Address>(plane.devPtr);
      request.width = plane.width;
      request.height = plane.height;
      request.row_bytes = plane.pitchInBytes;
      if (plane.width == 0 || plane.height == 0 || plane.width > kPitchedTexture[0] ||
          plane.height > kPitchedTexture[1] || plane.pitchInBytes < plane.width * request.element_bytes())
        return cudaErrorInvalidValue;
      return state.memory.find(plane.devPtr) && state.memory.fits(plane.devPtr, request.bytes())
                 ? cudaSuccess
                 : cudaErrorInvalidValue;
    }
    case cudaResourceTypeMipmappedArray: return missing("mipmaps are");
  }
  return cudaErrorInvalidValue;
}

cudaError_t add_sampling(const cudaTextureDesc& sampling, TextureRequest& request) {
  if (sampling.sRGB != 0) return missing("textures of sRGB colours are");
  if (std::any_of(std::begin(sampling.borderColor), std::end(sampling.borderColor), [](float c) { return c != 0; }))
    return missing("colours of a texture's border other than 0 are");
  for (int i = 0; i < 3; ++i) {
    switch (sampling.addressMode[i]) {
      case cudaAddressModeWrap: request.address_mode[i] = device::AddressMode::wrap; break;
      case cudaAddressModeClamp: request.address_mode[i] = device::AddressMode::clamp; break;
      case cudaAddressModeMirror: request.address_mode[i] = device::AddressMode::mirror; break;
      case cudaAddressModeBorder: request.address_mode[i] = device::AddressMode::border; break;
      default: return cudaErrorInvalidValue;
    }
  }
  const bool integers = request.channel != TextureRequest::Channel::floating;
  if (sampling.readMode == cudaReadModeNormalizedFloat && integers) {
    if (request.channel_bits == 32) return cudaErrorInvalidNormSetting;
    request.read = device::ReadMode::normalized_float;
  }
  if (sampling.filterMode == cudaFilterModeLinear) {
    if (integers && request.read == device::ReadMode::element) return cudaErrorInvalidFilterSetting;
    request.filter = device::FilterMode::linear;
  }
  request.normalized_coordinates = sampling.normalizedCoords != 0;
  return cudaSuccess;
}

cudaError_t create(State& state, unsigned long long* to, TextureObject object) {
  TextureRequest request;
  if (const auto error = add_elements(state, object.resource, request); error != cudaSuccess) return error;
  request.surface = !object.sampling;
  if (object.sampling)
    if (const auto error = add_sampling(*object.sampling, request); error != cudaSuccess) return error;
  {
    const std::lock_guard lock(state.mutex);
    object.id = request.id = device::TextureId{++state.made_textures};
  }
  state.engine.device().create_texture(request);
  *to = device::cpu::texture_handle(object.id);
  const std::lock_guard lock(state.mutex);
  state.textures.emplace(*to, object);
  return cudaSuccess;
}

enum class Kind : std::uint8_t { texture, surface };
const TextureObject* find(const State& state, unsigned long long handle, Kind kind) {
  const auto* found = state.find_texture(handle);
  return found != nullptr && (kind == Kind::texture) == found->sampling.has_value() ? found : nullptr;
}

// After the work that may use it.
cudaError_t destroy(unsigned long long handle, Kind kind) {
  return with_state([&](State& state) {
    if (handle == 0) return cudaSuccess;
    const auto* found = find(state, handle, kind);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    state.engine.post({.work = [&device = state.engine.device(), id = found->id] { device.post_destroy_texture(id); }});
    const std::lock_guard lock(state.mutex);
    state.textures.erase(handle);
    return cudaSuccess;
  });
}

template <class Read> cudaError_t read_object(unsigned long long handle, Kind kind, const Read& read) {
  return with_state([&](State& state) {
    const auto* found = find(state, handle, kind);
    return found == nullptr ? cudaErrorInvalidResourceHandle : read(*found);
  });
}

template <class Value> cudaError_t give(Value* to, const Value& value) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = value;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* to, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* sampling, const cudaResourceViewDesc* view) {
  return with_state([&](State& state) {
    if (to == nullptr || resource == nullptr || sampling == nullptr) return cudaErrorInvalidValue;
    if (view != nullptr) return missing("views of a resource are");
    return create(state, to, {.resource = *resource, .sampling = *sampling});
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return destroy(object, Kind::texture); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* to, cudaTextureObject_t object) {
  return read_object(object, Kind::texture, [&](const TextureObject& found) { return give(to, found.resource); });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* to, cudaTextureObject_t object) {
  return read_object(object, Kind::texture, [&](const TextureObject& found) { return give(to, *found.sampling); });
}
// No object has a view.
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc*, cudaTextureObject_t object) {
  return read_object(object, Kind::texture, [](const TextureObject&) { return cudaErrorInvalidValue; });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* to, const cudaResourceDesc* resource) {
  return with_state([&](State& state) {
    if (to == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    const auto* array = state.find_array(resource->res.array.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if ((array->flags & cudaArraySurfaceLoadStore) == 0) return cudaErrorInvalidValue;
    return create(state, to, {.resource = *resource, .sampling = {}});
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return destroy(object, Kind::surface); }
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* to, cudaSurfaceObject_t object) {
  return read_object(object, Kind::surface, [&](const TextureObject& found) { return give(to, found.resource); });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* to, const cudaChannelFormatDesc* format, int device) {
  return without_state([&] {
    if (to == nullptr || format == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    if (!channels_of(*format)) return cudaErrorInvalidChannelDescriptor;
    *to = kLinearTexture;
    return cudaSuccess;
  });
}

}  // namespace xcuda::runtime
