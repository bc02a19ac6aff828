// A Fourier transform as a part of a function.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/transforms.hpp"
#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {

struct FourierStep {
  using Kind = arrays::TransformRequest::Kind;
  using Direction = arrays::TransformRequest::Direction;
  Kind kind = Kind::complex;
  Direction direction = Direction::forward;
  Type type;                           // of the numbers that are transformed: float, double, complex
  std::vector<std::size_t> axes;       // the last one is that of real numbers
  std::vector<std::uint64_t> lengths;  // by axis, of whole lines: what x has more is cut off, what it lacks is 0
};

// A transform without a factor, computed where its elements are wanted. Error(unsupported): there is no library.
ArrayNodePtr fourier_node(Composition& of, const Pointer& x, const FourierStep& step);

}  // namespace xcuda::interpreter
