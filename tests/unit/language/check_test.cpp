// What is known of statements before they run, and which errors are found in them.
#include "language/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "cell/parse.hpp"

namespace xcuda::language {
namespace {

class Names final : public Environment {
 public:
  std::optional<Form> find(const std::string& name) override {
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  TypeAnswer find_type(const std::string& spelling, cell::Span) override {
    if (const auto type = xcuda::find_type(spelling)) return {*type, {}};
    return {{}, Error(ErrorKind::name, "unknown type " + spelling).at({"In[1]", 1, 1, 0, ""})};
  }
  std::optional<std::vector<Member>> members_of(const Type&) override { return std::nullopt; }
  bool is_function(std::string_view name) override { return name == "poly"; }
  bool is_macro(std::string_view) override { return false; }
  Type result_type(std::string_view) override { return type_of(Kind::float32); }
  bool is_device_code(const std::string&) override { return false; }
  std::vector<std::string> kernels() override { return {"saxpy"}; }
  std::vector<std::string> names() override { return {"image"}; }
  std::optional<Error> refuse(const cell::Launch& launch, cell::Span, std::span<const Form> arguments) override {
    launched.push_back(fmt::format("{}/{}", launch.kernel.text, arguments.size()));
    return std::nullopt;
  }
  std::map<std::string, Form> known;
  std::vector<std::string> launched;
};

class Check : public testing::Test {
 protected:
  Check() {
    names_.known["n"] = Form::number(ScalarValue::of(4));
    names_.known["x"] = array("float", {6});
    names_.known["m"] = array("int", {2, 3});
  }
  static Form array(std::string_view type, std::initializer_list<std::uint64_t> shape) {
    auto form = Form::array(*xcuda::find_type(type), Extents(shape.begin(), shape.end()));
    form.memory = Form::Memory::whole;
    return form;
  }
  // "float[6]", "double", "nothing".
  std::string form(const std::string& expression) {
    const auto tree = cell::parse_expression(expression, "In[1]");
    const auto found = form_of(*tree, {"In[1]", expression}, names_);
    if (found.is_array())
      return (found.has_type() ? found.type.name : "?") + (found.extents ? shape_text(*found.extents) : "[...]");
    return found.kind == Form::Kind::number ? found.type.name : found.is_known() ? describe(found) : "unknown";
  }
  std::vector<std::string> errors(const std::string& code) {
    const auto cell = cell::parse_cell(code, "In[1]");
    std::vector<std::string> messages;
    for (const auto& error : check(cell.statements, {"In[1]", cell.text}, names_).errors)
      messages.push_back(fmt::format("{}:{} {}", error.place->line, error.place->column, error.message));
    return messages;
  }
  using Messages = std::vector<std::string>;
  Names names_;
};

TEST_F(Check, NumbersHaveTheTypesOfCpp) {
  EXPECT_EQ(form("1 + 2u"), "unsigned int");
  EXPECT_EQ(form("n / 2.0f"), "float");
  EXPECT_EQ(form("n < 3"), "bool");
  EXPECT_EQ(form("'a' + 'b'"), "int");
  EXPECT_EQ(form("sqrt(n)"), "double");
  EXPECT_EQ(form("max(n, 2ul)"), "unsigned long");
  EXPECT_EQ(form("true ? 1 : 2.0"), "double");
  EXPECT_EQ(form("sizeof(x)"), "unsigned long");
  EXPECT_EQ(form("poly(2)"), "float");
}

TEST_F(Check, ArraysHaveATypeAndExtents) {
  EXPECT_EQ(form("x + 1"), "float[6]");
  EXPECT_EQ(form("x * 2.0"), "double[6]");
  EXPECT_EQ(form("x > 0"), "bool[6]");
  EXPECT_EQ(form("m[0]"), "int[3]");
  EXPECT_EQ(form("m[:, 1:3]"), "int[2][2]");
  EXPECT_EQ(form("m[1, 2]"), "int");
  EXPECT_EQ(form("sum(m)"), "long");
  EXPECT_EQ(form("sum(m, axis = 0)"), "long[3]");
  EXPECT_EQ(form("mean(m, axis = 1, keep = true)"), "double[2][1]");
  EXPECT_EQ(form("median(x)"), "float");
  EXPECT_EQ(form("median(m, 0)"), "double[3]");
  EXPECT_EQ(form("cumprod(m)"), "long[?]");
  EXPECT_EQ(form("roll(x, 2)"), "float[6]");
  EXPECT_EQ(form("argsort(x)"), "unsigned long[6]");
  EXPECT_EQ(form("reshape(x, n - 1, 2)"), "float[3][2]");
  EXPECT_EQ(form("transpose(m)"), "int[3][2]");
  EXPECT_EQ(form("unique(x)"), "float[?]");
  EXPECT_EQ(form("where(x > 0, x, 0)"), "float[6]");
  EXPECT_EQ(form("poly(m)"), "float[2][3]");
  EXPECT_EQ(form("max(x, axis = 0)"), "float");
  EXPECT_EQ(form("sin(x)"), "float[6]");
  EXPECT_EQ(form("abs(m)"), "int[2][3]");
}

TEST_F(Check, FindsEveryErrorOfACell) {
  EXPECT_EQ(errors("float a = y;\nauto b = x + m;\nint c = sum(x, axs = 1);"),
            (Messages{"1:11 y is not defined", "2:10 the shapes do not match: x is [6], m is [2][3]",
                      "3:16 sum has no parameter axs"}));
  EXPECT_EQ(errors("x[1, 2] = 3;"), Messages{"1:6 x has no more dimensions to subscript"});
  EXPECT_EQ(errors("x[6];"), Messages{"1:3 index 6 is out of bounds: x has 6 elements there"});
  EXPECT_EQ(errors("x[1.5f];"), Messages{"1:3 a subscript is float, not an integer"});
  EXPECT_EQ(errors("const int k = 3; k = 4;"), Messages{"1:18 k is const"});
  EXPECT_EQ(errors("sort();"), Messages{"1:1 sort() takes an array: its argument x is missing"});
  EXPECT_EQ(errors("argmn(x);"), Messages{"1:1 the function argmn is not defined"});
  EXPECT_EQ(errors("q.sum() + q[0].f(1);"), Messages{"1:1 q is not defined"});
  EXPECT_EQ(errors("5 % 2.0;"), Messages{"1:1 '%' is not defined for int and double"});
  names_.known["z"] = Form::number(Kind::complex64);
  const auto complex = type_of(Kind::complex64).name;
  EXPECT_EQ(errors("z * z == z; z < 1;"), Messages{fmt::format("1:13 '<' is not defined for {} and int", complex)});
  EXPECT_EQ(errors("~2.5; ~z;"),
            (Messages{"1:1 '~' is not defined for double", fmt::format("1:7 '~' is not defined for {}", complex)}));
  EXPECT_EQ(errors("saxpy<<<1>>>(x);"), Messages{"1:6 the launch of saxpy has no block"});
  EXPECT_EQ(errors("if (x) n = 1;"), Messages{"1:5 expected a number for a condition, got an array of float"});
  EXPECT_EQ(errors("float a[2] = {1, q}, b[r];").size(), 2u);
  EXPECT_EQ(errors("float a[2] = {1, q}, b[q];").size(), 1u);  // a name is said once
  std::string many;
  for (int i = 0; i < 30; ++i) many += fmt::format("q{};\n", i);
  EXPECT_EQ(errors(many).size(), kMostErrors);
}

TEST_F(Check, NamesAreThoseOfTheirBlocks) {
  EXPECT_EQ(errors("{ int k = 1; k; } k;"), Messages{"1:19 k is not defined"});
  EXPECT_EQ(errors("for (int i = 0; i < 3; ++i) { float y[4]; y[i] = i; }"), Messages{});
  EXPECT_EQ(errors("int k = 2; float y[k]; k = 9; y[1]; y[2];"),
            Messages{"1:39 index 2 is out of bounds: y has 2 elements there"});
}

TEST_F(Check, WhatMayNotRunHasTypesAndNoValues) {
  EXPECT_EQ(errors("if (n > 10) x[n + 20] = 1;"), Messages{});
  EXPECT_EQ(errors("int k = 1; while (k < 6) { x[k]; ++k; } float y[k]; y[5];"), Messages{});
  EXPECT_EQ(errors("if (n > 10) q = 1;"), Messages{"1:13 q is not defined"});
  EXPECT_EQ(errors("int k = 9; if (n) k = 1; x[k];"), Messages{});
}

TEST_F(Check, AFileAndACommandMakeThingsUnknown) {
  EXPECT_EQ(errors("auto z = load(\"z.npy\");\nz[3, 4, 5];\nz + x;\nq;"), Messages{"4:1 q is not defined"});
  EXPECT_EQ(errors("%free x\nx[7];\ny[7];\nfloat w[2];\nw[3];"),
            Messages{"5:3 index 3 is out of bounds: w has 2 elements there"});
}

TEST_F(Check, LaunchesAreHandedOnWithWhatTheirArgumentsAre) {
  EXPECT_EQ(errors("saxpy<<<1, 256>>>(x, n);"), Messages{});
  EXPECT_EQ(names_.launched, Messages{"saxpy/2"});
}

}  // namespace
}  // namespace xcuda::language
