#include "compiler/texture_uses.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/places.hpp"

namespace xcuda::compiler {
namespace {

std::string file_28() {
  std::ifstream file(test::source_file("tests/kernels/ptx/28_texture.ptx"));
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TextureUses, AreFoundByParameter) {
  const auto uses = texture_uses(file_28(), "_Z3texyyyPfii");
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const auto& use : uses) found.emplace_back(use.parameter, use.opcode);
  const std::vector<std::pair<std::size_t, std::string>> expected = {{0, "tex.2d.v4.f32.f32"},
                                                                     {1, "tex.3d.v4.f32.f32"},
                                                                     {2, "tex.1d.v4.f32.s32"},
                                                                     {0, "tex.level.2d.v4.f32.f32"},
                                                                     {2, "tex.1d.v4.f32.f32"}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(uses[0].dimensions, 2);
  EXPECT_EQ(uses[1].dimensions, 3);
  EXPECT_EQ(uses[2].dimensions, 1);
  for (const auto& use : uses)
    EXPECT_TRUE(use.floats && !use.surface && !use.layered && !use.gathers && !use.other) << use.opcode;
}

TEST(TextureUses, OfSurfaces) {
  const auto uses = texture_uses(file_28(), "_Z4surfyii");
  ASSERT_EQ(uses.size(), 4u);
  for (const auto& use : uses) {
    EXPECT_TRUE(use.surface);
    EXPECT_EQ(use.dimensions, 2);
    EXPECT_EQ(use.parameter, 0u);
  }
  EXPECT_TRUE(texture_uses(file_28(), "nobody").empty());
}

TEST(TextureUses, OfEveryForm) {
  const std::string ptx =
      ".version 9.0 .target sm_100 .address_size 64\n.visible .entry k(.param .u64 first, .param .u64 second)\n{\n"
      ".reg .pred %p<2>; .reg .b32 %r<10>; .reg .b64 %rd<8>; .reg .f32 %f<5>;\n"
      "ld.param.u64 %rd1, [first];\nld.param.b64 %rd2, [second];\n"
      "unheard.of.b32 %r1, {[%rd1]};\ntex.new2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}];\nmov.u32 %r1, %new;\n"
      "@%p1 tld4.g.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2}];\n"
      "tex.a2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd2, {%r9, %f1, %f2, %f2}];\n"
      "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f1, %f2, %f2, %f2}];\n"
      "txq.width.b32 %r1, [%rd1];\n"
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd7, {%f1, %f2}];\n}\n";
  const auto uses = texture_uses(ptx, "k");
  ASSERT_EQ(uses.size(), 4u);  // the last handle comes from elsewhere
  EXPECT_TRUE(uses[0].gathers && !uses[0].floats);
  EXPECT_TRUE(uses[1].layered && uses[1].dimensions == 2 && uses[1].parameter == 1);
  EXPECT_TRUE(uses[2].cube && uses[2].dimensions == 2 && !uses[2].layered && !uses[2].other);
  EXPECT_EQ(uses[3].dimensions, 0);
}

}  // namespace
}  // namespace xcuda::compiler
