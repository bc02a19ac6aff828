#include "device/remote/codec.hpp"

#include <gtest/gtest.h>

#include <random>

namespace xcuda::device::remote {
namespace {

// Every field set to something else, so that one that is forgotten or swapped is seen: the bytes of what was read have
// to be the bytes of what was written.
template <class T> void expect_round_trip(const T& value) {
  const auto bytes = encode(value);
  T back{};
  ASSERT_TRUE(decode(bytes, back));
  EXPECT_EQ(encode(back), bytes);
  // Each shorter text is refused, and so is a longer one.
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    T partial{};
    EXPECT_FALSE(decode(std::span(bytes).first(size), partial)) << size;
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer, back));
}

Fault some_fault() {
  Fault fault;
  fault.kind = FaultKind::out_of_bounds;
  fault.launches = {5, 6};
  fault.library = "library";
  fault.message = "message";
  fault.entry = "entry";
  fault.source = "In[7]";
  fault.line = 3;
  fault.column = 4;
  fault.block = Dim3{1, 2, 3};
  fault.thread = Dim3{4, 5, 6};
  fault.access = Access::write;
  fault.access_size = 8;
  fault.address = 0x1234;
  fault.array = "x";
  fault.element = -1;
  fault.elements = 10;
  fault.other = OtherAccess{Access::read, "thread (1, 0, 0)", true, "In[6]", 9, 2};
  return fault;
}

TEST(Codec, ValuesComeBack) {
  LaunchRequest launch;
  launch.number = 77;
  launch.module = ModuleId{3};
  launch.entry = "saxpy";
  launch.grid = {1, 2, 3};
  launch.block = {4, 5, 6};
  launch.cluster = Dim3{2, 1, 1};
  launch.dynamic_shared = 1 << 16;
  launch.stream = StreamId{8};
  launch.mode = LaunchMode::cooperative;
  launch.timing = Timing::each;
  launch.code_wait = CodeWait::full;
  launch.checks = {false, true, true};
  launch.arguments = {std::byte{1}, std::byte{2}};
  expect_round_trip(launch);
  expect_round_trip(GraphLaunch{78, GraphId{4}, StreamId{8}, Timing::each});
  expect_round_trip(GraphInfo{10, 250});
  LaunchRequest back;
  ASSERT_TRUE(decode(encode(launch), back));
  EXPECT_EQ(back.entry, "saxpy");
  EXPECT_EQ(back.block, (Dim3{4, 5, 6}));
  EXPECT_EQ(back.cluster, launch.cluster);
  EXPECT_EQ(back.arguments, launch.arguments);
  EXPECT_TRUE(back.checks.races && !back.checks.bounds);

  Completion completion;
  completion.timings = {{1, 1000}, {2, 2000}};
  completion.refused = {{3, "too many", "use fewer"}};
  completion.reports = {{6, "algorithm", "float"}};
  completion.skipped = {4, 5};
  completion.fault = some_fault();
  completion.recovery = Recovery{123, false, true, {ModuleId{9}}};
  expect_round_trip(completion);

  library::Call call;
  call.library = "libcublasLt.so.13";
  call.operands = {{0x1000, Scalar::float16, {2, 3}, {3, 1}}, {}};
  call.scalars = {1, 0, 2, 0};
  call.activation = library::Activation::relu;
  call.precision = library::Precision::tf32;
  call.sums = library::Sums::fixed_order;
  call.random = {library::Generator::sobol, library::Ordering::legacy, library::Distribution::poisson, 7, 8, 9, 0.5, 3};
  call.workspace = 0x2000;
  call.workspace_bytes = 7;
  expect_round_trip(LibraryLaunch{79, StreamId{3}, Timing::each, call});
  expect_round_trip(library::OpenRequest{library::Family::fourier, {"a", "b"}, call});
  expect_round_trip(library::Facts{"cuBLASLt", "13.1.0", "libcublasLt.so.13", 5, 6});

  expect_round_trip(CodeRequest{ModuleId{3}, "saxpy", {16, 8, 2}, {false, true, true}});
  expect_round_trip(MachineCode{"target", "variant", 9, {{"L1", 1, "add", "remark", "In[7]", 3, "some lanes"}}});

  ModuleInfo module;
  module.functions = {{"k", {{0, 8, 8}, {8, 4, 4}}, 32, 1, 2, 3, 1024}};
  module.functions[0].native = {{NativeCode::State::stored, "blocks of rows", 77, 88}};
  module.variables = {{"v", 0x1000, 4, true}};
  module.load_time = 5;
  module.log = "log";
  expect_round_trip(module);
  expect_round_trip(ModuleImage{ModuleId{1}, "In[1]", std::string(3000, 'p'), {std::byte{9}}, "sm_90", "ptxas info"});
  expect_round_trip(ForeignMemory{MemoryId{1}, {std::byte{2}, std::byte{3}}, 4});
  expect_round_trip(ArrayRange{1, 2, 3, "x", "float", true});
  expect_round_trip(FillRequest{1, 2, {std::byte{3}, std::byte{4}}});
  expect_round_trip(CopyRequest{1, 2, 3, 4, 5, 6});
  TextureRequest texture;
  texture.address_mode[2] = AddressMode::wrap;
  texture.surface = true;
  texture.cube = Cube::layers;
  texture.smaller = {0x1000, 0x2000};
  texture.border[3] = 7;
  texture.level_bias = 0.5f;
  texture.anisotropy = 8;
  expect_round_trip(texture);
  TextureRequest other;
  ASSERT_TRUE(decode(encode(texture), other));
  EXPECT_EQ(other.smaller, texture.smaller);
  EXPECT_TRUE(other.cube == Cube::layers && other.border[3] == 7 && other.level_bias == 0.5f && other.anisotropy == 8);
  DeviceInfo info;
  info.name = "a device";
  info.ecc = true;
  info.max_grid = {1, 2, 3};
  info.window = {5, 6};
  expect_round_trip(info);
}

TEST(Codec, ErrorsComeBackWhole) {
  const auto error =
      Error(ErrorKind::compile, "what").said("library").advise("advice").note("note").at({"In[1]", 2, 3, 4, "text"});
  ErrorText text;
  ASSERT_TRUE(decode(encode(to_text(error)), text));
  const auto back = to_error(text);
  EXPECT_EQ(back.kind, ErrorKind::compile);
  EXPECT_EQ(back.message, "what");
  EXPECT_EQ(back.library, "library");
  EXPECT_EQ(back.advice, "advice");
  EXPECT_EQ(back.notes, error.notes);
  ASSERT_TRUE(back.place);
  EXPECT_EQ(back.place->excerpt, "text");
}

TEST(Codec, AnyBytesAreSafe) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(random() % 200);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    Completion completion;
    ModuleInfo module;
    LaunchRequest launch;
    (void)decode(bytes, completion);
    (void)decode(bytes, module);
    (void)decode(bytes, launch);
  }
  // A length that claims more than there is does not allocate it.
  ModuleImage image;
  EXPECT_FALSE(decode(encode(std::uint32_t{1}, ~std::uint64_t{0}), image));
}

}  // namespace
}  // namespace xcuda::device::remote
