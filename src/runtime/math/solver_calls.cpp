#include "runtime/math/solver_calls.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/math/slots.hpp"
#include "runtime/math/solver_handles.hpp"

namespace xcuda::runtime::math {
namespace {

template <class T> Fortran lapack_of(const char* name) { return Fortran(with_letter(name, kLetter<T>)); }
char letter_of_part(Op op) { return "NTC"[static_cast<int>(op)]; }
char letter_of_part(Half half) { return half == Half::lower ? 'L' : 'U'; }
char letter_of_part(Vectors vectors) { return vectors == Vectors::yes ? 'V' : 'N'; }

template <class T>
Reach matrix_of(const T* at, std::int64_t rows, std::int64_t columns, std::int64_t leading, const char* name) {
  return {at, bytes_of_matrix(rows, columns, leading, sizeof(T)), name};
}
template <class T> Reach line_of(const T* at, std::int64_t count, const char* name) {
  return {at, static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)) * sizeof(T), name};
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

}  // namespace

template <class T> int factor_lu(void* handle, int m, int n, T* a, int lda, T*, int* pivots, int* info) {
  std::vector<Reach> reaches{matrix_of(a, m, n, lda, "A")};
  if (pivots != nullptr) reaches.push_back(line_of(pivots, std::min(m, n), "the pivots"));
  return post_solver("cusolverDn getrf", handle, {is_matrix(m, n, lda)}, reaches, info,
                     [=] { return lu_now<T>(m, n, a, lda, pivots); });
}
template <class T>
int solve_lu(void* handle, Op op, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb,
             int* info) {
  return post_solver("cusolverDn getrs", handle, {is_matrix(n, n, lda), is_matrix(n, columns, ldb)},
                     {matrix_of(a, n, n, lda, "A"), matrix_of(b, n, columns, ldb, "B")}, info,
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
template <class T>
int jacobi_svd(void* handle, Vectors vectors, int economic, int m, int n, T* a, int lda, Part<T>* s, T* u, int ldu,
               T* v, int ldv, T*, int, int* info, void*) {
  const auto least = std::min(m, n), rows = economic != 0 ? least : n;
  std::vector<Reach> reaches{matrix_of(a, m, n, lda, "A"), line_of(s, least, "S")};
  if (vectors == Vectors::yes) {
    reaches.push_back(matrix_of(u, m, economic != 0 ? least : m, ldu, "U"));
    reaches.push_back(matrix_of(v, n, rows, ldv, "V"));
  }
  return post_solver("cusolverDn gesvdj", handle, {is_matrix(m, n, lda)}, reaches, info, [=] {
    const char job = vectors == Vectors::no ? 'N' : economic != 0 ? 'S' : 'A';
    std::vector<T> vt(vectors == Vectors::yes ? static_cast<std::size_t>(rows) * static_cast<std::size_t>(n) : 1);
    const int found = svd_now<T>(job, job, m, n, {a, lda, s, u, std::max(ldu, 1), vt.data(), std::max(rows, 1)});
    if (vectors == Vectors::yes)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const T one = vt[static_cast<std::size_t>(j * rows + i)];
          if constexpr (kIsComplex<T>)
            v[i * ldv + j] = std::conj(one);
          else
            v[i * ldv + j] = one;
        }
    return found;
  });
}
template <class T>
int eigen(void* handle, Vectors vectors, Half half, int n, T* a, int lda, Part<T>* w, T*, int, int* info) {
  return post_solver("cusolverDn syevd", handle, {is_matrix(n, n, lda)},
                     {matrix_of(a, n, n, lda, "A"), line_of(w, n, "W")}, info,
                     [=] { return eigen_now<T>(vectors, half, n, a, lda, w); });
}
template <class T>
int jacobi_eigen(void* handle, Vectors vectors, Half half, int n, T* a, int lda, Part<T>* w, T* work, int size,
                 int* info, void*) {
  return eigen<T>(handle, vectors, half, n, a, lda, w, work, size, info);
}
template <class T>
int general_eigen(void* handle, int type, Vectors vectors, Half half, int n, T* a, int lda, T* b, int ldb, Part<T>* w,
                  T*, int, int* info) {
  return post_solver(
      "cusolverDn sygvd", handle, {type >= 1, type <= 3, is_matrix(n, n, lda), is_matrix(n, n, ldb)},
      {matrix_of(a, n, n, lda, "A"), matrix_of(b, n, n, ldb, "B"), line_of(w, n, "W")}, info, [=] {
        auto function = lapack_of<T>(kIsComplex<T> ? "?hegvd" : "?sygvd");
        function.number(type).letter(letter_of_part(vectors)).letter(letter_of_part(half)).number(n).at(a).number(lda);
        function.at(b).number(ldb).at(w);
        return with_eigen_work<T>(n, function);
      });
}

// --- types as arguments ---------------------------------------------------------------------------------------------

namespace {

int give_sizes(const void* handle, Conditions conditions, std::size_t* device, std::size_t* host) {
  if (find_solver(handle) == nullptr) return kSolverCodes.uninitialized;
  if (!all_hold(conditions) || device == nullptr || host == nullptr) return kSolverCodes.value;
  *device = *host = 1;
  return 0;
}

template <class Function> int of_number_type(DataType type, Function function) {
  switch (type) {
    case DataType::float32: return function(float{});
    case DataType::float64: return function(double{});
    case DataType::complex64: return function(std::complex<float>{});
    case DataType::complex128: return function(std::complex<double>{});
    default: break;
  }
  say_not_supported("cusolverDnX", "elements of this type");
  return kSolverCodes.unsupported;
}
bool is_small(std::int64_t value) { return value >= 0 && value <= std::numeric_limits<int>::max(); }

}  // namespace

int any_lu_size(void* handle, void*, std::int64_t m, std::int64_t n, DataType, const void*, std::int64_t lda, DataType,
                std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(m, n, lda)}, device, host);
}
int any_lu(void* handle, void*, std::int64_t m, std::int64_t n, DataType type, void* a, std::int64_t lda,
           std::int64_t* pivots, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  return of_number_type(type, [&]<class T>(T) {
    T* const at = static_cast<T*>(a);
    return post_solver("cusolverDnXgetrf", handle, {is_matrix(m, n, lda)}, {matrix_of(at, m, n, lda, "A")}, info,
                       [=] { return lu_now<T>(m, n, at, lda, pivots); });
  });
}
int any_solve_lu(void* handle, void*, Op op, std::int64_t n, std::int64_t columns, DataType type, const void* a,
                 std::int64_t lda, const std::int64_t* pivots, DataType type_b, void* b, std::int64_t ldb, int* info) {
  return of_number_type(type, [&]<class T>(T) {
    const T* const at = static_cast<const T*>(a);
    T* const right = static_cast<T*>(b);
    return post_solver("cusolverDnXgetrs", handle, {type == type_b, is_matrix(n, n, lda), is_matrix(n, columns, ldb)},
                       {matrix_of(at, n, n, lda, "A"), matrix_of(right, n, columns, ldb, "B")}, info,
                       [=] { return solve_lu_now<T>(op, n, columns, at, lda, pivots, right, ldb); });
  });
}
int any_cholesky_size(void* handle, void*, Half, std::int64_t n, DataType, const void*, std::int64_t lda, DataType,
                      std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(n, n, lda)}, device, host);
}
int any_cholesky(void* handle, void*, Half half, std::int64_t n, DataType type, void* a, std::int64_t lda, DataType,
                 void*, std::size_t, void*, std::size_t, int* info) {
  if (!is_small(n) || !is_small(lda)) return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    return factor_cholesky<T>(handle, half, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda), nullptr, 0,
                              info);
  });
}
int any_solve_cholesky(void* handle, void*, Half half, std::int64_t n, std::int64_t columns, DataType type,
                       const void* a, std::int64_t lda, DataType type_b, void* b, std::int64_t ldb, int* info) {
  if (!is_small(n) || !is_small(columns) || !is_small(lda) || !is_small(ldb) || type != type_b)
    return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    return solve_cholesky<T>(handle, half, static_cast<int>(n), static_cast<int>(columns), static_cast<const T*>(a),
                             static_cast<int>(lda), static_cast<T*>(b), static_cast<int>(ldb), info);
  });
}
int any_eigen_size(void* handle, void*, Vectors, Half, std::int64_t n, DataType, const void*, std::int64_t lda,
                   DataType, const void*, DataType, std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(n, n, lda)}, device, host);
}
int any_eigen(void* handle, void*, Vectors vectors, Half half, std::int64_t n, DataType type, void* a, std::int64_t lda,
              DataType, void* w, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  if (!is_small(n) || !is_small(lda)) return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    return eigen<T>(handle, vectors, half, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
                    static_cast<Part<T>*>(w), nullptr, 0, info);
  });
}

namespace {
using c32 = std::complex<float>;
using c64 = std::complex<double>;
}  // namespace

#define XCUDA_MATH_STATUS kSolverCodes.unsupported
const void* const kSolverSlots[] = {
#include "runtime/math/solver_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
