// CUDA arrays, textures and surfaces: the descriptions are the driver's, the objects the CUDA Runtime's.
#include <algorithm>
#include <optional>

#include "runtime/cuda_arrays.hpp"
#include "runtime/driver/driver_calls.hpp"

namespace xcuda::runtime::driver {
namespace {

cudaArray_t array_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
cudaMipmappedArray_t mipmap_of(CUmipmappedArray mipmap) { return reinterpret_cast<cudaMipmappedArray_t>(mipmap); }

struct FormatRow {
  CUarray_format format;
  cudaChannelFormatKind kind;
  int bits;
};
constexpr FormatRow kFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

std::optional<cudaChannelFormatDesc> description_of(CUarray_format format, unsigned channels) {
  if (channels != 1 && channels != 2 && channels != 4) return std::nullopt;
  for (const auto& row : kFormats)
    if (row.format == format)
      return cudaChannelFormatDesc{row.bits, channels > 1 ? row.bits : 0, channels > 2 ? row.bits : 0,
                                   channels > 3 ? row.bits : 0, row.kind};
  return std::nullopt;
}

struct Format {
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  unsigned channels = 1;
};
Format format_of(const cudaChannelFormatDesc& description) {
  Format found;
  for (const auto& row : kFormats)
    if (row.kind == description.f && row.bits == description.x) found.format = row.format;
  found.channels = description.w != 0 ? 4 : description.y != 0 ? 2 : 1;
  return found;
}

cudaError_t describe_array(CUDA_ARRAY3D_DESCRIPTOR* to, CUarray array) {
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  unsigned flags = 0;
  if (to == nullptr) return cudaErrorInvalidValue;
  if (const auto error = runtime::cudaArrayGetInfo(&channels, &extent, &flags, array_of(array)); error != cudaSuccess)
    return error;
  const auto format = format_of(channels);
  *to = {extent.width, extent.height, extent.depth, format.format, format.channels, flags};
  return cudaSuccess;
}

cudaError_t resource_of(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to) {
  to = {};
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.resType = cudaResourceTypeArray;
      to.res.array.array = array_of(from.res.array.hArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto format = description_of(from.res.linear.format, from.res.linear.numChannels);
      if (!format) return cudaErrorInvalidValue;
      to.resType = cudaResourceTypeLinear;
      to.res.linear = {pointer(from.res.linear.devPtr), *format, from.res.linear.sizeInBytes};
      return cudaSuccess;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& plane = from.res.pitch2D;
      const auto format = description_of(plane.format, plane.numChannels);
      if (!format) return cudaErrorInvalidValue;
      to.resType = cudaResourceTypePitch2D;
      to.res.pitch2D = {pointer(plane.devPtr), *format, plane.width, plane.height, plane.pitchInBytes};
      return cudaSuccess;
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.resType = cudaResourceTypeMipmappedArray;
      to.res.mipmap.mipmap = mipmap_of(from.res.mipmap.hMipmappedArray);
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

CUDA_RESOURCE_DESC resource_from(const cudaResourceDesc& from) {
  CUDA_RESOURCE_DESC to{};
  to.resType = static_cast<CUresourcetype>(from.resType);
  if (from.resType == cudaResourceTypeArray) to.res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
  if (from.resType == cudaResourceTypeMipmappedArray)
    to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
  if (from.resType == cudaResourceTypeLinear) {
    const auto format = format_of(from.res.linear.desc);
    to.res.linear = {reinterpret_cast<CUdeviceptr>(from.res.linear.devPtr), format.format, format.channels,
                     from.res.linear.sizeInBytes};
  }
  if (from.resType == cudaResourceTypePitch2D) {
    const auto& plane = from.res.pitch2D;
    const auto format = format_of(plane.desc);
    to.res.pitch2D = {reinterpret_cast<CUdeviceptr>(plane.devPtr),
                      format.format,
                      format.channels,
                      plane.width,
                      plane.height,
                      plane.pitchInBytes};
  }
  return to;
}

// Integers are read as numbers from 0 or -1 to 1 unless the flags say otherwise; those of 32 bits always as they are.
cudaTextureDesc sampling_of(const CUDA_TEXTURE_DESC& from, const cudaChannelFormatDesc& format) {
  cudaTextureDesc to{};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  const bool plain =
      (from.flags & CU_TRSF_READ_AS_INTEGER) != 0 || format.f == cudaChannelFormatKindFloat || format.x == 32;
  to.readMode = plain ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  to.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0 ? 1 : 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), to.borderColor);
  return to;
}

CUDA_TEXTURE_DESC sampling_from(const cudaTextureDesc& from) {
  CUDA_TEXTURE_DESC to{};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  to.flags = (from.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
             (from.normalizedCoords != 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (from.sRGB != 0 ? CU_TRSF_SRGB : 0) |
             (from.seamlessCubemap != 0 ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), to.borderColor);
  return to;
}

// What the elements of a resource are.
cudaError_t format_of_resource(const cudaResourceDesc& resource, cudaChannelFormatDesc& format) {
  if (resource.resType == cudaResourceTypeArray) return runtime::cudaGetChannelDesc(&format, resource.res.array.array);
  if (resource.resType == cudaResourceTypeMipmappedArray) {
    cudaArray_t first = nullptr;
    const auto error = runtime::cudaGetMipmappedArrayLevel(&first, resource.res.mipmap.mipmap, 0);
    return error == cudaSuccess ? runtime::cudaGetChannelDesc(&format, first) : error;
  }
  if (resource.resType == cudaResourceTypeLinear) format = resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) format = resource.res.pitch2D.desc;
  return cudaSuccess;
}

}  // namespace

CUresult cuDeviceGetTexture1DLinearMaxWidth(std::size_t* to, CUarray_format format, unsigned channels,
                                            CUdevice device) {
  return after_init([&] {
    const auto description = description_of(format, channels);
    if (!description) return cudaErrorInvalidValue;
    return runtime::cudaDeviceGetTexture1DLinearMaxWidth(to, &*description, device);
  });
}

CUresult cuArray3DCreate_v2(CUarray* to, const CUDA_ARRAY3D_DESCRIPTOR* wanted) {
  return in_context([&] {
    if (to == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    const auto format = description_of(wanted->Format, wanted->NumChannels);
    if (!format) return cudaErrorInvalidValue;
    return runtime::cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(to), &*format,
                                      {wanted->Width, wanted->Height, wanted->Depth}, wanted->Flags);
  });
}
CUresult cuArrayCreate_v2(CUarray* to, const CUDA_ARRAY_DESCRIPTOR* wanted) {
  if (wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR same{wanted->Width, wanted->Height, 0, wanted->Format, wanted->NumChannels, 0};
  return driver::cuArray3DCreate_v2(to, &same);
}
CUresult cuArrayDestroy(CUarray array) {
  return in_context(
      [&] { return array == nullptr ? cudaErrorInvalidResourceHandle : runtime::cudaFreeArray(array_of(array)); });
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* to, CUarray array) {
  return in_context([&] { return describe_array(to, array); });
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* to, CUarray array) {
  return in_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR found{};
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = describe_array(&found, array);
    *to = {found.Width, found.Height, found.Format, found.NumChannels};
    return error;
  });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* to, const CUDA_ARRAY3D_DESCRIPTOR* wanted, unsigned levels) {
  return in_context([&] {
    if (to == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    const auto format = description_of(wanted->Format, wanted->NumChannels);
    if (!format) return cudaErrorInvalidValue;
    return runtime::cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(to), &*format,
                                             {wanted->Width, wanted->Height, wanted->Depth}, levels, wanted->Flags);
  });
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
  return in_context([&] {
    return mipmap == nullptr ? cudaErrorInvalidResourceHandle : runtime::cudaFreeMipmappedArray(mipmap_of(mipmap));
  });
}
CUresult cuMipmappedArrayGetLevel(CUarray* to, CUmipmappedArray mipmap, unsigned level) {
  return in_context([&] {
    return runtime::cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t*>(to), mipmap_of(mipmap), level);
  });
}
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* to, CUarray array, CUdevice device) {
  return in_context([&] {
    cudaArrayMemoryRequirements found{};
    const auto error = runtime::cudaArrayGetMemoryRequirements(&found, array_of(array), device);
    if (error != cudaSuccess) return error;
    return give(to, CUDA_ARRAY_MEMORY_REQUIREMENTS{.size = found.size, .alignment = found.alignment, .reserved = {}});
  });
}
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* to, CUmipmappedArray mipmap,
                                               CUdevice device) {
  return in_context([&] {
    cudaArrayMemoryRequirements found{};
    const auto error = runtime::cudaMipmappedArrayGetMemoryRequirements(&found, mipmap_of(mipmap), device);
    if (error != cudaSuccess) return error;
    return give(to, CUDA_ARRAY_MEMORY_REQUIREMENTS{.size = found.size, .alignment = found.alignment, .reserved = {}});
  });
}

CUresult cuTexObjectCreate(CUtexObject* to, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* sampling,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  return in_context([&] {
    if (to == nullptr || resource == nullptr || sampling == nullptr) return cudaErrorInvalidValue;
    cudaResourceDesc same{};
    cudaChannelFormatDesc format{};
    if (const auto error = resource_of(*resource, same); error != cudaSuccess) return error;
    if (const auto error = format_of_resource(same, format); error != cudaSuccess) return error;
    const auto texture = sampling_of(*sampling, format);
    if (view == nullptr) return runtime::cudaCreateTextureObject(to, &same, &texture, nullptr);
    const cudaResourceViewDesc part{.format = static_cast<cudaResourceViewFormat>(view->format),
                                    .width = view->width,
                                    .height = view->height,
                                    .depth = view->depth,
                                    .firstMipmapLevel = view->firstMipmapLevel,
                                    .lastMipmapLevel = view->lastMipmapLevel,
                                    .firstLayer = view->firstLayer,
                                    .lastLayer = view->lastLayer,
                                    .reserved = {}};
    return runtime::cudaCreateTextureObject(to, &same, &texture, &part);
  });
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* to, CUtexObject object) {
  return in_context([&] {
    cudaResourceViewDesc found{};
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = runtime::cudaGetTextureObjectResourceViewDesc(&found, object);
    if (error != cudaSuccess) return error;
    *to = {};
    to->format = static_cast<CUresourceViewFormat>(found.format);
    to->width = found.width;
    to->height = found.height;
    to->depth = found.depth;
    to->firstMipmapLevel = found.firstMipmapLevel;
    to->lastMipmapLevel = found.lastMipmapLevel;
    to->firstLayer = found.firstLayer;
    to->lastLayer = found.lastLayer;
    return cudaSuccess;
  });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return in_context([&] { return runtime::cudaDestroyTextureObject(object); });
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* to, CUtexObject object) {
  return in_context([&] {
    cudaResourceDesc found{};
    const auto error = runtime::cudaGetTextureObjectResourceDesc(&found, object);
    return error == cudaSuccess ? give(to, resource_from(found)) : error;
  });
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* to, CUtexObject object) {
  return in_context([&] {
    cudaTextureDesc found{};
    const auto error = runtime::cudaGetTextureObjectTextureDesc(&found, object);
    return error == cudaSuccess ? give(to, sampling_from(found)) : error;
  });
}
CUresult cuSurfObjectCreate(CUsurfObject* to, const CUDA_RESOURCE_DESC* resource) {
  return in_context([&] {
    cudaResourceDesc same{};
    if (resource == nullptr) return cudaErrorInvalidValue;
    const auto error = resource_of(*resource, same);
    return error == cudaSuccess ? runtime::cudaCreateSurfaceObject(to, &same) : error;
  });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return in_context([&] { return runtime::cudaDestroySurfaceObject(object); });
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* to, CUsurfObject object) {
  return in_context([&] {
    cudaResourceDesc found{};
    const auto error = runtime::cudaGetSurfaceObjectResourceDesc(&found, object);
    return error == cudaSuccess ? give(to, resource_from(found)) : error;
  });
}

}  // namespace xcuda::runtime::driver
