// What the driver is asked for textures and surfaces: which are sampled where they lie, which get a copy in the GPU's
// own order, with which descriptors, and that everything is given back. The driver is a table of functions that write
// down what they are told.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "device/cuda/gpu_textures.hpp"

namespace xcuda::device::cuda {
namespace {

struct Asked {
  std::vector<CUDA_ARRAY3D_DESCRIPTOR> arrays;
  std::vector<CUDA_RESOURCE_DESC> textures, surfaces;
  std::vector<CUDA_TEXTURE_DESC> samplers;
  std::vector<CUDA_MEMCPY3D> copies;
  std::vector<unsigned long long> destroyed;  // objects
  std::vector<CUarray> arrays_destroyed;
  std::size_t free_memory = std::size_t{64} << 30;
  CUresult array_result = CUDA_SUCCESS, object_result = CUDA_SUCCESS;
};
Asked asked;

Driver recording_driver() {
  Driver driver;
  driver.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice) {
    static const std::map<CUdevice_attribute, int> limits = {
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, 131072},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 1 << 28},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131072},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65000},
        {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2097120},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32}};
    *value = limits.at(which);
    return CUDA_SUCCESS;
  };
  driver.cuMemGetInfo = [](std::size_t* free, std::size_t* total) {
    *free = asked.free_memory;
    *total = std::size_t{64} << 30;
    return CUDA_SUCCESS;
  };
  driver.cuArray3DCreate = [](CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* wanted) {
    if (asked.array_result != CUDA_SUCCESS) return asked.array_result;
    asked.arrays.push_back(*wanted);
    *array = reinterpret_cast<CUarray>(0x1000 * asked.arrays.size());
    return CUDA_SUCCESS;
  };
  driver.cuArrayDestroy = [](CUarray array) {
    asked.arrays_destroyed.push_back(array);
    return CUDA_SUCCESS;
  };
  driver.cuTexObjectCreate = [](CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                                const CUDA_TEXTURE_DESC* sampler, const CUDA_RESOURCE_VIEW_DESC*) {
    if (asked.object_result != CUDA_SUCCESS) return asked.object_result;
    asked.textures.push_back(*resource);
    asked.samplers.push_back(*sampler);
    *object = 100 + asked.textures.size();
    return CUDA_SUCCESS;
  };
  driver.cuSurfObjectCreate = [](CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
    if (asked.object_result != CUDA_SUCCESS) return asked.object_result;
    asked.surfaces.push_back(*resource);
    *object = 200 + asked.surfaces.size();
    return CUDA_SUCCESS;
  };
  driver.cuTexObjectDestroy = driver.cuSurfObjectDestroy = [](unsigned long long object) {
    asked.destroyed.push_back(object);
    return CUDA_SUCCESS;
  };
  driver.cuMemcpy3DAsync = [](const CUDA_MEMCPY3D* copy, CUstream) {
    asked.copies.push_back(*copy);
    return CUDA_SUCCESS;
  };
  driver.cuGetErrorName = [](CUresult, const char** name) {
    *name = "CUDA_ERROR_INVALID_VALUE";
    return CUDA_SUCCESS;
  };
  driver.cuGetErrorString = [](CUresult, const char** text) {
    *text = "said by the test";
    return CUDA_SUCCESS;
  };
  return driver;
}

class Textures : public testing::Test {
 protected:
  void SetUp() override { asked = {}; }

  static TextureRequest plane(std::uint64_t width, std::uint64_t height) {
    TextureRequest request;
    request.id = TextureId{1};
    request.address = 0x200000000000;
    request.width = width;
    request.height = height;
    return request;
  }

  // The handle that a launch with this one texture is given.
  unsigned long long bound(const LaunchRequest& request) const {
    unsigned long long handle = 0;
    std::memcpy(&handle, request.arguments.data() + 8, sizeof handle);
    return handle;
  }
  static LaunchRequest launch_with(TextureId id, TextureUse use = TextureUse::sampled) {
    LaunchRequest request;
    request.arguments.resize(16);
    request.textures.push_back({id, 8, use});
    return request;
  }

  Driver driver_ = recording_driver();
};

TEST_F(Textures, ArraysWithAlignedRowsAreSampledWhereTheyLie) {
  {
    GpuTextures textures(driver_, 0);
    auto request = plane(64, 48);
    request.filter = FilterMode::linear;
    request.normalized_coordinates = true;
    request.address_mode[0] = AddressMode::wrap, request.address_mode[1] = AddressMode::mirror,
    request.address_mode[2] = AddressMode::border;
    textures.create(request);
    ASSERT_EQ(asked.textures.size(), 1u);
    EXPECT_TRUE(asked.arrays.empty());
    const CUDA_RESOURCE_DESC& lies = asked.textures[0];
    EXPECT_EQ(lies.resType, CU_RESOURCE_TYPE_PITCH2D);
    EXPECT_EQ(lies.res.pitch2D.devPtr, request.address);
    EXPECT_EQ(lies.res.pitch2D.width, 64u);
    EXPECT_EQ(lies.res.pitch2D.height, 48u);
    EXPECT_EQ(lies.res.pitch2D.pitchInBytes, 256u);
    EXPECT_EQ(lies.res.pitch2D.format, CU_AD_FORMAT_FLOAT);
    EXPECT_EQ(asked.samplers[0].filterMode, CU_TR_FILTER_MODE_LINEAR);
    EXPECT_EQ(asked.samplers[0].flags, static_cast<unsigned>(CU_TRSF_NORMALIZED_COORDINATES));
    EXPECT_EQ(asked.samplers[0].addressMode[0], CU_TR_ADDRESS_MODE_WRAP);
    EXPECT_EQ(asked.samplers[0].addressMode[1], CU_TR_ADDRESS_MODE_MIRROR);
    EXPECT_EQ(asked.samplers[0].addressMode[2], CU_TR_ADDRESS_MODE_BORDER);
    auto launch = launch_with(request.id);
    EXPECT_FALSE(textures.bind(launch));
    EXPECT_EQ(bound(launch), 101u);
    EXPECT_EQ(textures.before(launch, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(textures.after(launch, nullptr), CUDA_SUCCESS);
    EXPECT_TRUE(asked.copies.empty());
  }
  EXPECT_EQ(asked.destroyed, std::vector<unsigned long long>{101});
}

TEST_F(Textures, CubeMapsAreReadByNormalizedDirections) {
  GpuTextures textures(driver_, 0);
  auto request = plane(16, 16);
  request.layers = 6;
  request.cube = Cube::one;
  textures.create(request);
  request.id = TextureId{77};
  request.layers = 12;
  request.cube = Cube::layers;
  textures.create(request);
  ASSERT_EQ(asked.arrays.size(), 2u);
  EXPECT_EQ(asked.arrays[0].Flags, static_cast<unsigned>(CUDA_ARRAY3D_CUBEMAP));
  EXPECT_EQ(asked.arrays[0].Depth, 6u);
  EXPECT_EQ(asked.arrays[1].Flags, static_cast<unsigned>(CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
  for (const auto& sampler : asked.samplers) EXPECT_NE(sampler.flags & CU_TRSF_NORMALIZED_COORDINATES, 0u);
}

TEST_F(Textures, OthersHaveACopyThatIsWrittenBeforeEachLaunch) {
  GpuTextures textures(driver_, 0);
  auto request = plane(50, 20);  // 200 bytes a row: no multiple of 32
  request.layers = 3;
  request.channels = 2;
  request.channel_bits = 16;
  textures.create(request);
  ASSERT_EQ(asked.arrays.size(), 1u);
  EXPECT_EQ(asked.arrays[0].Width, 50u);
  EXPECT_EQ(asked.arrays[0].Height, 20u);
  EXPECT_EQ(asked.arrays[0].Depth, 3u);
  EXPECT_EQ(asked.arrays[0].Flags, static_cast<unsigned>(CUDA_ARRAY3D_LAYERED));
  EXPECT_EQ(asked.arrays[0].Format, CU_AD_FORMAT_HALF);
  EXPECT_EQ(asked.arrays[0].NumChannels, 2u);
  EXPECT_EQ(asked.textures.at(0).resType, CU_RESOURCE_TYPE_ARRAY);
  auto launch = launch_with(request.id);
  ASSERT_FALSE(textures.bind(launch));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(textures.before(launch, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(textures.after(launch, nullptr), CUDA_SUCCESS);
  }
  ASSERT_EQ(asked.copies.size(), 2u) << "nothing is read back from a texture";
  EXPECT_EQ(asked.copies[1].srcDevice, request.address);
  EXPECT_EQ(asked.copies[1].srcPitch, 200u);
  EXPECT_EQ(asked.copies[1].WidthInBytes, 200u);
  EXPECT_EQ(asked.copies[1].Height, 20u);
  EXPECT_EQ(asked.copies[1].Depth, 3u);
  EXPECT_EQ(asked.copies[1].dstMemoryType, CU_MEMORYTYPE_ARRAY);
}

TEST_F(Textures, SurfacesAreReadBackBehindTheLaunch) {
  GpuTextures textures(driver_, 0);
  auto request = plane(64, 0);
  request.surface = true;
  request.channel = TextureRequest::Channel::unsigned_integer;
  request.channel_bits = 8;
  request.channels = 4;
  textures.create(request);
  ASSERT_EQ(asked.surfaces.size(), 1u);
  EXPECT_TRUE(asked.textures.empty());
  EXPECT_EQ(asked.arrays.at(0).Flags, static_cast<unsigned>(CUDA_ARRAY3D_SURFACE_LDST));
  EXPECT_EQ(asked.arrays[0].Format, CU_AD_FORMAT_UNSIGNED_INT8);
  EXPECT_EQ(asked.arrays[0].Height, 0u);
  auto launch = launch_with(request.id);
  ASSERT_FALSE(textures.bind(launch));
  EXPECT_EQ(bound(launch), 201u);
  textures.before(launch, nullptr);
  textures.after(launch, nullptr);
  ASSERT_EQ(asked.copies.size(), 2u);
  EXPECT_EQ(asked.copies[0].dstMemoryType, CU_MEMORYTYPE_ARRAY);
  EXPECT_EQ(asked.copies[1].srcMemoryType, CU_MEMORYTYPE_ARRAY);
  EXPECT_EQ(asked.copies[1].dstDevice, request.address);
  EXPECT_EQ(asked.copies[1].Height, 1u);
}

TEST_F(Textures, OfOneDimensionHaveAnObjectForElementNumbersBeside) {
  GpuTextures textures(driver_, 0);
  auto request = plane(1000, 0);
  request.channel = TextureRequest::Channel::signed_integer;
  textures.create(request);
  ASSERT_EQ(asked.textures.size(), 2u);
  EXPECT_EQ(asked.textures[0].resType, CU_RESOURCE_TYPE_LINEAR);
  EXPECT_EQ(asked.textures[0].res.linear.sizeInBytes, 4000u);
  EXPECT_EQ(asked.samplers[0].flags, static_cast<unsigned>(CU_TRSF_READ_AS_INTEGER));
  EXPECT_EQ(asked.textures[1].resType, CU_RESOURCE_TYPE_ARRAY);
  auto fetch = launch_with(request.id, TextureUse::fetched), sample = launch_with(request.id);
  ASSERT_FALSE(textures.bind(fetch));
  ASSERT_FALSE(textures.bind(sample));
  EXPECT_EQ(bound(fetch), 101u);
  EXPECT_EQ(bound(sample), 102u);
  textures.before(fetch, nullptr);
  EXPECT_TRUE(asked.copies.empty()) << "elements are read where they lie";
  textures.before(sample, nullptr);
  EXPECT_EQ(asked.copies.size(), 1u);
}

TEST_F(Textures, SayWhatTheHardwareCannotRead) {
  GpuTextures textures(driver_, 0);
  auto too_long = plane(200000, 0), crooked = plane(100, 0);
  crooked.id = TextureId{2};
  crooked.address += 4;
  textures.create(too_long);
  textures.create(crooked);
  auto sampled = launch_with(too_long.id), fetched = launch_with(crooked.id, TextureUse::fetched),
       unknown = launch_with(TextureId{9});
  EXPECT_NE(textures.bind(sampled).value().what.find("131072"), std::string::npos);
  EXPECT_NE(textures.bind(fetched).value().what.find("multiple of 512 bytes"), std::string::npos);
  EXPECT_NE(textures.bind(unknown).value().what.find("does not exist"), std::string::npos);
  EXPECT_THROW(textures.create(crooked), Error) << "twice";
}

TEST_F(Textures, LeaveNothingBehindWhenTheyCannotBeMade) {
  GpuTextures textures(driver_, 0);
  auto request = plane(50, 20);
  request.gather = true;
  const auto kind_of = [&] {
    try {
      textures.create(request);
    } catch (const Error& error) {
      return error.kind;
    }
    return ErrorKind::internal;
  };
  asked.free_memory = 100;
  EXPECT_EQ(kind_of(), ErrorKind::memory);
  asked.free_memory = std::size_t{64} << 30;
  asked.array_result = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(kind_of(), ErrorKind::value);
  asked.array_result = CUDA_SUCCESS;
  asked.object_result = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(kind_of(), ErrorKind::value);
  EXPECT_EQ(asked.arrays.at(0).Flags, static_cast<unsigned>(CUDA_ARRAY3D_TEXTURE_GATHER));
  EXPECT_EQ(asked.arrays_destroyed.size(), asked.arrays.size());
  request = plane(1000, 0);
  EXPECT_EQ(kind_of(), ErrorKind::value);
  EXPECT_EQ(asked.arrays_destroyed.size(), asked.arrays.size());
  asked.object_result = CUDA_SUCCESS;
  asked.free_memory = 100;
  EXPECT_EQ(kind_of(), ErrorKind::memory);
  EXPECT_EQ(asked.destroyed.size(), asked.textures.size());
}

TEST_F(Textures, LiveUntilTheLaunchesThatWereGivenThemAreDone) {
  GpuTextures textures(driver_, 0);
  textures.create(plane(50, 20));
  textures.drop(TextureId{1});
  EXPECT_TRUE(asked.destroyed.empty());
  textures.synchronized();
  EXPECT_EQ(asked.destroyed.size(), 1u);
  EXPECT_EQ(asked.arrays_destroyed.size(), 1u);
}

}  // namespace
}  // namespace xcuda::device::cuda
