// Cells and their trees: tests/golden/cell/<name>.cell and <name>.tree. XCUDA_APPROVE=1 writes the trees anew; look at
// the difference before committing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cell/dump.hpp"
#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "tests/golden_files.hpp"
#include "tests/unit/cell/sample_grammar.hpp"

namespace xcuda::cell {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cells() { return test::golden_inputs("tests/golden/cell", ".cell"); }

std::string tree_of(const fs::path& path) {
  const auto result = try_parse_cell(test::read_file(path), "In[1]", sample_grammar);
  auto text = dump(result.cell);
  if (result.error)
    text += "error " + std::to_string(result.error->place->line) + ":" + std::to_string(result.error->place->column) +
            " " + result.error->message + "\n";
  return text;
}

class Golden : public testing::TestWithParam<fs::path> {};
TEST_P(Golden, Tree) {
  const auto tree = tree_of(GetParam());
  test::expect_approved(GetParam(), ".tree", tree);
}
INSTANTIATE_TEST_SUITE_P(Cell, Golden, testing::ValuesIn(cells()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(Golden, ThereAreSome) { EXPECT_GE(cells().size(), 8u); }

// A character that C++ does not have, anywhere: the parser ends with an error, also when it met the character while it
// looked ahead.
TEST(Golden, AForeignCharacterAnywhereIsAnError) {
  auto texts = std::vector<std::string>{"extern \"\" {[;}", "namespace n {[x]}", "%%kernel\n[x"};
  for (const auto& path : cells()) texts.push_back(test::read_file(path));
  for (const auto& text : texts)
    for (std::size_t i = 0; i <= text.size(); ++i)
      try_parse_cell(std::string(text).insert(i, "\x11"), "In[1]", sample_grammar);
  EXPECT_TRUE(try_parse_cell("extern \"\" {[\x11", "In[1]", sample_grammar).error);
}

// The files that the devices run: all of it is device code.
TEST(Kernels, ClassifyAsDeviceCode) {
  std::size_t files = 0, kernels = 0;
  for (const auto& entry : fs::directory_iterator(test::source_file("tests/kernels"))) {
    if (entry.path().extension() != ".cu") continue;
    ++files;
    const auto text = test::read_file(entry.path());
    const auto cell = parse_cell(text, entry.path().filename().string(), sample_grammar);
    EXPECT_TRUE(cell.statements.empty()) << entry.path();
    // Every __global__ of the text that is no explicit instantiation is a kernel with named parameters.
    std::size_t wanted = 0, found = 0;
    Token before;
    for (const auto& token : tokens_of(text)) {
      if (token.is("__global__") && !before.is("template")) ++wanted;
      before = token;
    }
    for (const auto& piece : cell.device) {
      if (!piece.kernel) continue;
      ++found;
      EXPECT_EQ(piece.kind, DeviceKind::function);
      for (const auto& name : piece.parameter_names) EXPECT_FALSE(name.empty()) << piece.name;
      EXPECT_EQ(text.substr(piece.name_span.begin, piece.name_span.end - piece.name_span.begin), piece.name);
    }
    EXPECT_EQ(found, wanted) << entry.path();
    kernels += found;
    // Pieces of nesting 0 hold all that is not blank or a comment.
    std::string rest = text;
    for (const auto& piece : cell.device)
      if (piece.nesting == 0) std::fill(rest.begin() + piece.span.begin, rest.begin() + piece.span.end, ' ');
    EXPECT_TRUE(tokens_of(rest).empty()) << entry.path();
  }
  EXPECT_GE(files, 40u);
  EXPECT_GE(kernels, 104u);
}

}  // namespace
}  // namespace xcuda::cell
