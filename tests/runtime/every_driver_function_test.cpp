// Each row of runtime/driver/driver_functions.def is called: those that are there do what they say, the others refuse.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/runtime/driver_calls.hpp"
#include "tests/runtime/program.hpp"

namespace xcuda::test {

std::set<std::string>& called_driver() {
  static std::set<std::string> names;
  return names;
}

namespace {

struct DriverRow {
  const char* name;
  enum class State { there, refused, same } state;
};
constexpr DriverRow kDriverRows[] = {
#define XCUDA_DRIVER_WORKS(name, since) {#name, DriverRow::State::there},
#define XCUDA_DRIVER_PARTLY(name, since, how) {#name, DriverRow::State::there},
#define XCUDA_DRIVER_REFUSED(name, since, what) {#name, DriverRow::State::refused},
#define XCUDA_DRIVER_SAME(name, since, as) {#name, DriverRow::State::same},
#define XCUDA_DRIVER_THREAD(name, as) {#name, DriverRow::State::same},
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD
};

void* driver_symbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

TEST(EveryDriverFunction, HasItsName) {
  for (const auto& row : kDriverRows) EXPECT_NE(driver_symbol(row.name), nullptr) << row.name;
}

TEST(EveryDriverFunction, ThatIsNotThereSaysSoOnce) {
  int refused = 0;
  for (const auto& row : kDriverRows) {
    if (row.state != DriverRow::State::refused) continue;
    const auto function = reinterpret_cast<CUresult (*)(void*, void*, void*, void*)>(driver_symbol(row.name));
    ASSERT_NE(function, nullptr) << row.name;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(function(nullptr, nullptr, nullptr, nullptr), CUDA_ERROR_NOT_SUPPORTED) << row.name;
    function(nullptr, nullptr, nullptr, nullptr);
    const auto said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find(std::string("xcuda: ") + row.name + " is not supported"), 0u) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
    ++refused;
  }
  EXPECT_GT(refused, 0);
}

void call_devices() {
  CUdevice device = 9;
  int value = 9, other = 9;
  char name[100] = {}, bus[20] = {};
  CUuuid id{};
  std::size_t bytes = 0;
  CUmemoryPool pool = nullptr;
  DOES(cuInit, 0);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuInit, 1);
  DOES(cuDriverGetVersion, &value);
  EXPECT_GE(value, 13000);
  DOES(cuDeviceGetCount, &value);
  EXPECT_EQ(value, 1);
  DOES(cuDeviceGet, &device, 0);
  DRIVER_CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet, &device, 1);
  DOES(cuDeviceGetName, name, sizeof name, 0);
  EXPECT_GT(std::strlen(name), 3u);
  DOES(cuDeviceGetUuid_v2, &id, 0);
  DOES(cuDeviceTotalMem_v2, &bytes, 0);
  EXPECT_GT(bytes, 1u << 20);
  DOES(cuDeviceGetAttribute, &value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
  EXPECT_EQ(value, 32);
  DOES(cuDeviceComputeCapability, &value, &other, 0);
  EXPECT_TRUE(value == 8 && other == 0);
  DOES(cuDeviceGetPCIBusId, bus, sizeof bus, 0);
  int linked = 0;
  DRIVER_CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAttribute, &linked, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0,
              1);
  unsigned can[1] = {};
  const CUatomicOperation add[] = {CU_ATOMIC_OPERATION_INTEGER_ADD};
  DOES(cuDeviceGetHostAtomicCapabilities, can, add, 1, 0);
  EXPECT_NE(can[0], 0U);
  DRIVER_CALL(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAtomicCapabilities, can, add, 1, 0, 0);
  CUdevice by_bus = 9;
  DOES(cuDeviceGetByPCIBusId, &by_bus, bus);
  EXPECT_EQ(by_bus, 0);
  DOES(cuDeviceGetDefaultMemPool, &pool, 0);
  DOES(cuDeviceSetMemPool, 0, pool);
  DOES(cuDeviceGetMemPool, &pool, 0);
  DOES(cuDeviceCanAccessPeer, &value, 0, 0);
  CUdevprop old{};
  DOES(cuDeviceGetProperties, &old, 0);
  EXPECT_TRUE(old.maxThreadsPerBlock == 1024 && old.SIMDWidth == 32);
  DOES(cuDeviceGetTexture1DLinearMaxWidth, &bytes, CU_AD_FORMAT_FLOAT, 4, 0);
  EXPECT_GT(bytes, 1u << 20);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuDeviceGetTexture1DLinearMaxWidth, &bytes, CU_AD_FORMAT_FLOAT, 3, 0);
  DOES(cuDeviceGetExecAffinitySupport, &value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0);
  EXPECT_EQ(value, 0);
}

void call_contexts() {
  CUcontext first = nullptr, second = nullptr, third = nullptr, now = nullptr, primary = nullptr;
  CUdevice device = 9;
  CUctxCreateParams wanted{};
  unsigned flags = 9, version = 0;
  unsigned long long id = 0;
  std::size_t bytes = 0;
  int least = 9, greatest = 9, active = 9;
  CUfunc_cache cache{};
  DOES(cuCtxCreate_v2, &first, CU_CTX_SCHED_SPIN, 0);
  DOES(cuCtxCreate_v3, &second, nullptr, 0, 0, 0);
  DOES(cuCtxCreate_v4, &third, &wanted, 0, 0);
  DOES(cuCtxGetCurrent, &now);
  EXPECT_EQ(now, third);
  DOES(cuCtxPopCurrent_v2, &now);
  DOES(cuCtxGetCurrent, &now);
  EXPECT_EQ(now, second);
  DOES(cuCtxSetCurrent, first);
  DOES(cuCtxGetFlags, &flags);
  EXPECT_EQ(flags, CU_CTX_SCHED_SPIN);
  DOES(cuCtxSetFlags, 0);
  DOES(cuCtxAttach, &now, 0);
  EXPECT_EQ(now, first);
  DOES(cuCtxDetach, first);
  EXPECT_EQ(cuCtxGetCurrent(&now), CUDA_SUCCESS);
  EXPECT_EQ(now, first);  // it was used twice
  DRIVER_CALL(CUDA_ERROR_INVALID_CONTEXT, cuCtxDetach, second);
  DOES(cuCtxPushCurrent_v2, second);
  DOES(cuCtxGetId, second, &id);
  EXPECT_GT(id, 1u);
  DOES(cuCtxGetApiVersion, second, &version);
  DOES(cuCtxGetDevice, &device);
  DOES(cuCtxGetDevice_v2, &device, second);
  EXPECT_EQ(device, 0);
  DOES(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, 4096);
  DOES(cuCtxGetLimit, &bytes, CU_LIMIT_STACK_SIZE);
  EXPECT_EQ(bytes, 4096u);
  DOES(cuCtxSetCacheConfig, CU_FUNC_CACHE_PREFER_L1);
  DOES(cuCtxGetCacheConfig, &cache);
  EXPECT_EQ(cache, CU_FUNC_CACHE_PREFER_L1);
  DOES(cuCtxResetPersistingL2Cache);
  CUsharedconfig banks{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  DOES(cuCtxSetSharedMemConfig, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
  DOES(cuCtxGetSharedMemConfig, &banks);
#pragma GCC diagnostic pop
  EXPECT_EQ(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  DOES(cuCtxGetStreamPriorityRange, &least, &greatest);
  DRIVER_CALL(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess, first, 0);
  DRIVER_CALL(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess, first);
  DOES(cuCtxSynchronize);
  DOES(cuCtxSynchronize_v2, first);
  DOES(cuCtxDestroy_v2, second);
  DOES(cuCtxDestroy_v2, third);
  DOES(cuCtxDestroy_v2, first);
  DOES(cuDevicePrimaryCtxSetFlags_v2, 0, CU_CTX_SCHED_AUTO);
  DOES(cuDevicePrimaryCtxRetain, &primary, 0);
  DOES(cuDevicePrimaryCtxGetState, 0, &flags, &active);
  EXPECT_EQ(active, 1);
  DOES(cuDevicePrimaryCtxRelease_v2, 0);
  DOES(cuDevicePrimaryCtxRetain, &primary, 0);
  DOES(cuCtxSetCurrent, primary);
  EXPECT_EQ(cuCtxAttach(&now, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDetach(primary), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDetach(primary), CUDA_ERROR_INVALID_CONTEXT);  // it was attached once
  EXPECT_EQ(cuCtxGetCurrent(&now), CUDA_SUCCESS);
  EXPECT_EQ(now, primary);
  DOES(cuProfilerStart);
  DOES(cuProfilerStop);
}

void call_modules(CUdeviceptr out) {
  CUmodule module = nullptr, other = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr variable = 0;
  std::size_t bytes = 0, size = 0, offset = 0;
  unsigned count = 0;
  int value = 0;
  const char* name = nullptr;
  CUmoduleLoadingMode mode{};
  CUfunctionLoadingState state{};
  DOES(cuModuleLoadData, &module, program_text());
  DOES(cuModuleLoadFatBinary, &other, program_binary());
  DOES(cuModuleUnload, other);
  char log[200] = "x";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), nullptr};
  DOES(cuModuleLoadDataEx, &other, program_text(), 3, options, values);
  EXPECT_STREQ(log, "");
  DOES(cuModuleUnload, other);
  values[1] = reinterpret_cast<void*>(sizeof log);
  DRIVER_CALL(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx, &other, ".version 8.0\n.target sm_80\n.entry {", 2, options,
              values);
  EXPECT_GT(std::strlen(log), 5u);
  DOES(cuModuleGetLoadingMode, &mode);
  DOES(cuModuleGetFunctionCount, &count, module);
  EXPECT_EQ(count, 3u);
  std::vector<CUfunction> all(count);
  DOES(cuModuleEnumerateFunctions, all.data(), count, module);
  DOES(cuModuleGetFunction, &function, module, "fill");
  EXPECT_NE(std::find(all.begin(), all.end(), function), all.end());
  DRIVER_CALL(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction, &function, module, "nothing");
  DOES(cuModuleGetGlobal_v2, &variable, &bytes, module, "scale");
  EXPECT_EQ(bytes, 4u);
  DOES(cuMemcpyDtoH_v2, &value, variable, 4);
  EXPECT_EQ(value, 3);
  DOES(cuFuncGetModule, &other, function);
  EXPECT_EQ(other, module);
  DOES(cuFuncGetName, &name, function);
  EXPECT_STREQ(name, "fill");
  DOES(cuFuncGetParamInfo, function, 1, &offset, &size);
  EXPECT_TRUE(offset == 8 && size == 4);
  DOES(cuFuncGetAttribute, &value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  EXPECT_EQ(value, 1024);
  DOES(cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10);
  DOES(cuFuncSetCacheConfig, function, CU_FUNC_CACHE_PREFER_L1);
  DOES(cuFuncLoad, function);
  DOES(cuFuncIsLoaded, &state, function);
  EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);

  int fill_value = 11;
  void* arguments[] = {&out, &fill_value};
  const auto runs = [&](int expected) {
    int found = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&found, out + 31 * 4, 4), CUDA_SUCCESS);
    EXPECT_EQ(found, expected);
    ++fill_value;
  };
  DOES(cuLaunchKernel, function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  runs(11);
  struct {
    CUdeviceptr out;
    int value;
  } block{out, 12};
  std::size_t block_size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &block_size,
                   CU_LAUNCH_PARAM_END};
  DOES(cuLaunchKernel, function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra);
  runs(12);
  DOES(cuLaunchCooperativeKernel, function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments);
  runs(13);
  const CUlaunchConfig config{1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0};
  DOES(cuLaunchKernelEx, &config, function, arguments, nullptr);
  runs(14);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuLaunch, function);  // no block was set
  DOES(cuFuncSetBlockShape, function, 32, 1, 1);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape, function, 32, 0, 1);
  DOES(cuFuncSetSharedSize, function, 16);
  DOES(cuFuncSetSharedMemConfig, function, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  DOES(cuParamSetv, function, 0, &out, sizeof out);
  DOES(cuParamSeti, function, 8, 15);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuParamSeti, function, -1, 15);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuParamSetSize, function, 32765);
  DOES(cuParamSetSize, function, 32764);
  DOES(cuParamSetSize, function, 12);
  DOES(cuLaunch, function);
  runs(15);
  float bits = 0;
  std::memcpy(&bits, &fill_value, sizeof bits);
  DOES(cuParamSetf, function, 8, bits);
  DOES(cuLaunchGrid, function, 1, 1);
  runs(16);
  DOES(cuParamSeti, function, 8, 17);
  DOES(cuLaunchGridAsync, function, 1, 1, nullptr);
  runs(17);
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid, function, 0, 1);
  int blocks = 0, threads = 0;
  DOES(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function, 1024, 0);
  EXPECT_EQ(blocks, 2);
  DOES(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, &blocks, function, 512, 0, CU_OCCUPANCY_DEFAULT);
  EXPECT_EQ(blocks, 4);
  DOES(cuOccupancyMaxPotentialBlockSize, &blocks, &threads, function, nullptr, 0, 0);
  EXPECT_TRUE(threads == 1024 && blocks >= 2);
  DOES(cuOccupancyMaxPotentialBlockSizeWithFlags, &blocks, &threads, function, nullptr, 0, 100, CU_OCCUPANCY_DEFAULT);
  EXPECT_LE(threads, 100);
  DOES(cuOccupancyAvailableDynamicSMemPerBlock, &bytes, function, 2, 1024);
  EXPECT_GT(bytes, 0u);

  char path[] = "/tmp/xcuda_module_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, program_text(), std::strlen(program_text())),
            static_cast<ssize_t>(std::strlen(program_text())));
  close(file);
  DOES(cuModuleLoad, &other, path);
  DOES(cuModuleUnload, other);
  CUlibrary library = nullptr;
  DOES(cuLibraryLoadFromFile, &library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
  DOES(cuLibraryUnload, library);
  CUlinkState link = nullptr;
  DOES(cuLinkCreate_v2, 0, nullptr, nullptr, &link);
  DOES(cuLinkAddFile_v2, link, CU_JIT_INPUT_PTX, path, 0, nullptr, nullptr);
  char second[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry second() { ret; }\n";
  DOES(cuLinkAddData_v2, link, CU_JIT_INPUT_PTX, second, sizeof second, "second", 0, nullptr, nullptr);
  void* code = nullptr;
  DOES(cuLinkComplete, link, &code, &size);
  EXPECT_GT(size, std::strlen(program_text()));
  DOES(cuModuleLoadData, &other, code);
  DOES(cuModuleGetFunction, &function, other, "second");
  DOES(cuLinkDestroy, link);
  DOES(cuModuleUnload, other);
  DOES(cuModuleUnload, module);
  unlink(path);
}

void call_libraries() {
  CUlibrary library = nullptr, found = nullptr;
  CUmodule module = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr variable = 0;
  std::size_t bytes = 0, offset = 0, size = 0;
  unsigned count = 0;
  int value = 0;
  const char* name = nullptr;
  DOES(cuLibraryLoadData, &library, program_text(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  DOES(cuLibraryGetKernelCount, &count, library);
  std::vector<CUkernel> all(count);
  DOES(cuLibraryEnumerateKernels, all.data(), count, library);
  DOES(cuLibraryGetKernel, &kernel, library, "trapping");
  EXPECT_NE(std::find(all.begin(), all.end(), kernel), all.end());
  DOES(cuLibraryGetModule, &module, library);
  DOES(cuLibraryGetGlobal, &variable, &bytes, library, "scale");
  DOES(cuLibraryGetManaged, &variable, &bytes, library, "scale");
  EXPECT_EQ(bytes, 4u);
  DOES(cuKernelGetFunction, &function, kernel);
  DOES(cuKernelGetLibrary, &found, kernel);
  EXPECT_EQ(found, library);
  DOES(cuKernelGetName, &name, kernel);
  EXPECT_STREQ(name, "trapping");
  DRIVER_CALL(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo, kernel, 0, &offset, &size);
  DOES(cuKernelGetAttribute, &value, CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel, 0);
  EXPECT_EQ(value, 80);
  DOES(cuKernelSetAttribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 4096, kernel, 0);
  DOES(cuKernelSetCacheConfig, kernel, CU_FUNC_CACHE_PREFER_L1, 0);
  DOES(cuLibraryUnload, library);
}

void count_call(void* calls) { ++*static_cast<int*>(calls); }
void count_stream_call(CUstream, CUresult result, void* calls) { *static_cast<int*>(calls) += result == CUDA_SUCCESS; }

void call_driver_streams(CUstream& stream) {
  CUstream other = nullptr;
  CUcontext context = nullptr;
  CUdevice device = 9;
  unsigned flags = 9;
  unsigned long long id = 0;
  int priority = 9, calls = 0;
  DOES(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  DOES(cuStreamCreateWithPriority, &other, 0, -1);
  DOES(cuStreamGetFlags, stream, &flags);
  EXPECT_EQ(flags, CU_STREAM_NON_BLOCKING);
  DOES(cuStreamGetPriority, other, &priority);
  CUstreamAttrValue value{}, kept{};
  value.syncPolicy = CU_SYNC_POLICY_YIELD;
  DOES(cuStreamSetAttribute, other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value);
  DOES(cuStreamCopyAttributes, stream, other);
  DOES(cuStreamGetAttribute, stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &kept);
  EXPECT_EQ(kept.syncPolicy, CU_SYNC_POLICY_YIELD);
  DOES(cuStreamGetId, other, &id);
  DOES(cuStreamGetDevice, other, &device);
  DOES(cuStreamGetCtx, other, &context);
  EXPECT_NE(context, nullptr);
  CUcontext same = nullptr;
  CUgreenCtx green = nullptr;
  DOES(cuStreamGetCtx_v2, other, &same, &green);
  EXPECT_TRUE(same == context && green == nullptr);
  CUevent from = nullptr, to = nullptr;
  float time = -1;
  DOES(cuEventCreate, &from, CU_EVENT_DEFAULT);
  DOES(cuEventCreate, &to, CU_EVENT_BLOCKING_SYNC);
  DOES(cuEventRecord, from, stream);
  DOES(cuLaunchHostFunc, stream, count_call, &calls);
  DOES(cuEventRecordWithFlags, to, stream, CU_EVENT_RECORD_DEFAULT);
  DOES(cuStreamWaitEvent, other, to, 0);
  DOES(cuStreamAddCallback, other, count_stream_call, &calls, 0);
  DOES(cuStreamSynchronize, other);
  EXPECT_EQ(calls, 2);
  DOES(cuEventSynchronize, to);
  DOES(cuEventQuery, to);
  DOES(cuEventElapsedTime_v2, &time, from, to);
  EXPECT_GE(time, 0);
  DOES(cuEventDestroy_v2, from);
  DOES(cuStreamQuery, stream);
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUstreamCaptureStatus status{};
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  DOES(cuThreadExchangeStreamCaptureMode, &mode);
  DOES(cuStreamBeginCapture_v2, other, CU_STREAM_CAPTURE_MODE_GLOBAL);
  DOES(cuLaunchHostFunc, other, count_call, &calls);
  DOES(cuStreamIsCapturing, other, &status);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  DOES(cuStreamEndCapture, other, &graph);
  DOES(cuGraphInstantiateWithFlags, &executable, graph, 0);
  DOES(cuGraphUpload, executable, other);
  DOES(cuGraphLaunch, executable, other);
  DOES(cuStreamSynchronize, other);
  EXPECT_EQ(calls, 3);
  DOES(cuGraphExecDestroy, executable);
  DOES(cuGraphDestroy, graph);
  DOES(cuStreamDestroy_v2, other);
}

void call_names() {
  const char* text = nullptr;
  void* function = nullptr;
  CUdriverProcAddressQueryResult found{};
  DOES(cuGetErrorName, CUDA_ERROR_NOT_FOUND, &text);
  EXPECT_STREQ(text, "CUDA_ERROR_NOT_FOUND");
  DOES(cuGetErrorString, CUDA_ERROR_NOT_FOUND, &text);
  EXPECT_STREQ(text, "named symbol not found");
  DOES(cuGetProcAddress, "cuMemAlloc", &function, 12000, 0);
  const auto allocate = reinterpret_cast<decltype(cuMemAlloc_v2)*>(function);
  CUdeviceptr address = 0;
  EXPECT_EQ(allocate(&address, 16), CUDA_SUCCESS);
  DOES(cuGetProcAddress_v2, "cuCtxCreate", &function, 12000, 0, &found);
  void* newer = nullptr;
  DOES(cuGetProcAddress_v2, "cuCtxCreate", &newer, 13000, 0, &found);
  EXPECT_NE(function, newer);
  DOES(cuGetProcAddress_v2, "cuLibraryLoadData", &function, 11000, 0, &found);
  EXPECT_EQ(found, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  DRIVER_CALL(CUDA_ERROR_NOT_FOUND, cuGetProcAddress, "cuNothing", &function, 13000, 0);
  cudaDriverEntryPointQueryResult result{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, cudaEnableDefault, &result), cudaSuccess);
  EXPECT_EQ(result, cudaDriverEntryPointSuccess);
  EXPECT_EQ(reinterpret_cast<decltype(cuMemAlloc_v2)*>(function), allocate);
  const void* table = &table;
  const CUuuid id{};
  DRIVER_CALL(CUDA_ERROR_NO_DEVICE, cuGetExportTable, &table, &id);
  EXPECT_EQ(table, nullptr);
}

TEST(EveryDriverFunction, ThatIsThereDoesItsWork) {
  CUstream stream = nullptr;
  CUdeviceptr out = 0;
  call_devices();
  call_contexts();
  call_driver_streams(stream);
  ASSERT_EQ(cuMemAlloc_v2(&out, 128), CUDA_SUCCESS);
  call_modules(out);
  call_libraries();
  call_driver_memory();
  call_driver_copies(stream);
  call_driver_mappings();
  call_driver_words(stream);
  call_driver_batches(stream);
  call_driver_arrays(stream);
  call_driver_graphs(stream);
  call_names();
  DOES(cuDevicePrimaryCtxReset_v2, 0);
  for (const auto& row : kDriverRows) {
    EXPECT_TRUE(row.state != DriverRow::State::there || called_driver().contains(row.name))
        << row.name << " was not called";
  }
}

}  // namespace
}  // namespace xcuda::test
