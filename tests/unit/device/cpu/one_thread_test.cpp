// Blocks of one thread: what host functions and loops of statements run as.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/unit/device/cpu/device_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

// `add`: y[i] += 2 * x[i] for n elements that lie `step` bytes apart, one in each turn; `add4`: four in each turn, as
// NVRTC unrolls loops; `until`: the same as `add` up to the first element of x that is negative; `table`: an element of
// a variable, beside a variable in shared memory.
constexpr const char* kModule = R"(.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 tile[];
.global .align 4 .b8 numbers[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 step, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %n;
  .reg .b64 %x, %y, %s;
  .reg .f32 %a, %b;
  ld.param.u64 %x, [x];
  ld.param.u64 %y, [y];
  ld.param.u64 %s, [step];
  ld.param.u32 %n, [n];
  setp.eq.u32 %p, %n, 0;
  @%p bra DONE;
LOOP:
  ld.global.f32 %a, [%x];
  add.rn.f32 %a, %a, %a;
  ld.global.f32 %b, [%y];
  add.rn.f32 %b, %b, %a;
  st.global.f32 [%y], %b;
  add.s64 %x, %x, %s;
  add.s64 %y, %y, %s;
  sub.u32 %n, %n, 1;
  setp.ne.u32 %p, %n, 0;
  @%p bra LOOP;
DONE:
  ret;
}
.visible .entry until(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %n;
  .reg .b64 %x, %y;
  .reg .f32 %a, %b;
  ld.param.u64 %x, [x];
  ld.param.u64 %y, [y];
  ld.param.u32 %n, [n];
LOOP:
  ld.global.f32 %a, [%x];
  setp.lt.f32 %p, %a, 0f00000000;
  @%p bra DONE;
  add.rn.f32 %a, %a, %a;
  ld.global.f32 %b, [%y];
  add.rn.f32 %b, %b, %a;
  st.global.f32 [%y], %b;
  add.s64 %x, %x, 4;
  add.s64 %y, %y, 4;
  sub.u32 %n, %n, 1;
  setp.ne.u32 %p, %n, 0;
  @%p bra LOOP;
DONE:
  ret;
}
.visible .entry table(.param .u64 out, .param .u32 i)
{
  .reg .b32 %i, %v, %s;
  .reg .b64 %a, %d;
  ld.param.u64 %a, [out];
  ld.param.u32 %i, [i];
  mov.u64 %d, numbers;
  mad.wide.u32 %d, %i, 4, %d;
  ld.global.u32 %v, [%d];
  mov.u32 %s, tile;
  st.shared.u32 [%s+4], %v;
  bar.sync 0;
  ld.shared.u32 %v, [%s+4];
  atom.global.add.u32 %v, [%a], %v;
  st.global.u32 [%a+4], %v;
  ret;
}
)";

std::string module_text() {
  std::string four =
      ".visible .entry add4(.param .u64 x, .param .u64 y, .param .u32 n)\n{\n.reg .pred %p;\n.reg .b32 %n;\n"
      ".reg .b64 %x, %y;\n.reg .f32 %a, %b;\nld.param.u64 %x, [x];\nld.param.u64 %y, [y];\nld.param.u32 %n, [n];\n"
      "setp.eq.u32 %p, %n, 0;\n@%p bra DONE;\nLOOP:\n";
  for (int i = 0; i < 16; i += 4)
    four += fmt::format(
        "ld.global.f32 %a, [%x+{0}];\nadd.rn.f32 %a, %a, %a;\nld.global.f32 %b, [%y+{0}];\nadd.rn.f32 %b, %b, %a;\n"
        "st.global.f32 [%y+{0}], %b;\n",
        i);
  four +=
      "add.s64 %x, %x, 16;\nadd.s64 %y, %y, 16;\nsub.u32 %n, %n, 4;\nsetp.ne.u32 %p, %n, 0;\n@%p bra LOOP;\n"
      "DONE:\nret;\n}\n";
  return kModule + four;
}

class OneThread : public DeviceTest {
 protected:
  OneThread() { load_text(module_text(), "In[3]"); }

  static std::vector<float> counted(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
  }

  // In the order of the loop, where x and y may be the same memory.
  static void add(std::vector<float>& memory, std::size_t x, std::size_t y, std::size_t n, std::size_t step = 1) {
    for (std::size_t i = 0; i < n; ++i) memory[y + i * step] += 2 * memory[x + i * step];
  }

  static constexpr Shape kOne{{1}, {1}};
};

TEST_F(OneThread, LoopsOfAnyLength) {
  for (std::uint32_t n = 0; n < 150; n += n < 70 ? 1 : 7) {
    auto expected = counted(512);
    const auto memory = make("memory", expected);
    launch("add", kOne, memory.address, memory.address + 256 * 4, std::uint64_t{4}, n);
    add(expected, 0, 256, n);
    ASSERT_EQ(read(memory), expected) << n;
    launch("add4", kOne, memory.address, memory.address + 256 * 4, n / 4 * 4);
    add(expected, 0, 256, n / 4 * 4);
    ASSERT_EQ(read(memory), expected) << n;
  }
}

TEST_F(OneThread, ArraysThatOverlap) {
  for (const std::size_t distance : {0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64}) {
    auto expected = counted(256);
    const auto memory = make("memory", expected);
    const Address other = memory.address + distance * 4;
    launch("add", kOne, memory.address, other, std::uint64_t{4}, 24u);
    add(expected, 0, distance, 24);
    launch("add4", kOne, memory.address, other, 24u);
    add(expected, 0, distance, 24);
    launch("add", kOne, other, memory.address, std::uint64_t{8}, 24u);
    add(expected, distance, 0, 24, 2);
    launch("add4", kOne, other, memory.address, 24u);
    add(expected, distance, 0, 24);
    ASSERT_EQ(read(memory), expected) << distance;
  }
}

TEST_F(OneThread, LoopsThatEndEarly) {
  for (const std::size_t last : {0, 1, 7, 40}) {
    auto x = counted(64), y = counted(64);
    x[last] = -1;
    const auto xs = make("x", x), ys = make("y", y);
    launch("until", kOne, xs, ys, 1000u);  // beyond both, if it went on
    for (std::size_t i = 0; i < last; ++i) y[i] += 2 * x[i];
    ASSERT_EQ(read(ys), y) << last;
  }
}

// The access that a loop without a second version would report.
TEST_F(OneThread, FaultsOfLoops) {
  struct Case {
    std::int64_t first, step;  // bytes
    std::uint32_t n;
    std::int64_t offset;  // of the fault
  };
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  const Case cases[] = {
      {0, 4, 101, 400},          // one too many
      {96 * 4, 4, 5, 400},       // in the middle of what would be one vector
      {40, -4, 12, -4},          // backwards
      {0, 6, 3, 6},              // not aligned
      {2, 4, 3, 2},              // not aligned from the beginning
      {0, kFar, 5, kFar},        // far away; the fourth step comes back to where it began
      {0, 1 << 30, 5, 1 << 30},  // the same with steps that are not the longest
      {-4, 4, 10, -4},           // before the array
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(fmt::format("{} {} {}", each.first, each.step, each.n));
    start(1);
    load_text(module_text(), "In[3]");
    zeros<float>("before", 64);
    const auto x = zeros<float>("x", 100), y = zeros<float>("y", 100);
    const Fault fault =
        fault_of("add", kOne, x.address + static_cast<std::uint64_t>(each.first),
                 y.address + static_cast<std::uint64_t>(each.first), static_cast<std::uint64_t>(each.step), each.n);
    EXPECT_EQ(fault.address, x.address + static_cast<std::uint64_t>(each.offset)) << fault.message;
    EXPECT_EQ(fault.access, Access::read);
  }
}

TEST_F(OneThread, VariablesBesideSharedOnesAndAtomics) {
  const auto out = zeros<std::uint32_t>("out", 2);
  launch("table", {{1}, {1}, 16}, out, 2u);
  EXPECT_EQ(read(out), (std::vector<std::uint32_t>{3, 0}));
  launch("table", {{5}, {1}, 16}, out, 3u);  // five blocks
  EXPECT_EQ(read(out)[0], 23u);
  EXPECT_EQ(fault_of("table", {{1}, {1}, 16}, out, 4u).access, Access::read);
}

}  // namespace
}  // namespace xcuda::device::cpu
