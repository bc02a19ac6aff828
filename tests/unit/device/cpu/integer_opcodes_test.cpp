// Integer instructions against the host: all operand types, with corner values and random ones, bit for bit.
#include <numeric>

#include "tests/unit/device/cpu/opcode_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

TEST(IntegerOpcodes, AddsAndSubtracts) {
  expect_opcode<u32, u32, u32>("add.u32 %d, %a, %b;", [](u32 a, u32 b) { return a + b; });
  expect_opcode<u64, u64, u64>("sub.s64 %d, %a, %b;", [](u64 a, u64 b) { return a - b; });
  expect_opcode<u16, u16, u16>("add.u16 %d, %a, %b;", [](u16 a, u16 b) { return static_cast<u16>(a + b); });
  expect_opcode<s32, s32, s32>("add.sat.s32 %d, %a, %b;", [](s32 a, s32 b) {
    return static_cast<s32>(
        std::clamp<s64>(s64{a} + b, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
  });
  expect_opcode<s32, s32, s32>("sub.sat.s32 %d, %a, %b;", [](s32 a, s32 b) {
    return static_cast<s32>(
        std::clamp<s64>(s64{a} - b, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
  });
}

TEST(IntegerOpcodes, CarriesOnFromWordToWord) {
  expect_opcode<u64, u64, u64>(
      "mov.b64 {%t0, %t1}, %a; mov.b64 {%t2, %t3}, %b; add.cc.u32 %t4, %t0, %t2; addc.u32 %t5, %t1, %t3; mov.b64 %d, "
      "{%t4, %t5};",
      [](u64 a, u64 b) { return a + b; });
  expect_opcode<u64, u64, u64>(
      "mov.b64 {%t0, %t1}, %a; mov.b64 {%t2, %t3}, %b; sub.cc.u32 %t4, %t0, %t2; subc.u32 %t5, %t1, %t3; mov.b64 %d, "
      "{%t4, %t5};",
      [](u64 a, u64 b) { return a - b; });
  expect_opcode<u32, u32, u32, u32>("mad.lo.cc.u32 %t0, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0;",
                                    [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} * b + c) >> 32); });
}

TEST(IntegerOpcodes, Multiplies) {
  expect_opcode<u32, u32, u32>("mul.lo.s32 %d, %a, %b;", [](u32 a, u32 b) { return a * b; });
  expect_opcode<u32, u32, u32>("mul.hi.u32 %d, %a, %b;",
                               [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
  expect_opcode<s32, s32, s32>("mul.hi.s32 %d, %a, %b;",
                               [](s32 a, s32 b) { return static_cast<s32>(s64{a} * b >> 32); });
  expect_opcode<u64, u32, u32>("mul.wide.u32 %d, %a, %b;", [](u32 a, u32 b) { return u64{a} * b; });
  expect_opcode<s64, s32, s32>("mul.wide.s32 %d, %a, %b;", [](s32 a, s32 b) { return s64{a} * b; });
  expect_opcode<u32, u16, u16>("mul.wide.u16 %d, %a, %b;", [](u16 a, u16 b) { return u32{a} * b; });
  expect_opcode<u64, u64, u64>("mul.hi.u64 %d, %a, %b;",
                               [](u64 a, u64 b) { return static_cast<u64>(u128{a} * b >> 64); });
  expect_opcode<s64, s64, s64>("mul.hi.s64 %d, %a, %b;",
                               [](s64 a, s64 b) { return static_cast<s64>(s128{a} * b >> 64); });
  expect_opcode<u32, u32, u32, u32>("mad.lo.u32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) { return a * b + c; });
  expect_opcode<s64, s32, s32, s64>("mad.wide.s32 %d, %a, %b, %c;", [](s32 a, s32 b, s64 c) {
    return static_cast<s64>(static_cast<u64>(s64{a} * b) + static_cast<u64>(c));
  });
  expect_opcode<u32, u32, u32>("mul24.lo.u32 %d, %a, %b;",
                               [](u32 a, u32 b) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff)); });
  expect_opcode<u32, u32, u32>("mul24.hi.u32 %d, %a, %b;",
                               [](u32 a, u32 b) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) >> 16); });
}

TEST(IntegerOpcodes, DividesAlsoByZeroAndTheLeastNumberByMinusOne) {
  expect_opcode<u32, u32, u32>("div.u32 %d, %a, %b;", [](u32 a, u32 b) { return b ? a / b : ~0u; });
  expect_opcode<s32, s32, s32>("div.s32 %d, %a, %b;",
                               [](s32 a, s32 b) { return b ? static_cast<s32>(s64{a} / b) : -1; });
  expect_opcode<u64, u64, u64>("div.u64 %d, %a, %b;", [](u64 a, u64 b) { return b ? a / b : ~u64{0}; });
  expect_opcode<s64, s64, s64>("div.s64 %d, %a, %b;",
                               [](s64 a, s64 b) { return b ? static_cast<s64>(s128{a} / b) : s64{-1}; });
  expect_opcode<s16, s16, s16>("div.s16 %d, %a, %b;", [](s16 a, s16 b) { return static_cast<s16>(b ? a / b : -1); });
  expect_opcode<u32, u32, u32>("rem.u32 %d, %a, %b;", [](u32 a, u32 b) { return b ? a % b : ~0u; });
  expect_opcode<s32, s32, s32>("rem.s32 %d, %a, %b;",
                               [](s32 a, s32 b) { return b ? static_cast<s32>(s64{a} % b) : -1; });
  expect_opcode<s64, s64, s64>("rem.s64 %d, %a, %b;",
                               [](s64 a, s64 b) { return b ? static_cast<s64>(s128{a} % b) : s64{-1}; });
  expect_opcode<u32, u32>("div.u32 %d, %a, 7;", [](u32 a) { return a / 7; });
  expect_opcode<s32, s32>("rem.s32 %d, %a, -5;", [](s32 a) { return a % -5; });
}

TEST(IntegerOpcodes, ComparesAndChooses) {
  expect_opcode<s32, s32, s32>("min.s32 %d, %a, %b;", [](s32 a, s32 b) { return std::min(a, b); });
  expect_opcode<u64, u64, u64>("max.u64 %d, %a, %b;", [](u64 a, u64 b) { return std::max(a, b); });
  expect_opcode<s16, s16, s16>("max.s16 %d, %a, %b;", [](s16 a, s16 b) { return std::max(a, b); });
  expect_opcode<s32, s32>("abs.s32 %d, %a;",
                          [](s32 a) { return a < 0 ? static_cast<s32>(0u - static_cast<u32>(a)) : a; });
  expect_opcode<s64, s64>("neg.s64 %d, %a;", [](s64 a) { return static_cast<s64>(u64{0} - static_cast<u64>(a)); });
  expect_opcode<u32, s32, s32, u32>("sad.s32 %d, %a, %b, %c;", [](s32 a, s32 b, u32 c) {
    return c + static_cast<u32>(a < b ? s64{b} - a : s64{a} - b);
  });
  expect_opcode<u32, s32, s32>("setp.lt.s32 %p1, %a, %b; selp.u32 %d, 3, 4, %p1;",
                               [](s32 a, s32 b) { return a < b ? 3u : 4u; });
  expect_opcode<u32, u32, u32>("setp.hs.u32 %p1, %a, %b; selp.u32 %d, 3, 4, %p1;",
                               [](u32 a, u32 b) { return a >= b ? 3u : 4u; });
  expect_opcode<u32, u64, u64>("set.ne.u32.u64 %d, %a, %b;", [](u64 a, u64 b) { return a != b ? ~0u : 0u; });
  expect_opcode<u32, s32, s32, u32>(
      "setp.eq.u32 %p2, %c, 7; setp.gt.and.s32 %p1|%p3, %a, %b, %p2; selp.u32 %d, 1, 0, %p1; selp.u32 %t0, 2, 0, %p3; "
      "or.b32 %d, %d, %t0;",
      [](s32 a, s32 b, u32 c) { return (a > b && c == 7 ? 1u : 0u) | (!(a > b) && c == 7 ? 2u : 0u); });
  expect_opcode<u32, u32, u32, s32>("slct.u32.s32 %d, %a, %b, %c;", [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; });
}

TEST(IntegerOpcodes, DotProducts) {
  auto byte = [](u32 x, int i) { return static_cast<u32>(x >> (8 * i) & 255); };
  expect_opcode<u32, u32, u32, u32>("dp4a.u32.u32 %d, %a, %b, %c;", [&](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i) c += byte(a, i) * byte(b, i);
    return c;
  });
  expect_opcode<u32, u32, u32, u32>("dp4a.s32.u32 %d, %a, %b, %c;", [&](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i)
      c += static_cast<u32>(static_cast<std::int8_t>(byte(a, i)) * static_cast<int>(byte(b, i)));
    return c;
  });
  expect_opcode<u32, u32, u32, u32>("dp2a.hi.s32.s32 %d, %a, %b, %c;", [&](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 2; ++i)
      c += static_cast<u32>(static_cast<s16>(a >> (16 * i)) * static_cast<std::int8_t>(byte(b, 2 + i)));
    return c;
  });
}

TEST(LogicOpcodes, ShiftsClampTheirAmount) {
  expect_opcode<u32, u32, u32>("shl.b32 %d, %a, %b;", [](u32 a, u32 n) { return n < 32 ? a << n : 0; });
  expect_opcode<u32, u32, u32>("shr.u32 %d, %a, %b;", [](u32 a, u32 n) { return n < 32 ? a >> n : 0; });
  expect_opcode<s32, s32, u32>("shr.s32 %d, %a, %b;", [](s32 a, u32 n) { return a >> std::min(n, 31u); });
  expect_opcode<u64, u64, u32>("shl.b64 %d, %a, %b;", [](u64 a, u32 n) { return n < 64 ? a << n : 0; });
  expect_opcode<s64, s64, u32>("shr.s64 %d, %a, %b;", [](s64 a, u32 n) { return a >> std::min(n, 63u); });
  expect_opcode<s16, s16, u32>("shr.s16 %d, %a, %b;",
                               [](s16 a, u32 n) { return static_cast<s16>(a >> std::min(n, 15u)); });
  expect_opcode<u32, u32>("shl.b32 %d, %a, 40;", [](u32) { return 0u; });
  expect_opcode<u32, u32, u32, u32>("shf.l.wrap.b32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    c &= 31;
    return c ? b << c | a >> (32 - c) : b;
  });
  expect_opcode<u32, u32, u32, u32>("shf.r.clamp.b32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    c = std::min(c, 32u);
    return c == 0 ? a : c == 32 ? b : b << (32 - c) | a >> c;
  });
}

TEST(LogicOpcodes, BitFields) {
  expect_opcode<u32, u32, u32, u32>("bfe.u32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    const u32 position = b & 255, length = c & 255;
    u32 result = 0;
    for (u32 i = 0; i < std::min(length, 32u); ++i)
      if (position + i < 32) result |= (a >> (position + i) & 1) << i;
    return result;
  });
  expect_opcode<s32, s32, u32, u32>("bfe.s32 %d, %a, %b, %c;", [](s32 a, u32 b, u32 c) {
    const u32 position = b & 255, length = c & 255;
    if (length == 0) return 0;
    const u32 sign = static_cast<u32>(a) >> std::min(position + length - 1, 31u) & 1;
    u32 result = 0;
    for (u32 i = 0; i < 32; ++i)
      result |= (i < length && position + i < 32 ? static_cast<u32>(a) >> (position + i) & 1 : sign) << i;
    return static_cast<s32>(result);
  });
  expect_opcode<u32, u32, u32, u32>("bfi.b32 %d, %a, %b, %c, 5;", [](u32 a, u32 b, u32 c) {
    const u32 position = c & 255;
    for (u32 i = 0; i < 5 && position + i < 32; ++i) b = (b & ~(1u << (position + i))) | (a >> i & 1) << (position + i);
    return b;
  });
  expect_opcode<u32, u32>("bfind.u32 %d, %a;",
                          [](u32 a) { return a ? 31u - static_cast<u32>(std::countl_zero(a)) : ~0u; });
  expect_opcode<u32, s32>("bfind.shiftamt.s32 %d, %a;", [](s32 a) {
    const u32 x = static_cast<u32>(a < 0 ? ~a : a);
    return x ? static_cast<u32>(std::countl_zero(x)) : ~0u;
  });
  expect_opcode<u32, u64>("clz.b64 %d, %a;", [](u64 a) { return static_cast<u32>(std::countl_zero(a)); });
  expect_opcode<u32, u64>("popc.b64 %d, %a;", [](u64 a) { return static_cast<u32>(std::popcount(a)); });
  expect_opcode<u32, u32>("brev.b32 %d, %a;", [](u32 a) {
    u32 result = 0;
    for (int i = 0; i < 32; ++i) result |= (a >> i & 1) << (31 - i);
    return result;
  });
  expect_opcode<u32, u32, u32>("bmsk.clamp.b32 %d, %a, %b;", [](u32 a, u32 b) {
    u32 result = 0;
    for (u32 i = 0; i < 32; ++i)
      if (i >= a && i - a < b) result |= 1u << i;
    return result;
  });
}

TEST(LogicOpcodes, AndsAndPermutes) {
  expect_opcode<u32, u32, u32, u32>("lop3.b32 %d, %a, %b, %c, 0x96;", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; });
  expect_opcode<u32, u32, u32, u32>("lop3.b32 %d, %a, %b, %c, 0xca;",
                                    [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); });
  expect_opcode<u64, u64, u64>("xor.b64 %d, %a, %b;", [](u64 a, u64 b) { return a ^ b; });
  expect_opcode<u32, u32>("not.b32 %d, %a;", [](u32 a) { return ~a; });
  expect_opcode<u32, u32>("cnot.b32 %d, %a;", [](u32 a) { return a == 0 ? 1u : 0u; });
  expect_opcode<u32, u32, u32, u32>("prmt.b32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    const u64 bytes = u64{b} << 32 | a;
    u32 result = 0;
    for (int i = 0; i < 4; ++i) {
      const u32 selector = c >> (4 * i) & 15;
      u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7)) & 255);
      if (selector & 8) byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * i);
    }
    return result;
  });
  expect_opcode<u32, u32, u32, u32>("prmt.b32.f4e %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>((u64{b} << 32 | a) >> (8 * (c & 3)));
  });
}

TEST(MoveOpcodes, PackAndUnpack) {
  expect_opcode<u64, u32, u32>("mov.b64 %d, {%a, %b};", [](u32 a, u32 b) { return u64{b} << 32 | a; });
  expect_opcode<u32, u64>("mov.b64 {%t0, %d}, %a;", [](u64 a) { return static_cast<u32>(a >> 32); });
  expect_opcode<u32, u16, u16>("mov.b32 %d, {%a, %b};", [](u16 a, u16 b) { return u32{b} << 16 | a; });
  expect_opcode<float, u32>("mov.b32 %d, %a;", [](u32 a) { return std::bit_cast<float>(a); });
}

}  // namespace
}  // namespace xcuda::device::cpu
