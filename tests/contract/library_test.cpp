// Calls of libraries, as every device that has some serves them; the fake has none.
#include <numeric>

#include "tests/contract/rig.hpp"

namespace xcuda::device::contract {
namespace {

class Libraries : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (IsSkipped()) return;
    try {
      facts_ = device().open_library({library::Family::blas, {"/usr/local/cuda/lib64"}});
    } catch (const Error& error) {
      if (error.kind != ErrorKind::unsupported) throw;
      EXPECT_NE(error.advice.find("pip install"), std::string::npos) << error.advice;
      GTEST_SKIP() << error.message << ": " << error.library;
    }
    memory_ = add_memory(0);
    if (facts_.workspace_bytes > 0) workspace_ = add_memory(1, 16);
    std::vector<float> values(64);
    std::iota(values.begin(), values.end(), 0.0f);
    write(memory_, values);
  }

  // [4][4] by its transpose, into the second kilobyte.
  LibraryLaunch square(std::uint64_t number) const {
    const auto matrix = [&](Address at, std::int64_t row, std::int64_t column) {
      return library::Operand{at, Scalar::float32, {4, 4}, {row, column}};
    };
    LibraryLaunch launch;
    launch.number = number;
    launch.call.library = facts_.path;
    launch.call.operands = {matrix(memory_ + 1024, 4, 1), matrix(memory_, 4, 1), matrix(memory_, 1, 4), {}, {}};
    launch.call.scalars = {1, 0, 0, 0};
    launch.call.workspace = workspace_;
    launch.call.workspace_bytes = workspace_ != 0 ? 16 * info().memory_granularity : 0;
    return launch;
  }
  void expect_square() {
    const auto got = read<float>(memory_ + 1024, 16);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += static_cast<float>((4 * i + k) * (4 * j + k));
        EXPECT_EQ(got[static_cast<std::size_t>(4 * i + j)], sum);
      }
  }

  library::Facts facts_;
  Address memory_ = 0, workspace_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Device, Libraries, testing::ValuesIn(contract_devices()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Libraries, SayWhatTheyAre) {
  EXPECT_FALSE(facts_.name.empty());
  EXPECT_FALSE(facts_.version.empty());
  EXPECT_GT(facts_.load_time, 0);
}

TEST_P(Libraries, ACallRunsInItsPlaceAmongPosts) {
  device().post_library(square(1));
  const auto completion = finish();
  EXPECT_TRUE(completion.timings.empty() && completion.reports.empty() && completion.refused.empty());
  expect_square();
  device().post_fill(StreamId{0}, {memory_ + 1024, 64, {std::byte{0}}});
  device().post_library(square(2));
  device().post_copy(StreamId{0}, {.to = memory_ + 2048, .from = memory_ + 1024, .width = 64});
  finish();
  EXPECT_EQ(read<float>(memory_ + 2048, 16), read<float>(memory_ + 1024, 16));
  expect_square();
}

TEST_P(Libraries, ATimedCallIsReported) {
  auto launch = square(7);
  launch.timing = Timing::each;
  device().post_library(launch);
  const auto completion = finish();
  ASSERT_EQ(completion.timings.size(), 1u);
  EXPECT_EQ(completion.timings[0].number, 7u);
  EXPECT_GT(completion.timings[0].duration, 0);
  ASSERT_EQ(completion.reports.size(), 1u);
  EXPECT_EQ(completion.reports[0].number, 7u);
  EXPECT_EQ(completion.reports[0].arithmetic, "float");
}

TEST_P(Libraries, ACapturedCallRunsWithItsGraph) {
  device().post_library(square(1));
  device().post_fill(StreamId{0}, {memory_ + 1024, 64, {std::byte{0}}});
  finish();
  device().begin_capture(GraphId{1}, StreamId{9});
  auto launch = square(2);
  launch.stream = StreamId{9};
  device().post_library(launch);
  EXPECT_GE(device().end_capture(GraphId{1}).nodes, 1u);
  finish();
  EXPECT_EQ(read<float>(memory_ + 1024, 1)[0], 0);
  device().post_graph({3, GraphId{1}, StreamId{0}, Timing::none});
  finish();
  expect_square();
}

TEST_P(Libraries, AStreamThatIsNotThereIsRefused) {
  auto launch = square(5);
  launch.stream = StreamId{77};
  device().post_library(launch);
  const auto completion = finish();
  ASSERT_EQ(completion.refused.size(), 1u);
  EXPECT_FALSE(completion.fault);
}

TEST_P(Libraries, TheNextProcessOpensThemAgain) {
  if (!supervised()) GTEST_SKIP() << "nothing replaces this device";
  device().restart();
  device().post_library(square(3));
  const auto completion = finish();
  EXPECT_TRUE(completion.refused.empty()) << completion.refused.front().library;
  expect_square();
}

}  // namespace
}  // namespace xcuda::device::contract
