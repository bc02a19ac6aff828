#include "editor/cursor_context.hpp"

#include <gtest/gtest.h>

namespace xcuda::editor {
namespace {

TEST(Cursor, TheCallAroundIt) {
  const auto call = [](const std::string& marked) {
    const auto cursor = marked.find('^');
    const auto found = enclosing_call(std::string(marked).erase(cursor, 1), cursor);
    return found ? found->name + " " + std::to_string(found->argument) : "none";
  };
  EXPECT_EQ(call("saxpy<<<32, 64>>>(2.0f, x, ^"), "saxpy 2");
  EXPECT_EQ(call("demo::scale<double><<<1, 32>>>(^)"), "demo::scale 0");
  EXPECT_EQ(call("f(g(1, 2), (3 + ^"), "f 1");
  EXPECT_EQ(call("f(1); ^"), "none");
  EXPECT_EQ(call("f(\"(\", ^"), "f 1");
}

}  // namespace
}  // namespace xcuda::editor
