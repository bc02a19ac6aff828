// Elements that are found by an index: what x[idx] and x[mask] are made of, and searches in sorted arrays. Included
// after xcuda/elementwise.cuh.
#pragma once

#include "elementwise.cuh"

namespace xcuda::places {

template <class T> __device__ __forceinline__ T taken(const T* from, long at) { return from[at]; }

// A negative index is outside, too.
template <class I> __device__ __forceinline__ bool outside(const I& index, unsigned long extent) {
  return static_cast<unsigned long>(static_cast<long>(index)) >= extent;
}

template <class T> __device__ __forceinline__ unsigned long truth(const T& value) { return is_true(value) ? 1 : 0; }

// --- sorted arrays ---------------------------------------------------------------------------------------------------

// NaN is last, as sort() puts it.
template <class A, class B> __device__ __forceinline__ bool before(const A& a, const B& b) {
  const auto x = wide(a);
  const auto y = wide(b);
  if constexpr (is_integer<A> && is_integer<B>)
    return x < y;
  else
    return x < y || (x == x && y != y);
}

// How many elements are before the value, or also equal to it.
template <class T, class V>
__device__ __forceinline__ unsigned long search(const T* sorted, unsigned long n, const V& value, bool after_equal) {
  unsigned long first = 0;
  while (n > 0) {
    const unsigned long half = n / 2;
    const T middle = sorted[first + half];
    const bool up = after_equal ? !before(value, middle) : before(middle, value);
    if (up) first += half + 1;
    n = up ? n - half - 1 : half;
  }
  return first;
}

// The sum of the values whose sorted keys are this one, in their order.
template <class T, class K>
__device__ __forceinline__ T sum_of_run(const T* values, const K* keys, unsigned long n, const K& key) {
  unsigned long i = search(keys, n, key, false);
  T sum = values[i];
  for (++i; i < n && keys[i] == key; ++i) sum = sum + values[i];
  return sum;
}

template <class V>
__device__ __forceinline__ double interpolated(const V& value, const double* x, const double* y, unsigned long n) {
  const double at = static_cast<double>(wide(value));
  if (at != at) return at;
  if (at < x[0]) return y[0];
  if (at >= x[n - 1]) return y[n - 1];
  const unsigned long i = search(x, n, at, true) - 1;
  return (y[i + 1] - y[i]) / (x[i + 1] - x[i]) * (at - x[i]) + y[i];
}

template <class V> __device__ __forceinline__ bool is_among(const V& value, const V* sorted, unsigned long n) {
  const unsigned long i = search(sorted, n, value, false);
  return i < n && static_cast<bool>(equal(sorted[i], value));
}

// Between two neighbours in a sorted line whose last element is given: NaN where that is NaN.
template <class T> __device__ __forceinline__ double between(const T& low, const T& high, const T& last, double part) {
  const double a = static_cast<double>(wide(low)), b = static_cast<double>(wide(high)),
               c = static_cast<double>(wide(last));
  if (c != c) return c;
  if (a == b) return a;
#ifndef __CUDA_ARCH__
  return part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);  // of an exported program; the host fuses nothing
#else
  // Each operation rounds by itself, as NumPy's do: a fused one turns 0 into -2e-16.
  return part < 0.5 ? __dadd_rn(a, __dmul_rn(b - a, part)) : __dsub_rn(b, __dmul_rn(b - a, 1 - part));
#endif
}

// Element i of the convolution, whose first one has one term.
template <class S, class A, class B>
__device__ __forceinline__ S convolved(unsigned long i, const A* x, unsigned long n, const B* y, unsigned long m,
                                       S sum) {
  const unsigned long first = i + 1 > m ? i + 1 - m : 0, last = i < n ? i : n - 1;
  for (unsigned long k = first; k <= last; ++k) sum = sum + convert<S>(x[k]) * convert<S>(y[i - k]);
  return sum;
}

// Element [i, j] of the convolution of a plane of h x w with one of m x n.
template <class S, class A, class B>
__device__ __forceinline__ S convolved_planes(unsigned long plane, unsigned long i, unsigned long j, const A* x,
                                              unsigned long h, unsigned long w, const B* y, unsigned long m,
                                              unsigned long n, S sum) {
  const unsigned long top = i + 1 > m ? i + 1 - m : 0, bottom = i < h ? i : h - 1;
  const unsigned long left = j + 1 > n ? j + 1 - n : 0, right = j < w ? j : w - 1;
  for (unsigned long k = top; k <= bottom; ++k) {
    const A* const row = x + (plane * h + k) * w;
    const B* const factors = y + (i - k) * n + j;
    for (unsigned long l = left; l <= right; ++l) sum = sum + convert<S>(row[l]) * convert<S>(*(factors - l));
  }
  return sum;
}

template <class T> __device__ __forceinline__ bool is_nan(const T& value) {
  if constexpr (is_integer<T>)
    return false;
  else
    return wide(value) != wide(value);
}

}  // namespace xcuda::places
