// Systems that cuSOLVER solves in a shorter type and refines: LAPACK solves them in the type of the matrices.
#pragma once

#include <algorithm>
#include <vector>

#include "runtime/solver/solver_calls.hpp"

namespace xcuda::runtime::math {

template <class T> struct Equations {
  std::int64_t m, n, columns;  // of `a`; columns of `b`
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T* x;
  std::int64_t ldx;
};

template <class T>
std::vector<T> packed_copy(std::int64_t rows, std::int64_t columns, const T* from, std::int64_t leading,
                           std::int64_t to_leading) {
  std::vector<T> to(static_cast<std::size_t>(std::max<std::int64_t>(to_leading * columns, 1)));
  for (std::int64_t j = 0; j < columns; ++j) std::copy_n(from + j * leading, rows, to.data() + j * to_leading);
  return to;
}
// The status; `pivots` may be null.
template <class T> int solve_square_now(const Equations<T>& e, int* pivots) {
  auto factors = packed_copy(e.n, e.n, e.a, e.lda, e.n);
  std::vector<int> found(static_cast<std::size_t>(e.n) + 1);
  if (const int status = lu_now<T>(e.n, e.n, factors.data(), e.n, found.data()); status != 0) return status;
  if (pivots != nullptr) std::copy_n(found.data(), e.n, pivots);
  for (std::int64_t j = 0; j < e.columns; ++j) std::copy_n(e.b + j * e.ldb, e.n, e.x + j * e.ldx);
  return solve_lu_now<T>(Op::none, e.n, e.columns, factors.data(), e.n, found.data(), e.x, e.ldx);
}
template <class T> int least_squares_now(const Equations<T>& e) {
  const auto most = std::max<std::int64_t>({e.m, e.n, 1});
  auto a = packed_copy(e.m, e.n, e.a, e.lda, e.m), b = packed_copy(e.m, e.columns, e.b, e.ldb, most);
  const int status = with_work<T>([&](T* work, std::int64_t size) {
    auto call = lapack_of<T>("?gels");
    call.letter('N').number(e.m).number(e.n).number(e.columns).at(a.data()).number(std::max<std::int64_t>(e.m, 1));
    return call.at(b.data()).number(most).at(work).number(size).run_with_info();
  });
  for (std::int64_t j = 0; status == 0 && j < e.columns; ++j) std::copy_n(b.data() + j * most, e.n, e.x + j * e.ldx);
  return status;
}

// `iterations` is memory of the host.
template <class T>
int solve_refined(const char* name, void* handle, const Equations<T>& e, int* pivots, int* iterations, int* info) {
  if (find_solver(handle) != nullptr && iterations == nullptr) return kSolverCodes.value;
  std::vector<Reach> reaches{matrix_of(e.a, e.m, e.n, e.lda, "A"), matrix_of(e.b, e.m, e.columns, e.ldb, "B"),
                             matrix_of(e.x, e.n, e.columns, e.ldx, "X")};
  const bool is_square = e.m == e.n;
  if (pivots != nullptr) reaches.push_back(line_of(pivots, e.n, "the pivots"));
  const int status =
      post_solver(name, handle,
                  {e.m >= e.n, e.columns >= 0, is_matrix(e.m, e.n, e.lda), is_matrix(e.m, e.columns, e.ldb),
                   is_matrix(e.n, e.columns, e.ldx)},
                  reaches, info, [=] { return is_square ? solve_square_now(e, pivots) : least_squares_now(e); });
  if (status == 0) *iterations = 0;
  return status;
}

template <class T>
int gesv_size(void* handle, int n, int columns, T*, int lda, int*, T*, int ldb, T*, int ldx, void*,
              std::size_t* bytes) {
  std::size_t host = 0;
  return give_sizes(handle, {is_matrix(n, n, lda), is_matrix(n, columns, ldb), is_matrix(n, columns, ldx)}, bytes,
                    &host);
}
template <class T>
int gesv(void* handle, int n, int columns, T* a, int lda, int* pivots, T* b, int ldb, T* x, int ldx, void*, std::size_t,
         int* iterations, int* info) {
  return solve_refined<T>("cusolverDn gesv", handle, {n, n, columns, a, lda, b, ldb, x, ldx}, pivots, iterations, info);
}
template <class T>
int gels_size(void* handle, int m, int n, int columns, T*, int lda, T*, int ldb, T*, int ldx, void*,
              std::size_t* bytes) {
  std::size_t host = 0;
  return give_sizes(handle, {m >= n, is_matrix(m, n, lda), is_matrix(m, columns, ldb), is_matrix(n, columns, ldx)},
                    bytes, &host);
}
template <class T>
int gels(void* handle, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* x, int ldx, void*, std::size_t,
         int* iterations, int* info) {
  return solve_refined<T>("cusolverDn gels", handle, {m, n, columns, a, lda, b, ldb, x, ldx}, nullptr, iterations,
                          info);
}

// How to refine, kept for queries, and what came of it.
struct Refinement {
  int solver = 1100, main = 0, lowest = 0;  // cusolverIRSRefinement_t, cusolverPrecType_t
  double tolerance = 0, inner_tolerance = 0;
  int iterations = 50, inner_iterations = 50;
  bool falls_back = true;
};
struct RefinementInfo {
  int iterations = -1, most = 50;
};

int create_refinement(void** parameters);
int destroy_refinement(void* parameters);
int set_refinement_solver(void* parameters, int solver);
int set_main_precision(void* parameters, int precision);
int set_lowest_precision(void* parameters, int precision);
int set_precisions(void* parameters, int main, int lowest);
int set_refinement_tolerance(void* parameters, double tolerance);
int set_inner_tolerance(void* parameters, double tolerance);
int set_refinement_iterations(void* parameters, int iterations);
int set_inner_iterations(void* parameters, int iterations);
int get_refinement_iterations(void* parameters, int* iterations);
int enable_fallback(void* parameters);
int disable_fallback(void* parameters);
int create_refinement_info(void** infos);
int destroy_refinement_info(void* infos);
int get_iterations(void* infos, int* iterations);
int get_most_iterations(void* infos, int* iterations);
int any_gesv_size(void* handle, void* parameters, int n, int columns, std::size_t* bytes);
int any_gesv(void* handle, void* parameters, void* infos, int n, int columns, void* a, int lda, void* b, int ldb,
             void* x, int ldx, void* work, std::size_t bytes, int* iterations, int* info);
int any_gels_size(void* handle, void* parameters, int m, int n, int columns, std::size_t* bytes);
int any_gels(void* handle, void* parameters, void* infos, int m, int n, int columns, void* a, int lda, void* b, int ldb,
             void* x, int ldx, void* work, std::size_t bytes, int* iterations, int* info);

}  // namespace xcuda::runtime::math
