#include "tests/fuzz/bounded_kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace xcuda::fuzz {
namespace {

using device::Dim3;

constexpr int kWords = 8, kFloats = 6, kDoubles = 3, kLongs = 4, kTruths = 4;  // registers
constexpr int kMostStatements = 60, kDeepest = 3;

// ~ is a guard that always holds, or nothing; $w is a word (b32), $f a float, $g a double, $l a long (b64), $p a truth,
// $n a small number, $u a word or a number.
constexpr std::string_view kPlain[] = {
    "add.u32 $w, $w, $u",
    "sub.s32 $w, $w, $u",
    "mul.lo.u32 $w, $w, $u",
    "mul.hi.s32 $w, $w, $w",
    "mul.hi.u32 $w, $w, $w",
    "mad.lo.s32 $w, $w, $w, $u",
    "mul.wide.s32 $l, $w, $w",
    "mad.wide.u32 $l, $w, $w, $l",
    "mul24.lo.u32 $w, $w, $w",
    "and.b32 $w, $w, $u",
    "or.b32 $w, $w, $w",
    "xor.b32 $w, $w, $u",
    "not.b32 $w, $w",
    "cnot.b32 $w, $w",
    "neg.s32 $w, $w",
    "abs.s32 $w, $w",
    "min.s32 $w, $w, $u",
    "max.u32 $w, $w, $u",
    "shl.b32 $w, $w, $u",
    "shr.u32 $w, $w, $u",
    "shr.s32 $w, $w, $w",
    "shf.l.wrap.b32 $w, $w, $w, $u",
    "shf.r.clamp.b32 $w, $w, $w, $w",
    "lop3.b32 $w, $w, $w, $w, 0x96",
    "prmt.b32 $w, $w, $w, $u",
    "bfe.u32 $w, $w, $n, $n",
    "bfe.s32 $w, $w, $w, $n",
    "bfi.b32 $w, $w, $w, $n, $n",
    "bfind.u32 $w, $w",
    "brev.b32 $w, $w",
    "clz.b32 $w, $w",
    "popc.b32 $w, $w",
    "sad.u32 $w, $w, $w, $w",
    "dp4a.s32.u32 $w, $w, $w, $w",
    "vabsdiff4.u32.u32.u32 $w, $w, $w, $w",
    "or.b32 %t0, $w, 1; div.u32 $w, $w, %t0",
    "or.b32 %t0, $w, 1; rem.u32 $w, $w, %t0",
    "and.b32 %t0, $w, 255; add.s32 %t0, %t0, 2; div.s32 $w, $w, %t0",
    "and.b32 %t0, $w, 255; add.s32 %t0, %t0, 2; rem.s32 $w, $w, %t0",
    // Indices that are taken apart and put together, with the right numbers and with others.
    "or.b32 %t0, $w, 1; mov.u32 %t1, $w; div.s32 %t2, %t1, %t0; mul.lo.s32 %t3, %t2, %t0; sub.s32 %t3, %t1, %t3; "
    "~mad.lo.s32 $w, %t2, %t0, %t3",
    "or.b32 %t0, $w, 1; mov.u32 %t1, $w; div.u32 %t2, %t1, %t0; mul.lo.s32 %t3, %t2, %t0; sub.s32 %t3, %t1, %t3; "
    "cvt.u64.u32 %a, %t3; ~mad.wide.u32 $l, %t2, %t0, %a",
    "or.b32 %t0, $w, 1; mov.u32 %t1, $w; div.s32 %t2, %t1, %t0; mul.lo.s32 %t3, %t2, %t0; sub.s32 %t3, %t1, %t3; "
    "cvt.s64.s32 %a, %t3; ~mad.wide.s32 $l, %t2, %t0, %a",
    "shr.u32 %t0, $w, 5; shr.u32 %t1, $w, 5; and.b32 %t2, $w, 31; ~bfi.b32 $w, %t0, %t2, 5, 27",
    "mul.lo.s32 %t0, $w, $w; sub.s32 %t1, $w, %t0; ~add.s32 $w, %t1, %t0",
    "~mad.lo.s32 $w, $w, $w, $w",
    "~add.s32 $w, $w, $w",
    "div.u32 $w, $w, 12; rem.u32 $w, $w, 12",
    "shr.s32 %t0, $w, 4; and.b32 %t1, $w, -16; sub.s32 %t2, $w, %t1; shl.b32 %t0, %t0, 4; ~add.s32 $w, %t0, %t2",
    "add.cc.u32 $w, $w, $w; addc.u32 $w, $w, 0",
    "sub.cc.u32 $w, $w, $w; subc.u32 $w, $w, $w",
    "add.u64 $l, $l, $l",
    "sub.s64 $l, $l, $l",
    "mul.lo.u64 $l, $l, $l",
    "mul.hi.u64 $l, $l, $l",
    "shl.b64 $l, $l, $u",
    "shr.s64 $l, $l, $n",
    "xor.b64 $l, $l, $l",
    "min.s64 $l, $l, $l",
    "popc.b64 $w, $l",
    "clz.b64 $w, $l",
    "cvt.u64.u32 $l, $w",
    "cvt.s64.s32 $l, $w",
    "cvt.u32.u64 $w, $l",
    "cvt.s32.s8 $w, $w",
    "cvt.u32.u16 $w, $w",
    "cvt.sat.s32.s64 $w, $l",
    "mov.b64 {%t0, %t1}, $l; xor.b32 $w, %t0, %t1",
    "mov.b64 $l, {$w, $w}",
    "add.rn.f32 $f, $f, $f",
    "sub.f32 $f, $f, $f",
    "mul.rn.f32 $f, $f, $f",
    "fma.rn.f32 $f, $f, $f, $f",
    "fma.rz.f32 $f, $f, $f, $f",
    "div.rn.f32 $f, $f, $f",
    "sqrt.rn.f32 $f, $f",
    "rcp.rn.f32 $f, $f",
    "min.f32 $f, $f, $f",
    "max.NaN.f32 $f, $f, $f",
    "neg.f32 $f, $f",
    "abs.f32 $f, $f",
    "add.sat.f32 $f, $f, $f",
    "mul.ftz.f32 $f, $f, $f",
    "add.f64 $g, $g, $g",
    "mul.f64 $g, $g, $g",
    "fma.rn.f64 $g, $g, $g, $g",
    "div.rn.f64 $g, $g, $g",
    "cvt.f64.f32 $g, $f",
    "cvt.rn.f32.f64 $f, $g",
    "cvt.rn.f32.s32 $f, $w",
    "cvt.rz.f32.u64 $f, $l",
    "cvt.rzi.s32.f32 $w, $f",
    "cvt.rni.u32.f64 $w, $g",
    "cvt.rzi.u64.f32 $l, $f",
    "cvt.rmi.f32.f32 $f, $f",
    "setp.lt.s32 $p, $w, $u",
    "setp.ge.u32 $p, $w, $w",
    "setp.eq.u32 $p, $w, $n",
    "setp.ne.s64 $p, $l, $l",
    "setp.gt.f32 $p, $f, $f",
    "setp.ltu.f64 $p, $g, $g",
    "setp.num.f32 $p, $f, $f",
    "setp.lt.and.s32 $p, $w, $w, $p",
    "and.pred $p, $p, $p",
    "xor.pred $p, $p, $p",
    "not.pred $p, $p",
    "selp.b32 $w, $w, $u, $p",
    "selp.f32 $f, $f, $f, $p",
    "slct.s32.s32 $w, $w, $w, $w",
    "set.lt.u32.s32 $w, $w, $w",
    "@$p mov.u32 $w, $u",
    "@!$p add.f32 $f, $f, $f",
    "mov.u32 $w, %tid.x",
    "mov.u32 $w, %laneid",
    "mov.u32 $w, %ctaid.x",
    // Memory: the inputs, a local array, this thread's own elements.
    "and.b32 %t0, $w, 255; mad.wide.u32 %a, %t0, 4, %inputs; ld.global.u32 $w, [%a]",
    "and.b32 %t0, $w, 127; mad.wide.u32 %a, %t0, 8, %inputs; ld.global.v2.u32 {$w, %t1}, [%a]",
    "and.b32 %t0, $w, 255; mad.wide.u32 %a, %t0, 4, %inputs; ld.global.nc.f32 $f, [%a]",
    "and.b32 %t0, $w, 1023; cvt.u64.u32 %a, %t0; add.u64 %a, %a, %inputs; ld.global.s8 $w, [%a]",
    "and.b32 %t0, $w, 7; mad.wide.u32 %a, %t0, 4, %mine; st.local.u32 [%a], $w",
    "and.b32 %t0, $w, 7; mad.wide.u32 %a, %t0, 4, %mine; ld.local.u32 $w, [%a]",
    "st.global.u32 [%own+4], $w",
    "@$p st.global.u32 [%own+8], $w",
    "ld.global.u32 $w, [%own+4]",
    // What all threads add to, of each word in one way: the order does not matter.
    "and.b32 %t0, $w, 3; mad.wide.u32 %a, %t0, 4, %sums; red.global.add.u32 [%a], $w",
    "@$p red.global.xor.b32 [%sums+16], $w",
    "atom.global.max.s32 %t0, [%sums+20], $w",
};

// For warps that are whole and together.
constexpr std::string_view kTogether[] = {
    "bar.sync 0",
    "shfl.sync.bfly.b32 $w, $w, $n, 31, -1",
    "shfl.sync.idx.b32 $w, $w, $w, 31, -1",
    "shfl.sync.up.b32 $w|$p, $w, $n, 0, -1",
    "shfl.sync.down.b32 $w|$p, $w, $n, 0x181f, -1",
    "vote.sync.ballot.b32 $w, $p, -1",
    "vote.sync.any.pred $p, $p, -1",
    "vote.sync.uni.pred $p, $p, -1",
    "match.any.sync.b32 $w, $w, -1",
    "redux.sync.add.u32 $w, $w, -1",
    "barrier.sync.aligned 0; bar.red.popc.u32 $w, 0, $p",
    // Another thread's word, through shared memory.
    "bar.sync 0; st.shared.u32 [%slot], $w; bar.sync 0; add.u32 %t0, %id, $n; rem.u32 %t0, %t0, %count; "
    "shl.b32 %t0, %t0, 2; add.u32 %t0, %t0, %box; ld.shared.u32 $w, [%t0]",
    "bar.sync 0; st.shared.u32 [%slot], $w; bar.sync 0; and.b32 %t0, $w, 31; shl.b32 %t0, %t0, 2; add.u32 %t0, "
    "%t0, %box; red.shared.add.u32 [%t0], $w; bar.sync 0; ld.shared.u32 $w, [%slot]",
};

class Writer {
 public:
  explicit Writer(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  BoundedKernel write() {
    static constexpr std::array<Dim3, 7> kBlocks = {{{32}, {64}, {128}, {256}, {16, 4}, {8, 4, 2}, {1}}};
    BoundedKernel made;
    made.block = kBlocks[below(kBlocks.size())];
    made.grid = {1 + below(3), 1 + below(2)};
    whole_ = made.block.count() % 32 == 0;
    text_ = fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 inputs, .param .u64 results, .param .u64 sums)
{{
.shared .align 16 .b8 box[1024];
.local .align 16 .b8 mine[32];
.reg .pred %p<{}>, %loops, %always;
.reg .b32 %w<{}>, %t<4>, %c<{}>, %id, %count, %slot, %box;
.reg .b64 %l<{}>, %a, %mine, %inputs, %results, %sums, %own;
.reg .f32 %f<{}>;
.reg .f64 %g<{}>;
mov.u64 %mine, mine;
ld.param.u64 %inputs, [inputs];
ld.param.u64 %results, [results];
ld.param.u64 %sums, [sums];
mov.u32 %t0, %tid.z; mov.u32 %t1, %ntid.y; mov.u32 %t2, %tid.y; mad.lo.u32 %t0, %t0, %t1, %t2;
mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %id, %t0, %t1, %t2;
mov.u32 %count, {};
mov.u32 %t0, %ctaid.y; mov.u32 %t1, %nctaid.x; mov.u32 %t2, %ctaid.x; mad.lo.u32 %t0, %t0, %t1, %t2;
mad.lo.u32 %t0, %t0, %count, %id;
mad.wide.u32 %own, %t0, {}, %results;
setp.eq.u32 %always, %id, %id;
mov.u32 %box, box; shl.b32 %slot, %id, 2; add.u32 %slot, %slot, %box;
)",
                        kTruths, kWords, kDeepest, kLongs, kFloats, kDoubles, made.block.count(), 4 * kResults);
    // Everything has a value.
    for (int i = 0; i < 8; ++i) line(fmt::format("st.local.u32 [%mine+{}], %id", 4 * i));
    for (int i = 0; i < kWords; ++i)
      line(i % 2 == 0 ? fmt::format("mad.lo.u32 %w{}, %id, {}, {}", i, below(256), below(256))
                      : fmt::format("ld.global.u32 %w{}, [%inputs+{}]", i, 4 * below(kInputs)));
    for (int i = 0; i < kLongs; ++i) line(fmt::format("mul.wide.u32 %l{}, %w{}, {}", i, i, below(256)));
    for (int i = 0; i < kFloats; ++i)
      line(i % 2 == 0 ? fmt::format("cvt.rn.f32.s32 %f{}, %w{}", i, i)
                      : fmt::format("ld.global.f32 %f{}, [%inputs+{}]", i, 4 * below(kInputs)));
    for (int i = 0; i < kDoubles; ++i) line(fmt::format("cvt.f64.f32 %g{}, %f{}", i, i));
    for (int i = 0; i < kTruths; ++i) line(fmt::format("setp.lt.u32 %p{}, %w{}, {}", i, i, below(256)));
    while (!bytes_.empty() && statements_ < kMostStatements) statement(0);
    result();
    text_ += "ret;\n}\n";
    for (const char each : text_) {
      if (each == '~')
        made.guarded += "@%always ";
      else
        made.ptx += each, made.guarded += each;
    }
    return made;
  }

 private:
  // 0 when all bytes are used up.
  std::uint32_t below(std::size_t limit) {
    if (bytes_.empty()) return 0;
    const auto byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return static_cast<std::uint32_t>(byte % limit);
  }
  void line(std::string_view text) {
    text_ += text;
    text_ += ";\n";
  }

  std::string filled(std::string_view pattern) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '$') {
        text += pattern[i];
        continue;
      }
      switch (pattern[++i]) {
        case 'w': text += fmt::format("%w{}", below(kWords)); break;
        case 'f': text += fmt::format("%f{}", below(kFloats)); break;
        case 'g': text += fmt::format("%g{}", below(kDoubles)); break;
        case 'l': text += fmt::format("%l{}", below(kLongs)); break;
        case 'p': text += fmt::format("%p{}", below(kTruths)); break;
        case 'n': text += fmt::format("{}", below(32)); break;
        default: text += below(2) == 0 ? fmt::format("%w{}", below(kWords)) : fmt::format("{}", below(256));
      }
    }
    return text;
  }

  void statement(int depth) {
    ++statements_;
    const auto kind = below(16);
    if (depth == 0 && whole_ && kind < 4) return line(filled(kTogether[below(std::size(kTogether))]));
    if (depth < kDeepest && kind == 4) return branch(depth);
    if (depth < kDeepest && kind == 5) return loop(depth);
    line(filled(kPlain[below(std::size(kPlain))]));
  }

  void some(int depth) {
    for (auto left = 1 + below(4); left > 0 && statements_ < kMostStatements; --left) statement(depth + 1);
  }

  void branch(int depth) {
    const int otherwise = label_++, end = label_++;
    line(fmt::format("{} bra L{}", filled(below(2) == 0 ? "@$p" : "@!$p"), otherwise));
    some(depth);
    if (below(2) == 0) {
      text_ += fmt::format("L{}:\n", otherwise);
    } else {
      line(fmt::format("bra L{}", end));
      text_ += fmt::format("L{}:\n", otherwise);
      some(depth);
      text_ += fmt::format("L{}:\n", end);
    }
  }

  // Up to eight times, each thread as often as its own word says.
  void loop(int depth) {
    const int begin = label_++, end = label_++;
    line(filled(fmt::format("and.b32 %c{0}, $u, 7; add.u32 %c{0}, %c{0}, 1", depth)));
    text_ += fmt::format("L{}:\n", begin);
    some(depth);
    if (below(3) == 0) {  // a break
      line(filled(fmt::format("@$p bra L{}", end)));
      some(depth);
    }
    line(fmt::format("sub.u32 %c{0}, %c{0}, 1; setp.ne.u32 %loops, %c{0}, 0; @%loops bra L{1}", depth, begin));
    text_ += fmt::format("L{}:\n", end);
  }

  // Each register has its part. Which NaN a float is, the two may do differently.
  void result() {
    line("mov.u32 %t0, 0");
    for (int i = 0; i < kWords; ++i) line(fmt::format("mad.lo.u32 %t0, %t0, 31, %w{}", i));
    for (int i = 0; i < kLongs; ++i)
      line(fmt::format("mov.b64 {{%t1, %t2}}, %l{}; mad.lo.u32 %t0, %t0, 31, %t1; mad.lo.u32 %t0, %t0, 31, %t2", i));
    for (int i = 0; i < kTruths; ++i) line(fmt::format("selp.u32 %t1, 1, 0, %p{}; mad.lo.u32 %t0, %t0, 3, %t1", i));
    line("st.global.u32 [%own], %t0; mov.u32 %t0, 0");
    for (int i = 0; i < kFloats; ++i)
      line(
          fmt::format("setp.nan.f32 %loops, %f{0}, %f{0}; mov.b32 %t1, %f{0}; selp.b32 %t1, 0x7fffffff, %t1, %loops; "
                      "mad.lo.u32 %t0, %t0, 31, %t1",
                      i));
    for (int i = 0; i < kDoubles; ++i)
      line(
          fmt::format("setp.nan.f64 %loops, %g{0}, %g{0}; mov.b64 {{%t1, %t2}}, %g{0}; selp.b32 %t1, 1, %t1, %loops; "
                      "selp.b32 %t2, 1, %t2, %loops; mad.lo.u32 %t0, %t0, 31, %t1; mad.lo.u32 %t0, %t0, 31, %t2",
                      i));
    line("st.global.u32 [%own+12], %t0");
  }

  std::span<const std::uint8_t> bytes_;
  std::string text_;
  bool whole_ = false;
  int statements_ = 0, label_ = 0;
};

}  // namespace

BoundedKernel bounded_kernel(std::span<const std::uint8_t> bytes) { return Writer(bytes).write(); }

}  // namespace xcuda::fuzz
