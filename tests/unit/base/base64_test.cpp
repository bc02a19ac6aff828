#include "base/base64.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string_view>

namespace xcuda {
namespace {

TEST(Base64, HasItsThreeEndings) {
  const auto of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace xcuda
