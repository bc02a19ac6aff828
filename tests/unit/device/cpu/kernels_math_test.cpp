// The kernels of files 11 to 24: mathematics, memory spaces, sorting, cooperative groups, CUB, cuda::std, halves,
// integers. References are the host's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numeric>

#include "tests/unit/device/cpu/device_fixture.hpp"
#include "tests/unit/device/cpu/random_numbers.hpp"

namespace xcuda::device::cpu {
namespace {

class MathKernels : public DeviceTest {
 protected:
  MathKernels() { golden_ = true; }

  // All of the file's functions in one sum, in double.
  static double sum_of_functions(double a, double b) {
    return std::sin(a) + std::cos(b) + std::exp(a) * std::log(b) + std::pow(a, b) + std::tan(a) + std::tanh(b) +
           std::sqrt(a) + 1 / std::sqrt(b) + a / b + std::fabs(a) + std::fmin(a, b) + std::floor(a) + std::ceil(b) +
           std::round(a) + std::trunc(b) + std::rint(a) + std::fmod(a, b) + std::atan2(a, b) + std::erf(a);
  }
  void check_single(const char* file, double tolerance) {
    load(file);
    const std::size_t n = 1000;
    const auto a = numbers<float>(n, 0.05, 0.95, 3), b = numbers<float>(n, 0.05, 0.95, 4);
    const auto da = make("a", a), db = make("b", b), out = zeros<float>("o", n);
    launch("mathf", {{8}, {128}}, da, db, out, static_cast<int>(n));
    const auto got = read(out);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = a[i], y = b[i];
      const double wanted = sum_of_functions(x, y) + std::lgamma(y) + std::cbrt(x) + std::hypot(x, y) + std::log2(x) +
                            std::exp2(y) + std::log1p(x) + std::expm1(y) + std::copysign(x, y) + std::ldexp(x, 3) +
                            std::asin(x) + std::acos(y) + std::sinh(x) + std::log10(y);
      ASSERT_NEAR(got[i], wanted, tolerance * std::max(1.0, std::fabs(wanted))) << a[i] << " " << b[i];
    }
    launch("logistic", {{8}, {128}}, da, out, static_cast<int>(n));
    const auto logistic = read(out);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(logistic[i], 1 / (1 + std::exp(-double{a[i]})), tolerance);
  }
};

TEST_F(MathKernels, SinglePrecision) { check_single("11_math_f32", 2e-6); }
TEST_F(MathKernels, SinglePrecisionWithFastMath) { check_single("12_math_f32_fast", 2e-5); }

TEST_F(MathKernels, DoublePrecision) {
  load("13_math_f64");
  // The last ones need the slow reduction of angles, which is a call.
  std::vector<double> a = numbers<double>(500, 0.05, 3, 5), b = numbers<double>(500, 0.05, 3, 6);
  a.insert(a.end(), {1e10, 5e12, 3e9});
  b.insert(b.end(), {2.5, 1e12, 0.25});
  const auto n = static_cast<int>(a.size());
  const auto out = zeros<double>("o", a.size());
  launch("mathd", {{4}, {128}}, make("a", a), make("b", b), out, n);
  const auto got = read(out);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    double wanted = sum_of_functions(x, y) + std::tgamma(y) + std::cbrt(x) + std::hypot(x, y) + std::log2(x) +
                    std::exp2(y) + std::log1p(x) + std::expm1(y) + std::fma(x, y, x) +
                    static_cast<double>(static_cast<long long>(x)) + static_cast<float>(x);
    wanted += y < 4294967295.0 ? static_cast<double>(static_cast<unsigned>(y)) : 4294967295.0;
    if (std::isfinite(wanted))
      ASSERT_NEAR(got[i], wanted, 1e-13 * std::max(1.0, std::fabs(wanted))) << x << " " << y;
    else
      ASSERT_FALSE(std::isfinite(got[i])) << x << " " << y;
  }
}

TEST_F(MathKernels, BlackScholes) {
  load("13_math_f64");
  const auto s = numbers<double>(300, 10, 100, 1), k = numbers<double>(300, 10, 100, 2),
             t = numbers<double>(300, 0.1, 5, 3);
  const auto out = zeros<double>("call", 300);
  launch("black_scholes", {{3}, {100}}, make("S", s), make("K", k), make("T", t), out, 300, 0.02, 0.3);
  const auto got = read(out);
  const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double root = std::sqrt(t[i]), d1 = (std::log(s[i] / k[i]) + (0.02 + 0.5 * 0.09) * t[i]) / (0.3 * root),
                 d2 = d1 - 0.3 * root;
    ASSERT_NEAR(got[i], s[i] * normal(d1) - k[i] * std::exp(-0.02 * t[i]) * normal(d2), 1e-11);
  }
}

TEST_F(MathKernels, ConstantAndLocalMemory) {
  load("15_const_dyn_local");
  const int w = 37, h = 21;
  std::vector<float> in = numbers<float>(static_cast<std::size_t>(w * h)), coefficients = numbers<float>(64, 0, 1, 9);
  for (const VariableInfo& variable : info_.variables)
    if (variable.symbol == "coef") write(Array<float>{variable.address, 64}, coefficients);
  const auto out = zeros<float>("out", in.size());
  launch("conv", {{3, 3}, {16, 8}}, make("in", in), out, w, h);
  const auto got = read(out);
  const float weights[] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      float sum = 1.5f;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const int xx = std::clamp(x + i, 0, w - 1), yy = std::clamp(y + j, 0, h - 1);
          sum += in[static_cast<std::size_t>(yy * w + xx)] * weights[(j + 1) * 3 + i + 1] *
                 coefficients[static_cast<std::size_t>((x + i) & 63)];
        }
      ASSERT_NEAR(got[static_cast<std::size_t>(y * w + x)], sum / 16, 1e-6f) << x << " " << y;
    }
  for (const VariableInfo& variable : info_.variables)
    if (variable.symbol == "gcount") {
      EXPECT_EQ(read(Array<int>{variable.address, 1})[0], w * h);
    }

  const std::size_t threads = 96;
  std::vector<int> values(32 * threads);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7919 % 1009);
  const auto medians = zeros<int>("out", threads);
  for (const int n : {32, 5, 1}) {
    launch("localarr", {{1}, {threads}}, make("in", values), medians, n);
    const auto sorted = read(medians);
    for (std::size_t t = 0; t < threads; ++t) {
      std::vector<int> own;
      for (std::size_t i = 0; i < 32; ++i) own.push_back(values[i * threads + t]);
      std::sort(own.begin(), own.begin() + n);
      ASSERT_EQ(sorted[t], own[static_cast<std::size_t>(n / 2)]) << t << " of " << n;
    }
  }
}

TEST_F(MathKernels, DynamicSharedMemory) {
  load("15_const_dyn_local");
  const auto g = numbers<float>(128);
  const auto array = make("g", g);
  launch("dyn", {{1}, {128}, 128 * 12}, array, 128);
  const auto got = read(array);
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(got[i], static_cast<float>(g[127 - i] + static_cast<double>(g[i])));
}

TEST_F(MathKernels, BitonicSorts) {
  load("18_bitonic");
  std::vector<int> values(4 * 256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 2654435761u >> 8) % 1000 - 500;
  const auto array = make("d", values);
  launch("bitonic_shared", {{4}, {256}, 1024}, array);
  const auto sorted = read(array);
  for (std::size_t block = 0; block < 4; ++block) {
    auto wanted = std::vector<int>(values.begin() + static_cast<long>(block) * 256,
                                   values.begin() + static_cast<long>(block + 1) * 256);
    std::sort(wanted.begin(), wanted.end());
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), sorted.begin() + static_cast<long>(block) * 256)) << block;
  }
  auto floats = numbers<float>(1024);
  const auto steps = make("f", floats);
  for (int k = 2; k <= 1024; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) launch("bitonic_step", {{4}, {256}}, steps, j, k);
  std::sort(floats.begin(), floats.end());
  EXPECT_EQ(read(steps), floats);
}

TEST_F(MathKernels, CooperativeGroupsScanAndReduce) {
  load("19_scan_cg");
  for (const int n : {1, 100, 1000, 1024}) {
    std::vector<int> in(1024);
    std::iota(in.begin(), in.end(), 1);
    const auto out = zeros<int>("out", 1024);
    launch("prefix", {{1}, {1024}}, make("in", in), out, n);
    const auto got = read(out);
    int sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) ASSERT_EQ(got[i], sum += in[i]) << i << " of " << n;
  }
  std::vector<float> in(128);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 19);
  const auto out = zeros<float>("out", 8);
  launch("cgred", {{1}, {128}}, make("in", in), out);
  const auto got = read(out);
  for (std::size_t tile = 0; tile < 8; ++tile) {
    const float sum =
        std::accumulate(in.begin() + static_cast<long>(tile) * 16, in.begin() + static_cast<long>(tile + 1) * 16, 0.f);
    EXPECT_EQ(got[tile], 2 * sum) << tile;
  }
  in[0] = 1;  // the coalesced groups of the four warps, counted
  launch("cgred", {{1}, {128}}, make("in", in), out);
  EXPECT_GE(read(out)[0], 128.f);
}

TEST_F(MathKernels, CubSumsScansAndSorts) {
  load("20_cub");
  std::vector<int> in(3 * 128);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 37 % 101);
  const auto sums = zeros<int>("out", 3);
  launch("cubred", {{3}, {128}}, make("in", in), sums);
  for (std::size_t block = 0; block < 3; ++block)
    EXPECT_EQ(read(sums)[block], std::accumulate(in.begin() + static_cast<long>(block) * 128,
                                                 in.begin() + static_cast<long>(block + 1) * 128, 0));

  std::vector<int> values(512);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 13 % 7);
  const auto scanned = zeros<int>("out", 512);
  launch("cubscan", {{1}, {128}}, make("in", values), scanned);
  std::vector<int> wanted(512);
  std::exclusive_scan(values.begin(), values.end(), wanted.begin(), 0);
  EXPECT_EQ(read(scanned), wanted);

  std::vector<std::uint32_t> keys(512);
  for (std::uint32_t i = 0; i < 512; ++i) keys[i] = i * 2654435761u;
  const auto sorted = zeros<std::uint32_t>("out", 512);
  launch("cubsort", {{1}, {128}}, make("in", keys), sorted);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(read(sorted), keys);

  std::vector<float> floats(128);
  std::iota(floats.begin(), floats.end(), 1.f);
  const auto warps = zeros<float>("out", 4);
  launch("cubwarp", {{1}, {128}}, make("in", floats), warps);
  EXPECT_EQ(read(warps), (std::vector<float>{528, 1552, 2576, 3600}));
}

TEST_F(MathKernels, StandardLibraryOfTheDevice) {
  load("21_cudastd");
  const std::size_t n = 200;
  const auto re = numbers<float>(n, -1, 1, 1), im = numbers<float>(n, -1, 1, 2);
  std::vector<std::complex<float>> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = {re[i], im[i]};
  const std::complex<float> c{-0.4f, 0.6f};
  const auto array = make("z", z);
  const auto counts = zeros<int>("o", n);
  launch("julia", {{7}, {32}}, array, counts, c, static_cast<int>(n));
  const auto got = read(counts);
  const auto result = read(array);
  int differ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::complex<float> v = z[i];
    int k = 0;
    for (; k < 100 && std::norm(v) < 4.f; ++k)
      v = {v.real() * v.real() - v.imag() * v.imag() + c.real(), 2 * v.real() * v.imag() + c.imag()};
    differ += std::abs(k - got[i]) > 1;
    ASSERT_LE(got[i], 100);
    ASSERT_FALSE(std::isnan(result[i].real()));
  }
  EXPECT_LT(differ, 10);  // contracted multiplications make chaotic orbits differ

  const auto a = make<std::uint32_t>("a", {1, 0xff, 0x00ff'ffff, 0, 1, 0});
  const auto f = make("f", std::vector<float>(128, 0.f));
  launch("misc", {{1}, {32}}, a, f);
  const auto words = read(a);
  EXPECT_GE(words[3], 32u);
  EXPECT_EQ(words[4], 3u);
}

}  // namespace
}  // namespace xcuda::device::cpu
