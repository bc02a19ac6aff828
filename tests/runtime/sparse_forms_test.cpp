// Matrices of cuSPARSE in each form, elements in another order, and what else is made of them.
#include <cmath>
#include <memory>

#include "base/half.hpp"
#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

template <class T>
inline constexpr int kSparseType = kComplexValue<T> ? (sizeof(T) == 8 ? 4 : 5) : (sizeof(T) == 4 ? 0 : 1);
template <class T>
inline constexpr char kSparseLetter = kComplexValue<T> ? (sizeof(T) == 8 ? 'C' : 'Z') : (sizeof(T) == 4 ? 'S' : 'D');

template <class T> class SparseForms : public ::testing::Test {
 public:
  SparseForms() { EXPECT_EQ(library_call("cusparseCreate", &handle), 0); }
  ~SparseForms() override { EXPECT_EQ(library_call("cusparseDestroy", handle), 0); }
  std::string name(const std::string& rest) const { return std::string("cusparse") + kSparseLetter<T> + rest; }
  template <class... A> void works(const std::string& function, A... arguments) {
    EXPECT_EQ(library_call(function, handle, arguments...), 0) << function;
  }
  void* handle = nullptr;
  void* const none = nullptr;
  static constexpr int kType = kSparseType<T>, k32 = 2, kByColumns = 1, kByRows = 2;
  // [1 2 0 0; 3 4 0 0; 0 0 5 6; 0 0 0 7] by columns.
  const std::vector<T> dense{T(1), T(3), T(0), T(0), T(2), T(4), T(0), T(0),
                             T(0), T(0), T(5), T(0), T(0), T(0), T(6), T(7)};
};
using SparseNumbers = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SparseForms, SparseNumbers);

TYPED_TEST(SparseForms, MultiplyAndBecomeDense) {
  using T = TypeParam;
  auto& t = *this;
  const std::int64_t two = 2, four = 4, seven = 7, eight = 8;
  // CSC; two blocks of 2 x 2 by rows, then by columns; blocked ELL with an empty block; slices of two rows.
  Values<int> csc_starts({0, 2, 4, 5, 7}), csc_places({0, 1, 0, 1, 2, 2, 3});
  Values<T> csc({T(1), T(3), T(2), T(4), T(5), T(6), T(7)});
  Values<int> block_starts({1, 2, 3}), block_places({1, 2});
  Values<T> by_rows({T(1), T(2), T(3), T(4), T(5), T(6), T(0), T(7)}),
      by_columns({T(1), T(3), T(2), T(4), T(5), T(0), T(6), T(7)});
  Values<int> ell_places({0, -1, 1, -1});
  Values<T> ell({T(1), T(2), T(9), T(9), T(3), T(4), T(9), T(9), T(5), T(6), T(9), T(9), T(0), T(7), T(9), T(9)});
  Values<int> slice_starts({0, 4, 8}), slice_places({0, 0, 1, 1, 2, 3, 3, -1});
  Values<T> slices({T(1), T(3), T(2), T(4), T(5), T(7), T(6), T(9)});
  const auto at = [](auto& values) { return static_cast<void*>(values.at()); };
  void* all[5] = {};
  for (const std::string form : {"", "Const"}) {
    for (void* one : all) {
      if (one == nullptr) continue;
      EXPECT_EQ(library_call("cusparseDestroySpMat", one), 0);
    }
    const auto create = "cusparseCreate" + form;
    EXPECT_EQ(library_call(create + "Csc", &all[0], four, four, seven, at(csc_starts), at(csc_places), at(csc), t.k32,
                           t.k32, 0, t.kType),
              0);
    EXPECT_EQ(library_call(create + "Bsr", &all[1], two, two, two, two, two, at(block_starts), at(block_places),
                           at(by_rows), t.k32, t.k32, 1, t.kType, t.kByRows),
              0);
    EXPECT_EQ(library_call(create + "Bsr", &all[2], two, two, two, two, two, at(block_starts), at(block_places),
                           at(by_columns), t.k32, t.k32, 1, t.kType, t.kByColumns),
              0);
    EXPECT_EQ(
        library_call(create + "BlockedEll", &all[3], four, four, two, four, at(ell_places), at(ell), t.k32, 0, t.kType),
        0);
    EXPECT_EQ(library_call(create + "SlicedEll", &all[4], four, four, seven, eight, two, at(slice_starts),
                           at(slice_places), at(slices), t.k32, t.k32, 0, t.kType),
              0);
  }
  constexpr int kFormats[] = {2, 6, 6, 5, 7};
  for (int i = 0; i < 5; ++i) {
    int format = 0;
    EXPECT_EQ(library_call("cusparseSpMatGetFormat", all[i], &format), 0);
    EXPECT_EQ(format, kFormats[i]);
    Values<T> x({T(1), T(10), T(100), T(1000)}), y(4), z(4), made(16);
    void *in = nullptr, *out = nullptr, *turned = nullptr, *matrix = nullptr;
    EXPECT_EQ(library_call("cusparseCreateDnVec", &in, four, at(x), t.kType), 0);
    EXPECT_EQ(library_call("cusparseCreateDnVec", &out, four, at(y), t.kType), 0);
    EXPECT_EQ(library_call("cusparseCreateDnVec", &turned, four, at(z), t.kType), 0);
    EXPECT_EQ(library_call("cusparseCreateDnMat", &matrix, four, four, four, at(made), t.kType, t.kByColumns), 0);
    const T one(1), zero(0);
    t.works("cusparseSpMV", 0, &one, all[i], in, &zero, out, t.kType, 0, t.none);
    t.works("cusparseSpMV", 1, &one, all[i], in, &zero, turned, t.kType, 0, t.none);
    t.works("cusparseSparseToDense", all[i], matrix, 0, t.none);
    expect_near<T>(y.get(), {T(21), T(43), T(6500), T(7000)}, "SpMV of form " + std::to_string(format));
    expect_near<T>(z.get(), {T(31), T(42), T(500), T(7600)}, "SpMV turned");
    expect_near(made.get(), t.dense, "SparseToDense");
    // The upper half as a system.
    void* system = nullptr;
    const int upper = 1;
    EXPECT_EQ(library_call("cusparseSpMatSetAttribute", all[i], 0, &upper, sizeof upper), 0);
    EXPECT_EQ(library_call("cusparseSpSV_createDescr", &system), 0);
    t.works("cusparseSpSV_solve", 0, &one, all[i], out, turned, t.kType, 0, system);
    const T last = T(1000), third = (T(6500) - T(6) * last) / T(5), second = T(43) / T(4);
    expect_near<T>(z.get(), {T(21) - T(2) * second, second, third, last}, "SpSV");
    EXPECT_EQ(library_call("cusparseSpSV_destroyDescr", system), 0);
    for (void* vector : {in, out, turned}) EXPECT_EQ(library_call("cusparseDestroyDnVec", vector), 0);
    EXPECT_EQ(library_call("cusparseDestroyDnMat", matrix), 0);
  }
  std::int64_t rows = 0, columns = 0, stored = 0, block = 0, width = 0;
  const void *starts = nullptr, *places = nullptr, *values = nullptr;
  int start_type = 0, place_type = 0, base = 9, type = 9;
  for (const std::string form : {"", "Const"}) {
    EXPECT_EQ(library_call("cusparse" + form + "CscGet", all[0], &rows, &columns, &stored, &starts, &places, &values,
                           &start_type, &place_type, &base, &type),
              0);
    EXPECT_TRUE(stored == 7 && starts == csc_starts.at() && values == csc.at() && base == 0 && type == t.kType);
    EXPECT_EQ(library_call("cusparse" + form + "BlockedEllGet", all[3], &rows, &columns, &block, &width, &places,
                           &values, &place_type, &base, &type),
              0);
    EXPECT_TRUE(block == 2 && width == 4 && places == ell_places.at() && values == ell.at());
  }
  EXPECT_EQ(library_call("cusparseCscSetPointers", all[0], at(csc_starts), at(csc_places), at(csc)), 0);
  // Blocked ELL is filled from a dense matrix where it has blocks.
  Values<T> from(t.dense);
  void* matrix = nullptr;
  EXPECT_EQ(library_call("cusparseCreateDnMat", &matrix, four, four, four, at(from), t.kType, t.kByColumns), 0);
  for (std::size_t i = 0; i < 16; ++i) ell[i] = T(8);
  t.works("cusparseDenseToSparse_analysis", matrix, all[3], 0, t.none);
  t.works("cusparseDenseToSparse_convert", matrix, all[3], 0, t.none);
  expect_near<T>(ell.get(),
                 {T(1), T(2), T(8), T(8), T(3), T(4), T(8), T(8), T(5), T(6), T(8), T(8), T(0), T(7), T(8), T(8)},
                 "DenseToSparse");
  EXPECT_EQ(library_call("cusparseDestroyDnMat", matrix), 0);
  for (void* one : all) EXPECT_EQ(library_call("cusparseDestroySpMat", one), 0);
  EXPECT_EQ(library_call("cusparseCreateBlockedEll", &all[0], four, four, std::int64_t{3}, four, at(ell_places),
                         at(ell), t.k32, 0, t.kType),
            3);  // no whole number of blocks
}

TYPED_TEST(SparseForms, RotateVectors) {
  using T = TypeParam;
  auto& t = *this;
  Values<int> places({1, 3});
  Values<T> few({T(2), T(5)}), all({T(1), T(2), T(3), T(4)});
  void *x = nullptr, *y = nullptr;
  const std::int64_t four = 4, two = 2;
  const T c(3), s(2);
  EXPECT_EQ(library_call("cusparseCreateSpVec", &x, four, two, static_cast<void*>(places.at()),
                         static_cast<void*>(few.at()), 2, 0, t.kType),
            0);
  EXPECT_EQ(library_call("cusparseCreateDnVec", &y, four, static_cast<void*>(all.at()), t.kType), 0);
  t.works("cusparseRot", &c, &s, x, y);
  expect_near<T>(few.get(), {T(10), T(23)}, "Rot");
  expect_near<T>(all.get(), {T(1), T(2), T(3), T(2)}, "Rot");
  EXPECT_EQ(library_call("cusparseDestroySpVec", x), 0);
  EXPECT_EQ(library_call("cusparseDestroyDnVec", y), 0);
}

TYPED_TEST(SparseForms, IncompleteCholeskyIsCholeskyWhereNothingIsAdded) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  // The lower half of l l^H, for l = [2; i 3; 0 1 4]; real types have 1 in place of i.
  const T below = [] {
    if constexpr (kComplexValue<T>)
      return T(0, 1);
    else
      return T(1);
  }();
  Values<int> starts({1, 2, 4, 6}), places({1, 1, 2, 2, 3});
  Values<T> values({T(4), T(R(2)) * below, T(10), T(3), T(17)});
  void *description = nullptr, *factors = nullptr;
  int bytes = 9, place = 9;
  EXPECT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
  EXPECT_EQ(library_call("cusparseSetMatIndexBase", description, 1), 0);
  EXPECT_EQ(library_call("cusparseCreateCsric02Info", &factors), 0);
  t.works(t.name("csric02_bufferSize"), 3, 5, description, values.at(), starts.at(), places.at(), factors, &bytes);
  t.works(t.name("csric02_analysis"), 3, 5, description, values.at(), starts.at(), places.at(), factors, 0, t.none);
  t.works(t.name("csric02"), 3, 5, description, values.at(), starts.at(), places.at(), factors, 0, t.none);
  t.works("cusparseXcsric02_zeroPivot", factors, &place);
  EXPECT_EQ(place, -1);
  expect_near<T>(values.get(), {T(2), below, T(3), T(1), T(4)}, "csric02");
  values[4] = T(-1);  // what is left of it has no root
  t.works(t.name("csric02"), 3, 5, description, values.at(), starts.at(), places.at(), factors, 0, t.none);
  EXPECT_EQ(library_call("cusparseXcsric02_zeroPivot", t.handle, factors, &place), 9);
  EXPECT_EQ(place, 3);
  if (kComplexValue<T>) {  // of real numbers in libraries_test.cpp
    Values<T> lu({T(4), T(2), T(5), T(1), T(3)});
    Values<int> whole({1, 2, 4, 6});
    t.works(t.name("csrilu02_bufferSize"), 3, 5, description, lu.at(), whole.at(), places.at(), factors, &bytes);
    t.works(t.name("csrilu02_analysis"), 3, 5, description, lu.at(), whole.at(), places.at(), factors, 0, t.none);
    t.works(t.name("csrilu02"), 3, 5, description, lu.at(), whole.at(), places.at(), factors, 0, t.none);
    expect_near<T>(lu.get(), {T(4), T(R(0.5)), T(5), T(R(0.2)), T(3)}, "csrilu02");
  }
  EXPECT_EQ(library_call("cusparseDestroyCsric02Info", factors), 0);
  EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);
}

TYPED_TEST(SparseForms, ProductsOfSparseMatricesThatKeepTheirPlaces) {
  using T = TypeParam;
  auto& t = *this;
  // [1 2; 0 3] [0 4; 5 0] = [10 4; 15 0], of four products of elements, one of them for each b of a row of a.
  Values<int> left_starts({0, 2, 3}), left_places({0, 1, 1}), right_starts({0, 1, 2}), right_places({1, 0}), starts(3),
      places(3);
  Values<T> left({T(1), T(2), T(3)}), right({T(4), T(5)}), out({T(1), T(1), T(1)}), buffer(4);
  void *a = nullptr, *b = nullptr, *c = nullptr, *product = nullptr;
  const std::int64_t two = 2;
  const auto csr = [&](void** matrix, std::int64_t stored, int* rows, int* columns, T* of) {
    EXPECT_EQ(library_call("cusparseCreateCsr", matrix, two, two, stored, static_cast<void*>(rows),
                           static_cast<void*>(columns), static_cast<void*>(of), t.k32, t.k32, 0, t.kType),
              0);
  };
  csr(&a, 3, left_starts.at(), left_places.at(), left.at());
  csr(&b, 2, right_starts.at(), right_places.at(), right.at());
  csr(&c, 0, starts.at(), nullptr, nullptr);
  const T one(1), zero(0), ten(10);
  std::size_t bytes = 0, more = 0, most = 0;
  std::int64_t count = 0;
  EXPECT_EQ(library_call("cusparseSpGEMM_createDescr", &product), 0);
  void* const memory = buffer.at();
  t.works("cusparseSpGEMM_workEstimation", 0, 0, &one, a, b, &zero, c, t.kType, 0, product, &bytes, memory);
  EXPECT_EQ(library_call("cusparseSpGEMM_getNumProducts", product, &count), 0);
  EXPECT_EQ(count, 3);
  t.works("cusparseSpGEMM_estimateMemory", 0, 0, &one, a, b, &zero, c, t.kType, 0, product, 0.5F, &bytes, t.none,
          &more);
  EXPECT_GT(bytes, 0U);
  for (void* at : {t.none, memory}) {
    t.works("cusparseSpGEMMreuse_workEstimation", 0, 0, a, b, c, 0, product, &bytes, at);
    t.works("cusparseSpGEMMreuse_nnz", 0, 0, a, b, c, 0, product, &bytes, at, &more, at, &most, at);
  }
  std::int64_t size[3] = {};
  EXPECT_EQ(library_call("cusparseSpMatGetSize", c, size, size + 1, size + 2), 0);
  ASSERT_EQ(size[2], 3);
  EXPECT_EQ(library_call("cusparseCsrSetPointers", c, static_cast<void*>(starts.at()), static_cast<void*>(places.at()),
                         static_cast<void*>(out.at())),
            0);
  for (void* at : {t.none, memory}) t.works("cusparseSpGEMMreuse_copy", 0, 0, a, b, c, 0, product, &bytes, at);
  EXPECT_EQ(starts.get(), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(places.get(), (std::vector<int>{0, 1, 0}));
  t.works("cusparseSpGEMMreuse_compute", 0, 0, &one, a, b, &ten, c, t.kType, 0, product);
  expect_near<T>(out.get(), {T(20), T(14), T(25)}, "SpGEMMreuse");
  left[1] = T(-2);  // other values in the same places
  t.works("cusparseSpGEMMreuse_compute", 0, 0, &one, a, b, &zero, c, t.kType, 0, product);
  expect_near<T>(out.get(), {T(-10), T(4), T(15)}, "SpGEMMreuse");
  EXPECT_EQ(library_call("cusparseSpGEMM_destroyDescr", product), 0);
  for (void* matrix : {a, b, c}) EXPECT_EQ(library_call("cusparseDestroySpMat", matrix), 0);
}

TYPED_TEST(SparseForms, SystemsWhoseElementsAreNeighbours) {
  using T = TypeParam;
  auto& t = *this;
  constexpr int kSize = 6, kCount = 2;
  for (const int reach : {1, 2}) {
    std::vector<std::vector<T>> diagonals;
    for (int d = -reach; d <= reach; ++d) {
      diagonals.emplace_back(kSize * kCount);
      for (int i = 0; i < kSize; ++i)
        for (int one = 0; one < kCount; ++one)
          if (i + d >= 0 && i + d < kSize)
            diagonals.back()[static_cast<std::size_t>(i * kCount + one)] = T(d == 0 ? 1 + i % 2 : 2 + d + one);
    }
    std::vector<T> wanted(kSize * kCount), right(kSize * kCount);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = T(static_cast<int>(i) - 3);
    for (int i = 0; i < kSize; ++i)
      for (int one = 0; one < kCount; ++one)
        for (int d = -reach; d <= reach; ++d)
          if (i + d >= 0 && i + d < kSize)
            right[static_cast<std::size_t>(i * kCount + one)] +=
                diagonals[static_cast<std::size_t>(d + reach)][static_cast<std::size_t>(i * kCount + one)] *
                wanted[static_cast<std::size_t>((i + d) * kCount + one)];
    std::vector<std::unique_ptr<Values<T>>> all;
    for (const auto& one : diagonals) all.push_back(std::make_unique<Values<T>>(one));
    Values<T> x(right);
    std::size_t bytes = 9;
    const auto name = t.name(reach == 1 ? "gtsvInterleavedBatch" : "gpsvInterleavedBatch");
    if (reach == 1) {
      t.works(name + "_bufferSizeExt", 0, kSize, all[0]->at(), all[1]->at(), all[2]->at(), x.at(), kCount, &bytes);
      t.works(name, 0, kSize, all[0]->at(), all[1]->at(), all[2]->at(), x.at(), kCount, t.none);
    } else {
      t.works(name + "_bufferSizeExt", 0, kSize, all[0]->at(), all[1]->at(), all[2]->at(), all[3]->at(), all[4]->at(),
              x.at(), kCount, &bytes);
      t.works(name, 0, kSize, all[0]->at(), all[1]->at(), all[2]->at(), all[3]->at(), all[4]->at(), x.at(), kCount,
              t.none);
    }
    EXPECT_EQ(bytes, 0U);
    const auto found = x.get();
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_LE(std::abs(found[i] - wanted[i]), sizeof(PartType<T>) == 4 ? 2e-3 : 1e-9) << name << ", element " << i;
  }
}

// Short elements are added up in float, and integers exactly.
TEST(SparseTypes, ProductsOfSeveralTypes) {
  void *handle = nullptr, *const buffer = nullptr;
  ASSERT_EQ(library_call("cusparseCreate", &handle), 0);
  constexpr int k32 = 2, kReal32 = 0, kReal16 = 2, kInt8 = 3, kInt32 = 10, kByRows = 2;
  const std::int64_t two = 2, three = 3;
  Values<int> starts({0, 2, 3}), places({0, 2, 1});  // [1 0 2; 0 3 0]
  const auto half = [](float value) { return float_to_half(value); };
  Values<std::uint16_t> halves({half(1), half(2), half(3)}), x({half(4), half(5), half(6)});
  Values<std::int8_t> bytes({1, 2, 3}), small({100, 101, 102});
  Values<float> y({1, 1});
  Values<int> z({1, 1});
  const auto at = [](auto& values) { return static_cast<void*>(values.at()); };
  const auto product = [&](void* values, int type, void* from, void* to, int to_type, int sums, const void* one) {
    void *a = nullptr, *in = nullptr, *out = nullptr;
    EXPECT_EQ(
        library_call("cusparseCreateCsr", &a, two, three, three, at(starts), at(places), values, k32, k32, 0, type), 0);
    EXPECT_EQ(library_call("cusparseCreateDnVec", &in, three, from, type), 0);
    EXPECT_EQ(library_call("cusparseCreateDnVec", &out, two, to, to_type), 0);
    EXPECT_EQ(library_call("cusparseSpMV", handle, 0, one, a, in, one, out, sums, 0, buffer), 0);
    EXPECT_EQ(library_call("cusparseDestroyDnVec", in), 0);
    EXPECT_EQ(library_call("cusparseDestroyDnVec", out), 0);
    return a;
  };
  const float one = 1;
  const int whole = 1;
  void* const a = product(at(halves), kReal16, at(x), at(y), kReal32, kReal32, &one);
  EXPECT_EQ(y.get(), (std::vector<float>{17, 16}));
  void* const b = product(at(bytes), kInt8, at(small), at(z), kInt32, kInt32, &whole);
  EXPECT_EQ(z.get(), (std::vector<int>{305, 304}));
  // By a matrix of half, to half.
  Values<std::uint16_t> in({half(4), half(1), half(5), half(2), half(6), half(3)}), out(4);
  void *dense = nullptr, *result = nullptr;
  const float zero = 0;
  EXPECT_EQ(library_call("cusparseCreateDnMat", &dense, three, two, two, at(in), kReal16, kByRows), 0);
  EXPECT_EQ(library_call("cusparseCreateDnMat", &result, two, two, two, at(out), kReal16, kByRows), 0);
  EXPECT_EQ(library_call("cusparseSpMM", handle, 0, 0, &one, a, dense, &zero, result, kReal32, 0, buffer), 0);
  EXPECT_EQ(out.get(), (std::vector<std::uint16_t>{half(16), half(7), half(15), half(6)}));
  // What has no numbers of this kind says so.
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(library_call("cusparseSparseToDense", handle, a, dense, 0, buffer), 3);  // of another size
  EXPECT_EQ(library_call("cusparseSpMV", handle, 0, &one, a, dense, &one, result, kReal32, 0, buffer), 3);
  ::testing::internal::GetCapturedStderr();
  for (void* matrix : {a, b}) EXPECT_EQ(library_call("cusparseDestroySpMat", matrix), 0);
  for (void* matrix : {dense, result}) EXPECT_EQ(library_call("cusparseDestroyDnMat", matrix), 0);
  EXPECT_EQ(library_call("cusparseDestroy", handle), 0);
}

TEST(SparseOrder, ElementsAreSortedWithTheirPlaces) {
  void *handle = nullptr, *description = nullptr, *const buffer = nullptr;
  ASSERT_EQ(library_call("cusparseCreate", &handle), 0);
  ASSERT_EQ(library_call("cusparseCreateMatDescr", &description), 0);
  std::size_t bytes = 9;
  const std::vector<int> rows{2, 0, 2, 1, 0}, columns{1, 3, 0, 2, 0};
  for (const bool by_row : {true, false}) {
    Values<int> i(rows), j(columns), p(5);
    EXPECT_EQ(library_call("cusparseXcoosort_bufferSizeExt", handle, 3, 4, 5, i.at(), j.at(), &bytes), 0);
    EXPECT_EQ(bytes, 0U);
    EXPECT_EQ(library_call("cusparseCreateIdentityPermutation", handle, 5, p.at()), 0);
    EXPECT_EQ(library_call(by_row ? "cusparseXcoosortByRow" : "cusparseXcoosortByColumn", handle, 3, 4, 5, i.at(),
                           j.at(), p.at(), buffer),
              0);
    EXPECT_EQ(p.get(), by_row ? (std::vector<int>{4, 1, 3, 2, 0}) : (std::vector<int>{4, 2, 0, 3, 1}));
    EXPECT_EQ(i.get(), by_row ? (std::vector<int>{0, 0, 1, 2, 2}) : (std::vector<int>{0, 2, 2, 1, 0}));
    EXPECT_EQ(j.get(), by_row ? (std::vector<int>{0, 3, 2, 0, 1}) : (std::vector<int>{0, 0, 1, 2, 3}));
  }
  for (const std::string name : {"cusparseXcsrsort", "cusparseXcscsort"}) {
    Values<int> starts({0, 3, 3, 5}), places({3, 0, 2, 1, 0}), p({10, 11, 12, 13, 14});
    EXPECT_EQ(library_call(name + "_bufferSizeExt", handle, 3, 3, 5, starts.at(), places.at(), &bytes), 0);
    EXPECT_EQ(library_call(name, handle, 3, 3, 5, static_cast<const void*>(description), starts.at(), places.at(),
                           p.at(), buffer),
              0);
    EXPECT_EQ(places.get(), (std::vector<int>{0, 2, 3, 0, 1})) << name;
    EXPECT_EQ(p.get(), (std::vector<int>{11, 12, 10, 14, 13})) << name;
  }
  EXPECT_EQ(library_call("cusparseDestroyMatDescr", description), 0);
  EXPECT_EQ(library_call("cusparseDestroy", handle), 0);
}

}  // namespace
}  // namespace xcuda::test
