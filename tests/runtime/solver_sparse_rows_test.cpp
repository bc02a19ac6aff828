// What else cuSOLVER has for sparse matrices: least squares, eigenvalues, a diagonal without zeros, and Cholesky's
// diagonal.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

template <class T>
inline constexpr char kRowsLetter = kComplexValue<T> ? (sizeof(T) == 8 ? 'C' : 'Z') : (sizeof(T) == 4 ? 'S' : 'D');

template <class T> class SparseRows : public ::testing::Test {
 public:
  SparseRows() {
    EXPECT_EQ(library_call("cusolverSpCreate", &handle), 0);
    EXPECT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
    EXPECT_EQ(library_call("cusparseSetMatIndexBase", description, 1), 0);
  }
  ~SparseRows() override {
    EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);
    EXPECT_EQ(library_call("cusolverSpDestroy", handle), 0);
  }
  std::string name(const std::string& rest) const { return std::string("cusolverSp") + kRowsLetter<T> + rest; }
  const void* of_matrix() const { return description; }
  int fill(const std::vector<int>& starts, const std::vector<int>& places, const std::vector<T>& values,
           std::vector<int>& p) {
    int filled = 9;
    EXPECT_EQ(library_call(name("csrzfdHost"), handle, static_cast<int>(p.size()), static_cast<int>(places.size()),
                           of_matrix(), values.data(), starts.data(), places.data(), p.data(), &filled),
              0);
    return filled;
  }
  void *handle = nullptr, *description = nullptr;
};
using RowNumbers = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SparseRows, RowNumbers);

// With a factor that complex numbers turn.
template <class T> T turned(double value) {
  if constexpr (kComplexValue<T>)
    return T(static_cast<PartType<T>>(0.6 * value), static_cast<PartType<T>>(0.8 * value));
  else
    return T(static_cast<PartType<T>>(value));
}

TYPED_TEST(SparseRows, GiveLeastSquares) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  // [2 0; 1 3; 0 1; 0 0]
  std::vector<int> starts{1, 2, 4, 5, 5}, places{1, 2, 1, 2};
  std::vector<T> values{turned<T>(2), turned<T>(3), turned<T>(1), turned<T>(1)};
  // x = (1, 2) to which is added what no column reaches: (1, -2, 6, 5) is at right angles to both.
  std::vector<T> b{turned<T>(2 + 1), turned<T>(7 - 2), turned<T>(2 + 6), turned<T>(5)}, x(2);
  int rank = 9, p[2] = {9, 9};
  R norm = 9;
  const auto solve = [&](int m, R tolerance) {
    return library_call(t.name("csrlsqvqrHost"), t.handle, m, 2, 4, t.of_matrix(), static_cast<const T*>(values.data()),
                        static_cast<const int*>(starts.data()), static_cast<const int*>(places.data()),
                        static_cast<const T*>(b.data()), tolerance, &rank, x.data(), static_cast<int*>(p), &norm);
  };
  ASSERT_EQ(solve(4, R(1e-5)), 0);
  EXPECT_EQ(rank, 2);
  expect_near(x, {T(1), T(2)}, "x");
  EXPECT_NEAR(norm, std::sqrt(1 + 4 + 36 + 25), 1e-4);
  EXPECT_EQ(10 * p[0] + p[1], 10);  // the second column is the longer one
  places = {1, 2, 1, 3};
  EXPECT_EQ(solve(4, R(1e-5)), 3);
  // The second column is a multiple of the first: one of them has no part in x.
  starts = {1, 3, 5};
  places = {1, 2, 1, 2};
  values = {turned<T>(1), turned<T>(2), turned<T>(2), turned<T>(4)};
  b = {turned<T>(5), turned<T>(10)};
  ASSERT_EQ(solve(2, R(1e-5)), 0);
  EXPECT_EQ(rank, 1);
  expect_near(x, {T(0), T(R(2.5))}, "x of rank 1");
  EXPECT_NEAR(norm, 0, 1e-4);
}

TYPED_TEST(SparseRows, GiveEigenvalues) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  // [2 1 0; 1 2 0; 0 0 7]: 1, 3 and 7.
  Values<int> starts({1, 3, 5, 6}), places({1, 2, 1, 2, 3});
  Values<T> values({T(2), T(1), T(1), T(2), T(7)}), x0({T(1), T(R(0.5)), T(R(0.25))}), x(3), mu(1);
  const auto nearest = [&](const std::string& function, double start, int stored = 5) {
    return library_call(t.name(function), t.handle, 3, stored, t.of_matrix(), static_cast<const T*>(values.at()),
                        static_cast<const int*>(starts.at()), static_cast<const int*>(places.at()), T(R(start)),
                        static_cast<const T*>(x0.at()), 100, R(1e-6), mu.at(), x.at());
  };
  for (const std::string function : {"csreigvsi", "csreigvsiHost"})
    for (const double eigenvalue : {1.0, 3.0, 7.0}) {
      ASSERT_EQ(nearest(function, eigenvalue + 0.3), 0);
      EXPECT_LT(std::abs(mu.get()[0] - T(R(eigenvalue))), 1e-3) << function;
      const auto v = x.get();
      const auto ratio = std::abs(v[0] * T(eigenvalue == 1 ? -1 : 1) - v[1]);
      EXPECT_LT(ratio, 1e-2) << function;
      EXPECT_NEAR(std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]), 1, 1e-3);
      ASSERT_EQ(nearest(function, eigenvalue), 0);  // A minus it has no inverse
      EXPECT_LT(std::abs(mu.get()[0] - T(R(eigenvalue))), 1e-3) << function;
    }
  EXPECT_EQ(nearest("csreigvsi", 1, -1), 3);

  const auto inside = [&](double left, double low, double right, double high) {
    int count = 9;
    EXPECT_EQ(library_call(t.name("csreigsHost"), t.handle, 3, 5, t.of_matrix(), static_cast<const T*>(values.at()),
                           static_cast<const int*>(starts.at()), static_cast<const int*>(places.at()),
                           std::complex<R>(R(left), R(low)), std::complex<R>(R(right), R(high)), &count),
              0);
    return count;
  };
  EXPECT_EQ(inside(0, -1, 4, 1), 2);
  EXPECT_EQ(inside(0, -1, 8, 1), 3);
  EXPECT_EQ(inside(0, 0.5, 8, 1), 0);
  values[1] = T(-1);  // 2 + i, 2 - i, 7
  EXPECT_EQ(inside(0, 0.5, 8, 2), 1);
}

TYPED_TEST(SparseRows, FillTheDiagonal) {
  using T = TypeParam;
  auto& t = *this;
  const auto fill = [&](const std::vector<int>& starts, const std::vector<int>& places, const std::vector<T>& values,
                        std::vector<int>& p) { return t.fill(starts, places, values, p); };
  std::vector<int> p(4);
  // Rows with columns 2; 1 and 2; 3 and 4; 3, and a zero that is stored in 1.
  EXPECT_EQ(fill({1, 2, 4, 6, 8}, {2, 1, 2, 3, 4, 3, 1}, {T(1), T(1), T(1), T(1), T(1), T(1), T(0)}, p), 4);
  EXPECT_EQ(p, (std::vector<int>{1, 0, 3, 2}));
  EXPECT_EQ(fill({1, 2, 3, 4, 5}, {1, 1, 3, 1}, {T(1), T(1), T(1), T(1)}, p), 2);
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(p[2], 2);
  std::sort(p.begin(), p.end());
  EXPECT_EQ(p, (std::vector<int>{0, 1, 2, 3}));
}

// The most rows from `row` on that can have columns of their own, when those in `taken` are gone.
int most_placed(const std::vector<unsigned>& columns_of, std::size_t row, unsigned taken) {
  if (row == columns_of.size()) return 0;
  int most = most_placed(columns_of, row + 1, taken);
  for (unsigned column = 0; column < columns_of.size(); ++column)
    if (const unsigned bit = 1U << column; (columns_of[row] & ~taken & bit) != 0)
      most = std::max(most, 1 + most_placed(columns_of, row + 1, taken | bit));
  return most;
}

TYPED_TEST(SparseRows, FillAsMuchOfTheDiagonalAsCanBe) {
  using T = TypeParam;
  auto& t = *this;
  const auto expect_filled = [&](const std::vector<unsigned>& columns_of) {
    const std::size_t n = columns_of.size();
    std::vector<int> starts{1}, places, p(n), sorted, all(n);
    std::string text;
    for (const unsigned columns : columns_of) {
      for (unsigned column = 0; column < n; ++column)
        if ((columns >> column & 1U) != 0) places.push_back(static_cast<int>(column) + 1);
      starts.push_back(static_cast<int>(places.size()) + 1);
      text += std::to_string(columns) + " ";
    }
    const int filled = t.fill(starts, places, std::vector<T>(places.size(), T(1)), p);
    std::iota(all.begin(), all.end(), 0);
    sorted = p;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, all) << text;
    int found = 0;
    for (std::size_t i = 0; i < n; ++i) found += static_cast<int>(columns_of[static_cast<std::size_t>(p[i])] >> i & 1U);
    EXPECT_EQ(filled, most_placed(columns_of, 0, 0)) << text;
    EXPECT_EQ(found, filled) << text;
  };
  expect_filled({0b010, 0b111, 0b001});  // the second row loses its own column to the first one
  std::mt19937 numbers(7);
  for (int round = 0; round < 1000; ++round) {
    const unsigned n = 1 + numbers() % 6, zeros = 1 + numbers() % 4;
    std::vector<unsigned> columns_of(n);
    for (unsigned& columns : columns_of)
      for (unsigned column = 0; column < n; ++column)
        if (numbers() % (1 + zeros) == 0) columns |= 1U << column;
    ASSERT_NO_FATAL_FAILURE(expect_filled(columns_of));
  }
}

TYPED_TEST(SparseRows, GiveTheDiagonalOfCholesky) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  void* info = nullptr;
  EXPECT_EQ(library_call("cusolverSpCreateCsrcholInfo", &info), 0);
  Values<int> starts({1, 3, 5}), places({1, 2, 1, 2});
  Values<T> values({T(4), T(2), T(2), T(10)});
  Values<R> diagonal(2);
  EXPECT_EQ(library_call(t.name("csrcholDiag"), t.handle, info, diagonal.at()), 3);  // there are no factors
  EXPECT_EQ(library_call("cusolverSpXcsrcholAnalysis", t.handle, 2, 4, t.of_matrix(),
                         static_cast<const int*>(starts.at()), static_cast<const int*>(places.at()), info),
            0);
  EXPECT_EQ(library_call(t.name("csrcholFactor"), t.handle, 2, 4, t.of_matrix(), static_cast<const T*>(values.at()),
                         static_cast<const int*>(starts.at()), static_cast<const int*>(places.at()), info,
                         static_cast<void*>(nullptr)),
            0);
  ASSERT_EQ(library_call(t.name("csrcholDiag"), t.handle, info, diagonal.at()), 0);
  const auto found = diagonal.get();
  EXPECT_NEAR(found[0] * found[0] * found[1] * found[1], 36, 1e-3);  // the determinant
  EXPECT_EQ(library_call("cusolverSpDestroyCsrcholInfo", info), 0);
}

}  // namespace
}  // namespace xcuda::test
