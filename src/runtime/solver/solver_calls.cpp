#include "runtime/solver/solver_calls.hpp"

#include <algorithm>
#include <vector>

#include "runtime/solver/solver_work.hpp"

namespace xcuda::runtime::math {
template <class T> int factor_lu(void* handle, int m, int n, T* a, int lda, T*, int* pivots, int* info) {
  return post_solver("cusolverDn getrf", handle, {is_matrix(m, n, lda)},
                     with_pivots({matrix_of(a, m, n, lda, "A")}, pivots, std::min(m, n)), info,
                     [=] { return lu_now<T>(m, n, a, lda, pivots); });
}
template <class T>
int solve_lu(void* handle, Op op, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb,
             int* info) {
  return post_solver("cusolverDn getrs", handle, {is_matrix(n, n, lda), is_matrix(n, columns, ldb)},
                     with_pivots({matrix_of(a, n, n, lda, "A"), matrix_of(b, n, columns, ldb, "B")}, pivots, n), info,
                     [=] { return solve_lu_now<T>(op, n, columns, a, lda, pivots, b, ldb); });
}
template <class T> int factor_cholesky(void* handle, Half half, int n, T* a, int lda, T*, int, int* info) {
  return post_solver("cusolverDn potrf", handle, {is_matrix(n, n, lda)}, {matrix_of(a, n, n, lda, "A")}, info, [=] {
    return lapack_of<T>("?potrf").letter(letter_of_part(half)).number(n).at(a).number(lda).run_with_info();
  });
}
template <class T>
int solve_cholesky(void* handle, Half half, int n, int columns, const T* a, int lda, T* b, int ldb, int* info) {
  return post_solver("cusolverDn potrs", handle, {is_matrix(n, n, lda), is_matrix(n, columns, ldb)},
                     {matrix_of(a, n, n, lda, "A"), matrix_of(b, n, columns, ldb, "B")}, info, [=] {
                       return lapack_of<T>("?potrs")
                           .letter(letter_of_part(half))
                           .number(n)
                           .number(columns)
                           .at(a)
                           .number(lda)
                           .at(b)
                           .number(ldb)
                           .run_with_info();
                     });
}
template <class T> int invert_cholesky(void* handle, Half half, int n, T* a, int lda, T*, int, int* info) {
  return post_solver("cusolverDn potri", handle, {is_matrix(n, n, lda)}, {matrix_of(a, n, n, lda, "A")}, info, [=] {
    return lapack_of<T>("?potri").letter(letter_of_part(half)).number(n).at(a).number(lda).run_with_info();
  });
}
template <class T> int cholesky_listed(void* handle, Half half, int n, T** a, int lda, int* infos, int count) {
  return post_solver(
      "cusolverDn potrfBatched", handle, {is_matrix(n, n, lda), count >= 0, infos != nullptr},
      {line_of(a, count, "the list"), line_of(infos, count, "the infos")}, nullptr, [=] {
        for (int i = 0; i < count; ++i)
          infos[i] = lapack_of<T>("?potrf").letter(letter_of_part(half)).number(n).at(a[i]).number(lda).run_with_info();
        return 0;
      });
}
template <class T>
int solve_cholesky_listed(void* handle, Half half, int n, int columns, T** a, int lda, T** b, int ldb, int* info,
                          int count) {
  return post_solver("cusolverDn potrsBatched", handle,
                     {is_matrix(n, n, lda), is_matrix(n, columns, ldb), columns == 1, count >= 0},
                     {line_of(a, count, "the list"), line_of(b, count, "the list")}, info, [=] {
                       for (int i = 0; i < count; ++i)
                         lapack_of<T>("?potrs")
                             .letter(letter_of_part(half))
                             .number(n)
                             .number(columns)
                             .at(a[i])
                             .number(lda)
                             .at(b[i])
                             .number(ldb)
                             .run_with_info();
                       return 0;
                     });
}
template <class T> int factor_qr(void* handle, int m, int n, T* a, int lda, T* tau, T*, int, int* info) {
  return post_solver("cusolverDn geqrf", handle, {is_matrix(m, n, lda)},
                     {matrix_of(a, m, n, lda, "A"), line_of(tau, std::min(m, n), "tau")}, info, [=] {
                       return with_work<T>([&](T* work, std::int64_t size) {
                         return lapack_of<T>("?geqrf")
                             .number(m)
                             .number(n)
                             .at(a)
                             .number(lda)
                             .at(tau)
                             .at(work)
                             .number(size)
                             .run_with_info();
                       });
                     });
}
template <class T>
int multiply_q(void* handle, Which side, Op op, int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc,
               T*, int, int* info) {
  const auto order = side == Which::left ? m : n;
  return post_solver("cusolverDn ormqr", handle, {is_matrix(order, k, lda), is_matrix(m, n, ldc), k <= order},
                     {matrix_of(a, order, k, lda, "A"), line_of(tau, k, "tau"), matrix_of(c, m, n, ldc, "C")}, info,
                     [=] {
                       return with_work<T>([&](T* work, std::int64_t size) {
                         return lapack_of<T>(kIsComplex<T> ? "?unmqr" : "?ormqr")
                             .letter(side == Which::left ? 'L' : 'R')
                             .letter(letter_of_part(op))
                             .number(m)
                             .number(n)
                             .number(k)
                             .at(a)
                             .number(lda)
                             .at(tau)
                             .at(c)
                             .number(ldc)
                             .at(work)
                             .number(size)
                             .run_with_info();
                       });
                     });
}
template <class T> int make_q(void* handle, int m, int n, int k, T* a, int lda, const T* tau, T*, int, int* info) {
  return post_solver("cusolverDn orgqr", handle, {is_matrix(m, n, lda), n <= m, k <= n},
                     {matrix_of(a, m, n, lda, "A"), line_of(tau, k, "tau")}, info, [=] {
                       return with_work<T>([&](T* work, std::int64_t size) {
                         return lapack_of<T>(kIsComplex<T> ? "?ungqr" : "?orgqr")
                             .number(m)
                             .number(n)
                             .number(k)
                             .at(a)
                             .number(lda)
                             .at(tau)
                             .at(work)
                             .number(size)
                             .run_with_info();
                       });
                     });
}
#define XCUDA_FACTORS(T)                                                                                        \
  template int factor_lu<T>(void*, int, int, T*, int, T*, int*, int*);                                          \
  template int solve_lu<T>(void*, Op, int, int, const T*, int, const int*, T*, int, int*);                      \
  template int factor_cholesky<T>(void*, Half, int, T*, int, T*, int, int*);                                    \
  template int solve_cholesky<T>(void*, Half, int, int, const T*, int, T*, int, int*);                          \
  template int invert_cholesky<T>(void*, Half, int, T*, int, T*, int, int*);                                    \
  template int cholesky_listed<T>(void*, Half, int, T**, int, int*, int);                                       \
  template int solve_cholesky_listed<T>(void*, Half, int, int, T**, int, T**, int, int*, int);                  \
  template int factor_qr<T>(void*, int, int, T*, int, T*, T*, int, int*);                                       \
  template int multiply_q<T>(void*, Which, Op, int, int, int, const T*, int, const T*, T*, int, T*, int, int*); \
  template int make_q<T>(void*, int, int, int, T*, int, const T*, T*, int, int*);
XCUDA_FACTORS(float)
XCUDA_FACTORS(double)
XCUDA_FACTORS(std::complex<float>)
XCUDA_FACTORS(std::complex<double>)
#undef XCUDA_FACTORS

}  // namespace xcuda::runtime::math
