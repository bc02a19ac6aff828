// Small modules and what the pass `refuse` says of their kernel: tests/golden/lower/refuse_*.ptx and .txt. The first
// line of a module says what the case is about. XCUDA_APPROVE=1 writes the texts anew; look at the difference.
#include "device/cpu/lower/refuse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "ptx/parser.hpp"
#include "tests/places.hpp"

namespace xcuda::device::cpu {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(test::source_file("tests/golden/lower")))
    if (entry.path().extension() == ".ptx" && entry.path().stem().string().starts_with("refuse_"))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

ptx::Module parsed(const fs::path& path) {
  return ptx::parse(".version 9.0 .target sm_80 .address_size 64 " + read(path), "the case");
}

class GoldenRefuse : public testing::TestWithParam<fs::path> {};

TEST_P(GoldenRefuse, IsAsApproved) {
  auto approved = GetParam();
  approved.replace_extension(".txt");
  const ptx::Module module = parsed(GetParam());
  const std::string text = refused_text(module, *module.find_function("kernel"));
  if (std::getenv("XCUDA_APPROVE")) std::ofstream(approved, std::ios::binary) << text;
  ASSERT_TRUE(fs::exists(approved)) << "approve it: XCUDA_APPROVE=1";
  EXPECT_EQ(text, read(approved));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenRefuse, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.stem().string(); });

// The error is about the first one, at its line.
TEST(Refuse, ThrowsWhatTheTextSays) {
  for (const fs::path& path : cases()) {
    const ptx::Module module = parsed(path);
    const ptx::Function& kernel = *module.find_function("kernel");
    std::istringstream text(refused_text(module, kernel));
    std::string what, why;
    std::getline(text, what);
    std::getline(text, why);
    try {
      refuse(module, kernel);
      EXPECT_EQ(what, "") << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::unsupported);
      EXPECT_NE(what, "") << path;
      if (why != "  no reason") {
        EXPECT_NE(error.message.find("(" + why.substr(2) + ")"), error.message.npos) << error.message;
      }
      EXPECT_NE(error.advice, "");
    }
  }
}

}  // namespace
}  // namespace xcuda::device::cpu
