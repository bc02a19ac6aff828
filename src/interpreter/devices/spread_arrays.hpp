// Array expressions and reductions on arrays that are split: each device computes its part, where an element needs
// nothing but the elements at its own place, or what a library or a sort computes in parts. Anything else is computed
// by the first device, which reaches all parts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/frame.hpp"
#include "session/array_table.hpp"

namespace xcuda::interpreter {

class SpreadArrays : public Part {
 public:
  explicit SpreadArrays(Frame& frame);
  ~SpreadArrays();

  // As ArrayMath::store(); the copies of a replicated target become alike.
  void store(const ArrayNodePtr& node, const Pointer& target);
  // The number that a reduction over everything gives; nothing where it has to be done in one piece. One that was done
  // before in this cell, with the same arrays, is only launched again.
  std::optional<language::ScalarValue> reduce(const ReduceRequest& request);

 private:
  struct Slice {
    std::uint32_t device = 0;
    std::uint64_t first = 0, last = 0, extent = 0;  // along the axis
    std::size_t axis = 0, rank = 0;
    // The dimension of an operand that is cut; nothing where it is repeated along the axis.
    std::optional<std::size_t> dimension_of(const Shape& shape) const;
  };
  bool copy_across(const ArrayNode& node, const Pointer& target);
  const Array* split_array(const Pointer& pointer) const;  // null for any other
  const Array* split_array(const ArrayNode& node) const;   // the first one in it
  // target: null for a reduction.
  bool can_be_split(const ArrayNode& node, const Spread& spread, std::size_t rank, const Pointer* target) const;
  bool can_be_split(const arrays::ProductTerm& term, const Slice& slice, const Pointer* target) const;
  ArrayNodePtr slice(const ArrayNode& node, const Slice& slice) const;
  Pointer slice(const Pointer& pointer, const Slice& slice) const;
  std::shared_ptr<arrays::ProductTerm> slice(const arrays::ProductTerm& term, const Slice& slice) const;
  Pointer here(const Pointer& pointer, std::uint32_t device) const;  // the copy that the device has
  std::vector<DeviceOrder::Work> work_on(const ArrayNode& node, const Pointer* target) const;
  void sort(const Pointer& x, const Array& array, const Pointer& target, cell::Span span);
  struct Reduction;  // in parts, ready to be launched
  bool is_ready(Reduction& known, const ReduceRequest& request) const;
  Reduction* known(const ReduceRequest& request);
  std::unique_ptr<Reduction> make(const ReduceRequest& request);
  void prepare(Reduction& reduction, std::uint32_t device);
  void keep(std::unique_ptr<Reduction> made, const ReduceRequest& request);
  void read_states(std::span<const device::Address> states, std::span<std::byte> bytes);  // by device

  std::vector<std::unique_ptr<Reduction>> reductions_;  // those made last first
};

}  // namespace xcuda::interpreter
