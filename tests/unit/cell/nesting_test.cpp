// Everything that nests in the text of a cell is bounded: an error names the limit, whatever the form. The forms are
// generated, far deeper than any stack would hold.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cell/is_complete.hpp"
#include "cell/macro.hpp"
#include "cell/parse.hpp"
#include "tests/unit/cell/sample_grammar.hpp"

namespace xcuda::cell {
namespace {

constexpr std::size_t kDeep = 100'000;

std::string times(std::size_t count, std::string_view part) {
  std::string text;
  text.reserve(count * part.size());
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

// begin before ... middle ... after end, so often.
struct Form {
  std::string name, begin, before, middle, after, end;
  std::string of(std::size_t depth) const { return begin + times(depth, before) + middle + times(depth, after) + end; }
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

const Form kForms[] = {
    {"parentheses", "x = ", "(", "1", ")", ";"},
    {"unclosed_parentheses", "x = ", "(", "1", "", ";"},
    {"minus", "x = ", "- ", "1", "", ";"},
    {"not", "x = ", "!", "1", "", ";"},
    {"dereferences", "x = ", "*", "p", "", ";"},
    {"increments", "x = ", "++ ", "y", "", ";"},
    {"post_increments", "", "", "y", "++", ";"},
    {"sum", "x = 1", "", "", " + 1", ";"},
    {"powers_of_precedence", "x = ", "1 || 1 && 1 | 1 ^ 1 & 1 == 1 < 1 << 1 + 1 * (", "1", ")", ";"},
    {"commas", "x = 1", "", "", ", x = 1", ";"},
    {"assignments", "", "x = ", "1", "", ";"},
    {"ternaries_right", "x = ", "a ? b : ", "c", "", ";"},
    {"ternaries_middle", "x = ", "a ? ", "b", " : c", ";"},
    {"ternaries_left", "x = ", "(", "a", " ? b : c)", ";"},
    {"calls", "x = ", "f(", "1", ")", ";"},
    {"calls_of_calls", "x = f", "", "", "(1)", ";"},
    {"named_arguments", "x = ", "f(a = ", "1", ")", ";"},
    {"subscripts", "x = ", "a[", "1", "]", ";"},
    {"subscripts_of_subscripts", "x = a", "", "", "[1]", ";"},
    {"slices", "x = ", "a[", "1", ":2]", ";"},
    {"members", "x = a", "", "", ".b", ";"},
    {"arrows", "x = a", "", "", "->b", ";"},
    {"braces", "int x[1] = ", "{", "1", "}", ";"},
    {"typed_braces", "x = ", "P{", "1", "}", ";"},
    {"c_casts", "x = ", "(int)", "1", "", ";"},
    {"functional_casts", "x = ", "int(", "1", ")", ";"},
    {"static_casts", "x = ", "static_cast<int>(", "1", ")", ";"},
    {"sizeof", "x = ", "sizeof ", "y", "", ";"},
    {"lambdas", "x = ", "[](int i) { return ", "1", "; }", ";"},
    {"blocks", "", "{", "", "}", ""},
    {"ifs", "", "if (a) ", "x = 1;", "", ""},
    {"else_ifs", "if (a) x = 1;", " else if (a) x = 1;", "", "", ""},
    {"fors", "", "for (;;) ", "x = 1;", "", ""},
    {"whiles", "", "while (a) ", "x = 1;", "", ""},
    {"dos", "", "do ", "x = 1;", " while (a);", ""},
    {"magics_in_blocks", "", "{\n", "%arrays", "\n}", ""},
    {"launch_lines_in_blocks", "", "{\n", "%launch k<<<1, 1>>>();", "\n}", ""},
    {"launch_lines", "%launch ", "{", "k<<<1, 1>>>();", "}", ""},
    {"launch_configurations", "k<<<", "(", "1", ")", ", 1>>>();"},
    {"launch_arguments", "k<<<1, 1>>>(", "f(", "1", ")", ");"},
    {"extents", "float x[", "(", "1", ")", "];"},
    {"namespaces", "", "namespace a { ", "int x;", " }", ""},
    {"extern_c", "", "extern \"C\" { ", "__device__ int x;", " }", ""},
    {"structs", "", "struct A { ", "int x;", " };", ""},
    {"bodies", "__device__ void f() ", "{ ", "", " }", ""},
    {"device_expressions", "__device__ int f() { return ", "(", "1", ")", "; }"},
    {"device_initialisers", "__device__ int x = ", "{", "1", "}", ";"},
    {"parameters", "__device__ void f", "(", "int x", ")", " {}"},
    {"attributes", "", "[[", "a", "]]", " __device__ int x;"},
    {"pointers_in_parameters", "__global__ void f(float", "*", "", "", " x) {}"},
    {"pointers_to_constants", "__device__ float const", "* const", "", "", " x;"},
    {"pointers_in_casts", "x = (float", "*", "", "", ")y;"},
    {"templates", "", "template <", "class T", "> ", " struct A {};"},
    {"conditions", "", "#if 1\n", "", "#endif\n", ""},
};

class Nesting : public testing::TestWithParam<Form> {};

TEST_P(Nesting, TooDeepIsAnErrorThatNamesTheLimit) {
  const auto text = GetParam().of(kDeep);
  const auto result = try_parse_cell(text, "In[1]", sample_grammar);
  ASSERT_TRUE(result.error);
  EXPECT_TRUE(result.error->message.find("256 levels") != std::string::npos ||
              result.error->message.find("1000 levels") != std::string::npos)
      << result.error->message;
  EXPECT_FALSE(result.error->advice.empty());
  ASSERT_TRUE(result.error->place);
  EXPECT_EQ(is_complete(text, sample_grammar).status, Completeness::Status::invalid);
}

TEST_P(Nesting, AFewLevelsAreNot) {
  const auto result = try_parse_cell(GetParam().of(3), "In[1]", sample_grammar);
  if (result.error) {
    EXPECT_EQ(result.error->message.find("levels"), std::string::npos) << result.error->message;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Nesting, testing::ValuesIn(kForms), [](const auto& test) { return test.param.name; });

// What is long and does not nest is no deeper for it.
TEST(Nesting, LongIsNotDeep) {
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{
           {"statements", times(kDeep, "x = 1;\n")},
           {"list", "int x[] = {1" + times(kDeep, ", 1") + "};"},
           {"arguments", "f(1" + times(kDeep, ", 1") + ");"},
           {"pieces", times(10'000, "#define A 1\n")},
           {"conditions one after the other", times(10'000, "#if 1\n#endif\n")},
           {"namespaces one after the other", times(10'000, "namespace a { }\n")}}) {
    const auto result = try_parse_cell(text, "In[1]", sample_grammar);
    EXPECT_FALSE(result.error) << name << ": " << result.error->message;
  }
}

TEST(Nesting, ThreeLevelsOfPointersAreRefusedAsManyAre) {
  for (const std::size_t depth : {std::size_t{3}, kDeep}) {
    const auto result = try_parse_cell("float" + times(depth, "*") + " x;", "In[1]", sample_grammar);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->message, "statements cannot declare a pointer to pointers to pointers");
  }
}

// Template arguments are a flat text.
TEST(Nesting, TypesOfManyPartsDoNotRecurse) {
  try_parse_cell(times(kDeep, "a<") + "int" + times(kDeep, " >") + " x;", "In[1]", sample_grammar);
  try_parse_cell(times(kDeep, "a<") + "int" + times(kDeep, ">") + " x;", "In[1]", sample_grammar);
  try_parse_cell(times(kDeep, "a::") + "b x;", "In[1]", sample_grammar);
  try_parse_cell("template <" + times(kDeep, "template <") + "class T" + times(kDeep, ">") + "> struct A;", "In[1]",
                 sample_grammar);
}

// --- macros --------------------------------------------------------------------------------------------------------

std::string problem_of(std::string_view text, const FindMacro& find) {
  try {
    expand_macros(text, find);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_FALSE(error.advice.empty());
    return error.message;
  }
  return "";
}

TEST(NestedMacros, AChainIsBounded) {
  const FindMacro chain = [](std::string_view name) -> std::optional<Macro> {
    return Macro{{"x"}, fmt::format("M{}(x)", std::stoul(std::string(name.substr(1))) + 1)};
  };
  EXPECT_EQ(problem_of("M0(1)", chain), "cannot expand the macro M0: it calls macros nested deeper than 256 levels");
}

TEST(NestedMacros, ArgumentsInEachOtherAreBounded) {
  const FindMacro same = [](std::string_view name) -> std::optional<Macro> {
    return name == "F" ? std::optional(Macro{{"x"}, "x"}) : std::nullopt;
  };
  EXPECT_NE(problem_of(times(1000, "F(") + "1" + times(1000, ")"), same).find("256 levels"), std::string::npos);
  EXPECT_EQ(problem_of(times(100, "F(") + "1" + times(100, ")"), same), "");
}

TEST(NestedMacros, WhatDoublesAtEachLevelIsBounded) {
  const FindMacro doubling = [](std::string_view name) -> std::optional<Macro> {
    const auto level = std::stoul(std::string(name.substr(1)));
    if (level == 60) return Macro{{"x"}, ""};  // even where nothing is left of it
    return Macro{{"x"}, fmt::format("D{0}(x) D{0}(x)", level + 1)};
  };
  EXPECT_EQ(problem_of("D0(1)", doubling),
            "cannot expand the macro D0: its expansion takes more than 1048576 characters");
}

}  // namespace
}  // namespace xcuda::cell
