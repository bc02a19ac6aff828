#include "library/cpu/fourier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "library/transform.hpp"
#include "tests/unit/library/operands.hpp"

namespace xcuda::library {
namespace {

template <class T> using List = std::vector<std::complex<T>>;

template <class T> constexpr Scalar kComplex = sizeof(T) == 4 ? Scalar::complex64 : Scalar::complex128;
template <class T> constexpr Scalar kReal = sizeof(T) == 4 ? Scalar::float32 : Scalar::float64;

template <class T> List<T> some_numbers(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  List<T> list(count);
  for (auto& one : list) one = {static_cast<T>(normal(random)), static_cast<T>(normal(random))};
  return list;
}

Call call_of_transform(Operand to, Operand from, std::size_t axes, int direction) {
  Call call;
  call.operation = Operation::fourier;
  call.operands = {std::move(to), std::move(from)};
  call.scalars = {static_cast<double>(axes), static_cast<double>(direction)};
  return call;
}

// Element k by the sum that defines it.
template <class T> std::complex<double> sum_of(const List<T>& x, std::uint64_t k, int direction) {
  std::complex<long double> sum;
  const auto n = x.size();
  for (std::uint64_t i = 0; i < n; ++i)
    sum += std::complex<long double>(x[i]) *
           std::polar(1.0L, direction * 2 * std::numbers::pi_v<long double> * static_cast<long double>(i * k % n) /
                                static_cast<long double>(n));
  return std::complex<double>(sum);
}

template <class T> void expect_line(std::uint64_t n, double tolerance) {
  cpu::Fourier fourier(2);
  const auto x = some_numbers<T>(n);
  const double size = std::sqrt(static_cast<double>(n));
  for (const int direction : {-1, 1}) {
    List<T> y(n);
    fourier.run(call_of_transform(operand({n}, {1}, kComplex<T>, y.data()), operand({n}, {1}, kComplex<T>, x.data()), 1,
                                  direction));
    for (std::uint64_t j = 0; j < std::min<std::uint64_t>(n, 12); ++j) {
      const auto k = n <= 12 ? j : j * 7919 % n;
      EXPECT_NEAR(std::abs(std::complex<double>(y[k]) - sum_of(x, k, direction)), 0, tolerance * size) << n << ' ' << k;
    }
  }
}

// Small factors, primes, lengths that are split, and long ones that need a chirp.
TEST(Fourier, IsTheSumThatDefinesIt) {
  for (const std::uint64_t n :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 25, 32, 60, 64, 77, 97, 128, 143, 512, 720, 1000})
    expect_line<double>(n, 3e-15);
  for (const std::uint64_t n : {1024, 2187, 3125, 4096, 5003, 8192, 9973, 16384, 19683, 46189})
    expect_line<double>(n, 3e-15);
  for (const std::uint64_t n : {7, 64, 1000, 1024, 10007, 65536}) expect_line<float>(n, 2e-6);
}

// [5][n][7] along the axis in the middle, from a larger array, against lines by themselves: more lines than lanes, and
// strides of any kind.
template <class T> void expect_axis(std::uint64_t n) {
  cpu::Fourier fourier(2);
  const auto x = some_numbers<T>(5 * n * 16);
  List<T> y(5 * n * 7), line(n), wanted(n);
  const auto wide = static_cast<std::int64_t>(n);
  fourier.run(call_of_transform(operand({5, 7, n}, {7 * wide, 1, 7}, kComplex<T>, y.data()),
                                operand({5, 7, n}, {16 * wide, 2, 16}, kComplex<T>, x.data()), 1, -1));
  for (std::uint64_t a = 0; a < 5; ++a)
    for (std::uint64_t b = 0; b < 7; ++b) {
      for (std::uint64_t i = 0; i < n; ++i) line[i] = x[a * n * 16 + i * 16 + 2 * b];
      fourier.run(call_of_transform(operand({n}, {1}, kComplex<T>, wanted.data()),
                                    operand({n}, {1}, kComplex<T>, line.data()), 1, -1));
      for (std::uint64_t i = 0; i < n; ++i)
        EXPECT_NEAR(std::abs(wanted[i] - y[a * n * 7 + i * 7 + b]), 0, 1e-5 * std::sqrt(static_cast<double>(n)));
    }
}
TEST(Fourier, LinesLieAnywhere) {
  for (const std::uint64_t n : {1, 6, 17, 96, 2000}) {
    expect_axis<float>(n);
    expect_axis<double>(n);
  }
}

// Real numbers and back, odd and even, few lines and many, side by side and one after the other.
template <class T> void expect_real(std::uint64_t lines, std::uint64_t n, bool side_by_side) {
  cpu::Fourier fourier(1);
  const auto half = n / 2 + 1;
  std::vector<T> x(lines * n), back(lines * n);
  std::mt19937 random(3);
  for (auto& one : x) one = static_cast<T>(static_cast<int>(random() % 17) - 8);
  List<T> spectrum(lines * half);
  const auto strides = [&](std::uint64_t extent) {
    return side_by_side ? Strides{1, static_cast<std::int64_t>(lines)} : Strides{static_cast<std::int64_t>(extent), 1};
  };
  fourier.run(call_of_transform(operand({lines, half}, strides(half), kComplex<T>, spectrum.data()),
                                operand({lines, n}, strides(n), kReal<T>, x.data()), 1, -1));
  for (std::uint64_t line = 0; line < lines; line += 3) {
    List<T> one(n);
    for (std::uint64_t i = 0; i < n; ++i) one[i] = x[side_by_side ? i * lines + line : line * n + i];
    for (std::uint64_t j = 0; j < std::min<std::uint64_t>(half, 8); ++j) {
      const auto k = half <= 8 ? j : half - 1 - j;
      const std::complex<double> got(spectrum[side_by_side ? k * lines + line : line * half + k]);
      EXPECT_NEAR(std::abs(got - sum_of(one, k, -1)), 0, 2e-5 * std::sqrt(static_cast<double>(n))) << n << ' ' << k;
    }
  }
  fourier.run(call_of_transform(operand({lines, n}, strides(n), kReal<T>, back.data()),
                                operand({lines, half}, strides(half), kComplex<T>, spectrum.data()), 1, 1));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(back[i] / static_cast<double>(n), x[i], 2e-5) << lines << " of " << n << ": " << i;
}
TEST(Fourier, RealNumbersThereAndBack) {
  for (const std::uint64_t n : {1, 2, 3, 8, 15, 17, 60, 1024, 2001, 10000, 10007})
    for (const std::uint64_t lines : {1, 2, 17})
      for (const bool side_by_side : {false, true}) {
        if (n > 2001 && lines > 2) continue;
        expect_real<float>(lines, n, side_by_side);
        expect_real<double>(lines, n, side_by_side);
      }
}

TEST(Fourier, SeveralAxesAreOneAfterTheOther) {
  cpu::Fourier fourier(2);
  const std::uint64_t a = 6, b = 10, c = 9, half = c / 2 + 1;
  const auto x = some_numbers<double>(a * b * c);
  List<double> all(x.size()), step(x.size());
  const auto whole = Strides{b * c, c, 1};
  fourier.run(call_of_transform(operand({a, b, c}, whole, Scalar::complex128, all.data()),
                                operand({a, b, c}, whole, Scalar::complex128, x.data()), 3, -1));
  const void* from = x.data();
  for (const auto& [shape, strides] :
       {std::pair(Shape{a, b, c}, whole), std::pair(Shape{a, c, b}, Strides{b * c, 1, c}),
        std::pair(Shape{b, c, a}, Strides{c, 1, b * c})}) {
    fourier.run(call_of_transform(operand(shape, strides, Scalar::complex128, step.data()),
                                  operand(shape, strides, Scalar::complex128, from), 1, -1));
    from = step.data();
  }
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(std::abs(all[i] - step[i]), 0, 1e-12);
  // Real numbers: the first elements of the last axis, and the way back.
  std::vector<double> real(x.size()), back(x.size());
  List<double> of_real(x.size()), spectrum(a * b * half);
  for (std::size_t i = 0; i < x.size(); ++i) of_real[i] = real[i] = x[i].real();
  const auto halves = Strides{b * half, half, 1};
  fourier.run(call_of_transform(operand({a, b, half}, halves, Scalar::complex128, spectrum.data()),
                                operand({a, b, c}, whole, Scalar::float64, real.data()), 3, -1));
  fourier.run(call_of_transform(operand({a, b, c}, whole, Scalar::complex128, all.data()),
                                operand({a, b, c}, whole, Scalar::complex128, of_real.data()), 3, -1));
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    EXPECT_NEAR(std::abs(spectrum[i] - all[i / half * c + i % half]), 0, 1e-12);
  fourier.run(call_of_transform(operand({a, b, c}, whole, Scalar::float64, back.data()),
                                operand({a, b, half}, halves, Scalar::complex128, spectrum.data()), 3, 1));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i] / static_cast<double>(x.size()), real[i], 1e-14);
}

TEST(Fourier, WhatIsWrongIsSaid) {
  cpu::Fourier fourier(1);
  List<float> x(20), y(20);
  const auto refuses = [&](const Call& call) {
    try {
      fourier.run(call);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  const auto four = operand({4}, {1}, Scalar::complex64, x.data()),
             five = operand({5}, {1}, Scalar::complex64, y.data());
  const auto real = operand({4}, {1}, Scalar::float32, y.data()), none = operand({0}, {1}, Scalar::complex64, y.data());
  EXPECT_TRUE(refuses(call_of_transform(four, five, 1, -1)));
  EXPECT_TRUE(refuses(call_of_transform(four, real, 1, -1)));
  EXPECT_TRUE(refuses(call_of_transform(real, real, 1, -1)));
  EXPECT_TRUE(refuses(call_of_transform(four, four, 2, -1)));
  EXPECT_TRUE(refuses(call_of_transform(none, none, 1, -1)));
  EXPECT_TRUE(refuses(call_of_transform(operand({3}, {1}, Scalar::complex64, x.data()), real, 1, 1)));
  EXPECT_FALSE(refuses(call_of_transform(operand({3}, {1}, Scalar::complex64, x.data()), real, 1, -1)));
}

}  // namespace
}  // namespace xcuda::library
