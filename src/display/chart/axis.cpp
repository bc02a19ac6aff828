#include "display/chart/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xcuda::display {
namespace {

std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::string tick_label(double value, double step, double largest) {
  if (std::abs(value) <= step * 1e-9) return "0";
  const double size = std::abs(value);
  // After the point that the step needs, which may be 0.
  const int digits = static_cast<int>(std::clamp(std::ceil(-std::log10(step) - 1e-9), -400.0, 400.0));
  if (size >= (largest >= 1e7 ? 1e4 : 1e7) || size < 1e-4) {  // one axis does not have 5,000,000 and 1e7
    const int exponent = static_cast<int>(std::clamp(std::floor(std::log10(size) + 1e-12), -400.0, 400.0));
    return fmt::format(
        "{}e{}",
        without_zeros(fmt::format("{:.{}f}", value / std::pow(10, exponent), std::clamp(exponent + digits, 0, 12))),
        exponent);
  }
  auto text = fmt::format("{:.{}f}", value, std::clamp(digits, 0, 12));
  if (size < 1e3) return text;
  for (auto at = std::min(text.find('.'), text.size()); at > 3 + (value < 0 ? 1 : 0);) text.insert(at -= 3, 1, ',');
  return text;
}

Axis::Axis(Scale scale, double low, double high, Room room) : scale_(scale), low_(low), high_(high) {
  if (scale == Scale::logarithmic) {
    if (!(low_ < high_)) {
      low_ /= 2;
      high_ *= 2;
    }
    if (room == Room::some) {
      const double factor = std::pow(high_ / low_, 0.03);
      low_ /= factor;
      high_ *= factor;
    }
    return;
  }
  if (!(low_ < high_)) {
    const double half = low_ == 0 ? 0.5 : std::abs(low_) * 0.05;
    low_ -= half;
    high_ += half;
  }
  if (room == Room::some) {
    const double more = high_ / 25 - low_ / 25;
    low_ = std::max(low_ - more, std::numeric_limits<double>::lowest());
    high_ = std::min(high_ + more, std::numeric_limits<double>::max());
  }
}

double Axis::at(double value) const {
  if (scale_ == Scale::logarithmic) return std::log(value / low_) / std::log(high_ / low_);
  return (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2);  // halves, as the distance may be over the greatest double
}

std::string Axis::limit_text(double limit) const {
  const double largest = std::max(std::abs(low_), std::abs(high_)), range = high_ - low_;
  const double digits = scale_ == Scale::linear && range > 0 ? std::ceil(std::log10(largest / range)) + 3 : 4;
  return fmt::format("{:.{}g}", limit, static_cast<int>(std::clamp(digits, 4.0, 15.0)));
}

std::vector<Tick> Axis::ticks(int about) const {
  return scale_ == Scale::linear ? linear_ticks(about) : decade_ticks(about);
}

// Multiples of 1, 2 or 5 times a power of ten.
std::vector<Tick> Axis::linear_ticks(int about) const {
  const double rough = (high_ / about - low_ / about);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * 10;
  for (const double multiple : {1.0, 2.0, 5.0})
    if (power * multiple >= rough * 0.999) {
      step = power * multiple;
      break;
    }
  step = std::max(step, least_step_);
  std::vector<Tick> ticks;
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i < 50; ++i) {
    const double value = (first + i) * step;
    if (value > high_ + step * 1e-9) break;
    ticks.push_back({value, tick_label(value, step, std::max(std::abs(low_), std::abs(high_)))});
  }
  return ticks;
}

std::vector<Tick> Axis::decade_ticks(int about) const {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low_))),
            last = static_cast<int>(std::ceil(std::log10(high_)));
  const int every = std::max(1, (last - first + about - 1) / about);
  const auto add = [&](double value) {
    if (value >= low_ * (1 - 1e-9) && value <= high_ * (1 + 1e-9))
      ticks.push_back({value, without_zeros(tick_label(value, value, high_))});
  };
  for (int decade = first; decade <= last; decade += every) {
    const double value = std::pow(10.0, decade);
    add(value);
    if (last - first > about / 2 || every > 1) continue;
    add(2 * value);
    add(5 * value);
  }
  return ticks;
}

}  // namespace xcuda::display
