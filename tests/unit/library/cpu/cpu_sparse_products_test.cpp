// Sparse products of the CPU device: cpu_sparse_products.cpp, by cpu_libraries.hpp.
#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "library/cpu/cpu_libraries.hpp"
#include "library/sparse_product.hpp"

namespace xcuda::library {
namespace {

template <class T> Operand in_memory(std::vector<T>& numbers, Scalar type, std::vector<std::uint64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (auto d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * static_cast<std::int64_t>(shape[d]);
  return {reinterpret_cast<std::uint64_t>(numbers.data()), type, std::move(shape), std::move(strides)};
}

template <class T> struct SparseCase {
  std::uint64_t m, n, k;
  Scalar type;
  std::vector<T> values, dense, result;
  std::vector<std::int32_t> columns, rows{0};

  SparseCase(std::uint64_t m_, std::uint64_t n_, std::uint64_t k_, Scalar type_)
      : m(m_), n(n_), k(k_), type(type_), dense(n_ * k_), result(m_ * k_, T(-1)) {
    std::mt19937 random(3);
    for (std::uint64_t i = 0; i < m; ++i) {
      for (std::uint64_t j = 0; j < n; ++j)
        if (random() % 3 == 0) {
          values.push_back(T(static_cast<int>(random() % 9) - 4));
          columns.push_back(static_cast<std::int32_t>(j));
        }
      rows.push_back(static_cast<std::int32_t>(values.size()));
    }
    for (auto& one : dense) one = T(static_cast<int>(random() % 9) - 4);
  }
  Call call() {
    Call made;
    made.operation = Operation::sparse_product;
    made.operands = {in_memory(result, type, {m, k}), in_memory(values, type, {values.size()}),
                     in_memory(columns, Scalar::int32, {columns.size()}), in_memory(rows, Scalar::int32, {rows.size()}),
                     in_memory(dense, type, {n, k})};
    return made;
  }
  std::vector<T> expected() const {
    std::vector<T> sums(m * k);
    for (std::uint64_t i = 0; i < m; ++i)
      for (auto at = rows[i]; at < rows[i + 1]; ++at)
        for (std::uint64_t j = 0; j < k; ++j)
          sums[i * k + j] += values[static_cast<std::size_t>(at)] *
                             dense[static_cast<std::uint64_t>(columns[static_cast<std::size_t>(at)]) * k + j];
    return sums;
  }
};

template <class T> void expect_product(std::uint64_t m, std::uint64_t n, std::uint64_t k, Scalar type, int threads) {
  SparseCase<T> one(m, n, k, type);
  cpu::Libraries(threads).run(one.call());
  EXPECT_EQ(one.result, one.expected()) << m << " x " << n << " x " << k;
}

TEST(CpuSparse, MultipliesVectorsAndMatricesOfAllTypes) {
  for (const int threads : {1, 3})
    for (const std::uint64_t k : {1, 5}) {
      expect_product<float>(37, 23, k, Scalar::float32, threads);
      expect_product<double>(1, 40, k, Scalar::float64, threads);
      expect_product<std::complex<float>>(17, 1, k, Scalar::complex64, threads);
      expect_product<std::complex<double>>(8, 9, k, Scalar::complex128, threads);
      expect_product<double>(900, 700, k, Scalar::float64, threads);  // worth several threads
    }
}

TEST(CpuSparse, RefusesIndicesThatLeadOutOfTheMatrix) {
  SparseCase<double> one(4, 5, 1, Scalar::float64);
  ASSERT_FALSE(one.columns.empty());
  one.columns.back() = 5;
  EXPECT_THROW(cpu::Libraries(1).run(one.call()), Error);
  one.columns.back() = -1;
  EXPECT_THROW(cpu::Libraries(1).run(one.call()), Error);
  SparseCase<double> other(4, 5, 1, Scalar::float64);
  other.rows[2] = 1000;
  EXPECT_THROW(cpu::Libraries(1).run(other.call()), Error);
}

TEST(CpuSparse, RefusesShapesThatDoNotMatch) {
  SparseCase<float> one(4, 5, 2, Scalar::float32);
  auto call = one.call();
  call.operands[kSparseResult].shape[1] = 3;
  EXPECT_THROW(sparse_product_of(call), Error);
  call = one.call();
  call.operands[kSparseDense].strides[0] = 1;
  EXPECT_THROW(sparse_product_of(call), Error);
  call = one.call();
  call.operands[kSparseValues].type = Scalar::int32;
  EXPECT_THROW(sparse_product_of(call), Error);
}

TEST(CpuSparse, CountsItsOperations) {
  SparseCase<float> one(4, 5, 2, Scalar::float32);
  EXPECT_EQ(operations_of(one.call()), 2.0 * static_cast<double>(one.values.size()) * 2);
}

}  // namespace
}  // namespace xcuda::library
