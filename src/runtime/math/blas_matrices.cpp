#include "runtime/math/blas_matrices.hpp"

#include <algorithm>
#include <vector>

namespace xcuda::runtime::math {
namespace {

template <class T> T at_op(Op op, const T* a, std::int64_t ld, std::int64_t i, std::int64_t j) {
  if (op == Op::none) return a[j * ld + i];
  if constexpr (kIsComplex<T>)
    if (op == Op::adjoint) return std::conj(a[i * ld + j]);
  return a[i * ld + j];
}
std::int64_t most(std::int64_t a, std::int64_t b) { return std::max(a, b); }

char op_letter(Op op) { return "NTC"[static_cast<int>(op)]; }
char half_letter(Half half) { return half == Half::lower ? 'L' : 'U'; }

}  // namespace

template <class T, class I>
int geam(void* handle, Op left, Op right, I m, I n, const T* alpha, const T* a, I lda, const T* beta, const T* b, I ldb,
         T* c, I ldc) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  const auto rows_a = left == Op::none ? m : n, rows_b = right == Op::none ? m : n;
  if (m < 0 || n < 0 || alpha == nullptr || beta == nullptr || lda < most(rows_a, 1) || ldb < most(rows_b, 1) ||
      ldc < most(m, 1) || (a == c && left != Op::none) || (b == c && right != Op::none))
    return kBlasCodes.value;
  const Scalar<T> by_a(*blas, alpha), by_b(*blas, beta);
  const bool on_host = blas->pointers == PointerMode::host;
  // A matrix with the factor 0 is not read.
  const bool reads_a = !on_host || by_a.value() != T{}, reads_b = !on_host || by_b.value() != T{};
  Posted posted{"cublas geam", blas->stream, Waits::no, {{c, bytes_of_matrix(m, n, ldc, sizeof(T)), "C"}}};
  if (reads_a) posted.reaches.push_back({a, bytes_of_matrix(rows_a, m + n - rows_a, lda, sizeof(T)), "A"});
  if (reads_b) posted.reaches.push_back({b, bytes_of_matrix(rows_b, m + n - rows_b, ldb, sizeof(T)), "B"});
  return kBlasCodes.of(post(posted, [=] {
    const T x = by_a.value(), y = by_b.value();
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        T sum{};
        if (x != T{}) sum += x * at_op(left, a, lda, i, j);
        if (y != T{}) sum += y * at_op(right, b, ldb, i, j);
        c[j * ldc + i] = sum;
      }
  }));
}

template <class T, class I>
int dgmm(void* handle, Which side, I m, I n, const T* a, I lda, const T* x, I step, T* c, I ldc) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (m < 0 || n < 0 || lda < most(m, 1) || ldc < most(m, 1) || (side != Which::left && side != Which::right))
    return kBlasCodes.value;
  const std::int64_t count = side == Which::left ? m : n, first = step < 0 ? (1 - count) * step : 0;
  return kBlasCodes.of(post({"cublas dgmm",
                             blas->stream,
                             Waits::no,
                             {{a, bytes_of_matrix(m, n, lda, sizeof(T)), "A"},
                              {x, bytes_of_vector(count, step, sizeof(T)), "x"},
                              {c, bytes_of_matrix(m, n, ldc, sizeof(T)), "C"}}},
                            [=] {
                              for (std::int64_t j = 0; j < n; ++j)
                                for (std::int64_t i = 0; i < m; ++i)
                                  c[j * ldc + i] =
                                      a[j * lda + i] * x[first + (side == Which::left ? i : j) * std::int64_t{step}];
                            }));
}

template <class T, class I>
int trmm(void* handle, Which side, Half half, Op op, Diagonal diagonal, I m, I n, const T* alpha, const T* a, I lda,
         const T* b, I ldb, T* c, I ldc) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  const auto order = side == Which::left ? m : n;
  if (m < 0 || n < 0 || alpha == nullptr || lda < most(order, 1) || ldb < most(m, 1) || ldc < most(m, 1))
    return kBlasCodes.value;
  const Scalar<T> by(*blas, alpha);
  return kBlasCodes.of(post({"cublas trmm",
                             blas->stream,
                             Waits::no,
                             {{a, bytes_of_matrix(order, order, lda, sizeof(T)), "A"},
                              {b, bytes_of_matrix(m, n, ldb, sizeof(T)), "B"},
                              {c, bytes_of_matrix(m, n, ldc, sizeof(T)), "C"}}},
                            [=] {
                              if (b != c)
                                for (std::int64_t j = 0; j < n; ++j) std::copy_n(b + j * ldb, m, c + j * ldc);
                              const T factor = by.value();
                              Fortran(with_letter("?trmm", kLetter<T>))
                                  .letter(side == Which::left ? 'L' : 'R')
                                  .letter(half_letter(half))
                                  .letter(op_letter(op))
                                  .letter(diagonal == Diagonal::ones ? 'U' : 'N')
                                  .number(m)
                                  .number(n)
                                  .at(&factor)
                                  .at(a)
                                  .number(lda)
                                  .at(c)
                                  .number(ldc)
                                  .run();
                            }));
}

template <class T, class I, class B>
int rank_k(void* handle, Half half, Op op, I n, I k, const T* alpha, const T* a, I lda, const T* b, I ldb,
           const B* beta, T* c, I ldc) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  const auto rows = op == Op::none ? n : k, columns = op == Op::none ? k : n;
  if (n < 0 || k < 0 || alpha == nullptr || beta == nullptr || lda < most(rows, 1) || ldb < most(rows, 1) ||
      ldc < most(n, 1))
    return kBlasCodes.value;
  const Scalar<T> by(*blas, alpha);
  const Scalar<B> keep(*blas, beta);
  constexpr bool kHermitian = !std::is_same_v<T, B>;
  return kBlasCodes.of(post({"cublas syrkx",
                             blas->stream,
                             Waits::no,
                             {{a, bytes_of_matrix(rows, columns, lda, sizeof(T)), "A"},
                              {b, bytes_of_matrix(rows, columns, ldb, sizeof(T)), "B"},
                              {c, bytes_of_matrix(n, n, ldc, sizeof(T)), "C"}}},
                            [=] {
                              std::vector<T> product(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
                              const T factor = by.value(), zero{};
                              const char other = kHermitian ? 'C' : 'T';
                              Fortran(with_letter("?gemm", kLetter<T>))
                                  .letter(op == Op::none ? 'N' : other)
                                  .letter(op == Op::none ? other : 'N')
                                  .number(n)
                                  .number(n)
                                  .number(k)
                                  .at(&factor)
                                  .at(a)
                                  .number(lda)
                                  .at(b)
                                  .number(ldb)
                                  .at(&zero)
                                  .at(product.data())
                                  .number(most(n, 1))
                                  .run();
                              const B old = keep.value();
                              for (std::int64_t j = 0; j < n; ++j)
                                for (std::int64_t i = half == Half::lower ? j : 0;
                                     i < (half == Half::lower ? n : j + 1); ++i) {
                                  auto& to = c[j * ldc + i];
                                  const T sum = product[static_cast<std::size_t>(j * n + i)];
                                  to = old == B{} ? sum : sum + old * to;
                                }
                            }));
}

template <class T, class I>
int trsm_listed(void* handle, Which side, Half half, Op op, Diagonal diagonal, I m, I n, const T* alpha,
                const T* const* a, I lda, T* const* b, I ldb, I count) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (m < 0 || n < 0 || count < 0 || alpha == nullptr || lda < most(side == Which::left ? m : n, 1) || ldb < most(m, 1))
    return kBlasCodes.value;
  const Scalar<T> by(*blas, alpha);
  const auto bytes = static_cast<std::uint64_t>(count) * sizeof(void*);
  return kBlasCodes.of(post({"cublas trsmBatched", blas->stream, Waits::no, {{a, bytes, "A"}, {b, bytes, "B"}}}, [=] {
    const T factor = by.value();
    for (std::int64_t i = 0; i < count; ++i)
      Fortran(with_letter("?trsm", kLetter<T>))
          .letter(side == Which::left ? 'L' : 'R')
          .letter(half_letter(half))
          .letter(op_letter(op))
          .letter(diagonal == Diagonal::ones ? 'U' : 'N')
          .number(m)
          .number(n)
          .at(&factor)
          .at(a[i])
          .number(lda)
          .at(b[i])
          .number(ldb)
          .run();
  }));
}

namespace {

template <class T, class Function>
int each_of_half(const char* function, void* handle, Half half, int n, const T* packed, const T* a, int lda,
                 Function move) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (n < 0 || lda < most(n, 1)) return kBlasCodes.value;
  return kBlasCodes.of(
      post({function,
            blas->stream,
            Waits::no,
            {{packed, static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n + 1) / 2 * sizeof(T), "AP"},
             {a, bytes_of_matrix(n, n, lda, sizeof(T)), "A"}}},
           [=] {
             std::int64_t next = 0;
             for (std::int64_t j = 0; j < n; ++j)
               for (std::int64_t i = half == Half::lower ? j : 0; i < (half == Half::lower ? n : j + 1); ++i)
                 move(next++, j * lda + i);
           }));
}

}  // namespace

template <class T> int unpack(void* handle, Half half, int n, const T* packed, T* a, int lda) {
  return each_of_half<T>("cublas tpttr", handle, half, n, packed, a, lda,
                         [=](std::int64_t from, std::int64_t to) { a[to] = packed[from]; });
}
template <class T> int pack(void* handle, Half half, int n, const T* a, int lda, T* packed) {
  return each_of_half<T>("cublas trttp", handle, half, n, packed, a, lda,
                         [=](std::int64_t to, std::int64_t from) { packed[to] = a[from]; });
}

#define XCUDA_MATRICES(T, I)                                                                                  \
  template int geam<T, I>(void*, Op, Op, I, I, const T*, const T*, I, const T*, const T*, I, T*, I);          \
  template int dgmm<T, I>(void*, Which, I, I, const T*, I, const T*, I, T*, I);                               \
  template int trmm<T, I>(void*, Which, Half, Op, Diagonal, I, I, const T*, const T*, I, const T*, I, T*, I); \
  template int rank_k<T, I, T>(void*, Half, Op, I, I, const T*, const T*, I, const T*, I, const T*, T*, I);   \
  template int trsm_listed<T, I>(void*, Which, Half, Op, Diagonal, I, I, const T*, const T* const*, I, T* const*, I, I);
#define XCUDA_MATRICES_OF(T)                                   \
  XCUDA_MATRICES(T, int)                                       \
  XCUDA_MATRICES(T, std::int64_t)                              \
  template int unpack<T>(void*, Half, int, const T*, T*, int); \
  template int pack<T>(void*, Half, int, const T*, int, T*);
XCUDA_MATRICES_OF(float)
XCUDA_MATRICES_OF(double)
XCUDA_MATRICES_OF(std::complex<float>)
XCUDA_MATRICES_OF(std::complex<double>)
#undef XCUDA_MATRICES_OF
#undef XCUDA_MATRICES
#define XCUDA_HERMITIAN(T, I)                                                                                          \
  template int rank_k<std::complex<T>, I, T>(void*, Half, Op, I, I, const std::complex<T>*, const std::complex<T>*, I, \
                                             const std::complex<T>*, I, const T*, std::complex<T>*, I);
XCUDA_HERMITIAN(float, int)
XCUDA_HERMITIAN(float, std::int64_t)
XCUDA_HERMITIAN(double, int)
XCUDA_HERMITIAN(double, std::int64_t)
#undef XCUDA_HERMITIAN

}  // namespace xcuda::runtime::math
