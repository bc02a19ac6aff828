#include "ptx/grid_accesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "ptx/part_entry.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::ptx {
namespace {

constexpr std::uint64_t kX = 0x2000'0000'0000, kY = 0x2000'1000'0000;

std::string text_of_entry(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 table[64];\n.global .align 4 .b8 "
         "count[4];\n"
         ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
         ".func g(.param .b64 a) { ret; }\n"
         ".visible .entry other(.param .u64 x) { ret; }\n"
         ".visible .entry f(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 m) {\n"
         ".reg .b64 %rd<32>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .pred %p<8>;\n"
         ".shared .align 4 .b8 tile[128];\n"
         "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];\n"
         "cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n"
         "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r6, %r3, %r4, %r5;\n"
         "mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ntid.y; mov.u32 %r9, %tid.y; mad.lo.s32 %r10, %r7, %r8, %r9;\n" +
         body + "\nDone: ret;\n}\n";
}

struct Grid {
  std::uint32_t n = 1000, m = 50;
  Extents grid{4, 1, 1}, block{256, 1, 1};
};

GridAccesses accesses(const std::string& body, const Grid& of = {}) {
  const auto module = parse(text_of_entry(body), "test");
  std::vector<std::byte> arguments(24);
  std::memcpy(arguments.data(), &kX, 8);
  std::memcpy(arguments.data() + 8, &kY, 8);
  std::memcpy(arguments.data() + 16, &of.n, 4);
  std::memcpy(arguments.data() + 20, &of.m, 4);
  return grid_accesses(module, *module.find_function("f"), arguments, of.grid, of.block);
}

using Reach = std::optional<std::pair<std::int64_t, std::int64_t>>;
// In bytes from x, of the blocks [first, end) along an axis.
Reach reach(const GridAccess& access, const Grid& of, std::size_t axis, std::uint32_t first, std::uint32_t end) {
  BlockRange blocks{{}, of.grid};
  blocks.first[axis] = first;
  blocks.end[axis] = end;
  auto found = reach_of(access, blocks, of.block);
  if (found) found = {found->first - static_cast<std::int64_t>(kX), found->second - static_cast<std::int64_t>(kX)};
  return found;
}

using Known = GridAccess::Known;

TEST(GridAccesses, AnElementOfEachThread) {
  const Grid grid;
  const auto found =
      accesses("mul.wide.s32 %rd5, %r6, 4; add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6+8], %f1;", grid);
  ASSERT_EQ(found.accesses.size(), 1u);
  const auto& store = found.accesses.front();
  EXPECT_EQ(store.known, Known::exactly);
  EXPECT_TRUE(store.writes && !store.reads);
  EXPECT_EQ(store.parameters & 3, 1u);
  EXPECT_EQ(store.at.block[0], 1024);
  EXPECT_EQ(reach(store, grid, 0, 0, 2), Reach({8, 2056}));
  EXPECT_EQ(reach(store, grid, 0, 2, 4), Reach({2056, 4104}));
}

TEST(GridAccesses, AGuardEndsTheLastBlock) {
  const Grid grid;
  const auto store = "mul.wide.s32 %rd5, %r6, 4; add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6], %f1;";
  const auto guarded = accesses(std::string("setp.ge.s32 %p1, %r6, %r1; @%p1 bra Done;\n") + store, grid);
  EXPECT_EQ(reach(guarded.accesses.at(0), grid, 0, 2, 4), Reach({2048, 4000}));
  // A label in between, which is jumped to from elsewhere, says nothing.
  const auto entered = accesses(
      std::string("setp.eq.s32 %p2, %r5, 0; @%p2 bra In;\nsetp.ge.s32 %p1, %r6, %r1; @%p1 bra Done;\nIn:\n") + store,
      grid);
  EXPECT_EQ(reach(entered.accesses.at(0), grid, 0, 2, 4), Reach({2048, 4096}));
  // Nor does one that comes from memory.
  const auto loaded =
      accesses(std::string("ld.global.u32 %r11, [%rd4]; setp.ge.s32 %p1, %r6, %r11; @%p1 bra Done;\n") + store, grid);
  EXPECT_EQ(reach(loaded.accesses.at(1), grid, 0, 2, 4), Reach({2048, 4096}));
}

TEST(GridAccesses, RowsDoNotOverlapWhereColumnsAreGuarded) {
  const Grid grid{10, 50, {1, 10, 1}, {64, 1, 1}};
  const std::string index = "mad.lo.s32 %r11, %r10, %r2, %r6; mul.wide.s32 %rd5, %r11, 4; add.s64 %rd6, %rd3, %rd5;\n";
  const auto open = accesses(index + "st.global.f32 [%rd6], %f1;", grid);
  EXPECT_EQ(reach(open.accesses.at(0), grid, 1, 0, 5), Reach({0, 4 * (4 * 50 + 64)}));
  const auto guarded =
      accesses("setp.ge.s32 %p1, %r10, %r1; setp.ge.s32 %p2, %r6, %r2; or.pred %p3, %p1, %p2; @%p3 bra Done;\n" +
                   index + "ld.global.f32 %f1, [%rd6+-200]; st.global.f32 [%rd6], %f1;",
               grid);
  EXPECT_EQ(reach(guarded.accesses.at(0), grid, 1, 5, 10), Reach({4 * 200, 4 * 450}));
  EXPECT_EQ(reach(guarded.accesses.at(1), grid, 1, 0, 5), Reach({0, 4 * 250}));
  EXPECT_EQ(reach(guarded.accesses.at(1), grid, 1, 5, 10), Reach({4 * 250, 4 * 500}));
}

TEST(GridAccesses, AGuardOfTwoAxesAndBlocksThatDoNotGetThere) {
  const Grid grid{100, 50, {1, 10, 1}, {64, 1, 1}};
  const auto found = accesses(
      "mad.lo.s32 %r11, %r10, %r2, %r6; setp.ge.s32 %p1, %r11, %r1; @%p1 bra Done;\n"
      "mul.wide.s32 %rd5, %r11, 4; add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6], %f1;",
      grid);
  EXPECT_EQ(reach(found.accesses.at(0), grid, 1, 0, 2), Reach({0, 400}));
  EXPECT_EQ(reach(found.accesses.at(0), grid, 1, 2, 10), Reach());
}

TEST(GridAccesses, UnsignedComparisonsThatHoldBothBounds) {
  const Grid grid;
  const auto found = accesses(
      "add.s32 %r11, %r6, -1; setp.lt.u32 %p1, %r11, 100; @!%p1 bra Done;\n"
      "mul.wide.s32 %rd5, %r6, 4; add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6], %f1;",
      grid);
  EXPECT_EQ(reach(found.accesses.at(0), grid, 0, 0, 4), Reach({4, 404}));
}

TEST(GridAccesses, FromTheLastElementToTheFirst) {
  const Grid grid;
  const auto found = accesses(
      "setp.ge.s32 %p1, %r6, %r1; @%p1 bra Done;\n"
      "not.b32 %r11, %r6; add.s32 %r12, %r11, %r1; mul.wide.s32 %rd5, %r12, 4; add.s64 %rd6, %rd3, %rd5;\n"
      "st.global.f32 [%rd6], %f1;",
      grid);
  EXPECT_EQ(found.accesses.at(0).at.block[0], -1024);
  EXPECT_EQ(reach(found.accesses.at(0), grid, 0, 0, 2), Reach({4 * 488, 4000}));
  EXPECT_EQ(reach(found.accesses.at(0), grid, 0, 2, 4), Reach({0, 4 * 488}));
}

TEST(GridAccesses, WhatMayWrapIsNotKnown) {
  const Grid grid;
  const auto found = accesses(
      "add.s32 %r11, %r6, -1; mul.wide.u32 %rd5, %r11, 4; add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6], %f1;", grid);
  EXPECT_EQ(found.accesses.at(0).known, Known::started);
  const Grid large{1, 1, {1u << 24, 1, 1}, {256, 1, 1}};
  const auto wide = accesses("mul.wide.s32 %rd5, %r6, 4; add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6], %f1;", large);
  EXPECT_EQ(wide.accesses.at(0).known, Known::started);
}

// Four elements of each thread; the loop ends as `end` says, and its counter begins at `first`.
GridAccesses loop(const std::string& first, const std::string& end, const std::string& before = "") {
  return accesses(before + "mul.wide.s32 %rd5, %r6, 16; add.s64 %rd6, %rd3, %rd5; mov.u32 %r11, " + first +
                  ";\nLoop: st.global.f32 [%rd6], %f1; add.s64 %rd6, %rd6, 4; st.global.f32 [%rd6+8], %f1;\n" + end +
                  "\nst.global.f32 [%rd6], %f1;");
}

TEST(GridAccesses, LoopsAddWhatTheirIterationsAdd) {
  for (const auto& [first, end] :
       {std::pair("0", "add.s32 %r11, %r11, 1; setp.lt.s32 %p1, %r11, 4; @%p1 bra Loop;"),
        std::pair("4", "add.s32 %r11, %r11, -1; setp.ne.s32 %p1, %r11, 0; @%p1 bra Loop;"),
        std::pair("4", "add.s32 %r11, %r11, -1; setp.eq.s32 %p1, %r11, 0; @!%p1 bra Loop;"),
        std::pair("0", "setp.lt.u32 %p1, %r11, 3; add.s32 %r11, %r11, 1; @%p1 bra Loop;"),
        std::pair("0", "add.s32 %r11, %r11, 2; setp.le.s32 %p1, %r11, 7; @%p1 bra Loop;"),
        std::pair("9", "add.s32 %r11, %r11, -2; setp.gt.s32 %p1, %r11, 2; @%p1 bra Loop;"),
        std::pair("8", "add.s32 %r11, %r11, -2; setp.ge.s32 %p1, %r11, 1; @%p1 bra Loop;")}) {
    const auto found = loop(first, end);
    ASSERT_EQ(found.accesses.size(), 3u);
    for (const auto& access : found.accesses) EXPECT_EQ(access.known, Known::exactly) << end;
    const std::vector<std::pair<int, int>> added = {{0, 12}, {4, 16}, {0, 16}};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found.accesses[i].low, added[i].first) << end;
      EXPECT_EQ(found.accesses[i].high, added[i].second) << end;
    }
    EXPECT_EQ(reach(found.accesses[0], {}, 0, 0, 1), Reach({0, 4096})) << end;
  }
}

// As the compiler writes `for (int j = 0; j < m; ++j) x[i * m + j] = ...`: four at a time, and one at a time for the
// rest, which begins where the first loop ended, and has no iteration where m is a multiple of four.
TEST(GridAccesses, AnUnrolledLoopAndItsRest) {
  for (const std::uint32_t m : {48u, 49u, 50u, 51u, 4u}) {
    const Grid grid{1000, m};
    const auto found = accesses(
        "add.s32 %r11, %r2, -1; and.b32 %r12, %r2, 3; mov.u32 %r13, 0; setp.lt.u32 %p1, %r11, 3; @%p1 bra Rest;\n"
        "sub.s32 %r14, %r2, %r12; mul.lo.s32 %r15, %r2, %r6; mul.wide.s32 %rd5, %r15, 4; mov.u32 %r13, 0; "
        "mov.u64 %rd6, %rd3;\n"
        "Four: add.s64 %rd7, %rd6, %rd5; st.global.f32 [%rd7], %f1; st.global.f32 [%rd7+12], %f1; "
        "add.s32 %r13, %r13, 4; add.s64 %rd6, %rd6, 16; add.s32 %r14, %r14, -4; setp.ne.s32 %p2, %r14, 0; "
        "@%p2 bra Four;\n"
        "Rest: setp.eq.s32 %p3, %r12, 0; @%p3 bra Done;\n"
        "mad.lo.s32 %r16, %r2, %r6, %r13; mul.wide.s32 %rd8, %r16, 4; add.s64 %rd9, %rd3, %rd8;\n"
        "One: st.global.f32 [%rd9], %f1; add.s64 %rd9, %rd9, 4; add.s32 %r12, %r12, -1; setp.ne.s32 %p4, %r12, 0; "
        "@%p4 bra One;",
        grid);
    unsigned runs = 0;
    for (const auto& access : found.accesses) {
      const auto reached = reach(access, grid, 0, 1, 2);  // the rows of block 1
      if (!reached) continue;
      ++runs;
      EXPECT_EQ(access.known, Known::exactly) << m;
      EXPECT_GE(reached->first, 256 * 4 * std::int64_t{m}) << m;
      EXPECT_LE(reached->second, 512 * 4 * std::int64_t{m}) << m;
    }
    EXPECT_EQ(runs, m % 4 == 0 ? 2u : 3u) << m;
  }
}

// for (int i = 0; i < 6; ++i) x[i * n + column] = ..., with a pointer that a row's bytes are added to.
TEST(GridAccesses, WhatMovesByWholeRowsIsNotInTheColumns) {
  const Grid grid{1000, 6};
  const std::int64_t row = 4000;
  const auto found = accesses(
      "setp.ge.s32 %p1, %r6, %r1; @%p1 bra Done;\n"
      "mul.wide.s32 %rd5, %r6, 4; add.s64 %rd6, %rd3, %rd5; mul.wide.s32 %rd7, %r1, 4; mov.u32 %r11, 0;\n"
      "Loop: st.global.f32 [%rd6], %f1; add.s64 %rd6, %rd6, %rd7; add.s32 %r11, %r11, 1; setp.lt.s32 %p2, %r11, %r2; "
      "@%p2 bra Loop;",
      grid);
  const auto& store = found.accesses.at(0);
  ASSERT_EQ(store.known, Known::exactly);
  EXPECT_EQ(store.grain, row);
  EXPECT_EQ(reach(store, grid, 0, 1, 2), Reach({1024, 1024 + 5 * row + 1024}));
  EXPECT_EQ(reach(within_rows(store, row), grid, 0, 1, 2), Reach({1024, 2048}));
  EXPECT_EQ(reach(within_rows(store, row), grid, 0, 3, 4), Reach({3072, 4000}));
  EXPECT_EQ(reach(within_rows(store, row - 4), grid, 0, 1, 2), reach(store, grid, 0, 1, 2));  // not its rows

  const Grid plane{1000, 6, {32, 2, 1}, {32, 3, 1}};
  const auto element = accesses(
      "setp.ge.s32 %p1, %r6, %r1; @%p1 bra Done; mad.lo.s32 %r11, %r10, %r1, %r6; mul.wide.s32 %rd5, %r11, 4; "
      "add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6], %f1;",
      plane);
  EXPECT_EQ(reach(within_rows(element.accesses.at(0), row), plane, 0, 31, 32), Reach({31 * 128, 4000}));
}

// Of random accesses, whatever a thread reaches is in the columns.
TEST(GridAccesses, ColumnsHoldAllThatIsReached) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  const Extents block{3, 2, 1};
  const std::int64_t row = 48, begin = 1000;
  int narrow = 0;
  for (int round = 0; round < 3000; ++round) {
    GridAccess access;
    access.known = Known::exactly;
    access.bytes = 4;
    const auto coefficient = [&] { return below(2) == 0 ? row * (below(3) - 1) : 4 * (below(5) - 2); };
    access.at.constant = begin + 4 * below(40) - 40;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      access.at.block[axis] = coefficient();
      access.at.thread[axis] = coefficient();
    }
    access.grain = std::array<std::int64_t, 3>{0, row, 8}[static_cast<std::size_t>(below(3))];
    access.high = access.grain * below(4);
    if (below(2) == 0) {  // a guard for the column, as an element
      GridBound bound{access.at, 0, 11};
      bound.form.constant = 0;
      for (std::size_t axis = 0; axis < 2; ++axis)
        for (auto* c : {&bound.form.block[axis], &bound.form.thread[axis]}) *c = *c % row == 0 ? 0 : *c / 4;
      access.bounds.push_back(bound);
    }
    const BlockRange blocks{{static_cast<std::uint32_t>(below(2)), 0, 0}, {3, 2, 1}};
    const auto columns = columns_of(access, blocks, block, {begin, row});
    narrow += columns ? 1 : 0;
    for (std::int64_t b = blocks.first[0]; b < 3; ++b)
      for (std::int64_t by = 0; by < 2; ++by)
        for (std::int64_t t = 0; t < 3; ++t)
          for (std::int64_t ty = 0; ty < 2; ++ty) {
            const auto at = [&](const GridForm& form) {
              return form.constant + form.block[0] * b + form.block[1] * by + form.thread[0] * t + form.thread[1] * ty;
            };
            if (!access.bounds.empty() && (at(access.bounds[0].form) < access.bounds[0].least ||
                                           at(access.bounds[0].form) > access.bounds[0].most))
              continue;
            for (std::int64_t added = 0; columns && added <= access.high;
                 added += std::max<std::int64_t>(access.grain, 1)) {
              const auto column = (((at(access.at) + added - begin) % row) + row) % row;
              ASSERT_TRUE(column >= columns->first && column + 4 <= columns->second) << round;
            }
          }
  }
  EXPECT_GT(narrow, 300);
}

// As the compiler writes `for (int i = 0; i < m; ++i) x[i * n + column] = ...`: four at a time, and the rest.
TEST(GridAccesses, AnUnrolledLoopOverRows) {
  for (const std::uint32_t m : {48u, 67u, 4u}) {
    const Grid grid{1000, m};
    const auto found = accesses(
        "setp.ge.s32 %p1, %r6, %r1; setp.lt.s32 %p2, %r2, 1; or.pred %p3, %p1, %p2; @%p3 bra Done;\n"
        "add.s32 %r11, %r2, -1; and.b32 %r12, %r2, 3; setp.lt.u32 %p4, %r11, 3; mov.u32 %r13, 0; @%p4 bra Rest;\n"
        "sub.s32 %r14, %r2, %r12; mul.wide.s32 %rd5, %r6, 4; add.s64 %rd6, %rd3, %rd5; mul.wide.s32 %rd7, %r1, 4; "
        "mov.u32 %r13, 0;\n"
        "Four: st.global.f32 [%rd6], %f1; add.s64 %rd8, %rd6, %rd7; st.global.f32 [%rd8], %f1; "
        "add.s64 %rd9, %rd8, %rd7; st.global.f32 [%rd9], %f1; add.s64 %rd10, %rd9, %rd7; add.s64 %rd6, %rd10, %rd7; "
        "st.global.f32 [%rd10], %f1; add.s32 %r13, %r13, 4; add.s32 %r14, %r14, -4; setp.ne.s32 %p5, %r14, 0; "
        "@%p5 bra Four;\n"
        "Rest: setp.eq.s32 %p6, %r12, 0; @%p6 bra Done;\n"
        "mad.lo.s32 %r16, %r13, %r1, %r6; mul.wide.s32 %rd11, %r16, 4; add.s64 %rd12, %rd3, %rd11; "
        "mul.wide.s32 %rd13, %r1, 4;\n"
        "One: st.global.f32 [%rd12], %f1; add.s32 %r13, %r13, 1; add.s64 %rd12, %rd12, %rd13; add.s32 %r12, %r12, -1; "
        "setp.ne.s32 %p7, %r12, 0; @%p7 bra One;",
        grid);
    ASSERT_EQ(found.accesses.size(), 5u);
    for (std::size_t i = 0; i < (m % 4 == 0 ? 4u : 5u); ++i) {
      EXPECT_EQ(found.accesses[i].known, Known::exactly) << m << " " << i;
      auto column = reach(within_rows(found.accesses[i], 4000), grid, 0, 1, 2);
      ASSERT_TRUE(column) << m << " " << i;
      EXPECT_EQ(std::pair(column->first % 4000, column->second % 4000), std::pair(1024L, 2048L)) << m << " " << i;
    }
  }
}

TEST(GridAccesses, OtherLoopsAreKnownByTheirFirstIteration) {
  for (const auto* end : {"add.s32 %r11, %r11, 1; setp.lt.s32 %p1, %r11, %r12; @%p1 bra Loop;",    // from memory
                          "add.s32 %r11, %r11, 3; setp.ne.s32 %p1, %r11, 4; @%p1 bra Loop;",       // round all numbers
                          "add.s32 %r11, %r11, %r12; setp.lt.s32 %p1, %r11, 4; @%p1 bra Loop;",    // unknown steps
                          "@%p3 add.s32 %r11, %r11, 1; setp.lt.s32 %p1, %r11, 4; @%p1 bra Loop;",  // not always
                          "add.s32 %r11, %r11, 1; setp.lt.s32 %p1, %r11, 4; @%p1 bra Loop; @%p2 bra Loop;"}) {
    const auto found = loop("0", end, "ld.global.u32 %r12, [%rd4];\n");
    EXPECT_EQ(found.accesses.at(1).known, Known::started) << end;
    EXPECT_EQ(found.accesses.at(1).step, 4) << end;
    EXPECT_EQ(found.accesses.at(1).at.block[0], 4096) << end;
  }
  // The pointer is not set back between two runs of the inner loop.
  const auto nested = accesses(
      "mul.wide.s32 %rd5, %r6, 16; add.s64 %rd6, %rd3, %rd5; mov.u32 %r12, 0;\nOuter: mov.u32 %r11, 0;\n"
      "Loop: st.global.f32 [%rd6], %f1; add.s64 %rd6, %rd6, 4; add.s32 %r11, %r11, 1; setp.lt.s32 %p1, %r11, 4; @%p1 "
      "bra "
      "Loop;\nadd.s32 %r12, %r12, 1; setp.lt.s32 %p2, %r12, 4; @%p2 bra Outer;");
  EXPECT_EQ(nested.accesses.at(0).known, Known::started);
}

TEST(GridAccesses, CodeThatNumbersKeepFromRunning) {
  const auto found = accesses(
      "and.b32 %r11, %r1, 3; setp.eq.s32 %p1, %r11, 0; @%p1 bra Done;\nst.global.f32 [%rd3], %f1;");  // 1000 & 3
  EXPECT_EQ(reach(found.accesses.at(0), {}, 0, 0, 4), Reach());
}

TEST(GridAccesses, WhatComesFromMemoryIsNotKnown) {
  const auto found = accesses(
      "ld.global.u32 %r11, [%rd4]; mul.wide.s32 %rd5, %r11, 4; add.s64 %rd6, %rd3, %rd5; st.global.f32 [%rd6], %f1;\n"
      "ld.global.u64 %rd7, [%rd4]; st.global.f32 [%rd7], %f1;");
  ASSERT_EQ(found.accesses.size(), 4u);
  EXPECT_EQ(found.accesses[1].known, Known::nothing);
  EXPECT_EQ(found.accesses[1].parameters & 3, 1u);
  EXPECT_EQ(found.accesses[3].parameters, 0u);
}

TEST(GridAccesses, MemoryOfABlockAndConstants) {
  const auto found = accesses(
      "mov.u64 %rd5, tile; st.shared.f32 [%rd5], %f1; ld.const.f32 %f2, [table]; mov.u64 %rd6, table;\n"
      "cvta.const.u64 %rd7, %rd6; ld.f32 %f3, [%rd7]; cvta.shared.u64 %rd8, %rd5; st.f32 [%rd8], %f2;");
  ASSERT_EQ(found.accesses.size(), 2u);
  EXPECT_TRUE(found.accesses[0].of_variable && found.accesses[1].of_variable);
}

TEST(GridAccesses, WhatForbidsIt) {
  EXPECT_EQ(accesses("red.global.add.f32 [%rd3], %f1;").obstacle, "it uses atomics");
  EXPECT_EQ(accesses("mov.u64 %rd5, tile; red.shared.add.f32 [%rd5], %f1;").obstacle, "");
  EXPECT_EQ(accesses("membar.gl;").obstacle, "it has fences between blocks");
  EXPECT_EQ(accesses("membar.cta; bar.sync 0;").obstacle, "");
  EXPECT_EQ(accesses("ld.volatile.global.f32 %f1, [%rd3];").obstacle, "it has volatile or ordered accesses");
  EXPECT_EQ(accesses("call.uni g, (%rd3);").obstacle, "it calls functions");
  EXPECT_EQ(accesses("mov.u32 %r11, %clusterid.x;").obstacle, "it reads where its grid runs");
  EXPECT_EQ(accesses("st.global.u32 [count], %r1;").obstacle, "it changes a variable of device code");
}

TEST(PartEntry, CountsBlocksFromItsFirst) {
  const auto text = text_of_entry("mov.u32 %r11, %nctaid.x; st.global.u32 [%rd3], %r11;");
  const auto module = parse(text, "test");
  const auto part = part_entry(text, module, *module.find_function("f"));
  const auto changed = parse(part, "test");
  const auto* entry = changed.find_function("f");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(changed.find_function("other"), nullptr);
  ASSERT_EQ(entry->parameters.size(), 5u);
  EXPECT_EQ(entry->parameters.back().size, sizeof(PartOfGrid));
  EXPECT_EQ(part.find("%nctaid"), std::string::npos);
  EXPECT_EQ(part.find("%ctaid.x, "), std::string::npos);
}

TEST(PartEntry, OfAnEntryWithoutParameters) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f()\n{ .reg .b32 %r<2>; mov.u32 %r1, %ctaid.z; "
      "ret; }\n";
  const auto module = parse(text, "test");
  const auto changed = parse(part_entry(text, module, *module.find_function("f")), "test");
  EXPECT_EQ(changed.find_function("f")->parameters.size(), 1u);
}

}  // namespace
}  // namespace xcuda::ptx
