#include "cell/whole_program.hpp"

#include <gtest/gtest.h>

#include "cell/is_complete.hpp"
#include "cell/parse.hpp"
#include "tests/unit/cell/sample_grammar.hpp"

namespace xcuda::cell {
namespace {

TEST(WholeProgram, ADefinitionOfMainMakesOne) {
  for (const auto* text :
       {"int main() { }", "int main(int argc, char** argv) {\n  return 0;\n}", "#include <vector>\nint\nmain(void)\n{}",
        "auto main() -> int {}", "int main() noexcept {}", "int main() try {} catch (...) {}",
        "class A { public: ~A() = default; };\nint main() { A a; }",
        "#ifdef A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\nint main() {}", "int main() {"})
    EXPECT_TRUE(main_of(text)) << text;
}

TEST(WholeProgram, OtherUsesOfTheNameDoNot) {
  for (const auto* text :
       {"int main();", "main();", "int x = main(1);", "namespace a { int main() { return 1; } }", "// int main() {}",
        "const char* s = \"int main() {}\";", "int domain(int x) { return x; }",
        "struct A { int main() { return 1; } };", "return main(3) + f({1});", "#if 0\nint main() {}\n#endif"})
    EXPECT_FALSE(main_of(text)) << text;
}

TEST(WholeProgram, ItsMagicIsImplied) {
  const auto cell = parse_cell("class A {};\nint main() {}", "In[1]", sample_grammar);
  ASSERT_TRUE(cell.magic);
  EXPECT_TRUE(is_implied(*cell.magic));
  EXPECT_EQ(cell.magic->name, kProgramMagic);
  EXPECT_EQ(cell.magic->body, cell.text);
  EXPECT_TRUE(cell.device.empty());
  EXPECT_TRUE(cell.statements.empty());
}

TEST(WholeProgram, AMagicThatIsWrittenIsNotImplied) {
  const auto cell = parse_cell("%%cuda -O3\nint main() {}", "In[1]", sample_grammar);
  ASSERT_TRUE(cell.magic);
  EXPECT_FALSE(is_implied(*cell.magic));
  EXPECT_EQ(cell.magic->body, "int main() {}");
}

TEST(WholeProgram, MagicsOfOtherKindsRefuseIt) {
  for (const auto* text : {"%%kernel\nint main() {}", "!ls\nint main() {}", "%lsmagic\nint main() {}"}) {
    const auto result = try_parse_cell(text, "In[1]", sample_grammar);
    ASSERT_TRUE(result.error) << text;
    EXPECT_FALSE(result.error->advice.empty());
  }
}

TEST(WholeProgram, AConsoleWaitsForItsLastBrace) {
  using Status = Completeness::Status;
  EXPECT_EQ(is_complete("int main() {\n  if (a) {", sample_grammar).status, Status::incomplete);
  EXPECT_EQ(is_complete("int main() {\n  f(1);\n}", sample_grammar).status, Status::complete);
}

}  // namespace
}  // namespace xcuda::cell
