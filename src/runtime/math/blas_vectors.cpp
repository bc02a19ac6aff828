#include "runtime/math/blas_vectors.hpp"

#include <cmath>

namespace xcuda::runtime::math {
namespace {

// Where an element of a vector is: with a step below 0, the first one comes last.
std::int64_t begin_of(std::int64_t n, std::int64_t step) { return step < 0 ? (1 - n) * step : 0; }

template <class T> T conjugate_of(const T& value) {
  if constexpr (kIsComplex<T>)
    return std::conj(value);
  else
    return value;
}

// Sums of float are made in double and rounded once.
template <class T> struct Wide { using type = double; };
template <class T> struct Wide<std::complex<T>> { using type = std::complex<double>; };

template <class T, Conjugate conjugate>
T dot_of(std::int64_t n, const T* x, std::int64_t step_x, const T* y, std::int64_t step_y) {
  using W = typename Wide<T>::type;
  W sum{};
  std::int64_t i = begin_of(n, step_x), j = begin_of(n, step_y);
  for (std::int64_t k = 0; k < n; ++k, i += step_x, j += step_y)
    sum += static_cast<W>(conjugate == Conjugate::yes ? conjugate_of(x[i]) : x[i]) * static_cast<W>(y[j]);
  return static_cast<T>(sum);
}

template <class T> double size_of_parts(const T& value) {  // as BLAS sorts and adds up complex numbers
  if constexpr (kIsComplex<T>)
    return std::abs(static_cast<double>(value.real())) + std::abs(static_cast<double>(value.imag()));
  else
    return std::abs(static_cast<double>(value));
}

template <class T> Part<T> norm_of(std::int64_t n, const T* x, std::int64_t step) {
  double most = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const double one = std::abs(x[k * step]);
    if (std::isnan(one)) return static_cast<Part<T>>(one);
    most = std::max(most, one);
  }
  if (most == 0 || std::isinf(most)) return static_cast<Part<T>>(most);
  double sum = 0;  // of numbers of at most 1, so that no square is too large
  for (std::int64_t k = 0; k < n; ++k) {
    const double one = std::abs(x[k * step]) / most;
    sum += one * one;
  }
  return static_cast<Part<T>>(most * std::sqrt(sum));
}

template <class T> Part<T> sum_of(std::int64_t n, const T* x, std::int64_t step) {
  double sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += size_of_parts(x[k * step]);
  return static_cast<Part<T>>(sum);
}

template <class T, Extreme which> std::int64_t place_of(std::int64_t n, const T* x, std::int64_t step) {
  if (n < 1 || step < 1) return 0;
  std::int64_t place = 0;
  double found = size_of_parts(x[0]);
  for (std::int64_t k = 1; k < n; ++k) {
    const double one = size_of_parts(x[k * step]);
    if (which == Extreme::greatest ? one > found : one < found) {
      place = k;
      found = one;
    }
  }
  return place + 1;
}

struct Vector {
  const void* address;
  std::int64_t step;
};

// Posts what computes a number, and waits for it where it goes to the host.
template <class R, class Function>
Outcome give(const char* name, Blas* blas, std::int64_t n, std::size_t element, std::initializer_list<Vector> vectors,
             R* result, Function function) {
  if (blas == nullptr) return Outcome::uninitialized;
  if (result == nullptr) return Outcome::value;
  Posted posted{name, blas->stream, blas->pointers == PointerMode::host ? Waits::yes : Waits::no, {}};
  for (const auto& vector : vectors)
    posted.reaches.push_back({vector.address, bytes_of_vector(n, vector.step, element), "a vector"});
  if (blas->pointers == PointerMode::device) posted.reaches.push_back({result, sizeof(R), "the result"});
  return post(posted, [=] { *result = function(); });
}

template <class T, class R, Conjugate conjugate>
Outcome give_dot(Blas* blas, std::int64_t n, const T* x, std::int64_t step_x, const T* y, std::int64_t step_y,
                 R* result) {
  return give("cublas dot", blas, n, sizeof(T), {{x, step_x}, {y, step_y}}, result,
              [=] { return dot_of<T, conjugate>(n, x, step_x, y, step_y); });
}
template <class T> Outcome give_norm(Blas* blas, std::int64_t n, const T* x, std::int64_t step, Part<T>* result) {
  const auto count = step < 1 ? 0 : n;
  return give("cublas nrm2", blas, count, sizeof(T), {{x, step}}, result, [=] { return norm_of(count, x, step); });
}
template <class T> Outcome give_sum(Blas* blas, std::int64_t n, const T* x, std::int64_t step, Part<T>* result) {
  const auto count = step < 1 ? 0 : n;
  return give("cublas asum", blas, count, sizeof(T), {{x, step}}, result, [=] { return sum_of(count, x, step); });
}
template <class T, class I, Extreme which>
Outcome give_place(Blas* blas, std::int64_t n, const T* x, std::int64_t step, I* result) {
  return give("cublas amax", blas, n, sizeof(T), {{x, step}}, result,
              [=] { return static_cast<I>(place_of<T, which>(n, x, step)); });
}

// LAPACK's own: arguments are read and written where they are.
template <class... A> Outcome run_rotation(const char* name, char letter, Blas* blas, A*... arguments) {
  if (blas == nullptr) return Outcome::uninitialized;
  Posted posted{
      std::string("cublas ") + name, blas->stream, blas->pointers == PointerMode::host ? Waits::yes : Waits::no, {}};
  if (blas->pointers == PointerMode::device) posted.reaches = {Reach{arguments, sizeof(A), "an argument"}...};
  if (((arguments == nullptr) || ...)) return Outcome::value;
  return post(posted, [=, name = with_letter(std::string("?") + name, letter)] { call_fortran(name, {arguments...}); });
}

}  // namespace

template <class T, class I, Conjugate conjugate>
int dot(void* handle, I n, const T* x, I step_x, const T* y, I step_y, T* result) {
  return kBlasCodes.of(give_dot<T, T, conjugate>(find_blas(handle), n, x, step_x, y, step_y, result));
}
template <class T, class I> int nrm2(void* handle, I n, const T* x, I step, Part<T>* result) {
  return kBlasCodes.of(give_norm<T>(find_blas(handle), n, x, step, result));
}
template <class T, class I> int asum(void* handle, I n, const T* x, I step, Part<T>* result) {
  return kBlasCodes.of(give_sum<T>(find_blas(handle), n, x, step, result));
}
template <class T, class I, Extreme which> int extreme(void* handle, I n, const T* x, I step, I* result) {
  return kBlasCodes.of(give_place<T, I, which>(find_blas(handle), n, x, step, result));
}
template <class T, class S> int rotg(void* handle, T* a, T* b, Part<T>* c, S* s) {
  return kBlasCodes.of(run_rotation("rotg", kLetter<T>, find_blas(handle), a, b, c, s));
}
template <class T> int rotmg(void* handle, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  return kBlasCodes.of(run_rotation("rotmg", kLetter<T>, find_blas(handle), d1, d2, x1, y1, parameters));
}

template <class T, Conjugate conjugate> T legacy_dot(int n, const T* x, int step_x, const T* y, int step_y) {
  T result{};
  keep_legacy_status(kBlasCodes.of(give_dot<T, T, conjugate>(legacy_blas(), n, x, step_x, y, step_y, &result)));
  return result;
}
template <class T> Part<T> legacy_nrm2(int n, const T* x, int step) {
  Part<T> result{};
  keep_legacy_status(kBlasCodes.of(give_norm<T>(legacy_blas(), n, x, step, &result)));
  return result;
}
template <class T> Part<T> legacy_asum(int n, const T* x, int step) {
  Part<T> result{};
  keep_legacy_status(kBlasCodes.of(give_sum<T>(legacy_blas(), n, x, step, &result)));
  return result;
}
template <class T, Extreme which> int legacy_extreme(int n, const T* x, int step) {
  int result = 0;
  keep_legacy_status(kBlasCodes.of(give_place<T, int, which>(legacy_blas(), n, x, step, &result)));
  return result;
}
template <class T, class S> void legacy_rotg(T* a, T* b, Part<T>* c, S* s) {
  keep_legacy_status(kBlasCodes.of(run_rotation("rotg", kLetter<T>, legacy_blas(), a, b, c, s)));
}
template <class T> void legacy_rotmg(T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  keep_legacy_status(kBlasCodes.of(run_rotation("rotmg", kLetter<T>, legacy_blas(), d1, d2, x1, y1, parameters)));
}

#define XCUDA_OF_WIDTH(T, I)                                                      \
  template int dot<T, I, Conjugate::no>(void*, I, const T*, I, const T*, I, T*);  \
  template int dot<T, I, Conjugate::yes>(void*, I, const T*, I, const T*, I, T*); \
  template int nrm2<T, I>(void*, I, const T*, I, Part<T>*);                       \
  template int asum<T, I>(void*, I, const T*, I, Part<T>*);                       \
  template int extreme<T, I, Extreme::greatest>(void*, I, const T*, I, I*);       \
  template int extreme<T, I, Extreme::least>(void*, I, const T*, I, I*);
#define XCUDA_OF_TYPE(T, S)                                                    \
  XCUDA_OF_WIDTH(T, int)                                                       \
  XCUDA_OF_WIDTH(T, std::int64_t)                                              \
  template int rotg<T, S>(void*, T*, T*, Part<T>*, S*);                        \
  template T legacy_dot<T, Conjugate::no>(int, const T*, int, const T*, int);  \
  template T legacy_dot<T, Conjugate::yes>(int, const T*, int, const T*, int); \
  template Part<T> legacy_nrm2<T>(int, const T*, int);                         \
  template Part<T> legacy_asum<T>(int, const T*, int);                         \
  template int legacy_extreme<T, Extreme::greatest>(int, const T*, int);       \
  template int legacy_extreme<T, Extreme::least>(int, const T*, int);          \
  template void legacy_rotg<T, S>(T*, T*, Part<T>*, S*);
XCUDA_OF_TYPE(float, float)
XCUDA_OF_TYPE(double, double)
XCUDA_OF_TYPE(std::complex<float>, std::complex<float>)
XCUDA_OF_TYPE(std::complex<double>, std::complex<double>)
#undef XCUDA_OF_TYPE
#undef XCUDA_OF_WIDTH
template int rotmg<float>(void*, float*, float*, float*, const float*, float*);
template int rotmg<double>(void*, double*, double*, double*, const double*, double*);
template void legacy_rotmg<float>(float*, float*, float*, const float*, float*);
template void legacy_rotmg<double>(double*, double*, double*, const double*, double*);

}  // namespace xcuda::runtime::math
