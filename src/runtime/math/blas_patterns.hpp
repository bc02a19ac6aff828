// The functions of BLAS that cuBLAS has as they are: what they take, and how large their arrays are. In Fortran's
// order.
#pragma once

#include "runtime/math/blas.hpp"

namespace xcuda::runtime::math {

// How a parameter of the functions with handles is given to those without.
template <class A> struct LegacyOf { using type = char; };  // letters
template <> struct LegacyOf<int> { using type = int; };
template <> struct LegacyOf<std::int64_t> { using type = int; };
template <class T> struct LegacyOf<Scale<T>> { using type = Value<T>; };
template <class T> struct LegacyOf<Five<T>> { using type = Five<T>; };
template <class T> struct LegacyOf<In<T>> { using type = In<T>; };
template <class T> struct LegacyOf<Out<T>> { using type = Out<T>; };

template <class T, Text Name, Rule rule, class... A> struct BlasPattern {
  static constexpr auto kCurrent = &blas_function<T, Name, rule, A...>;
  static constexpr auto kLegacy = &legacy_function<T, Name, rule, typename LegacyOf<A>::type...>;
};

namespace shapes {

inline void two_vectors(Shape& s) {
  s.vector(0, s[0], s[1]);
  s.vector(1, s[0], s[2]);
}
inline void one_vector(Shape& s) { s.vector(0, s[0], s[1]); }

inline void gemv(Shape& s) {
  const bool as_is = s.is(0, 'N');
  s.matrix(0, s[0], s[1], s[2]);
  s.vector(1, as_is ? s[1] : s[0], s[3]);
  s.vector(2, as_is ? s[0] : s[1], s[4]);
}
inline void gbmv(Shape& s) {
  const bool as_is = s.is(0, 'N');
  s.extents({s[0], s[1], s[2], s[3]});
  s.matrix(0, s[2] + s[3] + 1, s[1], s[4]);
  s.vector(1, as_is ? s[1] : s[0], s[5]);
  s.vector(2, as_is ? s[0] : s[1], s[6]);
}
inline void symv(Shape& s) {
  s.matrix(0, s[0], s[0], s[1]);
  s.vector(1, s[0], s[2]);
  s.vector(2, s[0], s[3]);
}
inline void sbmv(Shape& s) {
  s.extents({s[0], s[1]});
  s.matrix(0, s[1] + 1, s[0], s[2]);
  s.vector(1, s[0], s[3]);
  s.vector(2, s[0], s[4]);
}
inline void spmv(Shape& s) {
  s.packed(0, s[0]);
  s.vector(1, s[0], s[1]);
  s.vector(2, s[0], s[2]);
}
inline void trmv(Shape& s) {
  s.matrix(0, s[0], s[0], s[1]);
  s.vector(1, s[0], s[2]);
}
inline void tbmv(Shape& s) {
  s.extents({s[0], s[1]});
  s.matrix(0, s[1] + 1, s[0], s[2]);
  s.vector(1, s[0], s[3]);
}
inline void tpmv(Shape& s) {
  s.packed(0, s[0]);
  s.vector(1, s[0], s[1]);
}
inline void ger(Shape& s) {
  s.vector(0, s[0], s[2]);
  s.vector(1, s[1], s[3]);
  s.matrix(2, s[0], s[1], s[4]);
}
inline void syr(Shape& s) {
  s.vector(0, s[0], s[1]);
  s.matrix(1, s[0], s[0], s[2]);
}
inline void syr2(Shape& s) {
  s.vector(0, s[0], s[1]);
  s.vector(1, s[0], s[2]);
  s.matrix(2, s[0], s[0], s[3]);
}
inline void spr(Shape& s) {
  s.vector(0, s[0], s[1]);
  s.packed(1, s[0]);
}
inline void spr2(Shape& s) {
  s.vector(0, s[0], s[1]);
  s.vector(1, s[0], s[2]);
  s.packed(2, s[0]);
}
inline void gemm(Shape& s) {
  const auto m = s[0], n = s[1], k = s[2];
  s.extents({m, n, k});
  s.matrix(0, s.is(0, 'N') ? m : k, s.is(0, 'N') ? k : m, s[3]);
  s.matrix(1, s.is(1, 'N') ? k : n, s.is(1, 'N') ? n : k, s[4]);
  s.matrix(2, m, n, s[5]);
}
inline void symm(Shape& s) {
  const auto side = s.is(0, 'L') ? s[0] : s[1];
  s.matrix(0, side, side, s[2]);
  s.matrix(1, s[0], s[1], s[3]);
  s.matrix(2, s[0], s[1], s[4]);
}
inline void syrk(Shape& s) {
  const bool as_is = s.is(1, 'N');
  s.matrix(0, as_is ? s[0] : s[1], as_is ? s[1] : s[0], s[2]);
  s.matrix(1, s[0], s[0], s[3]);
}
inline void syr2k(Shape& s) {
  const bool as_is = s.is(1, 'N');
  for (const int which : {0, 1}) s.matrix(which, as_is ? s[0] : s[1], as_is ? s[1] : s[0], s[2 + which]);
  s.matrix(2, s[0], s[0], s[4]);
}
inline void trsm(Shape& s) {
  const auto side = s.is(0, 'L') ? s[0] : s[1];
  s.matrix(0, side, side, s[2]);
  s.matrix(1, s[0], s[1], s[3]);
}

}  // namespace shapes

template <class T, class I> struct Patterns {
  using R = Part<T>;
  using x = In<T>;
  using y = Out<T>;
  template <Text Name, Rule rule, class... A> using Of = BlasPattern<T, Name, rule, A...>;

  using axpy = Of<"?axpy", shapes::two_vectors, I, Scale<T>, x, I, y, I>;
  using copy = Of<"?copy", shapes::two_vectors, I, x, I, y, I>;
  using swap = Of<"?swap", shapes::two_vectors, I, y, I, y, I>;
  using scal = Of<"?scal", shapes::one_vector, I, Scale<T>, y, I>;
  using csscal = Of<"csscal", shapes::one_vector, I, Scale<R>, y, I>;
  using zdscal = Of<"zdscal", shapes::one_vector, I, Scale<R>, y, I>;
  using rot = Of<"?rot", shapes::two_vectors, I, y, I, y, I, Scale<R>, Scale<T>>;
  using csrot = Of<"csrot", shapes::two_vectors, I, y, I, y, I, Scale<R>, Scale<R>>;
  using zdrot = Of<"zdrot", shapes::two_vectors, I, y, I, y, I, Scale<R>, Scale<R>>;
  using rotm = Of<"?rotm", shapes::two_vectors, I, y, I, y, I, Five<T>>;

  using gemv = Of<"?gemv", shapes::gemv, Op, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using gbmv = Of<"?gbmv", shapes::gbmv, Op, I, I, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using symv = Of<"?symv", shapes::symv, Half, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using hemv = Of<"?hemv", shapes::symv, Half, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using sbmv = Of<"?sbmv", shapes::sbmv, Half, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using hbmv = Of<"?hbmv", shapes::sbmv, Half, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using spmv = Of<"?spmv", shapes::spmv, Half, I, Scale<T>, x, x, I, Scale<T>, y, I>;
  using hpmv = Of<"?hpmv", shapes::spmv, Half, I, Scale<T>, x, x, I, Scale<T>, y, I>;
  using trmv = Of<"?trmv", shapes::trmv, Half, Op, Diagonal, I, x, I, y, I>;
  using trsv = Of<"?trsv", shapes::trmv, Half, Op, Diagonal, I, x, I, y, I>;
  using tbmv = Of<"?tbmv", shapes::tbmv, Half, Op, Diagonal, I, I, x, I, y, I>;
  using tbsv = Of<"?tbsv", shapes::tbmv, Half, Op, Diagonal, I, I, x, I, y, I>;
  using tpmv = Of<"?tpmv", shapes::tpmv, Half, Op, Diagonal, I, x, y, I>;
  using tpsv = Of<"?tpsv", shapes::tpmv, Half, Op, Diagonal, I, x, y, I>;
  using ger = Of<"?ger", shapes::ger, I, I, Scale<T>, x, I, x, I, y, I>;
  using geru = Of<"?geru", shapes::ger, I, I, Scale<T>, x, I, x, I, y, I>;
  using gerc = Of<"?gerc", shapes::ger, I, I, Scale<T>, x, I, x, I, y, I>;
  using syr = Of<"?syr", shapes::syr, Half, I, Scale<T>, x, I, y, I>;
  using her = Of<"?her", shapes::syr, Half, I, Scale<R>, x, I, y, I>;
  using syr2 = Of<"?syr2", shapes::syr2, Half, I, Scale<T>, x, I, x, I, y, I>;
  using her2 = Of<"?her2", shapes::syr2, Half, I, Scale<T>, x, I, x, I, y, I>;
  using spr = Of<"?spr", shapes::spr, Half, I, Scale<T>, x, I, y>;
  using hpr = Of<"?hpr", shapes::spr, Half, I, Scale<R>, x, I, y>;
  using spr2 = Of<"?spr2", shapes::spr2, Half, I, Scale<T>, x, I, x, I, y>;
  using hpr2 = Of<"?hpr2", shapes::spr2, Half, I, Scale<T>, x, I, x, I, y>;

  using gemm = Of<"?gemm", shapes::gemm, Op, Op, I, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using symm = Of<"?symm", shapes::symm, Which, Half, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using hemm = Of<"?hemm", shapes::symm, Which, Half, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using syrk = Of<"?syrk", shapes::syrk, Half, Op, I, I, Scale<T>, x, I, Scale<T>, y, I>;
  using herk = Of<"?herk", shapes::syrk, Half, Op, I, I, Scale<R>, x, I, Scale<R>, y, I>;
  using syr2k = Of<"?syr2k", shapes::syr2k, Half, Op, I, I, Scale<T>, x, I, x, I, Scale<T>, y, I>;
  using her2k = Of<"?her2k", shapes::syr2k, Half, Op, I, I, Scale<T>, x, I, x, I, Scale<R>, y, I>;
  using trsm = Of<"?trsm", shapes::trsm, Which, Half, Op, Diagonal, I, I, Scale<T>, x, I, y, I>;
  using trmm = Of<"?trmm", shapes::trsm, Which, Half, Op, Diagonal, I, I, Scale<T>, x, I, y, I>;  // in place
};

}  // namespace xcuda::runtime::math
