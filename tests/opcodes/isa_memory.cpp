// Loads, stores, atomics, fences, hints to caches, asynchronous copies, mbarriers.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/opcodes/isa_list.hpp"

namespace xcuda::opcodes {
namespace {

u32 bits_of_float(float value) { return std::bit_cast<u32>(value); }

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
  list.passes("createpolicy.range",
              "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %x20, [%m], 32, 64;");
  list.passes("createpolicy.cvt", "createpolicy.cvt.L2.b64 %x20, 0x10F0000000000000;");
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
      [](u32 l) { return bits_of_float(float(l)); });
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
  list.passes("discard.global.L2", "discard.global.L2 [%m0], 128;");
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
  list.later(90, "red.global.v4.f32.add", "red.global.v4.f32.add [%m], {%f0, %f1, %f2, %f3}; mov.u32 %d, 0;");
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
  list.passes("mbarrier.inval.shared.b64", fmt::format("{}@%p1 mbarrier.inval.shared.b64 [box];", made));
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

}  // namespace

void list_memory(List& list) {
  memory(list);
  copies(list);
}

}  // namespace xcuda::opcodes
