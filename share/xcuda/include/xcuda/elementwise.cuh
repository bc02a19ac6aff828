// What the kernels of array expressions are made of: packs of elements, strides, operators and functions that C++ lacks
// for 16-bit and complex elements. Included after the cells' definitions; everything is in namespace xcuda.
#pragma once

#ifdef __CUDA_FP16_TYPES_EXIST__
#define XCUDA_HALF 1
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
#define XCUDA_BFLOAT 1
#endif

namespace xcuda {

// --- types ---------------------------------------------------------------------------------------------------------

template <class T> T value_of();
template <bool Yes, class A, class B> struct Choose { using type = A; };
template <class A, class B> struct Choose<false, A, B> { using type = B; };
template <class A, class B> constexpr bool is_same = false;
template <class A> constexpr bool is_same<A, A> = true;

template <class T> constexpr bool is_half = false;     // half
template <class T> constexpr bool is_bfloat = false;   // bfloat16
template <class T> constexpr bool is_complex = false;  // cuda::std::complex
#ifdef XCUDA_HALF
template <> constexpr bool is_half<__half> = true;
#endif
#ifdef XCUDA_BFLOAT
template <> constexpr bool is_bfloat<__nv_bfloat16> = true;
#endif
template <class T> struct PartOf { using type = T; };  // of a complex type
#ifdef XCUDA_COMPLEX
template <class T> constexpr bool is_complex<cuda::std::complex<T>> = true;
template <class T> struct PartOf<cuda::std::complex<T>> { using type = T; };
#endif
template <class T> constexpr bool is_short = is_half<T> || is_bfloat<T>;
template <class T>
constexpr bool is_integer =
    is_same<T, bool> || is_same<T, char> || is_same<T, signed char> || is_same<T, unsigned char> || is_same<T, short> ||
    is_same<T, unsigned short> || is_same<T, int> || is_same<T, unsigned> || is_same<T, long> ||
    is_same<T, unsigned long> || is_same<T, long long> || is_same<T, unsigned long long>;
template <class T> constexpr bool is_real = is_same<T, float> || is_same<T, double>;
template <class T> constexpr bool is_number = is_integer<T> || is_real<T> || is_short<T>;

// A 16-bit number in single precision, where it is computed; all else as it is.
template <class T> struct WideType { using type = typename Choose<is_short<T>, float, T>::type; };
template <class T> __device__ __forceinline__ typename WideType<T>::type wide(const T& x) {
  return static_cast<typename WideType<T>::type>(x);
}

// Whether it is not zero.
template <class T> __device__ __forceinline__ bool is_true(const T& x) {
#ifdef XCUDA_COMPLEX
  if constexpr (is_complex<T>)
    return x.real() != 0 || x.imag() != 0;
  else
#endif
    return static_cast<bool>(wide(x));
}

// The type of a result whose operands are A and B and which was computed as R: 16 bits if they say so.
template <class A, class B, class R> struct NarrowType {
  static constexpr bool same = is_short<A> && (is_same<A, B> || is_integer<B>), other = is_short<B> && is_integer<A>;
  using type =
      typename Choose<is_same<R, float> && same, A, typename Choose<is_same<R, float> && other, B, R>::type>::type;
};
template <class A, class B, class R> __device__ __forceinline__ typename NarrowType<A, B, R>::type narrow(const R& x) {
  return static_cast<typename NarrowType<A, B, R>::type>(x);
}

// --- operators with 16-bit and complex operands --------------------------------------------------------------------

#ifdef XCUDA_COMPLEX
template <class T, class Other> __device__ __forceinline__ auto beside(const T& x, const Other&) {
  if constexpr (is_complex<Other> && !is_complex<T>)
    return static_cast<typename PartOf<Other>::type>(wide(x));
  else
    return wide(x);
}
#else
template <class T, class Other> __device__ __forceinline__ auto beside(const T& x, const Other&) { return wide(x); }
#endif

#define XCUDA_OPERATOR(name, op)                                                             \
  template <class A, class B> __device__ __forceinline__ auto name(const A& a, const B& b) { \
    return narrow<A, B>(beside(a, b) op beside(b, a));                                       \
  }
XCUDA_OPERATOR(plus, +)
XCUDA_OPERATOR(minus, -)
XCUDA_OPERATOR(times, *)
XCUDA_OPERATOR(over, /)
XCUDA_OPERATOR(equal, ==)
XCUDA_OPERATOR(different, !=)
XCUDA_OPERATOR(less, <)
XCUDA_OPERATOR(greater, >)
XCUDA_OPERATOR(at_most, <=)
XCUDA_OPERATOR(at_least, >=)
#undef XCUDA_OPERATOR

template <class C, class A, class B>
__device__ __forceinline__ auto choose(const C& condition, const A& a, const B& b) {
  if constexpr (is_same<A, B>)
    return condition ? a : b;
  else
    return narrow<A, B>(condition ? beside(a, b) : beside(b, a));
}
template <class T, class A> __device__ __forceinline__ T convert(const A& a) {
  if constexpr (is_complex<T> && !is_complex<A>)
    return T(static_cast<typename PartOf<T>::type>(wide(a)));
  else if constexpr (is_complex<T>)
    return T(static_cast<typename PartOf<T>::type>(a.real()), static_cast<typename PartOf<T>::type>(a.imag()));
  else
    return static_cast<T>(wide(a));
}

// --- functions -----------------------------------------------------------------------------------------------------

// <cmath> computes in float for float and in double for integers; 16-bit arguments give 16 bits.
template <class A> struct Real1 {
  using type = typename Choose<is_same<A, float> || is_short<A>, float, double>::type;
};
template <class A, class B> struct Real2 {
  static constexpr bool single = (is_same<A, float> || is_short<A> || is_integer<A>)&&(
      is_same<B, float> || is_short<B> || is_integer<B>)&&!(is_integer<A> && is_integer<B>);
  using type = typename Choose<single, float, double>::type;
};

namespace math {

#ifdef XCUDA_COMPLEX
#define XCUDA_IF_COMPLEX(name) \
  if constexpr (is_complex<A>) \
    return cuda::std::name(a); \
  else
#else
#define XCUDA_IF_COMPLEX(name)
#endif
#define XCUDA_MATH1(name)                                                         \
  template <class A> __device__ __forceinline__ auto name(const A& a) {           \
    return narrow<A, int>(::name(static_cast<typename Real1<A>::type>(wide(a)))); \
  }
#define XCUDA_COMPLEX1(name)                                                                             \
  template <class A> __device__ __forceinline__ auto name(const A& a) {                                  \
    XCUDA_IF_COMPLEX(name) return narrow<A, int>(::name(static_cast<typename Real1<A>::type>(wide(a)))); \
  }
#define XCUDA_MATH2(name)                                                                    \
  template <class A, class B> __device__ __forceinline__ auto name(const A& a, const B& b) { \
    using R = typename Real2<A, B>::type;                                                    \
    return narrow<A, B>(::name(static_cast<R>(wide(a)), static_cast<R>(wide(b))));           \
  }
// clang-format off
XCUDA_COMPLEX1(sin) XCUDA_COMPLEX1(cos) XCUDA_COMPLEX1(tan) XCUDA_COMPLEX1(exp) XCUDA_COMPLEX1(log) XCUDA_COMPLEX1(sqrt)
XCUDA_COMPLEX1(sinh) XCUDA_COMPLEX1(cosh) XCUDA_COMPLEX1(tanh)
XCUDA_MATH1(asin) XCUDA_MATH1(acos) XCUDA_MATH1(atan) XCUDA_MATH1(asinh) XCUDA_MATH1(acosh) XCUDA_MATH1(atanh)
XCUDA_MATH1(exp2) XCUDA_MATH1(expm1) XCUDA_MATH1(log2) XCUDA_MATH1(log10) XCUDA_MATH1(log1p) XCUDA_MATH1(logb)
XCUDA_MATH1(cbrt) XCUDA_MATH1(floor) XCUDA_MATH1(ceil) XCUDA_MATH1(trunc) XCUDA_MATH1(round) XCUDA_MATH1(rint) XCUDA_MATH1(nearbyint)
XCUDA_MATH1(fabs) XCUDA_MATH1(erf) XCUDA_MATH1(erfc) XCUDA_MATH1(tgamma) XCUDA_MATH1(lgamma)
XCUDA_MATH1(rsqrt) XCUDA_MATH1(rcbrt) XCUDA_MATH1(exp10) XCUDA_MATH1(sinpi) XCUDA_MATH1(cospi) XCUDA_MATH1(normcdf)
XCUDA_MATH2(atan2) XCUDA_MATH2(fmod) XCUDA_MATH2(remainder) XCUDA_MATH2(hypot) XCUDA_MATH2(copysign) XCUDA_MATH2(fdim)
XCUDA_MATH2(fmin) XCUDA_MATH2(fmax) XCUDA_MATH2(nextafter)
// clang-format on
#undef XCUDA_MATH1
#undef XCUDA_MATH2
#undef XCUDA_COMPLEX1

#define XCUDA_TEST(name)                                                \
  template <class A> __device__ __forceinline__ bool name(const A& a) { \
    return ::name(static_cast<typename Real1<A>::type>(wide(a)));       \
  }
// Of a complex number: of one of its parts, or of both.
#ifdef XCUDA_COMPLEX
#define XCUDA_TEST_OF_PARTS(name, op)                                   \
  template <class A> __device__ __forceinline__ bool name(const A& a) { \
    if constexpr (is_complex<A>)                                        \
      return ::name(a.real()) op ::name(a.imag());                      \
    else                                                                \
      return ::name(static_cast<typename Real1<A>::type>(wide(a)));     \
  }
#else
#define XCUDA_TEST_OF_PARTS(name, op) XCUDA_TEST(name)
#endif
    // clang-format off
XCUDA_TEST_OF_PARTS(isnan, ||) XCUDA_TEST_OF_PARTS(isinf, ||) XCUDA_TEST_OF_PARTS(isfinite, &&) XCUDA_TEST(signbit)
// clang-format on
#undef XCUDA_TEST_OF_PARTS
#undef XCUDA_TEST

        template <class A, class B>
        __device__ __forceinline__ auto pow(const A& a, const B& b) {
#ifdef XCUDA_COMPLEX
  if constexpr (is_complex<A> || is_complex<B>)
    return cuda::std::pow(beside(a, b), beside(b, a));
  else
#endif
  {
    using R = typename Real2<A, B>::type;
    return narrow<A, B>(::pow(static_cast<R>(wide(a)), static_cast<R>(wide(b))));
  }
}
template <class A, class B, class C> __device__ __forceinline__ auto fma(const A& a, const B& b, const C& c) {
  using R = typename Real2<typename Real2<A, B>::type, C>::type;
  return ::fma(static_cast<R>(wide(a)), static_cast<R>(wide(b)), static_cast<R>(wide(c)));
}
template <class A, class B> __device__ __forceinline__ auto ldexp(const A& a, const B& b) {
  return ::ldexp(static_cast<typename Real1<A>::type>(wide(a)), static_cast<int>(b));
}
template <class A> __device__ __forceinline__ auto abs(const A& a) {
#ifdef XCUDA_COMPLEX
  if constexpr (is_complex<A>)
    return cuda::std::abs(a);
  else
#endif
      if constexpr (is_integer<A>)
    return a < A(0) ? -a : +a;
  else
    return narrow<A, int>(::fabs(wide(a)));
}
template <class A, class B> __device__ __forceinline__ auto min(const A& a, const B& b) {
  using R = decltype(true ? wide(a) : wide(b));
  const R x = static_cast<R>(wide(a)), y = static_cast<R>(wide(b));
  if constexpr (is_real<R>)
    return narrow<A, B>(::fmin(x, y));
  else
    return y < x ? y : x;
}
template <class A, class B> __device__ __forceinline__ auto max(const A& a, const B& b) {
  using R = decltype(true ? wide(a) : wide(b));
  const R x = static_cast<R>(wide(a)), y = static_cast<R>(wide(b));
  if constexpr (is_real<R>)
    return narrow<A, B>(::fmax(x, y));
  else
    return x < y ? y : x;
}
template <class A, class B, class C> __device__ __forceinline__ auto clamp(const A& a, const B& low, const C& high) {
  using R = decltype(min(max(a, low), high));
  if constexpr (!is_integer<A>)
    if (!(wide(a) == wide(a))) return static_cast<R>(a);  // NaN, as std::clamp does it
  return static_cast<R>(min(max(a, low), high));
}
template <class A> __device__ __forceinline__ auto relu(const A& a) {
  using R = decltype(wide(a));
  const R x = wide(a);
  return narrow<A, int>(x < R(0) ? R(0) : x);
}
template <class A, class B> __device__ __forceinline__ auto ceil_div(const A& a, const B& b) {
  const auto quotient = a / b;
  if constexpr (is_integer<decltype(quotient + 0)>)
    return a % b != 0 && (a % b < 0) == (b < 0) ? quotient + 1 : quotient + 0;
  else
    return math::ceil(quotient);
}
template <class A, class B> __device__ __forceinline__ auto gcd(const A& a, const B& b) {
  auto x = math::abs(a + B(0)), y = math::abs(b + A(0));
  while (y != 0) {
    const auto rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
template <class A> __device__ __forceinline__ long lround(const A& a) {
  return ::lround(static_cast<typename Real1<A>::type>(wide(a)));
}
template <class A> __device__ __forceinline__ long lrint(const A& a) {
  return ::lrint(static_cast<typename Real1<A>::type>(wide(a)));
}
#ifdef XCUDA_COMPLEX
template <class A> __device__ __forceinline__ auto real(const A& a) {
  if constexpr (is_complex<A>)
    return a.real();
  else
    return a;
}
template <class A> __device__ __forceinline__ auto imag(const A& a) {
  if constexpr (is_complex<A>)
    return a.imag();
  else
    return A(0);
}
template <class A> __device__ __forceinline__ auto conj(const A& a) {
  if constexpr (is_complex<A>)
    return cuda::std::conj(a);
  else
    return a;
}
template <class A> __device__ __forceinline__ auto arg(const A& a) { return cuda::std::arg(a); }
#else
template <class A> __device__ __forceinline__ A real(const A& a) { return a; }
template <class A> __device__ __forceinline__ A imag(const A&) { return A(0); }
template <class A> __device__ __forceinline__ A conj(const A& a) { return a; }
#endif

}  // namespace math

// Whether |a - b| <= absolute + relative |b|.
template <class A, class B>
__device__ __forceinline__ bool close_term(const A& a, const B& b, double relative, double absolute) {
  if (equal(a, b)) return true;
  const double size = static_cast<double>(math::abs(b)),
               distance = static_cast<double>(math::abs(minus(beside(a, b), beside(b, a))));
  return size - size == 0 && distance <= absolute + relative * size;
}

// --- access --------------------------------------------------------------------------------------------------------

template <class T, int N> struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Pack { T at[N]; };
template <int N, class T> __device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <int N, class T> __device__ __forceinline__ void store_pack(T* to, const Pack<T, N>& pack) {
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

// Row-major: the last index runs first. Offset is signed, Index unsigned.
template <class Offset, int Rank> struct Strides { Offset of[Rank]; };
template <class Index, int Rank> struct Coordinates {
  Index at[Rank];
  __device__ __forceinline__ Coordinates(Index linear, const Strides<Index, Rank>& extents) {
#pragma unroll
    for (int d = Rank - 1; d > 0; --d) {
      const Index rest = linear / extents.of[d];
      at[d] = linear - rest * extents.of[d];
      linear = rest;
    }
    at[0] = linear;
  }
  template <class Offset> __device__ __forceinline__ Offset offset(const Strides<Offset, Rank>& strides) const {
    Offset sum = 0;
#pragma unroll
    for (int d = 0; d < Rank; ++d) sum += static_cast<Offset>(at[d]) * strides.of[d];
    return sum;
  }
};

}  // namespace xcuda
