// What the driver makes is ended once, before what it was made of, and the context last; also where a device goes in
// the middle of a capture. The driver is a table of functions that keep a list of what lives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/owned.hpp"
#include "device/memory.hpp"
#include "tests/unit/device/cuda/quiet_driver.hpp"

namespace xcuda::device::cuda {
namespace {

struct Ledger {
  std::set<std::string> live;
  std::vector<std::string> ended;
  std::uint64_t next = 0x1000;
  CUresult answer = CUDA_SUCCESS;  // to what ends something
};
Ledger ledger;

template <class Raw> std::string entry(std::string_view kind, Raw raw) {
  if constexpr (std::is_pointer_v<Raw>)
    return fmt::format("{} {:#x}", kind, reinterpret_cast<std::uintptr_t>(raw));
  else
    return fmt::format("{} {:#x}", kind, raw);
}

template <class Raw> CUresult make(std::string_view kind, Raw* raw) {
  if constexpr (std::is_pointer_v<Raw>)
    *raw = reinterpret_cast<Raw>(++ledger.next);
  else
    *raw = static_cast<Raw>(++ledger.next);
  ledger.live.insert(entry(kind, *raw));
  return CUDA_SUCCESS;
}

template <class Raw> CUresult end(std::string_view kind, Raw raw) {
  EXPECT_EQ(ledger.live.erase(entry(kind, raw)), 1u) << entry(kind, raw) << " does not live";
  ledger.ended.emplace_back(kind);
  return ledger.answer;
}

Driver recording_ends() {
  Driver driver = quiet_driver();
  driver.cuMemAddressReserve = [](CUdeviceptr* base, std::size_t, std::size_t, CUdeviceptr wanted, auto) {
    *base = wanted;
    ledger.live.insert(entry("window", wanted));
    return CUDA_SUCCESS;
  };
  driver.cuMemAddressFree = [](CUdeviceptr base, std::size_t) { return end("window", base); };
  driver.cuDevicePrimaryCtxRetain = [](CUcontext*, CUdevice device) {
    ledger.live.insert(entry("context", device));
    return CUDA_SUCCESS;
  };
  driver.cuDevicePrimaryCtxRelease = [](CUdevice device) { return end("context", device); };
  driver.cuCtxSynchronize = [] {
    ledger.ended.emplace_back("synchronize");
    return CUDA_SUCCESS;
  };
  driver.cuMemCreate = [](auto* memory, std::size_t, const CUmemAllocationProp*, auto) {
    return make("memory", memory);
  };
  driver.cuIpcOpenMemHandle = [](CUdeviceptr* base, CUipcMemHandle, auto) { return make("another's", base); };
  driver.cuIpcCloseMemHandle = [](CUdeviceptr base) { return end("another's", base); };
  driver.cuMemRelease = [](auto memory) { return end("memory", memory); };
  driver.cuMemMap = [](CUdeviceptr address, std::size_t, std::size_t, auto, auto) {
    ledger.live.insert(entry("mapping", address));
    return CUDA_SUCCESS;
  };
  driver.cuMemUnmap = [](CUdeviceptr address, std::size_t) { return end("mapping", address); };
  driver.cuMemAllocHost = [](void** memory, std::size_t bytes) {
    *memory = std::malloc(bytes);
    ledger.live.insert(entry("page-locked", *memory));
    return CUDA_SUCCESS;
  };
  driver.cuMemFreeHost = [](void* memory) {
    const CUresult result = end("page-locked", memory);
    std::free(memory);
    return result;
  };
  driver.cuMemHostRegister = [](void* memory, std::size_t, auto) {
    ledger.live.insert(entry("lock", memory));
    return CUDA_SUCCESS;
  };
  driver.cuMemHostUnregister = [](void* memory) { return end("lock", memory); };
  driver.cuStreamCreate = [](CUstream* stream, auto) { return make("stream", stream); };
  driver.cuStreamDestroy = [](CUstream stream) { return end("stream", stream); };
  driver.cuEventCreate = [](CUevent* event, auto) { return make("event", event); };
  driver.cuEventDestroy = [](CUevent event) { return end("event", event); };
  driver.cuStreamBeginCapture = [](CUstream stream, auto) {
    ledger.live.insert(entry("capture", stream));
    return CUDA_SUCCESS;
  };
  driver.cuStreamEndCapture = [](CUstream stream, CUgraph* graph) {
    end("capture", stream);
    return make("graph", graph);
  };
  driver.cuGraphDestroy = [](CUgraph graph) { return end("graph", graph); };
  driver.cuGraphInstantiate = [](CUgraphExec* graph, CUgraph, auto) { return make("executable", graph); };
  driver.cuGraphExecDestroy = [](CUgraphExec graph) { return end("executable", graph); };
  driver.cuModuleLoadDataEx = [](CUmodule* module, const void*, auto, auto*, void**) { return make("module", module); };
  driver.cuModuleUnload = [](CUmodule module) { return end("module", module); };
  driver.cuTexObjectCreate = [](CUtexObject* object, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*,
                                const CUDA_RESOURCE_VIEW_DESC*) { return make("texture", object); };
  driver.cuTexObjectDestroy = [](CUtexObject object) { return end("texture", object); };
  driver.cuSurfObjectCreate = [](CUsurfObject* object, const CUDA_RESOURCE_DESC*) { return make("surface", object); };
  driver.cuSurfObjectDestroy = [](CUsurfObject object) { return end("surface", object); };
  driver.cuArray3DCreate = [](CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR*) { return make("array", array); };
  driver.cuArrayDestroy = [](CUarray array) { return end("array", array); };
  return driver;
}

class Owned : public testing::Test {
 protected:
  void SetUp() override { ledger = {}; }
  void TearDown() override { EXPECT_EQ(ledger.live, std::set<std::string>()); }

  Event event() const {
    CUevent raw = nullptr;
    driver_.cuEventCreate(&raw, 0);
    return Event({&driver_, raw});
  }
  std::string said_at_the_end(CUresult answer) const {
    ledger.answer = answer;
    testing::internal::CaptureStderr();
    event().reset();
    return testing::internal::GetCapturedStderr();
  }
  ModuleImage module(ModuleId id) const {
    return {.id = id,
            .name = "In[1]",
            .ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n"};
  }

  const Driver driver_ = recording_ends();
};

TEST_F(Owned, EndsOnceWhereverItIsMoved) {
  Event first = event();
  Event second = std::move(first);
  EXPECT_FALSE(first);
  first = event();
  second = std::move(first);
  EXPECT_EQ(ledger.ended, std::vector<std::string>{"event"});
  second.reset();
  EXPECT_EQ(ledger.ended.size(), 2u);
}

TEST_F(Owned, ReportsAnEndThatFailsUnlessAFaultEndedAll) {
  EXPECT_EQ(said_at_the_end(CUDA_SUCCESS), "");
  EXPECT_EQ(said_at_the_end(CUDA_ERROR_INVALID_HANDLE), "cannot end an event: CUDA_ERROR_OF_A_TEST (400)\n");
  EXPECT_EQ(said_at_the_end(CUDA_ERROR_ILLEGAL_ADDRESS), "");
}

TEST_F(Owned, ADeviceEndsWhatItMadeAndTheContextLast) {
  {
    const auto device = make_cuda_device(driver_, StartRequest{}, 0);
    const auto base = device->info().window.base;
    device->create_memory({MemoryId{1}, base, 2 << 20});
    device->load_module(module(ModuleId{1}));
    device->create_stream(StreamId{1});
    device->create_event(EventId{1});
    device->post_launch({.number = 1, .module = ModuleId{1}, .entry = "f", .timing = Timing::each});
    TextureRequest texture;
    texture.id = TextureId{1};
    texture.address = base;
    texture.width = texture.height = 8;
    device->create_texture(texture);
    texture.id = TextureId{2};
    texture.surface = true;
    device->create_texture(texture);
    device->post_destroy_texture(TextureId{1});
    device->begin_capture(GraphId{1}, StreamId{2});
    device->end_capture(GraphId{1});
    device->begin_capture(GraphId{2}, StreamId{3});
    EXPECT_THROW(device->destroy_stream(StreamId{3}), Error) << "it is the capture's";
    ledger.ended.clear();
  }
  ASSERT_GE(ledger.ended.size(), 2u);
  EXPECT_EQ(ledger.ended.front(), "synchronize");
  EXPECT_EQ(ledger.ended.back(), "context");
  const auto at = [](std::string_view kind) {
    return std::find(ledger.ended.begin(), ledger.ended.end(), kind) - ledger.ended.begin();
  };
  EXPECT_LT(at("capture"), at("stream"));
  EXPECT_LT(at("texture"), at("array"));
  EXPECT_NE(std::find(ledger.ended.begin() + at("surface"), ledger.ended.end(), "array"), ledger.ended.end());
  EXPECT_LT(at("executable"), at("module"));
  EXPECT_LT(at("mapping"), at("memory"));
  EXPECT_LT(at("memory"), at("window"));
}

TEST_F(Owned, AnotherProcessesMemoryIsClosedOnce) {
  const auto device = make_cuda_device(driver_, StartRequest{}, 0);
  const auto closed = [] { return std::count(ledger.ended.begin(), ledger.ended.end(), "another's"); };
  {
    Memory memory(*device);
    const ForeignMemory foreign{{}, std::vector<std::byte>(sizeof(CUipcMemHandle)), 512};
    const auto first = memory.borrow(foreign), second = memory.borrow(foreign), third = memory.borrow(foreign);
    EXPECT_EQ(first, ledger.next - 2 + 512);
    EXPECT_TRUE(memory.is_borrowed(first) && memory.is_borrowed(second));
    EXPECT_FALSE(memory.is_borrowed(first - 512));
    ledger.ended.clear();
    memory.free(second);
    EXPECT_EQ(ledger.ended, (std::vector<std::string>{"synchronize", "another's"}));
    EXPECT_FALSE(memory.is_borrowed(second));
    EXPECT_THROW(memory.free(second), Error);
    memory.forget_borrowed();  // as after the end of the device's process
    EXPECT_TRUE(memory.is_borrowed(first));
    memory.free(first);
    memory.free(third);
    EXPECT_EQ(closed(), 1);
  }
  EXPECT_THROW(device->open_memory({MemoryId{9}, std::vector<std::byte>(10), 0}), Error);
}

TEST_F(Owned, ADeviceGoesOnAfterAnEndThatFailed) {
  testing::internal::CaptureStderr();
  {
    const auto device = make_cuda_device(driver_, StartRequest{}, 0);
    device->create_stream(StreamId{1});
    device->create_event(EventId{1});
    ledger.answer = CUDA_ERROR_INVALID_HANDLE;
    device->destroy_stream(StreamId{1});
    device->destroy_event(EventId{1});
    EXPECT_THROW(device->destroy_stream(StreamId{1}), Error);
    EXPECT_THROW(device->destroy_event(EventId{1}), Error);
    EXPECT_THROW(device->destroy_stream(StreamId{0}), Error) << "the default stream stays";
  }
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cannot end a stream:"), std::string::npos) << said;
  EXPECT_NE(said.find("cannot end the GPU's context:"), std::string::npos) << said;
}

TEST_F(Owned, AModuleThatCannotBeReadIsUnloaded) {
  Driver driver = driver_;
  driver.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char*) {
    *function = reinterpret_cast<CUfunction>(1);
    return CUDA_SUCCESS;
  };
  driver.cuFuncGetAttribute = [](int*, CUfunction_attribute, CUfunction) { return CUDA_ERROR_INVALID_VALUE; };
  driver.cuGetErrorString = driver.cuGetErrorName;
  const auto device = make_cuda_device(driver, StartRequest{}, 0);
  EXPECT_THROW(device->load_module(module(ModuleId{1})), Error);
  EXPECT_EQ(std::count(ledger.ended.begin(), ledger.ended.end(), "module"), 1);
}

}  // namespace
}  // namespace xcuda::device::cuda
