#include "files/facts_message.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace xcuda::files {
namespace {

TEST(FactsMessage, ComesBack) {
  const ArrayFacts facts{type_of(Scalar::int16), {3, 0, 5}};
  const auto again = facts_from(to_json(facts));
  EXPECT_EQ(again.type.name, "short");
  EXPECT_EQ(again.shape, facts.shape);
  EXPECT_TRUE(facts_from(to_json({type_of(Scalar::float64), {}})).shape.empty());
}

TEST(FactsMessage, WhatNoFileHasIsAnError) {
  const auto good = to_json({type_of(Scalar::float32), {2, 3}});
  const auto big = std::uint64_t{1} << 33;
  const std::pair<const char*, nlohmann::json> changes[] = {
      {"type", 255},      {"type", 256 + 1}, {"type", -1},        {"type", 0},          {"type", "float"},
      {"type", nullptr},  {"type", 1.5},     {"shape", 3},        {"shape", {-1}},      {"shape", {1.5}},
      {"shape", nullptr}, {"shape", {"x"}},  {"shape", {{1, 2}}}, {"shape", {big, big}}};
  for (const auto& [name, value] : changes) {
    auto json = good;
    json[name] = value;
    EXPECT_THROW(facts_from(json), Error) << json;
  }
  EXPECT_THROW(facts_from(nlohmann::json::object()), Error);
  EXPECT_THROW(facts_from(nlohmann::json()), Error);
}

}  // namespace
}  // namespace xcuda::files
