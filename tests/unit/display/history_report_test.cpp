#include "display/history_report.hpp"

#include <gtest/gtest.h>

namespace xcuda::display {
namespace {

CellTime cell(device::Nanoseconds took, device::Nanoseconds before) {
  return {.name = "In[14]", .text = "heat<<<1, 32>>>(x);", .took = took, .before = "In[12]", .took_before = before};
}

constexpr device::Nanoseconds kMillisecond = 1'000'000;

TEST(History, SaysHowATimeHasChanged) {
  EXPECT_EQ(change_text(cell(106 * kMillisecond, 100 * kMillisecond)), "6 % slower than In[12]");
  EXPECT_EQ(change_text(cell(75 * kMillisecond, 100 * kMillisecond)), "25 % faster than In[12]");
  EXPECT_EQ(change_text(cell(320 * kMillisecond, 100 * kMillisecond)), "3.20 times as long as In[12]");
  EXPECT_EQ(change_text(cell(100 * kMillisecond, 320 * kMillisecond)), "3.20 times as fast as In[12]");
}

TEST(History, NoiseIsNotAChange) {
  EXPECT_EQ(change_text(cell(101 * kMillisecond, 100 * kMillisecond)), "as fast as In[12]");
  EXPECT_EQ(change_text(cell(150'000, 80'000)), "as fast as In[12]");  // less than a tenth of a millisecond apart
}

TEST(History, WhatFailedIsNotCompared) {
  auto failed = cell(106 * kMillisecond, 100 * kMillisecond);
  failed.outcome = CellTime::Outcome::failed;
  EXPECT_EQ(change_text(failed), "");
  EXPECT_EQ(change_text({.name = "In[1]", .took = kMillisecond}), "");
}

TEST(History, ShowsEachCellInARow) {
  auto slower = cell(106 * kMillisecond, 100 * kMillisecond);
  slower.lines = 3;
  const CellTime running{.name = "In[15]", .text = "%history --times", .outcome = CellTime::Outcome::running};
  const auto bundle = history_bundle({slower, running});
  const auto text = plain(bundle);
  EXPECT_NE(text.find("In[14]   106 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("6 % slower than In[12]"), std::string::npos) << text;
  EXPECT_NE(text.find("heat<<<1, 32>>>(x);  (+2 lines)"), std::string::npos) << text;
  EXPECT_NE(text.find("running"), std::string::npos) << text;
  const auto rows = bundle.data[kHistoryMime]["cells"];
  EXPECT_EQ(rows[0]["before"]["time"], 100 * kMillisecond);
  EXPECT_FALSE(rows[1].contains("before"));
}

}  // namespace
}  // namespace xcuda::display
