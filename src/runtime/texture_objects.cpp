#include "runtime/texture_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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

void set_channels(TextureRequest& request, const Channels& channels) {
  request.channels = channels.count;
  request.channel_bits = channels.bits;
  request.channel = channels.kind;
}

cudaError_t add_array(const Array& array, TextureRequest& request) {
  const auto channels = channels_of(array.channels);
  if (!channels) return cudaErrorInvalidChannelDescriptor;
  set_channels(request, *channels);
  request.address = reinterpret_cast<device::Address>(array.memory);
  request.width = array.extent.width;
  request.height = array.extent.height;
  (array.layered() ? request.layers : request.depth) = array.extent.depth;
  request.cube = array.cube();
  request.gather = (array.flags & cudaArrayTextureGather) != 0;
  return cudaSuccess;
}

// The elements that an object reads.
cudaError_t add_elements(const State& state, const cudaResourceDesc& resource, TextureRequest& request) {
  const auto add_channels = [&](const cudaChannelFormatDesc& format) {
    const auto channels = channels_of(format);
    if (!channels) return cudaErrorInvalidChannelDescriptor;
    set_channels(request, *channels);
    return cudaSuccess;
  };
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const auto* array = state.find_array(resource.res.array.array);
      return array == nullptr ? cudaErrorInvalidResourceHandle : add_array(*array, request);
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      if (const auto error = add_channels(linear.desc); error != cudaSuccess) return error;
      request.address = reinterpret_cast<device::Address>(linear.devPtr);
      request.width = linear.sizeInBytes / request.element_bytes();
      const auto found = state.memory.find(linear.devPtr);
      if (linear.devPtr == nullptr || request.address % device::Memory::kAlignment != 0 || request.width == 0 ||
          request.width > kLinearTexture || !found)
        return cudaErrorInvalidValue;
      // A GPU takes a size that goes beyond the allocation. What is there reads as what is beyond a texture.
      const auto left = found->address + found->size - request.address;
      request.width = std::min<std::uint64_t>(request.width, left / request.element_bytes());
      return request.width > 0 ? cudaSuccess : cudaErrorInvalidValue;
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
    case cudaResourceTypeMipmappedArray: {
      const auto* mipmap = state.find_mipmap(resource.res.mipmap.mipmap);
      if (mipmap == nullptr) return cudaErrorInvalidResourceHandle;
      for (std::size_t i = 1; i < mipmap->levels.size(); ++i)
        request.smaller.push_back(reinterpret_cast<device::Address>(state.find_array(mipmap->levels[i])->memory));
      return add_array(*state.find_array(mipmap->levels.front()), request);
    }
  }
  return cudaErrorInvalidValue;
}

// The formats of views count kinds of three widths each; what comes after these is compressed.
std::optional<Channels> channels_of(cudaResourceViewFormat format) {
  using enum TextureRequest::Channel;
  static constexpr Channels kKinds[] = {{1, 8, unsigned_integer}, {1, 8, signed_integer},    {1, 16, unsigned_integer},
                                        {1, 16, signed_integer},  {1, 32, unsigned_integer}, {1, 32, signed_integer},
                                        {1, 16, floating},        {1, 32, floating}};
  static constexpr int kWidths[] = {1, 2, 4};
  if (format < cudaResViewFormatUnsignedChar1 || format > cudaResViewFormatFloat4) return std::nullopt;
  Channels channels = kKinds[(format - cudaResViewFormatUnsignedChar1) / 3];
  channels.count = kWidths[(format - cudaResViewFormatUnsignedChar1) % 3];
  return channels;
}

// A part of an array's levels and layers, or its elements as others of the same size.
cudaError_t add_view(const cudaResourceViewDesc& view, TextureRequest& request) {
  if (view.format != cudaResViewFormatNone) {
    const auto channels = channels_of(view.format);
    if (!channels) return missing("views of compressed formats are");
    if (channels->bytes() != request.element_bytes()) return cudaErrorInvalidValue;
    set_channels(request, *channels);
  }
  const std::size_t levels = 1 + request.smaller.size(), layers = request.layers;
  if (view.firstMipmapLevel > view.lastMipmapLevel || view.lastMipmapLevel >= levels ||
      view.firstLayer > view.lastLayer || view.lastLayer >= std::max<std::size_t>(layers, 1))
    return cudaErrorInvalidValue;
  // The extents are those of the whole array, whatever level the view begins with.
  const auto same = [](std::size_t wanted, std::uint64_t have) { return wanted == 0 || wanted == have; };
  if (!same(view.width, request.width) || !same(view.height, request.height) ||
      (layers == 0 && !same(view.depth, request.depth)))
    return cudaErrorInvalidValue;
  if (layers > 0 && (view.firstLayer != 0 || view.lastLayer + 1 != layers)) {
    const bool cubes = request.cube == device::Cube::layers;
    const std::size_t count = view.lastLayer - view.firstLayer + 1;
    if (request.cube == device::Cube::one || (cubes && (view.firstLayer % 6 != 0 || count % 6 != 0)))
      return cudaErrorInvalidValue;
    const auto move = [&](device::Address& address, std::size_t level) {
      address += request.level_bytes(level) / layers * view.firstLayer;
    };
    move(request.address, 0);
    for (std::size_t i = 0; i < request.smaller.size(); ++i) move(request.smaller[i], i + 1);
    request.layers = count;
  }
  if (view.firstMipmapLevel > 0) {
    const std::size_t level = view.firstMipmapLevel;
    request.address = request.smaller[level - 1];
    request.smaller.erase(request.smaller.begin(), request.smaller.begin() + static_cast<std::ptrdiff_t>(level));
    for (auto* extent : {&request.width, &request.height, &request.depth}) *extent = request.extent_of(*extent, level);
  }
  request.smaller.resize(view.lastMipmapLevel - view.firstMipmapLevel);
  return cudaSuccess;
}

cudaError_t add_sampling(const cudaTextureDesc& sampling, TextureRequest& request) {
  for (std::size_t i = 0; i < 4; ++i) request.border[i] = std::bit_cast<std::uint32_t>(sampling.borderColor[i]);
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
  if (sampling.readMode == cudaReadModeNormalizedFloat) {
    if (!integers || request.channel_bits == 32) return cudaErrorInvalidNormSetting;
    request.read = device::ReadMode::normalized_float;
  }
  if (sampling.filterMode == cudaFilterModeLinear) {
    if (integers && request.read == device::ReadMode::element) return cudaErrorInvalidFilterSetting;
    request.filter = device::FilterMode::linear;
  }
  const bool colours = request.channel == TextureRequest::Channel::unsigned_integer && request.channel_bits == 8;
  request.srgb = sampling.sRGB != 0 && colours && request.read == device::ReadMode::normalized_float;
  request.seamless = sampling.seamlessCubemap != 0;
  if (!request.smaller.empty()) {
    if (sampling.normalizedCoords == 0) return cudaErrorInvalidValue;
    if (sampling.mipmapFilterMode == cudaFilterModeLinear) {
      if (integers && request.read == device::ReadMode::element) return cudaErrorInvalidFilterSetting;
      request.level_filter = device::FilterMode::linear;
    }
  }
  request.level_bias = sampling.mipmapLevelBias;
  request.least_level = sampling.minMipmapLevelClamp;
  request.most_level = sampling.maxMipmapLevelClamp;
  request.anisotropy = std::clamp(sampling.maxAnisotropy, 1u, 16u);
  request.normalized_coordinates = sampling.normalizedCoords != 0;
  return cudaSuccess;
}

cudaError_t create(State& state, unsigned long long* to, TextureObject object) {
  TextureRequest request;
  if (const auto error = add_elements(state, object.resource, request); error != cudaSuccess) return error;
  if (object.view)
    if (const auto error = add_view(*object.view, request); error != cudaSuccess) return error;
  if (!object.sampling) request.cube = device::Cube::none;  // a surface has layers
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
    const bool of_array =
        resource->resType == cudaResourceTypeArray || resource->resType == cudaResourceTypeMipmappedArray;
    if (view != nullptr && !of_array) return cudaErrorInvalidValue;
    const auto wanted = view == nullptr ? std::nullopt : std::optional(*view);
    return create(state, to, {.resource = *resource, .sampling = *sampling, .view = wanted});
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return destroy(object, Kind::texture); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* to, cudaTextureObject_t object) {
  return read_object(object, Kind::texture, [&](const TextureObject& found) { return give(to, found.resource); });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* to, cudaTextureObject_t object) {
  return read_object(object, Kind::texture, [&](const TextureObject& found) { return give(to, *found.sampling); });
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* to, cudaTextureObject_t object) {
  return read_object(object, Kind::texture, [&](const TextureObject& found) {
    return found.view ? give(to, *found.view) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* to, const cudaResourceDesc* resource) {
  return with_state([&](State& state) {
    if (to == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    const auto* array = state.find_array(resource->res.array.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
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
