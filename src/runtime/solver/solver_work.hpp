// How the parts of cuSOLVER call LAPACK.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "runtime/math/blas.hpp"
#include "runtime/math/typed_elements.hpp"
#include "runtime/solver/solver_handles.hpp"

namespace xcuda::runtime::math {

enum class Vectors : int { no, yes };  // cusolverEigMode_t

template <class T> Fortran lapack_of(const char* name) { return Fortran(with_letter(name, kLetter<T>)); }
inline char letter_of_part(Op op) { return "NTC"[static_cast<int>(op)]; }
inline char letter_of_part(Half half) { return half == Half::lower ? 'L' : 'U'; }
inline char letter_of_part(Vectors vectors) { return vectors == Vectors::yes ? 'V' : 'N'; }

template <class T> T adjoint_of(T value) {
  if constexpr (kIsComplex<T>)
    return std::conj(value);
  else
    return value;
}

template <class T>
Reach matrix_of(const T* at, std::int64_t rows, std::int64_t columns, std::int64_t leading, const char* name) {
  return {at, bytes_of_matrix(rows, columns, leading, sizeof(T)), name};
}
template <class T> Reach line_of(const T* at, std::int64_t count, const char* name) {
  constexpr std::uint64_t kSize = sizeof(T);  // NOLINT: also of pointers to matrices
  return {at, static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)) * kSize, name};
}

// Of a matrix and what goes with it, and of pivots, which may be null.
template <class I> std::vector<Reach> with_pivots(std::vector<Reach> reaches, const I* pivots, std::int64_t count) {
  if (pivots != nullptr) reaches.push_back(line_of(pivots, count, "the pivots"));
  return reaches;
}

// Posts LAPACK's work, whose result goes to `info`.
template <class Function>
int post_solver(const char* name, const void* handle, Conditions conditions, std::vector<Reach> reaches, int* info,
                Function function) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  if (!all_hold(conditions)) return kSolverCodes.value;
  if (info != nullptr) reaches.push_back({info, sizeof(int), "the info"});
  return kSolverCodes.of(post({name, solver->stream, Waits::no, std::move(reaches)}, [=] {
    const int found = function();
    if (info != nullptr) *info = found;
  }));
}

// Posts a step that is done when the call returns, whose status is what the step gives.
inline int run_solver_step(const Posted& posted, const std::function<int()>& step) {
  int status = kSolverCodes.failed;
  const auto outcome = post(posted, [&] { status = step(); });
  return outcome == Outcome::done ? status : kSolverCodes.of(outcome);
}

template <class T> int eliminate(std::int64_t m, std::int64_t n, T* a, std::int64_t ld) {  // without exchanges
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    const T pivot = a[k * ld + k];
    if (pivot == T{}) return static_cast<int>(k + 1);
    for (std::int64_t i = k + 1; i < m; ++i) a[k * ld + i] /= pivot;
    for (std::int64_t j = k + 1; j < n; ++j)
      for (std::int64_t i = k + 1; i < m; ++i) a[j * ld + i] -= a[k * ld + i] * a[j * ld + k];
  }
  return 0;
}

template <class T, class I> int lu_now(std::int64_t m, std::int64_t n, T* a, std::int64_t ld, I* pivots) {
  if (pivots == nullptr) return eliminate(m, n, a, ld);
  Pivots found(std::min(m, n));
  const int info = lapack_of<T>("?getrf").number(m).number(n).at(a).number(ld).at(found.data()).run_with_info();
  found.copy_to(pivots);
  return info;
}

template <class T, class I>
int solve_lu_now(Op op, std::int64_t n, std::int64_t columns, const T* a, std::int64_t lda, const I* pivots, T* b,
                 std::int64_t ldb) {
  std::vector<int> all(static_cast<std::size_t>(n) + 1);
  for (std::int64_t i = 0; i < n; ++i)
    all[static_cast<std::size_t>(i)] = static_cast<int>(pivots == nullptr ? i + 1 : pivots[i]);
  Pivots given(all.data(), n);
  return lapack_of<T>("?getrs")
      .letter(letter_of_part(op))
      .number(n)
      .number(columns)
      .at(a)
      .number(lda)
      .at(given.data())
      .at(b)
      .number(ldb)
      .run_with_info();
}

// Real: work, integers; complex: work, real numbers, integers. Each with its size.
template <class T> int with_eigen_work(std::int64_t n, Fortran& function) {
  const std::int64_t parts = 1 + 6 * n + 2 * n * n, integers = 3 + 5 * n,
                     elements = kIsComplex<T> ? 2 * n + n * n + 1 : parts;
  std::vector<T> work(static_cast<std::size_t>(elements));
  std::vector<Part<T>> real(static_cast<std::size_t>(kIsComplex<T> ? parts : 0));
  std::vector<std::int64_t> whole(static_cast<std::size_t>(integers));
  function.at(work.data()).number(elements);
  if constexpr (kIsComplex<T>) function.at(real.data()).number(parts);
  return function.at(whole.data()).number(integers).run_with_info();
}
template <class T> const char* eigen_name() { return kIsComplex<T> ? "?heevd" : "?syevd"; }

template <class T> int eigen_now(Vectors vectors, Half half, std::int64_t n, T* a, std::int64_t lda, Part<T>* w) {
  auto function = lapack_of<T>(eigen_name<T>());
  function.letter(letter_of_part(vectors)).letter(letter_of_part(half)).number(n).at(a).number(lda).at(w);
  return with_eigen_work<T>(n, function);
}

template <class T> struct Decomposed {
  T* a;
  std::int64_t lda;
  Part<T>* s;
  T* u;
  std::int64_t ldu;
  T* vt;
  std::int64_t ldvt;
};
template <class T> int svd_now(char left, char right, std::int64_t m, std::int64_t n, const Decomposed<T>& d) {
  std::vector<Part<T>> more(static_cast<std::size_t>(kIsComplex<T> ? 5 * std::min(m, n) + 1 : 0));
  return with_work<T>([&](T* work, std::int64_t size) {
    auto function = lapack_of<T>("?gesvd");
    function.letter(left).letter(right).number(m).number(n).at(d.a).number(d.lda).at(d.s).at(d.u).number(d.ldu);
    function.at(d.vt).number(d.ldvt).at(work).number(size);
    if constexpr (kIsComplex<T>) function.at(more.data());
    return function.run_with_info();
  });
}

}  // namespace xcuda::runtime::math
