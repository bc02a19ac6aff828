#include "base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace xcuda {
namespace {

// Three significant digits; of a thousand and more the whole ones.
std::string three_digits(double value) {
  if (value >= 999.5 && value < 1e15) return format_count(static_cast<std::uint64_t>(std::llround(value)));
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return format_count(bytes) + " B";
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return value < 999.95 ? fmt::format("{:.1f} {}", value, kUnits[unit])
                        : fmt::format("{} {}", three_digits(value), kUnits[unit]);
}

std::string format_duration(double nanoseconds) {
  if (nanoseconds < 999.5) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 999.5e3) return three_digits(nanoseconds / 1e3) + " µs";
  if (nanoseconds < 999.5e6) return three_digits(nanoseconds / 1e6) + " ms";
  return three_digits(nanoseconds / 1e9) + " s";
}

std::string format_rate(double per_second, std::string_view of) {
  constexpr std::array<const char*, 6> kUnits = {"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (per_second >= 999.5 && unit + 1 < kUnits.size()) {
    per_second /= 1000;
    ++unit;
  }
  return fmt::format("{} {}{}/s", three_digits(per_second), kUnits[unit], of);
}

std::string format_ratio(double ratio) {
  if (ratio < 999.5 || ratio >= 1e15) return three_digits(ratio);
  const double step = std::pow(10, std::floor(std::log10(ratio)) - 2);
  return three_digits(std::round(ratio / step) * step);
}

std::string format_count(std::uint64_t count) {
  auto digits = std::to_string(count);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

}  // namespace xcuda
