// Shifts that look at their count, for code that runs on the host: `a << b` is written `a <<xcuda_shift()<< b` there,
// which is (a << mark) << b whatever is around it, and `a <<= b` is written `a <<=xcuda_shift()<<= b`, which is a <<=
// (mark <<= b). compiler/host/host_source.cpp writes them so.
#pragma once

// The CPU device reports it, and does not come back. type: place in kShiftedTypes, base/host_arithmetic.hpp.
extern "C" __device__ void xcuda_wrong_shift(long long count, int type);

__device__ constexpr int xcuda_type_code(int) { return 0; }
__device__ constexpr int xcuda_type_code(unsigned int) { return 1; }
__device__ constexpr int xcuda_type_code(long) { return 2; }
__device__ constexpr int xcuda_type_code(unsigned long) { return 3; }
__device__ constexpr int xcuda_type_code(long long) { return 4; }
__device__ constexpr int xcuda_type_code(unsigned long long) { return 5; }

struct xcuda_shift {};
template <class T> struct xcuda_shifted { T value; };
template <class T> struct xcuda_shifted_object { T& value; };
template <class T> struct xcuda_shift_count { T value; };

// What is shifted, and what has an operator of its own.
template <bool> struct xcuda_shift_if {};
template <> struct xcuda_shift_if<true> { using type = int; };
#define XCUDA_NUMBER(T) typename xcuda_shift_if<!__is_class(T) && !__is_union(T)>::type = 0
#define XCUDA_OBJECT(T) typename xcuda_shift_if<__is_class(T) || __is_union(T)>::type = 0

template <class T, class C> __device__ constexpr void xcuda_check_shift(C count) {
  if (static_cast<unsigned long long>(count) >= 8 * sizeof(T))
    xcuda_wrong_shift(static_cast<long long>(count), xcuda_type_code(T()));
}

template <class T, XCUDA_NUMBER(T)>
__device__ constexpr auto operator<<(T a, xcuda_shift) -> xcuda_shifted<decltype(a << 0)> {
  return {a};
}
template <class T, XCUDA_NUMBER(T)>
__device__ constexpr auto operator>>(T a, xcuda_shift) -> xcuda_shifted<decltype(a >> 0)> {
  return {a};
}
template <class T, class C> __device__ constexpr T operator<<(xcuda_shifted<T> a, C count) {
  return xcuda_check_shift<T>(count), a.value << count;
}
template <class T, class C> __device__ constexpr T operator>>(xcuda_shifted<T> a, C count) {
  return xcuda_check_shift<T>(count), a.value >> count;
}

template <class T, XCUDA_OBJECT(T)> __device__ constexpr xcuda_shifted_object<T> operator<<(T& a, xcuda_shift) {
  return {a};
}
template <class T, XCUDA_OBJECT(T)> __device__ constexpr xcuda_shifted_object<T> operator<<(T&& a, xcuda_shift) {
  return {a};
}
template <class T, XCUDA_OBJECT(T)> __device__ constexpr xcuda_shifted_object<T> operator>>(T& a, xcuda_shift) {
  return {a};
}
template <class T, XCUDA_OBJECT(T)> __device__ constexpr xcuda_shifted_object<T> operator>>(T&& a, xcuda_shift) {
  return {a};
}
template <class T, class C> __device__ constexpr decltype(auto) operator<<(xcuda_shifted_object<T> a, C&& b) {
  return a.value << static_cast<C&&>(b);
}
template <class T, class C> __device__ constexpr decltype(auto) operator>>(xcuda_shifted_object<T> a, C&& b) {
  return a.value >> static_cast<C&&>(b);
}

template <class C> __device__ constexpr xcuda_shift_count<C> operator<<=(xcuda_shift, C count) { return {count}; }
template <class C> __device__ constexpr xcuda_shift_count<C> operator>>=(xcuda_shift, C count) { return {count}; }
template <class T, class C, XCUDA_NUMBER(T)> __device__ constexpr T& operator<<=(T& a, xcuda_shift_count<C> by) {
  return xcuda_check_shift<decltype(a << 0)>(by.value), a <<= by.value;
}
template <class T, class C, XCUDA_NUMBER(T)> __device__ constexpr T& operator>>=(T& a, xcuda_shift_count<C> by) {
  return xcuda_check_shift<decltype(a >> 0)>(by.value), a >>= by.value;
}
template <class T, class C, XCUDA_OBJECT(T)> __device__ decltype(auto) operator<<=(T& a, xcuda_shift_count<C> by) {
  return a <<= by.value;
}
template <class T, class C, XCUDA_OBJECT(T)> __device__ decltype(auto) operator>>=(T& a, xcuda_shift_count<C> by) {
  return a >>= by.value;
}

#undef XCUDA_NUMBER
#undef XCUDA_OBJECT
