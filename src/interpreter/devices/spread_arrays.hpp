// Array expressions and reductions on arrays that are split: each device computes its part, where an element needs
// nothing but the elements at its own place. Anything else is computed by the first device, which reaches all parts.
#pragma once

#include <cstdint>
#include <optional>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/frame.hpp"
#include "session/array_table.hpp"

namespace xcuda::interpreter {

class SpreadArrays : public Part {
 public:
  explicit SpreadArrays(Frame& frame) : Part(frame) {}

  // As ArrayMath::store(); the copies of a replicated target become alike.
  void store(const ArrayNodePtr& node, const Pointer& target);
  // The number that a reduction over everything gives; nothing where it has to be done in one piece.
  std::optional<Value> reduce(const ReduceRequest& request, cell::Span span);

 private:
  struct Slice {
    std::uint32_t device = 0;
    std::uint64_t first = 0, last = 0, extent = 0;  // along the first axis
    std::size_t rank = 0;
  };
  bool copy_across(const ArrayNode& node, const Pointer& target);
  const Array* split_array(const Pointer& pointer) const;  // along its first axis; null for any other
  const Array* split_array(const ArrayNode& node) const;   // the first one in it
  bool can_be_split(const ArrayNode& node, const Spread& spread, std::size_t rank) const;
  ArrayNodePtr slice(const ArrayNode& node, const Slice& slice) const;
  Pointer slice(const Pointer& pointer, const Slice& slice) const;
  std::vector<DeviceOrder::Work> work_on(const ArrayNode& node, const Pointer* target) const;
};

}  // namespace xcuda::interpreter
