#include "display/number_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.hpp"

namespace xcuda::display {
namespace {

template <class T> T read(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

// Arrays that reach this are printed with exponents: 10^(decimal digits kept), at most 1e8.
double exponent_above(Scalar width) {
  switch (width) {
    case Scalar::float16:
    case Scalar::bfloat16: return 1e3;
    case Scalar::float32: return 1e6;
    default: return 1e8;
  }
}

double round_to(Scalar width, double value) {
  switch (width) {
    case Scalar::float16: return half_to_float(double_to_half(value));
    case Scalar::bfloat16: return bfloat16_to_float(double_to_bfloat16(value));
    case Scalar::float32: return static_cast<float>(value);
    default: return value;
  }
}

// |value| = d.ddd × 10^exponent; the digits have no zeros at their end, except "0" itself.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal parse_scientific(std::string_view text) {
  Decimal decimal;
  const auto e = text.find('e');
  for (const char c : text.substr(0, e))
    if (c >= '0' && c <= '9') decimal.digits.push_back(c);
  auto exponent = text.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
  return decimal;
}

template <class... Format> std::string digits_of(Format... format) {
  std::array<char, 512> buffer;  // 309 digits before the point at most
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), format...).ptr;
  return {buffer.data(), end};
}

Decimal shortest_decimal(const Real& real) {
  const double value = std::abs(real.value);
  if (real.width == Scalar::float64) return parse_scientific(digits_of(value, std::chars_format::scientific));
  if (real.width == Scalar::float32)
    return parse_scientific(digits_of(static_cast<float>(value), std::chars_format::scientific));
  for (int digits = 0;; ++digits) {
    const auto text = digits_of(value, std::chars_format::scientific, digits);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (round_to(real.width, back) == value || digits == 16) return parse_scientific(text);
  }
}

// A number in two parts around the point (and the exponent after it); whole carries the sign.
struct Parts {
  std::string whole, fraction, exponent;
};

std::string sign_of(double value, Sign sign) { return std::signbit(value) ? "-" : sign == Sign::always ? "+" : ""; }

std::string without_last_zeros(std::string digits) {
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits;
}

Parts positional(const Real& real, int precision, Sign sign) {
  const auto decimal = shortest_decimal(real);
  Parts parts;
  const int count = static_cast<int>(decimal.digits.size());
  const int fraction = decimal.digits == "0" ? 0 : std::max(0, count - 1 - decimal.exponent);
  if (fraction > precision) {
    const auto text = digits_of(std::abs(real.value), std::chars_format::fixed, precision);
    const auto point = text.find('.');
    parts.whole = text.substr(0, point);
    if (point != std::string::npos) parts.fraction = without_last_zeros(text.substr(point + 1));
  } else if (decimal.exponent < 0) {
    parts.whole = "0";
    parts.fraction = std::string(static_cast<std::size_t>(-decimal.exponent - 1), '0') + decimal.digits;
  } else {
    const auto whole = static_cast<std::size_t>(decimal.exponent) + 1;
    parts.whole = decimal.digits.substr(0, whole);
    parts.whole.resize(whole, '0');
    if (decimal.digits.size() > whole) parts.fraction = decimal.digits.substr(whole);
  }
  parts.whole = sign_of(real.value, sign) + parts.whole;
  return parts;
}

Parts scientific(const Real& real, int precision, Sign sign) {
  auto decimal = shortest_decimal(real);
  if (static_cast<int>(decimal.digits.size()) > precision + 1)
    decimal = parse_scientific(digits_of(std::abs(real.value), std::chars_format::scientific, precision));
  return {sign_of(real.value, sign) + decimal.digits.substr(0, 1), decimal.digits.substr(1),
          fmt::format("{}{:02}", decimal.exponent < 0 ? '-' : '+', std::abs(decimal.exponent))};
}

bool needs_exponents(std::span<const Real> values) {
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (const auto& real : values) {
    const double size = std::abs(real.value);
    if (!std::isfinite(size) || size == 0) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  if (largest == 0) return false;
  const auto width = values.front().width;
  return largest >= exponent_above(width) || smallest < round_to(width, 0.0001) ||
         round_to(width, largest / smallest) > 1000;
}

bool is_zero(std::string_view exponent) { return exponent.find_first_not_of("+0") == std::string_view::npos; }

std::string pad_left(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}
std::string pad_right(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string integer_text(Scalar scalar, std::span<const std::byte> bytes) {
  switch (scalar) {
    case Scalar::int8: return std::to_string(read<std::int8_t>(bytes));
    case Scalar::int16: return std::to_string(read<std::int16_t>(bytes));
    case Scalar::int32: return std::to_string(read<std::int32_t>(bytes));
    case Scalar::int64: return std::to_string(read<std::int64_t>(bytes));
    case Scalar::uint8: return std::to_string(read<std::uint8_t>(bytes));
    case Scalar::uint16: return std::to_string(read<std::uint16_t>(bytes));
    case Scalar::uint32: return std::to_string(read<std::uint32_t>(bytes));
    default: return std::to_string(read<std::uint64_t>(bytes));
  }
}

bool is_real(Scalar scalar) { return scalar >= Scalar::float16 && scalar <= Scalar::float64; }
bool is_complex(Scalar scalar) { return scalar == Scalar::complex64 || scalar == Scalar::complex128; }
Scalar half_of(Scalar complex) { return complex == Scalar::complex64 ? Scalar::float32 : Scalar::float64; }

// What has no known inside: a pointer as an address, the rest as its first bytes.
std::string opaque_text(const Type& type, std::span<const std::byte> bytes) {
  if (type.name.ends_with('*') && bytes.size() == 8) return fmt::format("{:#x}", read<std::uint64_t>(bytes));
  constexpr std::size_t kShown = 16;
  std::string text = "<";
  for (std::size_t i = 0; i < std::min(bytes.size(), kShown); ++i)
    text += fmt::format("{}{:02x}", i == 0 ? "" : " ", std::to_integer<int>(bytes[i]));
  return text + (bytes.size() > kShown ? " …>" : ">");
}

// Values of one scalar type that lie `stride` bytes apart, in one common format.
struct Lane {
  Scalar scalar;
  std::span<const std::byte> bytes;
  std::size_t offset, stride, count;
  std::span<const std::byte> at(std::size_t i) const { return bytes.subspan(i * stride + offset, size_of(scalar)); }
};

std::vector<Real> reals_of(const Lane& lane, Scalar width, std::size_t offset) {
  std::vector<Real> reals;
  reals.reserve(lane.count);
  for (std::size_t i = 0; i < lane.count; ++i) reals.push_back(read_real(width, lane.at(i).subspan(offset)));
  return reals;
}

std::vector<std::string> format_complex(const Lane& lane, const PrintOptions& options) {
  const auto half = half_of(lane.scalar);
  auto texts = format_reals(reals_of(lane, half, 0), options);
  const auto imaginary = format_reals(reals_of(lane, half, size_of(half)), options, Sign::always);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto end = imaginary[i].find_last_not_of(' ') + 1;  // the j is before the padding
    texts[i] += imaginary[i].substr(0, end) + "j" + imaginary[i].substr(end);
  }
  return texts;
}

std::vector<std::string> format_lane(const Lane& lane, const PrintOptions& options) {
  if (is_real(lane.scalar)) return format_reals(reals_of(lane, lane.scalar, 0), options);
  if (is_complex(lane.scalar)) return format_complex(lane, options);
  std::vector<std::string> texts;
  std::size_t width = 0;
  for (std::size_t i = 0; i < lane.count; ++i) {
    texts.push_back(lane.scalar == Scalar::boolean ? (read<std::uint8_t>(lane.at(i)) != 0 ? "True" : "False")
                                                   : integer_text(lane.scalar, lane.at(i)));
    width = std::max(width, texts.back().size());
  }
  if (lane.scalar == Scalar::boolean) width = 5;
  for (auto& text : texts) text = pad_left(std::move(text), width);
  return texts;
}

std::string join(const std::vector<std::string>& parts, std::string_view open, std::string_view close) {
  return fmt::format("{}{}{}", open, fmt::join(parts, ", "), close);
}

struct Packed {
  std::span<const std::byte> bytes;
  std::size_t stride, count;
};

// The texts of one member in every record.
std::vector<std::string> format_field(const RecordField& field, const Packed& records, const PrintOptions& options) {
  std::vector<std::byte> values;  // of this member alone, array members one after the other
  values.reserve(records.count * field.type.size * field.count);
  for (std::size_t i = 0; i < records.count; ++i) {
    const auto from = records.bytes.subspan(i * records.stride + field.offset, field.type.size * field.count);
    values.insert(values.end(), from.begin(), from.end());
  }
  auto texts = format_elements(field.type, values, options);
  if (field.count <= 1) return texts;
  std::vector<std::string> joined;
  const std::size_t edge = field.count > options.threshold ? options.edge_items : field.count;
  for (std::size_t i = 0; i < records.count; ++i) {
    std::vector<std::string> inside;
    for (std::size_t k = 0; k < field.count; ++k) {
      if (k == edge && field.count > 2 * edge) {
        inside.emplace_back("...");
        k = field.count - edge;
      }
      inside.push_back(texts[i * field.count + k]);
    }
    joined.push_back(join(inside, "[", "]"));
  }
  return joined;
}

}  // namespace

Real read_real(Scalar width, std::span<const std::byte> bytes) {
  switch (width) {
    case Scalar::float32: return {read<float>(bytes), width};
    case Scalar::bfloat16: return {bfloat16_to_float(read<std::uint16_t>(bytes)), width};
    case Scalar::float16: return {half_to_float(read<std::uint16_t>(bytes)), width};
    default: return {read<double>(bytes), Scalar::float64};
  }
}

std::string shortest(const Real& real) {
  if (std::isnan(real.value)) return "nan";
  if (std::isinf(real.value)) return real.value < 0 ? "-inf" : "inf";
  const double size = std::abs(real.value);
  constexpr int kAll = std::numeric_limits<int>::max();
  if (size == 0 || (size >= round_to(real.width, 1e-4) && size < 1e16)) {
    const auto parts = positional(real, kAll, Sign::negative_only);
    return parts.whole + "." + (parts.fraction.empty() ? "0" : parts.fraction);
  }
  const auto parts = scientific(real, 20, Sign::negative_only);
  return parts.whole + (parts.fraction.empty() ? "" : ".") + parts.fraction + "e" + parts.exponent;
}

std::vector<std::string> format_reals(std::span<const Real> values, const PrintOptions& options, Sign sign) {
  if (values.empty()) return {};
  const bool exponents = needs_exponents(values);
  std::vector<Parts> parts(values.size());
  std::size_t whole = 0, fraction = 0, exponent = 0, special = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i].value;
    if (!std::isfinite(value)) {
      parts[i].whole = std::isnan(value) ? (sign == Sign::always ? "+nan" : "nan") : sign_of(value, sign) + "inf";
      special = std::max(special, std::isnan(value) ? std::size_t{3} : parts[i].whole.size());
      continue;
    }
    parts[i] =
        exponents ? scientific(values[i], options.precision, sign) : positional(values[i], options.precision, sign);
    whole = std::max(whole, parts[i].whole.size());
    fraction = std::max(fraction, parts[i].fraction.size());
    exponent = std::max(exponent, parts[i].exponent.size());
  }
  // Everything after the whole part: the point, the digits, and "e+00".
  const std::size_t after = 1 + fraction + (exponent == 0 ? 0 : 1 + exponent);
  if (special > whole + after) whole = special - after;
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& part = parts[i];
    if (!std::isfinite(values[i].value)) {
      texts.push_back(pad_left(std::move(part.whole), whole + after));
    } else if (exponents && is_zero(part.exponent)) {
      // NumPy has -1.e+00, which people read as -1.
      const auto text = pad_left(std::move(part.whole), whole) + (part.fraction.empty() ? "" : "." + part.fraction);
      texts.push_back(pad_right(text, whole + after));
    } else if (exponents) {
      // All get as many digits as the longest, exact ones where the shortest are fewer.
      const auto exact =
          digits_of(std::abs(values[i].value), std::chars_format::scientific, static_cast<int>(fraction));
      const auto e = exact.find('e');
      const auto digits = exact.substr(e + 2);
      part.whole.back() = exact.front();
      texts.push_back(pad_left(std::move(part.whole), whole) + "." + (fraction == 0 ? "" : exact.substr(2, fraction)) +
                      exact.substr(e, 2) + std::string(exponent - 1 - std::min(exponent - 1, digits.size()), '0') +
                      digits);
    } else {
      texts.push_back(pad_left(std::move(part.whole), whole) + "." + pad_right(std::move(part.fraction), fraction));
    }
  }
  return texts;
}

std::vector<std::string> format_elements(const Type& type, std::span<const std::byte> elements,
                                         const PrintOptions& options, const std::vector<RecordField>& fields) {
  if (type.size == 0) return {};
  const std::size_t count = elements.size() / type.size;
  if (type.scalar != Scalar::none && type.lanes == 1)
    return format_lane({type.scalar, elements, 0, type.size, count}, options);

  std::vector<std::vector<std::string>> columns;
  if (type.scalar != Scalar::none)
    for (int lane = 0; lane < type.lanes; ++lane)
      columns.push_back(format_lane(
          {type.scalar, elements, static_cast<std::size_t>(lane) * size_of(type.scalar), type.size, count}, options));
  for (const auto& field : fields) columns.push_back(format_field(field, {elements, type.size, count}, options));

  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> row;
    for (const auto& column : columns) row.push_back(column[i]);
    if (columns.empty())
      texts.push_back(opaque_text(type, elements.subspan(i * type.size, type.size)));
    else
      texts.push_back(join(row, "(", columns.size() == 1 ? ",)" : ")"));
  }
  return texts;
}

std::string format_element(const Type& type, std::span<const std::byte> element,
                           const std::vector<RecordField>& fields) {
  if (type.scalar == Scalar::none && fields.empty()) return opaque_text(type, element);
  std::vector<std::string> parts;
  if (type.scalar == Scalar::none) {
    for (const auto& field : fields) {
      std::vector<std::string> members;
      for (std::size_t k = 0; k < field.count; ++k)
        members.push_back(
            format_element(field.type, element.subspan(field.offset + k * field.type.size, field.type.size)));
      parts.push_back(field.name + " = " + (field.count == 1 ? members.front() : join(members, "{", "}")));
    }
    return join(parts, "{", "}");
  }
  if (type.lanes > 1) {
    Type lane = type_of(type.scalar);
    for (int k = 0; k < type.lanes; ++k)
      parts.push_back(format_element(lane, element.subspan(static_cast<std::size_t>(k) * lane.size, lane.size)));
    return join(parts, "(", ")");
  }
  if (type.scalar == Scalar::boolean) return read<std::uint8_t>(element) != 0 ? "true" : "false";
  if (is_real(type.scalar)) return shortest(read_real(type.scalar, element));
  if (is_complex(type.scalar)) {
    const auto half = half_of(type.scalar);
    const auto imaginary = shortest(read_real(half, element.subspan(size_of(half))));
    return "(" + shortest(read_real(half, element)) + (imaginary.front() == '-' ? "" : "+") + imaginary + "j)";
  }
  return integer_text(type.scalar, element);
}

}  // namespace xcuda::display
