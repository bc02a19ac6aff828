// What another process says is checked when it is decoded.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/compiler_codec.hpp"

namespace xcuda::compiler {
namespace {

nlohmann::json an_error() { return to_json(Error(ErrorKind::value, "message").at({"In[1]", 2, 3, 4, "float x;"})); }

TEST(CompilerCodec, AnErrorComesBack) {
  const auto error = error_from(an_error());
  EXPECT_EQ(error.kind, ErrorKind::value);
  ASSERT_TRUE(error.place.has_value());
  EXPECT_EQ(error.place->line, 2);
}

TEST(CompilerCodec, ANumberThatIsNotAnIntegerIsRefused) {
  for (const nlohmann::json& number :
       {nlohmann::json(1e99), nlohmann::json(2.5), nlohmann::json(true), nlohmann::json("2")}) {
    auto json = an_error();
    json["kind"] = number;
    EXPECT_THROW(error_from(json), Error) << number;
    json = an_error();
    json["place"]["line"] = number;
    EXPECT_THROW(error_from(json), Error) << number;
  }
}

}  // namespace
}  // namespace xcuda::compiler
