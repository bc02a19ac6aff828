// Kernels on the CPU device beside plain loops that the compiler of this program vectorises as it can (-O3
// -march=native), one thread, same run: time over the loop's time, unchecked and with bounds checks, and how much
// faster two threads are. Each is the least of several rounds. Results are checked. Kernels that tests/kernels/ptx does
// not hold are compiled with NVRTC.
//   bench_cpu_kernels [name...]        XCUDA_CPU_TARGET chooses another processor, e.g. x86-64-v3 for AVX2
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/nvrtc_library.hpp"
#include "compiler/program.hpp"
#include "compiler/toolkit.hpp"
#include "device/cpu/run/block_runner.hpp"
#include "tests/unit/device/cpu/kernel_harness.hpp"

namespace {

using namespace xcuda::device;
using namespace xcuda::device::cpu;
using Clock = std::chrono::steady_clock;

std::string file_text(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Of a file in tests/kernels, or of CUDA C++ as it stands.
std::string ptx_of(const std::string& file) {
  namespace compiler = xcuda::compiler;
  std::string text = file_text(XCUDA_SOURCE_DIR "/tests/kernels/ptx/" + file + ".ptx");
  if (!text.empty()) return text;
  text = file.find('\n') == file.npos ? file_text(XCUDA_SOURCE_DIR "/tests/kernels/" + file + ".cu") : file;
  const auto search = compiler::find_toolkit(compiler::current_environment());
  if (!search.toolkit) throw xcuda::Error(xcuda::ErrorKind::unsupported, "no CUDA toolkit on this machine");
  compiler::NvrtcLibrary library(search.toolkit->nvrtc);
  compiler::NvrtcJob job{.name = "kernel.cu",
                         .source = text,
                         .options = {"--gpu-architecture=compute_80", "--std=c++17", "-default-device"}};
  for (const std::string& folder : search.toolkit->includes) job.options.push_back("-I" + folder);
  compiler::NvrtcResult result = library.compile(job);
  if (result.ptx.empty()) throw xcuda::Error(xcuda::ErrorKind::compile, "NVRTC refuses " + file).said(result.log);
  return result.ptx;
}

double milliseconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// As the session's arrays are aligned.
template <class T> struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U> Aligned(const Aligned<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{256})); }
  void deallocate(T* memory, std::size_t) { ::operator delete (memory, std::align_val_t{256}); }
  bool operator==(const Aligned&) const { return true; }
};
template <class T> using Numbers = std::vector<T, Aligned<T>>;

template <class T> Numbers<T> numbers(std::size_t count, double scale = 1) {
  Numbers<T> all(count);
  std::uint32_t state = 12345;
  for (T& each : all) {
    state = state * 1664525u + 1013904223u;
    each = static_cast<T>((state >> 8) * scale / (1 << 24));
  }
  return all;
}

struct Case {
  std::string name, file;
  KernelHarness::Run run;
  Arguments arguments;
  std::function<void(KernelHarness&)> name_arrays;
  std::function<void()> plain, reset = [] {};
  std::function<bool()> right;
};

std::string entry_of(LoadedModule& program, const std::string& name) {
  for (const FunctionInfo& function : program.functions())
    if (function.entry == name || function.entry.find("_Z" + std::to_string(name.size()) + name) == 0)
      return function.entry;
  throw std::runtime_error("no kernel " + name);
}

// The device's own way to run a launch, for more than one thread.
class Pool {
 public:
  explicit Pool(int threads) : space_(Window{0x3100'0000'0000, 1 << 30}), pool_(threads), runner_(pool_) {}
  void run(LoadedModule& program, const KernelHarness& harness, const Case& each) {
    const KernelHarness::Run& run = each.run;
    const KernelCode& code = program.kernel({run.entry, run.grid, run.block, run.checks});
    LaunchRequest request;
    request.entry = run.entry;
    OrderedOutput output(sink_, 1 << 20);
    LaunchState state({request, code, space_, output, sink_, stop_, worker_});
    std::vector<std::byte> parameters = each.arguments.bytes();
    parameters.resize(parameters.size() + 64);
    std::vector<AddressRange> bounds;
    for (const BoundsSlot& slot : code.bounds) bounds.push_back(harness.range_of(slot, parameters));
    LaunchAbi& abi = state.abi;
    abi.grid[0] = run.grid.x, abi.grid[1] = run.grid.y, abi.grid[2] = run.grid.z;
    abi.block[0] = run.block.x, abi.block[1] = run.block.y, abi.block[2] = run.block.z;
    abi.warps = static_cast<std::uint32_t>((run.block.count() + 31) / 32);
    abi.dynamic_shared = run.dynamic_shared;
    abi.shared_bytes = code.static_shared + run.dynamic_shared;
    abi.parameters = parameters.data();
    abi.bounds = bounds.data();
    abi.variables = program.variable_addresses();
    abi.services = services();
    abi.runtime = &state;
    runner_.run(state);
  }

 private:
  AddressSpace space_;
  ThreadPool pool_;
  BlockRunner runner_;
  Pace::Worker worker_{nullptr};
  std::atomic<bool> stop_{false};
  TextSink sink_ = [](std::string_view) {};
};

void measure(Translator& translator, Case& each) {
  static Pool one(1), two(2);
  const std::string ptx = ptx_of(each.file);
  KernelHarness harness(ptx, translator);
  each.name_arrays(harness);
  each.run.entry = entry_of(harness.program(), each.run.entry);
  double plain = 1e30, time[2] = {1e30, 1e30}, jit[2] = {1e30, 1e30}, threads[2] = {1e30, 1e30};
  bool right = true;
  double spent = 0;
  for (int round = 0; round < 5; ++round) {
    KernelHarness fresh(ptx, translator);
    for (int checked : {0, 1}) {
      each.run.checks.bounds = checked == 1;
      const KernelCode& code = fresh.program().kernel({each.run.entry, each.run.grid, each.run.block, each.run.checks});
      jit[checked] = std::min(jit[checked], static_cast<double>(code.translate_time + code.compile_time) / 1e6);
    }
  }
  for (int round = 0; round < 200 && (round < 5 || spent < 3000); ++round) {
    each.reset();
    const double once = milliseconds(each.plain);
    plain = std::min(plain, once);
    spent += once;
    for (int checked : {0, 1}) {
      each.reset();
      each.run.checks.bounds = checked == 1;
      harness.program().kernel({each.run.entry, each.run.grid, each.run.block, each.run.checks});
      const double now = milliseconds([&] { right &= harness.run(each.run, each.arguments) == Outcome::finished; });
      time[checked] = std::min(time[checked], now);
      spent += now;
      if (round == 0) right &= each.right();
    }
    for (int i : {0, 1}) {
      each.reset();
      threads[i] = std::min(threads[i], milliseconds([&] { (i ? two : one).run(harness.program(), harness, each); }));
      if (round == 0) right &= each.right();
    }
  }
  fmt::print(
      "{:<12} plain {:8.2f} ms   unchecked {:6.3f}   checked {:6.3f}   jit {:5.1f} / {:5.1f} ms   two threads {:4.2f}  "
      " {}\n",
      each.name, plain, time[0] / plain, time[1] / plain, jit[0], jit[1], threads[0] / threads[1],
      right ? "" : "WRONG");
  std::fflush(stdout);
}

template <class T> bool close(const Numbers<T>& a, const Numbers<T>& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <=
          tolerance * (1 + std::abs(static_cast<double>(b[i])))))
      return false;
  return true;
}

constexpr std::uint32_t cover(std::size_t n, std::size_t block) {
  return static_cast<std::uint32_t>((n + block - 1) / block);
}

// Each returns a case whose arrays live as long as the program does.
template <class T> T& keep(T value) {
  static std::vector<std::unique_ptr<T>> all;
  all.push_back(std::make_unique<T>(std::move(value)));
  return *all.back();
}
using Floats = Numbers<float>;

Case saxpy() {
  constexpr int n = 16 << 20;
  auto &x = keep(numbers<float>(n)), &y = keep(numbers<float>(n, 3)), &expected = keep(Floats(n));
  const Floats& original = keep(Floats(y));
  for (int i = 0; i < n; ++i) expected[i] = std::fma(2.f, x[i], y[i]);
  return {"saxpy",
          "01_saxpy",
          {"saxpy", {n / 256}, {256}},
          Arguments().add(n).add(2.f).add(x.data()).add(y.data()),
          [&](auto& h) {
            h.name(x);
            h.name(y);
          },
          [&] {
            float* out = y.data();
            const float* in = x.data();
            for (int i = 0; i < n; ++i) out[i] = 2.f * in[i] + out[i];
          },
          [&] { y = original; },
          [&] { return close(y, expected, 1e-6); }};
}

Case mandelbrot() {
  constexpr int width = 1024, height = 768, most = 256;
  auto &out = keep(Numbers<int>(width * height)), &expected = keep(Numbers<int>(width * height));
  constexpr float dx = 3.f / width, dy = 2.f / height;
  auto plain = [&](Numbers<int>& to) {
    for (int py = 0; py < height; ++py)
      for (int px = 0; px < width; ++px) {
        const float cx = -2.f + static_cast<float>(px) * dx, cy = -1.f + static_cast<float>(py) * dy;
        float zx = 0, zy = 0;
        int it = 0;
        while (it < most && zx * zx + zy * zy <= 4.f) {
          const float t = zx * zx - zy * zy + cx;
          zy = 2.f * zx * zy + cy;
          zx = t;
          ++it;
        }
        to[static_cast<std::size_t>(py * width + px)] = it;
      }
  };
  return {"mandelbrot",
          "02_mandelbrot",
          {"mandel", {width / 16, height / 16}, {16, 16}},
          Arguments().add(out.data()).add(width).add(height).add(-2.f).add(-1.f).add(dx).add(dy).add(most),
          [&](auto& h) { h.name(out); },
          [&, plain] { plain(expected); },
          [] {},
          [&] {  // roundings differ, and near the border of the set they are amplified
            int differ = 0;
            for (std::size_t i = 0; i < out.size(); ++i) differ += std::abs(out[i] - expected[i]) > 2;
            return differ < static_cast<int>(out.size() / 50);
          }};
}

// As one writes it down: a dot product for each element. The compiler keeps the order of its additions, and so do we.
void multiply_by_elements(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

// The tiles of the kernel, written as loops: g++ keeps a tile's sums in registers, and this is near the processor's
// peak.
void multiply_in_tiles(const float* a, const float* b, float* c, int n) {
  constexpr int tile = 16;
  for (int by = 0; by < n; by += tile)
    for (int bx = 0; bx < n; bx += tile) {
      float sums[tile][tile] = {};
      for (int t = 0; t < n; t += tile) {
        float as[tile][tile], bs[tile][tile];
        for (int y = 0; y < tile; ++y)
          for (int x = 0; x < tile; ++x) {
            as[y][x] = a[(by + y) * n + t + x];
            bs[y][x] = b[(t + y) * n + bx + x];
          }
        for (int y = 0; y < tile; ++y)
          for (int x = 0; x < tile; ++x)
            for (int k = 0; k < tile; ++k) sums[y][x] += as[y][k] * bs[k][x];
      }
      for (int y = 0; y < tile; ++y)
        for (int x = 0; x < tile; ++x) c[(by + y) * n + bx + x] = sums[y][x];
    }
}

// Without tiles, in the order of loops that vectorises best.
template <class T> void multiply_by_rows(const T* a, const T* b, T* c, int n) {
  std::fill(c, c + n * n, T{});
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

Case matmul_beside(const std::string& name, void (*plain)(const float*, const float*, float*, int)) {
  constexpr int n = 512;
  auto &a = keep(numbers<float>(n * n)), &b = keep(numbers<float>(n * n)), &c = keep(Floats(n * n)),
       &expected = keep(Floats(n * n));
  return {name,
          "03_matmul_f32",
          {"matmul", {n / 16, n / 16}, {16, 16}},
          Arguments().add(a.data()).add(b.data()).add(c.data()).add(n),
          [&](auto& h) {
            h.name(a);
            h.name(b);
            h.name(c);
          },
          [&, plain] { plain(a.data(), b.data(), expected.data(), n); },
          [] {},
          [&] { return close(c, expected, 1e-4); }};
}
Case matmul() { return matmul_beside("matmul", multiply_by_elements); }
Case matmul_tiles() { return matmul_beside("matmul/tiles", multiply_in_tiles); }
Case matmul_rows() { return matmul_beside("matmul/rows", multiply_by_rows<float>); }

Case reduction() {
  constexpr int n = 16 << 20;
  auto &in = keep(numbers<float>(n)), &out = keep(Floats(1)), &expected = keep(Floats(1));
  return {"reduction",
          "04_reduce_shared",
          {"reduce", {256}, {256}},
          Arguments().add(in.data()).add(out.data()).add(n),
          [&](auto& h) {
            h.name(in);
            h.name(out);
          },
          [&] {
            float sum = 0;
            for (int i = 0; i < n; ++i) sum += in[static_cast<std::size_t>(i)];
            expected[0] = sum;
          },
          [&] { out[0] = 0; },
          [&] { return std::abs(out[0] - n / 2.0) < n / 500.0; }};
}

Case transpose() {
  constexpr int n = 2048;
  auto &in = keep(numbers<float>(n * n)), &out = keep(Floats(n * n)), &expected = keep(Floats(n * n));
  return {"transpose",
          "05_transpose",
          {"transpose", {n / 32, n / 32}, {32, 8}},
          Arguments().add(out.data()).add(in.data()).add(n).add(n),
          [&](auto& h) {
            h.name(in);
            h.name(out);
          },
          [&] {
            for (int i = 0; i < n; ++i)
              for (int j = 0; j < n; ++j)
                expected[static_cast<std::size_t>(j * n + i)] = in[static_cast<std::size_t>(i * n + j)];
          },
          [] {},
          [&] { return out == expected; }};
}

Case heat2d() {
  constexpr int n = 2048;
  auto &u = keep(numbers<float>(n * n)), &v = keep(Floats(n * n)), &expected = keep(Floats(n * n));
  return {"heat2d",
          "06_heat2d",
          {"heat2d", {n / 32, n / 8}, {32, 8}},
          Arguments().add(u.data()).add(v.data()).add(n).add(n).add(0.1f),
          [&](auto& h) {
            h.name(u);
            h.name(v);
          },
          [&] {
            const float* from = u.data();
            float* to = expected.data();
            for (int j = 1; j < n - 1; ++j)
              for (int i = 1; i < n - 1; ++i) {
                const int c = j * n + i;
                to[c] = from[c] + 0.1f * (from[c - 1] + from[c + 1] + from[c - n] + from[c + n] - 4.f * from[c]);
              }
          },
          [] {},
          [&] { return close(v, expected, 1e-5); }};
}

Case histogram() {
  constexpr int n = 16 << 20;
  auto& in = keep(numbers<unsigned char>(n, 256));
  auto &h = keep(Numbers<unsigned>(256)), &expected = keep(Numbers<unsigned>(256));
  return {"histogram",
          "07_histogram",
          {"hist_shared", {256}, {256}},
          Arguments().add(in.data()).add(h.data()).add(n),
          [&](auto& harness) {
            harness.name(in);
            harness.name(h);
          },
          [&] {
            std::fill(expected.begin(), expected.end(), 0u);
            for (unsigned char each : in) ++expected[each];
          },
          [&] { std::fill(h.begin(), h.end(), 0u); },
          [&] { return h == expected; }};
}

Case nbody() {
  constexpr int n = 4096;
  auto &pos = keep(numbers<float>(4 * n)), &acc = keep(Floats(4 * n)), &expected = keep(Floats(4 * n));
  return {"nbody",
          "08_nbody",
          {"nbody", {n / 256}, {256}, 256 * 16},
          Arguments().add(pos.data()).add(acc.data()).add(n).add(1e-3f),
          [&](auto& h) {
            h.name(pos);
            h.name(acc);
          },
          [&] {
            for (int i = 0; i < n; ++i) {
              float ax = 0, ay = 0, az = 0;
              const float* p = &pos[static_cast<std::size_t>(4 * i)];
              for (int k = 0; k < n; ++k) {
                const float* q = &pos[static_cast<std::size_t>(4 * k)];
                const float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
                const float r = 1.f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f), f = q[3] * r * r * r;
                ax += dx * f, ay += dy * f, az += dz * f;
              }
              float* to = &expected[static_cast<std::size_t>(4 * i)];
              to[0] = ax, to[1] = ay, to[2] = az, to[3] = 0;
            }
          },
          [] {},
          [&] { return close(acc, expected, 1e-3); }};
}

Case dgemm() {
  constexpr int n = 512;
  auto &a = keep(numbers<double>(n * n)), &b = keep(numbers<double>(n * n)), &c = keep(Numbers<double>(n * n)),
       &expected = keep(Numbers<double>(n * n));
  return {"dgemm",
          "34_matmul_f64",
          {"dgemm", {n / 16, n / 16}, {16, 16}},
          Arguments().add(a.data()).add(b.data()).add(c.data()).add(n).add(n).add(n),
          [&](auto& h) {
            h.name(a);
            h.name(b);
            h.name(c);
          },
          [&] { multiply_by_rows(a.data(), b.data(), expected.data(), n); },
          [] {},
          [&] { return close(c, expected, 1e-10); }};
}

// Rows of 12 to 20 entries at random columns.
Case spmv() {
  constexpr int n = 1 << 18;
  auto &rows = keep(Numbers<int>(n + 1)), &columns = keep(Numbers<int>());
  std::uint32_t state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    for (std::uint32_t k = 0; k < 12 + (state >> 16) % 9; ++k)
      columns.push_back(static_cast<int>((state >> 8) * (k + 1) * 2654435761u >> 14));
    rows[static_cast<std::size_t>(i) + 1] = static_cast<int>(columns.size());
  }
  auto &values = keep(numbers<float>(columns.size())), &x = keep(numbers<float>(n)), &y = keep(Floats(n)),
       &expected = keep(Floats(n));
  return {"spmv",
          "33_spmv_graph",
          {"spmv", {n / 256}, {256}},
          Arguments().add(n).add(rows.data()).add(columns.data()).add(values.data()).add(x.data()).add(y.data()),
          [&](auto& h) {
            h.name(rows);
            h.name(columns);
            h.name(values);
            h.name(x);
            h.name(y);
          },
          [&] {
            for (std::size_t i = 0; i < n; ++i) {
              float sum = 0;
              for (auto k = static_cast<std::size_t>(rows[i]); k < static_cast<std::size_t>(rows[i + 1]); ++k)
                sum += values[k] * x[static_cast<std::size_t>(columns[k])];
              expected[i] = sum;
            }
          },
          [] {},
          [&] { return close(y, expected, 1e-4); }};
}

// Trial division: neighbouring numbers need 1 to 500 steps.
Case primes() {
  constexpr int n = 1 << 18;
  auto &out = keep(Numbers<int>(n)), &expected = keep(Numbers<int>(n));
  const std::string source =
      "extern \"C\" __global__ void primes(int* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n"
      "  int least = i;\n"
      "  for (int d = 2; d * d <= i; ++d)\n"
      "    if (i % d == 0) { least = d; break; }\n"
      "  out[i] = least;\n"
      "}\n";
  return {"primes",
          source,
          {"primes", {n / 256}, {256}},
          Arguments().add(out.data()).add(n),
          [&](auto& h) { h.name(out); },
          [&] {
            for (int i = 0; i < n; ++i) {
              int least = i;
              for (int d = 2; d * d <= i; ++d)
                if (i % d == 0) {
                  least = d;
                  break;
                }
              expected[static_cast<std::size_t>(i)] = least;
            }
          },
          [] {},
          [&] { return out == expected; }};
}

Case bitonic() {
  constexpr int n = 1 << 20, block = 512;
  auto &original = keep(numbers<int>(n, 1 << 24)), &data = keep(Numbers<int>(n)), &expected = keep(Numbers<int>(n));
  return {"bitonic",
          "18_bitonic",
          {"bitonic_shared", {n / block}, {block}, block * 4},
          Arguments().add(data.data()),
          [&](auto& h) { h.name(data); },
          [&] {
            for (int i = 0; i < n; i += block) std::sort(data.begin() + i, data.begin() + i + block);
            expected = data;
          },
          [&] { data = original; },
          [&] { return data == expected; }};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::pair<std::string, Case (*)()>> all = {{"saxpy", saxpy},
                                                               {"mandelbrot", mandelbrot},
                                                               {"matmul", matmul},
                                                               {"matmul/rows", matmul_rows},
                                                               {"matmul/tiles", matmul_tiles},
                                                               {"heat2d", heat2d},
                                                               {"nbody", nbody},
                                                               {"reduction", reduction},
                                                               {"transpose", transpose},
                                                               {"histogram", histogram},
                                                               {"spmv", spmv},
                                                               {"primes", primes},
                                                               {"bitonic", bitonic},
                                                               {"dgemm", dgemm}};
  try {
    Translator translator;
    fmt::print("{}\n", translator.target());
    for (const auto& [name, make] : all) {
      if (argc > 1 && std::find(argv + 1, argv + argc, name) == argv + argc) continue;
      Case each = make();
      measure(translator, each);
    }
  } catch (const xcuda::Error& error) {
    fmt::print(stderr, "{} {}\n", error.message, error.library);
    return 1;
  }
}
