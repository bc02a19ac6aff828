// Functions of cuBLAS that compute a number from one or two vectors.
#pragma once

#include "runtime/math/blas.hpp"

namespace xcuda::runtime::math {

enum class Conjugate : std::uint8_t { no, yes };
enum class Extreme : std::uint8_t { greatest, least };

template <class T, class I, Conjugate conjugate>
int dot(void* handle, I n, const T* x, I step_x, const T* y, I step_y, T* result);
template <class T, class I> int nrm2(void* handle, I n, const T* x, I step, Part<T>* result);
template <class T, class I> int asum(void* handle, I n, const T* x, I step, Part<T>* result);
template <class T, class I, Extreme which> int extreme(void* handle, I n, const T* x, I step, I* result);

template <class T, class S> int rotg(void* handle, T* a, T* b, Part<T>* c, S* s);
template <class T> int rotmg(void* handle, T* d1, T* d2, T* x1, const T* y1, T* parameters);

// Functions without a handle return the number.
template <class T, Conjugate conjugate> T legacy_dot(int n, const T* x, int step_x, const T* y, int step_y);
template <class T> Part<T> legacy_nrm2(int n, const T* x, int step);
template <class T> Part<T> legacy_asum(int n, const T* x, int step);
template <class T, Extreme which> int legacy_extreme(int n, const T* x, int step);
template <class T, class S> void legacy_rotg(T* a, T* b, Part<T>* c, S* s);
template <class T> void legacy_rotmg(T* d1, T* d2, T* x1, const T* y1, T* parameters);

}  // namespace xcuda::runtime::math
