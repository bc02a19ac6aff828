// The lines of isa.hpp, in the order of the PTX ISA's chapters.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "tests/opcodes/isa.hpp"

namespace xcuda::opcodes {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Value = std::function<u32(u32)>;

class List {
 public:
  void runs(std::string name, std::string body, Value value, std::string module = {}) {
    all_.push_back({std::move(name), std::move(body), std::move(value), {}, 80, std::move(module)});
  }
  // Of a later GPU, and here all the same.
  void runs_on(int architecture, std::string name, std::string body, Value value) {
    all_.push_back({std::move(name), std::move(body), std::move(value), {}, architecture, {}});
  }
  // Of compute_80, and not here: `why` is part of the message.
  void refuses(std::string name, std::string body, std::string why, std::string module = {}) {
    all_.push_back({std::move(name), std::move(body), {}, std::move(why), 80, std::move(module)});
  }
  // Needs a later GPU, and says so.
  void later(int architecture, std::string name, std::string body) {
    all_.push_back({std::move(name),
                    std::move(body),
                    {},
                    fmt::format("compute capability {}.{}", architecture / 10, architecture % 10),
                    architecture,
                    {}});
  }
  // With words that the parser does not know.
  void unknown(int architecture, std::string name, std::string body) {
    all_.push_back({std::move(name), std::move(body), {}, "unknown modifier", architecture, {}});
  }
  std::vector<Line> done() { return std::move(all_); }

 private:
  std::vector<Line> all_;
};

u32 bits(float value) { return std::bit_cast<u32>(value); }
constexpr u32 odd(u32 lane) { return lane & 1; }

// Predicate p as a number.
std::string from(const char* predicate) { return fmt::format(" selp.u32 %d, 1, 0, {};", predicate); }

void special_registers(List& list) {
  const auto reg = [&](const char* name, Value value) {
    list.runs(std::string("mov.u32 %") + name, fmt::format("mov.u32 %d, %{};", name), std::move(value));
  };
  reg("tid.x", [](u32 l) { return l; });
  for (const char* zero : {"tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z", "warpid", "smid", "envreg0", "envreg31"})
    reg(zero, [](u32) { return 0u; });
  for (const char* one : {"ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z", "nwarpid", "nsmid"})
    reg(one, [](u32) { return 1u; });
  reg("ntid.x", [](u32) { return 32u; });
  reg("laneid", [](u32 l) { return l; });
  reg("lanemask_eq", [](u32 l) { return 1u << l; });
  reg("lanemask_le", [](u32 l) { return (2u << l) - 1; });
  reg("lanemask_lt", [](u32 l) { return (1u << l) - 1; });
  reg("lanemask_ge", [](u32 l) { return ~((1u << l) - 1); });
  reg("lanemask_gt", [](u32 l) { return ~((2u << l) - 1); });
  reg("dynamic_smem_size", [](u32) { return 1024u; });
  list.runs("mov.u32 %total_smem_size", "mov.u32 %t0, %total_smem_size; setp.ge.u32 %p1, %t0, 3072;" + from("%p1"),
            [](u32) { return 1u; });
  for (const char* word : {"clock", "clock_hi", "globaltimer_lo", "globaltimer_hi"})
    list.runs(std::string("mov.u32 %") + word, fmt::format("mov.u32 %t0, %{}; mov.u32 %d, 7;", word),
              [](u32) { return 7u; });
  for (const char* word : {"clock64", "globaltimer"})
    list.runs(std::string("mov.u64 %") + word,
              fmt::format("mov.u64 %x20, %{0}; mov.u64 %x21, %{0}; setp.ge.u64 %p1, %x21, %x20;", word) + from("%p1"),
              [](u32) { return 1u; });
  list.runs("mov.u64 %gridid", "mov.u64 %x20, %gridid; mov.u32 %d, 7;", [](u32) { return 7u; });
  for (const char* name : {"pm0", "pm7"}) reg(name, [](u32) { return 0u; });
  list.runs("mov.u64 %pm0_64", "mov.u64 %x20, %pm0_64; cvt.u32.u64 %d, %x20;", [](u32) { return 0u; });
  for (const char* name : {"reserved_smem_offset_begin", "reserved_smem_offset_end", "reserved_smem_offset_cap"})
    list.runs(std::string("mov.b32 %") + name, fmt::format("mov.b32 %t0, %{}; mov.u32 %d, 7;", name),
              [](u32) { return 7u; });
  list.runs("mov.u64 %current_graph_exec", "mov.u64 %x20, %current_graph_exec; cvt.u32.u64 %d, %x20;",
            [](u32) { return 0u; });
}

void extended_precision(List& list) {
  // 96 bits: the carry goes through three words, then is read once more.
  list.runs("add.cc.u32", "add.cc.u32 %t0, %lane, 0xffffffff; addc.cc.u32 %t1, 0xffffffff, 0; addc.u32 %d, 5, 0;",
            [](u32 l) { return l > 0 ? 6u : 5u; });
  list.runs("sub.cc.u32", "sub.cc.u32 %t0, %lane, 7; subc.cc.u32 %t1, 0, 0; subc.u32 %d, 5, 0;",
            [](u32 l) { return l < 7 ? 4u : 5u; });
  list.runs("sub.cc.s64",
            "cvt.u64.u32 %x20, %lane; sub.cc.s64 %x21, %x20, 7; subc.s64 %x22, 5, 0; cvt.u32.u64 %d, %x22;",
            [](u32 l) { return l < 7 ? 4u : 5u; });
  list.runs("mad.lo.cc.s32",
            "mad.lo.cc.s32 %t0, %lane, 0x10000000, 0xf0000000; madc.hi.cc.s32 %t1, %lane, 0x10000000, 0; addc.u32 %d, "
            "%t1, 0;",
            [](u32 l) {
              const std::int64_t product = std::int64_t{static_cast<int>(l)} * 0x10000000;
              const u64 low = (product & 0xffffffff) + 0xf0000000ull;
              return static_cast<u32>(product >> 32) + static_cast<u32>(low >> 32);
            });
  // The carry outlives a branch.
  list.runs("addc.u32",
            "add.cc.u32 %t0, %lane, 0xfffffff0; setp.gt.u32 %p1, %lane, 5; @%p1 bra OVER; mov.u32 %t1, 1; OVER: "
            "addc.u32 %d, 0, 0;",
            [](u32 l) { return l >= 16 ? 1u : 0u; });
  list.runs("addc.u32 in one of two ways",
            "add.cc.u32 %t0, %lane, 0xfffffff0; setp.eq.u32 %p1, %lane, 20; @%p1 bra OTHER; bra BOTH; OTHER: "
            "add.cc.u32 %t0, 0, 0; BOTH: addc.u32 %d, 0, 0;",
            [](u32 l) { return l >= 16 && l != 20 ? 1u : 0u; });
}

void moves(List& list) {
  list.runs("mov.b128",
            "cvt.u64.u32 %x20, %lane; mov.b64 %x21, 9; mov.b128 %q0, {%x20, %x21}; mov.b128 %q1, %q0; mov.b128 {%x22, "
            "%x23}, %q1; add.u64 %x22, %x22, %x23; cvt.u32.u64 %d, %x22;",
            [](u32 l) { return l + 9; });
  list.runs("mov.b64 {4}",
            "mov.b32 {%h0, %h1}, %lane; mov.b64 %x20, {%h0, %h1, %h0, %h1}; mov.b64 {%h2, %h3, %h4, %h5}, %x20; "
            "mov.b32 %d, {%h4, %h3};",
            [](u32 l) { return l; });
  list.runs("mov.b16 {2}",
            "mov.b16 %h0, 0x1234; mov.b16 {%r8a, %r8b}, %h0; mov.b16 %h1, {%r8b, %r8a}; cvt.u32.u16 %d, %h1;",
            [](u32) { return 0x3412u; });
  list.runs("mov.pred",
            "setp.gt.u32 %p1, %lane, 3; mov.pred %p2, %p1; mov.pred %p3, 1; and.pred %p2, %p2, %p3;" + from("%p2"),
            [](u32 l) { return l > 3 ? 1u : 0u; });
  list.runs("not.pred",
            "setp.gt.u32 %p1, %lane, 3; not.pred %p2, %p1; xor.pred %p3, %p2, %p1; or.pred %p3, %p3, %p2; and.pred "
            "%p3, %p3, %p2;" +
                from("%p3"),
            [](u32 l) { return l > 3 ? 0u : 1u; });
  for (const char* space : {"global", "shared", "local", "const", "param"})
    list.runs(
        fmt::format("isspacep.{}", space),
        fmt::format("mov.u32 %t0, box; cvt.u64.u32 %x20, %t0; cvta.shared.u64 %x20, %x20; mov.u64 %x21, %m; mov.u64 "
                    "%x22, mine; cvta.local.u64 %x22, %x22; "
                    "isspacep.{0} %p1, %x20; isspacep.{0} %p2, %x21; isspacep.{0} %p3, %x22; selp.u32 %t1, 1, 0, %p1; "
                    "selp.u32 %t2, 2, 0, %p2; selp.u32 %t3, 4, 0, %p3; or.b32 %d, %t1, %t2; or.b32 %d, %d, %t3;",
                    space),
        [space = std::string(space)](u32) {
          return space == "shared" ? 1u : space == "global" ? 2u : space == "local" ? 4u : 0u;
        });
  list.runs("isspacep.param of a parameter",
            "mov.u64 %x20, memory; cvta.param.u64 %x20, %x20; isspacep.param %p1, %x20; ld.u64 %x21, [%x20]; "
            "setp.eq.u64 %p2, %x21, %m0; and.pred %p1, %p1, %p2;" +
                from("%p1"),
            [](u32) { return 1u; });
  list.runs(
      "cvta.const",
      "mov.u64 %x20, constants; cvta.const.u64 %x21, %x20; ld.u32 %d, [%x21+4]; cvta.to.const.u64 %x22, %x21; "
      "ld.const.u32 %t0, [%x22]; add.u32 %d, %d, %t0;",
      [](u32) { return 77u; }, ".const .align 4 .u32 constants[2] = {33, 44};");
  list.runs("cvta.to.local",
            "mov.u64 %x20, mine; cvta.local.u64 %x21, %x20; st.u32 [%x21+8], %lane; cvta.to.local.u64 %x22, %x21; "
            "ld.local.u32 %d, [%x22+8];",
            [](u32 l) { return l; });
  list.later(90, "mapa.u64", "mapa.u64 %x20, %x0, 0; mov.u32 %d, 0;");
  list.later(90, "getctarank.u32", "getctarank.u32 %d, %x0;");
  list.runs_on(90, "isspacep.shared::cluster", "isspacep.shared::cluster %p1, %x0;" + from("%p1"),
               [](u32) { return 0u; });
}

void integers(List& list) {
  list.runs("bfind.shiftamt.u32", "bfind.shiftamt.u32 %d, %lane;",
            [](u32 l) { return l ? static_cast<u32>(std::countl_zero(l)) : ~0u; });
  list.runs("szext.wrap.s32", "szext.wrap.s32 %d, %lane, 3;",
            [](u32 l) { return static_cast<u32>(static_cast<std::int32_t>(l << 29) >> 29); });
  list.runs("bmsk.wrap.b32", "bmsk.wrap.b32 %d, %lane, 3;", [](u32 l) { return 7u << l; });
  list.runs("lop3.or.b32",
            "setp.gt.u32 %p1, %lane, 30; lop3.or.b32 %d|%p2, %lane, 6, 3, 0x80, %p1; selp.u32 %t0, 256, 0, %p2; or.b32 "
            "%d, %d, %t0;",
            [](u32 l) { return (l & 2) | ((l & 2) || l > 30 ? 256u : 0u); });
  list.runs("lop3.and.b32",
            "setp.gt.u32 %p1, %lane, 30; lop3.and.b32 %d|%p2, %lane, 6, 3, 0x80, %p1; selp.u32 %t0, 256, 0, %p2; "
            "or.b32 %d, %d, %t0;",
            [](u32 l) { return (l & 2) | ((l & 2) && l > 30 ? 256u : 0u); });
  list.runs("lop3.b32 of constants", "lop3.b32 %d, %lane, 0xf0, 0x0f, 0xf8;", [](u32 l) { return l | (0xf0 & 0x0f); });
  list.runs("mad.wide.s16", "cvt.s16.s32 %h0, %lane; mad.wide.s16 %d, %h0, -3, 100;",
            [](u32 l) { return 100 - 3 * l; });
  list.runs("prmt.b32", "prmt.b32 %d, %lane, 0x80ff, 0x4c10;",
            [](u32 l) { return (l & 0xffff) | 0xffu << 24 | 0xff0000u; });
  list.runs("neg.s16", "cvt.s16.s32 %h0, %lane; neg.s16 %h0, %h0; cvt.s32.s16 %d, %h0;", [](u32 l) { return 0 - l; });
  list.runs("clz.b32", "clz.b32 %d, %lane;", [](u32 l) { return static_cast<u32>(std::countl_zero(l)); });
  list.later(90, "add.u16x2", "add.u16x2 %d, %lane, %lane;");
  list.later(90, "min.s16x2", "min.s16x2 %d, %lane, %lane;");
  list.later(90, "max.relu.s16x2", "max.relu.s16x2 %d, %lane, %lane;");
  list.runs_on(90, "min.relu.s32", "sub.s32 %t0, %lane, 9; min.relu.s32 %d, %t0, 4;",
               [](u32 l) { return l < 9 ? 0u : std::min(l - 9, 4u); });
}

void floats(List& list) {
  for (const char* op : {"min", "max"})
    for (const char* nan : {"", ".NaN"}) {
      const bool least = op[1] == 'i';
      list.runs_on(86, fmt::format("{}{}.xorsign.abs.f32", op, nan),
                   fmt::format("cvt.rn.f32.u32 %f0, %lane; neg.f32 %f0, %f0; {}{}.xorsign.abs.f32 %f1, %f0, "
                               "0f40A00000; mov.b32 %d, %f1;",
                               op, nan),
                   [least](u32 l) { return bits(-(least ? std::min(float(l), 5.0f) : std::max(float(l), 5.0f))); });
    }
  list.runs_on(86, "min.NaN.xorsign.abs.f16x2",
               "mov.u32 %t0, 0xbc003c00; mov.u32 %t1, 0x40004000; min.NaN.xorsign.abs.f16x2 %d, %t0, %t1;",
               [](u32) { return 0xbc003c00u; });
  list.runs_on(86, "max.xorsign.abs.bf16",
               "mov.b16 %h0, 0xbf80; mov.b16 %h1, 0x4000; max.xorsign.abs.bf16 %h2, %h0, %h1; cvt.u32.u16 %d, %h2;",
               [](u32) { return 0xc000u; });
  list.runs("copysign.f64",
            "mov.f64 %g0, 0dBFF0000000000000; mov.f64 %g1, 0d4008000000000000; copysign.f64 %g2, %g0, %g1; "
            "cvt.rzi.s32.f64 %d, %g2;",
            [](u32) { return static_cast<u32>(-3); });
  list.runs("fma.rn.relu.f16",
            "mov.b16 %h0, 0xbc00; mov.b16 %h1, 0x4000; fma.rn.relu.f16 %h2, %h0, %h1, %h1; fma.rn.relu.f16 %h3, %h0, "
            "%h1, %h0; mov.b32 %d, {%h2, %h3};",
            [](u32) { return 0u; });
  list.runs_on(90, "tanh.approx.bf16x2", "mov.u32 %t0, 0x0000ff80; tanh.approx.bf16x2 %d, %t0;",
               [](u32) { return 0x0000bf80u; });
  list.runs_on(90, "ex2.approx.ftz.bf16", "mov.b16 %h0, 0x4040; ex2.approx.ftz.bf16 %h1, %h0; cvt.u32.u16 %d, %h1;",
               [](u32) { return 0x4100u; });
  list.runs_on(90, "ex2.approx.ftz.bf16x2", "mov.u32 %t0, 0x40404000; ex2.approx.ftz.bf16x2 %d, %t0;",
               [](u32) { return 0x41004080u; });
  list.runs("ex2.approx.f16x2", "mov.u32 %t0, 0x42004000; ex2.approx.f16x2 %d, %t0;", [](u32) { return 0x48004400u; });
  list.runs("mad.rn.f32",
            "cvt.rn.f32.u32 %f0, %lane; mad.rn.f32 %f1, %f0, 0f40000000, 0f3F800000; cvt.rzi.u32.f32 %d, %f1;",
            [](u32 l) { return 2 * l + 1; });
  list.runs("mad.rz.f64",
            "cvt.rn.f64.u32 %g0, %lane; mad.rz.f64 %g1, %g0, 0d4000000000000000, 0d3FF0000000000000; cvt.rzi.u32.f64 "
            "%d, %g1;",
            [](u32 l) { return 2 * l + 1; });
  list.runs("add.f32",
            "cvt.rn.f32.u32 %f0, %lane; add.f32 %f1, %f0, 0f3F800000; sub.f32 %f1, %f1, %f0; mul.f32 %f1, %f1, %f0; "
            "cvt.rzi.u32.f32 %d, %f1;",
            [](u32 l) { return l; });
  list.runs("testp.subnormal.f32", "mov.b32 %f0, %lane; testp.subnormal.f32 %p1, %f0;" + from("%p1"),
            [](u32 l) { return l ? 1u : 0u; });
  list.runs_on(90, "add.rn.bf16", "mov.b16 %h0, 0x3f80; add.rn.bf16 %h0, %h0, %h0; cvt.u32.u16 %d, %h0;",
               [](u32) { return 0x4000u; });
  list.runs_on(90, "sub.rn.bf16x2", "mov.u32 %t0, 0x40003f80; mov.u32 %t1, 0x3f803f80; sub.rn.bf16x2 %d, %t0, %t1;",
               [](u32) { return 0x3f800000u; });
  list.runs_on(90, "mul.rn.bf16x2", "mov.u32 %t0, 0x40003f80; mul.rn.bf16x2 %d, %t0, %t0;",
               [](u32) { return 0x40803f80u; });
  list.later(100, "add.rn.f32x2", "add.rn.f32x2 %x20, %x0, %x0; mov.u32 %d, 0;");
  list.later(100, "fma.rn.f32x2", "fma.rn.f32x2 %x20, %x0, %x0, %x0; mov.u32 %d, 0;");
  list.later(100, "min.f32 of three", "min.f32 %f0, %f1, %f2, %f3; mov.u32 %d, 0;");
}

void comparisons(List& list) {
  list.runs("setp.lt.and.u32",
            "setp.gt.u32 %p1, %lane, 3; setp.lt.and.u32 %p2|%p3, %lane, 9, !%p1; selp.u32 %t0, 1, 0, %p2; selp.u32 "
            "%t1, 2, 0, %p3; or.b32 %d, %t0, %t1;",
            [](u32 l) { return l > 3 ? 0u : 1u; });
  list.runs("setp.eq.xor.f64",
            "setp.gt.u32 %p1, %lane, 3; cvt.rn.f64.u32 %g0, %lane; setp.eq.xor.f64 %p2, %g0, 0d4014000000000000, %p1;" +
                from("%p2"),
            [](u32 l) { return (l > 3) != (l == 5) ? 1u : 0u; });
  list.runs("set.lt.or.s32.s32", "setp.eq.u32 %p1, %lane, 9; set.lt.or.s32.s32 %d, %lane, 4, %p1;",
            [](u32 l) { return l < 4 || l == 9 ? ~0u : 0u; });
  list.runs("set.eq.f32.u64", "cvt.u64.u32 %x20, %lane; set.eq.f32.u64 %f0, %x20, 4; mov.b32 %d, %f0;",
            [](u32 l) { return l == 4 ? bits(1) : 0u; });
  for (const char* t : {"u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"}) {
    const std::string text = t, reg = text.ends_with("16")   ? "%h0"
                                      : text == "f32"        ? "%f0"
                                      : text == "f64"        ? "%g0"
                                      : text.ends_with("64") ? "%x20"
                                                             : "%t0";
    const std::string convert = text[0] == 'f' ? "cvt.rn." + text + ".u32" : "cvt." + text + ".u32",
                      four = text == "f32"   ? "0f40800000"
                             : text == "f64" ? "0d4010000000000000"
                                             : "4";
    for (const char* to : {"u32", "s32"})
      list.runs(fmt::format("set.ge.{}.{}", to, t),
                fmt::format("{} {}, %lane; set.ge.{}.{} %d, {}, {};", convert, reg, to, t, reg, four),
                [](u32 l) { return l >= 4 ? ~0u : 0u; });
  }
  list.runs_on(90, "set.gt.bf16.bf16",
               "mov.b16 %h0, 0x4000; mov.b16 %h1, 0x3f80; set.gt.bf16.bf16 %h2, %h0, %h1; cvt.u32.u16 %d, %h2;",
               [](u32) { return 0x3f80u; });
  list.runs_on(90, "set.gt.u32.bf16x2",
               "mov.u32 %t0, 0x40003f80; mov.u32 %t1, 0x3f804000; set.gt.u32.bf16x2 %d, %t0, %t1;",
               [](u32) { return 0xffff0000u; });
  list.runs_on(90, "setp.gt.bf16x2",
               "mov.u32 %t0, 0x40003f80; mov.u32 %t1, 0x3f804000; setp.gt.bf16x2 %p1|%p2, %t0, %t1; selp.u32 %t0, 1, "
               "0, %p1; selp.u32 %t1, 2, 0, %p2; or.b32 %d, %t0, %t1;",
               [](u32) { return 2u; });
  list.runs("slct.b64.f32",
            "cvt.rn.f32.s32 %f0, %lane; sub.f32 %f0, %f0, 0f40800000; mov.b64 %x20, 3; mov.b64 %x21, 4; slct.b64.f32 "
            "%x22, %x20, %x21, %f0; cvt.u32.u64 %d, %x22;",
            [](u32 l) { return l >= 4 ? 3u : 4u; });
  list.runs(
      "selp.b16",
      "setp.gt.u32 %p1, %lane, 3; mov.b16 %h0, 5; mov.b16 %h1, 6; selp.b16 %h2, %h0, %h1, !%p1; cvt.u32.u16 %d, %h2;",
      [](u32 l) { return l > 3 ? 6u : 5u; });
}

void conversions(List& list) {
  list.runs("cvt.rna.tf32.f32", "cvt.rna.tf32.f32 %d, 0f3F801000;", [](u32) { return 0x3f802000u; });
  list.runs("cvt.pack.sat.s16.s32",
            "sub.s32 %t0, %lane, 4; mul.lo.s32 %t0, %t0, 0x4000; cvt.pack.sat.s16.s32 %d, %t0, %lane;", [](u32 l) {
              const int a = (static_cast<int>(l) - 4) * 0x4000;
              return (static_cast<u32>(std::min(std::max(a, -32768), 32767)) << 16) | l;
            });
  list.runs("cvt.pack.sat.u16.s32", "cvt.pack.sat.u16.s32 %d, -5, 70000;", [](u32) { return 0x0000ffffu; });
  list.runs("cvt.pack.sat.u8.s32.b32", "cvt.pack.sat.u8.s32.b32 %d, -5, 300, %lane;",
            [](u32 l) { return l << 16 | 0x00ffu; });
  list.runs("cvt.pack.sat.s8.s32.b32", "cvt.pack.sat.s8.s32.b32 %d, -500, 300, %lane;",
            [](u32 l) { return l << 16 | 0x807fu; });
  list.runs("cvt.pack.sat.u4.s32.b32", "cvt.pack.sat.u4.s32.b32 %d, -5, 300, %lane;",
            [](u32 l) { return l << 8 | 0x0fu; });
  list.runs("cvt.pack.sat.s4.s32.b32", "cvt.pack.sat.s4.s32.b32 %d, -500, 3, %lane;",
            [](u32 l) { return l << 8 | 0x83u; });
  list.runs("cvt.pack.sat.u2.s32.b32", "cvt.pack.sat.u2.s32.b32 %d, 9, 2, %lane;", [](u32 l) { return l << 4 | 0xeu; });
  list.runs("cvt.pack.sat.s2.s32.b32", "cvt.pack.sat.s2.s32.b32 %d, 9, -9, %lane;",
            [](u32 l) { return l << 4 | 0x6u; });
  list.runs("cvt.rn.bf16x2.f32", "cvt.rn.bf16x2.f32 %d, 0f3F800000, 0fC0000000;", [](u32) { return 0x3f80c000u; });
  list.runs("cvt.rz.relu.f16x2.f32", "cvt.rz.relu.f16x2.f32 %d, 0f3F800000, 0fC0000000;",
            [](u32) { return 0x3c000000u; });
  list.runs("cvt.f32.bf16", "mov.b16 %h0, 0xc000; cvt.f32.bf16 %f0, %h0; mov.b32 %d, %f0;",
            [](u32) { return bits(-2); });
  for (const char* pair : {"e4m3x2", "e5m2x2"}) {
    list.later(89, fmt::format("cvt.rn.satfinite.{}.f32", pair),
               fmt::format("cvt.rn.satfinite.{}.f32 %h0, 0f3F800000, 0fC0000000; mov.u32 %d, 0;", pair));
    list.later(89, fmt::format("cvt.rn.f16x2.{}", pair), fmt::format("cvt.rn.f16x2.{} %d, %h0;", pair));
    list.later(89, fmt::format("cvt.rn.satfinite.{}.f16x2", pair),
               fmt::format("cvt.rn.satfinite.{}.f16x2 %h0, %t0; mov.u32 %d, 0;", pair));
  }
  list.later(90, "cvt.rn.tf32.f32", "cvt.rn.tf32.f32 %d, 0f3F801000;");
  list.runs_on(90, "cvt.rn.bf16.s32", "cvt.rn.bf16.s32 %h0, 257; cvt.u32.u16 %d, %h0;", [](u32) { return 0x4380u; });
  list.runs_on(90, "cvt.rn.bf16.f16", "mov.b16 %h1, 0x3c00; cvt.rn.bf16.f16 %h0, %h1; cvt.u32.u16 %d, %h0;",
               [](u32) { return 0x3f80u; });
  list.runs_on(90, "cvt.rzi.s32.bf16", "mov.b16 %h1, 0xc000; cvt.rzi.s32.bf16 %d, %h1;",
               [](u32) { return static_cast<u32>(-2); });
  list.later(100, "cvt.rs.f16x2.f32", "cvt.rs.f16x2.f32 %d, %f0, %f1, %t0;");
  list.unknown(100, "cvt.rn.satfinite.e2m1x2.f32", "cvt.rn.satfinite.e2m1x2.f32 %h0, %f0, %f1; mov.u32 %d, 0;");
  list.unknown(100, "cvt.rn.satfinite.e2m3x2.f32", "cvt.rn.satfinite.e2m3x2.f32 %h0, %f0, %f1; mov.u32 %d, 0;");
  list.unknown(100, "cvt.rn.bf16x2.ue8m0x2", "cvt.rn.bf16x2.ue8m0x2 %d, %h0;");
}

void memory(List& list) {
  // Word i of lane l is 16 * l + i.
  const Value first = [](u32 l) { return 16 * l; };
  for (const char* how : {"ca", "cg", "cs", "lu", "cv", "nc", "volatile", "relaxed.cta", "relaxed.gpu", "relaxed.sys",
                          "acquire.cta", "acquire.gpu", "acquire.sys", "weak", "mmio.relaxed.sys"}) {
    const std::string text = how;
    const bool behind = text.size() == 2;
    list.runs(fmt::format("ld.{}{}", behind ? "global." : "", text + (behind ? "" : ".global")),
              fmt::format("ld.{}.u32 %d, [%m];", behind ? "global." + text : text + ".global"), first);
  }
  for (const char* hint :
       {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::64B",
        "L2::128B", "L2::256B", "L1::evict_first.L2::128B", "nc.L1::no_allocate.L2::256B"})
    list.runs(fmt::format("ld.global.{}", hint), fmt::format("ld.global.{}.u32 %d, [%m];", hint), first);
  list.runs("ld.global.L2::cache_hint",
            "createpolicy.fractional.L2::evict_last.b64 %x20, 0f3F800000; ld.global.L2::cache_hint.u32 %d, [%m], %x20;",
            first);
  list.runs("st.global.L2::cache_hint",
            "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %x20, 0f3F000000; "
            "st.global.L2::cache_hint.u32 [%m], %lane, %x20; ld.global.u32 %d, [%m];",
            [](u32 l) { return l; });
  list.runs("createpolicy.range",
            "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %x20, [%m], 32, 64; mov.u32 %d, 7;",
            [](u32) { return 7u; });
  list.runs("createpolicy.cvt", "createpolicy.cvt.L2.b64 %x20, 0x10F0000000000000; mov.u32 %d, 7;",
            [](u32) { return 7u; });
  for (const char* how : {"wb", "cg", "cs", "wt"})
    list.runs(fmt::format("st.global.{}", how),
              fmt::format("st.global.{}.u32 [%m], %lane; ld.global.u32 %d, [%m];", how), [](u32 l) { return l; });
  for (const char* how : {"volatile", "relaxed.cta", "relaxed.gpu", "relaxed.sys", "release.cta", "release.gpu",
                          "release.sys", "weak", "mmio.relaxed.sys"})
    list.runs(fmt::format("st.{}", how), fmt::format("st.{}.global.u32 [%m], %lane; ld.global.u32 %d, [%m];", how),
              [](u32 l) { return l; });
  list.runs("ld.v2.u32", "ld.global.v2.u32 {%t0, %t1}, [%m+8]; sub.u32 %d, %t1, %t0; mad.lo.u32 %d, %t0, 2, %d;",
            [](u32 l) { return 2 * (16 * l + 2) + 1; });
  list.runs("ld.v4.u32", "ld.global.nc.v4.u32 {%t0, %t1, %t2, %t3}, [%m+16]; add.u32 %d, %t0, %t3;",
            [](u32 l) { return 32 * l + 11; });
  list.runs("ld.v4.u8",
            "ld.global.v4.u8 {%h0, %h1, %h2, %h3}, [%m+4]; cvt.u32.u16 %d, %h0; cvt.u32.u16 %t1, %h1; mad.lo.u32 %d, "
            "%t1, 256, %d;",
            [](u32 l) { return 16 * l + 1; });
  list.runs("ld.v2.b64", "ld.global.v2.b64 {%x20, %x21}, [%m]; mov.b64 {%t0, %d}, %x21;",
            [](u32 l) { return 16 * l + 3; });
  list.runs("ld.v2.f64", "ld.global.v2.f64 {%g0, %g1}, [%m]; mov.b64 {%t0, %d}, %g1;",
            [](u32 l) { return 16 * l + 3; });
  list.runs("ld.v4.b16", "ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%m+8]; cvt.u32.u16 %d, %h2;",
            [](u32 l) { return 16 * l + 3; });
  list.runs(
      "st.v4.f32",
      "cvt.rn.f32.u32 %f0, %lane; st.global.v4.f32 [%m+16], {%f0, %f0, 0f00000000, %f0}; ld.global.u32 %d, [%m+28];",
      [](u32 l) { return bits(float(l)); });
  list.runs("ld.b128", "ld.global.b128 %q0, [%m]; mov.b128 {%x20, %x21}, %q0; mov.b64 {%t0, %d}, %x21;",
            [](u32 l) { return 16 * l + 3; });
  list.runs("st.b128",
            "mov.b64 %x20, {%lane, 1}; mov.b64 %x21, {%lane, 2}; mov.b128 %q0, {%x20, %x21}; st.global.b128 [%m+16], "
            "%q0; ld.global.u32 %d, [%m+28]; ld.global.u32 %t0, [%m+24]; add.u32 %d, %d, %t0;",
            [](u32 l) { return l + 2; });
  list.runs("ldu.global.u32", "ldu.global.u32 %d, [%m0+12];", [](u32) { return 3u; });
  list.runs("ldu.global.v4.f32", "ldu.global.v4.f32 {%f0, %f1, %f2, %f3}, [%m0+16]; mov.b32 %d, %f3;",
            [](u32) { return 7u; });
  list.runs("ld.local.v2.u16",
            "st.local.v2.u16 [mine+4], {3, 4}; ld.local.v2.u16 {%h0, %h1}, [mine+4]; cvt.u32.u16 %d, %h1;",
            [](u32) { return 4u; });
  list.runs("ld.param::entry", "ld.param::entry.u64 %x20, [memory]; ld.global.u32 %d, [%x20+20];",
            [](u32) { return 5u; });
  list.runs("ld.shared::cta.u32", "st.shared::cta.u32 [%s], %lane; ld.shared::cta.u32 %d, [%s];",
            [](u32 l) { return l; });
  list.runs("st.b8",
            "st.global.b8 [%m], 0x7f; st.global.u8 [%m+1], %lane; ld.global.u16 %h0, [%m]; cvt.u32.u16 %d, %h0;",
            [](u32 l) { return 0x7f | l << 8; });
  for (const char* how :
       {"prefetch.global.L1 [%m]", "prefetch.global.L2 [%m]", "prefetch.local.L1 [mine]", "prefetch.L1 [%m]",
        "prefetchu.L1 [%m]", "prefetch.global.L2::evict_last [%m]", "prefetch.global.L2::evict_normal [%m]"})
    list.runs(std::string(how).substr(0, std::string(how).find(' ')), fmt::format("{}; ld.global.u32 %d, [%m];", how),
              first);
  list.runs("applypriority.global.L2::evict_normal",
            "applypriority.global.L2::evict_normal [%m0], 128; ld.global.u32 %d, [%m];", first);
  list.runs("discard.global.L2", "discard.global.L2 [%m0], 128; mov.u32 %d, 7;", [](u32) { return 7u; });
  // One address for all lanes, and one each; with the result and without.
  list.runs("atom.global.add.noftz.f16x2",
            "st.global.u32 [%m], 0x3c003c00; mov.u32 %t1, 0x40003c00; atom.global.add.noftz.f16x2 %t0, [%m], %t1; "
            "ld.global.u32 %d, [%m];",
            [](u32) { return 0x42004000u; });
  list.runs("red.add.f64",
            "st.shared.f64 [box], 0d0000000000000000; bar.sync 0; cvt.rn.f64.u32 %g0, %lane; red.shared.add.f64 [box], "
            "%g0; bar.sync 0; ld.shared.f64 %g1, [box]; cvt.rzi.u32.f64 %d, %g1;",
            [](u32) { return 496u; });
  list.runs("atom.exch.b64", "atom.global.exch.b64 %x20, [%m], 5; mov.b64 {%t0, %d}, %x20;",
            [](u32 l) { return 16 * l + 1; });
  list.runs("atom.cas.b16",
            "mov.b16 %h1, 9; st.global.u16 [%m], 7; mov.b16 %h0, 7; atom.global.cas.b16 %h2, [%m], %h0, %h1; "
            "ld.global.u16 %h3, [%m]; cvt.u32.u16 %d, %h3;",
            [](u32) { return 9u; });
  for (const char* how : {"relaxed.cta", "acquire.gpu", "release.sys", "acq_rel.gpu"})
    list.runs(fmt::format("atom.{}.global.inc.u32", how), fmt::format("atom.{}.global.inc.u32 %d, [%m], 5;", how),
              first);
  list.runs("atom.global.dec.u32", "st.global.u32 [%m], 9; atom.global.dec.u32 %t0, [%m], 5; ld.global.u32 %d, [%m];",
            [](u32) { return 5u; });
  list.runs("atom.shared.min.s64",
            "mov.b64 %x20, -5; st.shared.b64 [%s], 3; atom.shared.min.s64 %x21, [%s], %x20; ld.shared.u32 %d, [%s];",
            [](u32) { return static_cast<u32>(-5); });
  list.runs("atom.add.L2::cache_hint",
            "createpolicy.fractional.L2::evict_last.b64 %x20, 0f3F800000; atom.global.add.L2::cache_hint.u32 %d, [%m], "
            "1, %x20;",
            first);
  list.runs("red.async-less", "red.relaxed.gpu.global.or.b32 [%m], 0x80000000; ld.global.u32 %d, [%m];",
            [](u32 l) { return 16 * l | 0x80000000u; });
  list.runs("red.and.b64", "red.global.and.b64 [%m], 0xf; ld.global.u32 %d, [%m+4];", [](u32) { return 0u; });
  list.later(90, "atom.global.exch.b128", "atom.global.exch.b128 %q0, [%m], %q1; mov.u32 %d, 0;");
  list.later(90, "atom.global.cas.b128", "atom.global.cas.b128 %q0, [%m], %q1, %q1; mov.u32 %d, 0;");
  list.runs_on(90, "atom.global.add.noftz.bf16",
               "st.global.u32 [%m], 0x3f80; mov.b16 %h1, 0x3f80; atom.global.add.noftz.bf16 %h0, [%m], %h1; "
               "ld.global.u32 %d, [%m];",
               [](u32) { return 0x4000u; });
  list.later(90, "red.global.v4.add.f32", "red.global.v4.f32.add [%m], {%f0, %f1, %f2, %f3}; mov.u32 %d, 0;");
  list.later(90, "red.async.relaxed.cluster.global",
             "red.async.relaxed.cluster.global.add.u32 [%m], 1; mov.u32 %d, 0;");
  list.later(90, "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32",
             "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%t0], 1, [%t1]; mov.u32 %d, 0;");
  list.later(90, "multimem.ld_reduce.global.add.u32", "multimem.ld_reduce.global.add.u32 %d, [%m];");
  list.later(90, "st.bulk.shared::cta", "st.bulk.shared::cta [%x20], 64, 0; mov.u32 %d, 0;");
  list.later(100, "ld.global.v8.f32",
             "ld.global.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%m]; mov.u32 %d, 0;");
  list.later(90, "fence.mbarrier_init.release.cluster", "fence.mbarrier_init.release.cluster; mov.u32 %d, 0;");
  for (const char* fence : {"fence.proxy.async", "fence.proxy.async.global", "fence.acq_rel.cluster",
                            "griddepcontrol.wait", "griddepcontrol.launch_dependents"})
    list.runs_on(90, fence, fmt::format("{}; mov.u32 %d, %lane;", fence), [](u32 l) { return l; });
  for (const char* fence : {"membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys",
                            "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.proxy.alias"})
    list.runs(fence, fmt::format("{}; mov.u32 %d, %lane;", fence), [](u32 l) { return l; });
}

void copies(List& list) {
  const auto wait = " cp.async.commit_group; cp.async.wait_group 0; ";
  list.runs("cp.async.ca.shared.global",
            fmt::format("cp.async.ca.shared.global [%s], [%m+8], 8;{}ld.shared.u32 %d, [%s+4];", wait),
            [](u32 l) { return 16 * l + 3; });
  list.runs("cp.async.cg.shared.global",
            fmt::format("cp.async.cg.shared.global [%s], [%m+16], 16;{}ld.shared.u32 %d, [%s+12];", wait),
            [](u32 l) { return 16 * l + 7; });
  list.runs("cp.async.ca of fewer bytes",
            fmt::format("cp.async.ca.shared.global [%s], [%m+16], 16, 8;{}ld.shared.u32 %t0, [%s+12]; ld.shared.u32 "
                        "%d, [%s+4]; sub.u32 %d, %d, %t0;",
                        wait),
            [](u32 l) { return 16 * l + 5; });
  list.runs(
      "cp.async.cg of none",
      fmt::format("mov.u32 %t1, 0; cp.async.cg.shared.global [%s], [%m+16], 16, %t1;{}ld.shared.u32 %d, [%s+4];", wait),
      [](u32) { return 0u; });
  list.runs(
      "cp.async.ca ignores the source",
      fmt::format("setp.gt.u32 %p1, %lane, 7; cp.async.ca.shared.global [%s], [%m], 4, %p1;{}ld.shared.u32 %d, [%s];",
                  wait),
      [](u32 l) { return l > 7 ? 0 : 16 * l; });
  for (const char* hint : {"L2::64B", "L2::128B", "L2::256B"})
    list.runs(fmt::format("cp.async.cg.shared.global.{}", hint),
              fmt::format("cp.async.cg.shared.global.{} [%s], [%m], 16;{}ld.shared.u32 %d, [%s];", hint, wait),
              [](u32 l) { return 16 * l; });
  list.runs("cp.async.ca.shared.global.L2::cache_hint",
            fmt::format("createpolicy.fractional.L2::evict_last.b64 %x20, 0f3F800000; "
                        "cp.async.ca.shared.global.L2::cache_hint [%s], [%m], 16, 8, %x20;{}ld.shared.u32 %d, [%s+8];",
                        wait),
            [](u32) { return 0u; });
  list.runs("cp.async.ca.shared::cta.global",
            "cp.async.ca.shared::cta.global [%s], [%m], 4; cp.async.wait_all; ld.shared.u32 %d, [%s];",
            [](u32 l) { return 16 * l; });
  const char* const made = "setp.eq.u32 %p1, %lane, 0; @%p1 mbarrier.init.shared.b64 [box], 32; bar.sync 0; ";
  const char* const waits = "AGAIN: mbarrier.test_wait.shared.b64 %p2, [box], %x20; @!%p2 bra AGAIN; ";
  list.runs("mbarrier.arrive.shared.b64",
            fmt::format("{}mbarrier.arrive.shared.b64 %x20, [box]; {}mov.u32 %d, 7;", made, waits),
            [](u32) { return 7u; });
  list.runs("mbarrier.arrive.shared::cta.b64",
            fmt::format("{}mbarrier.arrive.shared::cta.b64 %x20, [box]; {}mov.u32 %d, 7;", made, waits),
            [](u32) { return 7u; });
  list.runs("mbarrier.arrive of a generic address",
            fmt::format("mov.u32 %t0, box; cvt.u64.u32 %x21, %t0; cvta.shared.u64 %x21, %x21; {}mbarrier.arrive.b64 "
                        "%x20, [%x21]; ONCE: mbarrier.test_wait.b64 %p2, [%x21], %x20; @!%p2 bra ONCE; mov.u32 %d, 7;",
                        made),
            [](u32) { return 7u; });
  list.runs("mbarrier.arrive.noComplete",
            fmt::format("{}mbarrier.arrive.noComplete.shared.b64 %x20, [box], 1; mbarrier.pending_count.b64 %d, %x20; "
                        "add.u32 %d, %d, %lane;",
                        "setp.eq.u32 %p1, %lane, 0; @%p1 mbarrier.init.shared.b64 [box], 96; bar.sync 0; "
                        "mbarrier.arrive.noComplete.shared.b64 %x19, [box], 1; bar.sync 0; "),
            [](u32) { return 64u; });
  list.runs("mbarrier.arrive_drop.shared.b64",
            "setp.eq.u32 %p1, %lane, 0; @%p1 mbarrier.init.shared.b64 [box], 32; bar.sync 0; setp.lt.u32 %p3, %lane, "
            "8; @%p3 mbarrier.arrive_drop.shared.b64 %x20, [box]; @!%p3 mbarrier.arrive.shared.b64 %x20, [box]; "
            "bar.sync 0; @%p1 mbarrier.arrive.noComplete.shared.b64 %x21, [box], 1; mbarrier.pending_count.b64 %d, "
            "%x21; @!%p1 mov.u32 %d, 24;",
            [](u32) { return 24u; });
  list.runs("mbarrier.inval.shared.b64", fmt::format("{}@%p1 mbarrier.inval.shared.b64 [box]; mov.u32 %d, 7;", made),
            [](u32) { return 7u; });
  list.runs("mbarrier.test_wait.parity.shared.b64",
            fmt::format("{}mbarrier.arrive.shared.b64 _, [box]; AGAIN: mbarrier.test_wait.parity.shared.b64 %p2, "
                        "[box], 0; @!%p2 bra AGAIN; mov.u32 %d, 7;",
                        made),
            [](u32) { return 7u; });
  list.runs("cp.async.mbarrier.arrive.noinc.shared.b64",
            fmt::format(
                "{}cp.async.ca.shared.global [%s+64], [%m], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [box]; AGAIN: "
                "mbarrier.test_wait.parity.shared.b64 %p2, [box], 0; @!%p2 bra AGAIN; ld.shared.u32 %d, [%s+64];",
                made),
            [](u32 l) { return 16 * l; });
  list.runs_on(90, "mbarrier.try_wait.shared.b64",
               fmt::format("{}mbarrier.arrive.shared.b64 %x20, [box]; AGAIN: mbarrier.try_wait.shared.b64 %p2, [box], "
                           "%x20; @!%p2 bra AGAIN; mov.u32 %d, 7;",
                           made),
               [](u32) { return 7u; });
  list.later(90, "mbarrier.arrive.expect_tx.shared.b64",
             "mbarrier.arrive.expect_tx.shared.b64 %x20, [box], 16; mov.u32 %d, 0;");
  list.later(90, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%m], 16, [box]; mov.u32 %d, 0;");
  list.later(90, "cp.async.bulk.commit_group", "cp.async.bulk.commit_group; mov.u32 %d, 0;");
  list.later(90, "cp.async.bulk.wait_group.read", "cp.async.bulk.wait_group.read 0; mov.u32 %d, 0;");
  list.unknown(90, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
               "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%m], [%s], 16; mov.u32 %d, 0;");
  list.unknown(90, "tensormap.replace.tile.rank.global.b1024.b32",
               "tensormap.replace.tile.rank.global.b1024.b32 [%m], 1; mov.u32 %d, 0;");
}

void control(List& list) {
  const char* const indexed =
      "rem.u32 %t0, %lane, 3; mov.u32 %d, 9; TABLE: .branchtargets ONE, TWO, END; brx.idx %t0, TABLE; ONE: mov.u32 %d, "
      "1; bra.uni END; TWO: mov.u32 %d, 2; END:";
  list.runs("brx.idx", indexed, [](u32 l) { return l % 3 == 0 ? 1u : l % 3 == 1 ? 2u : 9u; });
  list.runs("brx.idx.uni",
            "mov.u32 %t0, 1; TABLE: .branchtargets ONE, TWO; brx.idx.uni %t0, TABLE; ONE: mov.u32 %d, 1; bra.uni END; "
            "TWO: mov.u32 %d, 2; END:",
            [](u32) { return 2u; });
  const char* const functions =
      ".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %t; ld.param.u32 %t, [a]; add.u32 %t, %t, %t; "
      "st.param.b32 [r], %t; ret; }\n"
      ".func (.param .b32 r) thrice(.param .b32 a) { .reg .b32 %t; ld.param::func.u32 %t, [a]; mul.lo.u32 %t, %t, 3; "
      "st.param::func.b32 [r], %t; ret.uni; }\n"
      ".func pair(.param .align 8 .b8 a[16]) { .reg .b64 %x<3>; ld.param.v2.u64 {%x0, %x1}, [a]; st.global.u64 [%x0], "
      "%x1; ret; }\n";
  list.runs(
      "call.uni",
      "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %lane; call.uni (r), twice, (a); ld.param.b32 %d, [r]; }",
      [](u32 l) { return 2 * l; }, functions);
  list.runs(
      "call through a prototype",
      "setp.gt.u32 %p1, %lane, 9; mov.u64 %x20, twice; mov.u64 %x21, thrice; selp.b64 %x22, %x20, %x21, %p1; { .param "
      ".b32 a; .param .b32 r; st.param.b32 [a], %lane; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), "
      "%x22, (a), P; ld.param.b32 %d, [r]; }",
      [](u32 l) { return l > 9 ? 2 * l : 3 * l; }, functions);
  list.runs(
      "call with a list of targets",
      "mov.u64 %x22, thrice; { .param .b32 a; .param .b32 r; st.param.b32 [a], %lane; T: .calltargets twice, thrice; "
      "call (r), %x22, (a), T; ld.param.b32 %d, [r]; }",
      [](u32 l) { return 3 * l; }, functions);
  list.runs(
      "call of a struct",
      "{ .param .align 8 .b8 a[16]; cvt.u64.u32 %x20, %lane; st.param.v2.b64 [a], {%m, %x20}; call.uni pair, (a); } "
      "ld.global.u32 %d, [%m];",
      [](u32 l) { return l; }, functions);
  list.runs(
      "a guarded call",
      "mov.u32 %d, 1; setp.gt.u32 %p1, %lane, 9; { .param .b32 a; .param .b32 r; st.param.b32 [r], 5; st.param.b32 "
      "[a], %lane; @%p1 call (r), twice, (a); ld.param.b32 %d, [r]; }",
      [](u32 l) { return l > 9 ? 2 * l : 5u; }, functions);
  list.runs(
      "a barrier in a function",
      "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %lane; call.uni (r), across, (a); ld.param.b32 %d, [r]; }",
      [](u32 l) { return 31 - l; },
      ".shared .u32 words[32];\n.func (.param .b32 r) across(.param .b32 a) { .reg .b32 %t<4>; ld.param.u32 %t0, [a]; "
      "mov.u32 %t1, words; mad.lo.u32 %t2, %t0, 4, %t1; st.shared.u32 [%t2], %t0; bar.sync 0; sub.u32 %t0, 31, %t0; "
      "mad.lo.u32 %t2, %t0, 4, %t1; ld.shared.u32 %t3, [%t2]; st.param.b32 [r], %t3; ret; }");
  list.runs("ret",
            "mov.u32 %d, %lane; st.global.u32 [%x2], %d; setp.gt.u32 %p1, %lane, 3; @%p1 ret; add.u32 %d, %d, 50;",
            [](u32 l) { return l > 3 ? l : l + 50; });
  list.runs("exit",
            "mov.u32 %d, %lane; st.global.u32 [%x2], %d; setp.gt.u32 %p1, %lane, 3; @%p1 exit; add.u32 %d, %d, 50;",
            [](u32 l) { return l > 3 ? l : l + 50; });
  list.runs("trap (not reached)", "setp.gt.u32 %p1, %lane, 40; @%p1 trap; @%p1 brkpt; mov.u32 %d, 3;",
            [](u32) { return 3u; });
  list.runs("pmevent", "pmevent 7; pmevent.mask 3; mov.u32 %d, 3;", [](u32) { return 3u; });
  list.runs("nanosleep.u32", "nanosleep.u32 20; mov.u32 %d, 3;", [](u32) { return 3u; });
  list.later(90, "setmaxnreg.inc.sync.aligned.u32", "setmaxnreg.inc.sync.aligned.u32 40; mov.u32 %d, 3;");
  list.later(90, "elect.sync", "elect.sync %d|%p1, 0xffffffff;");
  list.later(90, "barrier.cluster.arrive", "barrier.cluster.arrive; mov.u32 %d, 3;");
  list.later(90, "barrier.cluster.wait", "barrier.cluster.wait; mov.u32 %d, 3;");
  list.unknown(100, "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128",
               "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q0; mov.u32 %d, 3;");
  list.runs("alloca.u64", "alloca.u64 %x20, 64, 16; st.local.u32 [%x20+8], %lane; ld.local.u32 %d, [%x20+8];",
            [](u32 l) { return l; });
  list.runs("stacksave.u64",
            "stacksave.u64 %x20; alloca.u64 %x21, 64; cvta.local.u64 %x22, %x21; st.u32 [%x22+60], %lane; ld.u32 %d, "
            "[%x22+60]; stackrestore.u64 %x20;",
            [](u32 l) { return l; });
}

void barriers(List& list) {
  for (const char* name :
       {"bar.sync", "barrier.sync", "barrier.sync.aligned", "bar.cta.sync", "barrier.cta.sync.aligned"}) {
    list.runs(fmt::format("{} 0", name),
              fmt::format("st.shared.u32 [%s], %lane; {} 0; xor.b32 %t0, %lane, 5; mov.u32 %t1, box; mad.lo.u32 %t1, "
                          "%t0, 64, %t1; ld.shared.u32 %d, [%t1];",
                          name),
              [](u32 l) { return l ^ 5; });
    list.runs(fmt::format("{} of a count", name),
              fmt::format("st.shared.u32 [%s], %lane; {} 3, 32; xor.b32 %t0, %lane, 5; mov.u32 %t1, box; mad.lo.u32 "
                          "%t1, %t0, 64, %t1; ld.shared.u32 %d, [%t1];",
                          name),
              [](u32 l) { return l ^ 5; });
  }
  list.runs("bar.arrive", "bar.arrive 3, 64; bar.sync 3, 64; mov.u32 %d, 3;", [](u32) { return 3u; });
  for (const char* name : {"bar.red", "barrier.red", "bar.cta.red", "barrier.cta.red.aligned"}) {
    std::string text = name;
    const std::string aligned = text.ends_with(".aligned") ? ".aligned" : "";
    if (!aligned.empty()) text = text.substr(0, text.size() - aligned.size());
    for (const char* count : {"", " 32,"}) {
      list.runs(fmt::format("{}.popc{} 1{}", text, aligned, count),
                fmt::format("setp.gt.u32 %p1, %lane, 20; {}.popc{}.u32 %d, 1,{} %p1;", text, aligned, count),
                [](u32) { return 11u; });
      list.runs(fmt::format("{}.popc{} 1{} of the other", text, aligned, count),
                fmt::format("setp.gt.u32 %p1, %lane, 20; {0}.popc{1}.u32 %t0, 1,{2} !%p1; {0}.popc{1}.u32 %t1, 1,{2} "
                            "%p1; mad.lo.u32 %d, %t1, 100, %t0;",
                            text, aligned, count),
                [](u32) { return 1121u; });
      list.runs(
          fmt::format("{}.and{} 1{}", text, aligned, count),
          fmt::format("setp.gt.u32 %p1, %lane, 20; {}.and{}.pred %p2, 1,{} %p1;", text, aligned, count) + from("%p2"),
          [](u32) { return 0u; });
      list.runs(
          fmt::format("{}.or{} 1{}", text, aligned, count),
          fmt::format("setp.gt.u32 %p1, %lane, 20; {}.or{}.pred %p2, 1,{} %p1;", text, aligned, count) + from("%p2"),
          [](u32) { return 1u; });
    }
  }
  list.runs("bar.warp.sync", "bar.warp.sync 0xffffffff; mov.u32 %d, 3;", [](u32) { return 3u; });
  list.runs("activemask.b32", "setp.gt.u32 %p1, %lane, 3; mov.u32 %d, 1; @%p1 bra OVER; activemask.b32 %d; OVER:",
            [](u32 l) { return l > 3 ? 1u : 15u; });
  list.runs("vote.sync.ballot.b32", "setp.gt.u32 %p1, %lane, 3; vote.sync.ballot.b32 %d, !%p1, 0xffffffff;",
            [](u32) { return 15u; });
  for (const char* op : {"and", "or", "xor"})
    list.runs(fmt::format("redux.sync.{}.b32", op), fmt::format("redux.sync.{}.b32 %d, %lane, 0xffffffff;", op),
              [op = op[0]](u32) { return op == 'o' ? 31u : 0u; });
  list.runs("redux.sync.min.s32", "sub.s32 %t0, %lane, 9; redux.sync.min.s32 %d, %t0, 0xffffffff;",
            [](u32) { return static_cast<u32>(-9); });
  list.runs("match.any.sync.b64",
            "shr.u32 %t0, %lane, 2; mov.b64 %x20, {%t0, %t0}; match.any.sync.b64 %d, %x20, 0xffffffff;",
            [](u32 l) { return 15u << (l & 28); });
  list.runs("shfl.sync.idx.b32", "shfl.sync.idx.b32 %d|%p1, %lane, 5, 31, 0xffffffff;", [](u32) { return 5u; });
  list.later(100, "redux.sync.min.f32", "redux.sync.min.f32 %f0, %f1, 0xffffffff; mov.u32 %d, 0;");
}

void textures(List& list) {
  // A kernel has no handle here; that C++ has no way to write these is what the message says.
  list.refuses("tex.cube.v4.f32.f32",
               "tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%x0, {%f0, %f1, %f2, %f3}]; mov.u32 %d, 0;", "cube maps");
  list.refuses("tex.acube.v4.f32.f32",
               "tex.acube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%x0, {%t0, %f1, %f2, %f3}]; mov.u32 %d, 0;", "cube maps");
  list.refuses("tex.2dms.v4.f32.s32",
               "tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%x0, {%t0, %t1, %t2, %t3}]; mov.u32 %d, 0;",
               "several samples");
  list.refuses("tex.2d.v2.f16x2.f32", "tex.2d.v2.f16x2.f32 {%t0, %t1}, [%x0, {%f0, %f1}]; mov.u32 %d, 0;",
               "no function");
  list.refuses("tex.2d.v4.f32.f32 with offsets",
               "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%x0, {%f0, %f1}], {%t0, %t1}; mov.u32 %d, 0;", "no function");
  list.refuses("txq.addr_mode_0.b32", "txq.addr_mode_0.b32 %d, [%x0];", "sampler");
  list.refuses("txq.filter_mode.b32", "txq.filter_mode.b32 %d, [%x0];", "sampler");
  list.refuses("sust.p.2d.v4.trap.b32", "sust.p.2d.v4.b32.trap [%x0, {%t0, %t1}], {%t0, %t1, %t2, %t3}; mov.u32 %d, 0;",
               "formatted");
  list.refuses("sured.p.2d.add.trap.b32", "sured.p.2d.add.b32.trap [%x0, {%t0, %t1}], %t0; mov.u32 %d, 0;",
               "formatted");
}

void matrices(List& list) {
  const std::string a4 = "{%t0, %t1, %t2, %t3}", f4 = "{%f0, %f1, %f2, %f3}";
  list.refuses("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
               "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%t0, %t1}, {%t2, %t3}, "
               "{%f0, %f1, %f2, %f3}, %t4, 0; mov.u32 %d, 0;",
               "sparse");
  list.refuses("mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32",
               "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%t0, %t1, %t2, %t3}, {%t0, %t1, %t2, %t3}, {%t4, "
               "%t5, %t6, %t7}, {%t0, %t1, %t2, %t3}, %t8, 0; mov.u32 %d, 0;",
               "sparse");
  list.later(89, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
             "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%t0, %t1, %t2, %t3}, {%t4, "
             "%t5}, {%f0, %f1, %f2, %f3}; mov.u32 %d, 0;");
  // All ones: each element of the product is k.
  list.runs_on(90, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
               "mov.f64 %g0, 0d3FF0000000000000; mov.f64 %g1, 0d4014000000000000; "
               "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%g4, %g5, %g6, %g7}, {%g0, %g0}, {%g0}, {%g1, %g1, "
               "%g1, %g1}; cvt.rzi.u32.f64 %d, %g7;",
               [](u32) { return 9u; });
  list.later(90, "stmatrix.sync.aligned.m8n8.x1.shared.b16",
             "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s], {%t0}; mov.u32 %d, 0;");
  list.later(100, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
             "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%t0, %t1}, [%s]; mov.u32 %d, 0;");
  list.unknown(90, "wgmma.fence.sync.aligned", "wgmma.fence.sync.aligned; mov.u32 %d, 0;");
  list.unknown(90, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %x0, %x0, 1, 1, 1, 0, 0; "
               "mov.u32 %d, 0;");
  list.unknown(100, "tcgen05.fence::before_thread_sync", "tcgen05.fence::before_thread_sync; mov.u32 %d, 0;");
  list.unknown(120, "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32",
               "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {%f0, %f1, %f2, %f3}, {%t0, %t1, %t2, "
               "%t3}, {%t4, %t5}, {%f0, %f1, %f2, %f3}; mov.u32 %d, 0;");
}

}  // namespace

const std::vector<Line>& isa_lines() {
  static const std::vector<Line> all = [] {
    List list;
    special_registers(list);
    extended_precision(list);
    moves(list);
    integers(list);
    floats(list);
    comparisons(list);
    conversions(list);
    memory(list);
    copies(list);
    control(list);
    barriers(list);
    textures(list);
    matrices(list);
    return list.done();
  }();
  return all;
}

std::string isa_module(const Line& line) {
  return fmt::format(
      ".version 9.0\n.target sm_{}\n.address_size 64\n{}\n"
      ".visible .entry listed(.param .u64 results, .param .u64 memory)\n{{\n"
      ".shared .align 128 .b8 box[4096];\n.local .align 16 .b8 mine[64];\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg "
      ".b8 %r8a, %r8b;\n"
      ".reg .b32 %lane, %d, %s, %t<64>;\n.reg .f32 %f<32>;\n.reg .f64 %g<16>;\n.reg .b64 %m, %m0, %x<32>;\n.reg .b128 "
      "%q<4>;\n"
      ".loc 1 1 1\nld.param.u64 %x0, [results];\nld.param.u64 %m0, [memory];\nmov.u32 %lane, %tid.x;\nmov.u32 %d, "
      "0xdead;\n"
      "mad.wide.u32 %m, %lane, 64, %m0;\nmad.wide.u32 %x2, %lane, 4, %x0;\nmov.u32 %s, box;\nmad.lo.u32 %s, %lane, 64, "
      "%s;\n"
      ".loc 1 12 1\n{}\n.loc 1 13 1\nst.global.u32 [%x2], %d;\nret;\n}}\n.file 1 \"/In[7]\"\n",
      line.architecture > 80 ? "80" : "80", line.module, line.body);
}

}  // namespace xcuda::opcodes
