#include "tests/opcodes/cases.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace xcuda::opcodes {

TypeFacts facts(const std::string& type) {
  static const std::map<std::string, TypeFacts> all = {
      {"u8", {"u8", "b16", 1}},    {"s8", {"s8", "b16", 1}},     {"u16", {"u16", "b16", 2}},
      {"s16", {"s16", "b16", 2}},  {"b16", {"b16", "b16", 2}},   {"f16", {"b16", "b16", 2}},
      {"bf16", {"b16", "b16", 2}}, {"u32", {"u32", "b32", 4}},   {"s32", {"s32", "b32", 4}},
      {"b32", {"b32", "b32", 4}},  {"f16x2", {"b32", "b32", 4}}, {"bf16x2", {"b32", "b32", 4}},
      {"u64", {"u64", "b64", 8}},  {"s64", {"s64", "b64", 8}},   {"b64", {"b64", "b64", 8}},
      {"f32", {"f32", "f32", 4}},  {"f64", {"f64", "f64", 8}},   {"amount", {"u32", "b32", 4}},
  };
  return all.at(type);
}

namespace {

using Bits = std::vector<std::uint64_t>;

// Ordered so that the first 13, 5 or 3 are the most telling ones.
const Bits& all_corners(const std::string& type) {
  static const std::map<std::string, Bits> all = {
      {"u8", {0, 1, 0x7f, 0x80, 0xff, 2, 3, 5, 0x55, 0xaa, 0x10, 0x40, 0xfe, 7, 100}},
      {"u16", {0, 1, 0x7fff, 0x8000, 0xffff, 2, 3, 16, 0x5555, 0x00ff, 0xff00, 1000, 0xfffe, 15, 17, 31}},
      {"u32",
       {0, 1, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff, 3, 10, 32, 0x5a5a'5a5a, 0x1234'5678, 0x00ff'ff00, 0xffff'fffd,
        1000003, 0x8000'0001, 31, 33, 0x0001'0000, 0x00ff'ffff}},
      {"u64",
       {0, 1, 0x7fff'ffff'ffff'ffff, 0x8000'0000'0000'0000, 0xffff'ffff'ffff'ffff, 3, 10, 0xffff'ffff, 0x1'0000'0000,
        0x1234'5678'9abc'def0, 0x8000'0000, 0xffff'ffff'ffff'fff9, 1000003, 63, 0x5a5a'5a5a'5a5a'5a5a}},
      {"amount", {0, 1, 31, 32, 40, 16, 63, 64, 65, 255, 256, 0x8000'0000, 0xffff'ffff, 8, 33}},
      {"f16", {0x0000, 0x3c00, 0x7c00, 0x7e00, 0x0001, 0x8000, 0xc100, 0x7bff, 0xfc00, 0x03ff, 0x3555,
               0x0400, 0xbbff, 0x4248, 0x6400, 0x83ff, 0x1400, 0xfbff, 0x7c01, 0x3801, 0x0600}},
      {"bf16", {0x0000, 0x3f80, 0x7f80, 0x7fc0, 0x0001, 0x8000, 0xc020, 0x7f7f, 0xff80, 0x007f,
                0x3eab, 0x0080, 0xbf7f, 0x4049, 0x4b00, 0x807f, 0x2000, 0xff7f, 0x7f81, 0x0090}},
      {"f32", {0x0000'0000, 0x3f80'0000, 0x7f80'0000, 0x7fc0'0000, 0x0000'0001, 0x8000'0000, 0xbfc0'0000, 0x7f7f'ffff,
               0xff80'0000, 0x807f'ffff, 0x3eaa'aaab, 0x0080'0000, 0x4049'0fdb, 0x3f7f'ffff, 0x3f80'0001, 0xff7f'ffff,
               0x8080'0000, 0x0040'0000, 0x3f00'0000, 0x4b00'0000, 0x4b80'0001, 0xcb00'0001, 0x4f00'0000, 0x4f80'0000,
               0x5f00'0000, 0xdf00'0000, 0x5f80'0000, 0xcf00'0000, 0x4eff'ffff, 0x437f'0000, 0x4380'0000, 0xc300'0000,
               0xc301'0000, 0x4020'0000, 0xc020'0000, 0x3fc0'0000, 0x477f'f000, 0x477f'efff, 0x3380'0000, 0x3300'0000,
               0x3300'0001, 0x3880'0000, 0x387f'e000, 0x0001'0000, 0x42c8'0000, 0xc2c8'0000, 0x42fe'0000, 0x4300'0000,
               0xc2fc'0000, 0xc315'0000, 0x3dcc'cccd, 0x3a83'126f, 0x7149'f2ca, 0x0da2'4260, 0x3fb5'04f3, 0x7f80'0001,
               0x402d'f854, 0xbf00'0001, 0x3f7f'8000, 0x3f80'8000, 0x3f81'8000, 0x7f7f'8000, 0x0000'8000, 0x0000'c000,
               0x3f80'1000, 0x3f80'3000, 0x7f7f'f000}},
      {"f64", {0x0000'0000'0000'0000, 0x3ff0'0000'0000'0000, 0x7ff0'0000'0000'0000, 0x7ff8'0000'0000'0000,
               0x0000'0000'0000'0001, 0x8000'0000'0000'0000, 0xbff8'0000'0000'0000, 0x7fef'ffff'ffff'ffff,
               0xfff0'0000'0000'0000, 0x800f'ffff'ffff'ffff, 0x3fd5'5555'5555'5555, 0x0010'0000'0000'0000,
               0x4009'21fb'5444'2d18, 0x3fef'ffff'ffff'ffff, 0x3ff0'0000'0000'0001, 0xffef'ffff'ffff'ffff,
               0x3fe0'0000'0000'0000, 0x4330'0000'0000'0000, 0x43e0'0000'0000'0000, 0xc3e0'0000'0000'0000,
               0x43f0'0000'0000'0000, 0x41e0'0000'0000'0000, 0x41f0'0000'0000'0000, 0xc1e0'0000'0000'0000,
               0x41df'ffff'ffc0'0000, 0x41df'ffff'ffe0'0000, 0x4004'0000'0000'0000, 0xc004'0000'0000'0000,
               0x47ef'ffff'e000'0000, 0x47ef'ffff'f000'0000, 0x47f0'0000'0000'0000, 0x3810'0000'0000'0000,
               0x36a0'0000'0000'0000, 0x3690'0000'0000'0000, 0x3690'0000'0000'0001, 0x380f'ffff'e000'0000,
               0x40ef'fe00'0000'0000, 0x40ef'fdff'ffff'ffff, 0x3ff0'0000'1000'0000, 0x3ff0'0000'1000'0001,
               0x3ff0'0000'3000'0000, 0x3ff0'0200'0000'0000, 0x3ff0'0200'0000'0001, 0x4059'0000'0000'0000,
               0xc059'0000'0000'0000, 0x4070'0000'0000'0000, 0xc060'2000'0000'0000, 0x7ff0'0000'0000'0001,
               0x0018'0000'0000'0000, 0x43df'ffff'ffff'ffff, 0x4340'0000'0000'0001}},
  };
  static const std::map<std::string, std::string> same = {
      {"s8", "u8"}, {"s16", "u16"}, {"b16", "u16"}, {"s32", "u32"}, {"b32", "u32"}, {"s64", "u64"}, {"b64", "u64"}};
  const auto other = same.find(type);
  return all.at(other == same.end() ? type : other->second);
}

}  // namespace

std::vector<std::uint64_t> corners(const std::string& type, std::size_t inputs) {
  Bits values;
  if (type == "f16x2" || type == "bf16x2") {
    const Bits halves = all_corners(type.substr(0, type.size() - 2));
    for (std::size_t i = 0; i < halves.size(); ++i)
      values.push_back(halves[i] | halves[(i * 7 + 3) % halves.size()] << 16);
  } else {
    values = all_corners(type);
  }
  constexpr std::array<std::size_t, 5> most = {slots, slots, 13, 5, 3};
  if (values.size() > most[inputs]) values.resize(most[inputs]);
  return values;
}

std::uint64_t input_bits(const Case& one, std::size_t index, std::uint32_t slot) {
  if (one.given) return one.given(index, slot);
  std::size_t rest = slot;
  for (std::size_t i = 0; i < index; ++i) rest /= corners(one.inputs[i], one.inputs.size()).size();
  const auto values = corners(one.inputs[index], one.inputs.size());
  return values[rest % values.size()];
}

std::string module_text(const Case& one) {
  static const char* const names[] = {"%a", "%b", "%c", "%e"};
  std::string text = ".version 8.5\n.target sm_80\n.address_size 64\n" + one.globals;
  for (const bool lanes : {true, false}) {
    if (!lanes && one.by_lane) continue;
    // 16 bytes of global and of shared memory for each thread: %m, %s.
    text += fmt::format(".visible .entry {}(.param .u64 in, .param .u64 out, .param .u64 memory)\n{{\n",
                        lanes ? "lanes" : "uniform");
    text +=
        ".shared .align 16 .b8 words[4096];\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %i, %s, %t<64>;\n.reg .b64 "
        "%x<8>, %w<8>, %m;\n.reg .f32 %f<32>;\n.reg .f64 %g<16>;\n";
    for (std::size_t i = 0; i < one.inputs.size(); ++i)
      text += fmt::format(".reg .{} {};\n", facts(one.inputs[i]).reg, names[i]);
    text += fmt::format(".reg .{} %d;\n", facts(one.output).reg);
    text += "ld.param.u64 %x0, [in];\nld.param.u64 %x1, [out];\nld.param.u64 %x2, [memory];\n";
    text += lanes ? "mov.u32 %i, %tid.x;\n" : "mov.u32 %i, 0;\nAGAIN:\n";
    text += fmt::format("setp.ge.u32 %p0, %i, {};\n", slots);
    text += one.whole_warps ? fmt::format("min.u32 %i, %i, {};\n", slots - 1) : "@%p0 bra DONE;\n";
    text += "mov.u32 %t0, %tid.x;\nmad.wide.u32 %m, %t0, 16, %x2;\nmov.u32 %s, words;\nmad.lo.u32 %s, %t0, 16, %s;\n";
    text += "mad.wide.u32 %x3, %i, 32, %x0;\nmad.wide.u32 %x4, %i, 8, %x1;\n";
    for (std::size_t i = 0; i < one.inputs.size(); ++i)
      text += fmt::format("ld.global.{} {}, [%x3+{}];\n", facts(one.inputs[i]).memory, names[i], 8 * i);
    text += one.body + "\n";
    text += fmt::format("{}st.global.{} [%x4], %d;\n", one.whole_warps ? "@!%p0 " : "", facts(one.output).memory);
    if (!lanes) text += "add.u32 %i, %i, 1;\nbra AGAIN;\n";
    text += "DONE:\nret;\n}\n";
  }
  return text;
}

}  // namespace xcuda::opcodes
