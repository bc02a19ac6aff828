// The algorithms of CUB that exported programs call, on the host. As CUB does, a call without memory only says how much
// it wants; and floats are sorted by their bits, -NaN first and NaN last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <vector>

namespace cub {

inline bool asks(void* memory, std::size_t& bytes) {
  if (memory != nullptr) return false;
  bytes = 1;
  return true;
}
template <class T> bool before(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto rank = [](T x) { return x == x ? 0 : std::signbit(x) ? -1 : 1; };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (rank(a) != 0) return false;
  }
  return a < b;
}

struct DeviceRadixSort {
  template <class T>
  static cudaError_t SortKeys(void* memory, std::size_t& bytes, const T* keys, T* sorted, long long n) {
    if (asks(memory, bytes)) return cudaSuccess;
    std::copy(keys, keys + n, sorted);
    std::stable_sort(sorted, sorted + n, before<T>);
    return cudaSuccess;
  }
  template <class T, class V>
  static cudaError_t SortPairs(void* memory, std::size_t& bytes, const T* keys, T* sorted, const V* values, V* order,
                               long long n) {
    if (asks(memory, bytes)) return cudaSuccess;
    std::vector<long long> places(static_cast<std::size_t>(n));
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](long long a, long long b) { return before(keys[a], keys[b]); });
    for (long long i = 0; i < n; ++i) sorted[i] = keys[places[i]], order[i] = values[places[i]];
    return cudaSuccess;
  }
};
struct DeviceSegmentedRadixSort {
  template <class T, class Offset>
  static cudaError_t SortKeys(void* memory, std::size_t& bytes, const T* keys, T* sorted, long long, long long segments,
                              const Offset* begins, const Offset* ends) {
    if (asks(memory, bytes)) return cudaSuccess;
    for (long long i = 0; i < segments; ++i)
      DeviceRadixSort::SortKeys(memory, bytes, keys + begins[i], sorted + begins[i], ends[i] - begins[i]);
    return cudaSuccess;
  }
  template <class T, class V, class Offset>
  static cudaError_t SortPairs(void* memory, std::size_t& bytes, const T* keys, T* sorted, const V* values, V* order,
                               long long, long long segments, const Offset* begins, const Offset* ends) {
    if (asks(memory, bytes)) return cudaSuccess;
    for (long long i = 0; i < segments; ++i)
      DeviceRadixSort::SortPairs(memory, bytes, keys + begins[i], sorted + begins[i], values + begins[i],
                                 order + begins[i], ends[i] - begins[i]);
    return cudaSuccess;
  }
};
struct DeviceSelect {
  template <class T, class Count>
  static cudaError_t Unique(void* memory, std::size_t& bytes, const T* values, T* first, Count* found, long long n) {
    if (asks(memory, bytes)) return cudaSuccess;
    *found = std::unique_copy(values, values + n, first) - first;
    return cudaSuccess;
  }
};
struct DeviceScan {
  template <class T, class Function>
  static cudaError_t InclusiveScan(void* memory, std::size_t& bytes, const T* values, T* results, Function function,
                                   long long n) {
    if (asks(memory, bytes)) return cudaSuccess;
    std::inclusive_scan(values, values + n, results, function);
    return cudaSuccess;
  }
  template <class T, class R, class Function, class Init>
  static cudaError_t ExclusiveScan(void* memory, std::size_t& bytes, const T* values, R* results, Function function,
                                   Init init, long long n) {
    if (asks(memory, bytes)) return cudaSuccess;
    std::exclusive_scan(values, values + n, results, init, function);
    return cudaSuccess;
  }
};

}  // namespace cub
