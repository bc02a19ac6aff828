// docs/commands.md is what the table says; XCUDA_APPROVE=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "command/builtins.hpp"
#include "command/help.hpp"
#include "tests/places.hpp"

namespace xcuda::command {
namespace {

TEST(Document, IsWhatTheTableSays) {
  const auto path = test::source_file("docs/commands.md");
  if (std::getenv("XCUDA_APPROVE") != nullptr) std::ofstream(path) << commands_document();
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), commands_document()) << path << " is stale: XCUDA_APPROVE=1 writes it anew";
}

TEST(Builtins, AreReadWhole) {
  for (const auto& builtin : builtins()) {
    EXPECT_FALSE(builtin.name.empty());
    EXPECT_EQ(builtin.name.find_first_of(" ()|"), std::string::npos) << builtin.name;
    EXPECT_EQ(builtin.help.empty(), builtin.kind == Builtin::Kind::keyword) << builtin.name;
    EXPECT_TRUE(builtin.kind != Builtin::Kind::function || !builtin.signatures.empty()) << builtin.name;
    EXPECT_EQ(find_builtin(builtin.name), &builtin) << builtin.name << " stands twice";
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

}  // namespace
}  // namespace xcuda::command
