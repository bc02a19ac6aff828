// Transforms of as many lines as a vector has lanes, all of one length.
#pragma once

#include "library/cpu/fourier_plan.hpp"
#include "library/cpu/waves.hpp"

namespace xcuda::library::cpu {

enum class LineKind : std::uint8_t {
  complex,
  from_real,  // n real numbers to n / 2 + 1 complex ones; a lane has two lines
  to_real     // the other way
};
enum class Direction : std::uint8_t { forward, backward };

template <class T> struct LaneGroup {
  const FourierPlan<T>* plan = nullptr;  // a plan that fits lanes
  LineKind kind = LineKind::complex;
  Direction direction = Direction::forward;
  Strands<T> from, to, second_from, second_to;  // the second lines are those of real numbers
  // The factor of each stored result: between(k * (column + l)) for element k of lane l, backwards its conjugate.
  const Roots* between = nullptr;
  std::uint64_t column = 0;
};

template <class T> class LaneBuffer {
 public:
  Wave<T>* lines(const FourierPlan<T>& plan);
  Wave<T>* work(const FourierPlan<T>& plan);

 private:
  std::vector<Wave<T>> lines_, work_;
};

template <class T> void transform_lanes(const LaneGroup<T>& group, LaneBuffer<T>& buffer);

extern template void transform_lanes(const LaneGroup<float>&, LaneBuffer<float>&);
extern template void transform_lanes(const LaneGroup<double>&, LaneBuffer<double>&);

}  // namespace xcuda::library::cpu
