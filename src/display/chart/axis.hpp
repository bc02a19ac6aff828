// One axis of a chart: its limits, where a value is on it, and the ticks a reader expects.
#pragma once

#include <string>
#include <vector>

namespace xcuda::display {

enum class Scale : std::uint8_t { linear, logarithmic };

struct Tick {
  double value = 0;
  std::string label;
};

class Axis {
 public:
  // Limits with some room beyond the values; equal ones are spread. On a logarithmic axis both are over 0.
  enum class Room : std::uint8_t { some, none };
  Axis(Scale scale, double low, double high, Room room = Room::some);

  double at(double value) const;  // 0 at the low end, 1 at the high one
  std::vector<Tick> ticks(int about) const;
  double low() const { return low_; }
  // Both limits in four digits, or as many as tell places of the axis from each other.
  std::string low_text() const { return limit_text(low_); }
  std::string high_text() const { return limit_text(high_); }
  double high() const { return high_; }
  Scale scale() const { return scale_; }
  // For an axis of indices: no ticks between them.
  void count_in_steps_of(double least) { least_step_ = least; }
  double least_step() const { return least_step_; }

 private:
  std::string limit_text(double limit) const;
  std::vector<Tick> linear_ticks(int about) const;
  std::vector<Tick> decade_ticks(int about) const;
  Scale scale_;
  double low_, high_, least_step_ = 0;
};

// "0.25", "1500", "2.5e7": as many digits as tell neighbours that are `step` apart from each other.
std::string tick_label(double value, double step, double largest = 0);

}  // namespace xcuda::display
