#include "editor/inspection.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/unit/command/scope_sample.hpp"

namespace xcuda::editor {

using namespace command;
namespace {

std::string seen(std::string marked, Detail detail = Detail::summary) {
  const auto cursor = marked.find('^');
  marked.erase(cursor, 1);
  const auto bundle = inspect(marked, cursor, detail, sample_scope());
  return bundle ? display::plain(*bundle) : "";
}

bool shows(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// What is marked in an answer.
std::string marked_in(std::string marked) {
  const auto cursor = marked.find('^');
  marked.erase(cursor, 1);
  const auto bundle = inspect(marked, cursor, Detail::summary, sample_scope());
  if (!bundle) return "";
  const std::string html = bundle->data["text/html"], open = "xc-param\">";
  const auto begin = html.find(open);
  if (begin == html.npos) return "";
  return html.substr(begin + open.size(), html.find("</mark>", begin) - begin - open.size());
}

TEST(Inspection, ParametersThatCanBeLeftOutAreMarked) {
  EXPECT_EQ(marked_in("float u[4] = uniform(^"), "lo = 0");
  EXPECT_EQ(marked_in("float u[4] = uniform(0, ^"), "hi = 1");
  EXPECT_EQ(marked_in("topk(x, ^"), "size_t k");
  EXPECT_EQ(marked_in("topk(x, 3, ^"), "int axis = -1");
  EXPECT_EQ(marked_in("powf(2, ^"), "float y");
}

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
  const auto of_module = seen("float t = total^_of(x, 3);");
  EXPECT_TRUE(shows(of_module, "float total_of(const float* x, int n)")) << of_module;
  EXPECT_TRUE(shows(of_module, "function of a host module")) << of_module;
  EXPECT_TRUE(shows(of_module, "In[3]")) << of_module;
  EXPECT_TRUE(shows(seen("total_of(x, ^"), "float total_of(const float* x"));
  EXPECT_TRUE(shows(seen("total_of^", Detail::source), "return 0;"));
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

TEST(Inspection, MembersOfArraysAndTheLibrarysTypes) {
  EXPECT_TRUE(shows(seen("velocity.shap^e"), "The extents"));
  EXPECT_TRUE(shows(seen("velocity.ndi^m"), "The number of dimensions"));
  EXPECT_TRUE(shows(seen("velocity[:, newaxi^s]"), "a new axis of extent 1"));
  EXPECT_TRUE(shows(seen("std::vecto^r<float> v(3);"), "An array that grows"));
  EXPECT_TRUE(shows(seen("std::cou^t << 3;"), "Prints numbers"));
}

// What the libraries, the Driver API and IPython have: the answer is what is written here.
TEST(Inspection, NamesFromElsewhere) {
  EXPECT_TRUE(shows(seen("cublasSgemm^"), "matmul(a, b)"));
  EXPECT_TRUE(shows(seen("cuLaunchKernel^"), "kernel<<<grid, block>>>"));
  EXPECT_TRUE(shows(seen("cufftExecC2C^"), "fft(x)"));
  EXPECT_TRUE(shows(seen("curandGenerateUniform^"), "uniform(seed = 1)"));
  EXPECT_TRUE(shows(seen("cudaMalloc3DArray^"), "x[nz][ny][nx]"));
  EXPECT_TRUE(shows(seen("ncclAllReduce^"), "%%cuda"));
  EXPECT_TRUE(shows(seen("cuGraphAddNode^"), "Driver API"));
  EXPECT_TRUE(shows(seen("%who_ls^"), "%who"));
  EXPECT_TRUE(shows(seen("%%capture^"), "magic of IPython"));
  EXPECT_TRUE(shows(seen("curand_ini^t"), "curand_kernel.h"));
  EXPECT_EQ(seen("current^"), "");
}

// The line with the carets, below that of the declaration.
std::string marked(const std::string& code) {
  const auto text = seen(code);
  const auto lines = split_lines(text);
  std::string found;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto caret = lines[i].find('^');
    if (caret == lines[i].npos || lines[i].find_first_not_of(" ^~") != lines[i].npos) continue;
    found += (found.empty() ? "" : " / ") + std::string(lines[i - 1].substr(caret, lines[i].size() - caret));
  }
  return found;
}

TEST(Inspection, MarksTheParameterThatIsWritten) {
  EXPECT_EQ(marked("saxpy<<<1, 32>>>(^"), "float a");
  EXPECT_EQ(marked("saxpy<<<1, 32>>>(2.0f, ^"), "const float* x");
  EXPECT_EQ(marked("saxpy<<<(n + 255) / 256, 256>>>(sinf(2.0f), x, ^"), "float* y");
  EXPECT_EQ(marked("y = fmaf(a[1, 2], ^"), "float y");
  EXPECT_EQ(marked("saxpy<<<1, 32>>>(1, 2, 3, 4, 5, 6, 7, ^"), "");
  EXPECT_EQ(marked("saxpy^<<<1, 32>>>(1)"), "");
}

TEST(Inspection, MarksTheParametersOfCudasOwnFunctions) { EXPECT_EQ(marked("__shfl_down_sync(mask, ^"), "T value"); }

// A name among arguments: the parameter it is for, and what it is.
TEST(Inspection, AnArgumentHasItsParameterAndItsPage) {
  const auto text = seen("saxpy<<<1, 32>>>(2.0f, veloc^ity, x)");
  EXPECT_TRUE(shows(text, "saxpy(float a, const float* x")) << text;
  EXPECT_TRUE(shows(text, "float4 velocity[1024]")) << text;
  EXPECT_FALSE(shows(text, "shows the source")) << text;
  EXPECT_EQ(marked("saxpy<<<1, 32>>>(2.0f, veloc^ity, x)"), "const float* x");
  EXPECT_EQ(marked("saxpy<<<1, 32>>>(sinf^(1), velocity, x)"), "float a");
  EXPECT_EQ(marked("saxp^y<<<1, 32>>>(2.0f, velocity, x)"), "");
  EXPECT_EQ(seen("unknown(veloc^ity)"), seen("veloc^ity"));
}

TEST(Inspection, HabitsFromElsewhere) {
  const auto text = [](const std::string& name) { return seen(name + "^"); };
  EXPECT_EQ(text("thrust::device_vector"),
            "thrust::device_vector is not a part of cells: declare an array: float x[n]; it lives on the device until "
            "%free x.");
  for (const auto* name : {"cudaMemcpy2DToArray", "cudaMalloc3DArray", "cudaMallocArray", "std::forward_list"})
    EXPECT_NE(text(name).find("is not a part of cells: "), std::string::npos) << name;
  EXPECT_EQ(text("cudaMalloc").find("cudaError_t cudaMalloc("), 0u);
  EXPECT_EQ(text("cudaLaunchKernel").find("cudaError_t cudaLaunchKernel("), 0u) << text("cudaLaunchKernel");
  EXPECT_EQ(text("std::bitset"), "");
  EXPECT_TRUE(shows(text("accumulate"), "sum(x)"));
  EXPECT_EQ(text("std::sort").find("std::sort(first, last[, less])"), 0u);
  for (const auto* name : {"np.dot", "cp.linalg.dot"}) EXPECT_TRUE(shows(text(name), " dot(")) << name;
  EXPECT_TRUE(shows(text("thrust::reduce"), " reduce("));
  EXPECT_TRUE(shows(text("np.add"), "x + y"));
  EXPECT_EQ(text("np.nothing"), "");
  EXPECT_TRUE(shows(text("M_PI"), "3.14159"));
}

TEST(Inspection, CommandsAndOptions) {
  EXPECT_TRUE(shows(seen("%lau^nch"), "--warmup"));
  EXPECT_TRUE(shows(seen("%%launch --rep^eat 3"), "time N launches"));
  EXPECT_TRUE(shows(seen("%%kernel --fm^ad=false"), "--fmad"));
  EXPECT_TRUE(shows(seen("%config gra^ce"), "SECONDS"));
}

}  // namespace
}  // namespace xcuda::editor
