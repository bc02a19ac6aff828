// Kernels with many places where lanes wait for lanes of their warp, in both forms of Dispatch: the same results as the
// host's, and code that grows with the number of places.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>

#include "device/cpu/pipeline.hpp"
#include "device/cpu/plan/plan.hpp"
#include "tests/unit/device/cpu/opcode_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::uint32_t threads = 64;

unsigned bit_of(unsigned place) { return place % 7; }
unsigned distance_of(unsigned place) { return 1u << (place % 5); }

// In each turn and at each place: some lanes vote among themselves while the others do something else, then all
// exchange values. After a turn the threads of the block pass values on across a barrier.
std::string kernel_text(unsigned places, unsigned turns) {
  std::string body;
  for (unsigned k = 0; k < places; ++k)
    body += fmt::format(R"(
  shr.u32 %bit, %v, {bit};
  and.b32 %bit, %bit, 1;
  setp.ne.u32 %some, %bit, 0;
  vote.sync.ballot.b32 %members, %some, -1;
  @!%some bra others{k};
  and.b32 %bit, %v, 2;
  setp.ne.u32 %two, %bit, 0;
  vote.sync.ballot.b32 %got, %two, %members;
  popc.b32 %got, %got;
  mad.lo.u32 %v, %got, {k}, %v;
  bra.uni both{k};
others{k}:
  xor.b32 %v, %v, {key};
both{k}:
  shfl.sync.bfly.b32 %got, %v, {distance}, 31, -1;
  mad.lo.u32 %v, %got, 3, %v;)",
                        fmt::arg("k", k + 1), fmt::arg("bit", bit_of(k)), fmt::arg("key", 77 * k + 1),
                        fmt::arg("distance", distance_of(k)));
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .pred %some, %two, %again;
  .reg .b32 %v, %bit, %members, %got, %turn, %from, %to;
  .reg .b64 %out;
  .shared .align 4 .b32 room[{threads}];
  ld.param.u64 %out, [out];
  mov.u32 %v, %tid.x;
  mad.wide.u32 %out, %v, 4, %out;
  mov.u32 %to, room;
  mad.lo.u32 %to, %v, 4, %to;
  xor.b32 %from, %v, 33;
  mov.u32 %got, room;
  mad.lo.u32 %from, %from, 4, %got;
  mul.lo.u32 %v, %v, 2654435761;
  mov.u32 %turn, 0;
again:{body}
  st.shared.u32 [%to], %v;
  bar.sync 0;
  ld.shared.u32 %got, [%from];
  bar.sync 0;
  add.u32 %v, %v, %got;
  add.u32 %turn, %turn, 1;
  setp.lt.u32 %again, %turn, {turns};
  @%again bra again;
  st.global.u32 [%out], %v;
  ret;
}}
)",
                     fmt::arg("body", body), fmt::arg("turns", turns), fmt::arg("threads", threads));
}

std::vector<std::uint32_t> expected(unsigned places, unsigned turns) {
  std::vector<std::uint32_t> v(threads);
  for (std::uint32_t i = 0; i < threads; ++i) v[i] = i * 2654435761u;
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (unsigned k = 0; k < places; ++k)
      for (std::uint32_t first = 0; first < threads; first += 32) {
        std::uint32_t votes = 0;
        for (std::uint32_t i = first; i < first + 32; ++i) votes += (v[i] >> bit_of(k) & 1) && (v[i] & 2) ? 1 : 0;
        for (std::uint32_t i = first; i < first + 32; ++i)
          v[i] = v[i] >> bit_of(k) & 1 ? v[i] + votes * (k + 1) : v[i] ^ (77 * k + 1);
        std::array<std::uint32_t, 32> before{};
        std::copy_n(v.begin() + first, 32, before.begin());
        for (std::uint32_t i = 0; i < 32; ++i) v[first + i] += 3 * before[i ^ distance_of(k)];
      }
    const std::vector<std::uint32_t> room = v;
    for (std::uint32_t i = 0; i < threads; ++i) v[i] += room[i ^ 33];
  }
  return v;
}

class ManyMeetings : public testing::TestWithParam<std::tuple<Dispatch, Tier>> {};

TEST_P(ManyMeetings, GiveWhatTheHostComputes) {
  const auto [dispatch, tier] = GetParam();
  Translator translator({.cpu = "", .dispatch = dispatch, .tier = tier});
  for (const unsigned places : {1u, 5u}) {
    const std::string text = kernel_text(places, 3);
    KernelHarness harness(text, translator);
    std::vector<std::uint32_t> out(threads);
    harness.name(out);
    ASSERT_EQ(harness.run({"k", {1}, {threads}, 0, {}}, Arguments().add(out.data())), Outcome::finished);
    EXPECT_EQ(out, expected(places, 3)) << places;
  }
}

// More blocks than the planner tells apart (Crowd).
TEST(ManyMeetingsCrowd, GivesWhatTheHostComputes) {
  constexpr unsigned places = 300;
  Translator translator({.cpu = "", .tier = Tier::quick});
  const std::string text = kernel_text(places, 2);
  const auto module = lowered(text, "many");
  const Plan plan = make_plan({*module, *module->find_function("k"), shape_of({threads, 1, 1}), {}});
  ASSERT_FALSE(plan.crowd.blocks.empty());
  KernelHarness harness(text, translator);
  std::vector<std::uint32_t> out(threads);
  harness.name(out);
  ASSERT_EQ(harness.run({"k", {1}, {threads}, 0, {}}, Arguments().add(out.data())), Outcome::finished);
  EXPECT_EQ(out, expected(places, 2));
}

INSTANTIATE_TEST_SUITE_P(Forms, ManyMeetings,
                         testing::Combine(testing::Values(Dispatch::inlined, Dispatch::shared),
                                          testing::Values(Tier::full, Tier::quick)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) == Dispatch::shared ? "shared" : "inlined") +
                                  (std::get<1>(test.param) == Tier::quick ? "_quick" : "");
                         });

// LLVM's instructions after the optimiser.
std::size_t instructions(unsigned places) {
  const std::string text =
      text_after({"optimise", kernel_text(places, 3), {"k", {}, {threads, 1, 1}, {}}, shared_translator().jit()});
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with("  ") ? 1 : 0;
  return count;
}

TEST(ManyMeetingsCode, GrowsWithTheirNumber) {
  const std::size_t few = instructions(20), many = instructions(200);
  EXPECT_LT(static_cast<double>(many), 1.3 * 10 * static_cast<double>(few)) << few << " and " << many;
}

}  // namespace
}  // namespace xcuda::device::cpu
