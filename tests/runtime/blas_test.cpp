// Every function of cuBLAS that is BLAS's own, of each type, with extents of 32 and of 64 bits and without a handle,
// against loops over dense matrices.
#include <algorithm>
#include <functional>

#include "tests/runtime/library_calls.hpp"

namespace xcuda::test {
namespace {

// What an argument is in each of the three forms.
struct N {
  std::int64_t value;
};  // a number
struct L {
  char letter;
  int code;
};
template <class S> struct V { S value; };  // a scalar: its address, or itself
constexpr L kNone{'N', 0}, kTransposed{'T', 1}, kAdjoint{'C', 2}, kLower{'L', 0}, kUpper{'U', 1}, kLeft{'L', 0},
    kRight{'R', 1}, kAny{'N', 0}, kOnes{'U', 1};

enum class Form { usual, wide, legacy };

class Caller {
 public:
  Caller(Form form, void* handle, char letter) : form_(form), handle_(handle), letter_(letter) {}

  // "?gemm"
  template <class... A> void operator()(std::string name, A... arguments) const {
    for (char& one : name)
      if (one == '?') one = letter_;
    name = "cublas" + name;
    if (form_ == Form::legacy) {
      if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) return;  // it never had this form
      library_call<void>(name, legacy(arguments)...);
      EXPECT_EQ(library_call("cublasGetError"), 0) << name;
      return;
    }
    if (dlsym(RTLD_DEFAULT, (name + "_v2").c_str()) != nullptr) name += "_v2";
    if (form_ == Form::wide)
      EXPECT_EQ(library_call(name + "_64", handle_, wide(arguments)...), 0) << name << "_64";
    else
      EXPECT_EQ(library_call(name, handle_, usual(arguments)...), 0) << name;
  }
  bool is_legacy() const { return form_ == Form::legacy; }

 private:
  static int usual(N& n) { return static_cast<int>(n.value); }
  static int usual(L& l) { return l.code; }
  template <class S> static const S* usual(V<S>& v) { return &v.value; }
  template <class T> static T* usual(T*& p) { return p; }
  static std::int64_t wide(N& n) { return n.value; }
  template <class T> static auto wide(T& other) { return usual(other); }
  static int legacy(N& n) { return static_cast<int>(n.value); }
  static char legacy(L& l) { return l.letter; }
  template <class S> static S legacy(V<S>& v) { return v.value; }
  template <class T> static T* legacy(T*& p) { return p; }

  Form form_;
  void* handle_;
  char letter_;
};

template <class T> T number(double real, double imaginary) {
  if constexpr (kComplexValue<T>)
    return T(static_cast<PartType<T>>(real), static_cast<PartType<T>>(imaginary));
  else
    return static_cast<T>(real);
}
template <class T> T conjugated(T value) {
  if constexpr (kComplexValue<T>)
    return std::conj(value);
  else
    return value;
}

template <class T> struct Dense {  // column by column
  int rows, columns;
  std::vector<T> values;
  Dense(int r, int c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  Dense(int r, int c, const std::function<T(int, int)>& f) : Dense(r, c) {
    for (int j = 0; j < c; ++j)
      for (int i = 0; i < r; ++i) (*this)(i, j) = f(i, j);
  }
  T& operator()(int i, int j) { return values[static_cast<std::size_t>(j * rows + i)]; }
  T operator()(int i, int j) const { return values[static_cast<std::size_t>(j * rows + i)]; }
  Dense with(L op) const {
    if (op.code == 0) return *this;
    return Dense(columns, rows, [&](int i, int j) { return op.code == 1 ? (*this)(j, i) : conjugated((*this)(j, i)); });
  }
  Dense operator*(const Dense& other) const {
    return Dense(rows, other.columns, [&](int i, int j) {
      T sum{};
      for (int k = 0; k < columns; ++k) sum += (*this)(i, k) * other(k, j);
      return sum;
    });
  }
  Dense times(T by) const {
    return Dense(rows, columns, [&](int i, int j) { return by * (*this)(i, j); });
  }
  Dense operator+(const Dense& other) const {
    return Dense(rows, columns, [&](int i, int j) { return (*this)(i, j) + other(i, j); });
  }
  Dense half_of(L half, const Dense& rest) const {  // the other half is that of `rest`
    return Dense(rows, columns,
                 [&](int i, int j) { return (half.code == 0 ? i >= j : i <= j) ? (*this)(i, j) : rest(i, j); });
  }
};

template <class T> class Checked {
 public:
  using R = PartType<T>;
  using M = Dense<T>;
  explicit Checked(const Caller& call) : call_(call) {}

  void run() {
    vectors();
    for (const auto op : {kNone, kTransposed, kAdjoint}) general(op);
    for (const auto half : {kLower, kUpper}) {
      halves(half);
      for (const auto op : {kNone, kTransposed, kAdjoint})
        for (const auto diagonal : {kAny, kOnes}) triangles(half, op, diagonal);
    }
  }

 private:
  static constexpr bool kIs = kComplexValue<T>;
  static constexpr int n = 4, m = 3;
  const T alpha_ = number<T>(2, -1), beta_ = number<T>(0.5, 0.25);
  const R real_ = R(1.5);

  static M matrix(int rows, int columns, double seed) {
    return M(rows, columns, [&](int i, int j) {
      return number<T>(seed + 0.5 * i - 0.25 * j + (i == j ? 3 : 0), 0.125 * (i + 2 * j) - seed / 4);
    });
  }
  void expect(const Values<T>& got, const M& wanted, const std::string& what) const {
    expect_near(got.get(), wanted.values, what);
  }

  void vectors() {
    const auto a = matrix(n, 1, 1), b = matrix(n, 1, -2);
    Values<T> x(a.values), y(b.values);
    call_("?axpy", N{n}, V<T>{alpha_}, x.at(), N{1}, y.at(), N{1});
    expect(y, a.times(alpha_) + b, "axpy");
    call_("?copy", N{n}, x.at(), N{1}, y.at(), N{1});
    expect(y, a, "copy");
    Values<T> z(b.values);
    call_("?swap", N{n}, x.at(), N{1}, z.at(), N{1});
    expect(x, b, "swap");
    call_("?scal", N{n}, V<T>{alpha_}, z.at(), N{1});
    expect(z, a.times(alpha_), "scal");
    if constexpr (kIs) {
      call_(sizeof(R) == 4 ? "Csscal" : "Zdscal", N{n}, V<R>{real_}, y.at(), N{1});
      expect(y, a.times(T(real_)), "sscal");
    }
    const R c = R(0.6), s = R(0.8);
    Values<T> u(a.values), v(b.values);
    call_(kIs ? (sizeof(R) == 4 ? "Csrot" : "Zdrot") : "?rot", N{n}, u.at(), N{1}, v.at(), N{1}, V<R>{c}, V<R>{s});
    expect(u, a.times(T(c)) + b.times(T(s)), "rot");
    expect(v, b.times(T(c)) + a.times(T(-s)), "rot");
    if constexpr (kIs) {
      Values<T> p(a.values), q(b.values);
      const T by = number<T>(0.48, 0.64);
      call_("?rot", N{n}, p.at(), N{1}, q.at(), N{1}, V<R>{c}, V<T>{by});
      expect(p, a.times(T(c)) + b.times(by), "complex rot");
      expect(q, b.times(T(c)) + a.times(-conjugated(by)), "complex rot");
    } else {
      Values<T> p(a.values), q(b.values), h(std::vector<T>{-1, 2, 3, 4, 5});  // the whole of a 2 by 2 matrix
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      call_("?rotm", N{n}, p.at(), N{1}, q.at(), N{1}, h.at());
      expect(p, a.times(2) + b.times(4), "rotm");
      expect(q, a.times(3) + b.times(5), "rotm");
    }
  }

  void general(L op) {
    const auto a = matrix(m, n, 0.5);
    const int in = op.code == 0 ? n : m, out = op.code == 0 ? m : n;
    const auto x0 = matrix(in, 1, 1), y0 = matrix(out, 1, -1);
    Values<T> av(a.values), x(x0.values), y(y0.values);
    call_("?gemv", op, N{m}, N{n}, V<T>{alpha_}, av.at(), N{m}, x.at(), N{1}, V<T>{beta_}, y.at(), N{1});
    expect(y, (a.with(op) * x0).times(alpha_) + y0.times(beta_), "gemv");

    const M band(m, n, [&](int i, int j) { return i - j <= 1 && j - i <= 2 ? a(i, j) : T{}; });
    const M stored(4, n, [&](int i, int j) {  // one below the diagonal and two above
      const int row = j + i - 2;
      return row >= 0 && row < m ? band(row, j) : T{};
    });
    Values<T> bv(stored.values), w(y0.values);
    call_("?gbmv", op, N{m}, N{n}, N{1}, N{2}, V<T>{alpha_}, bv.at(), N{4}, x.at(), N{1}, V<T>{beta_}, w.at(), N{1});
    expect(w, (band.with(op) * x0).times(alpha_) + y0.times(beta_), "gbmv");

    if (op.code == 2) return;  // one form is enough
    const auto row = matrix(m, 1, 1), column = matrix(n, 1, -1);
    Values<T> r(row.values), c(column.values), g(a.values);
    const L how = op.code == 0 ? kTransposed : kAdjoint;
    call_(!kIs            ? "?ger"
          : how.code == 1 ? "?geru"
                          : "?gerc",
          N{m}, N{n}, V<T>{alpha_}, r.at(), N{1}, c.at(), N{1}, g.at(), N{m});
    expect(g, (row * column.with(how)).times(alpha_) + a, "ger");

    for (const auto right : {kNone, kTransposed, kAdjoint}) {
      const auto p = op.code == 0 ? matrix(m, n, 1) : matrix(n, m, 1);
      const auto q = right.code == 0 ? matrix(n, m, 2) : matrix(m, n, 2);
      const auto d0 = matrix(m, m, -1);
      Values<T> pv(p.values), qv(q.values), d(d0.values);
      const auto wanted = (p.with(op) * q.with(right)).times(alpha_) + d0.times(beta_);
      call_("?gemm", op, right, N{m}, N{m}, N{n}, V<T>{alpha_}, pv.at(), N{p.rows}, qv.at(), N{q.rows}, V<T>{beta_},
            d.at(), N{m});
      expect(d, wanted, "gemm");
      if (!kIs || call_.is_legacy()) continue;
      Values<T> e(d0.values);
      call_("?gemm3m", op, right, N{m}, N{m}, N{n}, V<T>{alpha_}, pv.at(), N{p.rows}, qv.at(), N{q.rows}, V<T>{beta_},
            e.at(), N{m});
      expect(e, wanted, "gemm3m");
    }
  }

  static M mirrored(const M& a, L half, bool hermitian) {
    return M(a.rows, a.rows, [&](int i, int j) {
      const bool inside = half.code == 0 ? i >= j : i <= j;
      const T value = inside ? a(i, j) : hermitian ? conjugated(a(j, i)) : a(j, i);
      return hermitian && i == j ? number<T>(std::real(value), 0) : value;
    });
  }
  static std::vector<T> packed(const M& a, L half) {
    std::vector<T> values;
    for (int j = 0; j < a.columns; ++j)
      for (int i = half.code == 0 ? j : 0; i < (half.code == 0 ? a.rows : j + 1); ++i) values.push_back(a(i, j));
    return values;
  }
  static M banded(const M& a, L half, int k) {  // k diagonals beside the main one
    return M(k + 1, a.columns, [&](int i, int j) {
      const int row = half.code == 0 ? j + i : j + i - k;
      return row >= 0 && row < a.rows ? a(row, j) : T{};
    });
  }
  static M within(const M& a, int k) {
    return M(a.rows, a.columns, [&](int i, int j) { return std::abs(i - j) <= k ? a(i, j) : T{}; });
  }

  void halves(L half) {
    for (const bool hermitian : {false, true}) {
      if (hermitian && !kIs) continue;
      const std::string kind = hermitian ? "he" : "sy", packs = hermitian ? "hp" : "sp",
                        bands = hermitian ? "hb" : "sb";
      const auto a = mirrored(matrix(n, n, 0.5), half, hermitian);
      const auto x0 = matrix(n, 1, 1), y0 = matrix(n, 1, -1);
      Values<T> av(a.values), x(x0.values), y(y0.values), ap(packed(a, half)), ab(banded(a, half, 1).values);
      const auto wanted = (a * x0).times(alpha_) + y0.times(beta_);
      if (hermitian || !kIs || !call_.is_legacy()) {
        call_("?" + kind + "mv", half, N{n}, V<T>{alpha_}, av.at(), N{n}, x.at(), N{1}, V<T>{beta_}, y.at(), N{1});
        expect(y, wanted, kind + "mv");
      }
      if (hermitian || !kIs) {
        Values<T> p(y0.values), b(y0.values);
        call_("?" + packs + "mv", half, N{n}, V<T>{alpha_}, ap.at(), x.at(), N{1}, V<T>{beta_}, p.at(), N{1});
        expect(p, wanted, packs + "mv");
        call_("?" + bands + "mv", half, N{n}, N{1}, V<T>{alpha_}, ab.at(), N{2}, x.at(), N{1}, V<T>{beta_}, b.at(),
              N{1});
        expect(b, (within(a, 1) * x0).times(alpha_) + y0.times(beta_), bands + "mv");
      }
      updates(half, hermitian, a);
      products(half, hermitian, a);
    }
  }

  void updates(L half, bool hermitian, const M& a) {
    const L how = hermitian ? kAdjoint : kTransposed;
    const auto x0 = matrix(n, 1, 1), y0 = matrix(n, 1, -1);
    Values<T> x(x0.values), y(y0.values);
    const std::string kind = hermitian ? "he" : "sy", packs = hermitian ? "hp" : "sp";
    const auto one = (x0 * x0.with(how)).times(hermitian ? T(real_) : alpha_) + a;
    const auto two =
        (x0 * y0.with(how)).times(alpha_) + (y0 * x0.with(how)).times(hermitian ? conjugated(alpha_) : alpha_) + a;
    const auto rank_one = [&](const std::string& name, auto... rest) {
      if (hermitian)
        call_(name, half, N{n}, V<R>{real_}, x.at(), N{1}, rest...);
      else
        call_(name, half, N{n}, V<T>{alpha_}, x.at(), N{1}, rest...);
    };
    if (hermitian || !kIs || !call_.is_legacy()) {
      Values<T> full(a.values);
      rank_one("?" + kind + "r", full.at(), N{n});
      expect(full, one.half_of(half, a), kind + "r");
    }
    if (!hermitian && kIs) return;
    Values<T> full(a.values), ap(packed(a, half)), ap2(packed(a, half));
    call_("?" + kind + "r2", half, N{n}, V<T>{alpha_}, x.at(), N{1}, y.at(), N{1}, full.at(), N{n});
    expect(full, two.half_of(half, a), kind + "r2");
    rank_one("?" + packs + "r", ap.at());
    expect_near(ap.get(), packed(one, half), packs + "r");
    call_("?" + packs + "r2", half, N{n}, V<T>{alpha_}, x.at(), N{1}, y.at(), N{1}, ap2.at());
    expect_near(ap2.get(), packed(two, half), packs + "r2");
  }

  void products(L half, bool hermitian, const M& a) {
    const std::string kind = hermitian ? "he" : "sy";
    for (const auto side : {kLeft, kRight}) {
      const auto b = side.code == 0 ? matrix(n, m, 1) : matrix(m, n, 1), c0 = b.times(T(2));
      Values<T> av(a.values), bv(b.values), c(c0.values);
      call_("?" + kind + "mm", side, half, N{b.rows}, N{b.columns}, V<T>{alpha_}, av.at(), N{n}, bv.at(), N{b.rows},
            V<T>{beta_}, c.at(), N{b.rows});
      expect(c, (side.code == 0 ? a * b : b * a).times(alpha_) + c0.times(beta_), kind + "mm");
    }
    const L other = hermitian ? kAdjoint : kTransposed;
    for (const auto op : {kNone, other}) {
      const auto p = op.code == 0 ? matrix(n, m, 1) : matrix(m, n, 1), q = p.times(T(R(0.5))) + p;
      const auto left = [&](const M& one) { return op.code == 0 ? one : one.with(other); };
      const auto right = [&](const M& one) { return op.code == 0 ? one.with(other) : one; };
      Values<T> pv(p.values), qv(q.values), c(a.values), d(a.values), e(a.values);
      if (hermitian) {
        call_("?herk", half, op, N{n}, N{m}, V<R>{real_}, pv.at(), N{p.rows}, V<R>{real_}, c.at(), N{n});
        expect(c, ((left(p) * right(p)).times(T(real_)) + a.times(T(real_))).half_of(half, a), "herk");
        call_("?her2k", half, op, N{n}, N{m}, V<T>{alpha_}, pv.at(), N{p.rows}, qv.at(), N{p.rows}, V<R>{real_}, d.at(),
              N{n});
        const auto sum = (left(p) * right(q)).times(alpha_) + (left(q) * right(p)).times(conjugated(alpha_));
        expect(d, (sum + a.times(T(real_))).half_of(half, a), "her2k");
      } else {
        call_("?syrk", half, op, N{n}, N{m}, V<T>{alpha_}, pv.at(), N{p.rows}, V<T>{beta_}, c.at(), N{n});
        expect(c, ((left(p) * right(p)).times(alpha_) + a.times(beta_)).half_of(half, a), "syrk");
        call_("?syr2k", half, op, N{n}, N{m}, V<T>{alpha_}, pv.at(), N{p.rows}, qv.at(), N{p.rows}, V<T>{beta_}, d.at(),
              N{n});
        const auto sum = (left(p) * right(q) + left(q) * right(p)).times(alpha_);
        expect(d, (sum + a.times(beta_)).half_of(half, a), "syr2k");
      }
      if (call_.is_legacy()) continue;
      const auto wanted = (left(p) * right(q)).times(alpha_);
      if (hermitian)
        call_("?herkx", half, op, N{n}, N{m}, V<T>{alpha_}, pv.at(), N{p.rows}, qv.at(), N{p.rows}, V<R>{real_}, e.at(),
              N{n});
      else
        call_("?syrkx", half, op, N{n}, N{m}, V<T>{alpha_}, pv.at(), N{p.rows}, qv.at(), N{p.rows}, V<T>{beta_}, e.at(),
              N{n});
      expect(e, (wanted + a.times(hermitian ? T(real_) : beta_)).half_of(half, a), "syrkx");
    }
  }

  void triangles(L half, L op, L diagonal) {
    const auto whole = matrix(n, n, 0.5);
    const M a = M(n, n, [&](int i, int j) {
      const bool inside = half.code == 0 ? i >= j : i <= j;
      return i == j && diagonal.code == 1 ? T(1) : inside ? whole(i, j) : T{};
    });
    const auto x0 = matrix(n, 1, 1);
    const auto forth_and_back = [&](const std::string& name, const M& by, auto... middle) {
      Values<T> x(x0.values);
      call_("?" + name + "mv", half, op, diagonal, N{n}, middle..., x.at(), N{1});
      expect(x, by.with(op) * x0, name + "mv");
      call_("?" + name + "sv", half, op, diagonal, N{n}, middle..., x.at(), N{1});
      expect(x, x0, name + "sv");
    };
    Values<T> av(whole.values), ap(packed(whole, half)), ab(banded(whole, half, 1).values);
    forth_and_back("tr", a, av.at(), N{n});
    forth_and_back("tp", a, ap.at());
    forth_and_back("tb", within(a, 1), N{1}, ab.at(), N{2});
    for (const auto side : {kLeft, kRight}) {
      const auto b = side.code == 0 ? matrix(n, m, 1) : matrix(m, n, 1);
      const auto wanted = (side.code == 0 ? a.with(op) * b : b * a.with(op)).times(alpha_);
      Values<T> bv(b.values), c(b.values.size());
      if (call_.is_legacy())
        call_("?trmm", side, half, op, diagonal, N{b.rows}, N{b.columns}, V<T>{alpha_}, av.at(), N{n}, bv.at(),
              N{b.rows});
      else
        call_("?trmm", side, half, op, diagonal, N{b.rows}, N{b.columns}, V<T>{alpha_}, av.at(), N{n}, bv.at(),
              N{b.rows}, c.at(), N{b.rows});
      auto& product = call_.is_legacy() ? bv : c;
      expect(product, wanted, "trmm");
      call_("?trsm", side, half, op, diagonal, N{b.rows}, N{b.columns}, V<T>{T(1) / alpha_}, av.at(), N{n},
            product.at(), N{b.rows});
      expect(product, b, "trsm");
    }
  }

  const Caller& call_;
};

TEST(Blas, FunctionsOfEachTypeDoWhatTheirNamesSay) {
  void* handle = nullptr;
  ASSERT_EQ(library_call("cublasCreate_v2", &handle), 0);
  ASSERT_EQ(library_call("cublasInit"), 0);
  for (const auto form : {Form::usual, Form::wide, Form::legacy}) {
    Checked<float>(Caller(form, handle, 'S')).run();
    Checked<double>(Caller(form, handle, 'D')).run();
    Checked<std::complex<float>>(Caller(form, handle, 'C')).run();
    Checked<std::complex<double>>(Caller(form, handle, 'Z')).run();
  }
  EXPECT_EQ(library_call("cublasShutdown"), 0);
  EXPECT_EQ(library_call("cublasDestroy_v2", handle), 0);
}

// Of plain memory of the host.
template <class T> void products_of_the_host(void* handle, char letter) {
  constexpr std::size_t m = 3, n = 2, k = 4, lda = 5, ldb = 6, ldc = 4;
  const auto number = [](std::size_t i) {
    const auto real = static_cast<PartType<T>>(i * 5 % 7) - PartType<T>(3);
    if constexpr (kComplexValue<T>)
      return T(real, static_cast<PartType<T>>(i % 3) - PartType<T>(1));
    else
      return real;
  };
  const auto of = [](int op, T value) {
    if constexpr (kComplexValue<T>)
      if (op == 2) return std::conj(value);
    return value;
  };
  const T by = number(5), keep = number(8);
  for (const int left : {0, 1, 2})
    for (const int right : {0, 1, 2}) {
      std::vector<T> a(lda * 5), b(ldb * 6), c(ldc * n);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = number(i);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = number(2 * i + 1);
      for (std::size_t i = 0; i < c.size(); ++i) c[i] = number(3 * i + 2);
      auto wanted = c;
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < m; ++i) {
          T sum{};
          for (std::size_t l = 0; l < k; ++l)
            sum += of(left, left == 0 ? a[l * lda + i] : a[i * lda + l]) *
                   of(right, right == 0 ? b[j * ldb + l] : b[l * ldb + j]);
          wanted[j * ldc + i] = by * sum + keep * wanted[j * ldc + i];
        }
      EXPECT_EQ(library_call(std::string("cublasXt") + letter + "gemm", handle, left, right, m, n, k, &by,
                             static_cast<const T*>(a.data()), lda, static_cast<const T*>(b.data()), ldb, &keep,
                             c.data(), ldc),
                0);
      expect_near(c, wanted, "cublasXt gemm");
    }
}

TEST(Blas, MultipliesMatricesOfTheHost) {
  void* handle = nullptr;
  ASSERT_EQ(library_call("cublasXtCreate", &handle), 0);
  const float one = 1;
  float value = 2;
  const std::size_t n = 1;
  EXPECT_EQ(library_call("cublasXtSgemm", handle, 0, 0, n, n, n, &one, &one, n, &one, n, &one, &value, n), 1);
  int devices[] = {0, 1}, number = 0;
  EXPECT_EQ(library_call("cublasXtDeviceSelect", handle, 2, devices), 7);
  EXPECT_EQ(library_call("cublasXtDeviceSelect", handle, 1, devices), 0);
  EXPECT_EQ(library_call("cublasXtGetNumBoards", 1, devices, &number), 0);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(library_call("cublasXtMaxBoards", &number), 0);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(library_call("cublasXtSetBlockDim", handle, 512), 0);
  EXPECT_EQ(library_call("cublasXtGetBlockDim", handle, &number), 0);
  EXPECT_EQ(number, 512);
  EXPECT_EQ(library_call("cublasXtSetPinningMemMode", handle, 1), 0);
  EXPECT_EQ(library_call("cublasXtGetPinningMemMode", handle, &number), 0);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(library_call("cublasXtSgemm", handle, 0, 0, n, n, n, &one, &one, n, &one, n, &one, &value, std::size_t{0}),
            7);
  EXPECT_EQ(value, 2.0f);
  products_of_the_host<float>(handle, 'S');
  products_of_the_host<double>(handle, 'D');
  products_of_the_host<std::complex<float>>(handle, 'C');
  products_of_the_host<std::complex<double>>(handle, 'Z');
  EXPECT_EQ(library_call("cublasXtDestroy", handle), 0);
}

}  // namespace
}  // namespace xcuda::test
