// A call of a function that is put together from others: views, array expressions, reductions, sorts. Its evaluators
// are in this folder, a table for each idea; its arguments are found by the names of the parameters in its row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/composed/composition_nodes.hpp"
#include "interpreter/composed/given_arguments.hpp"
#include "interpreter/composed/random_arguments.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"

namespace xcuda::interpreter {

using language::Operation;

using ResultList = std::vector<Value>;  // as many as are wanted, or all there are

class Composition : public Part {
 public:
  Composition(Frame& frame, const FunctionCall& of);

  GivenArguments given;
  CompositionNodes nodes;

  const FunctionCall& call() const { return of_; }
  Operation operation() const { return of_.row().operation; }
  std::size_t wanted() const { return of_.results; }
  std::string text() const;                            // of the call, as the cell has it
  std::string text(std::string_view parameter) const;  // of an argument
  std::string text(cell::Span span) const;
  ArrayMath& arrays() const { return frame_.arrays; }
  Session& session() const { return session_; }
  RandomArguments random_arguments() const { return {frame_, of_}; }

  Value value_given(std::string_view parameter) { return Part::evaluate(given.expression(parameter)); }
  language::ScalarValue number_of(const Value& value, std::string_view parameter) {
    return Part::number(value, given.expression(parameter).span, parameter);
  }
  Pointer view_of(const Value& value, const cell::Expression& expression);  // Error(type): not an array
  Pointer evaluate(const ArrayNodePtr& node) { return arrays().evaluate(node); }
  Pointer contiguous(const Pointer& pointer) { return arrays().contiguous(pointer); }
  Pointer row_of(const Pointer& x);                    // its elements in one dimension, contiguous
  Pointer make(const Type& type, const Shape& shape);  // of unknown contents
  Pointer filled(const Type& type, const Shape& shape, const language::ScalarValue& value);
  void store(const ArrayNodePtr& node, const Pointer& target) { arrays().store(node, target); }
  Pointer reduce(const ArrayNodePtr& node, std::string_view reducer, std::optional<std::size_t> axis = {},
                 ReduceRequest::Keep keep = ReduceRequest::Keep::no);
  language::ScalarValue reduced(const ArrayNodePtr& node, std::string_view reducer);  // over everything
  Value reduced(const ArrayNodePtr& node, std::string_view reducer, std::optional<std::size_t> axis,
                ReduceRequest::Keep keep = ReduceRequest::Keep::no);
  Value first_result();  // of a function that also has an evaluator of its own
  Value number_or_array(Pointer pointer);

 private:
  FunctionCall of_;
};

ResultList only(Value value);  // of a function with one result
// Running sums along an axis; without an axis of a row. Integers are added in 64 bits.
ArrayNodePtr running_sums(Composition& of, const Pointer& x, std::optional<std::size_t> axis);

enum class Side : std::uint8_t { left, right };  // of equal elements, where a value is searched for

struct ComposedFunction {
  Operation operation;
  ResultList (*evaluate)(Composition&);
};
std::span<const ComposedFunction> composed_shapes();
std::span<const ComposedFunction> composed_put_together();
std::span<const ComposedFunction> composed_new_arrays();
std::span<const ComposedFunction> composed_series();
std::span<const ComposedFunction> composed_samples();
std::span<const ComposedFunction> composed_bins();
std::span<const ComposedFunction> composed_distinct();
std::span<const ComposedFunction> composed_random();
std::span<const ComposedFunction> composed_transforms();
std::span<const ComposedFunction> composed_convolutions();
std::span<const ComposedFunction> composed_solvers();
std::span<const ComposedFunction> composed_norms();
std::span<const ComposedFunction> composed_sparse();
std::span<const ComposedFunction> composed_krylov();
ResultList evaluate_composed(Frame& frame, const FunctionCall& of);
bool has_evaluator(Operation operation);  // whether there is an evaluator

Pointer needs_matrix(Composition& of);  // x, which has at least two dimensions
// The array, if its numbers have an order. Error(type)
Pointer ordered(Composition& of, std::string_view parameter, Pointer x);
Pointer ordered(Composition& of, std::string_view parameter);
// x[index] of rows, where the indices are known to be inside.
Pointer picked(Composition& of, const Pointer& row, const Pointer& index);
Pointer in_a_row(Composition& of, const Pointer& x);  // all of its elements

// --- views -----------------------------------------------------------------------------------------------------------

// Each view shows elements of x, and does not count as a whole array.
Pointer piece_of(Pointer x, std::size_t axis, std::uint64_t first, std::uint64_t count);
Pointer flipped(Pointer x, std::size_t axis);
Pointer permuted(const Pointer& x, std::span<const std::size_t> order);  // dimension d is order[d] of x
Pointer moved(const Pointer& x, std::size_t from, std::size_t to);
Pointer broadcast_to(const Pointer& x, const Shape& shape);  // which x fits
Pointer with_axis(Pointer x, std::size_t axis);              // of extent 1
Pointer without_axis(Pointer x, std::size_t axis);
Pointer along_axis(Pointer row, std::size_t axis, std::size_t rank);  // its elements along one of so many axes
Pointer diagonal_of(const Pointer& x, std::int64_t offset);           // of the first two dimensions; last of the result

}  // namespace xcuda::interpreter
