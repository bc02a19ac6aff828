#include "reference/builtins.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace xcuda::reference {
namespace {

TEST(Reference, OfTheTreeIsReadWithoutAWord) {
  EXPECT_EQ(Reference::installed().problems(), std::vector<std::string>());
}

TEST(Reference, AreReadWhole) {
  for (const auto& builtin : builtins()) {
    EXPECT_FALSE(builtin.name.empty());
    EXPECT_EQ(builtin.name.find_first_of(" ()|"), std::string::npos) << builtin.name;
    EXPECT_EQ(builtin.help.empty(), builtin.kind == Builtin::Kind::keyword) << builtin.name;
    EXPECT_TRUE(builtin.kind != Builtin::Kind::function || !builtin.signatures.empty()) << builtin.name;
    EXPECT_EQ(find_builtin(builtin.name), &builtin) << builtin.name << " is there twice";
  }
  EXPECT_EQ(find_builtin("this_grid"), nullptr);
  ASSERT_NE(find_in_namespaces("this_grid"), nullptr);
  EXPECT_EQ(find_in_namespaces("this_grid")->header, "<cooperative_groups.h>");
  for (const auto* name : {"__fadd_ru", "__ull2double_rz", "__vmaxu2", "__vcmpltu4", "h2sqrt", "atomicCAS_block",
                           "normf", "scalblnf", "__fns", "curand_uniform4"})
    EXPECT_NE(find_builtin(name), nullptr) << name;
  ASSERT_NE(find_builtin("__dmul_rd"), nullptr);
  EXPECT_EQ(find_builtin("__dmul_rd")->signatures.front(), "double __dmul_rd(double x, double y)");
  EXPECT_EQ(find_builtin("__dmul_rd")->help, "Product rounded down, never contracted to an FMA");
  EXPECT_EQ(find_builtin("__vabsdiffu2")->help, "|x - y| of two unsigned 16-bit numbers each");
  ASSERT_NE(find_builtin("hypotf"), nullptr);
  EXPECT_EQ(find_builtin("hypotf")->signatures.front(), "float hypotf(float x, float y)");
  EXPECT_EQ(find_builtin("make_ulonglong2")->signatures.front(),
            "ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y)");
  EXPECT_EQ(find_builtin("cg::this_grid")->header, "<cooperative_groups.h>");
  EXPECT_EQ(find_builtin("tex2D")->signatures.front(), "T tex2D<T>(cudaTextureObject_t texture, float x, float y)");
}

const Builtin* named(const Reference& reference, std::string_view name) {
  const auto& all = reference.all();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Builtin& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

TEST(Reference, AFileThatIsMissingCostsItsEntries) {
  const Reference nothing({});
  EXPECT_EQ(named(nothing, "__syncthreads"), nullptr);
  EXPECT_NE(named(nothing, "float4"), nullptr);  // made, not read
  EXPECT_TRUE(nothing.headers().empty() && nothing.problems().empty());
}

TEST(Reference, WhatIsBrokenIsLeftOutAndTold) {
  const Reference reference(
      {{"a.txt",
        "# Source: here.\n[function device <a.h>]\nint one(int x) | The first\nint two(int x)\n"
        "[finction device]\nint three(int x) | Not seen\n[function nowhere]\nint four() | Not seen\n"
        "[keyword everywhere]\nwhile\n[members a::B]\nint get() | The member\n[headers]\na.h\n"},
       {"b.txt",
        "\x7f"
        "ELF\x02\x01\n[function device]\nint five() | Not seen\n"},
       {"c.txt", "[function device]\r\nint six() | The last\r\n[broken\n"}});
  EXPECT_EQ(reference.problems(),
            (std::vector<std::string>{"a.txt:4: an entry without a sentence, left out",
                                      "a.txt:5: a section of an unknown kind, left out",
                                      "a.txt:7: a section of an unknown kind, left out",
                                      "b.txt:1: a line outside every section: the file is left out",
                                      "c.txt:3: a section of an unknown kind, left out"}));
  for (const auto* name : {"one", "six", "while"}) EXPECT_NE(named(reference, name), nullptr) << name;
  for (const auto* name : {"two", "three", "four", "five"}) EXPECT_EQ(named(reference, name), nullptr) << name;
  EXPECT_EQ(named(reference, "one")->header, "<a.h>");
  EXPECT_EQ(named(reference, "six")->help, "The last");
  EXPECT_EQ(reference.members().at("a::B").front().help, "The member");
  EXPECT_EQ(reference.headers(), std::vector<std::string>{"a.h"});
}

}  // namespace
}  // namespace xcuda::reference
