// Singular values: of one matrix, of several, and the greatest ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/solver/solver_calls.hpp"

namespace xcuda::runtime::math {

template <class T>
int svd(void* handle, signed char left, signed char right, int m, int n, T* a, int lda, Part<T>* s, T* u, int ldu,
        T* vt, int ldvt, T*, int, Part<T>*, int* info) {
  const auto is_job = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
  const auto least = std::min(m, n);
  std::vector<Reach> reaches{matrix_of(a, m, n, lda, "A"), line_of(s, least, "S")};
  if (left == 'A' || left == 'S') reaches.push_back(matrix_of(u, m, left == 'A' ? m : least, ldu, "U"));
  if (right == 'A' || right == 'S') reaches.push_back(matrix_of(vt, right == 'A' ? n : least, n, ldvt, "VT"));
  return post_solver("cusolverDn gesvd", handle, {is_matrix(m, n, lda), is_job(left), is_job(right), m >= n}, reaches,
                     info, [=] {
                       return svd_now<T>(static_cast<char>(left), static_cast<char>(right), m, n,
                                         {a, lda, s, u, std::max(ldu, 1), vt, std::max(ldvt, 1)});
                     });
}
// U and V are square, or have as many columns as there are singular values.
enum class Sides : std::uint8_t { square, least };
template <class T> struct Singular {
  std::int64_t m, n;
  T* a;
  std::int64_t lda;
  Part<T>* s;
  T* u;
  std::int64_t ldu;
  T* v;
  std::int64_t ldv;
};
// In place of LAPACK's V^H, its columns are V's.
template <class T> int svd_by_columns(Vectors vectors, Sides sides, const Singular<T>& d) {
  const auto rows = sides == Sides::least ? std::min(d.m, d.n) : d.n;
  const char job = vectors == Vectors::no ? 'N' : sides == Sides::least ? 'S' : 'A';
  std::vector<T> vt(vectors == Vectors::yes ? static_cast<std::size_t>(rows * d.n) : 1);
  const int found =
      svd_now<T>(job, job, d.m, d.n,
                 {d.a, d.lda, d.s, d.u, std::max<std::int64_t>(d.ldu, 1), vt.data(), std::max<std::int64_t>(rows, 1)});
  if (vectors == Vectors::yes)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < d.n; ++j)
        d.v[i * d.ldv + j] = adjoint_of(vt[static_cast<std::size_t>(j * rows + i)]);
  return found;
}
template <class T>
int post_svd(const char* name, void* handle, Vectors vectors, Sides sides, const Singular<T>& d, std::int64_t count,
             int* infos) {
  const auto least = std::min(d.m, d.n);
  const auto columns_u = sides == Sides::least ? least : d.m, columns_v = sides == Sides::least ? least : d.n;
  std::vector<Reach> reaches{matrix_of(d.a, d.m, d.n * count, d.lda, "A"), line_of(d.s, least * count, "S"),
                             line_of(infos, infos == nullptr ? 0 : count, "the infos")};
  if (vectors == Vectors::yes) {
    reaches.push_back(matrix_of(d.u, d.m, columns_u * count, d.ldu, "U"));
    reaches.push_back(matrix_of(d.v, d.n, columns_v * count, d.ldv, "V"));
  }
  const bool fits = vectors == Vectors::no || (is_matrix(d.m, columns_u, d.ldu) && is_matrix(d.n, columns_v, d.ldv));
  return post_solver(name, handle, {is_matrix(d.m, d.n, d.lda), count >= 0, fits}, reaches, nullptr, [=] {
    for (std::int64_t i = 0; i < count; ++i) {
      auto one = d;
      one.a += i * d.lda * d.n;
      one.s += i * least;
      if (vectors == Vectors::yes) {
        one.u += i * d.ldu * columns_u;
        one.v += i * d.ldv * columns_v;
      }
      const int found = svd_by_columns(vectors, sides, one);
      if (infos != nullptr) infos[i] = found;
    }
    return 0;
  });
}
template <class T>
int jacobi_svd(void* handle, Vectors vectors, int economic, int m, int n, T* a, int lda, Part<T>* s, T* u, int ldu,
               T* v, int ldv, T*, int, int* info, void*) {
  return post_svd<T>("cusolverDn gesvdj", handle, vectors, economic != 0 ? Sides::least : Sides::square,
                     {m, n, a, lda, s, u, ldu, v, ldv}, 1, info);
}
template <class T>
int jacobi_svd_batch_size(void* handle, Vectors, int m, int n, const T*, int lda, const Part<T>*, const T*, int,
                          const T*, int, int* size, void*, int count) {
  return give_size(handle, {is_matrix(m, n, lda), count >= 0}, size);
}
template <class T>
int jacobi_svd_batch(void* handle, Vectors vectors, int m, int n, T* a, int lda, Part<T>* s, T* u, int ldu, T* v,
                     int ldv, T*, int, int* infos, void*, int count) {
  return post_svd<T>("cusolverDn gesvdjBatched", handle, vectors, Sides::square, {m, n, a, lda, s, u, ldu, v, ldv},
                     count, infos);
}

// The greatest `rank` singular values of each matrix of a batch, which is not changed, and how much the rest is.
template <class T>
int svd_strided_size(void* handle, Vectors, int rank, int m, int n, const T*, int lda, long long, const Part<T>*,
                     long long, const T*, int, long long, const T*, int, long long, int* size, int count) {
  return give_size(handle, {is_matrix(m, n, lda), rank >= 0, rank <= std::min(m, n), count >= 0}, size);
}
template <class T>
int svd_strided(void* handle, Vectors vectors, int rank, int m, int n, const T* a, int lda, long long stride_a,
                Part<T>* s, long long stride_s, T* u, int ldu, long long stride_u, T* v, int ldv, long long stride_v,
                T*, int, int* infos, double* rests, int count) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  const int least = std::min(m, n);
  if (!is_matrix(m, n, lda) || rank < 0 || rank > least || count < 0 || stride_a < 0 || stride_s < 0 || stride_u < 0 ||
      stride_v < 0 || (vectors == Vectors::yes && !(is_matrix(m, rank, ldu) && is_matrix(n, rank, ldv))))
    return kSolverCodes.value;
  if (count == 0 || rank == 0) return 0;
  const auto over = [&](const auto* at, std::int64_t rows, std::int64_t columns, std::int64_t leading, long long stride,
                        const char* name) {
    auto reach = matrix_of(at, rows, columns, leading, name);
    reach.bytes += static_cast<std::uint64_t>((count - 1) * stride) * sizeof(*at);
    return reach;
  };
  std::vector<Reach> reaches{over(a, m, n, lda, stride_a, "A"), over(s, rank, 1, rank, stride_s, "S"),
                             line_of(infos, infos == nullptr ? 0 : count, "the infos")};
  if (vectors == Vectors::yes) {
    reaches.push_back(over(u, m, rank, ldu, stride_u, "U"));
    reaches.push_back(over(v, n, rank, ldv, stride_v, "V"));
  }
  return kSolverCodes.of(post(
      {"cusolverDn gesvdaStridedBatched", solver->stream, rests != nullptr ? Waits::yes : Waits::no, reaches}, [=] {
        std::vector<T> matrix(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)),
            left(static_cast<std::size_t>(m) * static_cast<std::size_t>(least)),
            right(static_cast<std::size_t>(n) * static_cast<std::size_t>(least));
        std::vector<Part<T>> all(static_cast<std::size_t>(least));
        for (int i = 0; i < count; ++i) {
          for (std::int64_t j = 0; j < n; ++j) std::copy_n(a + i * stride_a + j * lda, m, matrix.data() + j * m);
          const int found = svd_by_columns<T>(vectors, Sides::least,
                                              {m, n, matrix.data(), m, all.data(), left.data(), m, right.data(), n});
          std::copy_n(all.data(), rank, s + i * stride_s);
          if (vectors == Vectors::yes)
            for (std::int64_t j = 0; j < rank; ++j) {
              std::copy_n(left.data() + j * m, m, u + i * stride_u + j * ldu);
              std::copy_n(right.data() + j * n, n, v + i * stride_v + j * ldv);
            }
          if (infos != nullptr) infos[i] = found;
          if (rests == nullptr) continue;
          double rest = 0;
          for (auto k = static_cast<std::size_t>(rank); k < all.size(); ++k)
            rest += static_cast<double>(all[k]) * static_cast<double>(all[k]);
          rests[i] = std::sqrt(rest);
        }
      }));
}

}  // namespace xcuda::runtime::math
