#include "editor/completion.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "editor/cursor_context.hpp"
#include "tests/unit/command/scope_sample.hpp"

namespace xcuda::editor {

using namespace command;
namespace {

// The cursor stands where the text has a ^.
struct Typed {
  std::string text;
  std::size_t cursor;
};
Typed typed(std::string text) {
  const auto cursor = text.find('^');
  return {text.erase(cursor, 1), cursor};
}

std::vector<std::string> texts(const std::string& marked) {
  const auto [text, cursor] = typed(marked);
  std::vector<std::string> list;
  for (const auto& match : complete(text, cursor, sample_scope()).matches) list.push_back(match.text);
  return list;
}

bool offers(const std::string& marked, const std::string& wanted) {
  const auto list = texts(marked);
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

using Texts = std::vector<std::string>;

TEST(Completion, AnInterruptEndsIt) {
  Interrupt interrupt;
  EXPECT_FALSE(complete("velo", 4, sample_scope(), &interrupt).matches.empty());
  interrupt.raise();
  for (const char* text : {"velo", "%sa", "!ls /", "#include <cu", "int word; wo"}) {
    try {
      complete(text, std::string_view(text).size(), sample_scope(), &interrupt);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::interrupted);
    }
  }
}

// A step for each pair of words would take hours.
TEST(Completion, TakesItsTimeWithLongCells) {
  const auto repeated = [](std::string_view word) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) text += word;
    return text;
  };
  const auto text = "struct A { int member; }; A a;\n" + repeated("typedef ") + "\na.";
  EXPECT_EQ(complete(text, text.size(), {}).matches.size(), 1u);
  const auto words = repeated("A ") + "a; a.";
  EXPECT_TRUE(complete(words, words.size(), {}).matches.empty());
  const auto brackets = repeated("(") + repeated("[") + repeated("<") + "a.";
  EXPECT_TRUE(complete(brackets, brackets.size(), {}).matches.empty());
}

TEST(Completion, CudaBuiltIns) {
  EXPECT_EQ(texts("int i = threadI^"), (Texts{"threadIdx"}));
  EXPECT_EQ(texts("int i = threadIdx.^"), (Texts{"x", "y", "z"}));
  EXPECT_EQ(texts("__syncthreads_a^"), (Texts{"__syncthreads_and"}));
  EXPECT_TRUE(offers("x = sqr^", "sqrtf"));
  EXPECT_TRUE(offers("x = make_fl^", "make_float4"));
  EXPECT_EQ(texts("auto g = cg::this_g^"), (Texts{"cg::this_grid"}));
}

TEST(Completion, NamespacesAreOfferedBeforeWhatIsInThem) {
  EXPECT_EQ(texts("cud^").front(), "cuda::");
  EXPECT_TRUE(offers("cud^", "cudaMalloc"));
  EXPECT_TRUE(offers("cuda::^", "cuda::std::"));
  EXPECT_TRUE(offers("std::chrono::^", "std::chrono::seconds"));
  EXPECT_TRUE(offers("std::ve^", "std::vector"));
  EXPECT_TRUE(offers("cuda::^", "cuda::atomic_ref"));
  EXPECT_FALSE(offers("cuda::^", "cuda::std::span"));
  EXPECT_EQ(texts("cuda::std::spa^"), (Texts{"cuda::std::span"}));
  EXPECT_EQ(texts("cub::BlockRad^"), (Texts{"cub::BlockRadixSort"}));
  EXPECT_EQ(texts("namespace co = cooperative_groups;\nco::this_g^"), (Texts{"co::this_grid"}));
  EXPECT_EQ(texts("using namespace cooperative_groups;\nauto g = this_g^"), (Texts{"this_grid"}));
  EXPECT_EQ(texts("%%kernel\n#include <mma.h>\nwmma::fill^"), (Texts{"wmma::fill_fragment"}));
}

TEST(Completion, MembersOfWhatTheCellDeclares) {
  const std::string groups = "namespace cg = cooperative_groups;\n__global__ void k() {\n";
  EXPECT_TRUE(offers(groups + "auto block = cg::this_thread_block(); block.^", "thread_rank"));
  EXPECT_TRUE(offers(groups + "cg::thread_block block = cg::this_thread_block(); block.sy^", "sync"));
  EXPECT_TRUE(offers(groups + "auto tile = cg::tiled_partition<32>(block); tile.^", "shfl_down"));
  EXPECT_TRUE(offers(groups + "cg::thread_block_tile<32> tile(b); tile.^", "meta_group_rank"));
  EXPECT_TRUE(offers(groups + "cg::this_grid().^", "is_valid"));
  EXPECT_EQ(texts("using Reduce = cub::BlockReduce<float, 256>;\nReduce(temp).S^"), (Texts{"Sum"}));
  EXPECT_EQ(texts("float s = cub::WarpReduce<float>(temp).Su^"), (Texts{"Sum"}));
  EXPECT_TRUE(offers("cuda::atomic_ref<int, cuda::thread_scope_device> count(*p);\ncount.fetch_^", "fetch_add"));
  EXPECT_EQ(texts("float4 v = p[i]; v.^"), (Texts{"x", "y", "z", "w"}));
  EXPECT_EQ(texts("int block = 3; block.^"), (Texts{}));
  EXPECT_EQ(texts("struct Body { float x, y; int id[3] = {1, 2}; __device__ float size() const { return x; } Body() {} "
                  "};\nBody b; b.^"),
            (Texts{"x", "y", "id", "size"}));
  EXPECT_EQ(texts("__global__ void k(Particle* p) { p[3].ve^"), (Texts{"velocity"}));
}

TEST(Completion, MembersOfMembers) {
  const std::string structs =
      "struct Inner { float u, v; };\nstruct Outer { Inner first; const Inner rest[2]; int n; };\n";
  EXPECT_EQ(texts(structs + "Outer o; o.^"), (Texts{"first", "rest", "n"}));
  EXPECT_EQ(texts(structs + "Outer o; o.first.^"), (Texts{"u", "v"}));
  EXPECT_EQ(texts(structs + "Outer o; o.rest[1].^"), (Texts{"u", "v"}));
  EXPECT_EQ(texts(structs + "Outer* o; o->first.^"), (Texts{"u", "v"}));
  EXPECT_TRUE(texts(structs + "Outer o; o.n.^").empty());
  EXPECT_TRUE(texts(structs + "Outer o; o.nothing.first.^").empty());
}

TEST(Completion, ValuesOfNamedArguments) {
  EXPECT_EQ(texts("texture t(x, filter = l^"), (Texts{"linear"}));
  EXPECT_TRUE(offers("texture t(x, address = ^", "mirror"));
  EXPECT_TRUE(offers("texture t(x, address = ^", "wrap"));
  EXPECT_TRUE(offers("texture t(x, normalized = ^", "true"));
  EXPECT_EQ(texts("texture t(x, filt^"), (Texts{"filter="}));
  EXPECT_TRUE(offers("sum(x, keep = ^", "true"));
  EXPECT_FALSE(offers("sum(x, axis = ^", "true"));
  EXPECT_FALSE(offers("int filter = ^", "linear"));
}

TEST(Completion, NamesOfTheStandardLibrary) {
  for (const auto* name : {"std::sqrt", "std::min", "std::max"}) EXPECT_TRUE(offers("float a = std::^", name)) << name;
  EXPECT_EQ(texts("float a = std::sqr^"), (Texts{"std::sqrt"}));
  EXPECT_EQ(texts("std::stable_s^"), (Texts{"std::stable_sort"}));
  EXPECT_EQ(texts("auto c = x[:, newa^"), (Texts{"newaxis"}));
  EXPECT_TRUE(offers("st^", "std::"));
}

TEST(Completion, Constants) {
  for (const auto* name : {"M_PI", "M_PI_2", "M_E", "M_SQRT2", "M_2_SQRTPI"}) EXPECT_TRUE(offers("M_^", name)) << name;
  EXPECT_EQ(texts("INT_M^"), (Texts{"INT_MAX", "INT_MIN"}));
  EXPECT_TRUE(offers("cudaMemcpyHost^", "cudaMemcpyHostToDevice"));
  EXPECT_EQ(texts("cudaDevAttrMaxGridDimX^"), (Texts{"cudaDevAttrMaxGridDimX"}));
}

TEST(Completion, WhatIsNotCodeGetsNone) {
  for (const auto* text : {"%%bash\nfo^", "%%bash\nif^", "%%writefile a.cu\nfl^", "%%html\nfl^", "%%bash\n# i^"})
    EXPECT_FALSE(offers(text, "for") || offers(text, "float") || offers(text, "if")) << text;
}

TEST(Completion, MethodsOfArrays) {
  EXPECT_TRUE(offers("velocity.su^", "sum"));
  EXPECT_TRUE(offers("velocity.^", "argmax"));
  EXPECT_EQ(texts("x.sha^"), (Texts{"shape"}));
  for (const auto* name : {"__sync_fetch_and_add", "snprintf", "strcpy", "memcmp"})
    EXPECT_FALSE(offers("velocity.^", name)) << name;
}

TEST(Completion, MembersOfResults) {
  for (const auto* text : {"x.T.^", "x[1:3].^", "(x + 1).^", "reshape(x, 2, -1).^", "x.reshape(2, -1).sum(axis = 0).^",
                           "auto q = x * 2;\nq.^", "float q[3];\nq.^", "%time x.T.^", "printf(\"%f\", x[:2].^"})
    EXPECT_TRUE(offers(text, "sum") && offers(text, "shape")) << text;
  for (const auto* text : {"x.sum().^", "x[3].^", "x.size.^", "(1 + 2).^", "float v = 3; v.^", "nothing.T.^"})
    EXPECT_EQ(texts(text), (Texts{})) << text;
  EXPECT_TRUE(offers("float m[3][3];\nauto s = csr(m);\ns.^", "nnz"));
  EXPECT_EQ(texts("velocity[0:2][1].^"), (Texts{"x", "y", "z", "w"}));
  EXPECT_EQ(texts("__global__ void k(Particle x) { x.ma^"), (Texts{"mass"}));  // its own x, not the session's
}

TEST(Completion, MembersInABlockThatIsStillOpen) {
  const std::string loop = "for (int i = 0; i < 3; ++i) {\n  auto q = x * 2;\n  ";
  for (const auto* text : {"q.^", "q[0:2].^", "float s = q.^", "float s = 1 +\n    q.^", "printf(\"%f\", q.^",
                           "if (q.^", "while (true) {\n q.^", "do {\n q.^", "switch (i) { case 1: q.^", "x.T.^"})
    EXPECT_TRUE(offers(loop + text, "sum") && offers(loop + text, "shape")) << text;
  EXPECT_TRUE(offers("for (int i = 0; i < x.^", "size"));
  EXPECT_TRUE(offers("auto q = x * 2;\nfor (int i = 0; i < 3; q.^", "size"));
  EXPECT_TRUE(offers("if (n > 3) {\n  x = 1;\n} else {\n  x[:4].^", "sum"));
  EXPECT_EQ(texts(loop + "auto v = velocity[i];\n v.^"), (Texts{"x", "y", "z", "w"}));
  EXPECT_EQ(texts("for (auto& v : velocity) {\n  v.^"), (Texts{"x", "y", "z", "w"}));
  EXPECT_EQ(texts(loop + "float v = 3;\n v.^"), (Texts{}));
  // The block is closed again: q is not there any more.
  EXPECT_EQ(texts(loop + "}\nq.^"), (Texts{}));
  EXPECT_EQ(texts("{\n  float x = 3;\n  x.^"), (Texts{}));
}

TEST(Completion, NamedArgumentsAfterAList) {
  EXPECT_EQ(texts("concatenate({x, x}, ax^"), (Texts{"axis="}));
  EXPECT_EQ(texts("for (int i = 0; i < 3; ++i) {\n  auto q = stack({x, x}, ax^"), (Texts{"axis="}));
  EXPECT_EQ(texts("pad(x, {1, 2}, mode = \"s^"), (Texts{"symmetric"}));
  EXPECT_EQ(texts("if (n > 3) { sum(x); } ax^"), (Texts{}));
}

TEST(Completion, MembersOfDeviceProperties) {
  EXPECT_TRUE(offers("cudaDeviceProp p;\np.^", "totalGlobalMem"));
  EXPECT_EQ(texts("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); p.multiP^"), (Texts{"multiProcessorCount"}));
}

TEST(Completion, FilesOfLoad) {
  EXPECT_TRUE(offers("float x[4] = load(\"/et^", "/etc/"));
  EXPECT_EQ(texts("float x[4] = overload(\"et^"), (Texts{}));
  EXPECT_EQ(texts("x = \"load(\"; printf(\"et^"), (Texts{}));
}

TEST(Completion, NamesOfTheSession) {
  EXPECT_EQ(texts("sax^"), (Texts{"saxpy"}));
  EXPECT_EQ(texts("saxpy<<<1, 32>>>(2.0f, veloc^"), (Texts{"velocity"}));
  EXPECT_EQ(texts("threads.^"), (Texts{"x", "y", "z"}));
  EXPECT_EQ(texts("velocity[3].^"), (Texts{"x", "y", "z", "w"}));
  // Of auto, by what the checker knows of its value.
  EXPECT_EQ(texts("auto v = velocity[n - 1];\nv.^"), (Texts{"x", "y", "z", "w"}));
  EXPECT_EQ(texts("auto some = reverse(velocity[0:8]);\nsome[0].^"), (Texts{"x", "y", "z", "w"}));
  EXPECT_EQ(texts("auto v = velocity[0].x;\nv.^"), (Texts{}));
  EXPECT_EQ(texts("auto t = threads;\nt.^"), (Texts{"x", "y", "z"}));
  EXPECT_EQ(texts("demo::sc^"), (Texts{"demo::scale"}));
  EXPECT_EQ(texts("x[^"), (Texts{"Particle", "demo::scale", "n", "saxpy", "threads", "total_of", "velocity", "x"}));
}

TEST(Completion, NamesOfTheCellItself) {
  EXPECT_EQ(texts("__global__ void my_kernel() {}\nmy_k^"), (Texts{"my_kernel"}));
  EXPECT_EQ(texts("my_k^"), (Texts{}));
}

TEST(Completion, TheUsersNamesComeFirst) {
  EXPECT_EQ(texts("__global__ void scale(float* x) {}\nfloat scalar = 3;\nsca^").front(), "scalar");
  EXPECT_EQ(texts("__global__ void scale(float* x) {}\nfloat scalar = 3;\nsca^")[1], "scale");
  EXPECT_EQ(texts("sa^").front(), "saxpy");
  const auto list = texts("int default_size = 3;\nde^");
  const auto place = [&](std::string_view word) { return std::find(list.begin(), list.end(), word) - list.begin(); };
  EXPECT_LT(place("default_size"), place("default"));
  EXPECT_LT(place("default"), std::ssize(list));
}

TEST(Completion, LinesOfHelpTravelAlong) {
  for (const auto& [text, name] : {std::pair("%sa", "%save"), {"sinf", "sinf"}, {"%%launch --rep", "--repeat"}}) {
    const auto matches = complete(text, std::string_view(text).size(), sample_scope()).matches;
    const auto is_name = [wanted = name](const auto& one) { return one.text == wanted; };
    const auto found = std::find_if(matches.begin(), matches.end(), is_name);
    ASSERT_NE(found, matches.end()) << text;
    EXPECT_NE(found->help, "") << text;
  }
}

TEST(Completion, Commands) {
  EXPECT_EQ(texts("%lau^"), (Texts{"%launch"}));
  EXPECT_EQ(texts("%%lau^"), (Texts{"%%launch"}));
  EXPECT_EQ(texts("int i;\n%%la^"), (Texts{}));  // a whole-cell command stands first
  EXPECT_EQ(texts("%%ar^"), (Texts{}));          // and %arrays is none
  EXPECT_TRUE(offers("%%launch --rep^", "--repeat"));
  EXPECT_TRUE(offers("%%kernel --fm^", "--fmad="));
  EXPECT_TRUE(offers("%%kernel -st^", "-std"));
  EXPECT_TRUE(offers("%%kernel --fmad=f^", "--fmad=false"));
  EXPECT_EQ(texts("%free velo^"), (Texts{"velocity"}));
  EXPECT_EQ(texts("%info sa^"), (Texts{"saxpy"}));
  EXPECT_EQ(texts("%config gra^"), (Texts{"grace"}));
  EXPECT_EQ(texts("%device g^"), (Texts{"gpu:0"}));
  EXPECT_TRUE(offers("%help lan^", "language"));
  EXPECT_EQ(texts("%launch saxpy<<<1, 32>>>(2, velo^"), (Texts{"velocity"}));
  EXPECT_EQ(texts("%%launch\nsax^"), (Texts{"saxpy"}));
}

TEST(Completion, HostWordsOnlyInStatements) {
  EXPECT_TRUE(offers("%%alloc\nfloat y[4] = unif^", "uniform"));
  EXPECT_TRUE(offers("%%kernel\nunif^", "uniform"));  // such a cell may have launches below its kernels
  EXPECT_TRUE(offers("%%launch\n__syncthr^", "__syncthreads"));
  EXPECT_TRUE(offers("float y[4] = uniform(0, 1, se^", "seed="));
}

TEST(Completion, HeadersAndDirectives) {
  EXPECT_TRUE(offers("#include <cooperative_g^", "cooperative_groups.h"));
  EXPECT_TRUE(offers("#include <cu^", "cuda/"));
  EXPECT_FALSE(offers("#include <cu^", "cuda/atomic"));
  EXPECT_TRUE(offers("#include <cuda/^", "cuda/atomic"));
  EXPECT_TRUE(offers("#include <cub/block/^", "cub/block/block_reduce.cuh"));
  EXPECT_TRUE(offers("#include \"cuda_f^", "cuda_fp16.h"));
  EXPECT_EQ(texts("#inc^"), (Texts{"include"}));
  EXPECT_EQ(texts("#pragma un^"), (Texts{"unroll"}));
  EXPECT_EQ(texts("#pragma nv_diag_s^"), (Texts{"nv_diag_suppress"}));
  EXPECT_EQ(texts("#pragma unroll 4^"), Texts{});
}

TEST(Completion, WordsOfNamedArguments) {
  EXPECT_EQ(texts("pad(x, 1, mode = ^"),
            (Texts{"\"constant\"", "\"edge\"", "\"reflect\"", "\"symmetric\"", "\"wrap\""}));
  EXPECT_EQ(texts("pad(x, 1, mode = \"s^"), (Texts{"symmetric"}));
  EXPECT_EQ(texts("searchsorted(x, 3, side=\"^"), (Texts{"left", "right"}));
  EXPECT_EQ(texts("convolve(x, x, mode = \"v^"), (Texts{"valid"}));
  EXPECT_EQ(texts("float y[4] = uniform(0, 1, generator = x^"), (Texts{"xorwow"}));
  EXPECT_TRUE(offers("texture t(x, filter = l^", "linear"));
  EXPECT_TRUE(offers("sum(x, axis = 0, keep = t^", "true"));
  EXPECT_EQ(texts("printf(\"s^"), (Texts{}));
}

// What is given has no name any more, and a value is not the name of another argument.
TEST(Completion, NamesOfTheArgumentsThatAreLeft) {
  EXPECT_FALSE(offers("sum(x, ^", "x="));
  EXPECT_TRUE(offers("sum(x, ^", "axis="));
  EXPECT_FALSE(offers("x.sum(^", "x="));
  EXPECT_TRUE(offers("x.sum(^", "axis="));
  EXPECT_FALSE(offers("x.sum(axis = ^", "keep="));
  EXPECT_FALSE(offers("x.sum(axis = 0, keep = ^", "axis="));
  EXPECT_EQ(texts("convolve(x, x, \"^"), (Texts{"full", "same", "valid"}));
  EXPECT_EQ(texts("x.convolve(x, \"v^"), (Texts{"valid"}));
}

TEST(Completion, MethodsOfVectorsAndTexts) {
  EXPECT_EQ(texts("std::vector<int> v; v.push^"), (Texts{"push_back"}));
  EXPECT_FALSE(offers("std::vector<int> v; v.^", "argmax"));
  EXPECT_EQ(texts("std::string s = \"a\"; s.sub^"), (Texts{"substr"}));
  EXPECT_EQ(texts("std::numeric_limits<float>::ma^"), (Texts{"::max()"}));
  EXPECT_TRUE(offers("float a = std::numeric_limits<float>::^", "::epsilon()"));
  EXPECT_TRUE(offers("%help argm^", "argmax"));
}

TEST(Completion, PathsInIncludesAndStrings) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("xcuda-completion-{}", getpid());
  std::filesystem::create_directories(folder / "more");
  for (const auto* name : {"mine.cuh", "mine.npy"}) std::ofstream(folder / name) << "1";
  const auto path = folder.string();
  EXPECT_EQ(texts("#include \"" + path + "/mi^"), (Texts{path + "/mine.cuh"}));
  EXPECT_EQ(texts("#include \"" + path + "/mo^"), (Texts{path + "/more/"}));
  EXPECT_EQ(texts("auto y = load(\"" + path + "/mi^"), (Texts{path + "/mine.cuh", path + "/mine.npy"}));
  EXPECT_EQ(texts("auto y = load_npz(\"" + path + "/mine.n^"), (Texts{path + "/mine.npy"}));
  EXPECT_EQ(texts("!cat " + path + "/mine.n^"), (Texts{path + "/mine.npy"}));
  std::ofstream(path + "/minedprogram").close();
  std::filesystem::permissions(path + "/minedprogram", std::filesystem::perms::owner_all);
  const std::string before = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(texts("!mined^"), (Texts{"minedprogram"}));  // a program; mine.npy is not one
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(texts("%cd " + path + "/m^"), (Texts{path + "/more/"}));
  EXPECT_EQ(texts("%save velocity " + path + "/mine.n^"), (Texts{path + "/mine.npy"}));
  std::filesystem::remove_all(folder);
}

TEST(Completion, VariablesOfTheEnvironment) {
  setenv("XCUDA_COMPLETION_TEST", "1", 1);
  EXPECT_EQ(texts("%env XCUDA_COMPLETION^"), (Texts{"XCUDA_COMPLETION_TEST"}));
  EXPECT_EQ(texts("%env A XCUDA_COMPLETION^"), (Texts{}));
  unsetenv("XCUDA_COMPLETION_TEST");
}

TEST(Completion, NothingInCommentsStringsAndNumbers) {
  EXPECT_EQ(texts("// threadI^"), (Texts{}));
  EXPECT_EQ(texts("/* a\n threadI^"), (Texts{}));
  EXPECT_EQ(texts("printf(\"threadI^"), (Texts{}));
  EXPECT_EQ(texts("int i = 12^"), (Texts{}));
  EXPECT_EQ(texts("f(1.^"), (Texts{}));
  EXPECT_EQ(texts("char c = '\"'; threadI^"), (Texts{"threadIdx"}));
  EXPECT_EQ(texts("int n = 1'000; threadI^"), (Texts{"threadIdx"}));
}

TEST(Completion, TheRangeIsTheWordInFrontOfTheCursor) {
  const auto matches = complete("int µ = threadI + 1;", 16, sample_scope());
  EXPECT_EQ(matches.begin, 9u);
  EXPECT_EQ(matches.end, 16u);
  EXPECT_EQ(complete("", 0, {}).matches.size(), 0u);
  EXPECT_EQ(complete("ab", 99, {}).end, 2u);
}

TEST(Completion, TypesAndSignaturesTravelAlong) {
  const auto matches = complete("velo", 4, sample_scope()).matches;
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].type, "array");
  EXPECT_EQ(matches[0].signature, "float32x4 1,024");
  const auto of_module = complete("total", 5, sample_scope()).matches;
  ASSERT_EQ(of_module.size(), 1u);
  EXPECT_EQ(of_module[0].text, "total_of");
  EXPECT_EQ(of_module[0].type, "function");
  EXPECT_EQ(of_module[0].signature, "float total_of(const float* x, int n)");
  const auto shuffle = complete("__shfl_xor", 10, {}).matches;
  ASSERT_EQ(shuffle.size(), 1u);
  EXPECT_EQ(shuffle[0].type, "function");
  EXPECT_EQ(shuffle[0].signature, "T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize)");
}

TEST(Completion, AnyTextAndCursorHasAnAnswer) {
  const std::string pieces[] = {
      "%",  "%%",         "%%kernel ", "--fmad=",  "-",        "x",  "(", ")",   "<<<",   ">>>", "<",  ">",
      "::", ".",          "->",        "[",        "]",        "\"", "'", "//",  "/*",    "*/",  "\n", " ",
      "#",  "#include <", "!",         "uniform(", "\xC2\xB5", "\\", ",", "1.5", "saxpy", "?",   ";",  "{"};
  std::uint32_t state = 1;  // a linear congruential generator: the same texts everywhere
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (int i = 0; i < 8; ++i) {
      state = state * 1664525 + 1013904223;
      text += pieces[(state >> 16) % std::size(pieces)];
    }
    for (std::size_t cursor = 0; cursor <= text.size(); ++cursor) {
      const auto matches = complete(text, cursor, sample_scope());
      ASSERT_LE(matches.begin, matches.end) << text;
      ASSERT_LE(matches.end, text.size()) << text;
      for (const auto& match : matches.matches)
        ASSERT_EQ(match.text.substr(0, matches.end - matches.begin),
                  text.substr(matches.begin, matches.end - matches.begin))
            << text;
      name_at(text, cursor);
      enclosing_call(text, cursor);
    }
  }
}

}  // namespace
}  // namespace xcuda::editor
