#include "command/scope.hpp"

#include <gtest/gtest.h>

namespace xcuda::command {
namespace {

TEST(Declaration, IsTheSourcesWithoutASignature) {
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::function, "f", "",
                            "// twice\n__device__  float\n  f(float x) { return 2 * x; }", "", 0}),
            "__device__ float f(float x)");
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::macro, "N", "", "#define N {1, \\\n 2}", "", 0}),
            "#define N {1, \\");
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::variable, "c", "", "__constant__ float c[4];", "", 0}),
            "__constant__ float c[4]");
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::type, "P", "", "", "", 0}), "P");
}

}  // namespace
}  // namespace xcuda::command
