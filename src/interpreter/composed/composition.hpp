// A call of a function that is put together from others: views, array expressions, reductions, sorts. Its evaluators
// are in this folder, a table for each idea; its arguments are found by the names of the parameters in its row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"

namespace xcuda::interpreter {

using language::Operation;

using ResultList = std::vector<Value>;  // as many as are wanted, or all there are

class Composition : public Part {
 public:
  Composition(Frame& frame, const FunctionCall& of);

  const FunctionCall& call() const { return of_; }
  Operation operation() const { return of_.row().operation; }
  std::size_t wanted() const { return of_.results; }
  ArrayMath& arrays() const { return frame_.arrays; }

  // --- arguments; errors: type, value
  const cell::Expression* find(std::string_view parameter) const;  // null: not given
  const cell::Expression& expression(std::string_view parameter) const;
  ArrayNodePtr array(std::string_view parameter);
  Pointer elements(std::string_view parameter) { return arrays().evaluate(array(parameter)); }
  Pointer view(std::string_view parameter);               // the array's own memory, where it has some
  std::vector<Pointer> list(std::string_view parameter);  // {a, b, c}
  ArrayNodePtr value(std::string_view parameter);         // an array or a number
  cell::Value number(std::string_view parameter);
  cell::Value number_of(const cell::Expression& expression, std::string_view what) {
    return Part::number(expression, what);
  }
  double real(std::string_view parameter, double otherwise);
  std::int64_t integer(std::string_view parameter, std::int64_t otherwise);
  bool truth(std::string_view parameter);  // false where it is not given
  // The number of an axis, counted from the end where it is negative.
  std::size_t axis(std::string_view parameter, std::size_t rank, std::int64_t otherwise);
  std::optional<std::size_t> axis_if_given(std::string_view parameter, std::size_t rank);
  // Of the arguments from this one on, up to another: numbers, a list, x.shape.
  Shape extents(std::size_t first, std::size_t last = SIZE_MAX);
  cell::Value extent(const cell::Expression& expression, std::string_view what);  // an integer of at least 0
  std::optional<Type> element_type() const;                                       // of zeros<float>(n)

  // --- nodes
  ArrayNodePtr node(const Pointer& pointer) const { return array_node(pointer, of_.span); }
  template <class Number> ArrayNodePtr constant(Number number) const {
    return scalar_node(cell::Value::of(number), of_.span);
  }
  ArrayNodePtr index(std::size_t dimension) const;     // of an element, for nodes of one shape
  ArrayNodePtr pointer(const Pointer& pointer) const;  // an argument of a function that looks where it wants
  ArrayNodePtr binary(cell::BinaryOperator op, ArrayNodePtr a, ArrayNodePtr b);
  ArrayNodePtr choose(ArrayNodePtr condition, ArrayNodePtr yes, ArrayNodePtr no);
  ArrayNodePtr cast(std::string_view type, ArrayNodePtr x);
  ArrayNodePtr apply(std::string_view function, std::vector<ArrayNodePtr> inputs);
  ArrayNodePtr apply(std::string_view function, std::vector<ArrayNodePtr> inputs, Shape shape);

  // x[indices] along an axis.
  Pointer taken(const Pointer& x, std::size_t axis, const Pointer& index);
  Session& session() const { return session_; }

  // --- results
  Pointer evaluate(const ArrayNodePtr& node) { return arrays().evaluate(node); }
  Pointer contiguous(const Pointer& pointer) { return arrays().contiguous(pointer); }
  Pointer row_of(const Pointer& x);                    // its elements in one dimension, contiguous
  Pointer make(const Type& type, const Shape& shape);  // of unknown contents
  Pointer filled(const Type& type, Shape shape, const cell::Value& value);
  void store(const ArrayNodePtr& node, const Pointer& target) { arrays().store(node, target); }
  Pointer reduce(const ArrayNodePtr& node, std::string_view reducer, std::optional<std::size_t> axis = {},
                 ReduceRequest::Keep keep = ReduceRequest::Keep::no);
  cell::Value reduced(const ArrayNodePtr& node, std::string_view reducer);  // over everything
  Value first_result();  // of a function that also has an evaluator of its own
  Value number_or_array(Pointer pointer);

  Error wrong(std::string message, std::string_view parameter = {}) const;  // Error(value)
  Error wrong_type(std::string message, std::string_view parameter) const;

 private:
  FunctionCall of_;
};

ResultList only(Value value);  // of a function with one result

enum class Side : std::uint8_t { left, right };  // of equal elements, where a value is searched for

struct ComposedFunction {
  Operation operation;
  ResultList (*evaluate)(Composition&);
};
std::span<const ComposedFunction> composed_shapes();
std::span<const ComposedFunction> composed_new_arrays();
std::span<const ComposedFunction> composed_series();
std::span<const ComposedFunction> composed_samples();
ResultList evaluate_composed(Frame& frame, const FunctionCall& of);
bool has_evaluator(Operation operation);  // whether there is an evaluator

// --- views -----------------------------------------------------------------------------------------------------------

// All of them see the elements of x, which is not a whole array then.
Pointer piece_of(Pointer x, std::size_t axis, std::uint64_t first, std::uint64_t count);
Pointer flipped(Pointer x, std::size_t axis);
Pointer permuted(const Pointer& x, std::span<const std::size_t> order);  // dimension d is order[d] of x
Pointer moved(const Pointer& x, std::size_t from, std::size_t to);
Pointer broadcast_to(const Pointer& x, const Shape& shape);  // which x fits
Pointer with_axis(Pointer x, std::size_t axis);              // of extent 1
Pointer without_axis(Pointer x, std::size_t axis);
Pointer diagonal_of(const Pointer& x, std::int64_t offset);  // of the first two dimensions; last of the result

}  // namespace xcuda::interpreter
