// Host code of cells: a loop over elements, a call, an element, and a product of two matrices in a function, beside
// the same product of g++ -O3. In a session over the real workers; medians of so many rounds.
//   bench_host_functions [rounds]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/session_rig.hpp"
#include "command/runner.hpp"
#include "programs/session_parts.hpp"

namespace {

using namespace xcuda;
using Clock = std::chrono::steady_clock;

constexpr int kSize = 512;

[[gnu::noinline]] void ijk(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

[[gnu::noinline]] void ikj(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      const float v = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += v * b[k * n + j];
    }
}

template <class Work> double median(int rounds, Work work) {  // milliseconds
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

class Bench {
 public:
  void run(const std::string& code) { bench::run(session_, code, fmt::format("In[{}]", ++number_)); }
  double time(const char* what, const std::string& code, int rounds) {
    const double first = median(1, [&] { run(code); });
    const double later = median(rounds, [&] { run(code); });
    fmt::print("{:<44} first {:9.3f} ms   later {:9.3f} ms\n", what, first, later);
    return later;
  }

 private:
  Machine machine_ = make_machine();
  command::Runner runner_;
  session::Session session_{make_parts(machine_, {}), runner_};
  int number_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  Bench bench;
  bench.run(
      "const int N = 1 << 20; float x[N], y[N]; float a[512][512] = uniform(), b[512][512] = uniform(), c[512][512]; "
      "void nothing(float* p) {}  float first(float* p) { return p[0]; }");
  bench.run(
      "void ijk(const float* a, const float* b, float* c, int n) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {\n"
      "    float s = 0; for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; } }\n"
      "void ikj(const float* a, const float* b, float* c, int n) {\n"
      "  for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) { const float v = a[i * n + k];\n"
      "    for (int j = 0; j < n; j++) c[i * n + j] += v * b[k * n + j]; } }");
  bench.time("2^20 iterations over two arrays", "for (int i = 0; i < N; i++) { x[i] = 1.0f; y[i] = 2.0f; }", rounds);
  bench.time("a call", "nothing(x);", rounds * 20);
  bench.time("a call with a result", "first(x);", rounds * 20);
  bench.time("100 elements, read", "float t = 0; for (int i = 0; i < 100; ++i) t += x[i];", rounds * 5);
  bench.time("100 elements, written", "for (int i = 0; i < 100; ++i) x[i] = i;", rounds * 5);

  std::vector<float> a(kSize * kSize, 0.5f), b = a, c = a;
  const double product = median(rounds, [&] { ijk(a.data(), b.data(), c.data(), kSize); });
  const double rows = median(rounds, [&] { ikj(a.data(), b.data(), c.data(), kSize); });
  const double own = bench.time("512 x 512 product, ijk", "ijk(&a[0][0], &b[0][0], &c[0][0], 512);", rounds);
  fmt::print("{:<44} {:.2f} of g++ -O3 ({:.3f} ms)\n", "", own / product, product);
  const double own_rows = bench.time("512 x 512 product, ikj", "ikj(&a[0][0], &b[0][0], &c[0][0], 512);", rounds);
  fmt::print("{:<44} {:.2f} of g++ -O3 ({:.3f} ms)\n", "", own_rows / rows, rows);
}
