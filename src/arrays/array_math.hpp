// Runs array expressions: compiles the kernel, or finds the one of an earlier statement, and posts its launch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "arrays/array_node.hpp"
#include "arrays/array_plans.hpp"
#include "arrays/array_source.hpp"
#include "arrays/array_text.hpp"
#include "arrays/operations.hpp"
#include "arrays/reduce_request.hpp"
#include "arrays/selection.hpp"
#include "cell/lexer.hpp"

namespace xcuda::arrays {

struct ScanRequest {
  ArrayNodePtr node;
  enum class Kind : std::uint8_t { inclusive, exclusive } kind = Kind::inclusive;
  std::string state, result;        // types
  std::string function;             // text that defines xcuda_Function, which says whether it commutes
  std::string names;                // cells' names that it uses
  ArrayNodePtr init;                // a number, in front of all elements; null: none
  std::optional<std::size_t> axis;  // nothing: of the only one
};

// x[idx] = v, x[idx] += v: the chosen elements take the values in order, as in a loop over them.
struct ScatterRequest {
  Selection selection;
  std::optional<cell::BinaryOperator> op;  // of +=; nothing: the last value stays
  ArrayNodePtr value;
};

// A launch with places for other operands: those of the nodes.
PlannedLaunch planned_launch(const Operation& operation, const OperationLaunch& launch,
                             const OperationArguments& arguments, const std::vector<ArraySource::Placed>& placed,
                             const ArrayPattern::Nodes& nodes);
// Where the room after elements of so many bytes begins: a multiple of what any type is aligned to.
std::uint64_t room_after(std::uint64_t bytes);
device::Address room_of(const Pointer& temporary);            // of ArrayMath::temporary()
std::string commuting_function(std::string_view expression);  // of a and b, which have one type: for ScanRequest

// Errors of all functions: type (C++ has no such operation for these elements, at its place), memory, interrupted.
class ArrayMath {
 public:
  // source: of the cell's text, for errors.
  ArrayMath(Operations& operations, const cell::Source& source)
      : operations_(operations), workspace_(operations.workspace()), source_(source) {}

  Pointer evaluate(const ArrayNodePtr& node);  // into memory of its own
  // Evaluates into memory that the caller provides for the elements: at(type) is its address.
  void evaluate(const ArrayNodePtr& node, const std::function<device::Address(const Type&)>& at);
  // Evaluates for the effects of its functions: their values are dropped, and they may write by their pointers.
  void perform(const ArrayNodePtr& node);
  // Stores to the target's elements, as if the whole right side were computed first. The shape is broadcast to the
  // target's: Error(value) where it cannot be.
  void store(const ArrayNodePtr& node, const Pointer& target);
  // The contents in one piece: the pointer itself, or a copy.
  Pointer contiguous(const Pointer& pointer);
  // Memory of unknown contents. room: bytes that a kernel needs for itself; they begin at room_of(result).
  Pointer temporary(const Type& type, const Shape& shape, std::uint64_t room = 0);

  Pointer reduce(const ReduceRequest& request);  // shape empty: one element
  // What may be launched now.
  struct Prepared {
    ArrayNodePtr node;  // without products
    ArrayPattern::Nodes nodes;
    SharedPlan plan;
  };
  // A reduction over everything that leaves what its reducer keeps of the elements, in two steps: what computes the
  // products in it and compiles, and the launch on the current device, which returns where the state will be.
  Prepared prepare_state(const ReduceRequest& request);
  device::Address reduce(const Prepared& prepared);

  Pointer scan(const ScanRequest& request);
  // A scan of one dimension, computed where its elements are wanted (deferred.hpp).
  ArrayNodePtr scan_node(const ScanRequest& request);
  Pointer running_sum(const ArrayNodePtr& node, ScanRequest::Kind kind, std::string result);
  // The medians of lines of `extent` numbers, one after the other; the result has the shape.
  Pointer median(const Pointer& x, std::uint64_t extent, const Shape& shape);
  // Sorts numbers of one lane, in memory without gaps.
  enum class SortKeep : std::uint8_t { values, order };
  struct Sorted {
    Pointer values, order;
  };  // the one that was asked for
  Sorted sort(const Pointer& x, SortKeep keep, const Pointer* target = nullptr);
  ArrayNodePtr sort_node(const Pointer& x, SortKeep keep, cell::Span span);  // likewise
  Pointer unique(const Pointer& x, cell::Span span);
  Pointer histogram(const ArrayNodePtr& node, std::uint32_t bins, double low, double high);
  // The indices, row by row, of the elements that are not zero. Synchronises.
  Pointer positions(const ArrayNodePtr& condition);
  Pointer gather(const Selection& selection, cell::Span span);
  void scatter(const ScatterRequest& request);  // Error(value): the value's shape is not the selection's
  // Moves each element `shift` places on, around the end: all elements in a row, or along an axis.
  Pointer roll(const Pointer& x, std::uint64_t shift, std::optional<std::size_t> axis);

 private:
  friend class Products;
  // The node with arrays in the place of products (products.hpp).
  ArrayNodePtr without_products(const ArrayNodePtr& node);
  void store_between(const ArrayNodePtr& node, const Pointer& target);  // where no kernel may write
  Pointer scan_lines(const ScanRequest& request);
  // Compiles the source and the kernel that `write` puts after it, with what cells define; throws at the part of the
  // expression that does not compile. key: what the kernel's own text depends on, beside the source.
  const OperationModule& compile(const ArraySource& source, std::string_view key,
                                 const std::function<std::string(const ArrayText&)>& write);
  Type written_type(const Operation& operation, cell::Span span);  // what its first parameter points to
  struct Kernel {
    const Operation* operation = nullptr;
    int pack = 1;
  };
  // The launch of a kernel for the elements of a source. target: null for the effects of functions.
  PlannedLaunch planned(const Kernel& kernel, const ArraySource& source, const device::Address* target,
                        const ArrayPattern::Nodes& nodes);
  void launch(const Kernel& kernel, const ArraySource& source, const device::Address* target);
  // A plan made for the tree, or for one like it. reduction: null for the elements. target: null for other memory.
  Prepared prepare(ArrayNodePtr node, const ReduceRequest* reduction, const Pointer* target);
  ArrayPlan plan_reduction(const ReduceRequest& request, const ArrayNode& node, const ArrayPattern::Nodes& nodes);
  ArrayPlan plan_elements(const Pointer* target, const ArrayNode& node, const ArrayPattern::Nodes& nodes);
  void run(const Prepared& prepared, device::Address target, device::Address room = 0);
  Kernel kernel(ArraySource& source, const Type* type, device::Address target);  // type: null for the expression's own
  bool overlaps(const ArrayNode& node, const Pointer& target) const;

  Error error(ErrorKind kind, std::string message, cell::Span span) const;

  Operations& operations_;
  Workspace& workspace_;
  const cell::Source& source_;     // of what runs now
  device::LaunchRequest request_;  // whose memory is used again
};

// Nodes.
ArrayNodePtr array_node(const Pointer& pointer, cell::Span span);
ArrayNodePtr scalar_node(const language::ScalarValue& value, cell::Span span);
ArrayNodePtr apply_node(ArrayNode::Kind kind, std::string text, std::vector<ArrayNodePtr> inputs, Shape shape,
                        cell::Span span);
ArrayNodePtr apply_node(cell::UnaryOperator op, std::vector<ArrayNodePtr> inputs, Shape shape, cell::Span span);
ArrayNodePtr apply_node(cell::BinaryOperator op, std::vector<ArrayNodePtr> inputs, Shape shape, cell::Span span);

}  // namespace xcuda::arrays
