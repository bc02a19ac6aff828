// Batches of sparse matrices, systems with several right sides and tridiagonal ones, and other forms of a matrix,
// against loops over dense ones.
#include <algorithm>
#include <cmath>

#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

constexpr int k32 = 2, kByColumns = 1, kByRows = 2, kAlgorithm = 0;

template <class T> struct TypeOf;
template <> struct TypeOf<float> {
  static constexpr int kNumber = 0;
  static constexpr char kLetter = 'S';
};
template <> struct TypeOf<double> {
  static constexpr int kNumber = 1;
  static constexpr char kLetter = 'D';
};
template <> struct TypeOf<std::complex<float>> {
  static constexpr int kNumber = 4;
  static constexpr char kLetter = 'C';
};
template <> struct TypeOf<std::complex<double>> {
  static constexpr int kNumber = 5;
  static constexpr char kLetter = 'Z';
};

template <class T> class SparseBatches : public ::testing::Test {
 protected:
  SparseBatches() { EXPECT_EQ(library_call("cusparseCreate", &handle_), 0); }
  ~SparseBatches() override { EXPECT_EQ(library_call("cusparseDestroy", handle_), 0); }

  static T number(int i) {
    const auto real = static_cast<PartType<T>>((i * 7 + 3) % 11 - 5);
    if constexpr (kComplexValue<T>)
      return T(real, static_cast<PartType<T>>(i % 5 - 2));
    else
      return real;
  }
  static std::vector<T> numbers(int count, int from) {
    std::vector<T> all;
    for (int i = 0; i < count; ++i) all.push_back(number(from + i));
    return all;
  }

  // Of 3 x 4, with 5 elements each.
  struct Matrices {
    static constexpr int kRows = 3, kColumns = 4, kStored = 5;
    std::vector<std::vector<int>> rows{{0, 0, 1, 2, 2}, {0, 1, 1, 1, 2}}, columns{{1, 3, 0, 2, 3}, {2, 0, 1, 3, 0}};
    std::vector<std::vector<int>> starts{{0, 2, 3, 5}, {0, 1, 4, 5}};
  };
  static std::vector<int> joined(const std::vector<std::vector<int>>& parts) {
    std::vector<int> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  static std::vector<T> dense(int which, const std::vector<T>& values) {
    const Matrices m;
    std::vector<T> all(12);
    for (int k = 0; k < m.kStored; ++k)
      all[static_cast<std::size_t>(m.rows[which][k] * m.kColumns + m.columns[which][k])] =
          values[static_cast<std::size_t>(which * m.kStored + k)];
    return all;
  }

  void* matrix(bool coo, const Values<int>& rows, const Values<int>& columns, const Values<T>& values, int count) {
    void* made = nullptr;
    const std::int64_t three = 3, four = 4, five = 5;
    if (coo) {
      EXPECT_EQ(library_call("cusparseCreateCoo", &made, three, four, five, static_cast<void*>(rows.at()),
                             static_cast<void*>(columns.at()), static_cast<void*>(values.at()), k32, 0, kType),
                0);
      EXPECT_EQ(library_call("cusparseCooSetStridedBatch", made, count, five), 0);
    } else {
      EXPECT_EQ(library_call("cusparseCreateCsr", &made, three, four, five, static_cast<void*>(rows.at()),
                             static_cast<void*>(columns.at()), static_cast<void*>(values.at()), k32, k32, 0, kType),
                0);
      EXPECT_EQ(library_call("cusparseCsrSetStridedBatch", made, count, four, five), 0);
    }
    int known = 0;
    EXPECT_EQ(library_call("cusparseSpMatGetStridedBatch", made, &known), 0);
    EXPECT_EQ(known, count);
    return made;
  }
  void* dense_matrix(std::int64_t rows, std::int64_t columns, const Values<T>& values, int order, int count,
                     std::int64_t stride) {
    void* made = nullptr;
    EXPECT_EQ(library_call("cusparseCreateDnMat", &made, rows, columns, order == kByColumns ? rows : columns,
                           static_cast<void*>(values.at()), kType, order),
              0);
    EXPECT_EQ(library_call("cusparseDnMatSetStridedBatch", made, count, stride), 0);
    int known = 0;
    std::int64_t apart = 0;
    EXPECT_EQ(library_call("cusparseDnMatGetStridedBatch", made, &known, &apart), 0);
    EXPECT_EQ(known, count);
    EXPECT_EQ(apart, stride);
    return made;
  }

  static constexpr int kType = TypeOf<T>::kNumber;
  void* handle_ = nullptr;
};

using Numbers = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SparseBatches, Numbers);

TYPED_TEST(SparseBatches, AreMultipliedByMatrices) {
  using T = TypeParam;
  const typename TestFixture::Matrices m;
  const T by = this->number(4), keep = this->number(8);
  for (const bool coo : {false, true})
    for (const bool one_sparse : {false, true})
      for (const int order : {kByColumns, kByRows}) {
        const auto all = this->numbers(10, 1), right = this->numbers(16, 3), result = this->numbers(14, 5);
        Values<int> rows(this->joined(coo ? m.rows : m.starts)), columns(this->joined(m.columns));
        Values<T> values(all), b(right), c(result);
        void* a = this->matrix(coo, rows, columns, values, one_sparse ? 1 : 2);
        void* x = this->dense_matrix(4, 2, b, order, 2, 8);
        void* y = this->dense_matrix(3, 2, c, order, 2, 7);  // with an element between
        void* nothing = nullptr;
        EXPECT_EQ(library_call("cusparseSpMM_preprocess", this->handle_, 0, 0, &by, a, x, &keep, y, this->kType,
                               kAlgorithm, nothing),
                  0);
        EXPECT_EQ(
            library_call("cusparseSpMM", this->handle_, 0, 0, &by, a, x, &keep, y, this->kType, kAlgorithm, nothing),
            0);
        auto wanted = result;
        for (std::size_t n = 0; n < 2; ++n) {
          const auto left = this->dense(one_sparse ? 0 : static_cast<int>(n), all);
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 2; ++j) {
              T sum{};
              for (std::size_t k = 0; k < 4; ++k)
                sum += left[i * 4 + k] * right[n * 8 + (order == kByColumns ? j * 4 + k : k * 2 + j)];
              auto& at = wanted[n * 7 + (order == kByColumns ? j * 3 + i : i * 2 + j)];
              at = by * sum + keep * at;
            }
        }
        expect_near(c.get(), wanted, "SpMM");
        EXPECT_EQ(library_call("cusparseDestroySpMat", a), 0);
        for (void* each : {x, y}) EXPECT_EQ(library_call("cusparseDestroyDnMat", each), 0);
      }
}

TYPED_TEST(SparseBatches, SampleProducts) {
  using T = TypeParam;
  const typename TestFixture::Matrices m;
  const T by = this->number(2), keep = this->number(6);
  const auto stored = this->numbers(10, 4), left = this->numbers(12, 7), right = this->numbers(8, 9);
  Values<int> rows(this->joined(m.starts)), columns(this->joined(m.columns));
  Values<T> values(stored), a(left), b(right);
  void* c = this->matrix(false, rows, columns, values, 2);
  void* x = this->dense_matrix(3, 2, a, kByRows, 2, 6);
  void* y = this->dense_matrix(2, 4, b, kByRows, 1, 0);  // for both
  void* nothing = nullptr;
  EXPECT_EQ(library_call("cusparseSDDMM", this->handle_, 0, 0, &by, x, y, &keep, c, this->kType, kAlgorithm, nothing),
            0);
  auto wanted = stored;
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t k = 0; k < 5; ++k) {
      const auto i = static_cast<std::size_t>(m.rows[n][k]), j = static_cast<std::size_t>(m.columns[n][k]);
      T sum{};
      for (std::size_t l = 0; l < 2; ++l) sum += left[n * 6 + i * 2 + l] * right[l * 4 + j];
      wanted[n * 5 + k] = by * sum + keep * wanted[n * 5 + k];
    }
  expect_near(values.get(), wanted, "SDDMM");
  // Three results of two matrices are an error.
  EXPECT_EQ(library_call("cusparseCsrSetStridedBatch", c, 3, std::int64_t{0}, std::int64_t{0}), 0);
  EXPECT_EQ(library_call("cusparseSDDMM", this->handle_, 0, 0, &by, x, y, &keep, c, this->kType, kAlgorithm, nothing),
            3);
  EXPECT_EQ(library_call("cusparseDestroySpMat", c), 0);
  for (void* each : {x, y}) EXPECT_EQ(library_call("cusparseDestroyDnMat", each), 0);
}

TYPED_TEST(SparseBatches, SolveForSeveralRightSides) {
  using T = TypeParam;
  // Lower: {{2, 0, 0}, {3, 4, 0}, {1, 0, 5}}, and something above the diagonal, which does not count.
  Values<int> starts({0, 2, 4, 6}), columns({0, 2, 0, 1, 0, 2});
  Values<T> values({T(2), T(9), T(3), T(4), T(1), T(5)});
  const auto right = this->numbers(6, 2);
  const T by = this->number(3);
  Values<T> b(right), c(6);
  void *a = nullptr, *systems = nullptr, *nothing = nullptr;
  const std::int64_t three = 3, six = 6;
  EXPECT_EQ(library_call("cusparseCreateCsr", &a, three, three, six, static_cast<void*>(starts.at()),
                         static_cast<void*>(columns.at()), static_cast<void*>(values.at()), k32, k32, 0, this->kType),
            0);
  EXPECT_EQ(library_call("cusparseSpSM_createDescr", &systems), 0);
  const std::vector<T> dense{T(2), T(0), T(0), T(3), T(4), T(0), T(1), T(0), T(5)};
  for (const bool turned : {false, true}) {
    // The right sides by rows: 3 x 2, or the other way round.
    void* x = this->dense_matrix(turned ? 2 : 3, turned ? 3 : 2, b, kByRows, 1, 0);
    void* y = this->dense_matrix(3, 2, c, kByColumns, 1, 0);
    const int right_op = turned ? 1 : 0;
    std::size_t bytes = 9;
    EXPECT_EQ(library_call("cusparseSpSM_bufferSize", this->handle_, 0, right_op, &by, a, x, y, this->kType, kAlgorithm,
                           systems, &bytes),
              0);
    EXPECT_EQ(library_call("cusparseSpSM_analysis", this->handle_, 0, right_op, &by, a, x, y, this->kType, kAlgorithm,
                           systems, nothing),
              0);
    EXPECT_EQ(
        library_call("cusparseSpSM_solve", this->handle_, 0, right_op, &by, a, x, y, this->kType, kAlgorithm, systems),
        0);
    const auto got = c.get();
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t i = 0; i < 3; ++i) {
        T sum{};
        for (std::size_t k = 0; k < 3; ++k) sum += dense[i * 3 + k] * got[j * 3 + k];
        expect_near<T>({sum}, {by * right[turned ? j * 3 + i : i * 2 + j]}, "SpSM");
      }
    for (void* each : {x, y}) EXPECT_EQ(library_call("cusparseDestroyDnMat", each), 0);
  }
  EXPECT_EQ(library_call("cusparseSpSM_destroyDescr", systems), 0);
  EXPECT_EQ(library_call("cusparseDestroySpMat", a), 0);
}

// {{2, 0}, {3, 0}} has no solution, and one is not made up.
TYPED_TEST(SparseBatches, DivideByADiagonalElementThatIsNotThere) {
  using T = TypeParam;
  Values<int> starts({0, 1, 2}), columns({0, 0});
  Values<T> values({T(2), T(3)}), b({T(4), T(1)}), c(2);
  void *a = nullptr, *systems = nullptr, *nothing = nullptr;
  const std::int64_t two = 2;
  const T by(1);
  EXPECT_EQ(library_call("cusparseCreateCsr", &a, two, two, two, static_cast<void*>(starts.at()),
                         static_cast<void*>(columns.at()), static_cast<void*>(values.at()), k32, k32, 0, this->kType),
            0);
  EXPECT_EQ(library_call("cusparseSpSM_createDescr", &systems), 0);
  void* x = this->dense_matrix(2, 1, b, kByColumns, 1, 0);
  void* y = this->dense_matrix(2, 1, c, kByColumns, 1, 0);
  EXPECT_EQ(library_call("cusparseSpSM_analysis", this->handle_, 0, 0, &by, a, x, y, this->kType, kAlgorithm, systems,
                         nothing),
            0);
  EXPECT_EQ(library_call("cusparseSpSM_solve", this->handle_, 0, 0, &by, a, x, y, this->kType, kAlgorithm, systems), 0);
  const auto got = c.get();
  EXPECT_EQ(got[0], T(2));
  EXPECT_FALSE(std::isfinite(std::abs(got[1])));
  for (void* each : {x, y}) EXPECT_EQ(library_call("cusparseDestroyDnMat", each), 0);
  EXPECT_EQ(library_call("cusparseSpSM_destroyDescr", systems), 0);
  EXPECT_EQ(library_call("cusparseDestroySpMat", a), 0);
}

TYPED_TEST(SparseBatches, SolveTridiagonalSystems) {
  using T = TypeParam;
  constexpr std::size_t n = 5, apart = 6;
  const std::string prefix = std::string("cusparse") + TypeOf<T>::kLetter + "gtsv2";
  const auto right = this->numbers(2 * apart, 1);
  for (const std::string form : {"", "_nopivot", "StridedBatch"}) {
    auto lower = this->numbers(2 * apart, 4), upper = this->numbers(2 * apart, 8), middle = this->numbers(2 * apart, 2);
    // A diagonal of zeros needs exchanges of rows.
    for (auto& each : middle) each = form.empty() ? T(0) : each + T(20);
    if (form.empty()) middle[n - 1] = T(3);
    lower[0] = lower[apart] = upper[n - 1] = upper[apart + n - 1] = T(0);
    for (auto* side : {&lower, &upper})
      for (std::size_t i = 0; i < n; ++i)
        if ((*side)[i] == T(0) && i != 0 && i != n - 1) (*side)[i] = T(2);
    if (lower[n - 1] == T(0)) lower[n - 1] = T(1);
    if (upper[0] == T(0)) upper[0] = T(1);
    Values<T> below(lower), diagonal(middle), above(upper), b(right);
    std::size_t bytes = 9;
    void* nothing = nullptr;
    if (form == "StridedBatch") {
      EXPECT_EQ(library_call(prefix + form + "_bufferSizeExt", this->handle_, int(n), below.at(), diagonal.at(),
                             above.at(), b.at(), 2, int(apart), &bytes),
                0);
      EXPECT_EQ(library_call(prefix + form, this->handle_, int(n), below.at(), diagonal.at(), above.at(), b.at(), 2,
                             int(apart), nothing),
                0);
    } else {
      EXPECT_EQ(library_call(prefix + form + "_bufferSizeExt", this->handle_, int(n), 2, below.at(), diagonal.at(),
                             above.at(), b.at(), int(apart), &bytes),
                0);
      EXPECT_EQ(library_call(prefix + form, this->handle_, int(n), 2, below.at(), diagonal.at(), above.at(), b.at(),
                             int(apart), nothing),
                0);
    }
    EXPECT_EQ(bytes, 0u);
    const auto x = b.get();
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t of = form == "StridedBatch" ? j * apart : 0, at = j * apart;
        T sum = middle[of + i] * x[at + i];
        if (i > 0) sum += lower[of + i] * x[at + i - 1];
        if (i + 1 < n) sum += upper[of + i] * x[at + i + 1];
        EXPECT_LE(std::abs(sum - right[at + i]), 1e-3 * (1 + std::abs(right[at + i]))) << prefix << form << ' ' << i;
      }
  }
}

TYPED_TEST(SparseBatches, ChangeTheirForm) {
  using T = TypeParam;
  // {{0, 7, 0}, {1, 0, 2}}, with indices from 1.
  Values<int> starts({1, 2, 4}), columns({2, 1, 3}), rows(3), again(3), by_columns(4), places(3);
  Values<T> values({T(7), T(1), T(2)}), turned(3);
  EXPECT_EQ(library_call("cusparseXcsr2coo", this->handle_, starts.at(), 3, 2, rows.at(), 1), 0);
  EXPECT_EQ(rows.get(), (std::vector<int>{1, 2, 2}));
  EXPECT_EQ(library_call("cusparseXcoo2csr", this->handle_, rows.at(), 3, 2, again.at(), 1), 0);
  EXPECT_EQ(again.get(), starts.get());
  std::size_t bytes = 9;
  void* nothing = nullptr;
  EXPECT_EQ(library_call("cusparseCsr2cscEx2_bufferSize", this->handle_, 2, 3, 3, static_cast<void*>(values.at()),
                         starts.at(), columns.at(), static_cast<void*>(turned.at()), by_columns.at(), places.at(),
                         this->kType, 1, 1, 1, &bytes),
            0);
  EXPECT_EQ(library_call("cusparseCsr2cscEx2", this->handle_, 2, 3, 3, static_cast<void*>(values.at()), starts.at(),
                         columns.at(), static_cast<void*>(turned.at()), by_columns.at(), places.at(), this->kType, 1, 1,
                         1, nothing),
            0);
  EXPECT_EQ(by_columns.get(), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(places.get(), (std::vector<int>{2, 1, 2}));
  expect_near<T>(turned.get(), {T(1), T(7), T(2)}, "Csr2csc");
}

TYPED_TEST(SparseBatches, SayWhatTheyAre) {
  using T = TypeParam;
  Values<int> rows({0, 1, 2}), columns({0, 1});
  Values<T> values(2), others(6);
  const std::int64_t two = 2, three = 3;
  for (const bool coo : {false, true}) {
    void* a = nullptr;
    if (coo)
      EXPECT_EQ(library_call("cusparseCreateCoo", &a, two, three, two, static_cast<void*>(rows.at()),
                             static_cast<void*>(columns.at()), static_cast<void*>(values.at()), k32, 1, this->kType),
                0);
    else
      EXPECT_EQ(
          library_call("cusparseCreateCsr", &a, two, three, two, static_cast<void*>(rows.at()),
                       static_cast<void*>(columns.at()), static_cast<void*>(values.at()), k32, k32, 1, this->kType),
          0);
    for (const std::string form : {"", "Const"}) {
      std::int64_t size[3] = {};
      void* parts[3] = {};
      int types[2] = {}, base = 0, type = -1;
      if (coo)
        EXPECT_EQ(library_call("cusparse" + form + "CooGet", a, size, size + 1, size + 2, parts, parts + 1, parts + 2,
                               types, &base, &type),
                  0);
      else
        EXPECT_EQ(library_call("cusparse" + form + "CsrGet", a, size, size + 1, size + 2, parts, parts + 1, parts + 2,
                               types, types + 1, &base, &type),
                  0);
      EXPECT_TRUE(size[0] == 2 && size[1] == 3 && size[2] == 2);
      EXPECT_TRUE(parts[0] == rows.at() && parts[1] == columns.at() && parts[2] == values.at());
      EXPECT_TRUE(types[0] == k32 && base == 1 && type == this->kType);
    }
    int format = 0, base = 0, half = 1, known = 0;
    EXPECT_EQ(library_call("cusparseSpMatGetFormat", a, &format), 0);
    EXPECT_EQ(format, coo ? 3 : 1);
    EXPECT_EQ(library_call("cusparseSpMatGetIndexBase", a, &base), 0);
    EXPECT_EQ(base, 1);
    EXPECT_EQ(library_call("cusparseSpMatSetAttribute", a, 0, &half, sizeof half), 0);
    EXPECT_EQ(library_call("cusparseSpMatGetAttribute", a, 0, &known, sizeof known), 0);
    EXPECT_EQ(known, half);
    EXPECT_EQ(library_call("cusparseDestroySpMat", a), 0);
  }
  void *vector = nullptr, *found = nullptr;
  EXPECT_EQ(library_call("cusparseCreateDnVec", &vector, two, static_cast<void*>(values.at()), this->kType), 0);
  for (const std::string form : {"", "Const"}) {
    std::int64_t size = 0;
    int type = -1;
    EXPECT_EQ(library_call("cusparse" + form + "DnVecGet", vector, &size, &found, &type), 0);
    EXPECT_TRUE(size == 2 && found == values.at() && type == this->kType);
    found = nullptr;
    EXPECT_EQ(library_call("cusparse" + form + "DnVecGetValues", vector, &found), 0);
    EXPECT_EQ(found, values.at());
  }
  EXPECT_EQ(library_call("cusparseDestroyDnVec", vector), 0);
  void* dense = this->dense_matrix(2, 3, others, kByRows, 1, 0);
  for (const std::string form : {"", "Const"}) {
    std::int64_t size[3] = {};
    int type = -1, order = 0;
    EXPECT_EQ(library_call("cusparse" + form + "DnMatGet", dense, size, size + 1, size + 2, &found, &type, &order), 0);
    EXPECT_TRUE(size[0] == 2 && size[1] == 3 && size[2] == 3 && found == others.at() && order == kByRows);
    EXPECT_EQ(library_call("cusparse" + form + "DnMatGetValues", dense, &found), 0);
    EXPECT_EQ(found, others.at());
  }
  EXPECT_EQ(library_call("cusparseDnMatSetValues", dense, static_cast<void*>(values.at())), 0);
  EXPECT_EQ(library_call("cusparseDnMatGetValues", dense, &found), 0);
  EXPECT_EQ(found, values.at());
  EXPECT_EQ(library_call("cusparseDestroyDnMat", dense), 0);
}

TEST(SparseVectors, GiveTheirProductToTheHostWhenAGraphRuns) {
  void *handle = nullptr, *x = nullptr, *y = nullptr, *buffer = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runs = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(library_call("cusparseCreate", &handle), 0);
  EXPECT_EQ(library_call("cusparseSetStream", handle, stream), 0);
  Values<int> places({0, 2});
  Values<float> few({2, 3}), all({5, 7, 11});
  const std::int64_t three = 3, two = 2;
  EXPECT_EQ(library_call("cusparseCreateSpVec", &x, three, two, static_cast<void*>(places.at()),
                         static_cast<void*>(few.at()), 2, 0, 0),
            0);
  EXPECT_EQ(library_call("cusparseCreateDnVec", &y, three, static_cast<void*>(all.at()), 0), 0);
  float sum = -1;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(library_call("cusparseSpVV", handle, 0, x, y, static_cast<void*>(&sum), 0, buffer), 0);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(sum, -1);
  ASSERT_EQ(cudaGraphInstantiate(&runs, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(runs, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(sum, 43);
  EXPECT_EQ(cudaGraphExecDestroy(runs), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(library_call("cusparseDestroySpVec", x), 0);
  EXPECT_EQ(library_call("cusparseDestroyDnVec", y), 0);
  EXPECT_EQ(library_call("cusparseDestroy", handle), 0);
  cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace xcuda::test
