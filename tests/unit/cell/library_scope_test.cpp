#include "cell/library_scope.hpp"

#include <gtest/gtest.h>

#include "cell/lexer.hpp"

namespace xcuda::cell {
namespace {

std::string full(const LibraryScope& scope, std::string_view text, const LibraryScope::Types& types = {}) {
  return scope.join(tokens_of(text), types);
}

TEST(LibraryScope, NamesAreWrittenInFull) {
  LibraryScope scope;
  EXPECT_EQ(full(scope, "seconds"), "seconds");
  EXPECT_TRUE(scope.add("using namespace std::chrono;"));
  EXPECT_EQ(full(scope, "duration_cast<milliseconds>"), "std::chrono::duration_cast<std::chrono::milliseconds>");
  EXPECT_EQ(full(scope, "std::chrono::seconds"), "std::chrono::seconds");
  EXPECT_EQ(full(scope, "pair<int, int>"), "pair<int, int>");
  EXPECT_TRUE(scope.add("using namespace std;"));
  EXPECT_EQ(full(scope, "pair<int, int>"), "std::pair<int, int>");
  EXPECT_EQ(full(scope, "duration<double, milli>"), "std::chrono::duration<double, std::milli>");
  EXPECT_EQ(full(scope, "chrono::seconds"), "std::chrono::seconds");
}

TEST(LibraryScope, AliasesAndDeclarations) {
  LibraryScope scope;
  EXPECT_TRUE(scope.add("using Clock = std::chrono::steady_clock;"));
  EXPECT_TRUE(scope.add("typedef std::chrono::duration<double> Seconds;"));
  EXPECT_TRUE(scope.add("namespace sc = std::chrono"));
  EXPECT_TRUE(scope.add("using std::chrono::hours;"));
  EXPECT_EQ(full(scope, "Clock::now"), "std::chrono::steady_clock::now");
  EXPECT_EQ(full(scope, "Seconds"), "std::chrono::duration<double>");
  EXPECT_EQ(full(scope, "sc::minutes"), "std::chrono::minutes");
  EXPECT_EQ(full(scope, "hours"), "std::chrono::hours");
  EXPECT_FALSE(scope.add("using Real = float;"));
  EXPECT_FALSE(scope.add("using namespace demo;"));
  EXPECT_EQ(full(scope, "Real"), "Real");
}

TEST(LibraryScope, ASingleWordMayBeAVariable) {
  LibraryScope scope;
  scope.add("using namespace std::chrono;");
  scope.add("using namespace std;");
  EXPECT_TRUE(scope.is_callable("seconds", {}));
  EXPECT_TRUE(scope.is_callable("make_pair", {}));
  EXPECT_FALSE(scope.is_callable("get", {}));
  EXPECT_FALSE(scope.is_callable("seconds", {"seconds"}));
}

}  // namespace
}  // namespace xcuda::cell
