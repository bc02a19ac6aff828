// A scalar with its C++ type, and C++'s conversions of it. Small and without heap memory: loops run on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "base/type.hpp"
#include "cell/tree.hpp"

namespace xcuda::language {

// The types a scalar can have, in the order of their conversion rank within each group.
enum class Kind : std::uint8_t {
  boolean,
  char8,
  int8,
  uint8,  // char, signed char, unsigned char
  int16,
  uint16,
  int32,
  uint32,
  long64,
  ulong64,  // long, unsigned long
  llong64,
  ullong64,  // long long, unsigned long long
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

const Type& type_of(Kind kind);
std::optional<Kind> kind_of(const Type& type);  // nothing for structs and vectors
inline bool is_integer(Kind kind) { return kind <= Kind::ullong64; }
inline bool is_floating(Kind kind) { return kind >= Kind::float16 && kind <= Kind::float64; }
inline bool is_complex(Kind kind) { return kind >= Kind::complex64; }
bool is_signed(Kind kind);  // integers
int bits_of(Kind kind);     // integers: 8 to 64; 1 for bool

class ScalarValue {
 public:
  ScalarValue() = default;  // int 0

  template <class T>
  requires std::is_arithmetic_v<T>
  static ScalarValue of(T value);
  static ScalarValue complex(Kind kind, double real, double imaginary);

  static ScalarValue literal(const cell::IntegerLiteral& literal);
  static ScalarValue literal(const cell::FloatingLiteral& literal);
  static ScalarValue literal(const cell::BoolLiteral& literal) { return of(literal.value); }
  static ScalarValue literal(const cell::CharLiteral& literal) { return of(static_cast<char>(literal.value)); }

  // Conversion from and to the bytes of a type that kind_of() knows; at least its size.
  static ScalarValue load(const Type& type, std::span<const std::byte> bytes);
  void store(std::span<std::byte> bytes) const;

  // Values of any kind, made canonical: an integer is reduced to its width, a real is rounded to its precision.
  static ScalarValue integer(Kind kind, std::uint64_t bits);
  static ScalarValue real(Kind kind, double value);

  Kind kind() const { return kind_; }
  const Type& type() const { return type_of(kind_); }
  bool is_integer() const { return language::is_integer(kind_); }
  bool is_floating() const { return language::is_floating(kind_); }

  bool truth() const { return is_integer() ? bits_ != 0 : real_ != 0 || imaginary_ != 0; }
  bool is_negative() const { return is_integer() ? is_signed(kind_) && as_signed() < 0 : real_ < 0; }
  std::int64_t as_signed() const { return static_cast<std::int64_t>(as_unsigned()); }  // reals: truncated, saturated
  std::uint64_t as_unsigned() const;                                                   // negative numbers wrap
  double as_real() const;
  double imaginary() const { return imaginary_; }

  // The text as NumPy shows it: 3, 0.1, 1.0, 1e+20, true, 'a', (1+2j). Reals have as many digits as their type needs.
  std::string text() const;

 private:
  Kind kind_ = Kind::int32;
  union {
    std::uint64_t bits_ = 0;  // sign- or zero-extended
    double real_;             // a value of the type
  };
  double imaginary_ = 0;
};

// C++'s conversion: integers wrap, reals round to nearest even and truncate towards zero on the way to an integer. Out
// of the integer's range, where C++ says nothing, they saturate and NaN gives 0, as the device does.
ScalarValue convert(const ScalarValue& value, Kind kind);
ScalarValue convert(const ScalarValue& value, const Type& type);  // type is a scalar that kind_of() knows

// Whether the value stays the same in the type: what {} and kernel arguments ask.
bool converts_exactly(const ScalarValue& value, Kind kind);
bool converts_exactly(const ScalarValue& value, const Type& type);

Kind promoted(Kind kind);                 // integral promotion
Kind common_kind(Kind left, Kind right);  // the usual arithmetic conversions
Type common_type(const Type& left, const Type& right);

template <class T> constexpr Kind kind_for() {
  if constexpr (std::is_same_v<T, bool>)
    return Kind::boolean;
  else if constexpr (std::is_same_v<T, char>)
    return Kind::char8;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::float32;
  else if constexpr (std::is_floating_point_v<T>)
    return Kind::float64;
  else if constexpr (std::is_same_v<T, long>)
    return Kind::long64;
  else if constexpr (std::is_same_v<T, unsigned long>)
    return Kind::ulong64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1 ? Kind::int8 : sizeof(T) == 2 ? Kind::int16 : sizeof(T) == 4 ? Kind::int32 : Kind::llong64;
  else
    return sizeof(T) == 1   ? Kind::uint8
           : sizeof(T) == 2 ? Kind::uint16
           : sizeof(T) == 4 ? Kind::uint32
                            : Kind::ullong64;
}

template <class T>
requires std::is_arithmetic_v<T> ScalarValue ScalarValue::of(T value) {
  ScalarValue result;
  result.kind_ = kind_for<T>();
  if constexpr (std::is_floating_point_v<T>)
    result.real_ = static_cast<double>(value);
  else
    result.bits_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return result;
}

}  // namespace xcuda::language
