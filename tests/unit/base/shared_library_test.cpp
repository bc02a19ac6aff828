#include "base/shared_library.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
double floor(double) noexcept;
void test_no_such_function();
}

namespace xcuda {
namespace {

using Lifetime = SharedLibrary::Lifetime;

struct Maths {
#define XCUDA_MATHS(F) F(floor) F(test_no_such_function)
  XCUDA_FUNCTION_TABLE(XCUDA_MATHS)
};

TEST(SharedLibrary, FillsATableAndNamesWhatIsMissing) {
  const SharedLibrary library("libm.so.6", Lifetime::object);
  ASSERT_TRUE(library) << library.why_not();
  Maths maths;
  maths.test_no_such_function = [] {};
  EXPECT_EQ(library.load(maths), std::vector<std::string>{"test_no_such_function"});
  EXPECT_EQ(maths.floor(1.5), 1.0);
  EXPECT_EQ(maths.test_no_such_function, nullptr);
}

TEST(SharedLibrary, SaysWhyItIsNotOpen) {
  const SharedLibrary library("libnone-1.so", Lifetime::object);
  EXPECT_FALSE(library);
  EXPECT_NE(library.why_not().find("libnone-1.so"), std::string::npos);
  Maths maths;
  EXPECT_EQ(library.load(maths).size(), 2u);
}

TEST(SharedLibrary, StaysForTheProcessWhereThatIsAsked) {
  const auto loaded = [] {
    std::ifstream maps("/proc/self/maps");
    return std::string(std::istreambuf_iterator<char>(maps), {}).find("libutil.so.1") != std::string::npos;
  };
  if (loaded()) GTEST_SKIP() << "the test itself needs libutil";
  {
    const SharedLibrary library("libutil.so.1", Lifetime::object);
    ASSERT_TRUE(library) << library.why_not();
  }
  EXPECT_FALSE(loaded());
  { const SharedLibrary library("libutil.so.1", Lifetime::process); }
  EXPECT_TRUE(loaded());
}

}  // namespace
}  // namespace xcuda
