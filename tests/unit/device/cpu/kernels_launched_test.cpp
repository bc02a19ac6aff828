// What the other files leave out: every kernel of tests/kernels is launched by a test, and tests/layout counts them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "tests/unit/device/cpu/device_fixture.hpp"
#include "tests/unit/device/cpu/random_numbers.hpp"

namespace xcuda::device::cpu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

class LaunchedKernels : public DeviceTest {
 protected:
  LaunchedKernels() { golden_ = true; }
};

// --- The integer functions of file 23 -------------------------------------------------------------------------------

u32 byte_of(u32 word, int i) { return word >> (8 * i) & 255; }
int signed_byte(u32 word, int i) { return static_cast<std::int8_t>(byte_of(word, i)); }
template <class Function> u32 by_bytes(Function function) {
  u32 word = 0;
  for (int i = 0; i < 4; ++i) word |= (static_cast<u32>(function(i)) & 255) << (8 * i);
  return word;
}

u32 all_at_once(int a, int b, u32 u, u32 next, u32 i) {
  const auto ua = static_cast<u32>(a), ub = static_cast<u32>(b);
  u32 s = 0, v = 7;
  for (int k = 0; k < 4; ++k)
    s += static_cast<u32>(signed_byte(ua, k) * signed_byte(ub, k)), v += byte_of(u, k) * byte_of(next, k);
  const int low = static_cast<std::int16_t>(ua), high = static_cast<std::int16_t>(ua >> 16);
  s += s + static_cast<u32>(low * signed_byte(ub, 0) + high * signed_byte(ub, 1));
  u32 reversed = 0;
  for (int k = 0; k < 32; ++k) reversed |= (u >> k & 1) << (31 - k);
  const u64 pair = u64{next} << 32 | u;
  const u32 selector = 0x3210 ^ i;
  const u32 permuted = by_bytes([&](int k) { return pair >> (8 * (selector >> (4 * k) & 7)); });
  const auto low24 = [](int value) {
    return static_cast<i64>(static_cast<std::int32_t>(static_cast<u32>(value) << 8) >> 8);
  };
  const u32 shift = s & 31;
  const auto absolute = [](i64 value) { return static_cast<u32>(std::llabs(value)); };
  u32 sum = s + v + static_cast<u32>(std::popcount(u)) + static_cast<u32>(std::countl_zero(ua)) +
            static_cast<u32>(b == 0 ? 0 : std::countr_zero(ub) + 1);
  sum += reversed + permuted + static_cast<u32>(i64{a} * b >> 32) + static_cast<u32>(u64{u} * v >> 32) +
         static_cast<u32>(low24(a) * low24(b));
  sum += absolute(i64{a} - b) + v + (shift == 0 ? v : v << shift | u >> (32 - shift));
  sum += by_bytes([&](int k) { return byte_of(u, k) + byte_of(v, k); });
  sum += by_bytes([&](int k) { return absolute(i64{byte_of(u, k)} - byte_of(v, k)); });
  sum += by_bytes([&](int k) { return std::max(signed_byte(ua, k), signed_byte(ub, k)); });
  sum += absolute(a) + static_cast<u32>(a / b) + static_cast<u32>(a % 7) + u % 10;
  sum += static_cast<u32>((i64{a} + b + 1) >> 1) + static_cast<u32>((i64{a} + b) >> 1);
  return sum + by_bytes([&](int k) { return byte_of(u, k) > byte_of(v, k) ? 255 : 0; });
}

TEST_F(LaunchedKernels, IntegerFunctions) {
  load("23_dp4a_int");
  std::vector<int> a(8), b(8);
  std::vector<u32> u(9);
  for (u32 i = 0; i < 9; ++i) {
    u[i] = i * 2654435761u + 12345;
    if (i < 8) a[i] = static_cast<int>(i * 2246822519u + 77), b[i] = static_cast<int>(~i * 3266489917u | 1);
  }
  const auto out = zeros<u32>("o", 8);
  launch("qdot", {{1}, {8}}, make("a", a), make("b", b), out, make("u", u));
  const auto got = read(out);
  for (u32 i = 0; i < 8; ++i) ASSERT_EQ(got[i], all_at_once(a[i], b[i], u[i], u[i + 1], i)) << i;
}

TEST_F(LaunchedKernels, ShortsAndLongs) {
  golden_ = false;
  load("23_dp4a_int");
  std::vector<std::int16_t> a(32);
  std::vector<std::uint16_t> b(32);
  for (int i = 0; i < 32; ++i)
    a[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(i * 2111 - 30000),
    b[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(i * 2001 + 3000);
  const auto c = zeros<std::int8_t>("c", 34);
  const auto d = zeros<i64>("d", 32);
  launch("shorts", {{1}, {32}}, make("a", a), make("b", b), c, d);
  std::vector<std::int8_t> bytes(34);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::int8_t>(a[i] >> 3);
  const auto sums = read(d);
  for (std::size_t i = 0; i < 32; ++i)
    ASSERT_EQ(sums[i], i64{a[i] * b[i] + bytes[i + 1]}) << i;  // a warp goes on together
  for (std::size_t i = 0; i < 32; ++i)
    bytes[i + 2] = static_cast<std::int8_t>(static_cast<std::int16_t>(a[i] + b[i]) / 3);
  EXPECT_EQ(read(c), bytes);
}

// --- Memory and control ---------------------------------------------------------------------------------------------

TEST_F(LaunchedKernels, NearestCentres) {
  load("33_spmv_graph");
  struct Point {
    float x, y;
  };
  constexpr std::size_t n = 500, k = 7;
  std::vector<Point> points, centres;
  for (std::size_t i = 0; i < n; ++i)
    points.push_back({static_cast<float>(i * 37 % 101), static_cast<float>(i * 53 % 89)});
  for (std::size_t i = 0; i < k; ++i) centres.push_back({static_cast<float>(i * 15), static_cast<float>(i * i * 2)});
  const auto labels = zeros<int>("lab", n), counts = zeros<int>("cnt", k);
  const auto sums = zeros<Point>("sum", k);
  launch("kmeans", {{4}, {128}}, make("p", points), make("c", centres), labels, sums, counts, static_cast<int>(n),
         static_cast<int>(k));
  std::vector<Point> wanted(k);
  std::vector<int> members(k);
  const auto label = read(labels);
  for (std::size_t i = 0; i < n; ++i) {
    const auto distance = [&](const Point& c) {
      return (points[i].x - c.x) * (points[i].x - c.x) + (points[i].y - c.y) * (points[i].y - c.y);
    };
    const auto best = std::min_element(centres.begin(), centres.end(),
                                       [&](const Point& p, const Point& q) { return distance(p) < distance(q); });
    const auto index = static_cast<std::size_t>(best - centres.begin());
    ASSERT_EQ(label[i], static_cast<int>(index)) << i;
    ++members[index];
    wanted[index].x += points[i].x, wanted[index].y += points[i].y;  // whole numbers: exact in any order
  }
  EXPECT_EQ(read(counts), members);
  const auto got = read(sums);
  for (std::size_t i = 0; i < k; ++i) EXPECT_TRUE(got[i].x == wanted[i].x && got[i].y == wanted[i].y) << i;
}

TEST_F(LaunchedKernels, SpacesAndCacheHints) {
  golden_ = false;
  load("36_switch_misc");
  const auto p = make("p", std::vector<float>{10, 4, 6, -5, 1}), out = zeros<float>("o", 8);
  const auto flag = make("flag", std::vector<int>{1});
  launch("spaces", {{1}, {1}}, p, out, flag);
  // p is global and not shared; the shared variable is at offset 0.
  EXPECT_EQ(read(out), (std::vector<float>{1 - 5, 16, 1, 2, 2, 0, 0, 18 + 17 + 16 + 4 + 1 + 16 + 1 + 3}));
  EXPECT_EQ(read(flag), std::vector<int>{2});
}

TEST_F(LaunchedKernels, ALambdaAndASwitch) {
  load("27_recursion_virtual");
  for (int k = 0; k < 9; ++k) {
    std::vector<float> wanted(9, -1);
    wanted[0] = static_cast<float>(k);
    const auto out = make("o", wanted);
    wanted[0] = static_cast<float>(3 * k);
    const float stored[] = {1, 3, static_cast<float>(k), 9, static_cast<float>(k * k), 7, std::sin(6.f), 0, 0};
    wanted[static_cast<std::size_t>(std::min(k + 1, 8))] = stored[k];
    launch("lam", {{1}, {1}}, out);
    const auto got = read(out);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(got[i], wanted[i], 1e-6) << k << ", " << i;
  }
}

TEST_F(LaunchedKernels, ChecksAndTheirEnds) {
  golden_ = false;
  load("14_printf_assert");
  std::vector<int> values = {1, 2, -4, 3, 5, 6, 7, 8};
  const auto a = make("a", values);
  launch("chk", {{1}, {8}}, a, 8);
  EXPECT_EQ(out_, "bad a[2]=-4 -2.000000 neg " + std::to_string(a.address) + "\n");
  const Fault failed = fault_of("chk", {{1}, {8}}, a, 6);
  EXPECT_EQ(failed.kind, FaultKind::assertion);
  EXPECT_EQ(failed.thread->x, 6u);
}

TEST_F(LaunchedKernels, ATrapAndABreakpoint) {
  golden_ = false;
  for (const int bad : {77, 78}) {
    start(2);
    load("14_printf_assert");
    const Fault fault = fault_of("chk", {{1}, {4}}, make("a", std::vector<int>{1, bad, 2, 3}), 4);
    EXPECT_EQ(fault.kind, FaultKind::trap);
    EXPECT_EQ(fault.thread->x, 1u);
  }
}

TEST_F(LaunchedKernels, ClocksGoForward) {
  golden_ = false;
  load("14_printf_assert");
  const auto out = zeros<i64>("o", 32);
  launch("clk", {{1}, {32}}, out);
  const auto first = read(out);
  for (const i64 value : first) EXPECT_GE(value, 0);
  launch("clk", {{1}, {32}}, out);
  EXPECT_NE(read(out)[0], first[0]);  // %globaltimer
}

// --- File 39, as compute_80 has it ----------------------------------------------------------------------------------

TEST_F(LaunchedKernels, WhatClustersLeave) {
  load("39_cluster");
  const auto one = zeros<int>("o", 4);
  launch("cl", {{2}, {32}}, one);
  EXPECT_EQ(read(one)[0], 1);
  const auto all = zeros<float>("o", 256);
  launch("lb", {{1}, {256}}, all);
  EXPECT_EQ(read(all), std::vector<float>(256, 1));
}

TEST_F(LaunchedKernels, TilesAndPartitions) {
  load("39_cluster");
  std::vector<float> values(32);
  for (std::size_t i = 0; i < 32; ++i) values[i] = static_cast<float>(i * 3 + 5);
  const auto out = make("o", values);
  launch("multitile", {{1}, {32}}, out);
  const auto got = read(out);
  for (std::size_t i = 0; i < 32; ++i) {
    const float below = values[i % 8 < 6 ? i + 2 : i];
    const int labelled = i % 3 == 2 ? 10 : 11;
    const float wanted = below + static_cast<float>(labelled) + static_cast<float>(i / 2) + 1 + 255 + 255;
    ASSERT_EQ(got[i], wanted) << i;
  }
}

}  // namespace
}  // namespace xcuda::device::cpu
