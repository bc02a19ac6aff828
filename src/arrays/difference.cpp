#include "arrays/difference.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <utility>

#include "arrays/convert.hpp"
#include "language/scalar_value.hpp"

namespace xcuda::arrays {
namespace {

// Holds every integer of 64 bits, and their differences.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ takes no using

Wide integer_of(const Type& type, std::span<const std::byte> bytes) {
  const auto value = language::ScalarValue::load(type, bytes);
  const auto kind = *language::kind_of(type);
  const bool is_signed = kind != language::Kind::boolean && language::is_signed(kind);
  return is_signed ? Wide{value.as_signed()} : Wide{value.as_unsigned()};
}

// A number of any comparable type.
std::complex<double> number_of(const Type& type, std::span<const std::byte> bytes) {
  if (type.is_floating()) return load_real(type, bytes);
  if (type.is_complex()) {
    const auto [real, imaginary] = load_parts(type, bytes);
    return {real, imaginary};
  }
  return static_cast<double>(integer_of(type, bytes));
}

bool is_finite(const std::complex<double>& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

bool is_same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

// The bits of a floating-point number as an integer that rises with it; both zeros are 0.
Wide ordered(const Type& type, std::span<const std::byte> bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), type.size);
  const auto sign = std::uint64_t{1} << (8 * type.size - 1);
  const auto size = Wide{bits & (sign - 1)};
  return (bits & sign) != 0 ? -size : size;
}

double magnitude(Wide value) { return static_cast<double>(value < 0 ? -value : value); }

}  // namespace

bool is_comparable(const Type& type) {
  return type.lanes == 1 && (type.is_integer() || type.is_floating() || type.is_complex());
}

Differences::Differences(const Type& a, const Type& b, std::vector<std::uint64_t> shape) : a_(a), b_(b) {
  view_.a_dtype = dtype_name(a);
  view_.b_dtype = dtype_name(b);
  view_.elements = 1;
  for (const auto extent : shape) view_.elements *= extent;
  columns_ = shape.empty() ? 1 : std::max<std::uint64_t>(shape.back(), 1);
  view_.shape = std::move(shape);
  const auto rows = view_.elements / columns_;
  view_.side = std::max<std::uint64_t>(1, (std::max(rows, columns_) + kMostCells - 1) / kMostCells);
  const auto cells = [&](std::uint64_t count) {
    return static_cast<std::uint32_t>((count + view_.side - 1) / view_.side);
  };
  view_.worst = {cells(columns_), cells(rows), 1, {}};
  view_.worst.samples.resize(std::size_t{view_.worst.width} * view_.worst.height);
}

void Differences::add(std::span<const std::byte> a, std::span<const std::byte> b) {
  const bool alike = a_ == b_;
  for (std::size_t i = 0; i < a.size() / a_.size; ++i, ++index_) {
    const Elements elements{a.subspan(i * a_.size, a_.size), b.subspan(i * b_.size, b_.size)};
    if (alike && std::memcmp(elements.a.data(), elements.b.data(), a_.size) == 0) continue;
    if (a_.is_integer() && b_.is_integer())
      add_integers(elements);
    else
      add_one(elements);
  }
}

void Differences::add_integers(const Elements& elements) {
  const auto x = integer_of(a_, elements.a), y = integer_of(b_, elements.b);
  if (x == y) return;
  ++view_.different;
  add_error(elements, magnitude(x - y), std::max(magnitude(x), magnitude(y)));
}

void Differences::add_one(const Elements& elements) {
  const auto x = number_of(a_, elements.a), y = number_of(b_, elements.b);
  if (is_same(x.real(), y.real()) && is_same(x.imag(), y.imag())) return;
  ++view_.different;
  if (!is_finite(x) || !is_finite(y)) {
    if (view_.not_finite++ == 0) keep(view_.first_of_these, elements, 0);
    return;
  }
  add_error(elements, std::abs(x - y), std::max(std::abs(x), std::abs(y)));
  if (a_ == b_ && a_.is_floating()) add_ulps(elements);
}

// size: the larger magnitude, which is not 0 as the two differ.
void Differences::add_error(const Elements& elements, double error, double size) {
  keep(view_.absolute, elements, error);
  keep(view_.relative, elements, error / size);
  mark(error);
}

void Differences::add_ulps(const Elements& elements) {
  keep(view_.ulps, elements, magnitude(ordered(a_, elements.a) - ordered(b_, elements.b)));
}

void Differences::mark(double error) {
  const auto row = index_ / columns_ / view_.side, column = index_ % columns_ / view_.side;
  auto& cell = view_.worst.samples[row * view_.worst.width + column];
  cell = std::max(cell, static_cast<float>(error));
}

void Differences::keep(std::optional<display::WorstElement>& worst, const Elements& elements, double error) const {
  if (worst && !(error > worst->error)) return;
  worst = {error, index_, language::ScalarValue::load(a_, elements.a).text(),
           language::ScalarValue::load(b_, elements.b).text()};
}

}  // namespace xcuda::arrays
