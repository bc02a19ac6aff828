// Eigenvalues of symmetric and Hermitian matrices: of one, of several, some of them, and of pairs of matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/solver/solver_calls.hpp"

namespace xcuda::runtime::math {

template <class T>
int eigen(void* handle, Vectors vectors, Half half, int n, T* a, int lda, Part<T>* w, T*, int, int* info) {
  return post_solver("cusolverDn syevd", handle, {is_matrix(n, n, lda)},
                     {matrix_of(a, n, n, lda, "A"), line_of(w, n, "W")}, info,
                     [=] { return eigen_now<T>(vectors, half, n, a, lda, w); });
}
// a - v w v^H, for a that has both halves.
template <class T>
double residual_of(std::int64_t n, const std::vector<T>& a, const T* v, std::int64_t ldv, const Part<T>* w) {
  std::vector<T> scaled(a.size()), rest(a);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) scaled[static_cast<std::size_t>(j * n + i)] = v[j * ldv + i] * w[j];
  const T minus(-1), one(1);
  auto multiply = lapack_of<T>("?gemm");
  multiply.letter('N').letter('C').number(n).number(n).number(n).at(&minus).at(scaled.data()).number(n).at(v);
  multiply.number(ldv).at(&one).at(rest.data()).number(n).run();
  double sum = 0;
  for (const T& each : rest) sum += static_cast<double>(std::norm(each));
  return std::sqrt(sum);
}
template <class T> std::vector<T> both_halves(Half half, std::int64_t n, const T* a, std::int64_t lda) {
  std::vector<T> all(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i <= j; ++i) {
      const T below = half == Half::lower ? a[i * lda + j] : adjoint_of(a[j * lda + i]);
      all[static_cast<std::size_t>(i * n + j)] = below;
      all[static_cast<std::size_t>(j * n + i)] = adjoint_of(below);
    }
  return all;
}

// Parameters remember how far the vectors are from an exact decomposition.
template <class T>
int jacobi_eigen(void* handle, Vectors vectors, Half half, int n, T* a, int lda, Part<T>* w, T*, int, int* info,
                 void* parameters) {
  return post_solver("cusolverDn syevj", handle, {is_matrix(n, n, lda)},
                     {matrix_of(a, n, n, lda, "A"), line_of(w, n, "W")}, info, [=] {
                       const bool asks =
                           table_of<JacobiParameters>().find(parameters) != nullptr && vectors == Vectors::yes && n > 0;
                       const auto before = asks ? both_halves(half, n, a, lda) : std::vector<T>{};
                       const int found = eigen_now<T>(vectors, half, n, a, lda, w);
                       const double residual = asks ? residual_of(n, before, a, lda, w) : 0;
                       // The program may have destroyed them in the meantime.
                       if (auto* const known = table_of<JacobiParameters>().find(parameters); known != nullptr)
                         known->residual = residual;
                       return found;
                     });
}
template <class T>
int jacobi_batch_size(void* handle, Vectors, Half, int n, const T*, int lda, const Part<T>*, int* size, void*,
                      int count) {
  return give_size(handle, {is_matrix(n, n, lda), count >= 0}, size);
}
template <class T>
int eigen_batch(const char* name, void* handle, Vectors vectors, Half half, std::int64_t n, T* a, std::int64_t lda,
                Part<T>* w, int* infos, std::int64_t count) {
  return post_solver(name, handle, {is_matrix(n, n, lda), count >= 0, infos != nullptr},
                     {matrix_of(a, n, n * count, lda, "A"), line_of(w, n * count, "W"), line_of(infos, count, "infos")},
                     nullptr, [=] {
                       for (std::int64_t i = 0; i < count; ++i)
                         infos[i] = eigen_now<T>(vectors, half, n, a + i * lda * n, lda, w + i * n);
                       return 0;
                     });
}
template <class T>
int jacobi_batch(void* handle, Vectors vectors, Half half, int n, T* a, int lda, Part<T>* w, T*, int, int* infos, void*,
                 int count) {
  return eigen_batch<T>("cusolverDn syevjBatched", handle, vectors, half, n, a, lda, w, infos, count);
}

template <class T>
int general_eigen_now(int type, Vectors vectors, Half half, std::int64_t n, T* a, std::int64_t lda, T* b,
                      std::int64_t ldb, Part<T>* w) {
  auto function = lapack_of<T>(kIsComplex<T> ? "?hegvd" : "?sygvd");
  function.number(type).letter(letter_of_part(vectors)).letter(letter_of_part(half)).number(n).at(a).number(lda);
  function.at(b).number(ldb).at(w);
  return with_eigen_work<T>(n, function);
}
template <class T>
int general_eigen(void* handle, int type, Vectors vectors, Half half, int n, T* a, int lda, T* b, int ldb, Part<T>* w,
                  T*, int, int* info) {
  return post_solver("cusolverDn sygvd", handle, {type >= 1, type <= 3, is_matrix(n, n, lda), is_matrix(n, n, ldb)},
                     {matrix_of(a, n, n, lda, "A"), matrix_of(b, n, n, ldb, "B"), line_of(w, n, "W")}, info,
                     [=] { return general_eigen_now<T>(type, vectors, half, n, a, lda, b, ldb, w); });
}

template <class T>
int general_jacobi_size(void* handle, int type, Vectors vectors, Half half, int n, const T* a, int lda, const T* b,
                        int ldb, const Part<T>* w, int* size, void*) {
  return general_eigen_size<T>(handle, type, vectors, half, n, a, lda, b, ldb, w, size);
}
template <class T>
int general_jacobi(void* handle, int type, Vectors vectors, Half half, int n, T* a, int lda, T* b, int ldb, Part<T>* w,
                   T* work, int size, int* info, void*) {
  return general_eigen<T>(handle, type, vectors, half, n, a, lda, b, ldb, w, work, size, info);
}

// --- some of the values ---------------------------------------------------------------------------------------------

enum class Range : int { all = 1001, numbers, values };  // cusolverEigRange_t

// Values from `least` to `most`, without `least` itself, or from the first to the last, counted from 1.
template <class R> struct Wanted {
  Range range = Range::all;
  R least{}, most{};
  std::int64_t first = 1, last = 0;

  bool fits(std::int64_t n) const {
    switch (range) {
      case Range::all: return true;
      case Range::values: return least < most;
      case Range::numbers: return n == 0 || (first >= 1 && first <= last && last <= n);
    }
    return false;
  }
};

// Moves what is wanted to the front, and says how many that is.
template <class T>
std::int64_t keep_wanted(const Wanted<Part<T>>& wanted, Vectors vectors, std::int64_t n, T* a, std::int64_t lda,
                         Part<T>* w) {
  std::int64_t begin = 0, end = n;
  if (wanted.range == Range::values) {
    begin = std::upper_bound(w, w + n, wanted.least) - w;
    end = std::upper_bound(w, w + n, wanted.most) - w;
  } else if (wanted.range == Range::numbers && n > 0) {
    begin = wanted.first - 1;
    end = wanted.last;
  }
  if (begin == 0) return end;
  std::copy(w + begin, w + end, w);
  if (vectors == Vectors::yes)
    for (std::int64_t j = begin; j < end; ++j) std::copy_n(a + j * lda, n, a + (j - begin) * lda);
  return end - begin;
}

// `count` is memory of the host, so that the call waits. `decompose` gives all values in their order.
template <class T, class Count, class Function>
int some_eigen(const char* name, void* handle, Vectors vectors, const Wanted<Part<T>>& wanted, std::int64_t n, T* a,
               std::int64_t lda, Count* count, Part<T>* w, std::vector<Reach> reaches, int* info, Function decompose) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  if (!is_matrix(n, n, lda) || !wanted.fits(n) || count == nullptr) return kSolverCodes.value;
  reaches.push_back(matrix_of(a, n, n, lda, "A"));
  reaches.push_back(line_of(w, n, "W"));
  if (info != nullptr) reaches.push_back({info, sizeof(int), "the info"});
  return kSolverCodes.of(post({name, solver->stream, Waits::yes, std::move(reaches)}, [=] {
    const int found = decompose();
    *count = static_cast<Count>(found == 0 ? keep_wanted<T>(wanted, vectors, n, a, lda, w) : 0);
    if (info != nullptr) *info = found;
  }));
}
template <class T, class I>
int eigen_range_of(const char* name, void* handle, Vectors vectors, const Wanted<Part<T>>& wanted, Half half, I n, T* a,
                   I lda, I* count, Part<T>* w, int* info) {
  return some_eigen<T>(name, handle, vectors, wanted, n, a, lda, count, w, {}, info,
                       [=] { return eigen_now<T>(vectors, half, n, a, lda, w); });
}

template <class T>
int eigen_range_size(void* handle, Vectors, Range, Half, int n, const T*, int lda, Part<T>, Part<T>, int, int, int*,
                     const Part<T>*, int* size) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
template <class T>
int eigen_range(void* handle, Vectors vectors, Range range, Half half, int n, T* a, int lda, Part<T> least,
                Part<T> most, int first, int last, int* count, Part<T>* w, T*, int, int* info) {
  return eigen_range_of<T>("cusolverDn syevdx", handle, vectors, {range, least, most, first, last}, half, n, a, lda,
                           count, w, info);
}
template <class T>
int general_range_size(void* handle, int type, Vectors, Range, Half, int n, const T*, int lda, const T*, int ldb,
                       Part<T>, Part<T>, int, int, int*, const Part<T>*, int* size) {
  return give_size(handle, {type >= 1, type <= 3, is_matrix(n, n, lda), is_matrix(n, n, ldb)}, size);
}
template <class T>
int general_range(void* handle, int type, Vectors vectors, Range range, Half half, int n, T* a, int lda, T* b, int ldb,
                  Part<T> least, Part<T> most, int first, int last, int* count, Part<T>* w, T*, int, int* info) {
  if (type < 1 || type > 3 || !is_matrix(n, n, ldb)) return kSolverCodes.value;
  return some_eigen<T>("cusolverDn sygvdx", handle, vectors, {range, least, most, first, last}, n, a, lda, count, w,
                       {matrix_of(b, n, n, ldb, "B")}, info,
                       [=] { return general_eigen_now<T>(type, vectors, half, n, a, lda, b, ldb, w); });
}

}  // namespace xcuda::runtime::math
