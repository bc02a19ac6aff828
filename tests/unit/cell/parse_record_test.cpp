#include <gtest/gtest.h>

#include <algorithm>

#include "cell/parse.hpp"

namespace xcuda::cell {
namespace {

const DevicePiece& type_of(const Cell& cell, std::string_view name) {
  return *std::find_if(cell.device.begin(), cell.device.end(),
                       [&](const DevicePiece& piece) { return piece.kind == DeviceKind::type && piece.name == name; });
}

RecordPtr record_of(const Cell& cell, std::string_view name) {
  return parse_record({cell.text, "In[1]", &type_of(cell, name), nullptr, {std::string(name)}, {}, {}, cell.library});
}

TEST(Records, AreTheStructsWithMembersThatOnlyTheHostHas) {
  const auto cell = parse_cell(
      "struct Plain { float x; float* p; void f() { std::string s; } };\n"
      "struct Text { std::string s; };\n"
      "struct Inner { Text t; };\n"
      "struct Nested { std::map<std::string, int> counts; std::vector<Nested> children; };\n"
      "struct Points { std::vector<float>* p; };\n",
      "In[1]");
  EXPECT_FALSE(type_of(cell, "Plain").of_host);
  EXPECT_TRUE(type_of(cell, "Text").of_host);
  EXPECT_TRUE(type_of(cell, "Inner").of_host);
  EXPECT_TRUE(type_of(cell, "Nested").of_host);
  EXPECT_FALSE(type_of(cell, "Points").of_host);
  EXPECT_EQ(record_of(cell, "Nested")->layout,
            "std::map<std::string, int> counts; std::vector<struct Nested> children");
}

TEST(Records, StopBeingSoWhenTheyAreDefinedAgain) {
  const auto cell = parse_cell("struct P { std::string s; };\nstruct P { float x; };\nstruct Q { P p; };\n", "In[1]");
  EXPECT_FALSE(type_of(cell, "Q").of_host);
}

TEST(Records, HaveMembersWithTheirAccess) {
  const auto cell = parse_cell(
      "class M {\n"
      "  std::vector<double> data; size_t rows = 1, columns{2};\n"
      " public:\n"
      "  M() = default;\n"
      "  bool operator==(const M&) const = default;\n"
      "  const int id = 3; float v[4];\n"
      "  void f() {}\n"
      " private:\n"
      "  void g() {}\n"
      "};\n",
      "In[1]");
  const auto record = record_of(cell, "M");
  ASSERT_FALSE(record->refused);
  ASSERT_EQ(record->parts.size(), 5u);
  EXPECT_TRUE(record->find("columns")->hidden);
  EXPECT_FALSE(record->find("id")->hidden);
  EXPECT_TRUE(record->find("id")->is_const);
  EXPECT_EQ(record->find("v")->extents.size(), 1u);
  EXPECT_EQ(record->find("f"), nullptr);
  EXPECT_EQ(record->hidden, std::vector<std::string>{"g"});
  EXPECT_EQ(record->defaulted, (std::vector<std::string>{"M()", "operator==(constM&)"}));
}

TEST(Records, RefuseWhatStatementsCannotHold) {
  for (const std::string_view text :
       {"struct R : B { std::string s; };", "struct R { std::string s; R& operator=(const R& r) { return *this; } };",
        "struct R { std::string s; R(const R& r) {} };", "struct R { std::string s; static int n; };",
        "struct R { std::string s; R* next; };", "struct R { std::string s; float& x; };",
        "struct R { std::string s; int bits : 3; };"}) {
    const auto cell = parse_cell(text, "In[1]");
    const auto record = record_of(cell, "R");
    ASSERT_TRUE(record->refused) << text;
    EXPECT_EQ(record->refused->kind, ErrorKind::unsupported) << text;
    EXPECT_FALSE(record->refused->advice.empty()) << text;
  }
}

}  // namespace
}  // namespace xcuda::cell
