// Discrete Fourier transforms of arrays, by a library: without a factor, along any axes.
#pragma once

#include <string>
#include <vector>

#include "arrays/array_math.hpp"

namespace xcuda::arrays {

struct TransformRequest {
  enum class Kind : std::uint8_t { complex, from_real, to_real } kind = Kind::complex;
  enum class Direction : std::uint8_t { forward, backward } direction = Direction::forward;
  Pointer x;                      // of float, double or complex numbers, as the kind says; strides may be any
  std::vector<std::size_t> axes;  // each once; of real numbers the last one has n / 2 + 1 elements on the other side
  std::uint64_t real_extent = 0;  // to_real: of the last one of the axes in the result
  std::string name;               // "fft(x)", for reports and errors
};

class Transforms {
 public:
  Transforms(ArrayMath& math, Workspace& workspace) : math_(math), workspace_(workspace) {}

  // Transforms into the target, which has the shape of the result and no gaps; null: into other memory, maybe with
  // gaps. Errors: unsupported, device, memory.
  Pointer run(const TransformRequest& request, const Pointer* target);

 private:
  using Kind = TransformRequest::Kind;
  enum class Memory : std::uint8_t { of_others, own };  // of x: whether it may be written
  // Transforms as many axes as one call takes; the target may be null.
  Pointer along(const TransformRequest& request, Memory memory, const Pointer* target);

  ArrayMath& math_;
  Workspace& workspace_;
};

// A transform that is computed where its elements are wanted, of that type and shape.
ArrayNodePtr transform_node(ArrayMath& math, Workspace& workspace, TransformRequest request, const Type& type,
                            Shape shape, cell::Span span);

}  // namespace xcuda::arrays
