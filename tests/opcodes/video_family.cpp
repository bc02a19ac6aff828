// The scalar video instructions and the masks of the packed ones, as the PTX ISA's pseudocode has them but where a GPU
// does otherwise: docs/cpu-device.md.
#include <fmt/format.h>

#include <algorithm>

#include "tests/opcodes/cases.hpp"

namespace xcuda::opcodes {
namespace {

using s64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Part {
  const char* text;
  int bits, index;
};
constexpr Part parts[] = {{"", 32, 0}, {".b0", 8, 0}, {".b2", 8, 2}, {".b3", 8, 3}, {".h0", 16, 0}, {".h1", 16, 1}};

s64 part_of(u64 word, const Part& part, bool is_signed) {
  const u64 bits = word >> (part.bits * part.index) & ((u64{1} << part.bits) - 1);
  return is_signed && bits >> (part.bits - 1) ? static_cast<s64>(bits) - (s64{1} << part.bits) : static_cast<s64>(bits);
}

s64 act(const std::string& op, s64 x, s64 y) {
  if (op == "vadd") return x + y;
  if (op == "vsub") return x - y;
  if (op == "vabsdiff") return std::max(x - y, y - x);
  if (op == "vmin") return std::min(x, y);
  if (op == "vmax") return std::max(x, y);
  if (op == "vavrg") return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
  if (op == "vset") return x < y;
  return op == "vshl" ? x << y : x >> y;
}

s64 clamped(s64 value, int bits, bool is_signed) {
  const s64 greatest = (s64{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp(value, is_signed ? -greatest - 1 : 0, greatest);
}

// .sat of the scalar instructions: into a part of d, what is negative is the greatest; unsigned words have no upper
// limit.
s64 saturated(s64 value, int bits, bool is_signed) {
  const u64 greatest = (u64{1} << (is_signed ? bits - 1 : bits)) - 1;
  if (bits != 32) return static_cast<s64>(std::min(static_cast<u64>(value), greatest));
  if (is_signed) return clamped(value, 32, true);
  return std::max<s64>(value, 0);
}

u32 second_extreme(const std::string& kind, s64 value, u64 c, bool is_signed) {  // of 64 bits
  const bool least = kind == ".min";
  if (is_signed) {
    const s64 other = static_cast<std::int32_t>(c);
    return static_cast<u32>(least ? std::min(value, other) : std::max(value, other));
  }
  return static_cast<u32>(least ? std::min(static_cast<u64>(value), c) : std::max(static_cast<u64>(value), c));
}

bool has_sign(const std::string& type) { return type[0] == 's'; }

void add_scalar(Family& family) {
  int turn = 0;
  for (const char* op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
    for (const char* d : {"u32", "s32"})
      for (const char* a : {"u32", "s32"})
        for (const char* b : {"u32", "s32"})
          for (const char* second : {"", ".add", ".min", ".max", "merge"}) {
            if ((turn + 1) % 8 == 0 || turn % 4 == 1) {
              ++turn;
              continue;  // enough of each
            }
            const bool merges = second[0] == 'm', saturates = turn % 3 == 0;
            const Part x = parts[turn % 6], y = parts[(turn / 2 + 1) % 6], to = merges ? parts[1 + turn % 5] : parts[0];
            ++turn;
            const std::string name = fmt::format("{}.{}.{}.{}{}{} d{}, a{}, b{}", op, d, a, b, saturates ? ".sat" : "",
                                                 merges ? "" : second, to.text, x.text, y.text);
            Case one{name,
                     fmt::format("{}.{}.{}.{}{}{} %d{}, %a{}, %b{}{};", op, d, a, b, saturates ? ".sat" : "",
                                 merges ? "" : second, to.text, x.text, y.text, *second ? ", %c" : ""),
                     {"u32", "u32", "u32"},
                     "u32"};
            one.by_lane = true;
            one.reference = [=, op = std::string(op), kind = std::string(second), to_signed = has_sign(d),
                             x_signed = has_sign(a), y_signed = has_sign(b)](const Case& self, u32 slot) -> u64 {
              s64 value = act(op, part_of(input_bits(self, 0, slot), x, x_signed),
                              part_of(input_bits(self, 1, slot), y, y_signed));
              const u64 c = input_bits(self, 2, slot);
              if (saturates) value = saturated(value, to.bits, to_signed);
              if (kind == ".add") return static_cast<u32>(static_cast<u64>(value) + c);
              if (kind == ".min" || kind == ".max") {
                if (op == "vadd" || op == "vsub") value = static_cast<std::int32_t>(value);
                return second_extreme(kind, value, c, to_signed);
              }
              if (!merges) return static_cast<u32>(value);
              if (to.bits == 16 && to.index == 1) return (c & 0xffff) | (static_cast<u64>(value) & 0xffff0000);
              const u64 ones = ((u64{1} << to.bits) - 1) << (to.bits * to.index);
              return (c & ~ones) | (static_cast<u64>(value) << (to.bits * to.index) & ones);
            };
            family.cases.push_back(std::move(one));
          }
}

void add_shifts(Family& family) {
  for (const char* op : {"vshl", "vshr"})
    for (const char* a : {"u32", "s32"})
      for (const char* mode : {"clamp", "wrap"})
        for (const Part& x : {parts[0], parts[2], parts[5]}) {
          Case one{fmt::format("{}.{}.{}.u32.{} d, a{}, b.b0", op, a, a, mode, x.text),
                   fmt::format("{}.{}.{}.u32.{} %d, %a{}, %b.b0;", op, a, a, mode, x.text),
                   {"u32", "amount"},
                   "u32"};
          one.by_lane = true;
          one.reference = [=, op = std::string(op), x_signed = has_sign(a), wraps = mode[0] == 'w'](const Case& self,
                                                                                                    u32 slot) -> u64 {
            const s64 by = static_cast<s64>(input_bits(self, 1, slot) & 255);
            return static_cast<u32>(
                act(op, part_of(input_bits(self, 0, slot), x, x_signed), wraps ? by & 31 : std::min<s64>(by, 32)));
          };
          family.cases.push_back(std::move(one));
        }
}

void add_sets(Family& family) {
  for (const char* a : {"u32", "s32"})
    for (const char* second : {"", ".add", ".min", ".max"}) {
      Case one{fmt::format("vset.{0}.{0}.lt{1} d, a.h1, b", a, second),
               fmt::format("vset.{0}.{0}.lt{1} %d, %a.h1, %b{2};", a, second, *second ? ", %c" : ""),
               {"u32", "u32", "u32"},
               "u32"};
      one.by_lane = true;
      one.reference = [=, x_signed = has_sign(a), kind = std::string(second)](const Case& self, u32 slot) -> u64 {
        const u64 c = input_bits(self, 2, slot);
        const u64 holds = part_of(input_bits(self, 0, slot), parts[5], x_signed) <
                          part_of(input_bits(self, 1, slot), parts[0], x_signed);
        if (kind == ".add") return static_cast<u32>(holds + c);
        return kind.empty() ? holds : second_extreme(kind, static_cast<s64>(holds), c, x_signed);
      };
      family.cases.push_back(std::move(one));
    }
}

void add_products(Family& family) {
  struct Signs {
    const char *a, *b, *a_minus, *b_minus, *c_minus;
    bool plus_one;
  };
  for (const Signs& s : {Signs{"u32", "u32", "", "", "", false}, Signs{"s32", "u32", "", "", "", false},
                         Signs{"s32", "s32", "-", "", "", false}, Signs{"u32", "s32", "", "", "-", false},
                         Signs{"s32", "s32", "", "", "", true}, Signs{"u32", "u32", "", "", "", true}})
    for (const char* scale : {"", ".shr7", ".shr15"})
      for (const bool saturates : {false, true})
        for (const Part& x : {saturates ? parts[1] : *scale ? parts[5] : parts[0]}) {
          const bool is_signed_result = has_sign(s.a) || has_sign(s.b) || *s.a_minus || *s.c_minus;
          const std::string name =
              fmt::format("vmad.{}.{}.{}{}{}{} d, {}a{}, b, {}c", is_signed_result ? "s32" : "u32", s.a, s.b,
                          s.plus_one ? ".po" : "", saturates ? ".sat" : "", scale, s.a_minus, x.text, s.c_minus);
          Case one{name,
                   fmt::format("vmad.{}.{}.{}{}{}{} %d, {}%a{}, %b, {}%c;", is_signed_result ? "s32" : "u32", s.a, s.b,
                               s.plus_one ? ".po" : "", saturates ? ".sat" : "", scale, s.a_minus, x.text, s.c_minus),
                   {"u32", "u32", "u32"},
                   "u32"};
          one.by_lane = true;
          one.reference = [=](const Case& self, u32 slot) -> u64 {
            // Whole registers are signed, whatever their type.
            const s64 product = part_of(input_bits(self, 0, slot), x, has_sign(s.a) || x.bits == 32) *
                                part_of(input_bits(self, 1, slot), parts[0], true);
            const s64 c = part_of(input_bits(self, 2, slot), parts[0], true);
            s64 value = (*s.a_minus ? -product : product) + (*s.c_minus ? -c : c) + (s.plus_one ? 1 : 0);
            const int by = *scale == 0 ? 0 : scale[4] == '7' ? 7 : 15;
            value = is_signed_result ? value >> by : static_cast<s64>(static_cast<u64>(value) >> by);
            if (saturates) value = clamped(value, 32, is_signed_result);
            return static_cast<u32>(value);
          };
          family.cases.push_back(std::move(one));
        }
}

void add_masks(Family& family) {
  for (const char* op : {"vadd", "vsub", "vabsdiff", "vavrg", "vmin", "vmax", "vset"})
    for (const int count : {2, 4})
      for (const char* t : {"u32", "s32"})
        for (const char* how : {"", ".sat", ".add"}) {
          const bool sets = std::string(op) == "vset";
          if (sets && how[0] && how[1] == 's') continue;
          const int bits = 32 / count;
          const char* const mask = count == 2 ? ".h1" : ".b320";
          const char* const a = count == 2 ? ".h30" : ".b7210";
          const char* const b = count == 2 ? ".h21" : ".b3364";
          const std::vector<int> from_a = count == 2 ? std::vector{0, 3} : std::vector{0, 1, 2, 7},
                                 from_b = count == 2 ? std::vector{1, 2} : std::vector{4, 6, 3, 3},
                                 chosen = count == 2 ? std::vector{1} : std::vector{0, 2, 3};
          const std::string types = sets ? fmt::format("{}{}.{}.{}.lt{}", op, count, t, t, how)
                                         : fmt::format("{}{}.{}.{}.{}{}", op, count, t, t, t, how);
          Case one{fmt::format("{} d{}, a{}, b{}, c", types, mask, a, b),
                   fmt::format("{} %d{}, %a{}, %b{}, %c;", types, mask, a, b),
                   {"u32", "u32", "u32"},
                   "u32"};
          one.by_lane = true;
          one.reference = [=, op = std::string(op), how = std::string(how), all_signed = has_sign(t)](const Case& self,
                                                                                                      u32 slot) -> u64 {
            const u64 words[2] = {input_bits(self, 0, slot), input_bits(self, 1, slot)};
            const u64 c = input_bits(self, 2, slot);
            u64 packed = c, sum = c;
            for (int i : chosen) {
              const auto pick = [&](int index) {
                return part_of(words[index / count], {"", bits, index % count}, all_signed);
              };
              s64 value = act(op, pick(from_a[static_cast<std::size_t>(i)]), pick(from_b[static_cast<std::size_t>(i)]));
              if (how == ".sat") value = clamped(value, bits, all_signed);
              const u64 ones = ((u64{1} << bits) - 1) << (bits * i);
              packed = (packed & ~ones) | (static_cast<u64>(value) << (bits * i) & ones);
              sum += static_cast<u64>(value);
            }
            return static_cast<u32>(how == ".add" ? sum : packed);
          };
          family.cases.push_back(std::move(one));
        }
}

}  // namespace

Family scalar_video() {
  Family family{"video_scalar", {}};
  add_scalar(family);
  add_shifts(family);
  add_sets(family);
  add_products(family);
  add_masks(family);
  return family;
}

}  // namespace xcuda::opcodes
