// Systems of three diagonals, with several right sides or in batches, and interleaved ones of three and five.
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

// --- interleaved ----------------------------------------------------------------------------------------------------

namespace {

// LAPACK solves each system as a band; `diagonals` from the lowest to the uppermost.
template <class T>
int solve_interleaved(const char* name, void* handle, int m, const std::vector<const T*>& diagonals, T* x, int count) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  const auto bands = static_cast<std::int64_t>(diagonals.size()), reach = bands / 2;
  if (m < 3 || count < 0) return kSparseCodes.value;
  const auto bytes = static_cast<std::uint64_t>(m) * static_cast<std::uint64_t>(count) * sizeof(T);
  std::vector<Reach> reaches{{x, bytes, "the right sides"}};
  for (const T* one : diagonals) reaches.push_back({one, bytes, "a diagonal"});
  return kSparseCodes.of(post({name, sparse->stream, Waits::no, std::move(reaches)}, [=] {
    const std::int64_t leading = bands + reach;  // and so many rows for exchanges
    std::vector<T> band(static_cast<std::size_t>(leading * m)), right(static_cast<std::size_t>(m));
    for (std::int64_t one = 0; one < count; ++one) {
      std::fill(band.begin(), band.end(), T{});
      for (std::int64_t i = 0; i < m; ++i) {
        right[static_cast<std::size_t>(i)] = x[i * count + one];
        for (std::int64_t d = 0; d < bands; ++d)
          if (const auto j = i + d - reach; j >= 0 && j < m)
            band[static_cast<std::size_t>(j * leading + 2 * reach + i - j)] =
                diagonals[static_cast<std::size_t>(d)][i * count + one];
      }
      Pivots pivots(m);
      auto solve = Fortran(with_letter("?gbsv", kLetter<T>));
      solve.number(m).number(reach).number(reach).number(1).at(band.data()).number(leading).at(pivots.data());
      solve.at(right.data()).number(m).run_with_info();
      for (std::int64_t i = 0; i < m; ++i) x[i * count + one] = right[static_cast<std::size_t>(i)];
    }
  }));
}

}  // namespace

template <class T>
int interleaved_three_size(void* handle, int, int, const T*, const T*, const T*, const T*, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
template <class T>
int interleaved_three(void* handle, int, int m, T* below, T* diagonal, T* above, T* x, int count, void*) {
  return solve_interleaved<T>("cusparse gtsvInterleavedBatch", handle, m, {below, diagonal, above}, x, count);
}
template <class T>
int interleaved_five_size(void* handle, int, int, const T*, const T*, const T*, const T*, const T*, const T*, int,
                          std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
template <class T>
int interleaved_five(void* handle, int, int m, T* below_2, T* below, T* diagonal, T* above, T* above_2, T* x, int count,
                     void*) {
  return solve_interleaved<T>("cusparse gpsvInterleavedBatch", handle, m, {below_2, below, diagonal, above, above_2}, x,
                              count);
}

#define XCUDA_INTERLEAVED(T)                                                                                          \
  template int interleaved_three_size<T>(void*, int, int, const T*, const T*, const T*, const T*, int, std::size_t*); \
  template int interleaved_three<T>(void*, int, int, T*, T*, T*, T*, int, void*);                                     \
  template int interleaved_five_size<T>(void*, int, int, const T*, const T*, const T*, const T*, const T*, const T*,  \
                                        int, std::size_t*);                                                           \
  template int interleaved_five<T>(void*, int, int, T*, T*, T*, T*, T*, T*, int, void*);
XCUDA_INTERLEAVED(float)
XCUDA_INTERLEAVED(double)
XCUDA_INTERLEAVED(std::complex<float>)
XCUDA_INTERLEAVED(std::complex<double>)
#undef XCUDA_INTERLEAVED
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
