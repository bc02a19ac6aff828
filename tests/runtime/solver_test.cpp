// What cuSOLVER has beyond the factorizations and decompositions of libraries_test.cpp: batches, some of the values,
// the steps of decompositions, functions with types as arguments, and systems that a GPU refines.
#include <algorithm>
#include <cmath>

#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

template <class T> struct LetterOf;
template <> struct LetterOf<float> {
  static constexpr char kLetter = 'S';
  static constexpr int kType = 0, kPart = 0, kPrecision = 1204;
};
template <> struct LetterOf<double> {
  static constexpr char kLetter = 'D';
  static constexpr int kType = 1, kPart = 1, kPrecision = 1203;
};
template <> struct LetterOf<std::complex<float>> {
  static constexpr char kLetter = 'C';
  static constexpr int kType = 4, kPart = 0, kPrecision = 1214;
};
template <> struct LetterOf<std::complex<double>> {
  static constexpr char kLetter = 'Z';
  static constexpr int kType = 5, kPart = 1, kPrecision = 1213;
};

template <class T> T entry(double real, double imaginary) {
  if constexpr (kComplexValue<T>)
    return {static_cast<PartType<T>>(real), static_cast<PartType<T>>(imaginary)};
  else
    return static_cast<T>(real);
}
template <class T> T adjoint(T value) {
  if constexpr (kComplexValue<T>)
    return std::conj(value);
  else
    return value;
}

// Matrices by columns.
template <class T> struct Matrix {
  int rows, columns;
  std::vector<T> all;

  Matrix(int m, int n) : rows(m), columns(n), all(static_cast<std::size_t>(m * n)) {}
  Matrix(int m, int n, const std::vector<T>& from) : rows(m), columns(n), all(from.begin(), from.begin() + m * n) {}
  T& operator()(int i, int j) { return all[static_cast<std::size_t>(j * rows + i)]; }
  T operator()(int i, int j) const { return all[static_cast<std::size_t>(j * rows + i)]; }
  friend Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.columns);
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < b.columns; ++j)
        for (int k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
  }
  Matrix adjoint_of() const {
    Matrix c(columns, rows);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) c(j, i) = adjoint((*this)(i, j));
    return c;
  }
  template <class R> static Matrix diagonal(int m, int n, const std::vector<R>& values) {
    Matrix c(m, n);
    for (int i = 0; i < std::min(m, n); ++i) c(i, i) = T(values[static_cast<std::size_t>(i)]);
    return c;
  }
};

template <class T> class SolverOf : public ::testing::Test {
 public:
  using R = PartType<T>;
  static constexpr bool kIs = kComplexValue<T>;
  static constexpr int kType = LetterOf<T>::kType, kPart = LetterOf<T>::kPart;

  SolverOf() { EXPECT_EQ(library_call("cusolverDnCreate", &handle), 0); }
  ~SolverOf() override { EXPECT_EQ(library_call("cusolverDnDestroy", handle), 0); }
  std::string name(const std::string& rest) const { return std::string("cusolverDn") + LetterOf<T>::kLetter + rest; }
  std::string kind(const std::string& real, const std::string& complex) const { return name(kIs ? complex : real); }
  // A call, and before it the one for its memory, which has the same arguments up to there.
  template <class... A> void works(const std::string& function, A... arguments) {
    EXPECT_EQ(library_call(function, handle, arguments...), 0) << function;
  }
  void good(std::size_t count = 1) {
    const auto found = info.get();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(found[i], 0);
      info[i] = 9;
    }
  }

  void* handle = nullptr;
  void* const none = nullptr;
  int size = 0;
  std::size_t device = 0, host = 0;
  Values<int> info{std::vector<int>{9, 9}};
  Values<T> work{std::size_t{4}};
  // Hermitian, with distinct values; any; wide; and two of each one after another.
  const Matrix<T> hermitian{3,
                            3,
                            {entry<T>(4, 0), entry<T>(1, 1), entry<T>(0, -1), entry<T>(1, -1), entry<T>(3, 0),
                             entry<T>(2, 0), entry<T>(0, 1), entry<T>(2, 0), entry<T>(-1, 0)}};
  const Matrix<T> general{
      3, 2, {entry<T>(1, 2), entry<T>(4, 0), entry<T>(-2, 1), entry<T>(3, 0), entry<T>(0, -1), entry<T>(5, 1)}};
  const Matrix<T> square{3,
                         3,
                         {entry<T>(1, 0), entry<T>(4, 1), entry<T>(-2, 0), entry<T>(3, -1), entry<T>(0, 2),
                          entry<T>(5, 0), entry<T>(2, 0), entry<T>(2, 1), entry<T>(7, 0)}};

  void expect_eigen(const Matrix<T>& a, const std::vector<T>& v, const std::vector<R>& w, int count,
                    const std::string& what) {
    const Matrix<T> vectors(3, count, v);
    expect_near((a * vectors).all, (vectors * Matrix<T>::diagonal(count, count, w)).all, what);
    expect_near((vectors.adjoint_of() * vectors).all,
                Matrix<T>::diagonal(count, count, std::vector<R>(static_cast<std::size_t>(count), 1)).all, what);
  }
  std::vector<R> values_of_hermitian() {
    Values<T> a(hermitian.all);
    Values<R> w(3);
    works(kind("syevd", "heevd"), 0, 0, 3, a.at(), 3, w.at(), work.at(), 1, info.at());
    good();
    return w.get();
  }
};
using Numbers = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SolverOf, Numbers);

template <class T> std::vector<T> twice(std::vector<T> values) {
  const auto once = values;
  values.insert(values.end(), once.begin(), once.end());
  return values;
}

TYPED_TEST(SolverOf, DecomposesBatchesOfHermitianMatrices) {
  using T = TypeParam;
  using R = PartType<T>;
  const auto wanted = this->values_of_hermitian();
  auto& t = *this;
  Values<T> a(twice(t.hermitian.all)), b(twice(t.hermitian.all));
  Values<R> w(6), x(6);
  void* parameters = nullptr;
  EXPECT_EQ(library_call("cusolverDnCreateSyevjInfo", &parameters), 0);
  EXPECT_EQ(library_call("cusolverDnXsyevjSetSortEig", parameters, 1), 0);
  EXPECT_EQ(library_call("cusolverDnXsyevjSetSortEig", parameters, 2), 3);
  const auto batched = t.kind("syevjBatched", "heevjBatched");
  t.works(batched + "_bufferSize", 1, 1, 3, a.at(), 3, w.at(), &t.size, parameters, 2);
  t.works(batched, 1, 1, 3, a.at(), 3, w.at(), t.work.at(), t.size, t.info.at(), parameters, 2);
  t.good(2);
  const std::int64_t three = 3, two = 2;
  t.works("cusolverDnXsyevBatched_bufferSize", t.none, 1, 0, three, t.kType, b.at(), three, t.kPart, x.at(), t.kType,
          &t.device, &t.host, two);
  t.works("cusolverDnXsyevBatched", t.none, 1, 0, three, t.kType, b.at(), three, t.kPart, x.at(), t.kType, t.work.at(),
          t.device, t.none, t.host, t.info.at(), two);
  t.good(2);
  expect_near(w.get(), twice(wanted), batched);
  expect_near(x.get(), twice(wanted), "XsyevBatched");
  for (const auto* all : {&a, &b}) {
    const auto found = all->get();
    for (const int i : {0, 9})
      t.expect_eigen(t.hermitian, {found.begin() + i, found.begin() + i + 9}, wanted, 3, batched);
  }
  // One matrix: how exact it is can be asked for.
  Values<T> c(t.hermitian.all);
  double residual = -1;
  int sweeps = -1;
  t.works(t.kind("syevj", "heevj"), 1, 0, 3, c.at(), 3, w.at(), t.work.at(), 1, t.info.at(), parameters);
  t.works("cusolverDnXsyevjGetResidual", parameters, &residual);
  t.works("cusolverDnXsyevjGetSweeps", parameters, &sweeps);
  EXPECT_GT(residual, 0);
  EXPECT_LT(residual, sizeof(R) == 4 ? 1e-4 : 1e-12);
  EXPECT_EQ(sweeps, 0);
  EXPECT_EQ(library_call("cusolverDnDestroySyevjInfo", parameters), 0);
}

TYPED_TEST(SolverOf, GivesSomeOfTheValues) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  const auto all = t.values_of_hermitian();
  constexpr int kAll = 1001, kNumbers = 1002, kValues = 1003;
  const R least = (all[0] + all[1]) / 2, most = all[2] + 1;
  struct Case {
    int range, first, last, count, begin;
  };
  for (const Case& one :
       {Case{kAll, 0, 0, 3, 0}, Case{kNumbers, 2, 2, 1, 1}, Case{kNumbers, 2, 3, 2, 1}, Case{kValues, 0, 0, 2, 1}}) {
    const std::vector<R> wanted(all.begin() + one.begin, all.begin() + one.begin + one.count);
    const auto first_of = [&](const std::vector<R>& values) {
      return std::vector<R>(values.begin(), values.begin() + one.count);
    };
    Values<T> a(t.hermitian.all), b(t.hermitian.all), c(t.hermitian.all),
        identity(Matrix<T>::diagonal(3, 3, std::vector<R>{1, 1, 1}).all);
    Values<R> w(3);
    int count = 9;
    const auto plain = t.kind("syevdx", "heevdx");
    t.works(plain + "_bufferSize", 1, one.range, 0, 3, a.at(), 3, least, most, one.first, one.last, &count, w.at(),
            &t.size);
    t.works(plain, 1, one.range, 0, 3, a.at(), 3, least, most, one.first, one.last, &count, w.at(), t.work.at(), t.size,
            t.info.at());
    t.good();
    ASSERT_EQ(count, one.count);
    expect_near(first_of(w.get()), wanted, plain);
    t.expect_eigen(t.hermitian, a.get(), wanted, count, plain);

    const auto pairs = t.kind("sygvdx", "hegvdx");
    t.works(pairs + "_bufferSize", 1, 1, one.range, 0, 3, b.at(), 3, identity.at(), 3, least, most, one.first, one.last,
            &count, w.at(), &t.size);
    t.works(pairs, 1, 1, one.range, 0, 3, b.at(), 3, identity.at(), 3, least, most, one.first, one.last, &count, w.at(),
            t.work.at(), t.size, t.info.at());
    t.good();
    ASSERT_EQ(count, one.count);
    t.expect_eigen(t.hermitian, b.get(), first_of(w.get()), count, pairs);

    std::int64_t wide = 9;
    const std::int64_t three = 3, first = one.first, last = one.last;
    R low = least, high = most;
    t.works("cusolverDnXsyevdx_bufferSize", t.none, 1, one.range, 0, three, t.kType, c.at(), three, &low, &high, first,
            last, &wide, t.kPart, w.at(), t.kType, &t.device, &t.host);
    t.works("cusolverDnXsyevdx", t.none, 1, one.range, 0, three, t.kType, c.at(), three, &low, &high, first, last,
            &wide, t.kPart, w.at(), t.kType, t.work.at(), t.device, t.none, t.host, t.info.at());
    t.good();
    ASSERT_EQ(wide, one.count);
    t.expect_eigen(t.hermitian, c.get(), first_of(w.get()), one.count, "Xsyevdx");
  }
  Values<T> a(t.hermitian.all);
  Values<R> w(3);
  int count = 0;
  EXPECT_EQ(library_call(t.kind("syevdx", "heevdx"), t.handle, 1, kNumbers, 0, 3, a.at(), 3, least, most, 2, 4, &count,
                         w.at(), t.work.at(), 1, t.info.at()),
            3);  // there are three
  // Pairs of matrices by Jacobi's method.
  Values<T> b(t.hermitian.all), identity(Matrix<T>::diagonal(3, 3, std::vector<R>{1, 1, 1}).all);
  const auto pairs = t.kind("sygvj", "hegvj");
  t.works(pairs + "_bufferSize", 1, 1, 0, 3, b.at(), 3, identity.at(), 3, w.at(), &t.size, t.none);
  t.works(pairs, 1, 1, 0, 3, b.at(), 3, identity.at(), 3, w.at(), t.work.at(), t.size, t.info.at(), t.none);
  t.good();
  t.expect_eigen(t.hermitian, b.get(), all, 3, pairs);
}

TYPED_TEST(SolverOf, GivesSingularValuesInEachForm) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  const auto back = [&](const std::vector<T>& u, int columns, const std::vector<R>& s, const std::vector<T>& v,
                        const std::string& what) {
    const auto product =
        Matrix<T>(3, columns, u) * Matrix<T>::diagonal(columns, 2, s) * Matrix<T>(2, 2, v).adjoint_of();
    expect_near(product.all, t.general.all, what);
  };
  Values<T> a(twice(t.general.all)), u(18), v(8);
  Values<R> s(4);
  void* parameters = nullptr;
  EXPECT_EQ(library_call("cusolverDnCreateGesvdjInfo", &parameters), 0);
  EXPECT_EQ(library_call("cusolverDnXgesvdjSetSortEig", parameters, 0), 0);
  t.works(t.name("gesvdjBatched_bufferSize"), 1, 3, 2, a.at(), 3, s.at(), u.at(), 3, v.at(), 2, &t.size, parameters, 2);
  t.works(t.name("gesvdjBatched"), 1, 3, 2, a.at(), 3, s.at(), u.at(), 3, v.at(), 2, t.work.at(), t.size, t.info.at(),
          parameters, 2);
  t.good(2);
  const auto all_u = u.get(), all_v = v.get();
  const auto all_s = s.get();
  for (const int i : {0, 1})
    back({all_u.begin() + 9 * i, all_u.end()}, 3, {all_s.begin() + 2 * i, all_s.end()},
         {all_v.begin() + 4 * i, all_v.end()}, "gesvdjBatched");
  double residual = -1;
  int sweeps = -1;
  t.works("cusolverDnXgesvdjGetResidual", parameters, &residual);
  t.works("cusolverDnXgesvdjGetSweeps", parameters, &sweeps);
  EXPECT_TRUE(residual == 0 && sweeps == 0);
  EXPECT_EQ(library_call("cusolverDnDestroyGesvdjInfo", parameters), 0);

  for (const int rank : {1, 2}) {  // the rest is what the values that are left out hold
    Values<T> b(twice(t.general.all)), some_u(12), some_v(8);
    Values<R> some(4);
    double rests[2] = {-1, -1};
    const long long six = 6, four = 4, two = 2;
    t.works(t.name("gesvdaStridedBatched_bufferSize"), 1, rank, 3, 2, b.at(), 3, six, some.at(), two, some_u.at(), 3,
            six, some_v.at(), 2, four, &t.size, 2);
    t.works(t.name("gesvdaStridedBatched"), 1, rank, 3, 2, b.at(), 3, six, some.at(), two, some_u.at(), 3, six,
            some_v.at(), 2, four, t.work.at(), t.size, t.info.at(), static_cast<double*>(rests), 2);
    t.good(2);
    expect_near(b.get(), twice(t.general.all), "A is as it was");
    for (const std::size_t i : {0, 1}) {
      EXPECT_NEAR(some[2 * i], all_s[0], 1e-4);
      EXPECT_NEAR(rests[i], rank == 1 ? all_s[1] : 0, 1e-4);
    }
    if (rank == 2) back(some_u.get(), 2, some.get(), some_v.get(), "gesvdaStridedBatched");
  }

  const std::int64_t three = 3, two = 2, one = 1, zero = 0;
  {
    Values<T> b(t.general.all), vt(4), left(9);
    const auto job = static_cast<signed char>('S');
    t.works("cusolverDnXgesvd_bufferSize", t.none, job, job, three, two, t.kType, b.at(), three, t.kPart, s.at(),
            t.kType, left.at(), three, t.kType, vt.at(), two, t.kType, &t.device, &t.host);
    t.works("cusolverDnXgesvd", t.none, job, job, three, two, t.kType, b.at(), three, t.kPart, s.at(), t.kType,
            left.at(), three, t.kType, vt.at(), two, t.kType, t.work.at(), t.device, t.none, t.host, t.info.at());
    t.good();
    back(left.get(), 2, s.get(), Matrix<T>(2, 2, vt.get()).adjoint_of().all, "Xgesvd");
  }
  {
    Values<T> b(t.general.all), right(4), left(9);
    double disturbance = -1;
    t.works("cusolverDnXgesvdp_bufferSize", t.none, 1, 1, three, two, t.kType, b.at(), three, t.kPart, s.at(), t.kType,
            left.at(), three, t.kType, right.at(), two, t.kType, &t.device, &t.host);
    t.works("cusolverDnXgesvdp", t.none, 1, 1, three, two, t.kType, b.at(), three, t.kPart, s.at(), t.kType, left.at(),
            three, t.kType, right.at(), two, t.kType, t.work.at(), t.device, t.none, t.host, t.info.at(), &disturbance);
    t.good();
    EXPECT_EQ(disturbance, 0);
    back(left.get(), 2, s.get(), right.get(), "Xgesvdp");
  }
  for (const std::int64_t rank : {one, two}) {
    Values<T> b(t.general.all), right(4), left(9);
    Values<R> few(2);
    const auto job = static_cast<signed char>('S');
    t.works("cusolverDnXgesvdr_bufferSize", t.none, job, job, three, two, rank, zero, two, t.kType, b.at(), three,
            t.kPart, few.at(), t.kType, left.at(), three, t.kType, right.at(), two, t.kType, &t.device, &t.host);
    t.works("cusolverDnXgesvdr", t.none, job, job, three, two, rank, zero, two, t.kType, b.at(), three, t.kPart,
            few.at(), t.kType, left.at(), three, t.kType, right.at(), two, t.kType, t.work.at(), t.device, t.none,
            t.host, t.info.at());
    t.good();
    EXPECT_NEAR(few[0], all_s[0], 1e-4);
    if (rank == 2) back(left.get(), 2, few.get(), right.get(), "Xgesvdr");
  }
}

TYPED_TEST(SolverOf, HasTheStepsOfDecompositions) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  {  // a = q b p^H, with two diagonals
    Values<T> a(t.general.all), tau_q(2), tau_p(2), p(4);
    Values<R> d(2), e(1);
    t.works(t.name("gebrd_bufferSize"), 3, 2, &t.size);
    t.works(t.name("gebrd"), 3, 2, a.at(), 3, d.at(), e.at(), tau_q.at(), tau_p.at(), t.work.at(), t.size, t.info.at());
    t.good();
    const auto packed = a.get();
    for (const int i : {0, 1})
      for (const int j : {0, 1}) p[static_cast<std::size_t>(2 * j + i)] = packed[static_cast<std::size_t>(3 * j + i)];
    const auto make = t.kind("orgbr", "ungbr");
    t.works(make + "_bufferSize", 0, 3, 2, 2, a.at(), 3, tau_q.at(), &t.size);
    t.works(make, 0, 3, 2, 2, a.at(), 3, tau_q.at(), t.work.at(), t.size, t.info.at());
    t.good();
    t.works(make, 1, 2, 2, 3, p.at(), 2, tau_p.at(), t.work.at(), t.size, t.info.at());
    t.good();
    auto middle = Matrix<T>::diagonal(2, 2, d.get());
    middle(0, 1) = T(e.get()[0]);
    expect_near((Matrix<T>(3, 2, a.get()) * middle * Matrix<T>(2, 2, p.get())).all, t.general.all, make);
  }
  {  // a = q t q^H, with three
    Values<T> a(t.hermitian.all), tau(2), c(Matrix<T>::diagonal(3, 3, std::vector<R>{1, 1, 1}).all);
    Values<R> d(3), e(2);
    const auto three = t.kind("sytrd", "hetrd"), make = t.kind("orgtr", "ungtr"), multiply = t.kind("ormtr", "unmtr");
    t.works(three + "_bufferSize", 0, 3, a.at(), 3, d.at(), e.at(), tau.at(), &t.size);
    t.works(three, 0, 3, a.at(), 3, d.at(), e.at(), tau.at(), t.work.at(), t.size, t.info.at());
    t.good();
    t.works(multiply + "_bufferSize", 0, 0, 0, 3, 3, a.at(), 3, tau.at(), c.at(), 3, &t.size);
    t.works(multiply, 0, 0, 0, 3, 3, a.at(), 3, tau.at(), c.at(), 3, t.work.at(), t.size, t.info.at());
    t.good();
    t.works(make + "_bufferSize", 0, 3, a.at(), 3, tau.at(), &t.size);
    t.works(make, 0, 3, a.at(), 3, tau.at(), t.work.at(), t.size, t.info.at());
    t.good();
    expect_near(c.get(), a.get(), multiply);
    auto middle = Matrix<T>::diagonal(3, 3, d.get());
    for (const int i : {0, 1}) middle(i, i + 1) = middle(i + 1, i) = T(e.get()[static_cast<std::size_t>(i)]);
    const Matrix<T> q(3, 3, a.get());
    expect_near((q * middle * q.adjoint_of()).all, t.hermitian.all, three);
  }
  {  // symmetric, also for complex numbers
    Matrix<T> symmetric = t.hermitian;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) symmetric(j, i) = symmetric(i, j);
    const std::vector<T> x{T(1), T(-2), T(3)};
    Values<T> a(symmetric.all), b((symmetric * Matrix<T>(3, 1, x)).all);
    Values<int> pivots(3);
    const std::int64_t three = 3, one = 1;
    t.works(t.name("sytrf_bufferSize"), 3, a.at(), 3, &t.size);
    t.works(t.name("sytrf"), 0, 3, a.at(), 3, pivots.at(), t.work.at(), t.size, t.info.at());
    t.good();
    const auto narrow = pivots.get();
    Values<std::int64_t> wide(std::vector<std::int64_t>(narrow.begin(), narrow.end()));
    t.works("cusolverDnXsytrs_bufferSize", 0, three, one, t.kType, a.at(), three, wide.at(), t.kType, b.at(), three,
            &t.device, &t.host);
    t.works("cusolverDnXsytrs", 0, three, one, t.kType, a.at(), three, wide.at(), t.kType, b.at(), three, t.work.at(),
            t.device, t.none, t.host, t.info.at());
    t.good();
    expect_near(b.get(), x, "Xsytrs");
    t.works(t.name("sytri_bufferSize"), 0, 3, a.at(), 3, static_cast<const int*>(pivots.at()), &t.size);
    t.works(t.name("sytri"), 0, 3, a.at(), 3, static_cast<const int*>(pivots.at()), t.work.at(), t.size, t.info.at());
    t.good();
    Matrix<T> inverse(3, 3, a.get());
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) inverse(j, i) = inverse(i, j);
    expect_near((inverse * symmetric).all, Matrix<T>::diagonal(3, 3, std::vector<R>{1, 1, 1}).all, "sytri");
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(library_call(t.name("sytrf"), t.handle, 0, 3, a.at(), 3, static_cast<int*>(nullptr), t.work.at(), 1,
                           t.info.at()),
              9);
    ::testing::internal::GetCapturedStderr();
  }
  {  // l^H l in place of l, its inverse, and exchanged rows
    Matrix<T> lower = t.square;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < j; ++i) lower(i, j) = T(0);
    lower(1, 1) = T(2);  // LAPACK takes real diagonals
    const std::int64_t three = 3;
    Values<T> a(lower.all), b(lower.all), c(t.general.all);
    t.works(t.name("lauum_bufferSize"), 0, 3, a.at(), 3, &t.size);
    t.works(t.name("lauum"), 0, 3, a.at(), 3, t.work.at(), t.size, t.info.at());
    t.good();
    const auto product = lower.adjoint_of() * lower;
    const Matrix<T> found(3, 3, a.get());
    for (int j = 0; j < 3; ++j)
      for (int i = j; i < 3; ++i) expect_near<T>({found(i, j)}, {product(i, j)}, "lauum");
    t.works("cusolverDnXtrtri_bufferSize", 0, 0, three, t.kType, b.at(), three, &t.device, &t.host);
    t.works("cusolverDnXtrtri", 0, 0, three, t.kType, b.at(), three, t.work.at(), t.device, t.none, t.host,
            t.info.at());
    t.good();
    expect_near((Matrix<T>(3, 3, b.get()) * lower).all, Matrix<T>::diagonal(3, 3, std::vector<R>{1, 1, 1}).all,
                "Xtrtri");
    Values<int> pivots({3, 2});
    t.works(t.name("laswp"), 2, c.at(), 3, 1, 2, static_cast<const int*>(pivots.at()), 1);
    const auto& g = t.general;
    expect_near(c.get(), {g(2, 0), g(1, 0), g(0, 0), g(2, 1), g(1, 1), g(0, 1)}, "laswp");
  }
}

TYPED_TEST(SolverOf, DecomposesMatricesOfAnyKind) {
  using T = TypeParam;
  using R = PartType<T>;
  auto& t = *this;
  const std::int64_t three = 3, two = 2, none_wide = 1;
  // A real matrix with a pair of complex values, i and -i, and 2.
  const Matrix<T> turn{3, 3, {T(0), T(1), T(0), T(-1), T(0), T(0), T(0), T(0), T(2)}};
  for (const bool complex : {true, false}) {
    if (!complex && t.kIs) continue;
    Values<T> a(turn.all), left(9), right(9);
    Values<R> w(6);
    const int type_w = complex ? (sizeof(R) == 4 ? 4 : 5) : t.kPart;
    t.works("cusolverDnXgeev_bufferSize", t.none, 0, 1, three, t.kType, a.at(), three, type_w, w.at(), t.kType,
            left.at(), none_wide, t.kType, right.at(), three, t.kType, &t.device, &t.host);
    t.works("cusolverDnXgeev", t.none, 0, 1, three, t.kType, a.at(), three, type_w, w.at(), t.kType, left.at(),
            none_wide, t.kType, right.at(), three, t.kType, t.work.at(), t.device, t.none, t.host, t.info.at());
    t.good();
    const auto found = w.get();
    std::vector<std::complex<R>> values;
    for (std::size_t i = 0; i < 3; ++i)
      values.push_back(complex ? std::complex<R>(found[2 * i], found[2 * i + 1])
                               : std::complex<R>(found[i], found[3 + i]));
    std::sort(values.begin(), values.end(), [](auto x, auto y) { return std::imag(x) < std::imag(y); });
    expect_near<std::complex<R>>(values, {{0, -1}, {2, 0}, {0, 1}}, "Xgeev");
  }
  Values<T> a(t.general.all), tau(2);
  Values<T> b(t.general.all), same_tau(2);
  t.works("cusolverDnXgeqrf_bufferSize", t.none, three, two, t.kType, a.at(), three, t.kType, tau.at(), t.kType,
          &t.device, &t.host);
  t.works("cusolverDnXgeqrf", t.none, three, two, t.kType, a.at(), three, t.kType, tau.at(), t.kType, t.work.at(),
          t.device, t.none, t.host, t.info.at());
  t.good();
  t.works(t.name("geqrf"), 3, 2, b.at(), 3, same_tau.at(), t.work.at(), 1, t.info.at());
  t.good();
  expect_near(a.get(), b.get(), "Xgeqrf");
  expect_near(tau.get(), same_tau.get(), "Xgeqrf");
}

TYPED_TEST(SolverOf, SolvesWhatAGpuRefines) {
  using T = TypeParam;
  auto& t = *this;
  const std::string shorter = LetterOf<T>::kLetter == 'Z'   ? "ZCKEY"
                              : LetterOf<T>::kLetter == 'C' ? "CKEY"
                              : LetterOf<T>::kLetter == 'D' ? "DSHBX"
                                                            : "SHBX";
  const std::vector<T> x{entry<T>(1, 1), entry<T>(-2, 0), entry<T>(3, 0)}, y{x[0], x[1]};
  const auto right = (t.square * Matrix<T>(3, 1, x)).all, tall = (t.general * Matrix<T>(2, 1, y)).all;
  int iterations = -1;
  std::size_t bytes = 0;
  for (const char other : shorter) {
    Values<T> a(t.square.all), b(right), found(3), c(t.general.all), d(tall), least(2);
    Values<int> pivots(3);
    const auto solve = t.name(other + std::string("gesv")), fit = t.name(other + std::string("gels"));
    t.works(solve + "_bufferSize", 3, 1, a.at(), 3, pivots.at(), b.at(), 3, found.at(), 3, t.none, &bytes);
    t.works(solve, 3, 1, a.at(), 3, pivots.at(), b.at(), 3, found.at(), 3, t.none, bytes, &iterations, t.info.at());
    t.good();
    EXPECT_EQ(iterations, 0);
    expect_near(found.get(), x, solve);
    expect_near(a.get(), t.square.all, "A is as it was");
    t.works(fit + "_bufferSize", 3, 2, 1, c.at(), 3, d.at(), 3, least.at(), 2, t.none, &bytes);
    t.works(fit, 3, 2, 1, c.at(), 3, d.at(), 3, least.at(), 2, t.none, bytes, &iterations, t.info.at());
    t.good();
    expect_near(least.get(), y, fit);
  }
  void *parameters = nullptr, *infos = nullptr;
  EXPECT_EQ(library_call("cusolverDnIRSParamsCreate", &parameters), 0);
  EXPECT_EQ(library_call("cusolverDnIRSInfosCreate", &infos), 0);
  EXPECT_EQ(library_call("cusolverDnIRSInfosGetNiters", infos, &iterations), 3);  // nothing was solved
  const int precision = LetterOf<T>::kPrecision;
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetRefinementSolver", parameters, 1102), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetSolverMainPrecision", parameters, precision), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetSolverLowestPrecision", parameters, 1205), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetSolverPrecisions", parameters, precision, precision), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetTol", parameters, 1e-6), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetTolInner", parameters, 1e-3), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetMaxIters", parameters, 7), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsSetMaxItersInner", parameters, 5), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsEnableFallback", parameters), 0);
  EXPECT_EQ(library_call("cusolverDnIRSParamsDisableFallback", parameters), 0);
  int most = 0;
  EXPECT_EQ(library_call("cusolverDnIRSParamsGetMaxIters", parameters, &most), 0);
  EXPECT_EQ(most, 7);
  Values<T> a(t.square.all), b(right), found(3), c(t.general.all), d(tall), least(2);
  t.works("cusolverDnIRSXgesv_bufferSize", parameters, 3, 1, &bytes);
  t.works("cusolverDnIRSXgesv", parameters, infos, 3, 1, a.at(), 3, b.at(), 3, found.at(), 3, t.none, bytes,
          &iterations, t.info.at());
  t.good();
  expect_near(found.get(), x, "IRSXgesv");
  t.works("cusolverDnIRSXgels_bufferSize", parameters, 3, 2, 1, &bytes);
  t.works("cusolverDnIRSXgels", parameters, infos, 3, 2, 1, c.at(), 3, d.at(), 3, least.at(), 2, t.none, bytes,
          &iterations, t.info.at());
  t.good();
  expect_near(least.get(), y, "IRSXgels");
  for (const char* what : {"Niters", "OuterNiters"}) {
    EXPECT_EQ(library_call(std::string("cusolverDnIRSInfosGet") + what, infos, &iterations), 0);
    EXPECT_EQ(iterations, 0);
  }
  EXPECT_EQ(library_call("cusolverDnIRSInfosGetMaxIters", infos, &most), 0);
  EXPECT_EQ(most, 7);
  EXPECT_EQ(library_call("cusolverDnIRSParamsDestroy", parameters), 0);
  EXPECT_EQ(library_call("cusolverDnIRSInfosDestroy", infos), 0);
}

TEST(SolverModes, AreKept) {
  void *handle = nullptr, *parameters = nullptr;
  EXPECT_EQ(library_call("cusolverDnCreate", &handle), 0);
  EXPECT_EQ(library_call("cusolverDnCreateParams", &parameters), 0);
  struct Mode {
    std::string name;
    int first, second, wrong;
  };
  for (const Mode& mode :
       {Mode{"DeterministicMode", 1, 2, 3}, Mode{"MathMode", 1, 2, 0}, Mode{"EmulationStrategy", 0, 1, 9}}) {
    int found = -1;
    EXPECT_EQ(library_call("cusolverDnGet" + mode.name, handle, &found), 0);
    EXPECT_EQ(found, mode.first) << mode.name;
    EXPECT_EQ(library_call("cusolverDnSet" + mode.name, handle, mode.second), 0);
    EXPECT_EQ(library_call("cusolverDnSet" + mode.name, handle, mode.wrong), 3);
    EXPECT_EQ(library_call("cusolverDnGet" + mode.name, handle, &found), 0);
    EXPECT_EQ(found, mode.second) << mode.name;
  }
  EXPECT_EQ(library_call("cusolverDnSetAdvOptions", parameters, 0, 1), 0);
  EXPECT_EQ(library_call("cusolverDnSetAdvOptions", parameters, 0, 5), 3);
  EXPECT_EQ(library_call("cusolverDnDestroyParams", parameters), 0);
  EXPECT_EQ(library_call("cusolverDnDestroy", handle), 0);
}

}  // namespace
}  // namespace xcuda::test
