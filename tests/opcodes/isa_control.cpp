// Branches, calls, barriers, warps, textures, matrices.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/opcodes/isa_list.hpp"

namespace xcuda::opcodes {
namespace {

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
  list.runs(
      "exit in a function",
      "mov.u32 %d, %lane; st.global.u32 [%x2], %d; { .param .b32 a; st.param.b32 [a], %lane; call.uni leave, (a); } "
      "add.u32 %d, %d, 50;",
      [](u32 l) { return l > 3 ? l : l + 50; },
      ".func leave(.param .b32 a) { .reg .b32 %t; .reg .pred %p; ld.param.u32 %t, [a]; setp.gt.u32 %p, %t, 3; @%p "
      "exit; ret; }\n");
  list.runs("ret",
            "mov.u32 %d, %lane; st.global.u32 [%x2], %d; setp.gt.u32 %p1, %lane, 3; @%p1 ret; add.u32 %d, %d, 50;",
            [](u32 l) { return l > 3 ? l : l + 50; });
  list.runs("exit",
            "mov.u32 %d, %lane; st.global.u32 [%x2], %d; setp.gt.u32 %p1, %lane, 3; @%p1 exit; add.u32 %d, %d, 50;",
            [](u32 l) { return l > 3 ? l : l + 50; });
  list.passes("trap (not reached)", "setp.gt.u32 %p1, %lane, 40; @%p1 trap; @%p1 brkpt;");
  list.passes("pmevent", "pmevent 7; pmevent.mask 3;");
  list.passes("nanosleep.u32", "nanosleep.u32 20;");
  list.later(90, "setmaxnreg.inc.sync.aligned.u32", "setmaxnreg.inc.sync.aligned.u32 40; mov.u32 %d, 3;");
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
  list.passes("bar.warp.sync", "bar.warp.sync 0xffffffff;");
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
  list.runs_on(90, "elect.sync", "elect.sync %d|%p1, 0xffffffff; @%p1 add.u32 %d, %d, 100;",
               [](u32 l) { return l == 0 ? 100u : 0u; });
  list.runs_on(
      90, "elect.sync of some lanes",
      "setp.lt.u32 %p2, %lane, 5; mov.u32 %d, 77; @%p2 bra OVER; elect.sync _|%p1, 0xffffffe0; selp.u32 %d, 1, "
      "2, %p1; elect.sync %t0|%p1, 0xffffffe0; add.u32 %d, %d, %t0; OVER:",
      [](u32 l) { return l < 5    ? 77u
                         : l == 5 ? 6u
                                  : 7u; });
  list.later(100, "redux.sync.min.f32", "redux.sync.min.f32 %f0, %f1, 0xffffffff; mov.u32 %d, 0;");
}

void textures(List& list) {
  // A kernel has no handle here; that C++ has no way to write these is what the message says.
  list.refuses("tld4.r.cube.v4.f32.f32",
               "tld4.r.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%x0, {%f0, %f1, %f2, %f3}]; mov.u32 %d, 0;",
               "no function");
  list.refuses("tex.2dms.v4.f32.s32",
               "tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%x0, {%t0, %t1, %t2, %t3}]; mov.u32 %d, 0;",
               "several samples");
  list.refuses("tex.2d.v2.f16x2.f32", "tex.2d.v2.f16x2.f32 {%t0, %t1}, [%x0, {%f0, %f1}]; mov.u32 %d, 0;",
               "no function");
  list.refuses("tex.2d.v4.f32.f32 with offsets",
               "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%x0, {%f0, %f1}], {%t0, %t1}; mov.u32 %d, 0;", "no function");
  list.refuses("istypep.texref", "istypep.texref %p1, %x0; mov.u32 %d, 0;", "");
  list.refuses("txq.addr_mode_0.b32", "txq.addr_mode_0.b32 %d, [%x0];", "sampler");
  list.refuses("txq.filter_mode.b32", "txq.filter_mode.b32 %d, [%x0];", "sampler");
  list.refuses("sust.p.2d.v4.b32.trap", "sust.p.2d.v4.b32.trap [%x0, {%t0, %t1}], {%t0, %t1, %t2, %t3}; mov.u32 %d, 0;",
               "formatted");
  list.refuses("sured.p.2d.add.b32.trap", "sured.p.2d.add.b32.trap [%x0, {%t0, %t1}], %t0; mov.u32 %d, 0;",
               "formatted");
}

void matrices(List& list) {
  const std::string a4 = "{%t0, %t1, %t2, %t3}", f4 = "{%f0, %f1, %f2, %f3}";
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

void list_control(List& list) {
  control(list);
  barriers(list);
  textures(list);
  matrices(list);
}

}  // namespace xcuda::opcodes
