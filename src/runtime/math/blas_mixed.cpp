#include "runtime/math/blas_mixed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xcuda::runtime::math {
namespace {

struct MixedVector {
  const void* at;
  DataType type;
  std::int64_t step;
  std::complex<double> operator()(std::int64_t n, std::int64_t i) const {
    return load(type, at, (step < 0 ? (1 - n) * step : 0) + i * step);
  }
  void set(std::int64_t n, std::int64_t i, std::complex<double> value) const {
    store(type, const_cast<void*>(at), (step < 0 ? (1 - n) * step : 0) + i * step, value);
  }
  Reach reach(std::int64_t n) const { return {at, bytes_of_vector(n, step, element_bytes(type)), "a vector"}; }
};

struct MixedScalar {
  const void* at;
  DataType type;
};

// What reads a scalar, and changes a vector.
template <class Function>
int with_mixed_scalar(const char* name, void* handle, MixedScalar alpha, std::vector<Reach> reaches,
                      Function function) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (alpha.at == nullptr || element_bytes(alpha.type) == 0) return kBlasCodes.value;
  const bool on_device = blas->pointers == PointerMode::device;
  const auto value = on_device ? std::complex<double>() : load(alpha.type, alpha.at);
  if (on_device) reaches.push_back({alpha.at, element_bytes(alpha.type), "a scalar"});
  return kBlasCodes.of(post({name, blas->stream, Waits::no, std::move(reaches)},
                            [=] { function(on_device ? load(alpha.type, alpha.at) : value); }));
}
// What gives a number, and waits for it where it goes to the host.
template <class Function>
int to_result(const char* name, void* handle, void* result, std::size_t bytes, std::vector<Reach> reaches,
              Function function) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (result == nullptr || bytes == 0) return kBlasCodes.value;
  const bool on_device = blas->pointers == PointerMode::device;
  if (on_device) reaches.push_back({result, bytes, "the result"});
  return kBlasCodes.of(post({name, blas->stream, on_device ? Waits::no : Waits::yes, std::move(reaches)}, function));
}
template <class Function>
int to_mixed_scalar(const char* name, void* handle, MixedScalar result, std::vector<Reach> reaches, Function function) {
  void* const at = const_cast<void*>(result.at);
  return to_result(name, handle, at, element_bytes(result.type), std::move(reaches),
                   [=] { store(result.type, at, 0, function()); });
}

using MixedNumbers = std::vector<std::complex<double>>;
MixedNumbers load_all(const std::vector<MixedScalar>& numbers) {
  MixedNumbers all;
  for (const auto& one : numbers) all.push_back(load(one.type, one.at));
  return all;
}
bool are_given(const std::vector<MixedScalar>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](const MixedScalar& one) { return one.at != nullptr && element_bytes(one.type) != 0; });
}
// What reads several numbers, and changes vectors.
template <class Function>
int with_mixed_numbers(const char* name, void* handle, const std::vector<MixedScalar>& numbers,
                       std::vector<Reach> reaches, Function function) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (!are_given(numbers)) return kBlasCodes.value;
  const bool on_device = blas->pointers == PointerMode::device;
  const auto values = on_device ? MixedNumbers{} : load_all(numbers);
  if (on_device)
    for (const auto& one : numbers) reaches.push_back({one.at, element_bytes(one.type), "a scalar"});
  return kBlasCodes.of(post({name, blas->stream, Waits::no, std::move(reaches)},
                            [=] { function(on_device ? load_all(numbers) : values); }));
}
// What changes several numbers where they are, but for the constant one.
constexpr std::size_t kNoConstant = 9;
template <class Function>
int change_mixed_numbers(const char* name, void* handle, const std::vector<MixedScalar>& numbers, std::size_t constant,
                         Function function) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  if (!are_given(numbers)) return kBlasCodes.value;
  std::vector<Reach> reaches;
  const bool on_device = blas->pointers == PointerMode::device;
  if (on_device)
    for (const auto& one : numbers) reaches.push_back({one.at, element_bytes(one.type), "a number"});
  return kBlasCodes.of(post({name, blas->stream, on_device ? Waits::no : Waits::yes, std::move(reaches)}, [=] {
    auto all = load_all(numbers);
    function(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i != constant) store(numbers[i].type, const_cast<void*>(numbers[i].at), 0, all[i]);
  }));
}
template <class Function>
int post_mixed(const char* name, void* handle, std::int64_t n, MixedVector x, MixedVector y, Function function) {
  auto* blas = find_blas(handle);
  if (blas == nullptr) return kBlasCodes.uninitialized;
  return kBlasCodes.of(post({name, blas->stream, Waits::no, {x.reach(n), y.reach(n)}}, function));
}

DataType real_part_of(DataType type) {
  switch (type) {
    case DataType::complex64: return DataType::float32;
    case DataType::complex128: return DataType::float64;
    default: return type;
  }
}
double size_of_both_parts(std::complex<double> value) { return std::abs(value.real()) + std::abs(value.imag()); }

template <class Factor>
int mixed_dot(const char* name, void* handle, std::int64_t n, MixedVector x, MixedVector y, MixedScalar result,
              Factor factor) {
  return to_mixed_scalar(name, handle, result, {x.reach(n), y.reach(n)}, [=] {
    std::complex<double> sum;
    for (std::int64_t i = 0; i < n; ++i) sum += factor(x(n, i)) * y(n, i);
    return sum;
  });
}

}  // namespace

template <class I>
int axpy_ex(void* handle, I n, const void* alpha, DataType scale, const void* x, DataType type_x, I step_x, void* y,
            DataType type_y, I step_y, DataType) {
  const MixedVector from{x, type_x, step_x}, to{y, type_y, step_y};
  return with_mixed_scalar("cublasAxpyEx", handle, {alpha, scale}, {from.reach(n), to.reach(n)},
                           [=](std::complex<double> by) {
                             for (std::int64_t i = 0; i < n; ++i) to.set(n, i, to(n, i) + by * from(n, i));
                           });
}
template <class I>
int scal_ex(void* handle, I n, const void* alpha, DataType scale, void* x, DataType type_x, I step, DataType) {
  const MixedVector vector{x, type_x, step};
  return with_mixed_scalar("cublasScalEx", handle, {alpha, scale}, {vector.reach(n)}, [=](std::complex<double> by) {
    for (std::int64_t i = 0; i < n; ++i) vector.set(n, i, by * vector(n, i));
  });
}
template <class I>
int dot_ex(void* handle, I n, const void* x, DataType type_x, I step_x, const void* y, DataType type_y, I step_y,
           void* result, DataType type, DataType) {
  return mixed_dot("cublasDotEx", handle, n, {x, type_x, step_x}, {y, type_y, step_y}, {result, type},
                   [](std::complex<double> value) { return value; });
}
template <class I>
int dotc_ex(void* handle, I n, const void* x, DataType type_x, I step_x, const void* y, DataType type_y, I step_y,
            void* result, DataType type, DataType) {
  return mixed_dot("cublasDotcEx", handle, n, {x, type_x, step_x}, {y, type_y, step_y}, {result, type},
                   [](std::complex<double> value) { return std::conj(value); });
}
template <class I>
int nrm2_ex(void* handle, I n, const void* x, DataType type_x, I step, void* result, DataType type, DataType) {
  const MixedVector vector{x, type_x, step};
  return to_mixed_scalar("cublasNrm2Ex", handle, {result, type}, {vector.reach(n)}, [=] {
    double sum = 0, most = 0;  // of numbers of at most 1, so that no square is too large
    for (std::int64_t i = 0; i < n; ++i) most = std::max(most, std::abs(vector(n, i)));
    for (std::int64_t i = 0; i < n && most > 0; ++i) sum += std::norm(vector(n, i) / most);
    return std::complex<double>(most * std::sqrt(sum));
  });
}
template <class I>
int copy_ex(void* handle, I n, const void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y) {
  const MixedVector from{x, type_x, step_x}, to{y, type_y, step_y};
  return post_mixed("cublasCopyEx", handle, n, from, to, [=] {
    for (std::int64_t i = 0; i < n; ++i) to.set(n, i, from(n, i));
  });
}
template <class I>
int swap_ex(void* handle, I n, void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y) {
  const MixedVector one{x, type_x, step_x}, other{y, type_y, step_y};
  return post_mixed("cublasSwapEx", handle, n, one, other, [=] {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto kept = one(n, i);
      one.set(n, i, other(n, i));
      other.set(n, i, kept);
    }
  });
}
template <class I>
int asum_ex(void* handle, I n, const void* x, DataType type_x, I step, void* result, DataType type, DataType) {
  const MixedVector vector{x, type_x, step};
  return to_mixed_scalar("cublasAsumEx", handle, {result, type}, {vector.reach(n)}, [=] {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += size_of_both_parts(vector(n, i));
    return std::complex<double>(sum);
  });
}
template <class I, Extreme which> int extreme_ex(void* handle, I n, const void* x, DataType type_x, I step, I* result) {
  const MixedVector vector{x, type_x, step};
  return to_result("cublasIamaxEx", handle, result, sizeof(I), {vector.reach(n)}, [=] {
    std::int64_t place = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      const double one = size_of_both_parts(vector(n, i)), found = size_of_both_parts(vector(n, place));
      if (which == Extreme::greatest ? one > found : one < found) place = i;
    }
    *result = n < 1 || step < 1 ? 0 : static_cast<I>(place + 1);
  });
}

// Rotations: their numbers are where the handle says that scalars are.
template <class I>
int rot_ex(void* handle, I n, void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y, const void* c,
           const void* s, DataType type, DataType) {
  const MixedVector one{x, type_x, step_x}, other{y, type_y, step_y};
  return with_mixed_numbers("cublasRotEx", handle, {{c, real_part_of(type)}, {s, type}}, {one.reach(n), other.reach(n)},
                            [=](const MixedNumbers& by) {
                              for (std::int64_t i = 0; i < n; ++i) {
                                const auto a = one(n, i), b = other(n, i);
                                one.set(n, i, by[0] * a + by[1] * b);
                                other.set(n, i, by[0] * b - std::conj(by[1]) * a);
                              }
                            });
}
template <class I>
int rotm_ex(void* handle, I n, void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y,
            const void* parameters, DataType type, DataType) {
  const MixedVector one{x, type_x, step_x}, other{y, type_y, step_y};
  if (parameters == nullptr) return kBlasCodes.value;
  std::vector<MixedScalar> numbers;
  for (int i = 0; i < 5; ++i)
    numbers.push_back({static_cast<const std::byte*>(parameters) + i * static_cast<int>(element_bytes(type)), type});
  return with_mixed_numbers("cublasRotmEx", handle, numbers, {one.reach(n), other.reach(n)},
                            [=](const MixedNumbers& given) {
                              const double flag = given[0].real();
                              if (flag == -2) return;
                              auto h = given;  // h11, h21, h12, h22 from the second on
                              if (flag == 0) h[1] = h[4] = 1;
                              if (flag == 1) {
                                h[2] = -1;
                                h[3] = 1;
                              }
                              for (std::int64_t i = 0; i < n; ++i) {
                                const auto a = one(n, i), b = other(n, i);
                                one.set(n, i, h[1] * a + h[3] * b);
                                other.set(n, i, h[2] * a + h[4] * b);
                              }
                            });
}
int rotg_ex(void* handle, void* a, void* b, DataType type, void* c, void* s, DataType type_of_rotation, DataType) {
  if (is_complex(type)) {
    say_not_supported("cublasRotgEx", "complex numbers");
    return kBlasCodes.unsupported;
  }
  return change_mixed_numbers("cublasRotgEx", handle,
                              {{a, type}, {b, type}, {c, type_of_rotation}, {s, type_of_rotation}}, kNoConstant,
                              [](MixedNumbers& all) {
                                double parts[4] = {all[0].real(), all[1].real(), 0, 0};
                                call_fortran("drotg", {parts, parts + 1, parts + 2, parts + 3});
                                for (std::size_t i = 0; i < all.size(); ++i) all[i] = parts[i];
                              });
}
int rotmg_ex(void* handle, void* d1, DataType type_d1, void* d2, DataType type_d2, void* x1, DataType type_x1,
             const void* y1, DataType type_y1, void* parameters, DataType type, DataType) {
  if (parameters == nullptr) return kBlasCodes.value;
  std::vector<MixedScalar> numbers{{d1, type_d1}, {d2, type_d2}, {x1, type_x1}, {y1, type_y1}};
  for (int i = 0; i < 5; ++i)
    numbers.push_back({static_cast<std::byte*>(parameters) + i * static_cast<int>(element_bytes(type)), type});
  constexpr std::size_t kY1 = 3;
  return change_mixed_numbers("cublasRotmgEx", handle, numbers, kY1, [=](MixedNumbers& all) {
    double parts[9];
    for (std::size_t i = 0; i < 9; ++i) parts[i] = all[i].real();
    call_fortran("drotmg", {parts, parts + 1, parts + 2, parts + 3, parts + 4});
    for (std::size_t i = 0; i < 9; ++i) all[i] = parts[i];
  });
}

#define XCUDA_MIXED_VECTORS(I)                                                                                      \
  template int axpy_ex<I>(void*, I, const void*, DataType, const void*, DataType, I, void*, DataType, I, DataType); \
  template int scal_ex<I>(void*, I, const void*, DataType, void*, DataType, I, DataType);                           \
  template int dot_ex<I>(void*, I, const void*, DataType, I, const void*, DataType, I, void*, DataType, DataType);  \
  template int dotc_ex<I>(void*, I, const void*, DataType, I, const void*, DataType, I, void*, DataType, DataType); \
  template int nrm2_ex<I>(void*, I, const void*, DataType, I, void*, DataType, DataType);                           \
  template int copy_ex<I>(void*, I, const void*, DataType, I, void*, DataType, I);                                  \
  template int swap_ex<I>(void*, I, void*, DataType, I, void*, DataType, I);                                        \
  template int asum_ex<I>(void*, I, const void*, DataType, I, void*, DataType, DataType);                           \
  template int extreme_ex<I, Extreme::greatest>(void*, I, const void*, DataType, I, I*);                            \
  template int extreme_ex<I, Extreme::least>(void*, I, const void*, DataType, I, I*);                               \
  template int rot_ex<I>(void*, I, void*, DataType, I, void*, DataType, I, const void*, const void*, DataType,      \
                         DataType);                                                                                 \
  template int rotm_ex<I>(void*, I, void*, DataType, I, void*, DataType, I, const void*, DataType, DataType);
XCUDA_MIXED_VECTORS(int)
XCUDA_MIXED_VECTORS(std::int64_t)
#undef XCUDA_MIXED_VECTORS

}  // namespace xcuda::runtime::math
