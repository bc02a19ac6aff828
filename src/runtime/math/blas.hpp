// What functions of cuBLAS take, as it lies in registers: handles, letters as numbers, scalars and arrays by address.
#pragma once

#include <cuda_runtime_api.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/math/fortran.hpp"
#include "runtime/math/math_calls.hpp"
#include "runtime/refused.hpp"

namespace xcuda::runtime::math {

enum class Op : int { none, transposed, adjoint };  // cublasOperation_t
enum class Half : int { lower, upper, full };       // cublasFillMode_t
enum class Which : int { left, right };             // cublasSideMode_t
enum class Diagonal : int { any, ones };            // cublasDiagType_t
enum class PointerMode : int { host, device };

struct Blas {
  cudaStream_t stream = nullptr;
  PointerMode pointers = PointerMode::host;
  int atomics = 0, math = 0, processors = 0;  // kept for queries
  struct Emulation {                          // of products, which are made in their own type
    int strategy = 0, special_values = 0xffff, mantissa_control = 0, most_bits = 0, bit_offset = 0;
    int* bit_count = nullptr;
  } emulation;
};
Blas* find_blas(const void* handle);  // null: it was not created, or destroyed
Blas* legacy_blas();                  // the handle of functions without one; null before cublasInit()

template <class T> struct Scale { const T* at; };  // a scalar, in memory of the host or of the device
template <class T> struct Five { const T* at; };   // the five numbers of a modified rotation, where scalars are
template <class T> struct In { const T* at; };
template <class T> struct Out { T* at; };

// A call on its way to the library of the same name.
struct BlasCall {
  std::string name;  // of Fortran
  std::string function;
  struct Value {
    enum class Kind : std::uint8_t { letter, number, scale, array } kind = Kind::letter;
    char letter = 0;
    std::int64_t number = 0;
    const void* address = nullptr;
    std::size_t bytes = 0;  // of a scalar, or an element
  };
  std::vector<Value> values;
  bool is_valid = true;

  void add(char letter) { values.push_back({.letter = letter}); }
  void add(Op op) { add_letter("NTC", static_cast<int>(op)); }
  void add(Half half) { add_letter("LU", static_cast<int>(half)); }
  void add(Which side) { add_letter("LR", static_cast<int>(side)); }
  void add(Diagonal diagonal) { add_letter("NU", static_cast<int>(diagonal)); }
  void add(int number) { add(static_cast<std::int64_t>(number)); }
  void add(std::int64_t number) { values.push_back({.kind = Value::Kind::number, .number = number}); }
  template <class T> void add(Scale<T> scale) {
    values.push_back({.kind = Value::Kind::scale, .address = scale.at, .bytes = sizeof(T)});
  }
  template <class T> void add(Five<T> numbers) {
    values.push_back({.kind = Value::Kind::scale, .address = numbers.at, .bytes = 5 * sizeof(T)});
  }
  template <class T> void add(In<T> array) {
    values.push_back({.kind = Value::Kind::array, .address = array.at, .bytes = sizeof(T)});
  }
  template <class T> void add(Out<T> array) { add(In<T>{array.at}); }

 private:
  void add_letter(const char* letters, int which);
};

// How large the arrays of a call must be, from its letters and numbers in their order; impossible values are refused.
class Shape {
 public:
  explicit Shape(const BlasCall& call);
  bool is(int letter, char value) const { return letters_[static_cast<std::size_t>(letter)] == value; }
  std::int64_t operator[](int number) const { return numbers_[static_cast<std::size_t>(number)]; }
  // Array `which` has columns of `rows` elements, `leading` apart.
  void matrix(int which, std::int64_t rows, std::int64_t columns, std::int64_t leading);
  void vector(int which, std::int64_t count, std::int64_t step);
  void packed(int which, std::int64_t n) { elements(which, n * (n + 1) / 2); }
  void elements(int which, std::int64_t count);
  void extents(std::initializer_list<std::int64_t> values);  // none is negative
  bool fits() const { return fits_; }
  std::vector<Reach> reaches;

 private:
  std::vector<char> letters_;
  std::vector<std::int64_t> numbers_;
  std::vector<BlasCall::Value> arrays_;
  bool fits_ = true;
};
using Rule = void (*)(Shape&);

Outcome run_blas(Blas* blas, BlasCall call, Rule rule);

// A function of cuBLAS whose arguments are Fortran's, in Fortran's order.
template <class T, Text Name, Rule rule, class... A> int blas_function(void* handle, A... arguments) {
  BlasCall call{with_letter(Name.value, kLetter<T>), "cublas" + with_letter(Name.value, kLetter<T> - 'a' + 'A'), {}};
  (call.add(arguments), ...);
  return kBlasCodes.of(run_blas(find_blas(handle), std::move(call), rule));
}

// A function without a handle, which leaves its error for cublasGetError(). Scalars are values.
void keep_legacy_status(int status);
template <class T> struct Value { T value; };
template <class T, Text Name, Rule rule, class... A> void legacy_function(A... arguments) {
  BlasCall call{with_letter(Name.value, kLetter<T>), "cublas" + with_letter(Name.value, kLetter<T> - 'a' + 'A'), {}};
  const auto add = [&](auto& argument) {
    if constexpr (requires { argument.value; })
      call.add(Scale<std::remove_cvref_t<decltype(argument.value)>>{&argument.value});
    else
      call.add(argument);
  };
  (add(arguments), ...);
  keep_legacy_status(kBlasCodes.of(run_blas(legacy_blas(), std::move(call), rule)));
}

// Bytes that a vector or a matrix reaches over.
std::uint64_t bytes_of_vector(std::int64_t count, std::int64_t step, std::size_t element);
std::uint64_t bytes_of_matrix(std::int64_t rows, std::int64_t columns, std::int64_t leading, std::size_t element);

// A scalar as the handle says where it is: read now, or when the work runs.
template <class T> class Scalar {
 public:
  Scalar(const Blas& blas, const T* at) : on_device_(blas.pointers == PointerMode::device), at_(at) {
    if (!on_device_ && at != nullptr) value_ = *at;
  }
  T value() const { return on_device_ ? *at_ : value_; }
  bool is_given() const { return at_ != nullptr; }

 private:
  bool on_device_;
  const T* at_;
  T value_{};
};

}  // namespace xcuda::runtime::math
