// Signed arithmetic that wraps, as that of g++ -fwrapv does, for code that runs on the host: NVRTC assumes that it does
// not overflow. `a * b` is written `a *xcuda_wrap()* b` there, which is (a * mark) * b whatever is around it, and
// `a += b` is written `a +=xcuda_wrap()+= b`, which is a += (mark += b). compiler/host/wrapping_source.cpp writes them
// so.
#pragma once

struct xcuda_wrap {};
template <class T> struct xcuda_left_number { T value; };
template <class T> struct xcuda_left_other { T& value; };
template <class T> struct xcuda_right_number { T value; };
template <class T> struct xcuda_right_other { T& value; };

// Numbers are passed by value, because they may be bits of a struct. References are neither numbers nor others.
enum class xcuda_kind { number, other, reference };
template <class T> struct xcuda_kind_of { static constexpr auto value = xcuda_kind::other; };
template <class T> struct xcuda_kind_of<T&> { static constexpr auto value = xcuda_kind::reference; };
template <class T> struct xcuda_kind_of<const T> : xcuda_kind_of<T> {};
template <class T> struct xcuda_kind_of<volatile T> : xcuda_kind_of<T> {};
template <class T> struct xcuda_kind_of<const volatile T> : xcuda_kind_of<T> {};
#define XCUDA_IS_NUMBER(T) \
  template <> struct xcuda_kind_of<T> { static constexpr auto value = xcuda_kind::number; };
XCUDA_IS_NUMBER(bool)
XCUDA_IS_NUMBER(char)
XCUDA_IS_NUMBER(signed char)
XCUDA_IS_NUMBER(unsigned char)
XCUDA_IS_NUMBER(short)
XCUDA_IS_NUMBER(unsigned short)
XCUDA_IS_NUMBER(int)
XCUDA_IS_NUMBER(unsigned int)
XCUDA_IS_NUMBER(long)
XCUDA_IS_NUMBER(unsigned long)
XCUDA_IS_NUMBER(long long)
XCUDA_IS_NUMBER(unsigned long long)
XCUDA_IS_NUMBER(float)
XCUDA_IS_NUMBER(double)
#undef XCUDA_IS_NUMBER

// What a number of type T is calculated in.
template <class T> struct xcuda_wrapping { using type = T; };
template <> struct xcuda_wrapping<int> { using type = unsigned int; };
template <> struct xcuda_wrapping<long> { using type = unsigned long; };
template <> struct xcuda_wrapping<long long> { using type = unsigned long long; };
template <class T> using xcuda_wrapping_t = typename xcuda_wrapping<T>::type;

template <bool> struct xcuda_when {};
template <> struct xcuda_when<true> { using type = int; };
#define XCUDA_NUMBER(T) typename xcuda_when<xcuda_kind_of<T>::value == xcuda_kind::number>::type = 0
#define XCUDA_OTHER(T) typename xcuda_when<xcuda_kind_of<T>::value == xcuda_kind::other>::type = 0

#define XCUDA_WRAPPING(op)                                                                                             \
  template <class T, XCUDA_NUMBER(T)> __device__ constexpr xcuda_left_number<T> operator op(T a, xcuda_wrap) {         \
    return {a};                                                                                                        \
  }                                                                                                                    \
  template <class T, XCUDA_OTHER(T)> __device__ constexpr xcuda_left_other<T> operator op(T& a, xcuda_wrap) {          \
    return {a};                                                                                                        \
  }                                                                                                                    \
  template <class T, XCUDA_OTHER(T)> __device__ constexpr xcuda_left_other<T> operator op(T&& a, xcuda_wrap) {         \
    return {a};                                                                                                        \
  }                                                                                                                    \
  template <class T, class U, XCUDA_NUMBER(U), class R = decltype(T() op U())>                                         \
  __device__ constexpr R operator op(xcuda_left_number<T> a, U b) {                                                    \
    using W = xcuda_wrapping_t<R>;                                                                                     \
    return static_cast<R>(static_cast<W>(a.value) op static_cast<W>(b));                                               \
  }                                                                                                                    \
  template <class T, class U, XCUDA_OTHER(U)>                                                                          \
  __device__ constexpr decltype(auto) operator op(xcuda_left_number<T> a, U&& b) {                                     \
    return a.value op static_cast<U&&>(b);                                                                             \
  }                                                                                                                    \
  template <class T, class U, XCUDA_OTHER(U)>                                                                          \
  __device__ constexpr decltype(auto) operator op(xcuda_left_number<T> a, U& b) {                                      \
    return a.value op b;                                                                                               \
  }                                                                                                                    \
  template <class T, class U, XCUDA_NUMBER(U)>                                                                         \
  __device__ constexpr decltype(auto) operator op(xcuda_left_other<T> a, U b) {                                        \
    return a.value op b;                                                                                               \
  }                                                                                                                    \
  template <class T, class U, XCUDA_OTHER(U)>                                                                          \
  __device__ constexpr decltype(auto) operator op(xcuda_left_other<T> a, U&& b) {                                      \
    return a.value op static_cast<U&&>(b);                                                                             \
  }                                                                                                                    \
  template <class T, class U, XCUDA_OTHER(U)>                                                                          \
  __device__ constexpr decltype(auto) operator op(xcuda_left_other<T> a, U& b) {                                       \
    return a.value op b;                                                                                               \
  }                                                                                                                    \
  template <class U, XCUDA_NUMBER(U)> __device__ constexpr xcuda_right_number<U> operator op##=(xcuda_wrap, U b) {     \
    return {b};                                                                                                        \
  }                                                                                                                    \
  template <class U, XCUDA_OTHER(U)> __device__ constexpr xcuda_right_other<U> operator op##=(xcuda_wrap, U& b) {      \
    return {b};                                                                                                        \
  }                                                                                                                    \
  template <class U, XCUDA_OTHER(U)> __device__ constexpr xcuda_right_other<U> operator op##=(xcuda_wrap, U&& b) {     \
    return {b};                                                                                                        \
  }                                                                                                                    \
  template <class T, class U, XCUDA_NUMBER(T)> __device__ constexpr T& operator op##=(T& a, xcuda_right_number<U> b) { \
    using W = xcuda_wrapping_t<decltype(T() op U())>;                                                                  \
    return a = static_cast<T>(static_cast<W>(a) op static_cast<W>(b.value));                                           \
  }                                                                                                                    \
  template <class T, class U, XCUDA_OTHER(T)>                                                                          \
  __device__ constexpr decltype(auto) operator op##=(T& a, xcuda_right_number<U> b) {                                  \
    return a op## = b.value;                                                                                           \
  }                                                                                                                    \
  template <class T, class U> __device__ constexpr decltype(auto) operator op##=(T& a, xcuda_right_other<U> b) {       \
    return a op## = b.value;                                                                                           \
  }

XCUDA_WRAPPING(+)
XCUDA_WRAPPING(-)
XCUDA_WRAPPING(*)

#undef XCUDA_WRAPPING
#undef XCUDA_NUMBER
#undef XCUDA_OTHER
