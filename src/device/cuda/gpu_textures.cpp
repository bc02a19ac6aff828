#include "device/cuda/gpu_textures.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/units.hpp"
#include "device/cuda/gpu_memory.hpp"
#include "device/id_errors.hpp"

namespace xcuda::device::cuda {
namespace {

CUarray_format format_of(const TextureRequest& request) {
  using Channel = TextureRequest::Channel;
  const bool is_float = request.channel == Channel::floating, is_signed = request.channel == Channel::signed_integer;
  switch (request.channel_bits) {
    case 8: return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
    case 16: return is_float ? CU_AD_FORMAT_HALF : is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
    default: return is_float ? CU_AD_FORMAT_FLOAT : is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
  }
}

CUaddress_mode mode_of(AddressMode wanted) {
  switch (wanted) {
    case AddressMode::wrap: return CU_TR_ADDRESS_MODE_WRAP;
    case AddressMode::mirror: return CU_TR_ADDRESS_MODE_MIRROR;
    case AddressMode::border: return CU_TR_ADDRESS_MODE_BORDER;
    case AddressMode::clamp: break;
  }
  return CU_TR_ADDRESS_MODE_CLAMP;
}

CUDA_TEXTURE_DESC sampler_of(const TextureRequest& request) {
  CUDA_TEXTURE_DESC sampler{};
  for (int i = 0; i < 3; ++i) sampler.addressMode[i] = mode_of(request.address_mode[i]);
  sampler.filterMode = request.filter == FilterMode::linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  const bool integers = request.channel != TextureRequest::Channel::floating && request.read == ReadMode::element;
  if (integers) sampler.flags |= CU_TRSF_READ_AS_INTEGER;
  if (request.normalized_coordinates || request.cube != Cube::none) sampler.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  return sampler;
}

TextureObject make_texture_object(const Driver& driver, const CUDA_RESOURCE_DESC& resource,
                                  const CUDA_TEXTURE_DESC& sampler) {
  CUtexObject object = 0;
  driver.check(driver.cuTexObjectCreate(&object, &resource, &sampler, nullptr), ErrorKind::value,
               "create a texture object");
  return TextureObject({&driver, object});
}

SurfaceObject make_surface_object(const Driver& driver, const CUDA_RESOURCE_DESC& resource) {
  CUsurfObject object = 0;
  driver.check(driver.cuSurfObjectCreate(&object, &resource), ErrorKind::value, "create a surface object");
  return SurfaceObject({&driver, object});
}

std::string extents_of(const TextureRequest& request) {
  std::string text = std::to_string(request.width);
  for (const auto extent : {request.height, request.depth, request.layers})
    if (extent > 0) text += fmt::format(" x {}", extent);
  return text;
}

}  // namespace

GpuTextures::GpuTextures(const Driver& driver, CUdevice device) : driver_(driver) {
  const auto get = [&](CUdevice_attribute which) {
    int value = 0;
    driver_.check(driver_.cuDeviceGetAttribute(&value, which, device), "read a limit of the GPU's textures");
    return static_cast<std::uint64_t>(value > 0 ? value : 0);
  };
  limits_.line = get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH);
  limits_.elements = get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
  limits_.plane_width = get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
  limits_.plane_height = get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
  limits_.plane_pitch = get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH);
  limits_.alignment = std::max<std::uint64_t>(get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT), 1);
  limits_.pitch_alignment = std::max<std::uint64_t>(get(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT), 1);
}

// Whether the hardware can sample the session's array where it is.
bool GpuTextures::lies_well(const TextureRequest& request) const {
  if (request.surface || request.gather || request.height == 0 || request.depth > 0 || request.layers > 0 ||
      request.address % limits_.alignment != 0)
    return false;
  const auto pitch = request.pitch();
  return pitch % limits_.pitch_alignment == 0 && pitch <= limits_.plane_pitch && request.width <= limits_.plane_width &&
         request.height <= limits_.plane_height;
}

bool GpuTextures::can_fetch(const TextureRequest& request) const {
  return !request.surface && request.dimensions() == 1 && request.layers == 0 &&
         request.address % limits_.alignment == 0 && request.width <= limits_.elements;
}

TextureArray GpuTextures::make_copy(const TextureRequest& request) const {
  std::size_t free = 0, total = 0;
  driver_.check(driver_.cuMemGetInfo(&free, &total), "read how much memory is free");
  const auto what =
      fmt::format("create a {} of {} elements", request.surface ? "surface" : "texture", extents_of(request));
  if (request.bytes() + GpuMemory::kReserve > free)
    throw Error(ErrorKind::memory, fmt::format("cannot {}: it needs a copy of {} in the GPU's layout", what,
                                               format_bytes(request.bytes())));
  CUDA_ARRAY3D_DESCRIPTOR wanted{};
  wanted.Width = request.width;
  wanted.Height = request.height;
  wanted.Depth = request.layers > 0 ? request.layers : request.depth;
  wanted.Format = format_of(request);
  wanted.NumChannels = static_cast<unsigned>(request.channels);
  if (request.layers > 0 && request.cube != Cube::one) wanted.Flags |= CUDA_ARRAY3D_LAYERED;
  if (request.cube != Cube::none) wanted.Flags |= CUDA_ARRAY3D_CUBEMAP;
  if (request.surface) wanted.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
  if (request.gather) wanted.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  CUarray copy = nullptr;
  const CUresult result = driver_.cuArray3DCreate(&copy, &wanted);
  if (result == CUDA_ERROR_INVALID_VALUE)
    throw Error(ErrorKind::value, fmt::format("cannot {}: it is larger than this GPU allows", what))
        .said(driver_.text(result))
        .advise("A one-dimensional texture has at most 131072 elements on most GPUs; use two dimensions, or layers.");
  driver_.check(result, result == CUDA_ERROR_OUT_OF_MEMORY ? ErrorKind::memory : ErrorKind::value, what);
  return TextureArray({&driver_, copy});
}

void GpuTextures::create(const TextureRequest& request) {
  if (textures_.contains(request.id)) throw taken(request.id);
  Texture texture;
  texture.request = request;
  const auto format = format_of(request);
  const auto channels = static_cast<unsigned>(request.channels);
  // What is too long to be sampled is read by the numbers of its elements only.
  const bool sampled = !can_fetch(request) || request.width <= limits_.line;
  if (sampled && !lies_well(request)) texture.copy = make_copy(request);  // first: it may throw
  if (can_fetch(request)) {
    CUDA_RESOURCE_DESC elements{};
    elements.resType = CU_RESOURCE_TYPE_LINEAR;
    elements.res.linear.devPtr = request.address;
    elements.res.linear.format = format;
    elements.res.linear.numChannels = channels;
    elements.res.linear.sizeInBytes = request.bytes();
    CUDA_TEXTURE_DESC reader{};
    reader.flags = sampler_of(request).flags & CU_TRSF_READ_AS_INTEGER;
    texture.fetched = make_texture_object(driver_, elements, reader);
  }
  if (sampled) {
    CUDA_RESOURCE_DESC resource{};
    if (lies_well(request)) {
      resource.resType = CU_RESOURCE_TYPE_PITCH2D;
      resource.res.pitch2D.devPtr = request.address;
      resource.res.pitch2D.format = format;
      resource.res.pitch2D.numChannels = channels;
      resource.res.pitch2D.width = request.width;
      resource.res.pitch2D.height = request.height;
      resource.res.pitch2D.pitchInBytes = request.pitch();
    } else {
      resource.resType = CU_RESOURCE_TYPE_ARRAY;
      resource.res.array.hArray = texture.copy.get();
    }
    if (request.surface)
      texture.surface = make_surface_object(driver_, resource);
    else
      texture.sampled = make_texture_object(driver_, resource, sampler_of(request));
  }
  textures_.emplace(request.id, std::move(texture));
}

unsigned long long GpuTextures::Texture::handle(TextureUse use) const {
  return use == TextureUse::fetched ? fetched.get() : request.surface ? surface.get().raw : sampled.get();
}

void GpuTextures::drop(TextureId id) {
  const auto found = textures_.find(id);
  if (found == textures_.end()) return;
  dropped_.push_back(std::move(found->second));
  textures_.erase(found);
}

std::optional<GpuTextures::Problem> GpuTextures::bind(LaunchRequest& request) const {
  for (const auto& argument : request.textures) {
    const auto found = textures_.find(argument.texture);
    if (found == textures_.end() || argument.offset + sizeof(unsigned long long) > request.arguments.size())
      return Problem{"the texture does not exist", "declare it again: texture t(x);"};
    const auto handle = found->second.handle(argument.use);
    if (handle == 0 && argument.use == TextureUse::fetched)
      return Problem{fmt::format("tex1Dfetch reads at most {1} elements, which begin at a multiple of {0} bytes",
                                 limits_.alignment, limits_.elements),
                     "copy the part to its own array: auto part = x[1]; texture t(part);"};
    if (handle == 0)
      return Problem{fmt::format("tex1D samples at most {} elements", limits_.line),
                     "read the elements with tex1Dfetch, or use two dimensions"};
    std::memcpy(request.arguments.data() + argument.offset, &handle, sizeof handle);
  }
  return std::nullopt;
}

// Layers are slices to a copy, and a row is what has no height.
CUresult GpuTextures::move(const Texture& texture, Direction direction, CUstream stream) const {
  const auto& request = texture.request;
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = request.width * request.element_bytes();
  copy.Height = request.rows();
  copy.Depth = request.slices();
  if (direction == Direction::to_copy) {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = request.address;
    copy.srcPitch = request.pitch();
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = texture.copy.get();
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = texture.copy.get();
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = request.address;
    copy.dstPitch = request.pitch();
    copy.dstHeight = copy.Height;
  }
  return driver_.cuMemcpy3DAsync(&copy, stream);
}

CUresult GpuTextures::before(const LaunchRequest& request, CUstream stream) const {
  for (const auto& argument : request.textures) {
    const auto& texture = textures_.at(argument.texture);
    if (!texture.copy || argument.use == TextureUse::fetched) continue;
    if (const CUresult result = move(texture, Direction::to_copy, stream); result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult GpuTextures::after(const LaunchRequest& request, CUstream stream) const {
  for (const auto& argument : request.textures) {
    const auto& texture = textures_.at(argument.texture);
    if (!texture.request.surface) continue;
    if (const CUresult result = move(texture, Direction::from_copy, stream); result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace xcuda::device::cuda
