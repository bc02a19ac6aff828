// Small modules and what the pass `refuse` says of their kernel: tests/golden/lower/refuse_*.ptx and .txt. The first
// line of a module says what the case is about. XCUDA_APPROVE=1 writes the texts anew; look at the difference.
#include "device/cpu/lower/refuse.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "ptx/ptx_parser.hpp"
#include "tests/golden_files.hpp"

namespace xcuda::device::cpu {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cases() { return test::golden_inputs("tests/golden/lower", ".ptx", "refuse_"); }

ptx::Module parsed(const fs::path& path) {
  return ptx::parse(".version 9.0 .target sm_80 .address_size 64 " + test::read_file(path), "the case");
}

class GoldenRefuse : public testing::TestWithParam<fs::path> {};

TEST_P(GoldenRefuse, IsAsApproved) {
  const ptx::Module module = parsed(GetParam());
  const std::string text = refused_text(module, *module.find_function("kernel"));
  test::expect_approved(GetParam(), ".txt", text);
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
