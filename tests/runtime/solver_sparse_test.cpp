// The sparse half of cuSOLVER: orders, systems of one matrix and of several with the same places.
#include <algorithm>
#include <cmath>
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

// As on a GPU, a call that would leave its memory ends all work until the device is reset.
TEST(SparseOrders, RefuseIndicesBeyondTheMatrix) {
  const int starts[] = {0, 1, 1}, back[] = {0, 1, 0}, place[] = {1}, beyond[] = {2};
  const auto said_of = [&](const int* rows, const int* columns) {
    void *handle = nullptr, *description = nullptr;
    EXPECT_EQ(library_call("cusolverSpCreate", &handle), 0);
    EXPECT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
    std::vector<int> order(2);
    ::testing::internal::CaptureStderr();
    EXPECT_NE(library_call("cusolverSpXcsrsymrcmHost", handle, 2, 1, static_cast<const void*>(description), rows,
                           columns, order.data()),
              0);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(said_of(&starts[0], &beyond[0]).find("element 0 of the sparse matrix is in column 2, of 2"),
            std::string::npos);
  EXPECT_NE(said_of(&back[0], &place[0]).find("row 2 of the sparse matrix begins at element 0, of 1"),
            std::string::npos);
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

}  // namespace
}  // namespace xcuda::test
