// Device memory as array operations see it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/type.hpp"
#include "device/device.hpp"

namespace xcuda::arrays {

class Temporary;

// Where the elements of a std::vector are now. All that refer to the vector share this.
struct Growth {
  device::Address address = 0;
  std::uint64_t size = 0, capacity = 0;  // elements
};

// Device memory by name: an array, a row or an element of it, a contiguous slice, a module variable, a cast of one.
struct Pointer {
  std::string owner;  // the array or the module variable
  device::Address address = 0;
  Type type;                         // of an element
  std::vector<std::uint64_t> shape;  // empty: one element
  std::uint64_t bytes = 0;           // from address to the owner's end
  bool whole = false;                // the owner by its name
  bool read_only = false;
  bool is_address = false;                  // what a name declared T* holds: C++'s operators are those of pointers
  bool variable = false;                    // a __device__ or __constant__ variable
  std::vector<std::int64_t> strides;        // elements, one for each extent; empty: row by row without gaps
  std::shared_ptr<Growth> growth;           // of a whole vector
  std::shared_ptr<const Temporary> memory;  // of a result without a name; lives as long as something points to it
};

// A whole std::vector, and not a part of one.
inline bool is_vector(const Pointer& pointer) { return pointer.growth != nullptr && pointer.whole; }

// An expression of whole arrays, not computed yet: a kernel computes it where its elements are wanted (array_node.hpp).
struct ArrayNode;
struct ArrayExpression {
  std::shared_ptr<const ArrayNode> node;
};

}  // namespace xcuda::arrays
