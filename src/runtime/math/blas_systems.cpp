// Small systems of equations in batches: lists of matrices in the device's memory.
#include <algorithm>
#include <vector>

#include "runtime/math/blas_matrices.hpp"

namespace xcuda::runtime::math {
namespace {

template <class T> Fortran lapack(const char* name) { return Fortran(with_letter(name, kLetter<T>)); }

template <class Function>
int each_system(const char* function, void* handle, std::initializer_list<const void*> lists,
                std::initializer_list<bool> conditions, int count, Function one) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  for (const bool holds : conditions)
    if (!holds) return kBlasCodes.value;
  if (count < 0) return kBlasCodes.value;
  Posted posted{function, blas->stream, Waits::no, {}};
  for (const auto* list : lists)
    posted.reaches.push_back({list, static_cast<std::uint64_t>(count) * sizeof(void*), "a list of matrices"});
  return kBlasCodes.of(post(posted, [=] {
    for (int i = 0; i < count; ++i) one(i);
  }));
}

// Without exchanges of rows, which LAPACK does not have.
template <class T> int lu_in_place(std::int64_t n, T* a, std::int64_t ld) {
  int info = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const T pivot = a[k * ld + k];
    if (pivot == T{}) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    for (std::int64_t i = k + 1; i < n; ++i) a[k * ld + i] /= pivot;
    for (std::int64_t j = k + 1; j < n; ++j)
      for (std::int64_t i = k + 1; i < n; ++i) a[j * ld + i] -= a[k * ld + i] * a[j * ld + k];
  }
  return info;
}

template <class T> int lu(std::int64_t n, T* a, std::int64_t ld, int* pivots) {
  if (pivots == nullptr) return lu_in_place(n, a, ld);
  Pivots found(n);
  const int info = lapack<T>("?getrf").number(n).number(n).at(a).number(ld).at(found.data()).run_with_info();
  found.copy_to(pivots);
  return info;
}

Pivots pivots_of(const int* from, std::int64_t n) {
  if (from != nullptr) return {from, n};
  std::vector<int> none;
  for (int i = 1; i <= n; ++i) none.push_back(i);
  return {none.data(), n};
}

template <class T> int invert_lu(std::int64_t n, T* a, std::int64_t ld, const int* pivots) {
  auto found = pivots_of(pivots, n);
  return with_work<T>([&](T* work, std::int64_t size) {
    return lapack<T>("?getri").number(n).at(a).number(ld).at(found.data()).at(work).number(size).run_with_info();
  });
}

template <class T> void copy_columns(std::int64_t n, const T* from, std::int64_t from_ld, T* to, std::int64_t to_ld) {
  for (std::int64_t j = 0; j < n; ++j) std::copy_n(from + j * from_ld, n, to + j * to_ld);
}

constexpr int kMostInverted = 32;  // of matinvBatched, as CUDA says

}  // namespace

template <class T> int lu_listed(void* handle, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  return each_system("cublas getrfBatched", handle, {a}, {n >= 0, lda >= std::max(n, 1), info != nullptr}, count,
                     [=](int i) { info[i] = lu<T>(n, a[i], lda, pivots == nullptr ? nullptr : pivots + i * n); });
}

// info is the host's, and says what is wrong with the arguments.
template <class T>
int solve_listed(void* handle, Op op, int n, int columns, const T* const* a, int lda, const int* pivots, T* const* b,
                 int ldb, int* info, int count) {
  if (info == nullptr) return kBlasCodes.value;
  *info = n < 0 ? -2 : columns < 0 ? -3 : lda < std::max(n, 1) ? -5 : ldb < std::max(n, 1) ? -8 : count < 0 ? -10 : 0;
  return each_system("cublas getrsBatched", handle, {a, b}, {*info == 0}, count, [=](int i) {
    auto found = pivots_of(pivots == nullptr ? nullptr : pivots + i * n, n);
    lapack<T>("?getrs")
        .letter("NTC"[static_cast<int>(op)])
        .number(n)
        .number(columns)
        .at(a[i])
        .number(lda)
        .at(found.data())
        .at(b[i])
        .number(ldb)
        .run_with_info();
  });
}

template <class T>
int invert_lu_listed(void* handle, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc,
                     int* info, int count) {
  return each_system("cublas getriBatched", handle, {a, c},
                     {n >= 0, lda >= std::max(n, 1), ldc >= std::max(n, 1), info != nullptr}, count, [=](int i) {
                       copy_columns(n, a[i], lda, c[i], ldc);
                       info[i] = invert_lu<T>(n, c[i], ldc, pivots == nullptr ? nullptr : pivots + i * n);
                     });
}

template <class T>
int invert_listed(void* handle, int n, const T* const* a, int lda, T* const* c, int ldc, int* info, int count) {
  return each_system("cublas matinvBatched", handle, {a, c},
                     {n >= 0, n <= kMostInverted, lda >= std::max(n, 1), ldc >= std::max(n, 1), info != nullptr}, count,
                     [=](int i) {
                       copy_columns(n, a[i], lda, c[i], ldc);
                       std::vector<int> pivots(static_cast<std::size_t>(n) + 1);
                       info[i] = lu<T>(n, c[i], ldc, pivots.data());
                       if (info[i] == 0) info[i] = invert_lu<T>(n, c[i], ldc, pivots.data());
                     });
}

template <class T>
int qr_listed(void* handle, int m, int n, T* const* a, int lda, T* const* tau, int* info, int count) {
  if (info == nullptr) return kBlasCodes.value;
  *info = m < 0 ? -1 : n < 0 ? -2 : lda < std::max(m, 1) ? -4 : count < 0 ? -7 : 0;
  return each_system("cublas geqrfBatched", handle, {a, tau}, {*info == 0}, count, [=](int i) {
    with_work<T>([&](T* work, std::int64_t size) {
      return lapack<T>("?geqrf")
          .number(m)
          .number(n)
          .at(a[i])
          .number(lda)
          .at(tau[i])
          .at(work)
          .number(size)
          .run_with_info();
    });
  });
}

template <class T>
int least_squares_listed(void* handle, Op op, int m, int n, int columns, T* const* a, int lda, T* const* b, int ldb,
                         int* info, int* infos, int count) {
  if (info == nullptr) return kBlasCodes.value;
  *info = m < 0 ? -2 : n < 0 ? -3 : columns < 0 ? -4 : lda < std::max(m, 1) ? -6 : ldb < std::max(m, 1) ? -8 : 0;
  if (*info == 0 && (op != Op::none || m < n)) {
    say_not_supported("cublas gelsBatched", "systems that are transposed, or have fewer rows than columns");
    return kBlasCodes.unsupported;
  }
  return each_system("cublas gelsBatched", handle, {a, b}, {*info == 0}, count, [=](int i) {
    const int found = with_work<T>([&](T* work, std::int64_t size) {
      return lapack<T>("?gels")
          .letter('N')
          .number(m)
          .number(n)
          .number(columns)
          .at(a[i])
          .number(lda)
          .at(b[i])
          .number(ldb)
          .at(work)
          .number(size)
          .run_with_info();
    });
    if (infos != nullptr) infos[i] = found;
  });
}

#define XCUDA_SYSTEMS(T)                                                                                          \
  template int lu_listed<T>(void*, int, T* const*, int, int*, int*, int);                                         \
  template int solve_listed<T>(void*, Op, int, int, const T* const*, int, const int*, T* const*, int, int*, int); \
  template int invert_lu_listed<T>(void*, int, const T* const*, int, const int*, T* const*, int, int*, int);      \
  template int invert_listed<T>(void*, int, const T* const*, int, T* const*, int, int*, int);                     \
  template int qr_listed<T>(void*, int, int, T* const*, int, T* const*, int*, int);                               \
  template int least_squares_listed<T>(void*, Op, int, int, int, T* const*, int, T* const*, int, int*, int*, int);
XCUDA_SYSTEMS(float)
XCUDA_SYSTEMS(double)
XCUDA_SYSTEMS(std::complex<float>)
XCUDA_SYSTEMS(std::complex<double>)
#undef XCUDA_SYSTEMS

}  // namespace xcuda::runtime::math
