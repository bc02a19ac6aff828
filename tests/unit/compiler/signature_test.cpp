#include "compiler/signature.hpp"
#include "base/demangle.hpp"

#include <gtest/gtest.h>

#include "ptx/ptx_parser.hpp"

namespace xcuda::compiler {
namespace {

TEST(ParseFunction, TemplatesCarryTheirReturnType) {
  const auto function = parse_function("void demo::scale<double, (int)3>(double*, demo::Pair<int, float> const&)");
  ASSERT_TRUE(function);
  EXPECT_EQ(function->name, "demo::scale<double, (int)3>");
  EXPECT_EQ(function->parameters, (std::vector<std::string>{"double*", "demo::Pair<int, float> const&"}));
}

TEST(ParseFunction, NoParametersAndAnonymousNamespaces) {
  EXPECT_TRUE(parse_function("k()")->parameters.empty());
  EXPECT_EQ(parse_function("(anonymous namespace)::k(int)")->name, "k");
  EXPECT_EQ(parse_function("demo::(anonymous namespace)::k(demo::(anonymous namespace)::P)")->name, "demo::k");
  EXPECT_FALSE(parse_function("nothing"));
}

TEST(ParseFunction, FunctionPointersAreOneParameter) {
  EXPECT_EQ(parse_function("k(void (*)(int, float), int)")->parameters,
            (std::vector<std::string>{"void (*)(int, float)", "int"}));
}

TEST(ParameterOf, StripsExactlyOneLevel) {
  const auto check = [](const char* type, bool pointer, bool is_const, const char* pointee) {
    const auto parameter = parameter_of(type);
    EXPECT_EQ(parameter.pointer, pointer) << type;
    EXPECT_EQ(parameter.const_pointee, is_const) << type;
    EXPECT_EQ(parameter.pointee, pointee) << type;
  };
  check("float*", true, false, "float");
  check("float const*", true, true, "float");
  check("float const* const*", true, true, "float const*");
  check("float**", true, false, "float*");
  check("float volatile*", true, false, "float");
  check("demo::P const* __restrict", true, true, "demo::P");
  check("float (*) [4]", true, false, "float [4]");
  check("float const (*) [4]", true, true, "float [4]");
  check("void (*)(int)", false, false, "");
  check("unsigned long", false, false, "");
  check("P", false, false, "");
  check("void*", true, false, "void");
}

TEST(Demangle, IsTheItaniumAbis) {
  EXPECT_EQ(demangle("_Z5saxpyfPKfPfm"), "saxpy(float, float const*, float*, unsigned long)");
  EXPECT_FALSE(demangle("saxpy"));
  EXPECT_FALSE(demangle("_Znonsense"));
}

TEST(HelperType, IsTheArgumentOfTheHelper) {
  EXPECT_EQ(helper_type("_Z15xcuda_signatureIPFvfPKfPfm1PEEvv"),
            "void (*)(float, float const*, float*, unsigned long, P)");
  EXPECT_EQ(helper_type("_Z15xcuda_signatureIA3_iEvv"), "int [3]");
  EXPECT_FALSE(helper_type("_Z1kv"));
}

constexpr const char* kPtx = R"(
.version 9.0
.target sm_80
	// .globl	_Z1kfPK1PS_
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0
)
;
.global .align 8 .b8 table[24] = {1, 2, 0xFF};
.visible .const .align 4 .b8 coef[16];
.global .align 4 .u32 counter = 5;
.global .align 1 .b8 $str[3] = {123, 125};
.shared .align 4 .b8 buffer[64];

.visible .entry _Z1kfPK1PS_(
	.param .f32 _Z1kfPK1PS__param_0,
	.param .u64 .ptr .align 1 _Z1kfPK1PS__param_1,
	.param .align 8 .b8 _Z1kfPK1PS__param_2[24],
	.param .u8 _Z1kfPK1PS__param_3
)
.maxntid 16, 8, 1
.minnctapersm 2
{
	.reg .b32 %r<3>;
	{ // callseq 0, 0 }
	ret;
	}
}
	// .weak	_Z15xcuda_signatureIiEvv
.weak .entry _Z15xcuda_signatureIiEvv()
{
	ret;

}
	// .globl	last
.visible .entry last()
{
	ret;
}
	.file	1 "/In[7]"
)";

const ptx::Module& declarations() {
  static const auto module = ptx::parse_declarations(kPtx, "In[1]");
  return module;
}

TEST(KernelSignatures, ThreadsAndParameters) {
  const auto kernels = kernel_signatures({declarations(), {}, {}, {}});
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].entry, "_Z1kfPK1PS_");
  EXPECT_EQ(kernels[0].max_threads, 128);
  ASSERT_EQ(kernels[0].parameters.size(), 4U);
  EXPECT_EQ(kernels[0].parameters[1].offset, 8U);
  EXPECT_EQ(kernels[0].parameters[1].alignment, 8U);
  EXPECT_EQ(kernels[0].parameters[2].size, 24U);
  EXPECT_EQ(kernels[1].entry, "last");
  EXPECT_FALSE(kernels[1].max_threads);
}

TEST(KernelSignatures, IntegersHaveTheNamesOfTheSource) {
  const auto written = [](const std::string& entry, const char* key) {
    const auto parameter = [&](int i) { return ".param .u64 " + entry + "_param_" + std::to_string(i); };
    const auto module = ptx::parse_declarations(".version 9.0\n.target sm_80\n.visible .entry " + entry + "(" +
                                                    parameter(0) + "," + parameter(1) + ")\n{\n\tret;\n}\n",
                                                "In[1]");
    const KernelSource source{"size", {"a", "b"}, "In[1]", 1, false, key};
    const auto kernels = kernel_signatures({module, {source}, {}, {}});
    std::vector<std::string> names;
    for (const auto& parameter_of_kernel : kernels[0].parameters) names.push_back(parameter_of_kernel.written);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(written("_Z4sizePKmm", "size(const size_t*,const size_t)"), (Names{"size_t const*", "size_t"}));
  EXPECT_EQ(written("_Z4sizePKmm", "size(const unsigned long*,std::size_t)"), (Names{"", "size_t"}));
  EXPECT_EQ(written("_Z4sizePKmm", "size(size_t const*,unsigned long)"), (Names{"size_t const*", ""}));
  EXPECT_EQ(written("_Z4sizeyPx", "size(uint64_t,int64_t*)"), (Names{"uint64_t", "int64_t*"}));
  EXPECT_EQ(written("_Z4size1PImmEl", "size(P<unsigned long,size_t>,long)"), (Names{"", ""}));  // which of the two?
  EXPECT_EQ(written("_Z4sizemm", "size(my_size_t,size_type)"), (Names{"", ""}));
  EXPECT_EQ(written("_Z4sizemm", "size(int32_t,float)"), (Names{"", ""}));  // another overload
}

TEST(WithoutHelpers, TakesThemOutWhole) {
  const auto text = without_helpers(kPtx, declarations());
  EXPECT_EQ(text.find("xcuda_signature"), std::string::npos);
  EXPECT_EQ(ptx::parse_declarations(text, "In[1]").functions.size(), 3U);  // vprintf, too
  EXPECT_NE(text.find("ret;\n\t}\n}\n\t// .globl\tlast"), std::string::npos);
  EXPECT_NE(text.find(".file\t1"), std::string::npos);
}

TEST(KernelSignatures, UnknownTypesLeaveTheSizes) {
  const std::vector<KernelSource> sources{{.name = "demo::last", .parameter_names = {}, .line = 3}};
  const auto kernels = kernel_signatures({declarations(), sources, {}, {}});
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[1].name, "demo::last");
  EXPECT_EQ(kernels[1].line, 3);
  EXPECT_FALSE(kernels[1].types_known);
  EXPECT_EQ(kernels[0].parameters[0].name, "#1");
}

TEST(VariableSignatures, FindsQualifiedNames) {
  ptx::Module module;
  module.variables.resize(3);
  module.variables[0] = {.name = "gone", .space = ptx::Space::shared};
  module.variables[1] = {.name = "_ZN4demo4coefE", .space = ptx::Space::constant, .size = 16};
  module.variables[2] = {.name = "plain", .size = 4};
  const auto found = variable_signatures(
      module,
      {{"demo::coef", "float", "In[1]", true}, {"plain", "int", "In[2]", false}, {"gone", "int", "In[2]", false}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].symbol, "_ZN4demo4coefE");
  EXPECT_EQ(found[1].size, 4U);
}

TEST(VariableSignatures, FindsStaticVariablesOfFunctionsAndClasses) {
  ptx::Module module;
  module.variables.resize(7);
  module.variables[0] = {.name = "_ZZ4nextvE1n", .size = 4, .initial = {std::byte{10}}};
  module.variables[1] = {.name = "_ZZ4nextvE1t", .space = ptx::Space::shared, .size = 4};
  module.variables[2] = {.name = "_ZZ10xcuda_bodyvE1n", .size = 4};
  module.variables[3] = {.name = "_ZZ4nextvE1n", .size = 4, .initial = {std::byte{11}}};
  module.variables[4] = {.name = "_ZN7Counter5totalE", .size = 4};
  module.variables[5] = {.name = "_ZN3cub5tableE", .size = 4};
  module.variables[6] = {.name = "_ZN15__cccl_internal5valueE", .size = 1};
  const auto found = variable_signatures(module, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].name, "Counter::total");
  EXPECT_EQ(found[0].name, "next()::n");
  EXPECT_FALSE(found[0].constant);
  EXPECT_NE(found[0].source, found[1].source);
}

}  // namespace
}  // namespace xcuda::compiler
