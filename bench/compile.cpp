// What a cell with SAXPY costs over NVRTC's own time: parsed, put together, compiled in the other process, committed;
// then again, and in a session that starts anew. The peer is NVRTC called directly with the same text, in this process.
//   bench_compile <path of xcuda-compile> [rounds]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cell/parse.hpp"
#include "compiler/compiler_client.hpp"
#include "compiler/nvrtc_library.hpp"
#include "compiler/program.hpp"

namespace {

using namespace xcuda::compiler;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

struct Times {
  std::vector<double> values;
  template <class Function> void add(Function function) {
    const auto begin = Clock::now();
    function();
    values.push_back(milliseconds(Clock::now() - begin));
  }
  double median() {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
};

// Another text each time, so that no cache knows it.
std::string saxpy(int round) {
  return fmt::format(
      "__global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {{\n"
      "  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = {}.0f * a * x[i] + y[i];\n"
      "}}\n",
      round);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "usage: bench_compile <xcuda-compile> [rounds]\n"), 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 50;
  const auto environment = current_environment();
  const auto search = find_toolkit(environment);
  if (!search.toolkit) return fmt::print(stderr, "no CUDA toolkit on this machine\n"), 2;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("bench_compile_{}", getpid());
  const ClientOptions options{argv[1], search, own_include_folder(environment), folder / "compile", folder};
  std::filesystem::create_directories(folder);
  const auto compile_options = parse_options({.words = {"--fmad=false"}, .architecture = "compute_80"});

  NvrtcLibrary direct(search.toolkit->nvrtc);
  NvrtcJob job{.name = "saxpy.cu",
               .source = saxpy(0),
               .options = {"--gpu-architecture=compute_80", "--std=c++20", "--fmad=false"}};
  direct.compile(job);  // warm
  auto client = std::make_unique<CompilerClient>(options);
  Program program;
  const auto cell_with = [&](const std::string& text, CompilerClient& compiler) {
    const auto cell = xcuda::cell::parse_cell(text, "In[1]");
    const CellCode code{&cell, "In[1]", "a", compile_options};
    const auto output = compiler.compile(program.assemble(code), {});
    program.commit(code);
    return output;
  };
  cell_with(saxpy(0), *client);

  Times peer, cell, over, again, restarted;
  for (int i = 1; i <= rounds; ++i) {
    job.source = saxpy(i);
    peer.add([&] { direct.compile(job); });
    double nvrtc = 0;
    cell.add([&] { nvrtc = static_cast<double>(cell_with(saxpy(rounds + i), *client).phases.nvrtc) / 1e6; });
    over.values.push_back(cell.values.back() - nvrtc);
    again.add([&] { cell_with(saxpy(rounds + i), *client); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the last one is on disk
  for (int i = 1; i <= rounds; ++i)
    restarted.add([&] {
      CompilerClient fresh(options);
      cell_with(saxpy(rounds + i), fresh);
    });
  client.reset();
  std::filesystem::remove_all(folder);

  const auto nvrtc = peer.median();
  fmt::print("{:<52} {:8.3f} ms\n", "NVRTC called directly", nvrtc);
  fmt::print("{:<52} {:8.3f} ms   {:.2f} of NVRTC's\n", "the cell", cell.median(), cell.median() / nvrtc);
  fmt::print("{:<52} {:8.3f} ms\n", "the cell, over the compiler's own time in it", over.median());
  fmt::print("{:<52} {:8.3f} ms\n", "the cell again", again.median());
  fmt::print("{:<52} {:8.3f} ms\n", "the cell in a new session, from disk", restarted.median());
  return 0;
}
