// Registers that threads keep over barriers, whole or for some lanes only: random kernels give what the host computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/unit/device/cpu/opcode_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::uint32_t threads = 80, kRegisters = 6;  // two warps, and a half

// A register takes a value from another, in the threads whose number has the bit, or in all.
struct Step {
  enum class Kind : std::uint8_t { all, some, loop, barrier, count } kind;
  unsigned to, from, bit, factor;
};

std::vector<Step> drawn(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::vector<Step> steps(12);
  for (Step& step : steps)
    step = {static_cast<Step::Kind>(below(5)), below(kRegisters), below(kRegisters), below(7), 3 + 2 * below(50)};
  return steps;
}

// In a loop, and between others, the register goes from thread to thread across barriers; or a barrier counts the
// threads where another one has the bit.
std::string text_of(const Step& step, std::size_t number) {
  const std::string change = fmt::format("  mad.lo.u32 %v{}, %v{}, {}, {};\n", step.to, step.from, step.factor, number);
  const std::string exchange = fmt::format(
      "  st.shared.u32 [%own], %v{0};\n  bar.sync 0;\n  ld.shared.u32 %got, [%next];\n  bar.sync 0;\n"
      "  add.u32 %v{0}, %v{0}, %got;\n",
      step.to);
  switch (step.kind) {
    case Step::Kind::all: return change;
    case Step::Kind::some:
      return fmt::format(
          "  shr.u32 %bit, %i, {0};\n  and.b32 %bit, %bit, 1;\n  setp.eq.u32 %q, %bit, 0;\n  @%q bra over{1};\n{2}"
          "over{1}:\n",
          step.bit, number, change);
    case Step::Kind::loop:
      return fmt::format(
          "  mov.u32 %turn, 0;\nagain{0}:\n{1}{2}  add.u32 %turn, %turn, 1;\n"
          "  setp.lt.u32 %p, %turn, 3;\n  @%p bra again{0};\n",
          number, change, exchange);
    case Step::Kind::barrier: return exchange;
    case Step::Kind::count:
      return fmt::format(
          "  shr.u32 %bit, %v{}, {};\n  and.b32 %bit, %bit, 1;\n  setp.ne.u32 %q, %bit, 0;\n  bar.sync 0;\n"
          "  bar.red.popc.u32 %got, 0, %q;\n  mad.lo.u32 %v{}, %got, {}, %v{};\n",
          step.from, step.bit, step.to, step.factor, step.to);
  }
  return {};
}

std::string kernel_text(const std::vector<Step>& steps) {
  std::string body, sum;
  for (std::size_t i = 0; i < steps.size(); ++i) body += text_of(steps[i], i);
  for (unsigned r = 0; r < kRegisters; ++r) {
    body = fmt::format("  mad.lo.u32 %v{0}, %i, {1}, {0};\n", r, 2654435761u + 2 * r) + body;
    sum += fmt::format("  mad.lo.u32 %v0, %v0, 31, %v{};\n", r);
  }
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .pred %p, %q;
  .reg .b32 %v<{}>, %i, %own, %next, %got, %bit, %turn;
  .reg .b64 %out;
  .shared .align 4 .b32 room[{}];
  ld.param.u64 %out, [out];
  mov.u32 %i, %tid.x;
  mad.wide.u32 %out, %i, 4, %out;
  mov.u32 %own, room;
  add.u32 %next, %i, 33;
  rem.u32 %next, %next, {};
  mad.lo.u32 %next, %next, 4, %own;
  mad.lo.u32 %own, %i, 4, %own;
{}{}  st.global.u32 [%out], %v0;
  ret;
}}
)",
                     kRegisters, threads, threads, body, sum);
}

std::vector<std::uint32_t> expected(const std::vector<Step>& steps) {
  std::vector<std::array<std::uint32_t, kRegisters>> v(threads);
  for (std::uint32_t i = 0; i < threads; ++i)
    for (std::uint32_t r = 0; r < kRegisters; ++r) v[i][r] = i * (2654435761u + 2 * r) + r;
  for (std::uint32_t number = 0; number < steps.size(); ++number) {
    const Step& step = steps[number];
    const auto change = [&] {
      for (std::uint32_t i = 0; i < threads; ++i)
        if (step.kind != Step::Kind::some || (i >> step.bit & 1))
          v[i][step.to] = v[i][step.from] * step.factor + number;
    };
    const auto count = [&] {
      std::uint32_t holding = 0;
      for (const auto& own : v) holding += own[step.from] >> step.bit & 1;
      for (auto& own : v) own[step.to] += holding * step.factor;
    };
    const auto exchange = [&] {
      const auto before = v;
      for (std::uint32_t i = 0; i < threads; ++i) v[i][step.to] += before[(i + 33) % threads][step.to];
    };
    if (step.kind == Step::Kind::loop)
      for (int turn = 0; turn < 3; ++turn) change(), exchange();
    else if (step.kind == Step::Kind::barrier)
      exchange();
    else if (step.kind == Step::Kind::count)
      count();
    else
      change();
  }
  std::vector<std::uint32_t> sums;
  for (auto& own : v) {
    for (std::uint32_t r = 0; r < kRegisters; ++r) own[0] = own[0] * 31 + own[r];
    sums.push_back(own[0]);
  }
  return sums;
}

class RegistersOverBarriers : public testing::TestWithParam<std::tuple<Dispatch, Tier>> {};

TEST_P(RegistersOverBarriers, AreWhatTheHostComputes) {
  const auto [dispatch, tier] = GetParam();
  Translator translator({.cpu = "", .dispatch = dispatch, .tier = tier});
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<Step> steps = drawn(seed);
    const std::string text = kernel_text(steps);
    KernelHarness harness(text, translator);
    std::vector<std::uint32_t> out(threads);
    harness.name(out);
    ASSERT_EQ(harness.run({"k", {1}, {threads}, 0, {}}, Arguments().add(out.data())), Outcome::finished);
    EXPECT_EQ(out, expected(steps)) << seed << "\n" << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, RegistersOverBarriers,
                         testing::Combine(testing::Values(Dispatch::inlined, Dispatch::shared),
                                          testing::Values(Tier::full, Tier::quick)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) == Dispatch::shared ? "shared" : "inlined") +
                                  (std::get<1>(test.param) == Tier::quick ? "_quick" : "");
                         });

}  // namespace
}  // namespace xcuda::device::cpu
