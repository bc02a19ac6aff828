// What every device does. The order of the tests follows device.hpp.
#include <fcntl.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "tests/contract/rig.hpp"

namespace xcuda::device::contract {
namespace {

using namespace std::chrono_literals;
using testing::Values;

INSTANTIATE_TEST_SUITE_P(Device, Contract, testing::ValuesIn(contract_devices()),
                         [](const auto& info) { return info.param.name; });

template <class Function> ErrorKind error_kind(Function function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message.empty());
    return error.kind;
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::internal;
}

// --- What it is -----------------------------------------------------------------------------------------------------

TEST_P(Contract, SaysWhatItIs) {
  EXPECT_FALSE(info().name.empty());
  EXPECT_FALSE(info().architecture.empty());
  EXPECT_GT(info().memory_total, 0u);
  EXPECT_LE(info().memory_free, info().memory_total);
  EXPECT_GE(info().memory_granularity, 4096u);
  EXPECT_EQ(info().window.base % info().memory_granularity, 0u);
  EXPECT_GE(info().window.size, std::uint64_t{1} << 36);
  EXPECT_GE(info().max_threads_per_block, 128u);
  EXPECT_EQ(info().warp_size, 32);
  EXPECT_EQ(info().process != 0, has_process());
  EXPECT_GE(device().staging().size(), std::size_t{1} << 16);
}

// --- Memory ---------------------------------------------------------------------------------------------------------

TEST_P(Contract, NewMemoryIsZero) {
  const auto x = add_memory(0, 2);
  const auto words = 2 * info().memory_granularity / 4;
  const auto values = read<std::uint32_t>(x, words);
  EXPECT_EQ(std::count(values.begin(), values.end(), 0u), static_cast<std::ptrdiff_t>(words));
}

TEST_P(Contract, MemoryOutlivesTheDevice) {
  if (!info().memory_outlives_process) GTEST_SKIP() << "this device's memory ends with it";
  const auto request = memory_request(3);
  const auto file = device().create_memory(request);
  ASSERT_TRUE(file);
  EXPECT_NE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
  std::vector<std::uint32_t> values(1000);
  std::iota(values.begin(), values.end(), 5u);
  write(request.address + 64, values);
  const auto window = info().window;
  start(window);
  ASSERT_EQ(info().window.base, window.base);
  device().import_memory(request, file);
  EXPECT_EQ(read<std::uint32_t>(request.address + 64, values.size()), values);
}

TEST_P(Contract, MemoryIsCountedAndGivenBack) {
  const auto expected = 16 * info().memory_granularity;
  const auto before = device().info().memory_free;
  add_memory(0, 32);
  const auto held = device().info().memory_free;
  device().destroy_memory(MemoryId{0});
  const auto after = device().info().memory_free;
  if (info().kind != Kind::cpu) {  // whose memory is the machine's, and that changes with whatever else runs
    EXPECT_LE(held + expected, before);
    EXPECT_GE(after, held + expected);
  }
  add_memory(0, 32);  // the same id, the same place
  EXPECT_EQ(read<std::uint8_t>(memory_request(0).address, 1)[0], 0);
}

TEST_P(Contract, WrongMemoryRequestsAreErrors) {
  add_memory(0, 4);
  const auto granule = info().memory_granularity;
  const auto base = info().window.base;
  const auto create = [&](std::uint32_t id, Address address, std::uint64_t size) {
    return error_kind([&] { device().create_memory({MemoryId{id}, address, size}); });
  };
  EXPECT_EQ(create(0, base + 100 * granule, granule), ErrorKind::value);      // the id is taken
  EXPECT_EQ(create(1, base + granule, granule), ErrorKind::value);            // the place is taken
  EXPECT_EQ(create(1, base + 200 * granule + 8, granule), ErrorKind::value);  // misaligned
  EXPECT_EQ(create(1, base + 200 * granule, granule + 8), ErrorKind::value);
  EXPECT_EQ(create(1, base + info().window.size, granule), ErrorKind::value);  // outside of the window
  EXPECT_EQ(error_kind([&] { device().destroy_memory(MemoryId{77}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().import_memory(memory_request(1), File{}); }), ErrorKind::value);
  add_memory(1);  // and the device goes on
  finish_well();
}

TEST_P(Contract, TooMuchMemoryIsAnError) {
  const auto granule = info().memory_granularity;
  const auto size = (info().memory_total / granule + 1) * granule;
  if (size > info().window.size / 2) GTEST_SKIP() << "more than the window holds";
  EXPECT_EQ(error_kind([&] { device().create_memory({MemoryId{9}, info().window.base, size}); }), ErrorKind::memory);
  add_memory(9);
}

// --- Fills, copies, staging -----------------------------------------------------------------------------------------

TEST_P(Contract, FillsOfEveryPatternSize) {
  const auto x = add_memory(0);
  for (const std::size_t size : {1, 2, 3, 4, 8, 12, 16, 20, 48}) {
    const std::uint64_t count = 777;
    std::vector<std::byte> pattern(size);
    for (std::size_t i = 0; i < size; ++i) pattern[i] = static_cast<std::byte>(i * 17 + size);
    device().post_fill(StreamId{0}, {x, 1000 * 48 + 64, {std::byte{0xAB}}});
    device().post_fill(StreamId{0}, {x + 48, count, pattern});
    finish_well();
    const auto bytes = read<std::byte>(x, 48 + count * size + 16);
    for (std::size_t i = 0; i < 48; ++i) ASSERT_EQ(bytes[i], std::byte{0xAB}) << size;
    for (std::size_t i = 0; i < count * size; ++i) ASSERT_EQ(bytes[48 + i], pattern[i % size]) << size << " at " << i;
    for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(bytes[48 + count * size + i], std::byte{0xAB}) << size;
  }
}

TEST_P(Contract, AFillOfNothingIsNothing) {
  const auto x = add_memory(0);
  device().post_fill(StreamId{0}, {x, 64, {std::byte{0xAB}}});
  for (const std::size_t pattern : {1, 4, 20}) {
    device().post_fill(StreamId{0}, {x, 0, std::vector<std::byte>(pattern, std::byte{1})});
    device().post_fill(StreamId{0}, {x + 32, 0, std::vector<std::byte>(pattern, std::byte{1})});
  }
  finish_well();
  EXPECT_EQ(read<std::byte>(x, 64), std::vector<std::byte>(64, std::byte{0xAB}));
}

TEST_P(Contract, PostsRunInOrder) {
  const auto x = add_memory(0), y = add_memory(1);
  load();
  const std::uint32_t n = 1000;
  fill(x, n, 10);
  launch("add_one", n, x, n);
  device().post_copy(StreamId{0}, {.to = y, .from = x, .width = n * 4});
  fill(x, n, 0);
  launch("add_one", n, y, n);
  launch("add_one", n, y, n);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(y, n), std::vector<std::uint32_t>(n, 13));
  EXPECT_EQ(read<std::uint32_t>(x, n), std::vector<std::uint32_t>(n, 0));
}

// Not every device's memory is seen, but what is seen is the memory.
TEST_P(Contract, WhatIsVisibleIsTheMemory) {
  const auto x = add_memory(0);
  const auto size = info().memory_granularity;
  if (device().visible(x, 64).empty()) GTEST_SKIP() << "this device's memory is not seen from here";
  load();
  fill(x, 16, 10);
  launch("add_one", 16, x, 16u);
  finish_well();
  const std::vector<std::uint32_t> expected(16, 11);
  const auto seen = [&] {
    const auto bytes = device().visible(x, 64);
    std::vector<std::uint32_t> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  EXPECT_EQ(seen(), expected);
  EXPECT_EQ(device().visible(x + size - 8, 8).size(), 8u);
  EXPECT_TRUE(device().visible(x + size - 8, 9).empty());
  EXPECT_TRUE(device().visible(x + size, 1).empty());
  EXPECT_TRUE(device().visible(x - 1, 1).empty());
  device().restart();
  EXPECT_EQ(seen(), expected);
  device().destroy_memory(MemoryId{0});
  EXPECT_TRUE(device().visible(x, 64).empty());
}

TEST_P(Contract, StagedBytesAreReadWhenTheirTurnComes) {
  const auto x = add_memory(0);
  load();
  auto staging = device().staging();
  std::fill_n(staging.begin(), 64, std::byte{1});
  device().post_write(StreamId{0}, {.to = x, .from = 0, .width = 64});
  launch("add_one", 16, x, 16u);
  device().post_read(StreamId{0}, {.to = 4096, .from = x, .width = 64});
  finish_well();
  EXPECT_EQ(staging[4096], std::byte{2});
  EXPECT_EQ(staging[4096 + 1], std::byte{1});
}

TEST_P(Contract, CopiesOfRectangles) {
  const auto x = add_memory(0), y = add_memory(1);
  std::vector<std::uint8_t> values(100 * 40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 13 + i / 100);
  write(x, values);
  // 7 bytes from column 5 of rows 2 to 11, packed to a pitch of 9.
  device().post_fill(StreamId{0}, {y, 200, {std::byte{0xEE}}});
  device().post_copy(StreamId{0},
                     {.to = y, .from = x + 205, .width = 7, .height = 10, .to_pitch = 9, .from_pitch = 100});
  finish_well();
  auto got = read<std::uint8_t>(y, 200);
  for (std::size_t row = 0; row < 10; ++row)
    for (std::size_t column = 0; column < 9; ++column)
      ASSERT_EQ(got[row * 9 + column], column < 7 ? values[(row + 2) * 100 + 5 + column] : 0xEE)
          << row << " " << column;
  // And through the staging buffer, both ways.
  Transfer transfer(device());
  std::vector<std::byte> rows(7 * 10);
  transfer.read({x + 205, 7, 10, 100}, rows);
  EXPECT_EQ(static_cast<std::uint8_t>(rows[7 * 3 + 2]), values[5 * 100 + 7]);
  transfer.write({y, 7, 10, 20}, rows);
  got = read<std::uint8_t>(y, 200);
  EXPECT_EQ(got[3 * 20 + 2], values[5 * 100 + 7]);
}

TEST_P(Contract, LargeTransfersAreWhole) {
  const auto granules = (5 * device().staging().size() / 2) / info().memory_granularity + 1;
  const auto x = add_memory(0, granules);
  std::vector<std::uint64_t> values(5 * device().staging().size() / 2 / 8);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * 0x9E37'79B9'7F4A'7C15;
  write(x, values);
  EXPECT_TRUE(read<std::uint64_t>(x, values.size()) == values);
}

// --- Modules --------------------------------------------------------------------------------------------------------

TEST_P(Contract, AModuleTellsItsFunctionsAndVariables) {
  const auto& module = load();
  for (const char* const entry : {"add_one", "scale", "write_index", "bump", "fault", "trap", "endless", "say"}) {
    EXPECT_GE(function(entry).max_threads_per_block, 128) << entry;
  }
  const auto& layout = function("scale").parameters;
  ASSERT_EQ(layout.size(), 4u);
  EXPECT_EQ(layout[0].offset, 0u);
  EXPECT_EQ(layout[1].offset, 8u);
  EXPECT_EQ(layout[2].offset, 16u);
  EXPECT_EQ(layout[3].offset, 20u);
  EXPECT_EQ(layout[3].size, 4u);
  ASSERT_EQ(module.variables.size(), 2u);
  for (const auto& variable : module.variables) {
    EXPECT_NE(variable.address, 0u);
    EXPECT_EQ(variable.size, variable.symbol == "counter" ? 4u : 16u);
    EXPECT_EQ(variable.constant, variable.symbol == "table");
  }
  const auto again = device().module_info(ModuleId{1});
  EXPECT_EQ(again.functions.size(), module.functions.size());
  EXPECT_EQ(again.variables[0].address, module.variables[0].address);
}

TEST_P(Contract, ModuleVariablesAreMemory) {
  const auto x = add_memory(0);
  const auto module = load();
  const auto variable = std::find_if(module.variables.begin(), module.variables.end(),
                                     [](const auto& v) { return v.symbol == "counter"; });
  launch("bump", 1, x);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x, 1)[0], 9u);  // 7 + table[1]
  EXPECT_EQ(read<std::uint32_t>(variable->address, 1)[0], 9u);
  write(variable->address, std::vector<std::uint32_t>{100});
  launch("bump", 1, x);
  EXPECT_EQ(read<std::uint32_t>(x, 1)[0], 102u);
}

TEST_P(Contract, EachModuleHasItsOwnVariables) {
  load();
  const auto other = device().load_module(image(2));
  const auto first = device().module_info(ModuleId{1});
  EXPECT_NE(first.variables[0].address, other.variables[0].address);
  device().unload_module(ModuleId{1});
  EXPECT_EQ(error_kind([&] { device().module_info(ModuleId{1}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().unload_module(ModuleId{1}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().load_module(image(2)); }), ErrorKind::value);
  load();  // an id that is free again
}

TEST_P(Contract, MachineCodeIsShownOrTheDeviceSaysThatItIsNot) {
  load();
  const auto shown = [&](std::uint32_t module, const std::string& entry) {
    return device().machine_code({ModuleId{module}, entry, {128, 1, 1}, {}});
  };
  if (info().kind == Kind::cuda) {
    EXPECT_EQ(error_kind([&] { shown(1, "scale"); }), ErrorKind::unsupported);
    return;
  }
  const MachineCode code = shown(1, "scale");
  EXPECT_FALSE(code.target.empty());
  EXPECT_GT(code.bytes, 0u);
  EXPECT_TRUE(std::any_of(code.lines.begin(), code.lines.end(),
                          [](const CodeLine& line) { return !line.instruction.empty(); }));
  EXPECT_EQ(error_kind([&] { shown(1, "nothing"); }), ErrorKind::name);
  EXPECT_EQ(error_kind([&] { shown(9, "scale"); }), ErrorKind::value);
  finish_well();
}

TEST_P(Contract, APoorModuleIsACompileError) {
  auto poor = image(5);
  poor.ptx = "this is no PTX\n";
  poor.cubin.clear();
  try {
    device().load_module(poor);
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::compile);
    EXPECT_FALSE(error.library.empty());
  }
  EXPECT_EQ(error_kind([&] { device().module_info(ModuleId{5}); }), ErrorKind::value);
  load();
}

// --- Launches -------------------------------------------------------------------------------------------------------

TEST_P(Contract, LaunchesDoWhatTheySay) {
  const auto x = add_memory(0), y = add_memory(1);
  load();
  const std::uint32_t n = 5000;
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0f);
  write(x, values);
  launch("scale", n, y, x, 2.5f, n);
  const auto scaled = read<float>(y, n);
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(scaled[i], 2.5f * values[i]);
  launch("write_index", n, y, n);
  const auto index = read<std::uint32_t>(y, n);
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(index[i], i);
}

TEST_P(Contract, ManyLaunchesAreAllDoneInOrder) {
  const auto x = add_memory(0);
  load();
  const std::uint32_t n = 20'000;  // more than any queue holds
  auto once = request("add_one", 32, x, 32u);
  for (std::uint32_t i = 0; i < n; ++i) {
    once.number = 1000 + i;
    device().post_launch(once);
  }
  EXPECT_EQ(read<std::uint32_t>(x, 32), std::vector<std::uint32_t>(32, n));
}

TEST_P(Contract, TimingsAreOfTheLaunchesThatAskForThem) {
  const auto x = add_memory(0);
  load();
  std::vector<std::uint64_t> timed;
  for (int i = 0; i < 10; ++i) {
    auto made = request("add_one", 1000, x, 1000u);
    if (i % 3 == 0) {
      made.timing = Timing::each;
      timed.push_back(made.number);
    }
    device().post_launch(made);
  }
  const auto completion = finish_well();
  ASSERT_EQ(completion.timings.size(), timed.size());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    EXPECT_EQ(completion.timings[i].number, timed[i]);
    EXPECT_GT(completion.timings[i].duration, 0);
  }
  EXPECT_TRUE(finish_well().timings.empty());  // told once
}

TEST_P(Contract, RefusedLaunchesAreToldAndTheRestRuns) {
  const auto x = add_memory(0);
  load();
  const std::uint32_t n = 100;
  std::vector<std::uint64_t> wrong;
  const auto refused = [&](auto change) {
    auto made = request("add_one", n, x, n);
    change(made);
    wrong.push_back(made.number);
    device().post_launch(made);
    launch("add_one", n, x, n);
  };
  refused([](auto& made) { made.block = {2048, 1, 1}; });
  refused([](auto& made) { made.module = ModuleId{55}; });
  refused([](auto& made) { made.entry = "no_such_kernel"; });
  refused([](auto& made) { made.stream = StreamId{55}; });
  refused([](auto& made) { made.dynamic_shared = std::uint64_t{1} << 30; });
  const auto completion = finish();
  EXPECT_FALSE(completion.fault);
  ASSERT_EQ(completion.refused.size(), wrong.size());
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_EQ(completion.refused[i].number, wrong[i]);
    EXPECT_FALSE(completion.refused[i].library.empty());
  }
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x, n), std::vector<std::uint32_t>(n, 5));
}

TEST_P(Contract, OccupancyAndTheBestBlock) {
  load();
  OccupancyRequest request{ModuleId{1}, "add_one", 128, 0};
  const auto occupancy = device().occupancy(request);
  EXPECT_GT(occupancy.blocks_per_multiprocessor, 0);
  EXPECT_GT(occupancy.fraction, 0);
  EXPECT_LE(occupancy.fraction, 1);
  const auto block = device().best_block(request);
  EXPECT_GT(block, 0u);
  EXPECT_LE(block, info().max_threads_per_block);
  request.entry = "no_such_kernel";
  EXPECT_EQ(error_kind([&] { device().occupancy(request); }), ErrorKind::name);
  request.module = ModuleId{55};
  EXPECT_EQ(error_kind([&] { device().best_block(request); }), ErrorKind::value);
}

TEST_P(Contract, WhatAKernelPrintsIsThereWhenItIsDone) {
  if (!has_process()) GTEST_SKIP() << "it writes to this program's stdout";
  load();
  for (std::uint32_t i = 0; i < 100; ++i) launch("say", 1, i);
  finish_well();
  std::string wanted;
  for (int i = 0; i < 100; ++i) wanted += "value " + std::to_string(i) + "\n";
  EXPECT_EQ(output_, wanted);
}

// --- Streams and events ---------------------------------------------------------------------------------------------

TEST_P(Contract, StreamsAndEvents) {
  const auto x = add_memory(0);
  load();
  const StreamId one{1}, two{2};
  const EventId begin{1}, middle{2}, end{3};
  for (const auto id : {one, two}) device().create_stream(id);
  for (const auto id : {begin, middle, end}) device().create_event(id);
  const std::uint32_t n = 1000;
  device().post_record(begin, one);
  auto made = request("add_one", n, x, n);
  made.stream = one;
  device().post_launch(made);
  device().post_record(middle, one);
  device().post_wait(two, middle);
  made.number += 1000;
  made.stream = two;
  device().post_launch(made);
  device().post_record(end, two);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x, n), std::vector<std::uint32_t>(n, 2));
  EXPECT_GT(device().elapsed(begin, middle), 0);
  EXPECT_GE(device().elapsed(begin, end), device().elapsed(begin, middle));
  for (const auto id : {one, two}) device().destroy_stream(id);
  for (const auto id : {begin, middle, end}) device().destroy_event(id);
}

TEST_P(Contract, WrongStreamsAndEventsAreErrors) {
  device().create_stream(StreamId{1});
  device().create_event(EventId{1});
  device().create_event(EventId{2});
  EXPECT_EQ(error_kind([&] { device().create_stream(StreamId{1}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().create_stream(StreamId{0}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().destroy_stream(StreamId{0}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().destroy_stream(StreamId{9}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().create_event(EventId{1}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().destroy_event(EventId{9}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().elapsed(EventId{1}, EventId{9}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().elapsed(EventId{1}, EventId{2}); }), ErrorKind::value);  // never recorded
  device().destroy_stream(StreamId{1});
  device().create_stream(StreamId{1});
  finish_well();
}

TEST_P(Contract, AWrongPostIsToldAndTheDeviceGoesOn) {
  const auto x = add_memory(0);
  fill(x, 10, 5, StreamId{44});  // no such stream
  device().post_record(EventId{44}, StreamId{0});
  device().post_wait(StreamId{0}, EventId{44});
  const auto completion = finish();
  EXPECT_FALSE(completion.fault);
  ASSERT_EQ(completion.refused.size(), 3u);
  for (const auto& refused : completion.refused) {
    EXPECT_EQ(refused.number, 0u);
    EXPECT_FALSE(refused.library.empty());
  }
  fill(x, 10, 6);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x, 1)[0], 6u);
}

// --- Graphs
// -----------------------------------------------------------------------------------------------------------

TEST_P(Contract, AGraphRunsWhatWasCapturedEachTimeItIsLaunched) {
  const auto x = add_memory(0), y = add_memory(1);
  load();
  const std::uint32_t n = 1000;
  const GraphId graph{1};
  const StreamId capture{7};
  device().begin_capture(graph, capture);
  auto made = request("add_one", n, x, n);
  made.stream = capture;
  for (int i = 0; i < 3; ++i, ++made.number) device().post_launch(made);
  device().post_copy(capture, {.to = y, .from = x, .width = n * 4});
  fill(y, 1, 77, capture);
  device().post_fill(capture, {x, 1, std::vector<std::byte>(12, std::byte{2})});
  const auto ended = device().end_capture(graph);
  EXPECT_GE(ended.nodes, 6u);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x, n), std::vector<std::uint32_t>(n, 0));  // nothing ran yet
  const auto post = [&](std::uint64_t number, Timing timing) {
    device().post_graph({number, graph, StreamId{0}, timing});
  };
  post(100, Timing::none);
  post(101, Timing::each);
  post(102, Timing::each);
  device().post_destroy_graph(graph);  // behind its launches
  device().post_destroy_graph(graph);  // gone already
  const auto completion = finish_well();
  ASSERT_EQ(completion.timings.size(), 2u);
  EXPECT_EQ(completion.timings[0].number, 101u);
  EXPECT_EQ(completion.timings[1].number, 102u);
  EXPECT_GT(completion.timings[0].duration, 0);
  std::vector<std::uint32_t> wanted(n, 9);
  wanted[0] = 77;
  wanted[1] = wanted[2] = 0x0202'0205;
  EXPECT_EQ(read<std::uint32_t>(y, n), wanted);
  post(103, Timing::none);
  const auto after = finish();
  ASSERT_EQ(after.refused.size(), 1u);
  EXPECT_EQ(after.refused[0].number, 103u);
}

TEST_P(Contract, StreamsJoinACaptureByEvents) {
  const auto x = add_memory(0);
  load();
  const std::uint32_t n = 500;
  const StreamId capture{7}, side{8};
  const EventId fork{1}, join{2};
  device().create_stream(side);
  device().create_event(fork);
  device().create_event(join);
  auto made = request("add_one", n, x, n);
  const auto post = [&](StreamId stream) {
    made.stream = stream;
    device().post_launch(made);
    ++made.number;
  };
  device().begin_capture(GraphId{1}, capture);
  post(capture);
  device().post_record(fork, capture);
  device().post_wait(side, fork);
  post(side);
  device().post_record(join, side);
  device().post_wait(capture, join);
  post(capture);
  device().end_capture(GraphId{1});
  device().post_graph({200, GraphId{1}, side, Timing::none});
  device().post_graph({201, GraphId{1}, side, Timing::none});
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x, n), std::vector<std::uint32_t>(n, 6));
  // One that is not joined back makes no graph.
  device().begin_capture(GraphId{2}, capture);
  device().post_record(fork, capture);
  device().post_wait(side, fork);
  post(side);
  EXPECT_EQ(error_kind([&] { device().end_capture(GraphId{2}); }), ErrorKind::value);
  post(side);  // the capture has ended
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(x, n), std::vector<std::uint32_t>(n, 7));
}

TEST_P(Contract, WrongCapturesAreErrors) {
  const auto x = add_memory(0);
  device().create_stream(StreamId{1});
  EXPECT_EQ(error_kind([&] { device().end_capture(GraphId{1}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().begin_capture(GraphId{1}, StreamId{0}); }), ErrorKind::value);
  EXPECT_EQ(error_kind([&] { device().begin_capture(GraphId{1}, StreamId{1}); }), ErrorKind::value);
  device().begin_capture(GraphId{1}, StreamId{2});
  EXPECT_EQ(error_kind([&] { device().begin_capture(GraphId{2}, StreamId{3}); }), ErrorKind::value);
  device().post_destroy_graph(GraphId{1});  // gives the capture up
  device().begin_capture(GraphId{1}, StreamId{2});
  device().post_write(StreamId{2}, {.to = x, .from = 0, .width = 64});
  device().end_capture(GraphId{1});
  EXPECT_EQ(error_kind([&] { device().begin_capture(GraphId{1}, StreamId{2}); }), ErrorKind::value);
  const auto completion = finish();
  EXPECT_FALSE(completion.fault);
  ASSERT_EQ(completion.refused.size(), 1u);
  EXPECT_EQ(completion.refused[0].number, 0u);
}

TEST_P(Contract, Limits) {
  for (const auto limit : {Limit::stack_size, Limit::printf_buffer, Limit::malloc_heap}) {
    const auto before = device().limit(limit);
    device().set_limit(limit, before * 2);
    EXPECT_GE(device().limit(limit), before * 2);
  }
}

TEST_P(Contract, RangesMayBeNamedAndForgotten) {
  const auto x = add_memory(0);
  device().post_name_range({x, 400, 4, "x", "float"});
  device().post_name_range({x, 800, 8, "y", "double"});
  device().post_forget_range(x);
  device().post_forget_range(x + 4096);  // never named
  finish_well();
}

TEST_P(Contract, NothingPostedIsNothingToTell) {
  const auto completion = finish_well();
  EXPECT_TRUE(completion.timings.empty());
  if (!supervised()) {
    EXPECT_EQ(error_kind([&] { device().restart(); }), ErrorKind::unsupported);
  }
}

}  // namespace
}  // namespace xcuda::device::contract
