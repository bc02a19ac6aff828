#include "ptx/resource_usage.hpp"

#include <gtest/gtest.h>

namespace xcuda::ptx {
namespace {

// NVRTC 13.0, --ptxas-options=-v: two entries, of which the second calls a function that is not inlined.
constexpr const char* kNvrtc = R"(ptxas info    : 4096 bytes gmem
ptxas info    : Compiling entry function '_Z5plainIfEvPT_' for 'sm_90'
ptxas info    : Function properties for _Z5plainIfEvPT_
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compile time = 1.929 ms
ptxas info    : Compiling entry function 'spilly' for 'sm_90'
ptxas info    : Function properties for spilly
ptxas         .     5080 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 5080 bytes cumulative stack size
ptxas info    : Function properties for _Z4deepPfi
ptxas         .     0 bytes stack frame, 5400 bytes spill stores, 11100 bytes spill loads
)";

TEST(ResourceUsage, SpillsOfAnEntryCountThoseOfWhatItCalls) {
  const auto spills = spills_of(kNvrtc);
  ASSERT_EQ(spills.size(), 2U);
  EXPECT_EQ(spills.at("_Z5plainIfEvPT_"), Spills{});
  EXPECT_FALSE(spills.at("_Z5plainIfEvPT_").any());
  EXPECT_EQ(spills.at("spilly"), (Spills{5408, 11112}));
}

TEST(ResourceUsage, NvccIndentsTheFiguresAndNamesNoTool) {
  const auto spills = spills_of(
      "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n    16 bytes stack frame, 4 bytes spill stores, "
      "8 bytes spill loads\n");
  EXPECT_EQ(spills.at("_Z1kPf"), (Spills{4, 8}));
}

TEST(ResourceUsage, OtherTextHasNone) {
  EXPECT_TRUE(spills_of("").empty());
  EXPECT_TRUE(spills_of("In[1](3): warning #177-D: 5 bytes spill stores\n bytes spill loads").empty());
  EXPECT_EQ(
      spills_of("Compiling entry function 'k' for\nmany bytes spill stores, 99999999999999999999999 bytes spill loads")
          .at("k"),
      Spills{});
}

TEST(ResourceUsage, WarningsAndErrorsAreNotOfTheReport) {
  EXPECT_TRUE(is_resource_line("ptxas info    : Used 8 registers"));
  EXPECT_TRUE(is_resource_line("ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"));
  EXPECT_FALSE(is_resource_line("ptxas warning : Value of threads per SM is out of range"));
  EXPECT_FALSE(is_resource_line("ptxas error   : Entry function 'k' uses too much shared data"));
}

}  // namespace
}  // namespace xcuda::ptx
