#include "interpreter/devices/partial_states.hpp"

#include <cmath>
#include <cstring>
#include <utility>

#include "language/operators.hpp"

namespace xcuda::interpreter {

using language::Kind;
using language::ScalarValue;

namespace {

template <class T> T piece_at(std::span<const std::byte> bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::optional<PartialStates::Reducer> PartialStates::named(std::string_view reducer) {
  constexpr std::pair<std::string_view, Reducer> kKnown[] = {
      {"xcuda::Sum<xcuda_Own>", Reducer::sum},
      {"xcuda::Prod<xcuda_Own>", Reducer::product},
      {"xcuda::Mean<xcuda_Own>", Reducer::mean},
      {"xcuda::RootOfSum<xcuda_Own>", Reducer::root_of_sum},
      {"xcuda::RootOfMean<xcuda_Own>", Reducer::root_of_mean},
      {"xcuda::Min<xcuda_Own>", Reducer::least},
      {"xcuda::Max<xcuda_Own>", Reducer::greatest},
      {"xcuda::ArgMin<xcuda_Own>", Reducer::place_of_least},
      {"xcuda::ArgMax<xcuda_Own>", Reducer::place_of_greatest},
      {"xcuda::CountOf<xcuda_Own>", Reducer::count},
      {"xcuda::Any<xcuda_Own>", Reducer::any},
      {"xcuda::All<xcuda_Own>", Reducer::all},
  };
  for (const auto& [name, known] : kKnown)
    if (name == reducer) return known;
  return std::nullopt;
}

bool PartialStates::knows(std::string_view reducer) { return named(reducer).has_value(); }

bool PartialStates::is_exact(std::string_view reducer) { return named(reducer) >= Reducer::place_of_least; }

std::optional<PartialStates::Keeps> PartialStates::kept(Reducer reducer, Kind element, Kind result) {
  const bool complex = language::is_complex(result);
  switch (reducer) {
    case Reducer::sum:
      if (element == Kind::float64) return Keeps::compensated;
      [[fallthrough]];
    case Reducer::product:
      return language::is_integer(result) ? Keeps::integer : complex ? Keeps::complex : Keeps::real;
    case Reducer::mean: return complex ? Keeps::compensated_complex : Keeps::compensated;
    case Reducer::root_of_sum:
    case Reducer::root_of_mean: return Keeps::compensated;
    case Reducer::least:
    case Reducer::greatest:
    case Reducer::place_of_least:
    case Reducer::place_of_greatest:
      if (language::is_complex(element)) return std::nullopt;
      return Keeps::extreme;
    case Reducer::count:
    case Reducer::any:
    case Reducer::all: return Keeps::integer;
  }
  return std::nullopt;
}

std::uint64_t PartialStates::bytes_of(Keeps keeps) {
  switch (keeps) {
    case Keeps::integer:
    case Keeps::real: return 8;
    case Keeps::complex:
    case Keeps::compensated:
    case Keeps::extreme: return 16;
    case Keeps::compensated_complex: return 32;
  }
  return 0;
}

std::optional<PartialStates> PartialStates::of(std::string_view reducer, const Form& form) {
  const auto known = named(reducer);
  const auto element = language::kind_of(form.element), result = language::kind_of(form.result);
  if (!known || !element || !result) return std::nullopt;
  const auto keeps = kept(*known, *element, *result);
  if (!keeps || bytes_of(*keeps) != form.bytes) return std::nullopt;
  PartialStates states;
  states.reducer_ = *known;
  states.keeps_ = *keeps;
  states.element_ = form.element;
  states.result_ = *result;
  return states;
}

std::uint64_t PartialStates::Part::index_in_whole(std::uint64_t index) const {
  const auto along = index / inner;
  return (along / extent * whole + first + along % extent) * inner + index % inner;
}

void PartialStates::Sum::add(double value) {
  const double next = sum + value, part = next - sum;
  rest += (sum - (next - part)) + (value - part);
  sum = next;
}

void PartialStates::Sum::merge(const Sum& later) {
  add(later.sum);
  rest += later.rest;
}

double PartialStates::Sum::total() const { return rest - rest == 0 ? sum + rest : sum; }

// NaN is less and greater than all else, as on the device.
bool PartialStates::better(const ScalarValue& a, const ScalarValue& b) const {
  const bool less = reducer_ == Reducer::least || reducer_ == Reducer::place_of_least;
  if (a.is_floating() && std::isnan(a.as_real())) return !std::isnan(b.as_real());
  const auto op = less ? cell::BinaryOperator::less : cell::BinaryOperator::greater;
  return language::binary(op, a, b, Place{}).truth();
}

void PartialStates::add_extreme(std::span<const std::byte> state, const Part& part) {
  const auto local = piece_at<std::uint64_t>(state, 8);
  if (local == ~std::uint64_t{0}) return;  // of no elements
  const auto value = ScalarValue::load(element_, state);
  const auto place = part.index_in_whole(local);
  if (any_ && !better(value, extreme_) && (better(extreme_, value) || place > place_)) return;
  extreme_ = value;
  place_ = place;
  any_ = true;
}

void PartialStates::add(std::span<const std::byte> state, const Part& part) {
  if (keeps_ == Keeps::extreme) return add_extreme(state, part);
  const bool first = !std::exchange(any_, true);
  const bool multiplies = reducer_ == Reducer::product;
  switch (keeps_) {
    case Keeps::integer: {
      const auto value = piece_at<std::uint64_t>(state, 0);
      integer_ = first ? value : multiplies ? integer_ * value : integer_ + value;
      break;
    }
    case Keeps::real: {
      const auto value = piece_at<double>(state, 0);
      real_ = first ? value : multiplies ? real_ * value : real_ + value;
      break;
    }
    case Keeps::complex: {
      // Infinite products are found as on the device, which is as C has it.
      const std::complex<double> value(piece_at<double>(state, 0), piece_at<double>(state, 8));
      complex_ = first ? value : multiplies ? complex_ * value : complex_ + value;
      break;
    }
    default:
      for (std::size_t i = 0; i < bytes_of(keeps_) / sizeof(Sum); ++i) {
        const auto value = piece_at<Sum>(state, i * sizeof(Sum));
        if (first)
          sums_[i] = value;
        else
          sums_[i].merge(value);
      }
  }
}

ScalarValue PartialStates::result(std::uint64_t elements) const {
  const auto count = static_cast<double>(elements);
  const auto real = [&](double value) { return language::convert(ScalarValue::of(value), result_); };
  switch (reducer_) {
    case Reducer::least:
    case Reducer::greatest: return extreme_;
    case Reducer::place_of_least:
    case Reducer::place_of_greatest: return ScalarValue::integer(result_, place_);
    case Reducer::any: return ScalarValue::of(integer_ != 0);
    case Reducer::all: return ScalarValue::of(integer_ == elements);
    case Reducer::root_of_sum: return real(std::sqrt(sums_[0].total()));
    case Reducer::root_of_mean: return real(std::sqrt(sums_[0].total() / count));
    case Reducer::mean:
      if (keeps_ == Keeps::compensated) return real(sums_[0].total() / count);
      return ScalarValue::complex(result_, sums_[0].total() / count, sums_[1].total() / count);
    case Reducer::sum:
    case Reducer::product:
    case Reducer::count: break;
  }
  switch (keeps_) {
    case Keeps::integer: return ScalarValue::integer(result_, integer_);
    case Keeps::complex: return ScalarValue::complex(result_, complex_.real(), complex_.imag());
    case Keeps::compensated: return real(sums_[0].total());
    default: return real(real_);
  }
}

}  // namespace xcuda::interpreter
