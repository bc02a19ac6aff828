// The steps of decompositions: to a band of two or three diagonals and back, symmetric factors with pivots, products of
// triangles, exchanges of rows.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/solver/solver_calls.hpp"

namespace xcuda::runtime::math {

template <class T> constexpr const char* real_or(const char* real, const char* complex) {
  return kIsComplex<T> ? complex : real;
}
// `function` adds the arguments that come before LAPACK's own memory.
template <class T, class Function> int lapack_with_work(const char* name, Function function) {
  return with_work<T>([&](T* work, std::int64_t size) {
    auto call = lapack_of<T>(name);
    function(call);
    return call.at(work).number(size).run_with_info();
  });
}

inline int two_diagonals_size(void* handle, int m, int n, int* size) {
  return give_size(handle, {m >= 0, n >= 0}, size);
}
template <class T>
int two_diagonals(void* handle, int m, int n, T* a, int lda, Part<T>* d, Part<T>* e, T* tau_q, T* tau_p, T*, int,
                  int* info) {
  const auto least = std::min(m, n);
  return post_solver("cusolverDn gebrd", handle, {is_matrix(m, n, lda)},
                     {matrix_of(a, m, n, lda, "A"), line_of(d, least, "D"), line_of(e, least - 1, "E"),
                      line_of(tau_q, least, "TAUQ"), line_of(tau_p, least, "TAUP")},
                     info, [=] {
                       return lapack_with_work<T>("?gebrd", [=](Fortran& call) {
                         call.number(m).number(n).at(a).number(lda).at(d).at(e).at(tau_q).at(tau_p);
                       });
                     });
}
template <class T>
int make_of_two_size(void* handle, Which, int m, int n, int, const T*, int lda, const T*, int* size) {
  return give_size(handle, {is_matrix(m, n, lda)}, size);
}
template <class T>
int make_of_two(void* handle, Which side, int m, int n, int k, T* a, int lda, const T* tau, T*, int, int* info) {
  const bool q = side == Which::left;
  const bool fits = q ? n <= m && n >= std::min(m, k) : m <= n && m >= std::min(n, k);
  return post_solver("cusolverDn orgbr", handle, {is_matrix(m, n, lda), k >= 0, fits},
                     {matrix_of(a, m, n, lda, "A"), line_of(tau, std::min(q ? m : n, k), "tau")}, info, [=] {
                       return lapack_with_work<T>(real_or<T>("?orgbr", "?ungbr"), [=](Fortran& call) {
                         call.letter(q ? 'Q' : 'P').number(m).number(n).number(k).at(a).number(lda).at(tau);
                       });
                     });
}

template <class T>
int three_diagonals_size(void* handle, Half, int n, const T*, int lda, const Part<T>*, const Part<T>*, const T*,
                         int* size) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
template <class T>
int three_diagonals(void* handle, Half half, int n, T* a, int lda, Part<T>* d, Part<T>* e, T* tau, T*, int, int* info) {
  return post_solver(
      "cusolverDn sytrd", handle, {is_matrix(n, n, lda)},
      {matrix_of(a, n, n, lda, "A"), line_of(d, n, "D"), line_of(e, n - 1, "E"), line_of(tau, n - 1, "tau")}, info,
      [=] {
        return lapack_with_work<T>(real_or<T>("?sytrd", "?hetrd"), [=](Fortran& call) {
          call.letter(letter_of_part(half)).number(n).at(a).number(lda).at(d).at(e).at(tau);
        });
      });
}
template <class T> int make_of_three_size(void* handle, Half, int n, const T*, int lda, const T*, int* size) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
template <class T> int make_of_three(void* handle, Half half, int n, T* a, int lda, const T* tau, T*, int, int* info) {
  return post_solver("cusolverDn orgtr", handle, {is_matrix(n, n, lda)},
                     {matrix_of(a, n, n, lda, "A"), line_of(tau, n - 1, "tau")}, info, [=] {
                       return lapack_with_work<T>(real_or<T>("?orgtr", "?ungtr"), [=](Fortran& call) {
                         call.letter(letter_of_part(half)).number(n).at(a).number(lda).at(tau);
                       });
                     });
}
template <class T>
int multiply_of_three_size(void* handle, Which side, Half, Op, int m, int n, const T*, int lda, const T*, const T*,
                           int ldc, int* size) {
  const auto order = side == Which::left ? m : n;
  return give_size(handle, {is_matrix(order, order, lda), is_matrix(m, n, ldc)}, size);
}
template <class T>
int multiply_of_three(void* handle, Which side, Half half, Op op, int m, int n, T* a, int lda, T* tau, T* c, int ldc,
                      T*, int, int* info) {
  const auto order = side == Which::left ? m : n;
  return post_solver(
      "cusolverDn ormtr", handle, {is_matrix(order, order, lda), is_matrix(m, n, ldc)},
      {matrix_of(a, order, order, lda, "A"), line_of(tau, order - 1, "tau"), matrix_of(c, m, n, ldc, "C")}, info, [=] {
        return lapack_with_work<T>(real_or<T>("?ormtr", "?unmtr"), [=](Fortran& call) {
          call.letter(side == Which::left ? 'L' : 'R').letter(letter_of_part(half)).letter(letter_of_part(op));
          call.number(m).number(n).at(a).number(lda).at(tau).at(c).number(ldc);
        });
      });
}

template <class T> int symmetric_size(void* handle, int n, T*, int lda, int* size) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
template <class T>
int factor_symmetric(void* handle, Half half, int n, T* a, int lda, int* pivots, T*, int, int* info) {
  if (pivots == nullptr && find_solver(handle) != nullptr) {
    say_not_supported("cusolverDn sytrf", "factors without pivots");
    return kSolverCodes.unsupported;
  }
  return post_solver("cusolverDn sytrf", handle, {is_matrix(n, n, lda)},
                     {matrix_of(a, n, n, lda, "A"), line_of(pivots, n, "the pivots")}, info, [=] {
                       Pivots found(n);
                       const int status = lapack_with_work<T>("?sytrf", [&](Fortran& call) {
                         call.letter(letter_of_part(half)).number(n).at(a).number(lda).at(found.data());
                       });
                       found.copy_to(pivots);
                       return status;
                     });
}
template <class T> int invert_symmetric_size(void* handle, Half, int n, T*, int lda, const int*, int* size) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
template <class T>
int invert_symmetric(void* handle, Half half, int n, T* a, int lda, const int* pivots, T*, int, int* info) {
  return post_solver("cusolverDn sytri", handle, {is_matrix(n, n, lda)},
                     {matrix_of(a, n, n, lda, "A"), line_of(pivots, n, "the pivots")}, info, [=] {
                       Pivots given(pivots, n);
                       std::vector<T> work(2 * static_cast<std::size_t>(n) + 1);
                       auto call = lapack_of<T>("?sytri");
                       call.letter(letter_of_part(half)).number(n).at(a).number(lda).at(given.data()).at(work.data());
                       return call.run_with_info();
                     });
}

// The product of a triangle and its adjoint, in place of the triangle.
template <class T> int square_triangle(void* handle, Half half, int n, T* a, int lda, T*, int, int* info) {
  return post_solver("cusolverDn lauum", handle, {is_matrix(n, n, lda)}, {matrix_of(a, n, n, lda, "A")}, info, [=] {
    return lapack_of<T>("?lauum").letter(letter_of_part(half)).number(n).at(a).number(lda).run_with_info();
  });
}
// Exchanges rows `first` to `last`, counted from 1, with those that the pivots name.
template <class T>
int exchange_rows(void* handle, int n, T* a, int lda, int first, int last, const int* pivots, int step) {
  const std::int64_t count = first + (last - first) * static_cast<std::int64_t>(std::abs(step));
  return post_solver("cusolverDn laswp", handle, {n >= 0, lda >= 1, first >= 1, last >= first, last <= lda, step != 0},
                     {matrix_of(a, last, n, lda, "A"), line_of(pivots, count, "the pivots")}, nullptr, [=] {
                       Pivots given(pivots, count);
                       auto call = lapack_of<T>("?laswp");
                       call.number(n).at(a).number(lda).number(first).number(last).at(given.data()).number(step).run();
                       return 0;
                     });
}

}  // namespace xcuda::runtime::math
