// The verbs, faults by name and line, printf, assert, refusals: on the kernels of tests/kernels/faults.cu, whose lines
// are found by their text.
#include "tests/places.hpp"
#include "tests/unit/device/cpu/device_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

class Faults : public DeviceTest {
 protected:
  Faults() { load("faults"); }

  // The line of faults.cu that holds the text.
  static int line_of(const std::string& text) {
    std::ifstream file(test::source_file("tests/kernels/faults.cu"));
    int number = 1;
    for (std::string line; std::getline(file, line); ++number)
      if (line.find(text) != std::string::npos) return number;
    ADD_FAILURE() << text;
    return 0;
  }
};

TEST_F(Faults, AWriteBeyondAnArray) {
  const auto x = zeros<float>("x", 100);
  zeros<float>("neighbour", 1000);
  const Fault fault = fault_of("beyond", {{4}, {32}}, x);
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.array, "x");
  EXPECT_EQ(fault.element, 100);
  EXPECT_EQ(fault.elements, 100u);
  EXPECT_EQ(fault.access, Access::write);
  EXPECT_EQ(fault.access_size, 4u);
  EXPECT_EQ(fault.block, (Dim3{3, 0, 0}));
  EXPECT_EQ(fault.thread, (Dim3{4, 0, 0}));
  EXPECT_EQ(fault.source, "In[3]");
  EXPECT_EQ(fault.line, line_of("x[i] = 1;"));
  EXPECT_EQ(fault.entry, "beyond");
  EXPECT_EQ(fault.launches, std::vector<std::uint64_t>{launches_});
}

TEST_F(Faults, AReadBeforeAnArray) {
  zeros<float>("other", 64);
  const auto x = zeros<float>("x", 64), y = zeros<float>("y", 64);
  const Fault fault = fault_of("before", {{1}, {64}}, x, y);
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.array, "x");
  EXPECT_EQ(fault.element, -1);
  EXPECT_EQ(fault.access, Access::read);
  EXPECT_EQ(fault.thread, (Dim3{0, 0, 0}));
  EXPECT_EQ(fault.line, line_of("y[i] = x[i - 1];"));
}

TEST_F(Faults, AGatherOfOneBadLane) {
  std::vector<int> indices(70, 3);
  indices[69] = 1'000'000;
  const auto index = make("index", indices);
  const auto x = zeros<float>("x", 10), y = zeros<float>("y", 70);
  const Fault fault = fault_of("gather", {{2}, {48}}, index, x, y, 70);
  EXPECT_EQ(fault.array, "x");
  EXPECT_EQ(fault.element, 1'000'000);
  EXPECT_EQ(fault.elements, 10u);
  EXPECT_EQ(fault.block, (Dim3{1, 0, 0}));
  EXPECT_EQ(fault.thread, (Dim3{21, 0, 0}));
  EXPECT_EQ(fault.line, line_of("y[i] = x[index[i]];"));
}

TEST_F(Faults, PointersInArrays) {
  const auto a = zeros<float>("a", 32), b = zeros<float>("b", 32);
  const auto row = make<Address>("row", {a.address, b.address});
  launch("rows", {{2}, {32}}, row, 0);
  EXPECT_EQ(read(b), std::vector<float>(32, 1.0f));
  const Fault fault = fault_of("rows", {{2}, {32}}, row, 1);
  EXPECT_EQ(fault.element, 32);
  EXPECT_EQ(fault.elements, 32u);
  EXPECT_TRUE(fault.array == "a" || fault.array == "b") << fault.array;
}

TEST_F(Faults, TwoDimensions) {
  const auto m = zeros<double>("m", 20 * 10);
  launch("matrix", {{2, 2}, {10, 5}}, m, 20);
  const Fault fault = fault_of("matrix", {{2, 3}, {10, 5}}, m, 20);
  EXPECT_EQ(fault.array, "m");
  EXPECT_EQ(fault.elements, 200u);
  EXPECT_EQ(fault.element, 200);
  EXPECT_EQ(fault.block, (Dim3{0, 2, 0}));
  EXPECT_EQ(fault.thread, (Dim3{0, 0, 0}));
}

TEST_F(Faults, SharedMemory) {
  const auto out = zeros<int>("out", 32);
  launch("shared_beyond", {{1}, {32}}, out, 0);
  EXPECT_EQ(read(out)[0], 31);
  const Fault fault = fault_of("shared_beyond", {{1}, {32}}, out, 1);
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.array, "shared memory");
  EXPECT_EQ(fault.element, 32);
  EXPECT_EQ(fault.thread, (Dim3{31, 0, 0}));
  EXPECT_EQ(fault.line, line_of("s[threadIdx.x + k]"));
}

TEST_F(Faults, Atomics) {
  const auto bins = zeros<int>("bins", 4), which = make<int>("which", {0, 1, 2, 3, 3, 4});
  const Fault fault = fault_of("add_beyond", {{1}, {6}}, bins, which);
  EXPECT_EQ(fault.array, "bins");
  EXPECT_EQ(fault.element, 4);
  EXPECT_EQ(fault.access, Access::atomic);
  EXPECT_EQ(fault.thread, (Dim3{5, 0, 0}));
}

TEST_F(Faults, NullPointer) {
  const Fault fault = fault_of("beyond", {{1}, {32}}, Address{0});
  EXPECT_EQ(fault.kind, FaultKind::null_pointer);
  EXPECT_EQ(fault.line, line_of("x[i] = 1;"));
}

TEST_F(Faults, APointerToNothing) {
  zeros<float>("x", 64);
  const Fault fault = fault_of("beyond", {{1}, {32}}, Address{0x7000'0000'0000});
  EXPECT_EQ(fault.kind, FaultKind::illegal_address);
}

TEST_F(Faults, ModuleVariables) {
  const auto out = zeros<float>("out", 1);
  launch("variable_beyond", {{1}, {1}}, out, 3);
  EXPECT_EQ(read(out)[0], 4.0f);
  const Fault fault = fault_of("variable_beyond", {{1}, {1}}, out, 4);
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.array, "weights");
  EXPECT_EQ(fault.element, 4);
  EXPECT_EQ(fault.elements, 4u);
}

TEST_F(Faults, AFaultEndsTheDevice) {
  const auto x = zeros<float>("x", 8);
  post("beyond", {{1}, {32}}, x);
  post("beyond", {{1}, {8}}, x);
  EXPECT_TRUE(device_->synchronize({}).fault);
  EXPECT_THROW(device_->synchronize({}), Error);
  EXPECT_THROW(device_->create_event(EventId{1}), Error);
}

TEST_F(Faults, Assert) {
  std::vector<int> values(64, 1);
  values[37] = 0;
  const auto x = make("x", values);
  const Fault fault = fault_of("check", {{2}, {32}}, x);
  const std::string line = "In[3]:" + std::to_string(line_of("assert(x[i] > 0)")) +
                           ": void check(const int *): block: [1,0,0], thread: [5,0,0] Assertion `x[i] > 0` failed.";
  EXPECT_EQ(fault.kind, FaultKind::assertion);
  EXPECT_EQ(fault.message, line);
  EXPECT_EQ(errors_, line + "\n");
  EXPECT_EQ(fault.line, line_of("assert(x[i] > 0)"));
  EXPECT_EQ(fault.thread, (Dim3{5, 0, 0}));
}

TEST_F(Faults, Trap) {
  launch("trapping", {{1}, {32}}, 99);
  const Fault fault = fault_of("trapping", {{1}, {32}}, 7);
  EXPECT_EQ(fault.kind, FaultKind::trap);
  EXPECT_EQ(fault.thread, (Dim3{7, 0, 0}));
  EXPECT_EQ(fault.line, line_of("__trap()"));
}

TEST_F(Faults, Printf) {
  launch("hello", {{200}, {32}}, 2);
  std::string expected;
  for (int b = 0; b < 200; ++b)
    for (int t = 0; t < 2; ++t)
      expected += "block " + std::to_string(b) + " thread " + std::to_string(t) + ": ok " + (t ? "0.50" : "0.00") +
                  " 1099511627776\n";
  EXPECT_EQ(out_, expected);
}

TEST_F(Faults, VariablesKeepTheirValues) {
  const auto seen = zeros<int>("seen", 1);
  launch("bump", {{1}, {1}}, seen);
  launch("bump", {{1}, {1}}, seen);
  EXPECT_EQ(read(seen)[0], 205);
  ASSERT_EQ(info_.variables.size() >= 3, true);
  for (const VariableInfo& variable : info_.variables) {
    if (variable.symbol != "counter") continue;
    EXPECT_EQ(variable.size, 4u);
    EXPECT_FALSE(variable.constant);
    EXPECT_EQ(read(Array<int>{variable.address, 1})[0], 205);
    write(Array<int>{variable.address, 1}, {1});
  }
  launch("bump", {{1}, {1}}, seen);
  EXPECT_EQ(read(seen)[0], 101);
}

TEST_F(Faults, StructuresByValue) {
  struct Pair {
    char tag;
    double value;
  } pair{'x', 2.5};
  struct Float3 {
    float x, y, z;
  } f{1, 2, 3};
  const auto out = zeros<double>("out", 6);
  launch("by_value", {{1}, {1}}, pair, std::int16_t{-7}, f, out);
  EXPECT_EQ(read(out), (std::vector<double>{'x', 2.5, -7, 1, 2, 3}));
}

TEST_F(Faults, CoordinatesInEveryBlockShape) {
  for (const Dim3& block : {Dim3{1, 1, 1}, Dim3{33, 1, 1}, Dim3{8, 8, 1}, Dim3{3, 5, 2}, Dim3{16, 2, 3}, Dim3{4, 1, 8},
                            Dim3{2, 32, 2}, Dim3{64, 2, 2}, Dim3{20, 3, 1}}) {
    const Dim3 grid{2, 3, 2};
    const auto out = zeros<std::uint32_t>("out", grid.count() * block.count());
    launch("coordinates", {grid, block}, out);
    const auto got = read(out);
    for (std::uint32_t b = 0; b < grid.count(); ++b)
      for (std::uint32_t t = 0; t < block.count(); ++t) {
        const std::uint32_t x = t % block.x, y = t / block.x % block.y, z = t / block.x / block.y;
        ASSERT_EQ(got[b * block.count() + t], x | y << 10 | z << 20 | b << 26)
            << block.x << " " << block.y << " " << block.z << ": " << t;
      }
  }
}

TEST_F(Faults, RefusedLaunchesLeaveTheDeviceAlive) {
  const auto x = zeros<float>("x", 8);
  post("beyond", {{1}, {1025}}, x);
  post("beyond", {{1}, {8}}, x);
  const Completion completion = device_->synchronize({});
  EXPECT_FALSE(completion.fault);
  ASSERT_EQ(completion.refused.size(), 1u);
  EXPECT_EQ(completion.refused[0].number, launches_ - 1);
  EXPECT_EQ(read(x), std::vector<float>(8, 1.0f));
}

TEST_F(Faults, TimingsAndEvents) {
  const auto x = zeros<int>("x", 32);
  device_->create_event(EventId{1});
  device_->create_event(EventId{2});
  EXPECT_THROW(device_->elapsed(EventId{1}, EventId{2}), Error);
  device_->post_record(EventId{1}, StreamId{0});
  post("slow", {{1}, {32}, 0, Timing::each}, x, 100'000);
  post("slow", {{1}, {32}}, x, 10);
  device_->post_record(EventId{2}, StreamId{0});
  const Completion completion = device_->synchronize({});
  ASSERT_EQ(completion.timings.size(), 1u);
  EXPECT_EQ(completion.timings[0].number, launches_ - 1);
  EXPECT_GT(completion.timings[0].duration, 0);
  EXPECT_GE(device_->elapsed(EventId{1}, EventId{2}), completion.timings[0].duration);
}

TEST_F(Faults, AnInterruptSkipsLaunchesAndTheDeviceGoesOn) {
  const auto x = zeros<int>("x", 32);
  Interrupt interrupt;
  for (int i = 0; i < 100'000; ++i) post("slow", {{1}, {32}}, x, 10'000);  // seconds of work, if it were done
  interrupt.raise();
  WaitRequest wait;
  wait.interrupt = &interrupt;
  wait.grace = std::chrono::milliseconds(10'000);
  const Completion completion = device_->synchronize(wait);
  EXPECT_FALSE(completion.fault);
  EXPECT_GT(completion.skipped.size(), 0u);
  launch("slow", {{1}, {32}}, x, 1);
}

TEST_F(Faults, CopiesOutsideOfMemoryAreFaults) {
  const auto x = zeros<float>("x", 8);
  device_->post_copy(StreamId{0}, {x.address, x.address + memory_bytes, 32});
  const Completion completion = device_->synchronize({});
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::illegal_address);
}

TEST_F(Faults, MemoryOutlivesTheDevice) {
  const Address base = device_->info().window.base;
  const Address place = base + memory_bytes;
  const MemoryRequest request{MemoryId{2}, place, 2 << 20};
  const File memory = device_->create_memory(request);
  write(Array<int>{place, 3}, {1, 2, 3});
  start(1);
  device_->import_memory(request, memory);
  EXPECT_EQ(read(Array<int>{place, 3}), (std::vector<int>{1, 2, 3}));
  EXPECT_THROW(device_->import_memory(request, memory), Error);
  device_->destroy_memory(MemoryId{2});
}

TEST_F(Faults, WrongPtxIsAnErrorOfTheLoad) {
  try {
    device_->load_module({ModuleId{50},
                          "In[9]",
                          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { nonsense; }",
                          {},
                          ""});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::compile);
    EXPECT_NE(error.message.find("In[9]"), std::string::npos);
    EXPECT_NE(error.message.find("nonsense"), std::string::npos);
  }
}

TEST_F(Faults, UnknownModulesAndKernelsAreRefused) {
  LaunchRequest request;
  request.number = 77;
  request.module = ModuleId{999};
  device_->post_launch(request);
  const Completion completion = device_->synchronize({});
  ASSERT_EQ(completion.refused.size(), 1u);
  EXPECT_EQ(completion.refused[0].number, 77u);
}

}  // namespace
}  // namespace xcuda::device::cpu
