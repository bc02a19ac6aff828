#include "display/readable_name.hpp"

#include <gtest/gtest.h>

namespace xcuda::display {
namespace {

std::string long_scope() { return std::string(kLongName, 'x') + "::"; }

TEST(ReadableName, WhatIsShortStaysAsItIs) {
  for (const char* name : {"scale", "demo::scale<float>", "std::pair<int, std::pair<int, float>>", ""})
    EXPECT_EQ(readable_name(name), name);
}

TEST(ReadableName, ScopesGo) {
  EXPECT_EQ(readable_name(long_scope() + "detail::scan"), "scan");
  EXPECT_EQ(readable_name("scan<" + long_scope() + "Policy<int, 4>::Tuning, unsigned int, (ns::Order)0, const ns::T*>"),
            "scan<Tuning, unsigned int, (Order)0, const T*>");
  EXPECT_EQ(readable_name(long_scope() + "(anonymous namespace)::scan<(anonymous namespace)::T>"), "scan<T>");
}

TEST(ReadableName, ThenArgumentsFromTheInnermostOn) {
  const std::string one(60, 'a'), two(60, 'b');
  EXPECT_EQ(readable_name("scan<pair<" + one + ", " + two + ">, int>"), "scan<pair<...>, int>");
  EXPECT_EQ(readable_name("scan<" + one + ", " + two + ">"), "scan<...>");
  EXPECT_EQ(readable_name("scan<pair<vector<" + one + ">>, list<" + two + ">>"),
            "scan<pair<vector<...>>, list<" + two + ">>");
}

TEST(ReadableName, ParametersGoBeforeTheArgumentsOfTemplates) {
  const std::string one(60, 'a'), two(60, 'b');
  EXPECT_EQ(readable_name("void " + long_scope() + "scan<int>(const T*, unsigned int)"),
            "void scan<int>(const T*, unsigned int)");
  EXPECT_EQ(readable_name("void scan<int>(" + one + ", void (*)(" + two + "))"), "void scan<int>(...)");
}

TEST(ReadableName, OperatorsAreNoBrackets) {
  EXPECT_EQ(readable_name(long_scope() + "operator<"), "operator<");
  EXPECT_EQ(readable_name(long_scope() + "T::operator->"), "operator->");
  EXPECT_EQ(readable_name(long_scope() + "operator<< <int>"), "operator<< <int>");
}

TEST(ReadableName, WhatIsNotANameDoesNoHarm) {
  for (const char letter : {'<', '>', ':', '('}) EXPECT_LE(readable_name(std::string(200, letter)).size(), 400u);
}

}  // namespace
}  // namespace xcuda::display
