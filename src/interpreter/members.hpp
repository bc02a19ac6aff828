// Members of structs, of vectors and of dim3s, on the host and on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/array_node.hpp"
#include "base/type.hpp"
#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

// A part of a struct that the host holds.
struct HostPart {
  Type type;
  std::vector<std::uint64_t> shape;
  std::span<std::byte> bytes;
};

class Members : public Part {
 public:
  explicit Members(Frame& frame) : Part(frame) {}

  Value value(const cell::Member& member, const cell::Expression& expression);
  // x.shape, x.size, x.ndim and x.T of an array; nothing where the member is another, or x is not an array.
  std::optional<Value> attribute(const cell::Member& member);
  std::optional<Value> of_sparse(const cell::Member& member, cell::Span span);
  std::optional<Shape> shape_of(const cell::Expression& expression);  // of an expression x.shape
  bool is_array_value(const cell::Expression& expression);            // evaluates it, unless it is a name
  Pointer place(const cell::Member& member, cell::Span span);  // on the device: p[3].x, and p->x of the first element

  // The struct of the host that a.b[1].c begins with; null when it begins with something else,
  // or leaves it through a pointer.
  Variable* host_struct(const cell::Expression& expression);
  HostPart host_part(Object& object, const cell::Expression& expression);  // of a struct of the host
  std::optional<Value> host_value(const cell::Expression& expression);     // of such a part; nothing otherwise

  // The parts that auto [a, b] = value; names: members in their order, elements or rows. Errors: type, value (there are
  // more or fewer than names).
  std::vector<Value> parts(const Value& value, std::size_t names, cell::Span span);
  std::vector<Pointer> parts_of_place(const Pointer& place, std::size_t names,
                                      cell::Span span);  // auto& [a, b] = place;
  std::uint32_t* dim_part(device::Dim3& dim, const cell::Member& member, cell::Span span);

 private:
  struct PartType {
    Type type;
    std::vector<std::uint64_t> shape;
  };
  bool leaves(const Object& object, const cell::Expression& expression);  // net.data[3], list.first->value
  // Of a part of a struct of the host; nothing where the expression leaves it.
  std::optional<PartType> part_type(const Object& object, const cell::Expression& expression);
  Pointer extents_as_array(const Shape& extents);  // what x.shape is
  HostPart elements_of(const HostPart& part, const cell::Index& index, cell::Span span);
  StructMember of(const Type& type, const cell::Member& member, cell::Span span);
  std::vector<StructMember> all(const Type& type, std::size_t names, cell::Span span);
};

}  // namespace xcuda::interpreter
