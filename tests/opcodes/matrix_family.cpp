// Matrices that a warp holds: mma of all shapes and types, wmma with its loads and stores, ldmatrix, movmatrix. Numbers
// are small and whole where sums are rounded, so that each order of adding them gives the same bits; the host's answer
// is put together from the tables of the PTX ISA, element by element.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.hpp"
#include "tests/opcodes/cases.hpp"

namespace xcuda::opcodes {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 hash(u32 x) {
  x = (x ^ x >> 16) * 0x45d9f3b;
  x = (x ^ x >> 16) * 0x45d9f3b;
  return x ^ x >> 16;
}

int element_bits(const std::string& type) {
  if (type == "f64") return 64;
  if (type == "tf32" || type == "f32" || type == "s32") return 32;
  if (type == "f16" || type == "bf16") return 16;
  return type[1] - '0';  // s8, u4, b1
}

// A small whole number as `type` has it.
u64 small(const std::string& type, u32 seed) {
  const int value = static_cast<int>(hash(seed) >> 8 & 7) - 3;
  if (type == "f64") return std::bit_cast<u64>(static_cast<double>(value));
  if (type == "f32" || type == "tf32") return std::bit_cast<u32>(static_cast<float>(value));
  if (type == "bf16") return std::bit_cast<u32>(static_cast<float>(value)) >> 16;
  if (type == "f16") return double_to_half(value);
  return hash(seed);  // integers: any bits
}

double real(const std::string& type, u64 bits) {
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "f16") return half_to_float(static_cast<std::uint16_t>(bits));
  if (type == "bf16") return std::bit_cast<float>(static_cast<u32>(bits << 16));
  if (type == "f32" || type == "tf32") return std::bit_cast<float>(static_cast<u32>(bits));
  const int width = element_bits(type);
  bits &= (u64{1} << width) - 1;
  if (type[0] == 's' && bits >> (width - 1)) return static_cast<double>(bits) - std::ldexp(1.0, width);
  return static_cast<double>(bits);
}

struct Shape {
  int m, n, k;
  std::string text() const { return fmt::format("m{}n{}k{}", m, n, k); }
};

// The words of a lane: what the four inputs hold, two each.
constexpr int words_per_lane = 8;
u64 given_word(const std::string& type, u32 slot, int word) {
  u64 bits = 0;
  const int width = std::min(element_bits(type), 32);
  for (int at = 0; at < 32; at += width)
    bits |= (small(type, slot * 1009 + static_cast<u32>(word * 37 + at)) & ((u64{1} << width) - 1)) << at;
  return bits;
}

struct Multiply {
  Shape shape;
  std::string type, type_b, sums;  // of a and b; of c and d
  bool saturates = false, ands = false, corners = false;
  int words_a() const { return std::max(shape.m * shape.k * element_bits(type) / 1024, 1); }
  int words_b() const { return std::max(shape.n * shape.k * element_bits(type) / 1024, 1); }

  // a of words 0 to 3, b of 4 and 5, c of what 6 and 7 hold as four small numbers.
  u32 word(u32 slot, int index) const {
    if (index >= 6) return static_cast<u32>(given_word("s16", slot, index));
    if (corners && index == 0) {
      const auto all = opcodes::corners(type + "x2", 1);
      return static_cast<u32>(all[slot % all.size()]);
    }
    if (corners && index < 4) return 0;
    if (corners && index == 4) {  // twice the unit matrix
      const u32 lane = slot % 32, two = type == "f16" ? 0x4000 : 0x4000;
      return (lane % 4 * 2 == lane / 4 ? two : 0) | (lane % 4 * 2 + 1 == lane / 4 ? two << 16 : 0);
    }
    if (corners) return 0;
    return static_cast<u32>(given_word(index < 4 ? type : type_b, slot, index));
  }
  int addend(u32 slot, int index) const {  // -8 to 7, or far beyond
    if (corners) return 0;
    const u32 bits = word(slot, 6 + index / 2) >> (index % 2 * 16);
    const int value = static_cast<int>(bits & 15) - 8;
    return saturates ? value * 0x10000000 : value;
  }
};

u32 slot_of(u32 warp, u32 lane) { return std::min(warp * 32 + lane, slots - 1); }

// Element `i` of a lane's fragment of a: the PTX ISA's tables, for 16 rows or 8.
struct At {
  int row, column;
};
At place_in_a(const Multiply& x, u32 lane, int i) {
  const int group = static_cast<int>(lane / 4), thread = static_cast<int>(lane % 4);
  const int per = std::max(32 / element_bits(x.type), 1);  // elements in a register
  const int reg = i / per;
  if (x.shape.m == 8) return {group, thread * per + i};
  return {reg % 2 ? group + 8 : group, thread * per + i % per + (reg >= 2 ? 4 * per : 0)};
}
At place_in_b(const Multiply& x, u32 lane, int i) {
  const int per = std::max(32 / element_bits(x.type), 1);
  return {static_cast<int>(lane % 4) * per + i % per + i / per * 4 * per, static_cast<int>(lane / 4)};
}
At place_in_c(u32 lane, int i) {
  return {static_cast<int>(lane / 4) + (i >= 2 ? 8 : 0), static_cast<int>(lane % 4) * 2 + i % 2};
}

double element(const Multiply& x, const std::string& type, u32 slot, int first_word, int i) {
  const int width = element_bits(type);
  const int at = i * width;
  return real(type, x.word(slot, first_word + at / 32) >> (at % 32));
}

u64 sum_bits(const Multiply& x, double value) {
  if (std::isnan(value)) return x.sums == "f32" ? 0x7fff'ffff : 0x7fff;
  if (x.sums == "f32") return std::bit_cast<u32>(static_cast<float>(value));
  if (x.sums == "f16") return double_to_half(value);
  if (x.saturates) return static_cast<u32>(static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)));
  return static_cast<u32>(static_cast<std::int64_t>(value));
}

// Element `i` of d in a slot.
u64 product(const Multiply& x, u32 slot, int i) {
  const u32 warp = slot / 32;
  const At want = place_in_c(slot % 32, i);
  const int a_elements = x.words_a() * 32 / element_bits(x.type), b_elements = x.words_b() * 32 / element_bits(x.type);
  std::array<double, 256> row{}, column{};
  for (u32 lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < a_elements; ++e)
      if (const At at = place_in_a(x, lane, e); at.row == want.row)
        row[static_cast<std::size_t>(at.column)] = element(x, x.type, slot_of(warp, lane), 0, e);
    for (int e = 0; e < b_elements; ++e)
      if (const At at = place_in_b(x, lane, e); at.column == want.column)
        column[static_cast<std::size_t>(at.row)] = element(x, x.type_b, slot_of(warp, lane), 4, e);
  }
  double sum = x.addend(slot, i);
  for (std::size_t k = 0; k < static_cast<std::size_t>(x.shape.k); ++k)
    sum += x.type != "b1" ? row[k] * column[k] : x.ands ? row[k] * column[k] : std::fabs(row[k] - column[k]);
  return sum_bits(x, sum);
}

std::string registers(int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("{}%t{}", i ? ", " : "", first + i);
  return text + "}";
}

constexpr const char* unpack =
    "mov.b64 {%t0, %t1}, %a; mov.b64 {%t2, %t3}, %b; mov.b64 {%t4, %t5}, %c; mov.b64 {%t6, %t7}, %e;\n";
const std::vector<std::string> four_words = {"u64", "u64", "u64", "u64"};

void add(Family& family, const Multiply& x) {
  const bool floats = x.sums == "f32", halves = x.sums == "f16";
  const int sums = x.shape.m == 16 ? 4 : 2;
  std::string body = unpack;
  for (int i = 0; i < sums; ++i) {  // c: bits 0 to 3 of a half, less 8
    body += fmt::format("shr.u32 %t{0}, %t{1}, {2}; and.b32 %t{0}, %t{0}, 15; sub.s32 %t{0}, %t{0}, 8;", 10 + i,
                        6 + i / 2, i % 2 * 16);
    if (x.corners) body += fmt::format("mov.u32 %t{}, 0;", 10 + i);
    if (x.saturates) body += fmt::format("shl.b32 %t{0}, %t{0}, 28;", 10 + i);
    if (floats) body += fmt::format("cvt.rn.f32.s32 %f{}, %t{}; mov.b32 %t{}, %f{};", i, 10 + i, 10 + i, i);
    if (halves) body += fmt::format("cvt.rn.f16.s32 %h{}, %t{};", i, 10 + i);
  }
  if (halves) body += "mov.b32 %t10, {%h0, %h1}; mov.b32 %t11, {%h2, %h3};";
  std::string c = registers(10, halves ? sums / 2 : sums), d = registers(20, halves ? sums / 2 : sums);
  if (floats) {
    c = d = "{";
    for (int i = 0; i < sums; ++i) {
      c += fmt::format("{}%f{}", i ? ", " : "", i);
      d += fmt::format("{}%f{}", i ? ", " : "", 8 + i);
    }
    c += "}", d += "}";
  }
  const std::string operation = x.type == "b1" ? (x.ands ? ".and.popc" : ".xor.popc") : "";
  const std::string name = fmt::format("mma.sync.aligned.{}.row.col{}.{}.{}.{}.{}{}", x.shape.text(),
                                       x.saturates ? ".satfinite" : "", x.sums, x.type, x.type_b, x.sums, operation);
  body += fmt::format("\n{} {}, {}, {}, {};\n", name, d, registers(0, x.words_a()), registers(4, x.words_b()), c);
  if (floats)
    for (int i = 0; i < sums; ++i) body += fmt::format("mov.b32 %t{}, %f{};", 20 + i, 8 + i);
  const int pairs = halves ? 1 : sums / 2;
  for (int pair = 0; pair < pairs; ++pair) {
    Case one{fmt::format("{}{} {}", name, x.corners ? " corners" : "", pair),
             body + fmt::format("mov.b64 %d, {{%t{}, %t{}}};", 20 + 2 * pair, halves && sums == 2 ? 20 : 21 + 2 * pair),
             four_words, "u64"};
    one.by_lane = one.whole_warps = true;
    one.given = [x](std::size_t input, u32 slot) {
      return u64{x.word(slot, static_cast<int>(2 * input + 1))} << 32 | x.word(slot, static_cast<int>(2 * input));
    };
    one.reference = [x, pair, halves](const Case&, u32 slot) -> u64 {
      if (!halves) return product(x, slot, 2 * pair + 1) << 32 | product(x, slot, 2 * pair);
      return product(x, slot, 3) << 48 | product(x, slot, 2) << 32 | product(x, slot, 1) << 16 | product(x, slot, 0);
    };
    family.cases.push_back(std::move(one));
  }
}

// mma.sp: of each row of a half of the elements are there, and metadata says which.
struct Sparse {
  Shape shape;
  std::string type, type_b, sums;
  int selector = 0;
  const char* ordered = "";
  int registers() const { return shape.k * element_bits(type) / 128; }  // of a, and of b
  u32 word(u32 slot, int index) const { return static_cast<u32>(given_word(index < 4 ? type : type_b, slot, index)); }
  // Four bits a chunk: the places of two among four, in order; of tf32 the first half or the second.
  u32 metadata(u32 lane) const {
    const u32 drawn = (lane + 1 + 32 * static_cast<u32>(selector)) * 0x9E3779B1, one = drawn & 0x11111111,
              other = drawn >> 1 & 0x11111111;
    if (type == "tf32") return 0x44444444 ^ one * 10;
    return 0x44444444 ^ one * 9 ^ other * 12 ^ (one & other) * 15;
  }
  std::string metadata_text() const {  // into %t30
    std::string text = fmt::format(
        "mov.u32 %t31, %laneid; add.u32 %t31, %t31, {}; mul.lo.u32 %t31, %t31, 0x9E3779B1; and.b32 %t32, %t31, "
        "0x11111111; shr.u32 %t33, %t31, 1; and.b32 %t33, %t33, 0x11111111; ",
        1 + 32 * selector);
    if (type == "tf32") return text + "mul.lo.u32 %t32, %t32, 10; xor.b32 %t30, %t32, 0x44444444;\n";
    return text +
           "and.b32 %t34, %t32, %t33; mul.lo.u32 %t32, %t32, 9; mul.lo.u32 %t33, %t33, 12; mul.lo.u32 %t34, %t34, 15; "
           "xor.b32 %t30, %t32, 0x44444444; xor.b32 %t30, %t30, %t33; xor.b32 %t30, %t30, %t34;\n";
  }
  // The column of what is element `packed` of a row that has only those.
  int column(int row, int packed) const {
    const int bits = element_bits(type), kept = bits == 32 ? 1 : bits == 4 ? 4 : 2, chunk = packed / kept;
    const int lanes = shape.k / (2 * kept) / 4;
    int lane = 4 * (row % 8) + selector * lanes, shift;
    if (bits >= 16)
      lane += chunk / 4, shift = 16 * (row / 8) + 4 * (chunk % 4);
    else
      lane += chunk / 8 * 2 + row / 8, shift = 4 * (chunk % 8);
    const int four = static_cast<int>(metadata(static_cast<u32>(lane)) >> shift & 15);
    if (bits == 32) return 2 * chunk + (four == 14);
    if (bits == 4) return 8 * chunk + 2 * (four >> (packed % 4 / 2 * 2) & 3) + packed % 2;
    return 4 * chunk + (four >> (packed % 2 * 2) & 3);
  }
};

u64 product(const Sparse& x, u32 slot, int i) {
  const u32 warp = slot / 32;
  const At want = place_in_c(slot % 32, i);
  const Multiply dense{x.shape, x.type, x.type_b, x.sums};
  const int bits = element_bits(x.type), elements = x.registers() * 32 / bits;
  std::array<double, 128> row{}, column{};
  const auto value = [&](const std::string& type, u32 lane, int first, int e) {
    return real(type, x.word(slot_of(warp, lane), first + e * bits / 32) >> (e * bits % 32));
  };
  for (u32 lane = 0; lane < 32; ++lane)
    for (int e = 0; e < elements; ++e) {
      if (const At at = place_in_a(dense, lane, e); at.row == want.row)
        row[static_cast<std::size_t>(x.column(at.row, at.column))] = value(x.type, lane, 0, e);
      if (const At at = place_in_b(dense, lane, e); at.column == want.column)
        column[static_cast<std::size_t>(at.row)] = value(x.type_b, lane, 4, e);
    }
  double sum = i;
  for (std::size_t k = 0; k < static_cast<std::size_t>(x.shape.k); ++k) sum += row[k] * column[k];
  return sum_bits(dense, sum);
}

void add(Family& family, const Sparse& x) {
  const bool floats = x.sums == "f32", halves = x.sums == "f16";
  std::string body = unpack + x.metadata_text(), c = "{%t10, %t11, %t12, %t13}", d = "{%t20, %t21, %t22, %t23}";
  if (floats) c = "{%f0, %f1, %f2, %f3}", d = "{%f8, %f9, %f10, %f11}";
  if (halves) c = "{%t10, %t11}", d = "{%t20, %t21}";
  for (int i = 0; i < 4; ++i)
    body += floats ? fmt::format("mov.f32 %f{}, 0f{:08X}; ", i, std::bit_cast<u32>(float(i)))
                   : fmt::format("mov.u32 %t{}, {}; ", 10 + i, i);
  if (halves) body += "mov.u32 %t10, 0x3C000000; mov.u32 %t11, 0x42004000; ";  // 0, 1, 2, 3
  const std::string name = fmt::format("mma.sp{}.sync.aligned.{}.row.col.{}.{}.{}.{}", x.ordered, x.shape.text(),
                                       x.sums, x.type, x.type_b, x.sums);
  body += fmt::format("\n{} {}, {}, {}, {}, %t30, {};\n", name, d, registers(0, x.registers()),
                      registers(4, x.registers()), c, x.selector);
  if (floats)
    for (int i = 0; i < 4; ++i) body += fmt::format("mov.b32 %t{}, %f{}; ", 20 + i, 8 + i);
  for (int pair = 0; pair < (halves ? 1 : 2); ++pair) {
    Case one{fmt::format("{} selector {} {}", name, x.selector, pair),
             body + fmt::format("mov.b64 %d, {{%t{}, %t{}}};", 20 + 2 * pair, 21 + 2 * pair), four_words, "u64"};
    one.by_lane = one.whole_warps = true;
    one.given = [x](std::size_t input, u32 slot) {
      return u64{x.word(slot, static_cast<int>(2 * input + 1))} << 32 | x.word(slot, static_cast<int>(2 * input));
    };
    one.reference = [x, pair, halves](const Case&, u32 slot) -> u64 {
      if (!halves) return product(x, slot, 2 * pair + 1) << 32 | product(x, slot, 2 * pair);
      return product(x, slot, 3) << 48 | product(x, slot, 2) << 32 | product(x, slot, 1) << 16 | product(x, slot, 0);
    };
    family.cases.push_back(std::move(one));
  }
}

void add_sparse(Family& family) {
  const auto selectors = [&](Sparse x, int count) {
    for (x.selector = 0; x.selector < count; ++x.selector) add(family, x);
  };
  for (const char* sums : {"f16", "f32"}) {
    selectors({{16, 8, 16}, "f16", "f16", sums}, 4);
    selectors({{16, 8, 32}, "f16", "f16", sums}, 2);
  }
  selectors({{16, 8, 16}, "bf16", "bf16", "f32", 0, "::ordered_metadata"}, 4);
  selectors({{16, 8, 32}, "bf16", "bf16", "f32", 0, "::ordered_metadata"}, 2);
  selectors({{16, 8, 8}, "tf32", "tf32", "f32"}, 4);
  selectors({{16, 8, 16}, "tf32", "tf32", "f32", 0, "::ordered_metadata"}, 2);
  for (const char* type : {"s8", "u8"}) {
    selectors({{16, 8, 32}, type, "s8", "s32"}, 2);
    selectors({{16, 8, 64}, type, "u8", "s32"}, 1);
  }
  for (const char* type : {"s4", "u4"}) {
    selectors({{16, 8, 64}, type, "u4", "s32"}, 2);
    selectors({{16, 8, 128}, type, "s4", "s32"}, 1);
  }
}

// Of double: a, b and the two of c are one register each.
void add_double(Family& family) {
  for (int i = 0; i < 2; ++i) {
    Case one{fmt::format("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {}", i),
             fmt::format("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{%g0, %g1}}, {{%a}}, {{%b}}, {{%c, %e}}; "
                         "mov.f64 %d, %g{};",
                         i),
             {"f64", "f64", "f64", "f64"},
             "f64"};
    one.by_lane = one.whole_warps = true;
    one.given = [](std::size_t input, u32 slot) { return small("f64", slot * 31 + static_cast<u32>(input)); };
    one.reference = [i](const Case& self, u32 slot) {
      const u32 warp = slot / 32, lane = slot % 32, column = lane % 4 * 2 + static_cast<u32>(i);
      double sum = real("f64", self.given(static_cast<std::size_t>(2 + i), slot));
      for (u32 k = 0; k < 4; ++k)
        sum += real("f64", self.given(0, slot_of(warp, lane / 4 * 4 + k))) *
               real("f64", self.given(1, slot_of(warp, column * 4 + k)));
      return std::bit_cast<u64>(sum + 0.0);
    };
    family.cases.push_back(std::move(one));
  }
}

// mma.m8n8k4 of halves: four products, each of four lanes and the four that are 16 further on.
void add_quads(Family& family) {
  for (const bool a_columns : {false, true})
    for (const bool b_rows : {false, true})
      for (const bool floats : {false, true})
        for (int pair = 0; pair < (floats ? 4 : 2); ++pair) {
          const std::string name = fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}", a_columns ? "col" : "row",
                                               b_rows ? "row" : "col", floats ? "f32" : "f16", floats ? "f32" : "f16");
          std::string body = unpack, c = "{%t10, %t11, %t12, %t13}", d = "{%t20, %t21, %t22, %t23}";
          for (int i = 0; i < 4; ++i) body += fmt::format("mov.b32 %t{}, 0x3c000000;", 10 + i);  // 0 and 1
          if (floats) {
            c = d = "{";
            for (int i = 0; i < 8; ++i) {
              body += fmt::format("mov.f32 %f{}, 0f{:08X};", i, std::bit_cast<u32>(float(i)));
              c += fmt::format("{}%f{}", i ? ", " : "", i);
              d += fmt::format("{}%f{}", i ? ", " : "", 8 + i);
            }
            c += "}", d += "}";
          }
          body += fmt::format("\n{} {}, {{%t0, %t1}}, {{%t4, %t5}}, {};\n", name, d, c);
          if (floats)
            body += fmt::format("mov.b32 %t20, %f{}; mov.b32 %t21, %f{}; mov.b64 %d, {{%t20, %t21}};", 8 + 2 * pair,
                                9 + 2 * pair);
          else
            body += fmt::format("mov.b64 %d, {{%t{}, %t{}}};", 20 + 2 * pair, 21 + 2 * pair);
          Case one{fmt::format("{} {}", name, pair), body, four_words, "u64"};
          one.by_lane = one.whole_warps = true;
          one.given = [](std::size_t input, u32 slot) {
            return given_word("f16", slot, static_cast<int>(2 * input + 1)) << 32 |
                   given_word("f16", slot, static_cast<int>(2 * input));
          };
          one.reference = [=](const Case& self, u32 slot) -> u64 {
            const u32 quad = slot % 16 / 4, warp = slot / 32;
            // Which lane and which of its four halves has a[row][k], b[k][column].
            const auto lane_of = [&](u32 place) { return slot_of(warp, place % 4 + 4 * quad + (place >= 4 ? 16 : 0)); };
            const auto half = [&](std::size_t input, u32 at, u32 i) {
              return real("f16", self.given(input, at) >> (16 * i) & 0xffff);
            };
            const auto value = [&](int i) {
              const u32 lane = slot % 4, high = slot % 32 >= 16 ? 4 : 0, index = static_cast<u32>(i);
              const u32 row = floats ? (lane & 1) + (index & 2) + high : lane + high;
              const u32 column = floats ? (index & 4) + (lane & 2) + (index & 1) : index;
              double sum = floats ? i : i % 2;
              for (u32 k = 0; k < 4; ++k) {
                const double p =
                    a_columns ? half(0, lane_of(k + (row >= 4 ? 4 : 0)), row % 4) : half(0, lane_of(row), k);
                const double q =
                    b_rows ? half(2, lane_of(k + (column >= 4 ? 4 : 0)), column % 4) : half(2, lane_of(column), k);
                sum += p * q;
              }
              return floats ? u64{std::bit_cast<u32>(static_cast<float>(sum))} : u64{double_to_half(sum)};
            };
            if (floats) return value(2 * pair + 1) << 32 | value(2 * pair);
            return value(4 * pair + 3) << 48 | value(4 * pair + 2) << 32 | value(4 * pair + 1) << 16 | value(4 * pair);
          };
          family.cases.push_back(std::move(one));
        }
}

// --- wmma: from shared memory to shared memory, for which lane holds what is left open ---------------------------

struct Tile {
  Shape shape;
  std::string type, sums;
  bool a_columns = false, b_columns = false, ands = false;
};

// Bits of element (row, column) of part 0, 1 or 2 (a, b, c).
u64 tile_bits(const std::string& type, int part, int row, int column) {
  return small(type, static_cast<u32>(part * 7919 + row * 131 + column)) &
         (element_bits(type) == 64 ? ~u64{0} : (u64{1} << element_bits(type)) - 1);
}

std::string bytes_text(const std::string& name, const std::vector<unsigned char>& bytes) {
  std::string text = fmt::format(".global .align 128 .b8 {}[{}] = {{", name, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) text += fmt::format("{}{}", i ? "," : "", bytes[i]);
  return text + "};\n";
}

std::vector<unsigned char> tile_bytes(const std::string& type, int part, int rows, int columns, bool by_columns) {
  const int width = element_bits(type);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(rows * columns * width / 8));
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const u64 bits = tile_bits(type, part, row, column);
      const int at = (by_columns ? column * rows + row : row * columns + column) * width;
      if (width < 8)
        bytes[static_cast<std::size_t>(at / 8)] |= static_cast<unsigned char>(bits << at % 8);
      else
        std::memcpy(&bytes[static_cast<std::size_t>(at / 8)], &bits, static_cast<std::size_t>(width / 8));
    }
  return bytes;
}

std::string fragment(const char* prefix, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}{}", i ? ", " : "", prefix, first + i);
  return text + "}";
}

void add(Family& family, const Tile& x) {
  const Shape& s = x.shape;
  const std::string shape = s.text();
  const bool halves = x.type == "f16", doubles = x.type == "f64";
  const int width = element_bits(x.type);
  const char* const a_prefix = doubles ? "%g" : "%t";
  const char* const c_prefix = doubles ? "%g" : x.sums == "f32" ? "%f" : "%t";
  const auto count = [&](int elements, int bits) {
    return std::max(elements * bits / (32 * (bits == 64 ? 64 : 32)), 1);
  };
  // Halves, and the smallest integer tiles, are held twice by a warp.
  const int a_count = halves ? 8 : count(s.m * s.k, width), b_count = halves ? 8 : count(s.n * s.k, width);
  const int c_count = count(s.m * s.n, element_bits(x.sums));
  const std::string a = fragment(a_prefix, 0, a_count), b = fragment(a_prefix, doubles ? 1 : 8, b_count),
                    c = fragment(c_prefix,
                                 doubles           ? 2
                                 : x.sums == "f32" ? 0
                                                   : 16,
                                 c_count),
                    d = fragment(c_prefix,
                                 doubles           ? 4
                                 : x.sums == "f32" ? 8
                                                   : 32,
                                 c_count);
  const std::string a_layout = x.a_columns ? "col" : "row", b_layout = x.b_columns ? "col" : "row";
  const std::string types =
      halves ? fmt::format("{}.{}", x.sums, x.sums) : fmt::format("{}.{}.{}.{}", x.sums, x.type, x.type, x.sums);
  const std::string operation = x.type == "b1" ? (x.ands ? ".and.popc" : ".xor.popc") : "";
  const std::string name = fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}{}.{}", operation, a_layout, b_layout, shape,
                                       doubles ? ".rn" : "", types);
  const int bytes = s.m * s.n * element_bits(x.sums) / 8;
  std::string body = fmt::format(
      "{{ .shared .align 128 .b8 tile[{}]; .reg .b64 %pa, %pb, %pc; .reg .b32 %to; mov.u64 %pa, tile_a; mov.u64 %pb, "
      "tile_b; mov.u64 %pc, tile_c; shr.u32 %t60, %t0, 5; mov.u32 %to, tile; mad.lo.u32 %to, %t60, {}, %to; ",
      bytes * 6, bytes);
  body += fmt::format("wmma.load.a.sync.aligned.{}.{}.global.{} {}, [%pa], {};\n", a_layout, shape, x.type, a,
                      x.a_columns ? s.m : s.k);
  body += fmt::format("wmma.load.b.sync.aligned.{}.{}.global.{} {}, [%pb], {};\n", b_layout, shape, x.type, b,
                      x.b_columns ? s.k : s.n);
  body += fmt::format("wmma.load.c.sync.aligned.row.{}.global.{} {}, [%pc], {};\n", shape, x.sums, c, s.n);
  body += fmt::format("{} {}, {}, {}, {};\n", name, d, a, b, c);
  body += fmt::format("wmma.store.d.sync.aligned.col.{}.shared.{} [%to], {}, {}; bar.warp.sync -1;\n", shape, x.sums, d,
                      s.m);
  // What the lane's share of the tile comes to.
  const int words = bytes / 4 / 32;
  body += fmt::format("and.b32 %t61, %i, 31; mad.lo.u32 %to, %t61, {}, %to; mov.u32 %d, 0;\n", words * 4);
  for (int i = 0; i < words; ++i)
    body += fmt::format("ld.shared.u32 %t62, [%to+{}]; mad.lo.u32 %d, %d, 31, %t62;\n", 4 * i);
  body += "}";
  Case one{name, body, {"u32"}, "u32"};
  one.globals = bytes_text("tile_a", tile_bytes(x.type, 0, s.m, s.k, x.a_columns)) +
                bytes_text("tile_b", tile_bytes(x.type, 1, s.k, s.n, x.b_columns)) + bytes_text("tile_c", [&] {
                  // Sums of bits are whole; c is small.
                  std::vector<unsigned char> c_bytes(static_cast<std::size_t>(bytes));
                  const std::size_t size = static_cast<std::size_t>(element_bits(x.sums)) / 8;
                  for (int row = 0; row < s.m; ++row)
                    for (int column = 0; column < s.n; ++column) {
                      const u64 bits =
                          x.sums == "s32" ? static_cast<u64>(row - column) : tile_bits(x.sums, 2, row, column);
                      std::memcpy(&c_bytes[static_cast<std::size_t>(row * s.n + column) * size], &bits, size);
                    }
                  return c_bytes;
                }());
  one.by_lane = one.whole_warps = true;
  one.reference = [x, words](const Case&, u32 slot) -> u64 {
    std::vector<unsigned char> result(static_cast<std::size_t>(words) * 128);
    const Shape& shape = x.shape;
    const std::size_t size = static_cast<std::size_t>(element_bits(x.sums)) / 8;
    for (int row = 0; row < shape.m; ++row)
      for (int column = 0; column < shape.n; ++column) {
        double sum = x.sums == "s32" ? row - column : real(x.sums, tile_bits(x.sums, 2, row, column));
        for (int k = 0; k < shape.k; ++k) {
          const double p = real(x.type, tile_bits(x.type, 0, row, k)),
                       q = real(x.type, tile_bits(x.type, 1, k, column));
          sum += x.type == "b1" && !x.ands ? std::fabs(p - q) : p * q;
        }
        const u64 bits = x.sums == "f64"   ? std::bit_cast<u64>(sum + 0.0)
                         : x.sums == "f32" ? std::bit_cast<u32>(static_cast<float>(sum + 0.0))
                         : x.sums == "f16" ? double_to_half(sum + 0.0)
                                           : static_cast<u32>(static_cast<std::int64_t>(sum));
        std::memcpy(&result[static_cast<std::size_t>(column * shape.m + row) * size], &bits, size);
      }
    u32 folded = 0;
    for (int i = 0; i < words; ++i) {
      u32 word;
      std::memcpy(&word, &result[(slot % 32 * static_cast<std::size_t>(words) + static_cast<std::size_t>(i)) * 4], 4);
      folded = folded * 31 + word;
    }
    return folded;
  };
  family.cases.push_back(std::move(one));
}

// --- ldmatrix and movmatrix ----------------------------------------------------------------------------------------

void add_moves(Family& family) {
  for (const int count : {1, 2, 4})
    for (const bool transposed : {false, true}) {
      // Each lane writes 16 bytes; lane i has the address of what lane 31 - i wrote.
      std::string body = fmt::format(
          "mov.b64 {{%t2, %t3}}, %a; mov.b64 {{%t4, %t5}}, %b; st.shared.v4.u32 [%s], {{%t2, %t3, %t4, %t5}}; "
          "bar.warp.sync -1; "
          "and.b32 %t6, %i, 31; xor.b32 %t7, %t0, 31; mov.u32 %t8, words; mad.lo.u32 %t8, %t7, 16, %t8;\n"
          "ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%t8];\n",
          count, transposed ? ".trans" : "", registers(10, count));
      body += "mov.u32 %d, 0;";
      for (int i = 0; i < count; ++i) body += fmt::format("mad.lo.u32 %d, %d, 31, %t{};", 10 + i);
      Case one{fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16", count, transposed ? ".trans" : ""),
               body,
               {"u64", "u64"},
               "u32"};
      one.by_lane = one.whole_warps = true;
      one.given = [](std::size_t input, u32 slot) {
        return u64{hash(slot * 4 + static_cast<u32>(input))} << 32 | hash(slot * 4 + static_cast<u32>(input) + 77777);
      };
      one.reference = [=](const Case& self, u32 slot) -> u64 {
        const u32 warp = slot / 32, lane = slot % 32;
        u32 folded = 0;
        for (int r = 0; r < count; ++r) {
          u32 word = 0;
          for (u32 half = 0; half < 2; ++half) {
            const u32 row = transposed ? lane % 4 * 2 + half : lane / 4,
                      column = transposed ? lane / 4 : lane % 4 * 2 + half;
            const u32 from = slot_of(warp, 31 - (static_cast<u32>(r) * 8 + row));
            word |= static_cast<u32>(self.given(column / 4, from) >> (column % 4 * 16) & 0xffff) << (16 * half);
          }
          folded = folded * 31 + word;
        }
        return folded;
      };
      family.cases.push_back(std::move(one));
    }
  Case one{"movmatrix.sync.aligned.m8n8.trans.b16", "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", {"u32"}, "u32"};
  one.by_lane = one.whole_warps = true;
  one.given = [](std::size_t, u32 slot) { return u64{hash(slot)}; };
  one.reference = [](const Case& self, u32 slot) -> u64 {
    const u32 lane = slot % 32, warp = slot / 32, half = lane / 4 % 2;
    const auto from = [&](u32 row) { return self.given(0, slot_of(warp, row * 4 + lane / 8)) >> (16 * half) & 0xffff; };
    return from(lane % 4 * 2 + 1) << 16 | from(lane % 4 * 2);
  };
  family.cases.push_back(std::move(one));
}

}  // namespace

Family matrices() {
  Family family{"matrix", {}};
  for (const Shape shape : {Shape{16, 8, 8}, Shape{16, 8, 16}})
    for (const char* sums : {"f16", "f32"}) add(family, Multiply{shape, "f16", "f16", sums});
  for (const Shape shape : {Shape{16, 8, 8}, Shape{16, 8, 16}}) add(family, Multiply{shape, "bf16", "bf16", "f32"});
  for (const Shape shape : {Shape{16, 8, 4}, Shape{16, 8, 8}}) add(family, Multiply{shape, "tf32", "tf32", "f32"});
  for (const char* type : {"f16", "bf16"}) {
    Multiply one{{16, 8, 8}, type, type, "f32"};
    one.corners = true;
    add(family, one);
  }
  for (const bool saturates : {false, true}) {
    for (const char* a : {"s8", "u8"})
      for (const char* b : {"s8", "u8"})
        if (!saturates || a != b)
          for (const Shape shape : {Shape{8, 8, 16}, Shape{16, 8, 16}, Shape{16, 8, 32}})
            add(family, Multiply{shape, a, b, "s32", saturates});
    for (const char* a : {"s4", "u4"})
      for (const char* b : {"s4", "u4"})
        if (!saturates || a == b)
          for (const Shape shape : {Shape{8, 8, 32}, Shape{16, 8, 32}, Shape{16, 8, 64}})
            add(family, Multiply{shape, a, b, "s32", saturates});
  }
  for (const bool ands : {false, true})
    for (const Shape shape : {Shape{8, 8, 128}, Shape{16, 8, 128}, Shape{16, 8, 256}})
      add(family, Multiply{shape, "b1", "b1", "s32", false, ands});
  add_sparse(family);
  add_double(family);
  add_quads(family);
  const std::array<Shape, 3> shapes = {Shape{16, 16, 16}, Shape{32, 8, 16}, Shape{8, 32, 16}};
  for (const bool a_columns : {false, true})
    for (const bool b_columns : {false, true}) {
      for (const Shape& shape : shapes) {
        for (const char* sums : {"f16", "f32"}) add(family, Tile{shape, "f16", sums, a_columns, b_columns});
        add(family, Tile{shape, "bf16", "f32", a_columns, b_columns});
        for (const char* type : {"s8", "u8"}) add(family, Tile{shape, type, "s32", a_columns, b_columns});
      }
      add(family, Tile{{16, 16, 8}, "tf32", "f32", a_columns, b_columns});
      add(family, Tile{{8, 8, 4}, "f64", "f64", a_columns, b_columns});
    }
  for (const char* type : {"s4", "u4"}) add(family, Tile{{8, 8, 32}, type, "s32", false, true});
  for (const bool ands : {false, true}) add(family, Tile{{8, 8, 128}, "b1", "s32", false, true, ands});
  add_moves(family);
  return family;
}

}  // namespace xcuda::opcodes
