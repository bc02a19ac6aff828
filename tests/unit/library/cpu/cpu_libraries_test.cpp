#include "library/cpu/cpu_libraries.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "base/half.hpp"
#include "library/product.hpp"
#include "tests/unit/library/operands.hpp"

namespace xcuda::library {
namespace {

// Products on this machine's OpenBLAS, against sums in double.
class CpuProducts : public testing::Test {
 protected:
  cpu::Libraries libraries_{2};
  void SetUp() override {
    try {
      libraries_.open({});
    } catch (const Error& error) {
      GTEST_SKIP() << error.message << ": " << error.library;
    }
  }
};

TEST_F(CpuProducts, EveryLayoutOfFloats) {
  std::mt19937 random(1);
  const std::uint64_t m = 5, n = 7, k = 3;
  std::vector<float> a(200), b(200), c(200);
  for (auto* one : {&a, &b, &c})
    for (auto& value : *one) value = static_cast<float>(static_cast<int>(random() % 17) - 8);
  for (const Strides& left : {Strides{k, 1}, Strides{k + 2, 1}, Strides{1, m}, Strides{1, m + 3}})
    for (const Strides& right : {Strides{n, 1}, Strides{1, k + 1}})
      for (const Strides& to : {Strides{n, 1}, Strides{n + 4, 1}, Strides{1, m}})
        for (const auto activation : {Activation::none, Activation::relu}) {
          std::vector<float> d(200, -1000);
          auto call =
              call_of(operand({m, n}, to, Scalar::float32, d.data()), operand({m, k}, left, Scalar::float32, a.data()),
                      operand({k, n}, right, Scalar::float32, b.data()));
          const Strides from = to[0] == 1 ? Strides{1, 6} : Strides{9, 1};
          call.operands[kAddend] = operand({m, n}, from, Scalar::float32, c.data());
          call.operands[kBias] = operand({n}, {1}, Scalar::float32, c.data() + 100);
          call.scalars = {2, 0, 3, 0};
          call.activation = activation;
          libraries_.run(call);
          const auto at = [](const auto& list, const Strides& strides, std::uint64_t i, std::uint64_t j) {
            return list[static_cast<std::size_t>(static_cast<std::int64_t>(i) * strides[0] +
                                                 static_cast<std::int64_t>(j) * strides[1])];
          };
          for (std::uint64_t i = 0; i < m; ++i)
            for (std::uint64_t j = 0; j < n; ++j) {
              double sum = 3.0 * at(c, from, i, j) + c[100 + j];
              for (std::uint64_t l = 0; l < k; ++l) sum += 2.0 * at(a, left, i, l) * at(b, right, l, j);
              if (activation == Activation::relu && sum < 0) sum = 0;
              EXPECT_EQ(at(d, to, i, j), sum);
            }
          if (to[0] == static_cast<std::int64_t>(n + 4)) {
            EXPECT_EQ(d[n], -1000);  // between the rows
          }
        }
}

TEST_F(CpuProducts, EveryType) {
  const std::uint64_t k = 4;
  const auto strides = Strides{4, 1};
  const auto run = [&]<class T, class R>(Scalar type, Scalar result_type, const std::vector<T>& values,
                                         std::vector<R>& result) {
    libraries_.run(call_of(operand({k, k}, strides, result_type, result.data()),
                           operand({k, k}, strides, type, values.data()),
                           operand({k, k}, {1, 4}, type, values.data())));
  };
  std::vector<double> real(16);
  std::iota(real.begin(), real.end(), -7.0);
  std::vector<double> wanted(16, 0);  // real by its transpose
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t l = 0; l < 4; ++l) wanted[i * 4 + j] += real[i * 4 + l] * real[j * 4 + l];
  std::vector<double> doubles(16);
  run(Scalar::float64, Scalar::float64, real, doubles);
  EXPECT_EQ(doubles, wanted);
  const std::vector<std::int8_t> bytes(real.begin(), real.end());
  std::vector<int> sums(16);
  run(Scalar::int8, Scalar::int32, bytes, sums);
  EXPECT_EQ(sums, std::vector<int>(wanted.begin(), wanted.end()));
  std::vector<std::uint16_t> halves, brains, half_result(16), brain_result(16);
  for (const double value : real) {
    halves.push_back(double_to_half(value));
    brains.push_back(double_to_bfloat16(value));
  }
  run(Scalar::float16, Scalar::float16, halves, half_result);
  run(Scalar::bfloat16, Scalar::bfloat16, brains, brain_result);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(half_result[i], double_to_half(wanted[i]));
    EXPECT_EQ(brain_result[i], double_to_bfloat16(wanted[i]));
  }
  std::vector<std::complex<double>> complex, complex_result(16);
  for (const double value : real) complex.emplace_back(value, 1);
  run(Scalar::complex128, Scalar::complex128, complex, complex_result);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      std::complex<double> sum = 0;
      for (std::size_t l = 0; l < 4; ++l) sum += complex[i * 4 + l] * complex[j * 4 + l];
      EXPECT_EQ(complex_result[i * 4 + j], sum);
    }
}

TEST(CpuLibraries, AMissingOneSaysHowToInstallIt) {
  try {
    Call call = call_of(operand({1, 1}, {1, 1}), operand({1, 1}, {1, 1}), operand({1, 1}, {1, 1}));
    call.library = "/nowhere/libopenblas.so";
    cpu::Libraries(1).run(call);
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_NE(error.advice.find("pip install"), std::string::npos) << error.advice;
  }
}

}  // namespace
}  // namespace xcuda::library
