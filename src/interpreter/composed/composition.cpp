#include "interpreter/composed/composition.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "interpreter/array_expressions.hpp"
#include "interpreter/calls.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

namespace {

const ComposedFunction* find_composed(Operation operation) {
  static const auto table = [] {
    std::unordered_map<Operation, const ComposedFunction*> operations;
    for (const auto functions :
         {composed_shapes(), composed_put_together(), composed_new_arrays(), composed_series(), composed_samples(),
          composed_bins(), composed_distinct(), composed_random(), composed_transforms(), composed_convolutions(),
          composed_solvers(), composed_norms(), composed_sparse(), composed_krylov()})
      for (const auto& one : functions) operations.emplace(one.operation, &one);
    return operations;
  }();
  const auto found = table.find(operation);
  return found == table.end() ? nullptr : found->second;
}

// Solvers look whether they have succeeded, sparse matrices how many elements there are.
constexpr bool reads_its_results(Operation operation) {
  return (operation >= Operation::solve && operation <= Operation::cond) ||
         (operation >= Operation::csr && operation <= Operation::save_npz);
}

}  // namespace

ResultList only(Value value) {
  ResultList list;
  list.push_back(std::move(value));
  return list;
}

bool has_evaluator(Operation operation) { return find_composed(operation) != nullptr; }

ResultList evaluate_composed(Frame& frame, const FunctionCall& of) {
  frame.call_arguments.bound(of);  // what is missing or unknown is an error
  const auto* function = find_composed(of.row().operation);
  if (function == nullptr) throw Error(ErrorKind::internal, fmt::format("{}() has no evaluator", of.row().name));
  Composition composition(frame, of);
  if (reads_its_results(of.row().operation) && composition.session().submission().capture() != nullptr)
    throw composition.given.not_in_graph();
  return function->evaluate(composition);
}

Composition::Composition(Frame& frame, const FunctionCall& of)
    : Part(frame), given(frame, of), nodes(frame, of), of_(of) {}

std::string Composition::text() const { return snippet(run_.source, of_.span); }
std::string Composition::text(cell::Span span) const { return snippet(run_.source, span); }
std::string Composition::text(std::string_view parameter) const {
  return snippet(run_.source, given.expression(parameter).span);
}

// --- results ---------------------------------------------------------------------------------------------------------

Pointer Composition::view_of(const Value& value, const cell::Expression& expression) {
  const auto node = frame_.array_expressions.node_if_array(value, expression);
  if (node == nullptr) throw language::array_expected(frame_.text, of_.row().name, expression.span);
  return node->kind == ArrayNode::Kind::array ? node->array : arrays().evaluate(node);
}

Pointer Composition::row_of(const Pointer& x) {
  auto row = contiguous(x);
  row.whole = false;
  row.shape = {count_of(x.shape)};
  row.strides.clear();
  return row;
}

Pointer Composition::make(const Type& type, const Shape& shape) { return arrays().temporary(type, shape); }

Pointer Composition::filled(const Type& type, const Shape& shape, const language::ScalarValue& value) {
  auto result = make(type, shape);
  store(scalar_node(value, of_.span), result);
  return result;
}

Pointer Composition::reduce(const ArrayNodePtr& node, std::string_view reducer, std::optional<std::size_t> axis,
                            ReduceRequest::Keep keep) {
  return arrays().reduce({node, reducer_text(reducer), axis, keep, {}, {}});
}

language::ScalarValue Composition::reduced(const ArrayNodePtr& node, std::string_view reducer) {
  return Part::number(frame_.array_expressions.reduced(node, reducer), of_.span, "a reduction");
}

Value Composition::reduced(const ArrayNodePtr& node, std::string_view reducer, std::optional<std::size_t> axis,
                           ReduceRequest::Keep keep) {
  return axis ? number_or_array(reduce(node, reducer, axis, keep)) : frame_.array_expressions.reduced(node, reducer);
}

Value Composition::first_result() {
  auto one = of_;
  one.results = 1;
  return frame_.calls.of_language(one);
}

Value Composition::number_or_array(Pointer pointer) {
  return frame_.array_expressions.number_or_elements(std::move(pointer));
}

}  // namespace xcuda::interpreter
