// What all devices do together with the copies and the parts of arrays. Each device does its share: reads go over the
// links between the devices, by plain pointers, or, where devices share no memory, by copies that arrive before.
#pragma once

#include <cstdint>

#include "arrays/array_node.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "session/array_table.hpp"

namespace xcuda::interpreter {

class Collectives : public Part {
 public:
  explicit Collectives(Frame& frame) : Part(frame) {}

  void all_reduce(const Array& x, const language::Bound& given, const FunctionCall& of);
  void reduce_scatter(const Array& to, const Array& from, const language::Bound& given, const FunctionCall& of);
  void all_gather(const Array& to, const Array& from, const FunctionCall& of);
  void all_to_all(const Array& to, const Array& from, const FunctionCall& of);
  void broadcast(const Array& x, std::uint32_t root, const FunctionCall& of);

 private:
  // Where devices share no memory, each is brought what it adds. The shares are of elements, one for each device.
  struct Share {
    std::uint64_t first = 0, last = 0;
  };
  void combine_apart(const Array& from, std::string_view op, const std::vector<Share>& shares,
                     const std::vector<Pointer>& targets, cell::Span span);
  void broadcast_apart(const Array& x, std::uint32_t root);
  ArrayNodePtr combined(const std::vector<Pointer>& copies, std::string_view op, cell::Span span);
  std::string operation_of(const cell::Expression* expression);
  void require(const Array& x, Spread::Kind kind, const FunctionCall& of);
  void require_alike(const Array& to, const Array& from, const FunctionCall& of);
  DeviceOrder::Range all_of(device::Address address, DeviceOrder::Range::Access access) const;
};

}  // namespace xcuda::interpreter
