// Array elements as the kernel's own operations read and write them: half and bfloat16 by their bits, so that no large
// header has to be compiled for them.
#pragma once

#include "random.cuh"

namespace xcuda {

struct HalfBits {
  unsigned short bits;
};
struct BFloatBits {
  unsigned short bits;
};
template <class T> struct alignas(2 * sizeof(T)) Complex { T real, imaginary; };

#ifdef __CUDA_ARCH__

// The widest type that keeps an element's value: double, long long or unsigned long long.
template <class T> struct WideOf { using type = long long; };
template <> struct WideOf<float> { using type = double; };
template <> struct WideOf<double> { using type = double; };
template <> struct WideOf<HalfBits> { using type = double; };
template <> struct WideOf<BFloatBits> { using type = double; };
template <class T> struct WideOf<Complex<T>> { using type = double; };
template <> struct WideOf<bool> { using type = Word64; };
template <> struct WideOf<unsigned char> { using type = Word64; };
template <> struct WideOf<unsigned short> { using type = Word64; };
template <> struct WideOf<unsigned> { using type = Word64; };
template <> struct WideOf<unsigned long> { using type = Word64; };
template <> struct WideOf<unsigned long long> { using type = Word64; };

template <class T> __device__ __forceinline__ typename WideOf<T>::type widen(const T& value) {
  return static_cast<typename WideOf<T>::type>(value);
}
__device__ __forceinline__ double widen(const HalfBits& value) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
}
__device__ __forceinline__ double widen(const BFloatBits& value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}

// A complex number has no order: what is compared and drawn is its magnitude.
__device__ __forceinline__ double widen(const Complex<float>& value) {
  const double real = value.real, imaginary = value.imaginary;  // squares of floats fit
  return sqrt(real * real + imaginary * imaginary);
}
__device__ __forceinline__ double widen(const Complex<double>& value) { return hypot(value.real, value.imaginary); }

// A real number as an element: rounded once, to nearest even; truncated towards zero for integers.
template <class T> struct Rounded {
  static __device__ __forceinline__ T of(double value) { return static_cast<T>(value); }
};
template <> struct Rounded<bool> {
  static __device__ __forceinline__ bool of(double value) { return value != 0; }
};
// A float on the way to 16 bits, rounded to odd: it keeps what the second rounding needs to know.
__device__ __forceinline__ unsigned rounded_to_odd(double value) {
  const unsigned bits = __float_as_uint(__double2float_rz(value));
  const bool exact = static_cast<double>(__uint_as_float(bits)) == value || (bits & 0x7f800000u) == 0x7f800000u;
  return exact ? bits : bits | 1u;
}
template <> struct Rounded<HalfBits> {
  static __device__ __forceinline__ HalfBits of(double value) {
    if (value != value) return {0x7e00};
    HalfBits result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(__uint_as_float(rounded_to_odd(value))));
    return result;
  }
};
template <> struct Rounded<BFloatBits> {
  static __device__ __forceinline__ BFloatBits of(double value) {
    if (value != value) return {0x7fc0};
    const unsigned bits = rounded_to_odd(value);
    return {static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
  }
};

#endif

}  // namespace xcuda
