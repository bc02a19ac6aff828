#include "runtime/solver/solver_any.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/solver/solver_singular.hpp"

namespace xcuda::runtime::math {
namespace {

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
bool are_small(std::initializer_list<std::int64_t> values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t value) { return value >= 0 && value <= std::numeric_limits<int>::max(); });
}

}  // namespace

int any_lu_size(void* handle, void*, std::int64_t m, std::int64_t n, DataType, const void*, std::int64_t lda, DataType,
                std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(m, n, lda)}, device, host);
}
int any_lu(void* handle, void*, std::int64_t m, std::int64_t n, DataType type, void* a, std::int64_t lda,
           std::int64_t* pivots, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  return of_number_type(type, [&]<class T>(T) {
    T* const at = static_cast<T*>(a);
    return post_solver("cusolverDnXgetrf", handle, {is_matrix(m, n, lda)},
                       with_pivots({matrix_of(at, m, n, lda, "A")}, pivots, std::min(m, n)), info,
                       [=] { return lu_now<T>(m, n, at, lda, pivots); });
  });
}
int any_solve_lu(void* handle, void*, Op op, std::int64_t n, std::int64_t columns, DataType type, const void* a,
                 std::int64_t lda, const std::int64_t* pivots, DataType type_b, void* b, std::int64_t ldb, int* info) {
  return of_number_type(type, [&]<class T>(T) {
    const T* const at = static_cast<const T*>(a);
    T* const right = static_cast<T*>(b);
    return post_solver("cusolverDnXgetrs", handle, {type == type_b, is_matrix(n, n, lda), is_matrix(n, columns, ldb)},
                       with_pivots({matrix_of(at, n, n, lda, "A"), matrix_of(right, n, columns, ldb, "B")}, pivots, n),
                       info, [=] { return solve_lu_now<T>(op, n, columns, at, lda, pivots, right, ldb); });
  });
}
int any_cholesky_size(void* handle, void*, Half, std::int64_t n, DataType, const void*, std::int64_t lda, DataType,
                      std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(n, n, lda)}, device, host);
}
int any_cholesky(void* handle, void*, Half half, std::int64_t n, DataType type, void* a, std::int64_t lda, DataType,
                 void*, std::size_t, void*, std::size_t, int* info) {
  if (!are_small({n, lda})) return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    return factor_cholesky<T>(handle, half, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda), nullptr, 0,
                              info);
  });
}
int any_solve_cholesky(void* handle, void*, Half half, std::int64_t n, std::int64_t columns, DataType type,
                       const void* a, std::int64_t lda, DataType type_b, void* b, std::int64_t ldb, int* info) {
  if (!are_small({n, columns, lda, ldb}) || type != type_b) return kSolverCodes.value;
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
  if (!are_small({n, lda})) return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    return eigen<T>(handle, vectors, half, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
                    static_cast<Part<T>*>(w), nullptr, 0, info);
  });
}

int any_qr_size(void* handle, void*, std::int64_t m, std::int64_t n, DataType, const void*, std::int64_t lda, DataType,
                const void*, DataType, std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(m, n, lda)}, device, host);
}
int any_qr(void* handle, void*, std::int64_t m, std::int64_t n, DataType type, void* a, std::int64_t lda,
           DataType type_tau, void* tau, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  if (!are_small({m, n, lda}) || type != type_tau) return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    return factor_qr<T>(handle, static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
                        static_cast<T*>(tau), nullptr, 0, info);
  });
}
int any_invert_triangle_size(void* handle, Half, Diagonal, std::int64_t n, DataType, void*, std::int64_t lda,
                             std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(n, n, lda)}, device, host);
}
int any_invert_triangle(void* handle, Half half, Diagonal diagonal, std::int64_t n, DataType type, void* a,
                        std::int64_t lda, void*, std::size_t, void*, std::size_t, int* info) {
  return of_number_type(type, [&]<class T>(T) {
    T* const at = static_cast<T*>(a);
    return post_solver("cusolverDnXtrtri", handle, {is_matrix(n, n, lda)}, {matrix_of(at, n, n, lda, "A")}, info, [=] {
      auto call = lapack_of<T>("?trtri");
      call.letter(letter_of_part(half)).letter(diagonal == Diagonal::ones ? 'U' : 'N');
      return call.number(n).at(at).number(lda).run_with_info();
    });
  });
}
int any_solve_symmetric_size(void* handle, Half, std::int64_t n, std::int64_t columns, DataType, const void*,
                             std::int64_t lda, const std::int64_t*, DataType, void*, std::int64_t ldb,
                             std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(n, n, lda), is_matrix(n, columns, ldb)}, device, host);
}
int any_solve_symmetric(void* handle, Half half, std::int64_t n, std::int64_t columns, DataType type, const void* a,
                        std::int64_t lda, const std::int64_t* pivots, DataType type_b, void* b, std::int64_t ldb, void*,
                        std::size_t, void*, std::size_t, int* info) {
  return of_number_type(type, [&]<class T>(T) {
    const T* const at = static_cast<const T*>(a);
    T* const right = static_cast<T*>(b);
    return post_solver(
        "cusolverDnXsytrs", handle,
        {type == type_b, pivots != nullptr, is_matrix(n, n, lda), is_matrix(n, columns, ldb)},
        {matrix_of(at, n, n, lda, "A"), matrix_of(right, n, columns, ldb, "B"), line_of(pivots, n, "the pivots")}, info,
        [=] {
          const std::vector<int> narrow(pivots, pivots + n);
          Pivots given(narrow.data(), n);
          auto call = lapack_of<T>("?sytrs");
          call.letter(letter_of_part(half)).number(n).number(columns).at(at).number(lda);
          return call.at(given.data()).at(right).number(ldb).run_with_info();
        });
  });
}

int any_eigen_range_size(void* handle, void*, Vectors, Range, Half, std::int64_t n, DataType, const void*,
                         std::int64_t lda, void*, void*, std::int64_t, std::int64_t, std::int64_t*, DataType,
                         const void*, DataType, std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(n, n, lda)}, device, host);
}
int any_eigen_range(void* handle, void*, Vectors vectors, Range range, Half half, std::int64_t n, DataType type,
                    void* a, std::int64_t lda, void* least, void* most, std::int64_t first, std::int64_t last,
                    std::int64_t* found, DataType, void* w, DataType, void*, std::size_t, void*, std::size_t,
                    int* info) {
  return of_number_type(type, [&]<class T>(T) {
    Wanted<Part<T>> wanted{range, {}, {}, first, last};
    if (range == Range::values) {
      if (least == nullptr || most == nullptr) return kSolverCodes.value;
      wanted.least = *static_cast<const Part<T>*>(least);
      wanted.most = *static_cast<const Part<T>*>(most);
    }
    return eigen_range_of<T>("cusolverDnXsyevdx", handle, vectors, wanted, half, n, static_cast<T*>(a), lda, found,
                             static_cast<Part<T>*>(w), info);
  });
}
int any_eigen_batch_size(void* handle, void*, Vectors, Half, std::int64_t n, DataType, const void*, std::int64_t lda,
                         DataType, const void*, DataType, std::size_t* device, std::size_t* host, std::int64_t count) {
  return give_sizes(handle, {is_matrix(n, n, lda), count >= 0}, device, host);
}
int any_eigen_batch(void* handle, void*, Vectors vectors, Half half, std::int64_t n, DataType type, void* a,
                    std::int64_t lda, DataType, void* w, DataType, void*, std::size_t, void*, std::size_t, int* infos,
                    std::int64_t count) {
  return of_number_type(type, [&]<class T>(T) {
    return eigen_batch<T>("cusolverDnXsyevBatched", handle, vectors, half, n, static_cast<T*>(a), lda,
                          static_cast<Part<T>*>(w), infos, count);
  });
}

// --- matrices of any kind -------------------------------------------------------------------------------------------

namespace {

// Values of a real matrix come as two arrays: they become complex, or follow each other.
enum class Layout : std::uint8_t { complex, two_arrays };
template <class T>
void store_values(Layout layout, std::int64_t n, const std::vector<T>& real, const std::vector<T>& imaginary, void* w) {
  T* const to = static_cast<T*>(w);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    to[layout == Layout::complex ? 2 * i : i] = real[at];
    to[layout == Layout::complex ? 2 * i + 1 : n + i] = imaginary[at];
  }
}
template <class T>
int general_now(Vectors left, Vectors right, std::int64_t n, T* a, std::int64_t lda, Layout layout, void* w, T* vl,
                std::int64_t ldvl, T* vr, std::int64_t ldvr) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> real(kIsComplex<T> ? 0 : size), imaginary(kIsComplex<T> ? 0 : size);
  std::vector<Part<T>> more(kIsComplex<T> ? 2 * size + 1 : 0);
  const int status = with_work<T>([&](T* work, std::int64_t words) {
    auto call = lapack_of<T>("?geev");
    call.letter(letter_of_part(left)).letter(letter_of_part(right)).number(n).at(a).number(lda);
    if constexpr (kIsComplex<T>)
      call.at(w);
    else
      call.at(real.data()).at(imaginary.data());
    call.at(vl).number(std::max<std::int64_t>(ldvl, 1)).at(vr).number(std::max<std::int64_t>(ldvr, 1));
    call.at(work).number(words);
    if constexpr (kIsComplex<T>) call.at(more.data());
    return call.run_with_info();
  });
  if constexpr (!kIsComplex<T>) store_values(layout, n, real, imaginary, w);
  return status;
}

}  // namespace

int any_general_size(void* handle, void*, Vectors, Vectors, std::int64_t n, DataType, const void*, std::int64_t lda,
                     DataType, const void*, DataType, const void*, std::int64_t, DataType, const void*, std::int64_t,
                     DataType, std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(n, n, lda)}, device, host);
}
int any_general(void* handle, void*, Vectors left, Vectors right, std::int64_t n, DataType type, void* a,
                std::int64_t lda, DataType type_w, void* w, DataType type_left, void* vl, std::int64_t ldvl,
                DataType type_right, void* vr, std::int64_t ldvr, DataType, void*, std::size_t, void*, std::size_t,
                int* info) {
  if (type_left != type || type_right != type) {
    say_not_supported("cusolverDnXgeev", "vectors of another type than the matrix");
    return kSolverCodes.unsupported;
  }
  return of_number_type(type, [&]<class T>(T) {
    T *const at = static_cast<T*>(a), *const of_left = static_cast<T*>(vl), *const of_right = static_cast<T*>(vr);
    const auto layout = is_complex(type_w) ? Layout::complex : Layout::two_arrays;
    const std::int64_t parts = 2 * n;
    std::vector<Reach> reaches{matrix_of(at, n, n, lda, "A"), line_of(static_cast<Part<T>*>(w), parts, "W")};
    if (left == Vectors::yes) reaches.push_back(matrix_of(of_left, n, n, ldvl, "VL"));
    if (right == Vectors::yes) reaches.push_back(matrix_of(of_right, n, n, ldvr, "VR"));
    return post_solver(
        "cusolverDnXgeev", handle,
        {is_matrix(n, n, lda),
         type_w == type || (!kIsComplex<T> && is_complex(type_w) && element_bytes(type_w) == 2 * sizeof(T)),
         left == Vectors::no || ldvl >= n, right == Vectors::no || ldvr >= n},
        reaches, info,
        [=] { return general_now<T>(left, right, n, at, lda, layout, w, of_left, ldvl, of_right, ldvr); });
  });
}

// --- singular values ------------------------------------------------------------------------------------------------

int any_svd_size(void* handle, void*, signed char, signed char, std::int64_t m, std::int64_t n, DataType, const void*,
                 std::int64_t lda, DataType, const void*, DataType, const void*, std::int64_t, DataType, const void*,
                 std::int64_t, DataType, std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(m, n, lda)}, device, host);
}
int any_svd(void* handle, void*, signed char left, signed char right, std::int64_t m, std::int64_t n, DataType type,
            void* a, std::int64_t lda, DataType, void* s, DataType type_u, void* u, std::int64_t ldu, DataType type_vt,
            void* vt, std::int64_t ldvt, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  if (!are_small({m, n, lda, ldu, ldvt}) || type_u != type || type_vt != type) return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    return svd<T>(handle, left, right, static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a),
                  static_cast<int>(lda), static_cast<Part<T>*>(s), static_cast<T*>(u), static_cast<int>(ldu),
                  static_cast<T*>(vt), static_cast<int>(ldvt), nullptr, 0, nullptr, info);
  });
}
int any_polar_svd_size(void* handle, void*, Vectors, int, std::int64_t m, std::int64_t n, DataType, const void*,
                       std::int64_t lda, DataType, const void*, DataType, const void*, std::int64_t, DataType,
                       const void*, std::int64_t, DataType, std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(m, n, lda)}, device, host);
}
int any_polar_svd(void* handle, void*, Vectors vectors, int economic, std::int64_t m, std::int64_t n, DataType type,
                  void* a, std::int64_t lda, DataType, void* s, DataType type_u, void* u, std::int64_t ldu,
                  DataType type_v, void* v, std::int64_t ldv, DataType, void*, std::size_t, void*, std::size_t,
                  int* info, double* disturbance) {
  if (type_u != type || type_v != type) return kSolverCodes.value;
  if (disturbance != nullptr) *disturbance = 0;  // of a singular matrix, which LAPACK takes as it is
  return of_number_type(type, [&]<class T>(T) {
    return post_svd<T>(
        "cusolverDnXgesvdp", handle, vectors, economic != 0 ? Sides::least : Sides::square,
        {m, n, static_cast<T*>(a), lda, static_cast<Part<T>*>(s), static_cast<T*>(u), ldu, static_cast<T*>(v), ldv}, 1,
        info);
  });
}
int any_random_svd_size(void* handle, void*, signed char, signed char, std::int64_t m, std::int64_t n,
                        std::int64_t rank, std::int64_t, std::int64_t, DataType, const void*, std::int64_t lda,
                        DataType, const void*, DataType, const void*, std::int64_t, DataType, const void*, std::int64_t,
                        DataType, std::size_t* device, std::size_t* host) {
  return give_sizes(handle, {is_matrix(m, n, lda), rank >= 0, rank <= std::min(m, n)}, device, host);
}
int any_random_svd(void* handle, void*, signed char left, signed char right, std::int64_t m, std::int64_t n,
                   std::int64_t rank, std::int64_t more, std::int64_t iterations, DataType type, void* a,
                   std::int64_t lda, DataType, void* s, DataType type_u, void* u, std::int64_t ldu, DataType type_v,
                   void* v, std::int64_t ldv, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  const auto is_job = [](signed char job) { return job == 'S' || job == 'N'; };
  if (type_u != type || type_v != type || rank < 0 || more < 0 || iterations < 0 || rank + more > std::min(m, n) ||
      !is_job(left) || !is_job(right))
    return kSolverCodes.value;
  return of_number_type(type, [&]<class T>(T) {
    T *const at = static_cast<T*>(a), *const to_u = static_cast<T*>(u), *const to_v = static_cast<T*>(v);
    auto* const to_s = static_cast<Part<T>*>(s);
    std::vector<Reach> reaches{matrix_of(at, m, n, lda, "A"), line_of(to_s, rank, "Srand")};
    if (left == 'S') reaches.push_back(matrix_of(to_u, m, rank, ldu, "Urand"));
    if (right == 'S') reaches.push_back(matrix_of(to_v, n, rank, ldv, "Vrand"));
    return post_solver(
        "cusolverDnXgesvdr", handle,
        {is_matrix(m, n, lda), left == 'N' || is_matrix(m, rank, ldu), right == 'N' || is_matrix(n, rank, ldv)},
        reaches, info, [=] {
          const auto least = std::min(m, n);
          std::vector<T> all_u(static_cast<std::size_t>(m * least)), all_v(static_cast<std::size_t>(n * least));
          std::vector<Part<T>> all_s(static_cast<std::size_t>(least));
          const int status = svd_by_columns<T>(Vectors::yes, Sides::least,
                                               {m, n, at, lda, all_s.data(), all_u.data(), m, all_v.data(), n});
          std::copy_n(all_s.data(), rank, to_s);
          for (std::int64_t j = 0; j < rank; ++j) {
            if (left == 'S') std::copy_n(all_u.data() + j * m, m, to_u + j * ldu);
            if (right == 'S') std::copy_n(all_v.data() + j * n, n, to_v + j * ldv);
          }
          return status;
        });
  });
}

}  // namespace xcuda::runtime::math
