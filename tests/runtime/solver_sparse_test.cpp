// The sparse half of cuSOLVER: orders, systems of one matrix and of several with the same places.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

template <class T>
inline constexpr char kSystemLetter = kComplexValue<T> ? (sizeof(T) == 8 ? 'C' : 'Z') : (sizeof(T) == 4 ? 'S' : 'D');

// A square of `side` by `side` points, each beside its neighbours, whose numbers are mixed up: positive and symmetric.
struct Grid {
  std::vector<int> starts, places;
  std::vector<double> values;
  int n;

  Grid(int side, int base) : n(side * side) {
    const auto number = [&](int i, int j) { return (7 * (i * side + j) + 3) % n; };
    std::vector<std::vector<std::pair<int, double>>> rows(static_cast<std::size_t>(n));
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j) {
        auto& row = rows[static_cast<std::size_t>(number(i, j))];
        row.emplace_back(number(i, j), 4.5);
        if (i > 0) row.emplace_back(number(i - 1, j), -1);
        if (i + 1 < side) row.emplace_back(number(i + 1, j), -1);
        if (j > 0) row.emplace_back(number(i, j - 1), -1);
        if (j + 1 < side) row.emplace_back(number(i, j + 1), -1);
      }
    starts.push_back(base);
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      for (const auto& [place, value] : row) {
        places.push_back(place + base);
        values.push_back(value);
      }
      starts.push_back(static_cast<int>(places.size()) + base);
    }
  }
  int stored() const { return static_cast<int>(values.size()); }
  template <class T> std::vector<T> of_type() const {
    std::vector<T> all;
    for (const double one : values) all.push_back(T(static_cast<PartType<T>>(one)));
    return all;
  }
  template <class T> std::vector<T> by(const std::vector<T>& x) const {
    std::vector<T> y(static_cast<std::size_t>(n));
    const auto all = of_type<T>();
    for (int i = 0; i < n; ++i)
      for (int k = starts[static_cast<std::size_t>(i)] - starts[0];
           k < starts[static_cast<std::size_t>(i) + 1] - starts[0]; ++k)
        y[static_cast<std::size_t>(i)] += all[static_cast<std::size_t>(k)] *
                                          x[static_cast<std::size_t>(places[static_cast<std::size_t>(k)] - starts[0])];
    return y;
  }
};

template <class T> class SparseSystems : public ::testing::Test {
 public:
  SparseSystems() {
    EXPECT_EQ(library_call("cusolverSpCreate", &handle), 0);
    EXPECT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
    EXPECT_EQ(library_call("cusparseSetMatIndexBase", description, 1), 0);
  }
  ~SparseSystems() override {
    EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);
    EXPECT_EQ(library_call("cusolverSpDestroy", handle), 0);
  }
  std::string name(const std::string& rest) const { return std::string("cusolverSp") + kSystemLetter<T> + rest; }
  void *handle = nullptr, *description = nullptr;
};
using SystemNumbers = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SparseSystems, SystemNumbers);

template <class T> std::vector<T> counted(int n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = T(static_cast<PartType<T>>(i % 5 - 2));
  return x;
}

TYPED_TEST(SparseSystems, AreSolvedOnTheDeviceAndOnTheHost) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  cudaStream_t stream = nullptr, found_stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(library_call("cusolverSpSetStream", t.handle, stream), 0);
  EXPECT_EQ(library_call("cusolverSpGetStream", t.handle, &found_stream), 0);
  EXPECT_EQ(found_stream, stream);
  const Grid grid(5, 1);
  const auto wanted = counted<T>(grid.n);
  Values<int> starts(grid.starts), places(grid.places);
  Values<T> values(grid.of_type<T>()), b(grid.by(wanted));
  const R tolerance = R(1e-6);
  for (const std::string method : {"csrlsvluHost", "csrlsvqrHost", "csrlsvcholHost", "csrlsvqr", "csrlsvchol"}) {
    Values<T> x(static_cast<std::size_t>(grid.n));
    int singular = 9;
    // A GPU's host functions take memory of the host: managed memory is both.
    EXPECT_EQ(library_call(t.name(method), t.handle, grid.n, grid.stored(), static_cast<const void*>(t.description),
                           values.at(), starts.at(), places.at(), b.at(), tolerance, 0, x.at(), &singular),
              0);
    EXPECT_EQ(singular, -1) << method;
    expect_near(x.get(), wanted, method);
  }
  // [1 0; 0 0]: the second row has no pivot, and [1 2; 2 1] is not positive.
  Values<int> two_starts({1, 2, 3}), two_places({1, 2}), full_starts({1, 3, 5}), full_places({1, 2, 1, 2});
  Values<T> zero({T(1), T(0)}), full({T(1), T(2), T(2), T(1)}), right({T(1), T(1)}), x(2);
  int singular = 9;
  EXPECT_EQ(library_call(t.name("csrlsvqr"), t.handle, 2, 2, static_cast<const void*>(t.description), zero.at(),
                         two_starts.at(), two_places.at(), right.at(), tolerance, 0, x.at(), &singular),
            0);
  EXPECT_EQ(singular, 1);
  EXPECT_EQ(library_call(t.name("csrlsvchol"), t.handle, 2, 4, static_cast<const void*>(t.description), full.at(),
                         full_starts.at(), full_places.at(), right.at(), tolerance, 0, x.at(), &singular),
            0);
  EXPECT_GE(singular, 0);
  const std::vector<T> on_host(2);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(library_call(t.name("csrlsvqr"), t.handle, 2, 2, static_cast<const void*>(t.description), on_host.data(),
                         two_starts.at(), two_places.at(), right.at(), tolerance, 0, x.at(), &singular),
            6);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("the values"), std::string::npos);
  cudaStreamDestroy(stream);
}

TYPED_TEST(SparseSystems, AreSolvedInBatches) {
  using T = TypeParam;
  auto& t = *this;
  // [2 1 0; 0 3 1; 1 0 4], and twice that.
  Values<int> starts({1, 3, 5, 7}), places({1, 2, 2, 3, 1, 3});
  Values<T> values({T(2), T(1), T(3), T(1), T(1), T(4), T(4), T(2), T(6), T(2), T(2), T(8)}),
      b({T(4), T(9), T(13), T(4), T(9), T(13)}), x(6);
  void *info = nullptr, *const buffer = nullptr;
  std::size_t kept = 0, work = 0;
  const void* const description = t.description;
  EXPECT_EQ(library_call("cusolverSpCreateCsrqrInfo", &info), 0);
  EXPECT_EQ(library_call(t.name("csrqrsvBatched"), t.handle, 3, 3, 6, description, values.at(), starts.at(),
                         places.at(), b.at(), x.at(), 2, info, buffer),
            3);  // not analysed
  EXPECT_EQ(
      library_call("cusolverSpXcsrqrAnalysisBatched", t.handle, 3, 3, 6, description, starts.at(), places.at(), info),
      0);
  EXPECT_EQ(library_call(t.name("csrqrBufferInfoBatched"), t.handle, 3, 3, 6, description, values.at(), starts.at(),
                         places.at(), 2, info, &kept, &work),
            0);
  EXPECT_EQ(library_call(t.name("csrqrsvBatched"), t.handle, 3, 3, 6, description, values.at(), starts.at(),
                         places.at(), b.at(), x.at(), 2, info, buffer),
            0);
  using R = PartType<T>;
  expect_near<T>(x.get(), {T(1), T(2), T(3), T(R(0.5)), T(1), T(R(1.5))}, "csrqrsvBatched");
  EXPECT_EQ(library_call("cusolverSpDestroyCsrqrInfo", info), 0);
}

// Each is the error of its own call: the next ones work.
TEST(SparseOrders, RefuseIndicesBeyondTheMatrix) {
  void *handle = nullptr, *made = nullptr, *info = nullptr, *const nothing = nullptr;
  ASSERT_EQ(library_call("cusolverSpCreate", &handle), 0);
  ASSERT_EQ(library_call("cusparseCreateMatDescr", &made), 0);
  ASSERT_EQ(library_call("cusolverSpCreateCsrluInfoHost", &info), 0);
  const auto* description = static_cast<const void*>(made);
  const std::vector<int> good_starts{0, 1, 1}, back{0, 1, 0}, good{1}, beyond{2};
  int p[] = {0, 1, 2}, map[] = {0}, symmetric = 9, singular = 9;
  const auto expect_refused = [&](const std::string& why, const std::vector<int>& rows,
                                  const std::vector<int>& columns) {
    Values<int> starts(rows), places(columns);
    Values<double> values({1.0}), b({1.0, 1.0}), x(2);
    const auto expect_one = [&](const auto& call) {
      ::testing::internal::CaptureStderr();
      EXPECT_EQ(call(), 3);
      EXPECT_NE(::testing::internal::GetCapturedStderr().find(why), std::string::npos) << why;
    };
    expect_one([&] {
      return library_call("cusolverSpXcsrsymrcmHost", handle, 2, 1, description, starts.at(), places.at(), &p[0]);
    });
    expect_one([&] {
      return library_call("cusolverSpXcsrluAnalysisHost", handle, 2, 1, description, starts.at(), places.at(), info);
    });
    expect_one([&] {
      return library_call("cusolverSpXcsrissymHost", handle, 2, 1, description, starts.at(), starts.at() + 1,
                          places.at(), &symmetric);
    });
    expect_one([&] {
      return library_call("cusolverSpXcsrpermHost", handle, 2, 2, 1, description, starts.at(), places.at(), &p[0],
                          &p[0], &map[0], nothing);
    });
    expect_one([&] {
      return library_call("cusolverSpDcsrlsvqr", handle, 2, 1, description, values.at(), starts.at(), places.at(),
                          b.at(), 1e-6, 0, x.at(), &singular);
    });
  };
  expect_refused("element 0 of the sparse matrix is in column 2, of 2", good_starts, beyond);
  expect_refused("row 1 of the sparse matrix is elements 1 to 0, of 1", back, good);

  // What was analysed may have changed when it is factored.
  std::vector<int> starts{0, 1, 2}, places{0, 1};
  const std::vector<double> values{1, 2};
  EXPECT_EQ(library_call("cusolverSpXcsrluAnalysisHost", handle, 2, 2, description, starts.data(), places.data(), info),
            0);
  places[1] = -1;
  EXPECT_EQ(library_call("cusolverSpDcsrluFactorHost", handle, 2, 2, description, values.data(), starts.data(),
                         places.data(), info, 1.0, nothing),
            3);
  places[1] = 1;
  EXPECT_EQ(library_call("cusolverSpDcsrluFactorHost", handle, 2, 2, description, values.data(), starts.data(),
                         places.data(), info, 1.0, nothing),
            0);
  // Columns of a matrix that is not square, and orders that have a row twice.
  const std::vector<int> twice{1, 1};
  int wide_map[] = {0, 1};
  const auto permuted = [&](int columns, const int* rows, const int* order) {
    return library_call("cusolverSpXcsrpermHost", handle, 2, columns, 2, description, starts.data(), places.data(),
                        rows, order, &wide_map[0], nothing);
  };
  const int in_order[] = {0, 1, 2};
  EXPECT_EQ(permuted(1, &in_order[0], &in_order[0]), 3);
  EXPECT_EQ(permuted(2, twice.data(), &in_order[0]), 3);
  EXPECT_EQ(permuted(2, &in_order[0], twice.data()), 3);
  EXPECT_EQ(starts, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(permuted(3, &in_order[0], &in_order[0]), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(library_call("cusolverSpDestroyCsrluInfoHost", info), 0);
  EXPECT_EQ(library_call("cusparseDestroyMatDescr", made), 0);
  EXPECT_EQ(library_call("cusolverSpDestroy", handle), 0);
}

TEST(SparseOrders, MakeBandsNarrow) {
  void *handle = nullptr, *description = nullptr;
  ASSERT_EQ(library_call("cusolverSpCreate", &handle), 0);
  ASSERT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
  const Grid grid(6, 0);
  const void* const known = description;
  int symmetric = 9;
  EXPECT_EQ(library_call("cusolverSpXcsrissymHost", handle, grid.n, grid.stored(), known, grid.starts.data(),
                         grid.starts.data() + 1, grid.places.data(), &symmetric),
            0);
  EXPECT_EQ(symmetric, 1);
  const int one_starts[] = {0, 1, 1}, one_place[] = {1};
  EXPECT_EQ(library_call("cusolverSpXcsrissymHost", handle, 2, 1, known, &one_starts[0], &one_starts[1], &one_place[0],
                         &symmetric),
            0);
  EXPECT_EQ(symmetric, 0);
  for (const std::string method : {"symrcm", "symmdq", "symamd", "metisnd"}) {
    std::vector<int> p(static_cast<std::size_t>(grid.n));
    const auto name = "cusolverSpXcsr" + method + "Host";
    if (method == "metisnd")
      EXPECT_EQ(library_call(name, handle, grid.n, grid.stored(), known, grid.starts.data(), grid.places.data(),
                             static_cast<const std::int64_t*>(nullptr), p.data()),
                0);
    else
      EXPECT_EQ(
          library_call(name, handle, grid.n, grid.stored(), known, grid.starts.data(), grid.places.data(), p.data()),
          0);
    std::vector<int> starts = grid.starts, places = grid.places, map(static_cast<std::size_t>(grid.stored()));
    std::iota(map.begin(), map.end(), 0);
    std::size_t bytes = 0;
    EXPECT_EQ(library_call("cusolverSpXcsrperm_bufferSizeHost", handle, grid.n, grid.n, grid.stored(), known,
                           starts.data(), places.data(), p.data(), p.data(), &bytes),
              0);
    EXPECT_EQ(library_call("cusolverSpXcsrpermHost", handle, grid.n, grid.n, grid.stored(), known, starts.data(),
                           places.data(), p.data(), p.data(), map.data(), static_cast<void*>(nullptr)),
              0);
    int wide = 0;
    for (int i = 0; i < grid.n; ++i)
      for (int k = starts[static_cast<std::size_t>(i)]; k < starts[static_cast<std::size_t>(i) + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k), from = static_cast<std::size_t>(map[at]);
        wide = std::max(wide, std::abs(i - places[at]));
        // The element is the one that was in row p[i] and column p[j].
        const int row = p[static_cast<std::size_t>(i)], column = p[static_cast<std::size_t>(places[at])];
        EXPECT_EQ(grid.places[from], column);
        EXPECT_TRUE(grid.starts[static_cast<std::size_t>(row)] <= map[at] &&
                    map[at] < grid.starts[static_cast<std::size_t>(row) + 1]);
      }
    EXPECT_LE(wide, 8) << method;  // as they were numbered, elements are up to 29 from the diagonal
  }
  EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);
  EXPECT_EQ(library_call("cusolverSpDestroy", handle), 0);
}

// The steps of a factorisation that is kept, on the device and on the host.
TYPED_TEST(SparseSystems, KeepFactorsForSeveralRightSides) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  const Grid grid(6, 1);
  const int n = grid.n, stored = grid.stored();
  const auto* description = static_cast<const void*>(t.description);
  Values<int> starts(grid.starts), places(grid.places);
  Values<T> values(grid.of_type<T>()), x(static_cast<std::size_t>(n));
  auto wanted = counted<T>(n);
  Values<T> b(grid.by(wanted));
  std::vector<T> doubled = wanted;
  for (auto& one : doubled) one *= T(2);
  Values<T> twice(grid.by(doubled));
  std::size_t kept = 9, work = 9;
  int position = 9;
  T* const nothing = nullptr;
  for (const std::string where : {"", "Host"}) {
    void* info = nullptr;
    ASSERT_EQ(library_call("cusolverSpCreateCsrcholInfo" + where, &info), 0);
    EXPECT_EQ(library_call(t.name("csrcholSolve" + where), t.handle, n, b.at(), x.at(), info, nothing), 3);
    EXPECT_EQ(library_call("cusolverSpXcsrcholAnalysis" + where, t.handle, n, stored, description, starts.at(),
                           places.at(), info),
              0);
    EXPECT_EQ(library_call(t.name("csrcholBufferInfo" + where), t.handle, n, stored, description, values.at(),
                           starts.at(), places.at(), info, &kept, &work),
              0);
    EXPECT_EQ(library_call(t.name("csrcholFactor" + where), t.handle, n, stored, description, values.at(), starts.at(),
                           places.at(), info, nothing),
              0);
    EXPECT_EQ(library_call(t.name("csrcholZeroPivot" + where), t.handle, info, R(1e-5), &position), 0);
    EXPECT_EQ(position, -1);
    EXPECT_EQ(library_call(t.name("csrcholZeroPivot" + where), t.handle, info, R(100), &position), 0);
    EXPECT_GE(position, 0);
    EXPECT_EQ(library_call(t.name("csrcholSolve" + where), t.handle, n, b.at(), x.at(), info, nothing), 0);
    expect_near(x.get(), wanted, "csrchol");
    EXPECT_EQ(library_call(t.name("csrcholSolve" + where), t.handle, n, twice.at(), x.at(), info, nothing), 0);
    expect_near(x.get(), doubled, "csrchol, twice");
    EXPECT_EQ(library_call("cusolverSpDestroyCsrcholInfo" + where, info), 0);

    ASSERT_EQ(library_call("cusolverSpCreateCsrqrInfo" + where, &info), 0);
    EXPECT_EQ(library_call("cusolverSpXcsrqrAnalysis" + where, t.handle, n + 1, n, stored, description, starts.at(),
                           places.at(), info),
              9);
    EXPECT_EQ(library_call("cusolverSpXcsrqrAnalysis" + where, t.handle, n, n, stored, description, starts.at(),
                           places.at(), info),
              0);
    EXPECT_EQ(library_call(t.name("csrqrBufferInfo" + where), t.handle, n, n, stored, description, values.at(),
                           starts.at(), places.at(), info, &kept, &work),
              0);
    EXPECT_EQ(library_call(t.name("csrqrFactor" + where), t.handle, n, n, stored, nothing, nothing, info, nothing), 3);
    // Less 1 on the diagonal, and back: (A - I) x + x = b.
    for (const double shift : {1.0, 0.0}) {
      EXPECT_EQ(library_call(t.name("csrqrSetup" + where), t.handle, n, n, stored, description, values.at(),
                             starts.at(), places.at(), T(static_cast<R>(shift)), info),
                0);
      EXPECT_EQ(library_call(t.name("csrqrFactor" + where), t.handle, n, n, stored, b.at(), x.at(), info, nothing), 0);
      EXPECT_EQ(library_call(t.name("csrqrZeroPivot" + where), t.handle, info, R(1e-6), &position), 0);
      EXPECT_EQ(position, -1);
      auto product = grid.by(x.get());
      for (int i = 0; i < n; ++i)
        product[static_cast<std::size_t>(i)] -= T(static_cast<R>(shift)) * x[static_cast<std::size_t>(i)];
      expect_near(product, b.get(), "csrqr, shifted");
    }
    EXPECT_EQ(library_call(t.name("csrqrSolve" + where), t.handle, n, n, twice.at(), x.at(), info, nothing), 0);
    expect_near(x.get(), doubled, "csrqr");
    EXPECT_EQ(library_call("cusolverSpDestroyCsrqrInfo" + where, info), 0);
    EXPECT_EQ(library_call("cusolverSpDestroyCsrqrInfo" + where, info), 3);
  }
  const std::vector<T> on_host(static_cast<std::size_t>(n));
  void* info = nullptr;
  ASSERT_EQ(library_call("cusolverSpCreateCsrcholInfo", &info), 0);
  EXPECT_EQ(
      library_call("cusolverSpXcsrcholAnalysis", t.handle, n, stored, description, starts.at(), places.at(), info), 0);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(library_call(t.name("csrcholFactor"), t.handle, n, stored, description, on_host.data(), starts.at(),
                         places.at(), info, nothing),
            6);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("the values"), std::string::npos);
  EXPECT_EQ(library_call("cusolverSpDestroyCsrcholInfo", info), 0);
}

// P A Q = L U, whatever the pivots: with a column that has 0 on its diagonal, and rows that are not symmetric.
TYPED_TEST(SparseSystems, GiveTheFactorsOfLu) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  const int n = 5, stored = 12;
  const auto* description = static_cast<const void*>(t.description);
  const std::vector<int> starts{1, 4, 6, 8, 10, 13}, places{1, 2, 4, 1, 5, 2, 3, 3, 5, 1, 4, 5};
  std::vector<T> values;
  for (const double one : {2.0, -1.0, 0.5, 3.0, 1.0, 4.0, -2.0, 1.5, 2.5, 1.0, -3.0, 0.25})
    values.push_back(T(static_cast<R>(one)));
  std::vector<std::vector<T>> dense(5, std::vector<T>(5)), product = dense;
  for (std::size_t i = 0; i < 5; ++i)
    for (auto k = static_cast<std::size_t>(starts[i] - 1); k < static_cast<std::size_t>(starts[i + 1] - 1); ++k)
      dense[i][static_cast<std::size_t>(places[k] - 1)] = values[k];
  for (const double threshold : {0.0, 0.1, 1.0}) {
    void* info = nullptr;
    std::size_t kept = 9, work = 9;
    char buffer[8];
    int position = 9, lower = -1, upper = -1;
    ASSERT_EQ(library_call("cusolverSpCreateCsrluInfoHost", &info), 0);
    EXPECT_EQ(library_call("cusolverSpXcsrluNnzHost", t.handle, &lower, &upper, info), 3);
    EXPECT_EQ(library_call("cusolverSpXcsrluAnalysisHost", t.handle, n, stored, description, starts.data(),
                           places.data(), info),
              0);
    EXPECT_EQ(library_call(t.name("csrluBufferInfoHost"), t.handle, n, stored, description, values.data(),
                           starts.data(), places.data(), info, &kept, &work),
              0);
    EXPECT_EQ(library_call(t.name("csrluFactorHost"), t.handle, n, stored, description, values.data(), starts.data(),
                           places.data(), info, static_cast<R>(2), static_cast<void*>(buffer)),
              3);
    EXPECT_EQ(library_call(t.name("csrluFactorHost"), t.handle, n, stored, description, values.data(), starts.data(),
                           places.data(), info, static_cast<R>(threshold), static_cast<void*>(buffer)),
              0);
    EXPECT_EQ(library_call(t.name("csrluZeroPivotHost"), t.handle, info, R(1e-6), &position), 0);
    if (threshold == 0) {  // the second column may come when its diagonal is still 0
      EXPECT_EQ(library_call("cusolverSpDestroyCsrluInfoHost", info), 0);
      continue;
    }
    EXPECT_EQ(position, -1);
    EXPECT_EQ(library_call("cusolverSpXcsrluNnzHost", t.handle, &lower, &upper, info), 0);
    std::vector<int> p(5), q(5), lower_starts(6), lower_places(static_cast<std::size_t>(lower)), upper_starts(6),
        upper_places(static_cast<std::size_t>(upper));
    std::vector<T> lower_values(static_cast<std::size_t>(lower)), upper_values(static_cast<std::size_t>(upper));
    EXPECT_EQ(library_call(t.name("csrluExtractHost"), t.handle, p.data(), q.data(), description, lower_values.data(),
                           lower_starts.data(), lower_places.data(), description, upper_values.data(),
                           upper_starts.data(), upper_places.data(), info, static_cast<void*>(buffer)),
              0);
    std::vector<std::vector<T>> l(5, std::vector<T>(5)), u = l;
    const auto fill = [](auto& to, const auto& rows, const auto& columns, const auto& all) {
      for (std::size_t i = 0; i < 5; ++i)
        for (auto k = static_cast<std::size_t>(rows[i] - 1); k < static_cast<std::size_t>(rows[i + 1] - 1); ++k)
          to[i][static_cast<std::size_t>(columns[k] - 1)] = all[k];
    };
    fill(l, lower_starts, lower_places, lower_values);
    fill(u, upper_starts, upper_places, upper_values);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(l[i][i], T{}) << "the diagonal of L is not stored";
      l[i][i] = T(1);
      std::vector<T> row(5), expected(5);
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_EQ(j > i ? l[i][j] : T{}, T{});
        EXPECT_EQ(j < i ? u[i][j] : T{}, T{});
        expected[j] = dense[static_cast<std::size_t>(p[i])][static_cast<std::size_t>(q[j])];
        for (std::size_t k = 0; k < 5; ++k) row[j] += l[i][k] * u[k][j];
      }
      expect_near(row, expected, "P A Q");
    }
    const auto wanted = counted<T>(n);
    std::vector<T> b(5), x(5);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) b[i] += dense[i][j] * wanted[j];
    EXPECT_EQ(library_call(t.name("csrluSolveHost"), t.handle, n, b.data(), x.data(), info, static_cast<void*>(buffer)),
              0);
    expect_near(x, wanted, "csrluSolveHost");
    EXPECT_EQ(library_call("cusolverSpDestroyCsrluInfoHost", info), 0);
  }
}

// Factors of a grid's matrix with other values, by the places and pivots of its first ones.
class Refactorisations : public ::testing::Test {
 public:
  Refactorisations() {
    EXPECT_EQ(library_call("cusolverSpCreate", &solver_), 0);
    EXPECT_EQ(library_call("cusparseCreateMatDescr", &description_), 0);
    EXPECT_EQ(library_call("cusolverSpCreateCsrluInfoHost", &info_), 0);
    const auto* description = static_cast<const void*>(description_);
    void* const nothing = nullptr;
    EXPECT_EQ(library_call("cusolverSpXcsrluAnalysisHost", solver_, n(), stored(), description, grid_.starts.data(),
                           grid_.places.data(), info_),
              0);
    EXPECT_EQ(library_call("cusolverSpDcsrluFactorHost", solver_, n(), stored(), description, grid_.values.data(),
                           grid_.starts.data(), grid_.places.data(), info_, 1.0, nothing),
              0);
    EXPECT_EQ(library_call("cusolverSpXcsrluNnzHost", solver_, &lower_, &upper_, info_), 0);
    for (auto* places : {&lower_places_, &upper_places_})
      places->resize(static_cast<std::size_t>(places == &lower_places_ ? lower_ : upper_));
    lower_values_.resize(lower_places_.size());
    upper_values_.resize(upper_places_.size());
    for (auto* starts : {&lower_starts_, &upper_starts_}) starts->resize(grid_.starts.size());
    EXPECT_EQ(library_call("cusolverSpDcsrluExtractHost", solver_, p_.at(), q_.at(), description, lower_values_.data(),
                           lower_starts_.data(), lower_places_.data(), description, upper_values_.data(),
                           upper_starts_.data(), upper_places_.data(), info_, nothing),
              0);
    EXPECT_EQ(library_call("cusolverRfCreate", &handle_), 0);
  }
  ~Refactorisations() override {
    EXPECT_EQ(library_call("cusolverRfDestroy", handle_), 0);
    EXPECT_EQ(library_call("cusolverRfDestroy", handle_), 1);
    EXPECT_EQ(library_call("cusolverSpDestroyCsrluInfoHost", info_), 0);
    EXPECT_EQ(library_call("cusparseDestroyMatDescr", description_), 0);
    EXPECT_EQ(library_call("cusolverSpDestroy", solver_), 0);
  }

 protected:
  int n() const { return grid_.n; }
  int stored() const { return grid_.stored(); }
  // Another matrix with the same places.
  Grid other(double scale) const {
    Grid made = grid_;
    for (std::size_t k = 0; k < made.values.size(); ++k)
      made.values[k] = scale * made.values[k] + 0.01 * static_cast<double>(k % 7);
    return made;
  }
  template <class V> int set_up(const std::string& function, V values, int* starts, int* places, int* p, int* q) {
    return library_call(function, n(), stored(), starts, places, values, lower_, lower_starts_.data(),
                        lower_places_.data(), lower_values_.data(), upper_, upper_starts_.data(), upper_places_.data(),
                        upper_values_.data(), p, q, handle_);
  }
  int set_up_here() {
    return set_up("cusolverRfSetupHost", grid_.values.data(), grid_.starts.data(), grid_.places.data(), p_.at(),
                  q_.at());
  }
  // With an element for which L and U have no place.
  Grid outside() const {
    Grid made = grid_;
    const auto row = static_cast<std::size_t>(p_[0]);
    made.places[static_cast<std::size_t>(made.starts[row])] = q_[static_cast<std::size_t>(n()) - 1];
    return made;
  }
  int reset(const Grid& to) {
    Values<int> starts(to.starts), places(to.places);
    Values<double> values(to.values);
    return library_call("cusolverRfResetValues", n(), stored(), starts.at(), places.at(), values.at(), p_.at(), q_.at(),
                        handle_);
  }

  Grid grid_{5, 0};
  void *solver_ = nullptr, *description_ = nullptr, *info_ = nullptr, *handle_ = nullptr;
  Values<int> p_{std::vector<int>(25)}, q_{std::vector<int>(25)};
  int lower_ = 0, upper_ = 0;
  std::vector<int> lower_starts_, lower_places_, upper_starts_, upper_places_;
  std::vector<double> lower_values_, upper_values_;
};

TEST_F(Refactorisations, SolveWithOtherValues) {
  const auto wanted = counted<double>(n());
  Values<double> work(static_cast<std::size_t>(n()));
  EXPECT_EQ(library_call("cusolverRfAnalyze", handle_), 3);
  EXPECT_EQ(library_call("cusolverRfSetMatrixFormat", handle_, 0, 2), 0);
  EXPECT_EQ(set_up_here(), 0);
  EXPECT_EQ(library_call("cusolverRfAnalyze", handle_), 0);
  for (const double scale : {1.0, 2.0, -3.0}) {
    const auto matrix = other(scale);
    Values<double> x(matrix.by(wanted));
    EXPECT_EQ(reset(matrix), 0);
    EXPECT_EQ(library_call("cusolverRfSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), x.at(), n()), 3);
    EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
    EXPECT_EQ(library_call("cusolverRfSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), x.at(), n()), 0);
    expect_near(x.get(), wanted, "refactored");
  }
  // The setup from the device's memory takes the same.
  Values<int> starts(grid_.starts), places(grid_.places), lower_starts(lower_starts_), lower_places(lower_places_),
      upper_starts(upper_starts_), upper_places(upper_places_);
  Values<double> values(grid_.values), x(grid_.by(wanted));
  EXPECT_EQ(library_call("cusolverRfSetupDevice", n(), stored(), starts.at(), places.at(), values.at(), lower_,
                         lower_starts.at(), lower_places.at(), lower_values_.data(), upper_, upper_starts.at(),
                         upper_places.at(), upper_values_.data(), p_.at(), q_.at(), handle_),
            0);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
  EXPECT_EQ(library_call("cusolverRfSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), x.at(), n()), 0);
  expect_near(x.get(), wanted, "from the device");
}

// L U is P A Q, in one piece and in two.
TEST_F(Refactorisations, GiveTheirFactors) {
  EXPECT_EQ(set_up_here(), 0);
  const auto matrix = other(2);
  EXPECT_EQ(reset(matrix), 0);
  int lower = 0, upper = 0, both = 0;
  int *lower_starts, *lower_places, *upper_starts, *upper_places, *starts, *places;
  double *lower_values, *upper_values, *values;
  EXPECT_EQ(library_call("cusolverRfExtractBundledFactorsHost", handle_, &both, &starts, &places, &values), 3);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
  ASSERT_EQ(library_call("cusolverRfExtractBundledFactorsHost", handle_, &both, &starts, &places, &values), 0);
  ASSERT_EQ(library_call("cusolverRfExtractSplitFactorsHost", handle_, &lower, &lower_starts, &lower_places,
                         &lower_values, &upper, &upper_starts, &upper_places, &upper_values),
            0);
  EXPECT_EQ(both, lower_ + upper_);
  EXPECT_EQ(lower, lower_ + n());  // with its diagonal of 1, as the format says
  EXPECT_EQ(upper, upper_);
  const auto size = static_cast<std::size_t>(n());
  std::vector<double> product(size * size), expected(size * size);
  const auto p = p_.get(), q = q_.get();
  std::vector<int> place(size);
  for (std::size_t j = 0; j < size; ++j) place[static_cast<std::size_t>(q[j])] = static_cast<int>(j);
  for (std::size_t i = 0; i < size; ++i) {
    for (int k = lower_starts[i]; k < lower_starts[i + 1]; ++k)
      for (int m = upper_starts[lower_places[k]]; m < upper_starts[lower_places[k] + 1]; ++m)
        product[i * size + static_cast<std::size_t>(upper_places[m])] += lower_values[k] * upper_values[m];
    const auto row = static_cast<std::size_t>(p[i]);
    for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k)
      expected[i * size +
               static_cast<std::size_t>(place[static_cast<std::size_t>(matrix.places[static_cast<std::size_t>(k)])])] =
          matrix.values[static_cast<std::size_t>(k)];
    std::vector<double> apart, together(values + starts[i], values + starts[i + 1]);
    for (int k = lower_starts[i]; k + 1 < lower_starts[i + 1]; ++k) apart.push_back(lower_values[k]);
    apart.insert(apart.end(), upper_values + upper_starts[i], upper_values + upper_starts[i + 1]);
    EXPECT_EQ(apart, together);
  }
  expect_near(product, expected, "L U");
  for (void* one :
       {static_cast<void*>(lower_starts), static_cast<void*>(lower_places), static_cast<void*>(lower_values),
        static_cast<void*>(upper_starts), static_cast<void*>(upper_places), static_cast<void*>(upper_values),
        static_cast<void*>(starts), static_cast<void*>(places), static_cast<void*>(values)})
    free(one);
}

TEST_F(Refactorisations, ComeInBatches) {
  constexpr int kCount = 3;
  const auto wanted = counted<double>(n());
  std::vector<Grid> matrices{other(1), other(2), other(-1)};
  double* on_host[kCount] = {matrices[0].values.data(), matrices[1].values.data(), matrices[2].values.data()};
  EXPECT_EQ(library_call("cusolverRfBatchSetupHost", kCount, n(), stored(), grid_.starts.data(), grid_.places.data(),
                         static_cast<double**>(on_host), lower_, lower_starts_.data(), lower_places_.data(),
                         lower_values_.data(), upper_, upper_starts_.data(), upper_places_.data(), upper_values_.data(),
                         p_.at(), q_.at(), handle_),
            0);
  EXPECT_EQ(library_call("cusolverRfBatchAnalyze", handle_), 0);
  Values<int> starts(grid_.starts), places(grid_.places);
  Values<double> a(matrices[2].values), b(matrices[1].values), c(matrices[0].values),
      work(6 * static_cast<std::size_t>(n()));
  Values<double*> values({a.at(), b.at(), c.at()});
  Values<double> x(matrices[2].by(wanted)), y(matrices[1].by(wanted)), z(matrices[0].by(wanted));
  Values<double*> sides({x.at(), y.at(), z.at()});
  std::vector<int> pivots(kCount, 9);
  EXPECT_EQ(library_call("cusolverRfBatchResetValues", kCount, n(), stored(), starts.at(), places.at(), values.at(),
                         p_.at(), q_.at(), handle_),
            0);
  EXPECT_EQ(library_call("cusolverRfBatchZeroPivot", handle_, pivots.data()), 3);
  EXPECT_EQ(library_call("cusolverRfBatchRefactor", handle_), 0);
  EXPECT_EQ(library_call("cusolverRfBatchZeroPivot", handle_, pivots.data()), 0);
  EXPECT_EQ(pivots, std::vector<int>(kCount, -1));
  EXPECT_EQ(library_call("cusolverRfBatchSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), sides.at(), n()), 0);
  for (const auto* one : {&x, &y, &z}) expect_near(one->get(), wanted, "in a batch");
  std::fill(b.at(), b.at() + stored(), 0.0);
  EXPECT_EQ(library_call("cusolverRfBatchResetValues", kCount, n(), stored(), starts.at(), places.at(), values.at(),
                         p_.at(), q_.at(), handle_),
            0);
  EXPECT_EQ(library_call("cusolverRfBatchRefactor", handle_), 0);
  EXPECT_EQ(library_call("cusolverRfBatchZeroPivot", handle_, pivots.data()), 10);
  EXPECT_EQ(pivots, (std::vector<int>{-1, 0, -1}));
}

TEST_F(Refactorisations, KeepTheirFactorsWhenACallFails) {
  const auto wanted = counted<double>(n());
  Values<double> work(static_cast<std::size_t>(n()));
  const auto expect_solves = [&](const char* after) {
    Values<double> x(grid_.by(wanted));
    EXPECT_EQ(library_call("cusolverRfSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), x.at(), n()), 0) << after;
    expect_near(x.get(), wanted, after);
  };
  EXPECT_EQ(set_up_here(), 0);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
  expect_solves("cusolverRfRefactor");
  auto wrong = outside();
  EXPECT_EQ(
      set_up("cusolverRfSetupHost", wrong.values.data(), wrong.starts.data(), wrong.places.data(), p_.at(), q_.at()),
      3);
  expect_solves("cusolverRfSetupHost");
  EXPECT_EQ(reset(wrong), 3);
  expect_solves("cusolverRfResetValues");
  std::vector<double> on_host(static_cast<std::size_t>(n()));
  for (double* side : {static_cast<double*>(nullptr), on_host.data()}) {
    Values<double*> sides({side});
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(library_call("cusolverRfBatchSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), sides.at(), n()), 6);
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("cusolverRfBatchSolve: XF"), std::string::npos);
  }
  expect_solves("cusolverRfBatchSolve");
}

TEST_F(Refactorisations, RefuseAnElementThatComesTwice) {
  upper_places_.insert(upper_places_.begin(), upper_places_.front());
  upper_values_.insert(upper_values_.begin(), upper_values_.front());
  std::for_each(upper_starts_.begin() + 1, upper_starts_.end(), [](int& start) { ++start; });
  ++upper_;
  EXPECT_EQ(set_up_here(), 3);
}

TEST_F(Refactorisations, TellOfPivotsAndOfWhatIsWrong) {
  double zero = 9, boost = 9;
  int a = 9, b = 9;
  EXPECT_EQ(library_call("cusolverRfGetNumericProperties", handle_, &zero, &boost), 0);
  EXPECT_EQ(zero + boost, 0);
  EXPECT_EQ(library_call("cusolverRfGetMatrixFormat", handle_, &a, &b), 0);
  EXPECT_EQ(a + b, 0);
  EXPECT_EQ(library_call("cusolverRfSetAlgs", handle_, 2, 3), 0);
  EXPECT_EQ(library_call("cusolverRfSetAlgs", handle_, 2, 0), 3);
  EXPECT_EQ(library_call("cusolverRfGetAlgs", handle_, &a, &b), 0);
  EXPECT_EQ(10 * a + b, 23);
  EXPECT_EQ(library_call("cusolverRfSetResetValuesFastMode", handle_, 1), 0);
  EXPECT_EQ(library_call("cusolverRfGetResetValuesFastMode", handle_, &a), 0);
  EXPECT_EQ(a, 1);
  EXPECT_EQ(library_call("cusolverRfSetMatrixFormat", handle_, 2, 0), 3);
  EXPECT_EQ(library_call("cusolverRfSetMatrixFormat", handle_, 0, 4), 3);

  auto places = grid_.places;
  places[3] = n();
  EXPECT_EQ(set_up("cusolverRfSetupHost", grid_.values.data(), grid_.starts.data(), places.data(), p_.at(), q_.at()),
            3);
  std::vector<int> twice(static_cast<std::size_t>(n()));
  EXPECT_EQ(set_up("cusolverRfSetupHost", grid_.values.data(), grid_.starts.data(), grid_.places.data(), twice.data(),
                   q_.at()),
            3);
  EXPECT_EQ(set_up_here(), 0);
  Grid nothing = grid_;
  std::fill(nothing.values.begin(), nothing.values.end(), 0);
  EXPECT_EQ(reset(nothing), 0);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 10);  // CUSOLVER_STATUS_ZERO_PIVOT
  EXPECT_EQ(library_call("cusolverRfGetNumericBoostReport", handle_, &a), 0);
  EXPECT_EQ(a, 0);
  EXPECT_EQ(library_call("cusolverRfSetNumericProperties", handle_, 1e-9, 0.5), 0);
  EXPECT_EQ(reset(nothing), 0);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
  EXPECT_EQ(library_call("cusolverRfGetNumericBoostReport", handle_, &a), 0);
  EXPECT_EQ(a, 1);
  Values<double> x(std::vector<double>(static_cast<std::size_t>(n()), 1.0)), work(static_cast<std::size_t>(n()));
  EXPECT_EQ(library_call("cusolverRfSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), x.at(), n()), 0);
  EXPECT_EQ(x.get(), std::vector<double>(static_cast<std::size_t>(n()), 2.0));
  EXPECT_EQ(reset(grid_), 0);
  EXPECT_EQ(library_call("cusolverRfRefactor", handle_), 0);
  EXPECT_EQ(library_call("cusolverRfGetNumericBoostReport", handle_, &a), 0);
  EXPECT_EQ(a, 0);
  std::vector<double> on_host(static_cast<std::size_t>(n()));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(library_call("cusolverRfSolve", handle_, p_.at(), q_.at(), 1, work.at(), n(), on_host.data(), n()), 6);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("XF"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::test
