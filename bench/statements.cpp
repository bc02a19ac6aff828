// What statements cost: a cell with one launch, and loops of scalars, elements, blocks and launches. On the fake
// device, so that all of it is the session's own. Medians of so many rounds.
//   bench_statements [rounds]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/session_rig.hpp"
#include "device/fake.hpp"

namespace {

using namespace xcuda;

// The one kernel that there is.
compiler::CompileOutput compile(const compiler::CompileRequest& request) {
  compiler::CompileOutput output{.ok = true, .name = request.name, .ptx = ".entry f 8 4\n"};
  compiler::KernelSignature signature{.name = "f", .entry = "f"};
  signature.parameters.push_back(
      {.name = "x", .type = "float*", .pointer = true, .pointee = "float", .offset = 0, .size = 8, .alignment = 8});
  signature.parameters.push_back({.name = "n", .type = "int", .offset = 8, .size = 4, .alignment = 4});
  output.kernels.push_back(std::move(signature));
  return output;
}

session::SessionParts parts() {
  session::SessionParts parts;
  parts.compile = [](const compiler::CompileRequest& request, const WaitLimits&) { return compile(request); };
  parts.devices.push_back({{}, "", [](const session::OutputHandler&) {
                             device::FakeOptions options;
                             options.kernels["f"] = [](device::FakeLaunch&) { return std::nullopt; };
                             return std::make_unique<device::FakeDevice>(options);
                           }});
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const struct {
    const char* what;
    std::string code;
    int cells;  // that one measurement runs
  } cases[] = {
      {"a cell with one launch", "f<<<1, 64>>>(x, 3);", 1000},
      {"100,000 scalar statements in a loop", "int s = 0; for (int i = 0; i < 100000; ++i) s += i * 3;", 1},
      {"50,000 declarations in blocks", "for (int i = 0; i < 50000; ++i) { int a = i; float b = a * 2.0f; }", 1},
      {"20,000 assignments to elements", "for (int i = 0; i < 20000; ++i) x[i % 1024] = i;", 1},
      {"10,000 launches in a loop", "for (int i = 0; i < 10000; ++i) f<<<1, 64>>>(x, i);", 1},
      {"50,000 conditions with a call", "int c = 0; for (int i = 0; i < 50000; ++i) if (max(i, 7) % 2 == 0) ++c;", 1},
  };
  bench::SessionRig rig(parts());
  rig.time("__global__ void f(float* x, int n) { }\nfloat x[1024];");
  for (const auto& one : cases) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
      double sum = 0;
      for (int j = 0; j < one.cells; ++j) sum += rig.time(one.code);
      times.push_back(sum / one.cells);
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    fmt::print("{:<40} {:12.2f} µs\n", one.what, times[static_cast<std::size_t>(rounds / 2)]);
  }
}
