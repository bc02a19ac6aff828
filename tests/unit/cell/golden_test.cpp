// Cells and their trees: tests/golden/cell/<name>.cell and <name>.tree. XCUDA_APPROVE=1 writes the trees anew; look at
// the difference before committing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cell/dump.hpp"
#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "tests/places.hpp"
#include "tests/unit/cell/sample_grammar.hpp"

namespace xcuda::cell {
namespace {

namespace fs = std::filesystem;
const fs::path kFolder = test::source_file("tests/golden/cell");

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<fs::path> cells() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".cell") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string tree_of(const fs::path& path) {
  const auto result = try_parse_cell(read(path), "In[1]", sample_grammar);
  auto text = dump(result.cell);
  if (result.error)
    text += "error " + std::to_string(result.error->place->line) + ":" + std::to_string(result.error->place->column) +
            " " + result.error->message + "\n";
  return text;
}

class Golden : public testing::TestWithParam<fs::path> {};
TEST_P(Golden, Tree) {
  auto approved = GetParam();
  approved.replace_extension(".tree");
  const auto tree = tree_of(GetParam());
  if (std::getenv("XCUDA_APPROVE")) std::ofstream(approved, std::ios::binary) << tree;
  ASSERT_TRUE(fs::exists(approved)) << "approve it: XCUDA_APPROVE=1";
  EXPECT_EQ(tree, read(approved));
}
INSTANTIATE_TEST_SUITE_P(Cell, Golden, testing::ValuesIn(cells()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(Golden, ThereAreSome) { EXPECT_GE(cells().size(), 8u); }

// A character that C++ does not have, anywhere: the parser ends with an error, also when it met the character while it
// looked ahead.
TEST(Golden, AForeignCharacterAnywhereIsAnError) {
  auto texts = std::vector<std::string>{"extern \"\" {[;}", "namespace n {[x]}", "%%kernel\n[x"};
  for (const auto& path : cells()) texts.push_back(read(path));
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
    const auto text = read(entry.path());
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
