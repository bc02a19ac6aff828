// Which instructions: tables of operation x type x rounding. All of them are in PTX 8.0 for compute capability 8.0.
#include <fmt/format.h>

#include "tests/opcodes/cases.hpp"

namespace xcuda::opcodes {
namespace {

using Names = std::vector<std::string>;

bool is_signed(const std::string& type) { return type[0] == 's'; }
int bits_of(const std::string& type) { return static_cast<int>(facts(type).bytes) * 8; }
std::string wide_of(const std::string& type) { return fmt::format("{}{}", type[0], 2 * bits_of(type)); }

class Table {
 public:
  explicit Table(std::string name) { family_.name = std::move(name); }

  // `name` without its operands, which are %d and as many inputs as there are.
  Case& add(const std::string& name, Names inputs, const std::string& output) {
    static const char* const operands[] = {"%a", "%b", "%c", "%e"};
    std::string body = name + " %d";
    for (std::size_t i = 0; i < inputs.size(); ++i) body += fmt::format(", {}", operands[i]);
    return text(name, body + ";", std::move(inputs), output);
  }
  Case& text(const std::string& name, const std::string& body, Names inputs, const std::string& output) {
    return family_.cases.emplace_back(Case{name, body, std::move(inputs), output});
  }
  Family done() { return std::move(family_); }
  // Where scalars are computed as vectors are.
  Family only_lanes() {
    for (Case& one : family_.cases) one.by_lane = true;
    return std::move(family_);
  }

 private:
  Family family_;
};

const Names integers = {"u16", "s16", "u32", "s32", "u64", "s64"};
const Names words = {"u32", "s32", "u64", "s64"};

Family integer_arithmetic() {
  Table table("integer");
  for (const std::string& t : integers) {
    for (const char* op : {"add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"})
      table.add(fmt::format("{}.{}", op, t), {t, t}, t);
    for (const char* op : {"mad.lo", "mad.hi", "sad"}) table.add(fmt::format("{}.{}", op, t), {t, t, t}, t);
    if (is_signed(t))
      for (const char* op : {"neg", "abs"}) table.add(fmt::format("{}.{}", op, t), {t}, t);
    if (bits_of(t) < 64) {
      table.add("mul.wide." + t, {t, t}, wide_of(t));
      table.add("mad.wide." + t, {t, t, wide_of(t)}, wide_of(t));
    }
  }
  for (const char* op : {"add.sat.s32", "sub.sat.s32"}) table.add(op, {"s32", "s32"}, "s32");
  table.add("mad.hi.sat.s32", {"s32", "s32", "s32"}, "s32");
  for (const char* t : {"u32", "s32"})
    for (const char* half : {"lo", "hi"}) {
      table.add(fmt::format("mul24.{}.{}", half, t), {t, t}, t);
      table.add(fmt::format("mad24.{}.{}", half, t), {t, t, t}, t);
    }
  table.add("mad24.hi.sat.s32", {"s32", "s32", "s32"}, "s32");
  for (const char* a : {"u32", "s32"})
    for (const char* b : {"u32", "s32"}) {
      const std::string to = a[0] == 's' || b[0] == 's' ? "s32" : "u32";
      table.add(fmt::format("dp4a.{}.{}", a, b), {"u32", "u32", to}, to);
      for (const char* half : {"lo", "hi"}) table.add(fmt::format("dp2a.{}.{}.{}", half, a, b), {"u32", "u32", to}, to);
    }
  for (const char* op : {"add", "sub"})
    table.text(fmt::format("{0}.cc.u32 {0}c.u32", op),
               fmt::format("mov.b64 {{%t0, %t1}}, %a; mov.b64 {{%t2, %t3}}, %b; {0}.cc.u32 %t4, %t0, %t2; {0}c.u32 "
                           "%t5, %t1, %t3; mov.b64 %d, {{%t4, %t5}};",
                           op),
               {"u64", "u64"}, "u64");
  for (const char* op : {"add", "sub"})
    table.text(fmt::format("{0}.cc.u64 {0}c.u64", op), fmt::format("{0}.cc.u64 %w0, %a, %b; {0}c.u64 %d, %a, %b;", op),
               {"u64", "u64"}, "u64");
  table.text("mad.lo.cc.u32 madc.hi.u32", "mad.lo.cc.u32 %t0, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0;",
             {"u32", "u32", "u32"}, "u32");
  table.text("add.cc.u32 addc.cc.u32 addc.u32", "add.cc.u32 %t0, %a, %b; addc.cc.u32 %t1, %a, %c; addc.u32 %d, %b, %c;",
             {"u32", "u32", "u32"}, "u32");
  table.text("mad.lo.cc.u64 madc.hi.u64", "mad.lo.cc.u64 %w0, %a, %b, %c; madc.hi.u64 %d, %a, %b, %c;",
             {"u64", "u64", "u64"}, "u64");
  return table.only_lanes();
}

Family logic() {
  Table table("logic");
  for (const char* t : {"b16", "b32", "b64"}) {
    for (const char* op : {"and", "or", "xor"}) table.add(fmt::format("{}.{}", op, t), {t, t}, t);
    for (const char* op : {"not", "cnot"}) table.add(fmt::format("{}.{}", op, t), {t}, t);
    table.add(fmt::format("shl.{}", t), {t, "amount"}, t);
  }
  for (const std::string& t : integers) table.add("shr." + t, {t, "amount"}, t);
  for (const char* way : {"l", "r"})
    for (const char* mode : {"clamp", "wrap"})
      table.add(fmt::format("shf.{}.{}.b32", way, mode), {"b32", "b32", "amount"}, "b32");
  for (const int look : {0x00, 0x01, 0x2a, 0x80, 0x96, 0xca, 0xe8, 0x3c, 0xfe, 0xff})
    table.text(fmt::format("lop3.b32 {:#04x}", look), fmt::format("lop3.b32 %d, %a, %b, %c, {:#x};", look),
               {"b32", "b32", "b32"}, "b32");
  for (const std::string& t : words) {
    table.add("bfe." + t, {t, "amount", "amount"}, t);
    table.add("bfind." + t, {t}, "u32");
    table.add("bfind.shiftamt." + t, {t}, "u32");
  }
  for (const char* t : {"b32", "b64"}) {
    table.add(fmt::format("bfi.{}", t), {t, t, "amount", "amount"}, t);
    table.add(fmt::format("brev.{}", t), {t}, t);
    table.add(fmt::format("popc.{}", t), {t}, "u32");
    table.add(fmt::format("clz.{}", t), {t}, "u32");
  }
  for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"})
    table.add(fmt::format("prmt.b32{}", mode), {"b32", "b32", "u32"}, "b32");
  table.text("fns.b32 from 0", "fns.b32 %d, %a, 0, %b;", {"b32", "amount"}, "b32");
  table.text("fns.b32 from 13", "and.b32 %t0, %b, 15; sub.s32 %t0, %t0, 7; fns.b32 %d, %a, 13, %t0;", {"b32", "amount"},
             "b32");
  for (const char* mode : {"clamp", "wrap"}) {
    table.add(fmt::format("bmsk.{}.b32", mode), {"amount", "amount"}, "b32");
    for (const char* t : {"u32", "s32"}) table.add(fmt::format("szext.{}.{}", mode, t), {t, "amount"}, t);
  }
  table.text("mov.b64 pack", "mov.b64 %d, {%b, %a};", {"b32", "b32"}, "b64");
  table.text("mov.b32 unpack", "mov.b32 {%h0, %h1}, %a; mov.b32 %d, {%h1, %h0};", {"b32"}, "b32");
  return table.only_lanes();
}

Family single() {
  Table table("f32");
  const std::string t = "f32";
  for (const char* ftz : {"", ".ftz"}) {
    for (const char* round : {"rn", "rz", "rm", "rp"}) {
      for (const char* sat : {"", ".sat"}) {
        for (const char* op : {"add", "sub", "mul"})
          table.add(fmt::format("{}.{}{}{}.f32", op, round, ftz, sat), {t, t}, t);
        table.add(fmt::format("fma.{}{}{}.f32", round, ftz, sat), {t, t, t}, t);
      }
      table.add(fmt::format("div.{}{}.f32", round, ftz), {t, t}, t);
      table.add(fmt::format("rcp.{}{}.f32", round, ftz), {t}, t);
      table.add(fmt::format("sqrt.{}{}.f32", round, ftz), {t}, t);
    }
    for (const char* op : {"neg", "abs"}) table.add(fmt::format("{}{}.f32", op, ftz), {t}, t);
    for (const char* op : {"min", "max"})
      for (const char* nan : {"", ".NaN"}) table.add(fmt::format("{}{}{}.f32", op, ftz, nan), {t, t}, t);
  }
  table.add("copysign.f32", {t, t}, t);
  for (const char* op : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    for (const char* type : {"f32", "f64"})
      table.text(fmt::format("testp.{}.{}", op, type),
                 fmt::format("testp.{}.{} %p1, %a; selp.u32 %d, 1, 0, %p1;", op, type), {type}, "u32");
  return table.done();
}

Family double_precision() {
  Table table("f64");
  const std::string t = "f64";
  for (const char* round : {"rn", "rz", "rm", "rp"}) {
    for (const char* op : {"add", "sub", "mul", "div"}) table.add(fmt::format("{}.{}.f64", op, round), {t, t}, t);
    table.add(fmt::format("fma.{}.f64", round), {t, t, t}, t);
    for (const char* op : {"rcp", "sqrt"}) table.add(fmt::format("{}.{}.f64", op, round), {t}, t);
  }
  for (const char* op : {"neg", "abs"}) table.add(fmt::format("{}.f64", op), {t}, t);
  for (const char* op : {"min", "max", "copysign"}) table.add(fmt::format("{}.f64", op), {t, t}, t);
  return table.done();
}

// Within the errors that the PTX ISA states, twice: the GPU's and ours.
Family approximate() {
  Table table("approximate");
  for (const char* ftz : {"", ".ftz"}) {
    auto add = [&](const char* op, Names inputs, double ulps, double absolute) {
      Case& one = table.add(fmt::format("{}{}.f32", op, ftz), std::move(inputs), "f32");
      one.ulps = ulps;
      one.absolute = absolute;
    };
    add("ex2.approx", {"f32"}, 4, 0);
    add("lg2.approx", {"f32"}, 4, 0x1p-21);
    add("rcp.approx", {"f32"}, 2, 0);
    add("sqrt.approx", {"f32"}, 3, 0);
    add("rsqrt.approx", {"f32"}, 4, 0);
    add("div.approx", {"f32", "f32"}, 4, 0);
    add("div.full", {"f32", "f32"}, 4, 0);
  }
  // Only small angles: the error of large ones is not stated.
  for (const char* op : {"sin", "cos"}) {
    Case& one = table.text(fmt::format("{}.approx.f32", op),
                           fmt::format("abs.f32 %f0, %a; setp.gt.f32 %p1, %f0, 0f40C90FDB; selp.f32 %f1, 0f3F000000, "
                                       "%a, %p1; {}.approx.f32 %d, %f1;",
                                       op),
                           {"f32"}, "f32");
    one.absolute = 0x1p-19;
  }
  table.add("tanh.approx.f32", {"f32"}, "f32").ulps = 0x1p14;
  for (const char* op : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"}) table.add(op, {"f64"}, "f64").ulps = 0x1p33;
  table.add("rsqrt.approx.f64", {"f64"}, "f64").ulps = 0x1p33;
  for (const char* type : {"f16", "f16x2"}) {
    table.add(fmt::format("ex2.approx.{}", type), {type}, type).ulps = 2;
    table.add(fmt::format("tanh.approx.{}", type), {type}, type).ulps = 3;
  }
  return table.done();
}

Family halves() {
  Table table("half");
  for (const std::string t : {"f16", "f16x2"}) {
    for (const char* ftz : {"", ".ftz"}) {
      for (const char* sat : {"", ".sat"}) {
        for (const char* op : {"add", "sub", "mul"}) table.add(fmt::format("{}.rn{}{}.{}", op, ftz, sat, t), {t, t}, t);
        table.add(fmt::format("fma.rn{}{}.{}", ftz, sat, t), {t, t, t}, t);
      }
      table.add(fmt::format("fma.rn{}.relu.{}", ftz, t), {t, t, t}, t);
      for (const char* op : {"min", "max"})
        for (const char* nan : {"", ".NaN"}) table.add(fmt::format("{}{}{}.{}", op, ftz, nan, t), {t, t}, t);
      for (const char* op : {"neg", "abs"}) table.add(fmt::format("{}{}.{}", op, ftz, t), {t}, t);
    }
  }
  for (const std::string t : {"bf16", "bf16x2"}) {
    for (const char* relu : {"", ".relu"}) table.add(fmt::format("fma.rn{}.{}", relu, t), {t, t, t}, t);
    for (const char* op : {"min", "max"})
      for (const char* nan : {"", ".NaN"}) table.add(fmt::format("{}{}.{}", op, nan, t), {t, t}, t);
    for (const char* op : {"neg", "abs"}) table.add(fmt::format("{}.{}", op, t), {t}, t);
  }
  return table.done();
}

Family compare() {
  Table table("compare");
  auto setp = [&](const std::string& comparison, const std::string& type, const char* ftz = "") {
    table.text(fmt::format("setp.{}{}.{}", comparison, ftz, type),
               fmt::format("setp.{}{}.{} %p1, %a, %b; selp.u32 %d, 1, 0, %p1;", comparison, ftz, type), {type, type},
               "u32");
  };
  for (const std::string& t : integers)
    for (const char* c : {"eq", "ne", "lt", "le", "gt", "ge"}) setp(c, t);
  for (const std::string t : {"u16", "u32", "u64"})
    for (const char* c : {"lo", "ls", "hi", "hs"}) setp(c, t);
  for (const char* t : {"b16", "b32", "b64"})
    for (const char* c : {"eq", "ne"}) setp(c, t);
  const Names floating = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  for (const std::string& c : floating) {
    for (const char* t : {"f32", "f64", "f16"}) setp(c, t);
    setp(c, "f32", ".ftz");
    table.text(
        fmt::format("setp.{}.f16x2 |", c),
        fmt::format(
            "setp.{}.f16x2 %p1|%p2, %a, %b; selp.u32 %t0, 1, 0, %p1; selp.u32 %t1, 2, 0, %p2; or.b32 %d, %t0, %t1;", c),
        {"f16x2", "f16x2"}, "u32");
    table.text(fmt::format("set.{}.f16x2.f16x2", c), fmt::format("set.{}.f16x2.f16x2 %d, %a, %b;", c),
               {"f16x2", "f16x2"}, "b32");
    table.text(fmt::format("set.{}.f16.f16", c), fmt::format("set.{}.f16.f16 %d, %a, %b;", c), {"f16", "f16"}, "b16");
    table.text(fmt::format("set.{}.u32.f16x2", c), fmt::format("set.{}.u32.f16x2 %d, %a, %b;", c), {"f16x2", "f16x2"},
               "b32");
    for (const char* to : {"u32", "s32", "f32"}) table.add(fmt::format("set.{}.{}.f32", c, to), {"f32", "f32"}, to);
  }
  for (const char* op : {"and", "or", "xor"}) {
    table.text(fmt::format("setp.lt.{}.s32 |", op),
               fmt::format("setp.ne.s32 %p3, %c, 0; setp.lt.{}.s32 %p1|%p2, %a, %b, !%p3; selp.u32 %t0, 1, 0, %p1; "
                           "selp.u32 %t1, 2, 0, %p2; or.b32 %d, %t0, %t1;",
                           op),
               {"s32", "s32", "s32"}, "u32");
    table.text(fmt::format("set.gt.{}.u32.f32", op),
               fmt::format("setp.ne.s32 %p3, %c, 0; set.gt.{}.u32.f32 %d, %a, %b, %p3;", op), {"f32", "f32", "s32"},
               "u32");
  }
  for (const char* t : {"b16", "b32", "b64", "f32", "f64"})
    table.text(fmt::format("selp.{}", t), fmt::format("setp.gt.s32 %p1, %c, 0; selp.{} %d, %a, %b, %p1;", t),
               {t, t, "s32"}, t);
  for (const char* t : {"b16", "u32", "s64", "f32", "f64"}) {
    table.add(fmt::format("slct.{}.s32", t), {t, t, "s32"}, t);
    table.add(fmt::format("slct.{}.f32", t), {t, t, "f32"}, t);
    table.add(fmt::format("slct.ftz.{}.f32", t), {t, t, "f32"}, t);
  }
  return table.only_lanes();
}

Family convert() {
  Table table("convert");
  const Names all = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  for (const std::string& to : all)
    for (const std::string& from : all) {
      table.add(fmt::format("cvt.{}.{}", to, from), {from}, to);
      const bool holds_all = is_signed(to) == is_signed(from) ? bits_of(to) >= bits_of(from)
                                                              : is_signed(to) && bits_of(to) > bits_of(from);
      if (!holds_all) table.add(fmt::format("cvt.sat.{}.{}", to, from), {from}, to);
    }
  for (const std::string& to : all) {
    for (const char* from : {"f32", "f64", "f16"})
      for (const char* round : {"rni", "rzi", "rmi", "rpi"})
        table.add(fmt::format("cvt.{}.{}.{}", round, to, from), {from}, to);
    table.add(fmt::format("cvt.rzi.ftz.{}.f32", to), {"f32"}, to);
    table.add(fmt::format("cvt.rpi.ftz.sat.{}.f32", to), {"f32"}, to);
  }
  for (const std::string& from : all) {
    for (const char* to : {"f32", "f64", "f16"})
      for (const char* round : {"rn", "rz", "rm", "rp"})
        table.add(fmt::format("cvt.{}.{}.{}", round, to, from), {from}, to);
    table.add(fmt::format("cvt.rn.sat.f32.{}", from), {from}, "f32");
  }
  for (const char* round : {"rn", "rz", "rm", "rp"}) {
    table.add(fmt::format("cvt.{}.f32.f64", round), {"f64"}, "f32");
    table.add(fmt::format("cvt.{}.ftz.f32.f64", round), {"f64"}, "f32");
    table.add(fmt::format("cvt.{}.f16.f64", round), {"f64"}, "f16");
    table.add(fmt::format("cvt.{}.f16.f32", round), {"f32"}, "f16");
    table.add(fmt::format("cvt.{}.ftz.f16.f32", round), {"f32"}, "f16");
    table.add(fmt::format("cvt.{}.sat.f16.f32", round), {"f32"}, "f16");
  }
  for (const char* round : {"rn", "rz"})
    for (const char* relu : {"", ".relu"}) {
      table.add(fmt::format("cvt.{}{}.bf16.f32", round, relu), {"f32"}, "bf16");
      if (*relu) table.add(fmt::format("cvt.{}{}.f16.f32", round, relu), {"f32"}, "f16");
      for (const char* pair : {"f16x2", "bf16x2"})
        table.add(fmt::format("cvt.{}{}.{}.f32", round, relu, pair), {"f32", "f32"}, pair);
    }
  for (const char* name : {"cvt.f64.f32", "cvt.ftz.f64.f32"}) table.add(name, {"f32"}, "f64");
  for (const char* to : {"f32", "f64"}) table.add(fmt::format("cvt.{}.f16", to), {"f16"}, to);
  table.add("cvt.f32.bf16", {"bf16"}, "f32");
  for (const char* t : {"f32", "f64", "f16"})
    for (const char* round : {"rni", "rzi", "rmi", "rpi"})
      for (const char* sat : {"", ".sat"}) table.add(fmt::format("cvt.{}{}.{}.{}", round, sat, t, t), {t}, t);
  table.add("cvt.rni.ftz.f32.f32", {"f32"}, "f32");
  table.add("cvt.sat.f32.f32", {"f32"}, "f32");
  table.add("cvt.ftz.f32.f32", {"f32"}, "f32");
  table.text("cvt.rna.tf32.f32", "mov.b32 %f1, %a; cvt.rna.tf32.f32 %d, %f1;", {"b32"}, "b32");
  table.text("cvt.rna.tf32.f32 of floats", "cvt.rna.tf32.f32 %d, %a;", {"f32"}, "b32");
  return table.done();
}

Family video() {
  Table table("video");
  for (const char* op : {"vadd", "vsub", "vabsdiff", "vavrg", "vmin", "vmax"})
    for (const int parts : {2, 4})
      for (const char* t : {"u32", "s32"}) {
        table.add(fmt::format("{}{}.{}.{}.{}", op, parts, t, t, t), {"u32", "u32", "u32"}, "u32");
        table.add(fmt::format("{}{}.{}.{}.{}.sat", op, parts, t, t, t), {"u32", "u32", "u32"}, "u32");
        table.add(fmt::format("{}{}.{}.{}.{}.add", op, parts, t, t, t), {"u32", "u32", "u32"}, "u32");
      }
  return table.only_lanes();
}

Family warp() {
  Table table("warp");
  // The second input is an amount; three kinds of bounds: the whole warp, eights, and a clamp in the middle.
  for (const char* mode : {"up", "down", "bfly", "idx"})
    for (const int bounds : {0x00, 0x1f, 0x181f, 0x1807, 0x0c05, 0x1c03})
      table.text(fmt::format("shfl.sync.{}.b32 {:#06x}", mode, bounds),
                 fmt::format("and.b32 %t0, %b, 31; shfl.sync.{}.b32 %t1|%p1, %a, %t0, {:#x}, %t9; selp.u32 %t2, 1, 0, "
                             "%p1; mov.b64 %d, {{%t1, %t2}};",
                             mode, bounds),
                 {"u32", "amount"}, "u64");
  for (const char* kind : {"all", "any", "uni"})
    table.text(fmt::format("vote.sync.{}.pred", kind),
               fmt::format("setp.gt.s32 %p2, %a, %b; vote.sync.{}.pred %p1, %p2, %t9; selp.u32 %d, 1, 0, %p1;", kind),
               {"s32", "s32"}, "u32");
  table.text("vote.sync.ballot.b32", "setp.gt.s32 %p2, %a, %b; vote.sync.ballot.b32 %d, %p2, %t9;", {"s32", "s32"},
             "u32");
  for (const char* t : {"b32", "b64"}) {
    table.text(fmt::format("match.any.sync.{}", t), fmt::format("match.any.sync.{} %d, %a, %t9;", t), {t, t}, "u32");
    table.text(fmt::format("match.all.sync.{}", t),
               fmt::format("match.all.sync.{} %t1|%p1, %b, %t9; selp.u32 %t2, 1, 0, %p1; mov.b64 %d, {{%t1, %t2}};", t),
               {t, t}, "u64");
  }
  for (const char* t : {"u32", "s32"})
    for (const char* op : {"add", "min", "max"})
      table.text(fmt::format("redux.sync.{}.{}", op, t), fmt::format("redux.sync.{}.{} %d, %a, %t9;", op, t), {t}, t);
  for (const char* op : {"and", "or", "xor"})
    table.text(fmt::format("redux.sync.{}.b32", op), fmt::format("redux.sync.{}.b32 %d, %a, %t9;", op), {"b32"}, "b32");
  table.text("activemask.b32", "activemask.b32 %d;", {"u32"}, "u32");
  for (const char* special : {"laneid", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt",
                              "ntid.x", "nctaid.y", "ctaid.x", "tid.y"})
    table.text(special, fmt::format("mov.u32 %d, %{};", special), {"u32"}, "u32");
  Family family = table.done();
  for (Case& one : family.cases) {
    one.by_lane = one.joint = true;
    // Those that are here: the last warp is not full.
    one.body = "activemask.b32 %t9;\n" + one.body;
  }
  return family;
}

// Each thread has a word of its own: the old and the new value.
Family atomics() {
  Table table("atomic");
  struct Row {
    const char* op;
    Names types;
  };
  const std::vector<Row> rows = {{"add", {"u32", "s32", "u64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"}},
                                 {"min", {"u32", "s32", "u64", "s64"}},
                                 {"max", {"u32", "s32", "u64", "s64"}},
                                 {"and", {"b32", "b64"}},
                                 {"or", {"b32", "b64"}},
                                 {"xor", {"b32", "b64"}},
                                 {"exch", {"b32", "b64"}},
                                 {"inc", {"u32"}},
                                 {"dec", {"u32"}},
                                 {"cas", {"b16", "b32", "b64"}}};
  for (const char* space : {"global", "shared"}) {
    const std::string at = space[0] == 'g' ? "[%m]" : "[%s]";
    for (const Row& row : rows)
      for (const std::string& t : row.types) {
        const bool half = t.find("16") != t.npos && t != "b16", brain = t[0] == 'b' && t[1] == 'f';
        if (brain) continue;  // compute capability 9.0
        const std::string memory = facts(t).memory, reg = facts(t).reg;
        const std::string temporary = reg == "f32"   ? "%f"
                                      : reg == "f64" ? "%g"
                                      : reg == "b64" ? "%w"
                                      : reg == "b16" ? "%h"
                                                     : "%t";
        const std::string operand = std::string(row.op) == "cas" ? "%b, %c" : "%b";
        for (const int part : {0, 1}) {
          Names inputs = {t, t};
          if (std::string(row.op) == "cas") inputs.push_back(t);
          const std::string name = fmt::format("atom.{}.{}{}.{}", space, row.op, half ? ".noftz" : "", t);
          const std::string before = fmt::format("st.{}.{} {}, %a; ", space, memory, at);
          table.text(name + (part ? " new" : " old"),
                     part == 0 ? before + fmt::format("{} %d, {}, {};", name, at, operand)
                               : before + fmt::format("{} {}1, {}, {}; ld.{}.{} %d, {};", name, temporary, at, operand,
                                                      space, memory, at),
                     inputs, t);
        }
        const std::string op = row.op;
        if (op != "exch" && op != "cas")
          table.text(fmt::format("red.{}.{}{}.{}", space, op, half ? ".noftz" : "", t),
                     fmt::format("st.{0}.{1} {2}, %a; red.{0}.{3}{4}.{5} {2}, %b; ld.{0}.{1} %d, {2};", space, memory,
                                 at, op, half ? ".noftz" : "", t),
                     {t, t}, t);
      }
  }
  return table.only_lanes();
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = {integer_arithmetic(),
                                          logic(),
                                          single(),
                                          double_precision(),
                                          approximate(),
                                          halves(),
                                          compare(),
                                          convert(),
                                          video(),
                                          warp(),
                                          atomics(),
                                          scalar_video(),
                                          matrices()};
  return all;
}

}  // namespace xcuda::opcodes
