// Medians: of lines that lie one after the other, and of what is sorted already. NaN where there is one.
#pragma once

#include "sort.cuh"

namespace xcuda {

#ifdef __CUDA_ARCH__

template <class T> using KeyType = typename KeyOf<sizeof(T)>::type;

// The element that a key was made from.
template <class T> __device__ __forceinline__ T element_of(KeyType<T> key) {
  constexpr auto top = static_cast<KeyType<T>>(KeyType<T>(1) << (8 * sizeof(T) - 1));
  if constexpr (IsFloating<T>::value)
    key = static_cast<KeyType<T>>((key & top) != 0 ? key ^ top : ~key);
  else if constexpr (IsSigned<T>::value)
    key = static_cast<KeyType<T>>(key ^ top);
  return *reinterpret_cast<const T*>(&key);
}

template <class T, class Result> __device__ __forceinline__ Result middle(KeyType<T> low, KeyType<T> high, bool nan) {
  if (nan) return Rounded<Result>::of(__longlong_as_double(0x7ff8000000000000ll));
  const double a = static_cast<double>(widen(element_of<T>(low))), b = static_cast<double>(widen(element_of<T>(high)));
  return Rounded<Result>::of(low == high ? a : (a + b) / 2);
}

// One line of n elements each block: digit by digit from the top, the keys that can still be in the middle are counted.
template <class T, class Result>
__global__ void __launch_bounds__(kSortBlock) median_lines(Result* out, const T* x, Word64 n) {
  using Key = KeyType<T>;
  __shared__ unsigned counts[kSortDigits];
  __shared__ Word64 rank_left, next_key;
  __shared__ unsigned digit_found, nans;
  const T* const line = x + blockIdx.x * n;
  Key prefix = 0;
  if (threadIdx.x == 0) {
    rank_left = (n - 1) / 2;
    next_key = ~Word64(0);
    nans = 0;
  }
  for (int pass = sizeof(T) - 1; pass >= 0; --pass) {
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (Word64 i = threadIdx.x; i < n; i += kSortBlock) {
      const Key key = key_of(line[i]);
      const bool candidate =
          pass == static_cast<int>(sizeof(T)) - 1 || key >> 8 * (pass + 1) == prefix >> 8 * (pass + 1);
      if (candidate) atomicAdd(&counts[digit_of(key, 8 * pass)], 1u);
      if (IsFloating<T>::value && key == static_cast<Key>(~Key(0))) nans = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned digit = 0;
      Word64 rank = rank_left;
      while (rank >= counts[digit]) rank -= counts[digit++];
      rank_left = rank;
      digit_found = digit;
    }
    __syncthreads();
    prefix = static_cast<Key>(prefix | static_cast<Key>(static_cast<Key>(digit_found) << 8 * pass));
  }
  // With an even number of elements the next one may be another.
  const bool other = n % 2 == 0 && rank_left + 1 >= counts[digit_found];
  if (other)
    for (Word64 i = threadIdx.x; i < n; i += kSortBlock) {
      const Key key = key_of(line[i]);
      if (key > prefix)
        atomicMin(reinterpret_cast<unsigned long long*>(&next_key), static_cast<unsigned long long>(key));
    }
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = middle<T, Result>(prefix, other ? static_cast<Key>(next_key) : prefix, nans != 0);
}

template <class T, class Result> __global__ void median_of_sorted(Result* out, const T* x, Word64 n) {
  const bool nan = IsFloating<T>::value && key_of(x[n - 1]) == static_cast<KeyType<T>>(~KeyType<T>(0));
  *out = middle<T, Result>(key_of(x[(n - 1) / 2]), key_of(x[n / 2]), nan);
}

#endif

}  // namespace xcuda
