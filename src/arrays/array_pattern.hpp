// The form of an expression's tree apart from its operands: what was made ready for one tree serves every tree of the
// same pattern, whatever the addresses of its arrays and the values of its numbers are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrays/array_node.hpp"

namespace xcuda::arrays {

class ArrayPattern {
 public:
  static constexpr std::size_t kMost = 24;  // nodes

  // The nodes of a tree in preorder.
  class Nodes {
   public:
    std::size_t size() const { return size_; }
    const ArrayNode& operator[](std::size_t i) const { return *nodes_[i]; }
    std::size_t find(const ArrayNode* node) const;                         // where it is first; size(): nowhere
    void put(std::size_t i, const ArrayNode& node) { nodes_[i] = &node; }  // another operand of the same type

   private:
    friend class ArrayPattern;
    std::array<const ArrayNode*, kMost> nodes_{};
    std::size_t size_ = 0;
  };

  // Nothing for a large tree, and for one that a library computes in parts.
  static std::optional<ArrayPattern> of(const ArrayNode& node, Nodes& nodes);
  // Two trees that match have one kernel, with the same parameters. nodes: those of the tree, if it matches.
  bool matches(const ArrayNode& node, Nodes& nodes) const;

 private:
  struct Step {
    ArrayNode::Kind kind{};
    std::size_t inputs = 0;
    cell::UnaryOperator unary{};
    cell::BinaryOperator binary{};
    int dimension = 0;
    bool of_cells = false, read_only = false;
    std::string text;
    Shape shape;  // of the node
    // Of an operand.
    Type type;
    std::vector<std::int64_t> strides;
    device::Address misaligned = 0;  // its address modulo what a thread reads at once
    std::size_t first = 0;           // the first step with the same operand
  };
  static bool collect(const ArrayNode& node, Nodes& nodes);
  static std::size_t first_of(const Nodes& nodes, std::size_t at);
  static bool is_operand(ArrayNode::Kind kind) { return kind <= ArrayNode::Kind::scalar; }
  static bool fits(const Step& step, const ArrayNode& node);

  std::vector<Step> steps_;
};

// The largest piece that a thread reads or writes at once, in bytes.
inline constexpr device::Address kWidestAccess = 16;

}  // namespace xcuda::arrays
