// Kernels whose lanes part again and again, on the CPU device, one thread: how long each launch takes, unchecked and
// with bounds checks. For two versions in turn (interleaved.py), or two forms of code: XCUDA_CPU_DISPATCH=shared,
// inlined.
//   bench_cpu_divergent [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/unit/device/cpu/kernel_harness.hpp"

namespace {

using namespace xcuda::device;
using namespace xcuda::device::cpu;
using Clock = std::chrono::steady_clock;

std::string ptx_of(const std::string& file) {
  std::ifstream stream(XCUDA_SOURCE_DIR "/tests/kernels/ptx/" + file + ".ptx");
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Between -scale and scale, no two neighbours alike.
template <class T> std::vector<T> numbers(std::size_t count, double scale) {
  std::vector<T> all(count);
  std::uint32_t state = 12345;
  for (T& each : all) {
    state = state * 1664525u + 1013904223u;
    each = static_cast<T>((static_cast<double>(state >> 8) / (1 << 23) - 1) * scale);
  }
  return all;
}

struct Case {
  std::string file, kernel;
  std::uint32_t blocks, threads;
  std::vector<double> scales;  // an array each, in the parameters' order
  std::size_t bytes;           // of one of its elements
};

template <class T> void measure(Translator& translator, const Case& each, const auto& more, int rounds) {
  KernelHarness harness(ptx_of(each.file), translator);
  Arguments arguments;
  std::vector<std::vector<T>> arrays;
  for (const double scale : each.scales)
    arrays.push_back(numbers<T>(std::size_t{each.blocks} * each.threads * each.bytes / sizeof(T), scale));
  for (auto& array : arrays) {
    harness.name(array);
    arguments.add(array.data());
  }
  more(arguments);
  const auto original = arrays;
  double least[2] = {1e30, 1e30};
  for (int round = 0; round < rounds; ++round)
    for (const int checked : {0, 1}) {
      for (std::size_t i = 0; i < arrays.size(); ++i)
        std::copy(original[i].begin(), original[i].end(), arrays[i].begin());
      KernelHarness::Run run{each.kernel, {each.blocks}, {each.threads}, 0, {}};
      run.checks.bounds = checked == 1;
      harness.program().kernel({run.entry, run.grid, run.block, run.checks});
      const auto begin = Clock::now();
      if (harness.run(run, arguments) != Outcome::finished) std::abort();
      least[checked] =
          std::min(least[checked], std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
  fmt::print("{:<18} {:<10} unchecked {:8.3f} ms   checked {:8.3f} ms\n", each.file, each.kernel.substr(0, 10),
             least[0], least[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  Translator translator;
  constexpr std::uint32_t kBlocks = 64, kThreads = 256;
  const auto count = [](Arguments& arguments) { arguments.add(static_cast<int>(kBlocks * kThreads)); };
  const auto nothing = [](Arguments&) {};
  measure<float>(translator, {"11_math_f32", "_Z5mathfPKfS0_Pfi", kBlocks, kThreads, {90, 3, 1}, 4}, count, rounds);
  measure<float>(translator, {"12_math_f32_fast", "_Z5mathfPKfS0_Pfi", kBlocks, kThreads, {90, 3, 1}, 4}, count,
                 rounds);
  measure<double>(translator, {"13_math_f64", "_Z5mathdPKdS0_Pdi", kBlocks, kThreads, {90, 3, 1}, 8}, count, rounds);
  const auto constant = [&](Arguments& arguments) {
    struct alignas(8) Complex {
      float real, imaginary;
    };
    arguments.add(Complex{-0.4f, 0.6f});
    count(arguments);
  };
  measure<float>(translator, {"21_cudastd", "_Z5juliaPN4cuda3std3__47complexIfEEPiS3_i", kBlocks, kThreads, {1, 1}, 8},
                 constant, rounds);
  measure<int>(translator, {"20_cub", "_Z7cubscanPKiPi", kBlocks, 128, {100, 100}, 16}, nothing, rounds);
}
