// A number is shown only if it means something: no more than a device can do, nothing of what was not measured.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "tests/unit/display/samples.hpp"

namespace xcuda::display {
namespace {

// All forms as one text, without the style sheet.
std::string everything(const Bundle& bundle) {
  std::string text;
  for (const auto& [mime, content] : bundle.data.items())
    text += content.is_string() ? content.get<std::string>() : content.dump();
  const auto begin = text.find("<style>"), end = text.find("</style>");
  return begin == std::string::npos ? text : text.erase(begin, end - begin);
}

bool holds(const Bundle& bundle, std::string_view part) { return everything(bundle).find(part) != std::string::npos; }

// No number that cannot be, in any form.
void expect_sound(const Bundle& bundle, const std::string& of) {
  static const std::regex kNone(R"((^|[^a-z])-?(nan|inf)(?!":)([^a-z]|$))"), kPercent(R"((\d+(?:\.\d+)?) %)");
  const auto text = everything(bundle);
  EXPECT_FALSE(std::regex_search(text, kNone)) << of << "\n" << text;
  for (std::sregex_iterator at(text.begin(), text.end(), kPercent), end; at != end; ++at)
    EXPECT_LE(std::stod((*at)[1]), 100) << of << "\n" << text;
}

nlohmann::json launch_json(const LaunchReport& report) {
  return launch_bundle(report).data[kLaunchMime]["launches"][0];
}

TEST(Numbers, ABandwidthOverThePeakIsNotShown) {
  auto report = samples::one_launch();
  EXPECT_TRUE(holds(launch_bundle(report), "4.45 TB/s, 93 %"));
  EXPECT_TRUE(launch_json(report).contains("bandwidth"));
  report.launches[0].times = {5560};  // 36.2 TB/s of 4.8
  EXPECT_FALSE(holds(launch_bundle(report), "≤"));
  EXPECT_FALSE(holds(launch_bundle(report), "36.2"));
  EXPECT_FALSE(holds(launch_bundle(report), "the median: "));
  EXPECT_FALSE(launch_json(report).contains("bandwidth"));
  EXPECT_FALSE(launch_json(report).contains("of_peak"));
  EXPECT_EQ(launch_json(report)["bytes"], 3 * 67108864);  // what it was given is a fact
}

TEST(Numbers, ABandwidthIsAnUpperLimitAndSaysSo) {
  EXPECT_TRUE(holds(launch_bundle(samples::one_launch()), "≤ 4.45 TB/s, 93 %"));
}

TEST(Numbers, TrafficInPlaceCountsTwice) {
  auto report = samples::one_launch();
  report.launches[0].arguments = {
      {"x", "x", 1000, true, true}, {"y", "y", 10, true, false}, {"z", "z", 5, false, false}};
  EXPECT_EQ(launch_json(report)["traffic"], 2010);
  EXPECT_EQ(launch_json(report)["bytes"], 1015);
}

TEST(Numbers, ABandwidthIsUnknownWhereTheCodeReachesOtherMemory) {
  auto report = samples::one_launch();
  report.launches[0].reaches_elsewhere = true;
  EXPECT_FALSE(holds(launch_bundle(report), "≤"));
  EXPECT_FALSE(launch_json(report).contains("bandwidth"));
  EXPECT_FALSE(launch_json(report).contains("traffic"));
}

TEST(Numbers, ABandwidthOverThePeakLeavesThoseOfOtherLaunches) {
  auto report = samples::several_launches();
  report.launches[1].times = {10};
  EXPECT_TRUE(holds(launch_bundle(report), "4.45 TB/s, 93 %"));
  expect_sound(launch_bundle(report), "one of two");
}

TEST(Numbers, WithoutAPeakABandwidthIsBelowThatOfAnyHost) {
  auto report = samples::one_launch();
  report.peak_bandwidth = 0;
  report.launches[0].times = {20'000'000};
  EXPECT_TRUE(holds(launch_bundle(report), "10.1 GB/s"));
  report.launches[0].times = {45'200};  // 4.45 TB/s
  EXPECT_FALSE(holds(launch_bundle(report), "B/s"));
}

TEST(Numbers, AClockThatStandsStillGivesNoFigures) {
  auto report = samples::one_launch();
  for (const auto& times : std::vector<std::vector<device::Nanoseconds>>{{0}, {0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 9}}) {
    report.launches[0].times = times;
    EXPECT_TRUE(holds(launch_bundle(report), "too short to time"));
    EXPECT_FALSE(holds(launch_bundle(report), "±"));
    EXPECT_FALSE(launch_json(report).contains("bandwidth"));
    EXPECT_FALSE(launch_json(report).contains("spread"));
    expect_sound(launch_bundle(report), "standing clock");
  }
}

TEST(Numbers, LaunchesOfEveryKindAreSound) {
  for (const double peak : {0.0, 1.0, 4.8e12})
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40})
      for (const std::vector<device::Nanoseconds>& times :
           std::vector<std::vector<device::Nanoseconds>>{{}, {0}, {1}, {1, 1'000'000'000'000}, {0, 5}}) {
        auto report = samples::one_launch();
        report.peak_bandwidth = peak;
        report.launches[0].arguments = {{"x", "x", bytes, true, false}};
        report.launches[0].times = times;
        report.launches[0].occupancy.reset();
        expect_sound(launch_bundle(report), std::to_string(peak) + " " + std::to_string(bytes));
        EXPECT_FALSE(holds(launch_bundle(report), "occupancy"));
      }
}

TEST(Numbers, NothingIsComparedWithWhatWasTooShort) {
  auto report = samples::bench();
  report.contenders[0].times = {0, 0, 0};
  const auto bundle = bench_bundle(report);
  EXPECT_TRUE(holds(bundle, "too short to time"));
  EXPECT_FALSE(holds(bundle, "×"));
  const auto contenders = bundle.data[kBenchMime]["contenders"];
  for (const auto& contender : contenders) EXPECT_FALSE(contender.contains("relative"));
  EXPECT_FALSE(contenders[0].contains("spread"));
  EXPECT_TRUE(contenders[1].contains("spread"));
  expect_sound(bundle, "bench");
}

TEST(Numbers, TheQuickestIsTheQuickestWhereverItStands) {
  auto report = samples::bench();
  std::swap(report.contenders[0], report.contenders[1]);
  const auto contenders = bench_bundle(report).data[kBenchMime]["contenders"];
  EXPECT_EQ(contenders[1]["relative"], 1);
  EXPECT_EQ(contenders[0]["relative"], 3.4);
}

DeviceView gpu(DeviceView::State state, std::uint64_t total, std::uint64_t free) {
  DeviceView view{.selector = {device::Kind::cuda, 0}, .state = state};
  view.info.name = "NVIDIA H200";
  view.info.memory_total = total;
  view.info.memory_free = free;
  return view;
}

TEST(Numbers, MemoryOfADeviceThatDoesNotRunIsUnknown) {
  const std::uint64_t total = 150121545728;
  const auto idle = device_bundle({gpu(DeviceView::State::available, total, 0)});
  EXPECT_TRUE(holds(idle, "139.8 GiB, use unknown"));
  EXPECT_FALSE(holds(idle, " used"));
  EXPECT_TRUE(idle.data[kDeviceMime]["devices"][0]["memory_free"].is_null());
  EXPECT_EQ(idle.data[kDeviceMime]["devices"][0]["memory_total"], total);

  const auto full = device_bundle({gpu(DeviceView::State::current, total, 0)});
  EXPECT_TRUE(holds(full, "139.8 GiB of 139.8 GiB used"));
  EXPECT_EQ(full.data[kDeviceMime]["devices"][0]["memory_free"], 0);

  const auto nothing = device_bundle({gpu(DeviceView::State::available, 0, 0)});
  EXPECT_TRUE(holds(nothing, "unknown"));
  EXPECT_TRUE(nothing.data[kDeviceMime]["devices"][0]["memory_total"].is_null());
}

TEST(Numbers, WhatABoardDoesNotTellIsLeftOut) {
  auto view = gpu(DeviceView::State::current, 1 << 30, 1 << 20);
  view.info.board = device::BoardState{};
  EXPECT_FALSE(holds(device_bundle({view}), "MHz"));
  EXPECT_FALSE(std::regex_search(plain(device_bundle({view})), std::regex("gpu:0:")));
  view.info.board->memory_clock_hz = 2.619e9;
  view.info.board->temperature = 35;
  EXPECT_TRUE(holds(device_bundle({view}), "gpu:0: memory at 2,619 MHz; 35 °C"));
  view.info.board->clock_hz = 1.98e9;
  view.info.board->power = 121;
  EXPECT_TRUE(holds(device_bundle({view}), "gpu:0: 1,980 MHz, memory at 2,619 MHz; 35 °C, 121 W"));
  view.info.clock_hz = 1.98e9;
  view.info.board->power_limit = 700;
  EXPECT_TRUE(holds(device_bundle({view}), "gpu:0: 1,980 of 1,980 MHz, memory at 2,619 MHz; 35 °C, 121 of 700 W"));
  EXPECT_FALSE(holds(device_bundle({view}), "memory errors"));
  view.info.board->memory_errors = 2;
  view.info.board->remap_pending = true;
  EXPECT_TRUE(holds(device_bundle({view}),
                    "121 of 700 W; memory errors that ECC could not correct: 2; rows of memory have failed: reset the "
                    "GPU to replace them"));
}

TEST(Numbers, StatisticsThatOverflowAreNotShown) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double mean : {infinity, -infinity, std::nan("")}) {
    auto array = samples::truths();
    array.type = *find_type("double");
    array.shape = {2};
    array.elements = samples::bytes_of<double>({1.7e308, 1.7e308});
    array.statistics = {ArrayStatistics{.min = 1.7e308, .max = 1.7e308, .mean = mean, .std = mean}};
    const auto bundle = array_bundle(array);
    expect_sound(bundle, "mean");
    EXPECT_TRUE(holds(bundle, "max 1.7e+308"));
    EXPECT_FALSE(holds(bundle, "mean"));
    array.statistics = {ArrayStatistics{.min = -1.7e308, .max = 1.7e308, .mean = 0.5, .std = infinity}};
    EXPECT_TRUE(holds(array_bundle(array), "mean 0"));
    EXPECT_FALSE(holds(array_bundle(array), "std"));
  }
}

// Many short axes are more elements than anybody wants to see, and as many as the ranges say are shown.
TEST(Numbers, ManyAxesShowAFewElements) {
  for (const std::vector<std::uint64_t>& shape : std::vector<std::vector<std::uint64_t>>{
           std::vector<std::uint64_t>(24, 2), std::vector<std::uint64_t>(32, 2), std::vector<std::uint64_t>(8, 7)}) {
    const auto ranges = shown_ranges(shape, {});
    std::uint64_t count = 0;
    for (const auto& range : ranges) count += range.count;
    EXPECT_GT(count, 0u);
    EXPECT_LE(count, 10'000u);
    ArrayView array{.name = "x", .type = *find_type("unsigned char"), .shape = shape, .bytes = 1};
    array.elements.resize(count);
    const auto text = array_text(array);
    EXPECT_EQ(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '0')), count);
    EXPECT_NE(text.find("..."), std::string::npos);
  }
  PrintOptions wide;
  wide.edge_items = 200;  // asked for
  std::uint64_t count = 0;
  for (const auto& range : shown_ranges(std::vector<std::uint64_t>{1000, 1000}, wide)) count += range.count;
  EXPECT_EQ(count, 400u * 400u);
}

}  // namespace
}  // namespace xcuda::display
