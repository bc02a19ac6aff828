// Registers, moves, integers, floating point, comparisons, conversions.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/opcodes/isa_list.hpp"

namespace xcuda::opcodes {
namespace {

u32 bits(float value) { return std::bit_cast<u32>(value); }

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
  struct Clock {
    const char *whole, *low, *high;
  };
  for (const Clock& clock :
       {Clock{"clock64", "clock", "clock_hi"}, {"globaltimer", "globaltimer_lo", "globaltimer_hi"}}) {
    // Each half lies between those of the whole before and after it.
    const auto between = [&](const char* half) {
      return fmt::format("mov.u64 %x20, %{0}; mov.u32 %t0, %{1}; mov.u64 %x21, %{0}; ", clock.whole, half);
    };
    list.runs(std::string("mov.u64 %") + clock.whole,
              fmt::format("mov.u64 %x20, %{0}; mov.u64 %x21, %{0}; setp.ge.u64 %p1, %x21, %x20; "
                          "setp.ne.and.u64 %p1, %x20, 0, %p1;",
                          clock.whole) +
                  from("%p1"),
              [](u32) { return 1u; });
    list.runs(std::string("mov.u32 %") + clock.low,
              between(clock.low) +
                  "cvt.u32.u64 %t1, %x20; sub.u32 %t2, %t0, %t1; cvt.u64.u32 %x22, %t2; sub.u64 %x23, %x21, %x20; "
                  "setp.le.u64 %p1, %x22, %x23;" +
                  from("%p1"),
              [](u32) { return 1u; });
    list.runs(std::string("mov.u32 %") + clock.high,
              between(clock.high) +
                  "shr.u64 %x20, %x20, 32; shr.u64 %x21, %x21, 32; cvt.u32.u64 %t1, %x20; cvt.u32.u64 %t2, %x21; "
                  "setp.ge.u32 %p1, %t0, %t1; setp.le.and.u32 %p1, %t0, %t2, %p1;" +
                  from("%p1"),
              [](u32) { return 1u; });
  }
  list.runs("mov.u64 %gridid", "mov.u64 %x20, %gridid; setp.ne.u64 %p1, %x20, 0;" + from("%p1"),
            [](u32) { return 1u; });
  for (const char* name : {"pm0", "pm7"}) reg(name, [](u32) { return 0u; });
  list.runs("mov.u64 %pm0_64", "mov.u64 %x20, %pm0_64; cvt.u32.u64 %d, %x20;", [](u32) { return 0u; });
  for (const char* name : {"reserved_smem_offset_0", "reserved_smem_offset_1"})
    list.runs(std::string("mov.b32 %") + name,
              fmt::format("mov.b32 %t0, %{}; mov.b32 %t1, %reserved_smem_offset_begin; mov.b32 %t2, "
                          "%reserved_smem_offset_end; setp.ge.u32 %p1, %t0, %t1; setp.lt.and.u32 %p1, %t0, %t2, %p1;",
                          name) +
                  from("%p1"),
              [](u32) { return 1u; });
  for (const char* name : {"reserved_smem_offset_begin", "reserved_smem_offset_end"})
    list.runs(std::string("mov.b32 %") + name, fmt::format("mov.b32 %t0, %{}; rem.u32 %d, %t0, 16;", name),
              [](u32) { return 0u; });
  list.runs("mov.b32 %reserved_smem_offset_cap",
            "mov.b32 %t0, %reserved_smem_offset_cap; setp.ge.u32 %p1, %t0, 288;" + from("%p1"), [](u32) { return 1u; });
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

}  // namespace

void list_arithmetic(List& list) {
  special_registers(list);
  extended_precision(list);
  moves(list);
  integers(list);
  floats(list);
  comparisons(list);
  conversions(list);
}

}  // namespace xcuda::opcodes
