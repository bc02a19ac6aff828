// The session's device code: cells run one after the other, as a session runs them, with the real compiler.
#include "compiler/program.hpp"

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "cell/parse.hpp"
#include "compiler/diagnostics.hpp"
#include "tests/unit/cell/sample_grammar.hpp"
#include "tests/unit/compiler/machine_toolkit.hpp"

namespace xcuda::compiler {
namespace {

class ProgramTest : public WithToolkit {
 protected:
  // Runs a cell: assembled, compiled, and committed when that worked.
  CompileOutput run(const std::string& text, const std::string& cell_id = "", std::vector<std::string> options = {}) {
    const auto name = "In[" + std::to_string(++count_) + "]";
    const auto cell = cell::parse_cell(text, name, cell::sample_grammar);
    const CellCode code{&cell, name, cell_id,
                        parse_options({.words = std::move(options), .architecture = "compute_80"}), overloads_};
    request_ = program_.assemble(code);
    auto output = machine_compiler().compile(request_);
    if (output.ok) replaced_ = program_.commit(code);
    return output;
  }
  void good(const std::string& text, const std::string& cell_id = "", std::vector<std::string> options = {}) {
    const auto output = run(text, cell_id, std::move(options));
    EXPECT_TRUE(output.ok) << text << "\n" << output.log << "\n" << request_.source;
  }
  std::string first_error(const std::string& text, const std::string& cell_id = "") {
    const auto output = run(text, cell_id);
    EXPECT_FALSE(output.ok) << text;
    for (const auto& diagnostic : output.diagnostics)
      if (diagnostic.severity == Severity::error) return to_text(diagnostic);
    return {};
  }
  bool holds(const std::string& part) const { return request_.source.find(part) != std::string::npos; }

  Program program_;
  CompileRequest request_;
  Replaced replaced_;
  Overloads overloads_ = Overloads::replace;
  int count_ = 0;
};

TEST_F(ProgramTest, EarlierFunctionsTypesAndIncludesAreVisible) {
  good("#include <cuda_fp16.h>\nstruct P { int a; };\n__device__ int twice(P p) { return 2 * p.a; }\n");
  good("__global__ void k(P* p, __half* h) { p->a = twice(*p); h[0] = __half(1.0f); }\n");
  EXPECT_TRUE(holds("#include <cuda_fp16.h>"));
}

TEST_F(ProgramTest, LongHeadersOfEarlierCellsAreIncludedWhereTheirNamesAre) {
  const std::string plain = "__global__ void plain(int* x) { *x = 1; }\n";
  const std::vector<std::pair<std::string, std::string>> headers{
      {"cub/block/block_reduce.cuh", "__global__ void k(int* x) { *x = sizeof(cub::BlockReduce<int, 32>); }\n"},
      {"cuda/std/array", "__global__ void k(int* x) { *x = cuda::std::array<int, 2>{1, 2}[1]; }\n"},
      {"cooperative_groups.h",
       "namespace cg = cooperative_groups;\n__global__ void k(int* x) { *x = cg::this_thread_block().size(); }\n"},
      {"curand_kernel.h", "__global__ void k(curandState* s) { curand_init(1, 0, 0, s); }\n"},
      {"mma.h",
       "__global__ void k(int* x) { *x = sizeof(nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>); "
       "}\n"},
      {"tuple", "__global__ void k(int* x) { *x = std::tuple_size<std::tuple<int, int>>::value; }\n"}};
  for (const auto& [header, use] : headers) {
    program_.clear();
    good("#include <" + header + ">\n#include <cuda_fp16.h>\n");
    good(use);
    EXPECT_TRUE(holds("<" + header + ">")) << header;
    EXPECT_TRUE(request_.whole_source.empty()) << header;
    good(plain);
    EXPECT_FALSE(holds("<" + header + ">")) << header;
    EXPECT_TRUE(holds("<cuda_fp16.h>"));  // its names have no mark
    EXPECT_NE(request_.whole_source.find("<" + header + ">"), std::string::npos) << header;
  }
  // Through another cell's name; and `using namespace` names it for all.
  program_.clear();
  good("#include <cub/block/block_reduce.cuh>\nusing Sum = cub::BlockReduce<int, 32>;\n");
  good("__global__ void k(int* x) { *x = sizeof(Sum); }\n");
  EXPECT_TRUE(holds("block_reduce"));
  good("#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n");
  good("__global__ void k(int* x) { *x = this_thread_block().size(); }\n");
  good(plain);
  EXPECT_TRUE(holds("<cooperative_groups.h>"));
  EXPECT_FALSE(holds("block_reduce"));
}

TEST_F(ProgramTest, WhatTheCellDoesNotUseIsLeftOut) {
  good(
      "__device__ int used(int a) { return a; }\n__device__ int unused(int a) { return a; }\n__global__ void old(int* "
      "x) { *x = 1; }\n");
  const auto output = run("__global__ void k(int* x) { *x = used(1); }\n");
  EXPECT_TRUE(output.ok) << output.log;
  EXPECT_TRUE(holds("used(int"));
  EXPECT_FALSE(holds("unused"));
  EXPECT_FALSE(holds("old"));
  ASSERT_EQ(output.kernels.size(), 1U);
}

TEST_F(ProgramTest, KernelsOfEarlierCellsAreNotCompiledAgain) {
  good("__device__ float f(float x) { return x; }\n__global__ void k(float* x) { *x = f(*x); }\n");
  const auto output = run("__global__ void k2(float* k) { *k = f(*k); }\n");  // k is a parameter here
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  EXPECT_EQ(output.kernels[0].name, "k2");
}

TEST_F(ProgramTest, RunningAgainReplaces) {
  good("__device__ int f() { return 1; }\nstruct P { int a; };\n");
  good("__device__ int f() { return 2; }\n");
  good("__global__ void k(int* x) { *x = f(); }\n");
  EXPECT_TRUE(holds("return 2"));
  EXPECT_FALSE(holds("return 1"));
}

TEST_F(ProgramTest, AFunctionReplacesThoseOfItsNameInOtherCells) {
  good("__device__ int f(int) { return 1; }\n__device__ int f(char) { return 1; }\n");
  good("__device__ int f(float) { return 2; }\n");
  ASSERT_EQ(replaced_.elsewhere.size(), 2U);
  EXPECT_EQ(replaced_.elsewhere[0].signature, "f(int)");
  EXPECT_EQ(replaced_.elsewhere[0].source, "In[1]");
  EXPECT_EQ(replaced_.elsewhere[0].parameters, ReplacedFunction::Parameters::other);
  good("__device__ int f(float) { return 3; }\n");
  ASSERT_EQ(replaced_.elsewhere.size(), 1U);
  EXPECT_EQ(replaced_.elsewhere[0].parameters, ReplacedFunction::Parameters::same);
  good("__global__ void k(int* x) { *x = f(1.0f); }\n");
  EXPECT_FALSE(holds("f(int)"));
  EXPECT_TRUE(holds("return 3"));
}

TEST_F(ProgramTest, OverloadsStayWhereTheCellSaysSo) {
  good("__device__ int f(int) { return 1; }\n");
  overloads_ = Overloads::keep;
  good("__device__ int f(float) { return 2; }\n");
  EXPECT_TRUE(replaced_.elsewhere.empty());
  good("__global__ void k(int* x) { *x = f(1) + f(1.0f); }\n");
  EXPECT_TRUE(holds("f(int)"));
  EXPECT_TRUE(holds("f(float)"));
}

TEST_F(ProgramTest, WhatACellUsedAndHasChangedSince) {
  good("#define N 1\n__device__ int h() { return N; }\n__device__ int f() { return h(); }\nstruct P { int a; };\n");
  good("__device__ int own() { return 1; }\n__global__ void k(int* n) { *n = f() + own(); }\n");
  auto origin = replaced_.origin;
  const auto changed = [&] {
    std::string text;
    for (const auto& one : program_.changes(origin)) text += one.name + " " + one.source + ";";
    return text;
  };
  EXPECT_EQ(changed(), "");
  good("struct P { float b; };\n__device__ int own() { return 2; }\n#define n 5\n");  // not used, its own, a parameter
  EXPECT_EQ(changed(), "");
  good("#define N 2\n");
  EXPECT_EQ(changed(), "N In[4];");
  const auto request = program_.again(origin);
  EXPECT_EQ(request.name, "/In[2]");
  EXPECT_NE(request.source.find("#define N 2"), std::string::npos);
  EXPECT_EQ(request.source.find("#define n 5"), std::string::npos);
  EXPECT_TRUE(machine_compiler().compile(request).ok);
  origin = program_.compiled_now(origin);
  EXPECT_EQ(changed(), "");
}

TEST_F(ProgramTest, TheSameCellRemovesWhatItNoLongerDefines) {
  good("__device__ int f() { return 1; }\n__global__ void k(int* x) { *x = 1; }\n", "a");
  good("__device__ int g() { return 2; }\n", "a");
  EXPECT_EQ(replaced_.kernels, (std::vector<std::string>{"k"}));
  EXPECT_NE(first_error("__global__ void m(int* x) { *x = f(); }\n").find("\"f\" is undefined"), std::string::npos);
  good("__global__ void m(int* x) { *x = g(); }\n");
}

TEST_F(ProgramTest, WhatACommitReplacedIsTold) {
  good(
      "struct P { int a; };\n__global__ void k(int* x) { *x = 1; }\ntemplate <class T> __global__ void t(T* x) { *x = "
      "1; }\n__device__ int f() { return 1; }\n",
      "a");
  good("__global__ void k(int* x) { *x = 2; }\n");  // the same parameters
  EXPECT_TRUE(replaced_.kernels.empty());
  good(
      "struct P { float a; };\n__global__ void k(int* x, int n) { *x = n; }\ntemplate <class T> __global__ void t(T* "
      "x) { *x = 2; }\n",
      "a");
  EXPECT_EQ(replaced_.kernels, (std::vector<std::string>{"t", "k"}));
  EXPECT_EQ(replaced_.types, (std::vector<std::string>{"P"}));
  EXPECT_EQ(replaced_.functions, (std::vector<std::string>{"f"}));
  good("__device__ int g() { return 1; }\n", "a");
  EXPECT_EQ(replaced_.kernels, (std::vector<std::string>{"k", "t"}));
}

TEST_F(ProgramTest, AFailedCompileChangesNothing) {
  good("__device__ int f() { return 1; }\n", "a");
  first_error("__device__ int f() { return nothing; }\n", "a");
  good("__global__ void k(int* x) { *x = f(); }\n");
  EXPECT_TRUE(holds("return 1"));
}

TEST_F(ProgramTest, ACellThatRunsAgainKeepsItsPlaceAndMayUseLaterCells) {
  good("__device__ int f() { return 1; }\n", "a");
  good("__device__ int g() { return f() + 1; }\n", "b");
  good("__device__ int h() { return 5; }\n", "c");
  good("__device__ int f() { return h(); }\n", "a");  // uses what came later
  good("__global__ void k(int* x) { *x = g(); }\n", "d");
}

TEST_F(ProgramTest, MacrosOfTheCellCountThenTheNewestElsewhere) {
  good("#define N 16\n__device__ int f() { return N; }\n", "a");
  good("__device__ int g() { return N + 1; }\n", "b");
  good("#define N 64\n__device__ int h() { return N; }\n", "c");
  good("static_assert(N == 64);\n__global__ void k(int* x) { *x = f() + g() + h(); }\n", "d");
  const auto& text = request_.source;
  EXPECT_LT(text.find("#define N 16"), text.find("return N;"));
  const auto g = text.find("return N + 1");
  EXPECT_EQ(text.rfind("#define N 64", g), text.rfind("#define N", g));
  good("#define N 8\n__device__ int f() { return N; }\n", "a");
  good("__global__ void k(int* x) { *x = g(); }\n", "e");
  EXPECT_NE(request_.source.find("#define N 8"), std::string::npos) << request_.source;
}

TEST_F(ProgramTest, FunctionLikeMacrosAndUndef) {
  good("#define SQ(x) ((x) * \\\n  (x))\n");
  good("__global__ void k(int* x) { *x = SQ(3); }\n");
  good("#undef SQ\n");
  EXPECT_NE(first_error("__global__ void k(int* x) { *x = SQ(3); }\n").find("\"SQ\" is undefined"), std::string::npos);
}

TEST_F(ProgramTest, NamespacesAreTakenInPieces) {
  good(
      "namespace demo {\n__device__ int f() { return 1; }\n__device__ int broken();\n__global__ void k(int* x) { *x = "
      "1; }\n}\n");
  good("using namespace demo;\n");
  good("__global__ void m(int* x) { *x = f(); }\n");
  EXPECT_TRUE(holds("namespace demo"));
  EXPECT_FALSE(holds("broken"));
}

TEST_F(ProgramTest, OperatorsAlwaysCount) {
  good("struct V { float x; };\n__device__ V operator+(V a, V b) { return {a.x + b.x}; }\n");
  good("__global__ void k(V* v) { *v = *v + *v; }\n");
}

TEST_F(ProgramTest, ConstScalarsOfStatementsAreConstantsOfDeviceCode) {
  good(
      "const int block = 2 * 64;\nconst int dynamic = foo(3);\n__global__ void k(int* x) { __shared__ int s[block]; "
      "s[0] = *x; *x = s[0]; }\n");
  good("__global__ void m(int* x, int dynamic) { *x = block + dynamic; }\n");
  EXPECT_FALSE(holds("foo"));
  good("int block = 3;\n");  // no constant any more
  EXPECT_NE(first_error("__global__ void m(int* x) { *x = block; }\n").find("\"block\" is undefined"),
            std::string::npos);
}

TEST_F(ProgramTest, VariablesOfEarlierCellsAreListedWithTheirOwner) {
  good("__constant__ float coef[4];\n__device__ int counter = 5;\n");
  const auto output = run("__device__ double mine;\n__global__ void k(float* x) { *x = coef[1]; }\n");
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.variables.size(), 2U);
  EXPECT_EQ(output.variables[0].name, "coef");
  EXPECT_EQ(output.variables[0].source, "In[1]");
  EXPECT_EQ(output.variables[0].type, "float");
  EXPECT_EQ(output.variables[0].size, 16U);
  EXPECT_TRUE(output.variables[0].constant);
  EXPECT_EQ(output.variables[1].name, "mine");
  EXPECT_EQ(output.variables[1].source, "In[2]");
}

TEST_F(ProgramTest, TemplatesAreInstantiatedOnDemand) {
  good(
      "namespace demo { struct Op { float s; };\ntemplate <class T, int N = 1> __global__ void scale(T* x, Op op) { "
      "x[N] *= op.s; } }\n");
  EXPECT_TRUE(program_.is_kernel_template("demo::scale<float>"));
  EXPECT_TRUE(program_.is_kernel_template("scale"));
  const auto output = machine_compiler().compile(program_.instantiate("demo::scale<double, 3>"));
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  EXPECT_EQ(output.kernels[0].name, "demo::scale<double, 3>");
  EXPECT_EQ(output.kernels[0].parameters[0].pointee, "double");
  EXPECT_EQ(output.kernels[0].parameters[1].name, "op");
  const auto failed = machine_compiler().compile(program_.instantiate("demo::scale<nothing>"));
  ASSERT_FALSE(failed.ok);
  EXPECT_EQ(failed.diagnostics.at(0).text, "identifier \"nothing\" is undefined (in demo::scale<nothing>)");
  EXPECT_THROW(program_.instantiate("demo::scal<int>"), Error);
}

TEST_F(ProgramTest, TemplatesOfEarlierCellsAreSpecialisedAndInstantiated) {
  good("template <class T> __global__ void scale(T* x, T a) { *x *= a; }\n");
  auto output = run("template <> __global__ void scale<int>(int* x, int a) { *x = a; }\n");
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_EQ(output.kernels.size(), 1U);
  EXPECT_EQ(output.kernels[0].name, "scale<int>");
  output = run("template __global__ void scale<float>(float*, float);\n");
  ASSERT_TRUE(output.ok) << output.log << request_.source;
  EXPECT_TRUE(std::any_of(output.kernels.begin(), output.kernels.end(),
                          [](const KernelSignature& kernel) { return kernel.name == "scale<float>"; }));
}

TEST_F(ProgramTest, OverloadsHaveTheirOwnParameterNames) {
  const auto output =
      run("__global__ void k(int* count) { *count = 1; }\n__global__ void k(const float* values) { }\n__global__ void "
          "k(int n, int m) { }\n");
  ASSERT_EQ(output.kernels.size(), 3U) << output.log;
  for (const auto& kernel : output.kernels) {
    const auto& first = kernel.parameters.at(0);
    EXPECT_EQ(first.name, first.type == "int*" ? "count" : first.type == "int" ? "n" : "values");
  }
}

TEST_F(ProgramTest, ErrorsInsideAnEarlierCellNameIt) {
  good("\n\ntemplate <class T> __device__ auto member(T x) { return x.foo; }\n");
  const auto text = first_error("__global__ void k(int* x) {\n  *x = member(3);\n}\n");
  EXPECT_NE(text.find("In[1]:3:"), std::string::npos) << text;
  EXPECT_NE(text.find("In[2]:2"), std::string::npos) << text;
}

TEST_F(ProgramTest, LinesAndColumnsAreTheCells) {
  const auto text = first_error("%%kernel -std=c++17\n\n  __global__ void k(int* x) { *x = zz; }\n");
  EXPECT_NE(text.find("In[1]:3:36: error: identifier \"zz\" is undefined"), std::string::npos) << text;
  EXPECT_NE(first_error("int n = 3; __device__ int f() { return yy; }\n").find("In[2]:1:40"), std::string::npos);
}

TEST_F(ProgramTest, WarningsOfEarlierCellsAreNotShownAgain) {
  const auto first = run("__device__ int f() { int unused; return 1; }\n");
  ASSERT_TRUE(first.ok);
  EXPECT_EQ(first.diagnostics.size(), 1U);
  const auto second = run("__global__ void k(int* x) { *x = f(); }\n");
  EXPECT_TRUE(second.diagnostics.empty());
}

TEST_F(ProgramTest, TypesOfCellsHaveALayout) {
  good(
      "namespace demo { struct Particle { float pos[3]; double mass = 1; int id, *next; static const int k = 3;\n"
      "  __device__ float norm() const { return pos[0]; } enum E { a }; }; }\n");
  const auto output = machine_compiler().compile(
      program_.type_query("demo::Particle", parse_options({.words = {}, .architecture = "compute_80"})));
  ASSERT_TRUE(output.ok) << output.log;
  ASSERT_TRUE(output.type_layout);
  const auto& layout = *output.type_layout;
  EXPECT_EQ(layout.type, "demo::Particle");
  EXPECT_EQ(layout.size, 40U);
  EXPECT_EQ(layout.alignment, 8U);
  EXPECT_TRUE(layout.trivially_copyable);
  ASSERT_EQ(layout.members.size(), 4U);
  EXPECT_EQ(layout.members[0].type, "float [3]");
  EXPECT_EQ(layout.members[1].name, "mass");
  EXPECT_EQ(layout.members[1].offset, 16U);
  EXPECT_EQ(layout.members[3].name, "next");
  EXPECT_EQ(layout.members[3].type, "int*");
}

TEST_F(ProgramTest, PrivateMembersAreKnown) {
  good("class C { int a; double b; };\n");
  const auto output =
      machine_compiler().compile(program_.type_query("C", parse_options({.words = {}, .architecture = "compute_80"})));
  ASSERT_TRUE(output.ok && output.type_layout) << output.log;
  EXPECT_EQ(output.type_layout->size, 16U);
  ASSERT_EQ(output.type_layout->members.size(), 2U);
  EXPECT_EQ(output.type_layout->members[1].name, "b");
}

TEST_F(ProgramTest, HostConstantsAreFound) {
  good(
      "#define WIDTH 64\nconstexpr float kHalf = 0.5f;\nenum { first, second = 7, third };\nenum class Mode { slow, "
      "fast };\n");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"WIDTH", "64"},      {"kHalf", "0.5f"},         {"first", "(0) + 0"},     {"second", "(7) + 0"},
      {"third", "(7) + 1"}, {"Mode::slow", "(0) + 0"}, {"Mode::fast", "(0) + 1"}};
  for (const auto& [name, expression] : expected) {
    const auto constant = program_.host_constant(name);
    ASSERT_TRUE(constant) << name;
    EXPECT_EQ(constant->expression, expression) << name;
  }
  EXPECT_FALSE(program_.host_constant("fourth"));
  EXPECT_NE(program_.source_of("kHalf").find("constexpr float kHalf = 0.5f;"), std::string::npos);
}

TEST_F(ProgramTest, OptionMacrosBelongToTheirCell) {
  good("__device__ int f() { return TILE; }\n", "", {"-DTILE=16"});
  good("__global__ void k(int* x) { *x = f() + TILE; }\n", "", {"-DTILE=32"});
  EXPECT_NE(first_error("__global__ void k(int* x) { *x = f() + TILE; }\n").find("\"TILE\" is undefined"),
            std::string::npos);
}

TEST_F(ProgramTest, ConditionalsStayWhole) {
  good("#define FAST 1\n#if FAST\n__device__ int f() { return 1; }\n#else\n__device__ int f() { return 2; }\n#endif\n");
  good("__global__ void k(int* x) { *x = f(); }\n");
}

TEST_F(ProgramTest, NamesThatNvccGivesWithoutAnInclude) {
  good(
      "__global__ void k(uint8_t* a, half* h, float* x) { *a = UINT8_MAX; *h = half(1.5f); *x = INFINITY + FLT_MAX + "
      "M_PI + INT_MAX; }\n");
}

TEST_F(ProgramTest, Int128NeedsNoOption) {
  good(
      "__global__ void k(unsigned long long* x) { *x = static_cast<unsigned long long>((unsigned __int128)*x * *x >> "
      "64); }\n");
}

TEST_F(ProgramTest, SmallCellsAreCompiledMinimal) {
  good(
      "__global__ void k(float* x) { printf(\"%f\", *x); assert(*x > 0); *x = sinf(*x) + __shfl_sync(~0u, *x, 1) + "
      "atomicAdd(x, 1.0f); }\n");
  EXPECT_EQ(request_.options, (std::vector<std::string>{"--minimal"}));
  good("__global__ void k(cudaTextureObject_t t, float* x) { *x = tex1D<float>(t, 0.5f); }\n");
  EXPECT_TRUE(request_.options.empty());
}

TEST_F(ProgramTest, PrecompiledHeadersGoToTheTopEachOnce) {
  good("#include <cuda_fp16.h>\n__device__ int f() { return 1; }\n");
  good("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__global__ void k(__half* x) { *x = f(); }\n", "", {"--pch"});
  EXPECT_TRUE(
      request_.source.starts_with("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nstatic_assert(true);\n#line"))
      << request_.source;
}

class UserHeaderTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    folder_ = std::filesystem::temp_directory_path() / ("xcuda_headers_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "sub");
    write("a.h", "#pragma once\n#include \"sub/b.h\"\n__device__ inline int a() { return b(); }\n");
    write("sub/b.h", "#pragma once\n#include \"c.h\"\n__device__ inline int b() { return c(); }\n");
    write("sub/c.h", "#pragma once\n__device__ inline int c() { return 1; }\n");
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::filesystem::path folder_;
};

TEST_F(UserHeaderTest, NestedOnesAreReadAndCountInTheRequest) {
  good("#include \"a.h\"\n__global__ void k(int* x) { *x = a(); }\n", "", {"-I" + folder_.string()});
  ASSERT_EQ(request_.headers.size(), 3U);
  EXPECT_TRUE(request_.cacheable);
  // A later cell sees them without the option.
  good("__global__ void m(int* x) { *x = c(); }\n");
  EXPECT_EQ(request_.headers.size(), 3U);
  write("sub/c.h", "#pragma once\n#define NAME \"d.h\"\n#include NAME\n");
  write("sub/d.h", "__device__ inline int c() { return 2; }\n");
  good("__global__ void m(int* x) { *x = c(); }\n");
  EXPECT_FALSE(request_.cacheable);
}

TEST_F(UserHeaderTest, AMissingOneIsAnErrorAtItsLine) {
  const auto text = first_error("\n#include \"nowhere.h\"\n");
  EXPECT_NE(text.find("In[1]:2"), std::string::npos) << text;
  EXPECT_NE(text.find("nowhere.h"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::compiler
