#include "ptx/grid_values.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace xcuda::ptx {
namespace {

using Kind = GridValue::Kind;

std::optional<std::int64_t> times(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

// The same for each number of two forms; nothing where one overflows.
template <class Each> std::optional<GridForm> combined(const GridForm& a, const GridForm& b, const Each& each) {
  GridForm result;
  bool fits = each(a.constant, b.constant, &result.constant);
  for (std::size_t i = 0; i < 3; ++i)
    fits = each(a.block[i], b.block[i], &result.block[i]) && each(a.thread[i], b.thread[i], &result.thread[i]) && fits;
  return fits ? std::optional(result) : std::nullopt;
}

bool same_coefficients(const GridForm& a, const GridForm& b) { return a.block == b.block && a.thread == b.thread; }

constexpr std::int64_t kMostAdded = INT64_MAX / 8;

GridValue made(const GridValue& a, const GridValue& b, const std::optional<GridForm>& form, std::int64_t step, Wide low,
               Wide high, std::int64_t grain) {
  const auto from = a.from | b.from;
  if (!form || low < -kMostAdded || high > kMostAdded) return GridValues::anything(from);
  const auto kind = std::max(a.kind, b.kind);
  if (kind != Kind::exact) low = high = 0;
  return {kind, *form, static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), step, from, grain};
}

// Modulo 2^bits, as the type reads it.
std::int64_t wrapped(std::int64_t value, Type type) {
  const int unused = 64 - bits_of(type);
  if (unused <= 0) return value;
  const auto left = static_cast<std::uint64_t>(value) << unused;
  return is_signed(type) ? static_cast<std::int64_t>(left) >> unused : static_cast<std::int64_t>(left >> unused);
}

}  // namespace

GridValue GridValues::special(Special special) const {
  const auto at = [](Special one, Special x) { return static_cast<std::size_t>(one) - static_cast<std::size_t>(x); };
  auto value = number(0);
  if (const auto axis = at(special, Special::ntid_x); axis < 3) return number(block_[axis]);
  if (const auto axis = at(special, Special::nctaid_x); axis < 3) return number(grid_[axis]);
  if (const auto axis = at(special, Special::tid_x); axis < 3) {
    value.form.thread[axis] = block_[axis] > 1;
    return value;
  }
  if (const auto axis = at(special, Special::ctaid_x); axis < 3) {
    value.form.block[axis] = grid_[axis] > 1;
    return value;
  }
  return anything(0);
}

GridValue GridValues::join(const GridValue& a, const GridValue& b) {
  if (a.kind == Kind::none) return b;
  if (b.kind == Kind::none) return a;
  const auto from = a.from | b.from;
  if (!a.has_form() || !b.has_form() || !same_coefficients(a.form, b.form)) return anything(from);
  if (a.kind == Kind::exact && b.kind == Kind::exact && a.form == b.form && a.low == b.low && a.high == b.high)
    return {Kind::exact, a.form, a.low, a.high, 0, from, std::gcd(a.grain, b.grain)};
  std::int64_t apart = 0;
  if (__builtin_sub_overflow(b.form.constant, a.form.constant, &apart) || apart == INT64_MIN) return anything(from);
  return {Kind::started, a.form, 0, 0, std::max({a.step, b.step, std::abs(apart)}), from};
}

GridValue GridValues::sum(const GridValue& a, const GridValue& b) {
  if (!a.has_form() || !b.has_form()) return anything(a.from | b.from);
  const auto form = combined(a.form, b.form, [](auto x, auto y, auto* z) { return !__builtin_add_overflow(x, y, z); });
  return made(a, b, form, std::max(a.step, b.step), Wide{a.low} + b.low, Wide{a.high} + b.high,
              std::gcd(a.grain, b.grain));
}

GridValue GridValues::product(const GridValue& a, const GridValue& b) {
  if (!a.is_number() && !b.is_number()) return anything(a.from | b.from);
  const auto& factor = a.is_number() ? a : b;
  const auto& other = a.is_number() ? b : a;
  if (!other.has_form()) return anything(a.from | b.from);
  const auto by = factor.form.constant;
  const auto form = combined(other.form, {}, [&](auto x, auto, auto* z) { return !__builtin_mul_overflow(x, by, z); });
  const auto step = times(other.step, by), grain = times(other.grain, by);
  if (!step || *step == INT64_MIN || !grain || *grain == INT64_MIN) return anything(a.from | b.from);
  const auto one = Wide{other.low} * by, two = Wide{other.high} * by;
  return made(a, b, form, std::abs(*step), std::min(one, two), std::max(one, two), std::abs(*grain));
}

GridValue GridValues::negated(const GridValue& a) { return product(a, number(-1)); }

GridValue GridValues::with_bits(const GridValue& a, const GridValue& b) {
  const auto& bits = a.is_number() ? a : b;
  const auto& other = a.is_number() ? b : a;
  if (!bits.is_number() || !other.has_form() || other.low != 0 || other.high != 0 || bits.form.constant < 0)
    return anything(a.from | b.from);
  std::int64_t unit = 1;
  while (unit <= bits.form.constant && unit < INT64_MAX / 2) unit *= 2;
  bool apart = other.form.constant % unit == 0 && other.step % unit == 0;
  for (std::size_t i = 0; i < 3; ++i)
    apart = apart && other.form.block[i] % unit == 0 && other.form.thread[i] % unit == 0;
  return apart ? sum(a, b) : anything(a.from | b.from);
}

GridValue GridValues::as(const GridValue& value, Type type) const {
  if (value.kind != Kind::exact) return value;
  auto result = value;
  auto range = range_of(value.form);
  if (range && (__builtin_add_overflow(range->first, value.low, &range->first) ||
                __builtin_add_overflow(range->second, value.high, &range->second)))
    range.reset();
  bool fits = range.has_value() && (!is_unsigned(type) || range->first >= 0);
  if (bits_of(type) < 64) {
    if (value.is_number()) {
      result.form.constant = wrapped(value.form.constant, type);
      return result;
    }
    const std::int64_t span = std::int64_t{1} << (is_signed(type) ? bits_of(type) - 1 : bits_of(type));
    fits = fits && range->first >= (is_signed(type) ? -span : 0) && range->second < span;
  }
  if (!fits) {  // where it wraps, it is another form
    result.kind = Kind::started;
    result.low = result.high = 0;
  }
  return result;
}

std::optional<std::pair<std::int64_t, std::int64_t>> GridValues::range_of(const GridForm& form) const {
  std::int64_t least = form.constant, most = form.constant;
  bool fits = true;
  const auto add = [&](std::int64_t coefficient, std::uint32_t extent) {
    const auto last = times(coefficient, std::int64_t{extent} - 1);
    fits = fits && last && !__builtin_add_overflow(least, std::min<std::int64_t>(*last, 0), &least) &&
           !__builtin_add_overflow(most, std::max<std::int64_t>(*last, 0), &most);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    add(form.block[i], grid_[i]);
    add(form.thread[i], block_[i]);
  }
  return fits ? std::optional(std::pair(least, most)) : std::nullopt;
}

}  // namespace xcuda::ptx
