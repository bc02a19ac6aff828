// Runs array expressions: compiles the kernel, or finds the one of an earlier statement, and posts its launch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "session/array_node.hpp"
#include "session/array_source.hpp"
#include "session/session.hpp"

namespace xcuda::session {

// Errors of all: type (C++ has no such operation for these elements, at its place), memory, interrupted.
class ArrayMath {
 public:
  ArrayMath(Session& session, CellRun& run) : session_(session), run_(run) {}

  Pointer evaluate(const ArrayNodePtr& node);                           // into memory of its own
  Array evaluate(const ArrayNodePtr& node, Session::NewArray request);  // into a new array; its type may be left open
  // Elements of the target, as if the whole right side were computed first. The shape is broadcast to the target's:
  // Error(value) where it cannot be.
  void store(const ArrayNodePtr& node, const Pointer& target);
  // The contents in one piece: the pointer itself, or a copy.
  Pointer contiguous(const Pointer& pointer);

  // Compiles source with what cells define; throws at the part of the expression that does not compile.
  const OperationModule& compile(const ArraySource& source, const OperationSource& text);
  Type written_type(const Operation& operation, cell::Span span);  // what its first parameter points to
  void launch(const Operation& operation, const ArraySource& source, device::Address target, int per_thread = 1);

 private:
  struct Kernel {
    const Operation* operation = nullptr;
    int pack = 1;
  };
  Kernel kernel(ArraySource& source, const Type* type, device::Address target);  // type: null for the expression's own
  Pointer temporary(const Type& type, const Shape& shape);
  bool overlaps(const ArrayNode& node, const Pointer& target) const;

  Session& session_;
  CellRun& run_;
};

Pointer pointer_to(const Array& array);

// Nodes.
ArrayNodePtr array_node(const Pointer& pointer, cell::Span span);
ArrayNodePtr scalar_node(const cell::Value& value, cell::Span span);
ArrayNodePtr apply_node(ArrayNode::Kind kind, std::string text, std::vector<ArrayNodePtr> inputs, Shape shape,
                        cell::Span span);

}  // namespace xcuda::session
