// Tridiagonal systems, with several right sides or in batches.
#include <utility>

#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {
namespace {

enum class Exchange : std::uint8_t { neighbours, none };

// Solves one right side in place. A row may be exchanged for the next one, which adds a second diagonal above.
template <class T>
void solve_tridiagonal(int size, const T* below, const T* diagonal, const T* above, T* x, Exchange exchange) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<T> d(diagonal, diagonal + n), u(above, above + n), second(n);
  u[n - 1] = T{};
  for (std::size_t i = 0; i + 1 < n; ++i) {
    T under = below[i + 1];
    if (exchange == Exchange::neighbours && std::abs(under) > std::abs(d[i])) {
      std::swap(d[i], under);
      std::swap(u[i], d[i + 1]);
      second[i] = std::exchange(u[i + 1], T{});
      std::swap(x[i], x[i + 1]);
    }
    const T factor = under / d[i];
    d[i + 1] -= factor * u[i];
    u[i + 1] -= factor * second[i];
    x[i + 1] -= factor * x[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    if (i + 1 < n) x[i] -= u[i] * x[i + 1];
    if (i + 2 < n) x[i] -= second[i] * x[i + 2];
    x[i] /= d[i];
  }
}

template <class T> struct Bands { const T *below, *diagonal, *above; };

template <class T>
int solve_columns(void* handle, int m, int n, const Bands<T>& bands, T* b, int leading, Exchange exchange) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (m < 3 || n < 0 || leading < m) return kSparseCodes.value;
  const auto bytes = static_cast<std::uint64_t>(m) * sizeof(T);
  return kSparseCodes.of(post({"cusparse gtsv2",
                               sparse->stream,
                               Waits::no,
                               {{bands.below, bytes, "the lower diagonal"},
                                {bands.diagonal, bytes, "the diagonal"},
                                {bands.above, bytes, "the upper diagonal"},
                                {b, bytes_of_matrix(m, n, leading, sizeof(T)), "the right sides"}}},
                              [=] {
                                for (std::int64_t j = 0; j < n; ++j)
                                  solve_tridiagonal(m, bands.below, bands.diagonal, bands.above, b + j * leading,
                                                    exchange);
                              }));
}

}  // namespace

template <class T>
int tridiagonal_size(void* handle, int, int, const T*, const T*, const T*, const T*, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
template <class T>
int tridiagonal(void* handle, int m, int n, const T* below, const T* diagonal, const T* above, T* b, int leading,
                void*) {
  return solve_columns<T>(handle, m, n, {below, diagonal, above}, b, leading, Exchange::neighbours);
}
template <class T>
int tridiagonal_as_it_is(void* handle, int m, int n, const T* below, const T* diagonal, const T* above, T* b,
                         int leading, void*) {
  return solve_columns<T>(handle, m, n, {below, diagonal, above}, b, leading, Exchange::none);
}
template <class T>
int tridiagonal_batch_size(void* handle, int, const T*, const T*, const T*, const T*, int, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
template <class T>
int tridiagonal_batch(void* handle, int m, const T* below, const T* diagonal, const T* above, T* x, int count,
                      int stride, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (m < 3 || count < 0 || stride < m) return kSparseCodes.value;
  const auto bytes = bytes_of_matrix(m, count, stride, sizeof(T));
  return kSparseCodes.of(post({"cusparse gtsv2StridedBatch",
                               sparse->stream,
                               Waits::no,
                               {{below, bytes, "the lower diagonals"},
                                {diagonal, bytes, "the diagonals"},
                                {above, bytes, "the upper diagonals"},
                                {x, bytes, "the right sides"}}},
                              [=] {
                                for (std::int64_t i = 0; i < count; ++i) {
                                  const auto at = i * stride;
                                  solve_tridiagonal(m, below + at, diagonal + at, above + at, x + at, Exchange::none);
                                }
                              }));
}

#define XCUDA_TRIDIAGONAL(T)                                                                                          \
  template int tridiagonal_size<T>(void*, int, int, const T*, const T*, const T*, const T*, int, std::size_t*);       \
  template int tridiagonal<T>(void*, int, int, const T*, const T*, const T*, T*, int, void*);                         \
  template int tridiagonal_as_it_is<T>(void*, int, int, const T*, const T*, const T*, T*, int, void*);                \
  template int tridiagonal_batch_size<T>(void*, int, const T*, const T*, const T*, const T*, int, int, std::size_t*); \
  template int tridiagonal_batch<T>(void*, int, const T*, const T*, const T*, T*, int, int, void*);
XCUDA_TRIDIAGONAL(float)
XCUDA_TRIDIAGONAL(double)
XCUDA_TRIDIAGONAL(std::complex<float>)
XCUDA_TRIDIAGONAL(std::complex<double>)
#undef XCUDA_TRIDIAGONAL

}  // namespace xcuda::runtime::math
