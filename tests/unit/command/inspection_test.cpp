#include "command/inspection.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "command/command_table.hpp"
#include "command/help.hpp"
#include "tests/unit/command/scope_sample.hpp"

namespace xcuda::command {
namespace {

std::string seen(std::string marked, Detail detail = Detail::summary) {
  const auto cursor = marked.find('^');
  marked.erase(cursor, 1);
  const auto bundle = inspect(marked, cursor, detail, sample_scope());
  return bundle ? display::plain(*bundle) : "";
}

bool shows(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Inspection, NamesOfTheSession) {
  const auto array = seen("x^[3]");
  EXPECT_TRUE(shows(array, "float x[16777216]")) << array;
  EXPECT_TRUE(shows(array, "64.0 MiB")) << array;
  EXPECT_TRUE(shows(seen("n^"), "const size_t n = 16777216"));
  const auto kernel = seen("sax^py<<<1, 1>>>()");
  EXPECT_TRUE(shows(kernel, "__global__ void saxpy(float a")) << kernel;
  EXPECT_TRUE(shows(kernel, "In[2]:1")) << kernel;
  EXPECT_FALSE(shows(kernel, "// ...")) << kernel;
  EXPECT_TRUE(shows(seen("saxpy^", Detail::source), "// ..."));
  EXPECT_TRUE(shows(seen("demo::scale<float>^<<<1, 1>>>()"), "demo::scale(T* x"));
  EXPECT_TRUE(shows(seen("sca^le"), "demo::scale(T* x"));
}

TEST(Inspection, WithoutASignatureTheSourceSpeaks) {
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::function, "f", "",
                            "// twice\n__device__  float\n  f(float x) { return 2 * x; }", "", 0}),
            "__device__ float f(float x)");
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::macro, "N", "", "#define N {1, \\\n 2}", "", 0}),
            "#define N {1, \\");
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::variable, "c", "", "__constant__ float c[4];", "", 0}),
            "__constant__ float c[4]");
  EXPECT_EQ(declaration_of({KnownDefinition::Kind::type, "P", "", "", "", 0}), "P");
}

TEST(Inspection, BuiltInsAndTheCallAround) {
  EXPECT_TRUE(shows(seen("__shfl_down_syn^c"), "delta above"));
  EXPECT_TRUE(shows(seen("y = sinf^(x)"), "float sinf(float x)"));
  EXPECT_TRUE(shows(seen("saxpy<<<1, 32>>>(2.0f, ^"), "__global__ void saxpy"));
  EXPECT_TRUE(shows(seen("curand_unif^orm(&s)"), "#include <curand_kernel.h>"));
  EXPECT_TRUE(shows(seen("cuda::atomic_ref^<int> r(x)"), "#include <cuda/atomic>"));
  EXPECT_TRUE(shows(seen("namespace co = cooperative_groups;\nco::this_gr^id()"), "sync() needs a cooperative launch"));
  EXPECT_TRUE(
      shows(seen("using Reduce = cub::BlockReduce<float, 256>;\nReduc^e(temp)"), "Reduce over the threads of a block"));
  EXPECT_TRUE(shows(seen("auto tile = cg::tiled_partition<32>(b);\ntile.shfl_do^wn(x, 1)"), "member of"));
  EXPECT_TRUE(shows(seen("auto tile = cg::tiled_partition<32>(b);\ntile.shfl_do^wn(x, 1)"), "the thread delta above"));
  EXPECT_TRUE(shows(seen("__had^d(x, y)"), "__nv_bfloat16 __hadd(__nv_bfloat16 x"));
  EXPECT_EQ(seen("unknown^"), "");
  EXPECT_EQ(seen("^"), "");
}

TEST(Inspection, CommandsAndOptions) {
  EXPECT_TRUE(shows(seen("%lau^nch"), "--warmup"));
  EXPECT_TRUE(shows(seen("%%launch --rep^eat 3"), "time N launches"));
  EXPECT_TRUE(shows(seen("%%kernel --fm^ad=false"), "--fmad"));
  EXPECT_TRUE(shows(seen("%config gra^ce"), "SECONDS"));
}

TEST(Help, EveryCommandHasAPage) {
  for (const auto& command : table()) {
    const auto page = command_help(command);
    EXPECT_TRUE(shows(display::plain(page), command.usage)) << command.name;
    EXPECT_TRUE(page.data.contains(display::kHtmlMime)) << command.name;
    EXPECT_TRUE(shows(display::plain(magic_list()), command.summary)) << command.name;
  }
  EXPECT_FALSE(display::plain(help_page()).empty());
}

TEST(Help, TopicsForeignMagicsAndTypingErrors) {
  const Scope scope;
  for (const auto& topic : topics()) EXPECT_FALSE(display::plain(help_on(topic.name, scope)).empty()) << topic.name;
  EXPECT_TRUE(shows(display::plain(help_on("%launch", scope)), "--repeat"));
  EXPECT_TRUE(shows(display::plain(help_on("gpu_timeit", scope)), "--repeat"));
  try {
    help_on("lauch", scope);
    FAIL() << "help on an unknown name";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::name);
    EXPECT_EQ(error.advice, "did you mean launch?");
  }
}

}  // namespace
}  // namespace xcuda::command
