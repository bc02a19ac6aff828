// libcudart.so.12: each name that CUDA 12's programs ask for, and the functions whose types CUDA 13 has changed, as
// CUDA 12 has them.
#include "runtime/runtime12.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/runtime/program.hpp"

namespace xcuda::test {
namespace {

namespace v12 = runtime::v12;

void* symbol(const std::string& name) {
  static void* const library = dlopen("libcudart.so.12", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return dlvsym(library, name.c_str(), "libcudart.so.12");
}

template <class Function> Function* function(const std::string& name) {
  auto* const found = reinterpret_cast<Function*>(symbol(name));
  EXPECT_NE(found, nullptr) << name;
  return found;
}
#define OF_12(name) function<decltype(v12::name)>(#name)

TEST(Runtime12, HasEveryName) {
  for (const char* name : {
#define XCUDA_RUNTIME_WORKS(name) #name,
#define XCUDA_RUNTIME_PARTLY(name, how) #name,
#define XCUDA_RUNTIME_REFUSED(name, what) #name,
#define XCUDA_RUNTIME_THREAD(name, as) #name,
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_THREAD
#define XCUDA_RUNTIME12_OWN(name) #name,
#define XCUDA_RUNTIME12_SAME(name, as) #name,
#define XCUDA_RUNTIME12_THREAD(name, own) #name,
#include "runtime/functions12.def"
#undef XCUDA_RUNTIME12_OWN
#undef XCUDA_RUNTIME12_SAME
#undef XCUDA_RUNTIME12_THREAD
       })
    EXPECT_NE(symbol(name), nullptr) << name;
  EXPECT_EQ(symbol("xcuda13_cudaMemAdvise"), nullptr);
}

TEST(Runtime12, PropertiesHaveTheFieldsOfTheirTime) {
  v12::DeviceProperties is;
  std::memset(&is, 0x7f, sizeof is);
  ASSERT_EQ(OF_12(cudaGetDeviceProperties_v2)(&is, 0), cudaSuccess);
  int count = 0, rate = 0;
  ASSERT_EQ(function<decltype(cudaDeviceGetAttribute)>("cudaDeviceGetAttribute")(&rate, cudaDevAttrClockRate, 0),
            cudaSuccess);
  ASSERT_EQ(
      function<decltype(cudaDeviceGetAttribute)>("cudaDeviceGetAttribute")(&count, cudaDevAttrMultiProcessorCount, 0),
      cudaSuccess);
  EXPECT_EQ(is.clockRate, rate);
  EXPECT_EQ(is.multiProcessorCount, count);
  EXPECT_TRUE(is.major == 8 && is.minor == 0 && is.warpSize == 32 && is.managedMemory == 1);
  EXPECT_EQ(is.ipcEventSupported, 1);
  EXPECT_EQ(is.reserved[62], 0);
  EXPECT_EQ(OF_12(cudaGetDeviceProperties_v2)(&is, 1), cudaErrorInvalidDevice);
  int version = 0;
  EXPECT_EQ(OF_12(cudaRuntimeGetVersion)(&version), cudaSuccess);
  EXPECT_EQ(version / 1000, 12);
}

TEST(Runtime12, WritesNoMoreThanItsStructures) {
  struct {
    v12::PointerAttributes is;
    long after[8];
  } room;
  std::memset(&room, 0x55, sizeof room);
  const auto after = room.after[0];
  void* memory = nullptr;
  ASSERT_EQ(function<cudaError_t(void**, std::size_t, unsigned)>("cudaMallocManaged")(&memory, 4096, 1), cudaSuccess);
  ASSERT_EQ(OF_12(cudaPointerGetAttributes)(&room.is, memory), cudaSuccess);
  EXPECT_TRUE(room.is.type == cudaMemoryTypeManaged && room.is.devicePointer == memory);
  for (const long word : room.after) EXPECT_EQ(word, after);
  EXPECT_EQ(OF_12(cudaMemPrefetchAsync)(memory, 4096, 0, nullptr), cudaSuccess);
  EXPECT_EQ(OF_12(cudaMemPrefetchAsync)(memory, 4096, cudaCpuDeviceId, nullptr), cudaSuccess);
  EXPECT_EQ(OF_12(cudaMemAdvise)(memory, 4096, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId), cudaSuccess);
  EXPECT_EQ(OF_12(cudaMemPrefetchAsync)(memory, 4096, 3, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(function<cudaError_t()>("cudaThreadSynchronize")(), cudaSuccess);
  EXPECT_EQ(function<cudaError_t(void*)>("cudaFree")(memory), cudaSuccess);
}

// Which are invalid values to CUDA 13.
TEST(Runtime12, ShapesThatNoDeviceTakesHaveAnErrorOfTheirOwn) {
  program();
  int value = 1;
  int* out = nullptr;
  ASSERT_EQ(function<cudaError_t(void**, std::size_t, unsigned)>("cudaMallocManaged")(reinterpret_cast<void**>(&out),
                                                                                      4096, 1),
            cudaSuccess);
  void* arguments[] = {&out, &value};
  const auto last = function<decltype(cudaGetLastError)>("cudaGetLastError");
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernel_ptsz", "cudaLaunchCooperativeKernel",
                           "cudaLaunchCooperativeKernel_ptsz"}) {
    const auto launch = function<decltype(v12::cudaLaunchKernel)>(name);
    EXPECT_EQ(launch(&fill, dim3(1), dim3(1025), arguments, 0, nullptr), cudaErrorInvalidConfiguration) << name;
    EXPECT_EQ(last(), cudaErrorInvalidConfiguration) << name;
    EXPECT_EQ(launch(&fill, dim3(0), dim3(1), arguments, 0, nullptr), cudaErrorInvalidConfiguration) << name;
    EXPECT_EQ(launch(&fill, dim3(1), dim3(1), arguments, 1 << 20, nullptr), cudaErrorInvalidValue) << name;
    EXPECT_EQ(launch(&fill, dim3(1), dim3(32), arguments, 0, nullptr), cudaSuccess) << name;
  }
  const auto launch = OF_12(cudaLaunchKernelExC);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(1, 1, 65);
  EXPECT_EQ(launch(&config, &fill, arguments), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(nullptr, &fill, arguments), cudaErrorInvalidValue);
  config.blockDim = dim3(32);
  EXPECT_EQ(launch(&config, &fill, arguments), cudaSuccess);
  EXPECT_EQ(function<decltype(cudaDeviceSynchronize)>("cudaDeviceSynchronize")(), cudaSuccess);
  EXPECT_EQ(out[31], value);
  EXPECT_EQ(function<decltype(cudaDeviceReset)>("cudaDeviceReset")(), cudaSuccess);
}

TEST(Runtime12, ABatchSaysWhichCopyFailed) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(function<decltype(cudaStreamCreate)>("cudaStreamCreate")(&stream), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(function<cudaError_t(void**, std::size_t, unsigned)>("cudaMallocManaged")(&memory, 16, 1), cudaSuccess);
  auto* const values = static_cast<int*>(memory);
  values[0] = 7;
  values[1] = values[2] = 0;
  void *to[] = {values + 1, values + 2}, *from[] = {values, values};
  std::size_t bytes[] = {4, 4}, first = 0, failed = 9;
  cudaMemcpyAttributes attributes{cudaMemcpySrcAccessOrderStream, {}, {}, 0};
  const auto copy = [&](decltype(v12::cudaMemcpyBatchAsync)* call, cudaStream_t on) {
    return call(to, from, bytes, 2, &attributes, &first, 1, &failed, on);
  };
  EXPECT_EQ(copy(OF_12(cudaMemcpyBatchAsync), stream), cudaSuccess);
  EXPECT_EQ(function<decltype(cudaStreamSynchronize)>("cudaStreamSynchronize")(stream), cudaSuccess);
  EXPECT_TRUE(values[1] == 7 && values[2] == 7);
  bytes[1] = 17;
  EXPECT_EQ(copy(OF_12(cudaMemcpyBatchAsync), stream), cudaErrorInvalidValue);
  EXPECT_EQ(failed, 1U);
  EXPECT_EQ(copy(OF_12(cudaMemcpyBatchAsync), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(failed, static_cast<std::size_t>(-1));  // the stream is what is wrong
  bytes[1] = 4;
  const auto of_thread = function<decltype(v12::cudaMemcpyBatchAsync)>("cudaMemcpyBatchAsync_ptsz");
  EXPECT_EQ(copy(of_thread, nullptr), cudaSuccess);
  EXPECT_EQ(function<decltype(cudaDeviceSynchronize)>("cudaDeviceSynchronize")(), cudaSuccess);
  EXPECT_EQ(function<cudaError_t(void*)>("cudaFree")(memory), cudaSuccess);
  EXPECT_EQ(function<decltype(cudaStreamDestroy)>("cudaStreamDestroy")(stream), cudaSuccess);
}

TEST(Runtime12, GraphsHaveEdgesWithoutData) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr, found[2] = {};
  ASSERT_EQ(function<decltype(cudaGraphCreate)>("cudaGraphCreate")(&graph, 0), cudaSuccess);
  cudaGraphNodeParams empty{};
  empty.type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(OF_12(cudaGraphAddNode)(&first, graph, nullptr, 0, &empty), cudaSuccess);
  ASSERT_EQ(OF_12(cudaGraphAddNode)(&second, graph, &first, 1, &empty), cudaSuccess);
  std::size_t count = 2;
  EXPECT_EQ(OF_12(cudaGraphNodeGetDependencies)(second, found, &count), cudaSuccess);
  EXPECT_TRUE(count == 1 && found[0] == first);
  count = 2;
  EXPECT_EQ(OF_12(cudaGraphNodeGetDependentNodes)(first, found, &count), cudaSuccess);
  EXPECT_TRUE(count == 1 && found[0] == second);
  EXPECT_EQ(OF_12(cudaGraphRemoveDependencies)(graph, &first, &second, 1), cudaSuccess);
  EXPECT_EQ(OF_12(cudaGraphGetEdges)(graph, nullptr, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(OF_12(cudaGraphAddDependencies)(graph, &first, &second, 1), cudaSuccess);
  EXPECT_EQ(OF_12(cudaGraphGetEdges)(graph, nullptr, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(function<decltype(cudaGraphDestroy)>("cudaGraphDestroy")(graph), cudaSuccess);

  cudaStream_t stream = nullptr;
  ASSERT_EQ(function<decltype(cudaStreamCreate)>("cudaStreamCreate")(&stream), cudaSuccess);
  ASSERT_EQ(function<decltype(cudaStreamBeginCapture)>("cudaStreamBeginCapture")(stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  cudaStreamCaptureStatus status{};
  unsigned long long id = 0;
  const cudaGraphNode_t* after = nullptr;
  EXPECT_EQ(OF_12(cudaStreamGetCaptureInfo)(stream, &status, &id), cudaSuccess);
  EXPECT_TRUE(status == cudaStreamCaptureStatusActive && id != 0);
  EXPECT_EQ(OF_12(cudaStreamGetCaptureInfo_v2)(stream, &status, &id, &graph, &after, &count), cudaSuccess);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(OF_12(cudaStreamUpdateCaptureDependencies)(stream, nullptr, 0, 1), cudaSuccess);
  ASSERT_EQ(function<decltype(cudaStreamEndCapture)>("cudaStreamEndCapture")(stream, &graph), cudaSuccess);
  EXPECT_EQ(function<decltype(cudaGraphDestroy)>("cudaGraphDestroy")(graph), cudaSuccess);
  EXPECT_EQ(function<decltype(cudaStreamDestroy)>("cudaStreamDestroy")(stream), cudaSuccess);
}

TEST(Runtime12, TexturesAreDescribed) {
  v12::Resource resource{};
  v12::ResourceView view{};
  EXPECT_EQ(OF_12(cudaGetTextureObjectResourceDesc)(&resource, 1), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(OF_12(cudaGetSurfaceObjectResourceDesc)(&resource, 1), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(OF_12(cudaGetTextureObjectResourceViewDesc)(&view, 1), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace xcuda::test
