#include "language/scalar_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.hpp"

namespace xcuda::language {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::complex128) + 1;

constexpr std::array<std::string_view, kKinds> kNames = {
    "bool",    "char",         "signed char", "unsigned char", "short",          "unsigned short",
    "int",     "unsigned int", "long",        "unsigned long", "long long",      "unsigned long long",
    "float16", "bfloat16",     "float",       "double",        "complex<float>", "complex<double>"};
constexpr std::array<std::uint8_t, kKinds> kBits = {1,  8,  8,  8,  16, 16, 32, 32, 64,
                                                    64, 64, 64, 16, 16, 32, 64, 64, 128};

bool signed_kind(Kind kind) {
  switch (kind) {
    case Kind::char8:
    case Kind::int8:
    case Kind::int16:
    case Kind::int32:
    case Kind::long64:
    case Kind::llong64: return true;
    default: return false;
  }
}

double round_real(Kind kind, double value) {
  switch (kind) {
    case Kind::float16: return half_to_float(double_to_half(value));
    case Kind::bfloat16: return bfloat16_to_float(double_to_bfloat16(value));
    case Kind::float32:
    case Kind::complex64: return static_cast<double>(static_cast<float>(value));
    default: return value;
  }
}

// Truncated; saturated at the ends of 64 bits, NaN is 0.
std::uint64_t to_integer(double value, Kind kind) {
  if (std::isnan(value)) return 0;
  value = std::trunc(value);
  const int bits = bits_of(kind);
  if (signed_kind(kind)) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (value >= limit) return (std::uint64_t{1} << (bits - 1)) - 1;
    if (value < -limit) return ~((std::uint64_t{1} << (bits - 1)) - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1.0, bits)) return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return static_cast<std::uint64_t>(value);
}

std::string real_text(Kind kind, double value) {
  std::string text;
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  switch (kind) {
    case Kind::float32:
    case Kind::complex64: text = fmt::format("{}", static_cast<float>(value)); break;
    case Kind::float16:
    case Kind::bfloat16:
      for (int digits = 1; digits <= 9; ++digits) {  // the fewest that give the same value back
        const auto few = fmt::format("{:.{}g}", value, digits);
        double again = 0;
        std::from_chars(few.data(), few.data() + few.size(), again);
        text = fmt::format("{}", again);
        if (round_real(kind, again) == value) break;
      }
      break;
    default: text = fmt::format("{}", value);
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

const Type& type_of(Kind kind) {
  static const auto types = [] {
    std::array<Type, kKinds> all;
    for (std::size_t i = 0; i < kKinds; ++i) {
      const auto name = kNames[i] == "float16" ? std::string_view("half") : kNames[i];
      all[i] = find_type(name).value();
    }
    return all;
  }();
  return types[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_of(const Type& type) {
  if (type.lanes != 1) return std::nullopt;
  switch (type.scalar) {
    case Scalar::none: return std::nullopt;
    case Scalar::boolean: return Kind::boolean;
    case Scalar::int8: return type.name == "char" ? Kind::char8 : Kind::int8;
    case Scalar::uint8: return Kind::uint8;
    case Scalar::int16: return Kind::int16;
    case Scalar::uint16: return Kind::uint16;
    case Scalar::int32: return Kind::int32;
    case Scalar::uint32: return Kind::uint32;
    case Scalar::int64: return type.name == "long long" ? Kind::llong64 : Kind::long64;
    case Scalar::uint64: return type.name == "unsigned long long" ? Kind::ullong64 : Kind::ulong64;
    case Scalar::float16: return Kind::float16;
    case Scalar::bfloat16: return Kind::bfloat16;
    case Scalar::float32: return Kind::float32;
    case Scalar::float64: return Kind::float64;
    case Scalar::complex64: return Kind::complex64;
    case Scalar::complex128: return Kind::complex128;
  }
  return std::nullopt;
}

bool is_signed(Kind kind) { return signed_kind(kind); }
int bits_of(Kind kind) { return kBits[static_cast<std::size_t>(kind)]; }

ScalarValue ScalarValue::integer(Kind kind, std::uint64_t bits) {
  ScalarValue result;
  result.kind_ = kind;
  switch (kind) {
    case Kind::boolean: result.bits_ = bits != 0 ? 1 : 0; break;
    case Kind::char8:
    case Kind::int8:
      result.bits_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(bits)));
      break;
    case Kind::uint8: result.bits_ = static_cast<std::uint8_t>(bits); break;
    case Kind::int16:
      result.bits_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(bits)));
      break;
    case Kind::uint16: result.bits_ = static_cast<std::uint16_t>(bits); break;
    case Kind::int32:
      result.bits_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
      break;
    case Kind::uint32: result.bits_ = static_cast<std::uint32_t>(bits); break;
    default: result.bits_ = bits;
  }
  return result;
}

ScalarValue ScalarValue::real(Kind kind, double value) {
  ScalarValue result;
  result.kind_ = kind;
  result.real_ = kind == Kind::float64 ? value : round_real(kind, value);
  return result;
}

ScalarValue ScalarValue::complex(Kind kind, double real, double imaginary) {
  auto result = ScalarValue::real(kind, real);
  result.imaginary_ = round_real(kind, imaginary);
  return result;
}

ScalarValue ScalarValue::literal(const cell::IntegerLiteral& literal) {
  static constexpr Kind kSigned[] = {Kind::int32, Kind::long64, Kind::llong64};
  static constexpr Kind kUnsigned[] = {Kind::uint32, Kind::ulong64, Kind::ullong64};
  return integer((literal.is_unsigned ? kUnsigned : kSigned)[literal.longs], literal.value);
}

ScalarValue ScalarValue::literal(const cell::FloatingLiteral& literal) {
  return real(literal.single ? Kind::float32 : Kind::float64, literal.value);
}

std::uint64_t ScalarValue::as_unsigned() const {
  return is_integer() ? bits_ : to_integer(real_, real_ < 0 ? Kind::long64 : Kind::ulong64);
}

double ScalarValue::as_real() const {
  if (!is_integer()) return real_;
  return is_signed(kind_) ? static_cast<double>(static_cast<std::int64_t>(bits_)) : static_cast<double>(bits_);
}

namespace {
template <class T> T take(std::span<const std::byte> bytes, std::size_t offset = 0) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
template <class T> void put(std::span<std::byte> bytes, T value, std::size_t offset = 0) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}
}  // namespace

ScalarValue ScalarValue::load(const Type& type, std::span<const std::byte> bytes) {
  const auto kind = kind_of(type).value_or(Kind::uint8);
  switch (kind) {
    case Kind::float16: return real(kind, half_to_float(take<std::uint16_t>(bytes)));
    case Kind::bfloat16: return real(kind, bfloat16_to_float(take<std::uint16_t>(bytes)));
    case Kind::float32: return real(kind, take<float>(bytes));
    case Kind::float64: return real(kind, take<double>(bytes));
    case Kind::complex64: return complex(kind, take<float>(bytes), take<float>(bytes, 4));
    case Kind::complex128: return complex(kind, take<double>(bytes), take<double>(bytes, 8));
    default: break;
  }
  switch (type_of(kind).size) {
    case 1: return integer(kind, take<std::uint8_t>(bytes));
    case 2: return integer(kind, take<std::uint16_t>(bytes));
    case 4: return integer(kind, take<std::uint32_t>(bytes));
    default: return integer(kind, take<std::uint64_t>(bytes));
  }
}

void ScalarValue::store(std::span<std::byte> bytes) const {
  switch (kind_) {
    case Kind::float16: return put(bytes, double_to_half(real_));
    case Kind::bfloat16: return put(bytes, double_to_bfloat16(real_));
    case Kind::float32: return put(bytes, static_cast<float>(real_));
    case Kind::float64: return put(bytes, real_);
    case Kind::complex64: put(bytes, static_cast<float>(real_)); return put(bytes, static_cast<float>(imaginary_), 4);
    case Kind::complex128: put(bytes, real_); return put(bytes, imaginary_, 8);
    default: std::memcpy(bytes.data(), &bits_, type().size);  // little endian
  }
}

std::string ScalarValue::text() const {
  if (kind_ == Kind::boolean) return bits_ != 0 ? "true" : "false";
  if (kind_ == Kind::char8) {
    const auto c = static_cast<unsigned char>(bits_);
    switch (c) {
      case 0: return "'\\0'";
      case '\n': return "'\\n'";
      case '\t': return "'\\t'";
      case '\r': return "'\\r'";
      case '\'': return "'\\''";
      case '\\': return "'\\\\'";
      default: return c >= 0x20 && c < 0x7F ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("'\\x{:02x}'", c);
    }
  }
  if (is_integer())
    return is_signed(kind_) ? fmt::format("{}", static_cast<std::int64_t>(bits_)) : fmt::format("{}", bits_);
  if (!is_complex(kind_)) return real_text(kind_, real_);
  const auto imaginary = real_text(kind_, imaginary_);
  return fmt::format("({}{}{}j)", real_text(kind_, real_), imaginary.starts_with('-') ? "" : "+", imaginary);
}

// --- conversions ---------------------------------------------------------------------------------------------------

ScalarValue convert(const ScalarValue& value, Kind kind) {
  if (value.kind() == kind) return value;
  if (kind == Kind::boolean) return ScalarValue::of(value.truth());
  if (is_integer(kind)) {
    if (value.is_integer()) return ScalarValue::integer(kind, value.as_unsigned());
    return ScalarValue::integer(kind, to_integer(value.as_real(), kind));
  }
  if (is_complex(kind))
    return ScalarValue::complex(kind, value.as_real(), is_complex(value.kind()) ? value.imaginary() : 0);
  // A 64-bit integer goes to float in one rounding.
  if (kind == Kind::float32 && value.is_integer())
    return ScalarValue::real(kind, is_signed(value.kind())
                                       ? static_cast<double>(static_cast<float>(value.as_signed()))
                                       : static_cast<double>(static_cast<float>(value.as_unsigned())));
  return ScalarValue::real(kind, value.as_real());
}

ScalarValue convert(const ScalarValue& value, const Type& type) {
  const auto kind = kind_of(type);
  return kind ? convert(value, *kind) : value;
}

bool converts_exactly(const ScalarValue& value, Kind kind) {
  const auto result = convert(value, kind);
  if (is_complex(value.kind()) && !is_complex(kind) && value.imaginary() != 0) return false;
  if (value.is_integer() && result.is_integer())
    return value.as_unsigned() == result.as_unsigned() && value.is_negative() == result.is_negative();
  if (result.is_integer()) {  // a real into an integer
    const double real = value.as_real();
    if (kind == Kind::boolean) return real == 0 || real == 1;
    if (!(real == std::trunc(real))) return false;
    const double limit = std::ldexp(1.0, bits_of(kind) - (is_signed(kind) ? 1 : 0));
    return real < limit && real >= (is_signed(kind) ? -limit : 0);
  }
  if (value.is_integer()) {  // an integer into a real
    const double real = result.as_real();
    if (!std::isfinite(real)) return false;
    if (value.is_negative())
      return real >= -std::ldexp(1.0, 63) && static_cast<std::int64_t>(real) == value.as_signed();
    return real < std::ldexp(1.0, 64) && static_cast<std::uint64_t>(real) == value.as_unsigned();
  }
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return same(value.as_real(), result.as_real()) &&
         (!is_complex(kind) || same(is_complex(value.kind()) ? value.imaginary() : 0, result.imaginary()));
}

bool converts_exactly(const ScalarValue& value, const Type& type) {
  const auto kind = kind_of(type);
  return kind && converts_exactly(value, *kind);
}

Kind promoted(Kind kind) { return kind < Kind::int32 ? Kind::int32 : kind; }

Kind common_kind(Kind left, Kind right) {
  if (is_complex(left) || is_complex(right)) {
    const bool wide =
        left == Kind::complex128 || right == Kind::complex128 || left == Kind::float64 || right == Kind::float64;
    return wide ? Kind::complex128 : Kind::complex64;
  }
  if (is_floating(left) || is_floating(right)) {
    if (left == right) return left;
    if (!is_floating(left)) return right;
    if (!is_floating(right)) return left;
    // half and bfloat16 have only float in common
    return left < Kind::float32 && right < Kind::float32 ? Kind::float32 : std::max(left, right);
  }
  left = promoted(left);
  right = promoted(right);
  if (left == right) return left;
  if (is_signed(left) == is_signed(right)) return std::max(left, right);
  const auto with_sign = is_signed(left) ? left : right, without = is_signed(left) ? right : left;
  if (without > with_sign) return without;                      // its rank is at least the other's
  if (bits_of(with_sign) > bits_of(without)) return with_sign;  // which holds all its values
  return static_cast<Kind>(static_cast<int>(with_sign) + 1);
}

Type common_type(const Type& left, const Type& right) {
  const auto a = kind_of(left), b = kind_of(right);
  return a && b ? type_of(common_kind(*a, *b)) : left;
}

}  // namespace xcuda::language
