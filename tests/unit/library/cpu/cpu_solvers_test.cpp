// Solvers of the CPU device: cpu_solvers.cpp, by cpu_libraries.hpp.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "library/cpu/cpu_libraries.hpp"
#include "library/solver.hpp"
#include "tests/unit/library/operands.hpp"

namespace xcuda::library {
namespace {

template <class T> constexpr Scalar kScalar = Scalar::none;
template <> constexpr Scalar kScalar<float> = Scalar::float32;
template <> constexpr Scalar kScalar<double> = Scalar::float64;
template <> constexpr Scalar kScalar<std::complex<float>> = Scalar::complex64;
template <> constexpr Scalar kScalar<std::complex<double>> = Scalar::complex128;
template <> constexpr Scalar kScalar<std::int32_t> = Scalar::int32;
template <> constexpr Scalar kScalar<std::int64_t> = Scalar::int64;

// Matrices column by column, [batch, columns, rows].
template <class T> struct Columns {
  std::uint64_t batch, rows, columns;
  std::vector<T> numbers;
  Columns(std::uint64_t b, std::uint64_t m, std::uint64_t n) : batch(b), rows(m), columns(n), numbers(b * m * n) {}
  T& at(std::uint64_t b, std::uint64_t i, std::uint64_t j) { return numbers[(b * columns + j) * rows + i]; }
  Operand operand() {
    return {reinterpret_cast<std::uint64_t>(numbers.data()),
            kScalar<T>,
            {batch, columns, rows},
            {static_cast<std::int64_t>(columns * rows), static_cast<std::int64_t>(rows), 1}};
  }
};
template <class T> struct Rows {
  std::uint64_t batch, count;
  std::vector<T> numbers;
  Rows(std::uint64_t b, std::uint64_t n) : batch(b), count(n), numbers(b * n) {}
  Operand operand() {
    return {reinterpret_cast<std::uint64_t>(numbers.data()),
            kScalar<T>,
            {batch, count},
            {static_cast<std::int64_t>(count), 1}};
  }
};
struct Info {
  std::vector<std::int32_t> numbers;
  explicit Info(std::uint64_t batch) : numbers(batch, -7) {}
  Operand operand() { return {reinterpret_cast<std::uint64_t>(numbers.data()), Scalar::int32, {numbers.size()}, {1}}; }
};

template <class T> class CpuSolvers : public testing::Test {
 protected:
  cpu::Libraries libraries_{1};
  std::mt19937 random_{5};
  void SetUp() override {
    try {
      libraries_.open({Family::solver, {}, {}});
    } catch (const Error& error) {
      GTEST_SKIP() << error.message << ": " << error.library;
    }
  }
  Columns<T> some(std::uint64_t batch, std::uint64_t m, std::uint64_t n) {
    Columns<T> result(batch, m, n);
    std::normal_distribution<double> normal;
    for (auto& one : result.numbers)
      if constexpr (sizeof(T) > sizeof(decltype(std::abs(one))))
        one = T(static_cast<decltype(std::abs(one))>(normal(random_)),
                static_cast<decltype(std::abs(one))>(normal(random_)));
      else
        one = static_cast<T>(normal(random_));
    return result;
  }
  void run(Operation operation, std::vector<Operand> operands) {
    Call call;
    call.operation = operation;
    call.operands = std::move(operands);
    libraries_.run(call);
  }
  static constexpr double kClose = sizeof(decltype(std::abs(T()))) == 4 ? 2e-5 : 1e-12;
};
using Numbers = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CpuSolvers, Numbers);

TYPED_TEST(CpuSolvers, ASolutionSolves) {
  auto a = this->some(3, 5, 5), b = this->some(3, 5, 2);
  auto lu = a, x = b;
  Rows<std::int64_t> pivots(3, 5);
  Info info(3);
  this->run(Operation::solve, {x.operand(), lu.operand(), pivots.operand(), info.operand()});
  EXPECT_EQ(info.numbers, std::vector<std::int32_t>(3, 0));
  for (std::uint64_t k = 0; k < 3; ++k)
    for (std::uint64_t i = 0; i < 5; ++i)
      for (std::uint64_t j = 0; j < 2; ++j) {
        TypeParam sum{};
        for (std::uint64_t l = 0; l < 5; ++l) sum += a.at(k, i, l) * x.at(k, l, j);
        EXPECT_NEAR(std::abs(sum - b.at(k, i, j)), 0, 10 * this->kClose);
      }
  // A column of zeros: the pivot is told.
  auto singular = a;
  for (std::uint64_t i = 0; i < 5; ++i) singular.at(1, i, 2) = 0;
  this->run(Operation::solve, {b.operand(), singular.operand(), pivots.operand(), info.operand()});
  EXPECT_EQ(info.numbers, (std::vector<std::int32_t>{0, 3, 0}));
}

TYPED_TEST(CpuSolvers, FactorsGiveTheMatrix) {
  for (const auto& [m, n] : {std::pair<std::uint64_t, std::uint64_t>(5, 3), {3, 5}, {4, 4}, {1, 1}}) {
    auto a = this->some(2, m, n);
    const auto k = std::min(m, n);
    auto lu = a, r = a;
    Rows<std::int64_t> pivots(2, k);
    Rows<TypeParam> tau(2, k);
    Info info(2);
    this->run(Operation::lu, {lu.operand(), pivots.operand(), info.operand()});
    this->run(Operation::qr, {r.operand(), tau.operand(), info.operand()});
    Columns<TypeParam> q(2, m, k);
    for (std::uint64_t b = 0; b < 2; ++b)
      for (std::uint64_t i = 0; i < m; ++i)
        for (std::uint64_t j = 0; j < k; ++j) q.at(b, i, j) = r.at(b, i, j);
    this->run(Operation::orthogonal, {q.operand(), tau.operand(), info.operand()});
    for (std::uint64_t b = 0; b < 2; ++b) {
      std::vector<std::uint64_t> order(m);
      for (std::uint64_t i = 0; i < m; ++i) order[i] = i;
      for (std::uint64_t i = 0; i < k; ++i)
        std::swap(order[i], order[static_cast<std::uint64_t>(pivots.numbers[b * k + i] - 1)]);
      for (std::uint64_t i = 0; i < m; ++i)
        for (std::uint64_t j = 0; j < n; ++j) {
          TypeParam product{}, rotated{};
          for (std::uint64_t l = 0; l < k; ++l) {
            const TypeParam lower = i == l ? TypeParam(1) : i > l ? lu.at(b, i, l) : TypeParam(0);
            if (l <= j) product += lower * lu.at(b, l, j);
            if (l <= j) rotated += q.at(b, i, l) * r.at(b, l, j);
          }
          EXPECT_NEAR(std::abs(product - a.at(b, order[i], j)), 0, this->kClose);
          EXPECT_NEAR(std::abs(rotated - a.at(b, i, j)), 0, this->kClose);
        }
    }
  }
}

TYPED_TEST(CpuSolvers, SpectraGiveTheMatrix) {
  using Part = decltype(std::abs(TypeParam()));
  auto conjugate = [](TypeParam value) -> TypeParam {
    if constexpr (sizeof(TypeParam) > sizeof(Part))
      return std::conj(value);
    else
      return value;
  };
  const std::uint64_t m = 6, n = 4;
  auto a = this->some(2, m, n);
  for (const auto columns : {n, m}) {
    auto copy = a;
    Rows<Part> s(2, n);
    Columns<TypeParam> u(2, m, columns), v(2, n, n);
    Info info(2);
    this->run(Operation::svd, {s.operand(), copy.operand(), u.operand(), v.operand(), info.operand()});
    for (std::uint64_t b = 0; b < 2; ++b)
      for (std::uint64_t i = 0; i < m; ++i)
        for (std::uint64_t j = 0; j < n; ++j) {
          TypeParam sum{};
          for (std::uint64_t l = 0; l < n; ++l) sum += u.at(b, i, l) * s.numbers[b * n + l] * v.at(b, l, j);
          EXPECT_NEAR(std::abs(sum - a.at(b, i, j)), 0, this->kClose);
        }
    auto again = a;
    Rows<Part> alone(2, n);
    this->run(Operation::svd, {alone.operand(), again.operand(), {}, {}, info.operand()});
    for (std::size_t i = 0; i < alone.numbers.size(); ++i) EXPECT_NEAR(alone.numbers[i], s.numbers[i], this->kClose);
  }
  // a by its adjoint is Hermitian and positive definite.
  Columns<TypeParam> square(1, n, n);
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      for (std::uint64_t l = 0; l < m; ++l) square.at(0, i, j) += conjugate(a.at(0, l, i)) * a.at(0, l, j);
  auto vectors = square, lower = square, values_of = square;
  Rows<Part> w(1, n), alone(1, n);
  Info info(1);
  this->run(Operation::eigenvectors, {w.operand(), vectors.operand(), info.operand()});
  this->run(Operation::eigenvalues, {alone.operand(), values_of.operand(), info.operand()});
  this->run(Operation::cholesky, {lower.operand(), info.operand()});
  EXPECT_EQ(info.numbers[0], 0);
  for (std::uint64_t i = 0; i < n; ++i) {
    EXPECT_NEAR(w.numbers[i], alone.numbers[i], 20 * this->kClose);
    for (std::uint64_t j = 0; j < n; ++j) {
      TypeParam turned{}, product{};
      for (std::uint64_t l = 0; l < n; ++l) turned += square.at(0, i, l) * vectors.at(0, l, j);
      for (std::uint64_t l = 0; l <= std::min(i, j); ++l) product += lower.at(0, i, l) * conjugate(lower.at(0, j, l));
      EXPECT_NEAR(std::abs(turned - w.numbers[j] * vectors.at(0, i, j)), 0, 20 * this->kClose);
      EXPECT_NEAR(std::abs(product - square.at(0, i, j)), 0, 20 * this->kClose);
    }
  }
  square.at(0, 2, 2) = -1;
  this->run(Operation::cholesky, {square.operand(), info.operand()});
  EXPECT_EQ(info.numbers[0], 3);
}

TYPED_TEST(CpuSolvers, VectorsOfAnyMatrixAreTurnedByTheirValues) {
  if constexpr (sizeof(TypeParam) == sizeof(decltype(std::abs(TypeParam())))) {
    GTEST_SKIP() << "of complex matrices";
  } else {
    const std::uint64_t n = 5;
    auto a = this->some(2, n, n);
    auto copy = a, again = a;
    Rows<TypeParam> w(2, n), alone(2, n);
    Columns<TypeParam> v(2, n, n);
    Info info(2);
    this->run(Operation::eigen_general, {w.operand(), copy.operand(), v.operand(), info.operand()});
    this->run(Operation::eigen_general, {alone.operand(), again.operand(), {}, info.operand()});
    EXPECT_EQ(info.numbers, std::vector<std::int32_t>(2, 0));
    for (std::uint64_t b = 0; b < 2; ++b)
      for (std::uint64_t j = 0; j < n; ++j) {
        EXPECT_NEAR(std::abs(w.numbers[b * n + j] - alone.numbers[b * n + j]), 0, 20 * this->kClose);
        for (std::uint64_t i = 0; i < n; ++i) {
          TypeParam turned{};
          for (std::uint64_t l = 0; l < n; ++l) turned += a.at(b, i, l) * v.at(b, l, j);
          EXPECT_NEAR(std::abs(turned - w.numbers[b * n + j] * v.at(b, i, j)), 0, 20 * this->kClose);
        }
      }
  }
}

TEST(CpuSolverCalls, WhatDoesNotFitIsSaid) {
  Columns<double> a(1, 3, 4);
  Info info(1), two(2);
  Rows<std::int64_t> pivots(1, 3);
  const auto refuses = [](Operation operation, std::vector<Operand> operands) {
    Call call;
    call.operation = operation;
    call.operands = std::move(operands);
    try {
      problem_of(call);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_TRUE(refuses(Operation::cholesky, {a.operand(), info.operand()}));
  EXPECT_TRUE(refuses(Operation::lu, {a.operand(), pivots.operand(), two.operand()}));
  EXPECT_TRUE(refuses(Operation::lu, {a.operand()}));
  EXPECT_FALSE(refuses(Operation::lu, {a.operand(), pivots.operand(), info.operand()}));
}

}  // namespace
}  // namespace xcuda::library
