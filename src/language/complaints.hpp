// Errors that are reported before a cell runs where they can be known by then, otherwise when they occur.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "cell/container_types.hpp"
#include "cell/lexer.hpp"
#include "cell/tree.hpp"
#include "language/environment.hpp"
#include "language/form.hpp"
#include "language/iterators.hpp"

namespace xcuda::language {

Error complaint(const cell::Source& source, ErrorKind kind, std::string message, cell::Span span);

// what: "the left operand".
Error number_expected(const cell::Source& source, const Form& given, cell::Span span, std::string_view what);
Error array_expected(const cell::Source& source, std::string_view function, cell::Span argument);
Error sparse_matrix_given(const cell::Source& source, std::string_view function,
                          cell::Span argument);  // instead of one
// declared: names of the cell, which are suggested beside those of the environment.
Error unknown_name(const cell::Source& source, const std::string& name, cell::Span span, Environment& environment,
                   const std::vector<std::string>& declared);
Error unknown_function(const cell::Source& source, const cell::Call& call, cell::Span span, Environment& environment);
Error array_called(const cell::Source& source, const cell::Call& call, const Form& array);  // m(0, 1), as in Eigen
Error takes_iterators(const cell::Source& source, const cell::Call& call, const IteratorRange& range, cell::Span span);
// kernel<<4, 256>>(x)
Error launch_as_shifts(const cell::Source& source, std::string_view kernel, cell::Span span);
// `base`: of x in x.foo().
Error not_a_function(const cell::Source& source, const cell::Call& call, cell::Span span, Environment& environment,
                     const Form& base = {});
Error is_initial_value_only(const cell::Source& source, std::string_view function, cell::Span span);
Error cover_outside_launch(const cell::Source& source, cell::Span span);
Error is_constant(const cell::Source& source, std::string_view name, cell::Span span);  // the name is const
Error cannot_be_assigned(const cell::Source& source, cell::Span span);
Error wrong_type(const cell::Source& source, cell::Span value);
Error step_of_array(const cell::Source& source, const cell::Unary& unary, cell::Span span);
Error address_does_not_fit(const cell::Source& source, const cell::Cast& cast, cell::Span span);
Error not_an_array(const cell::Source& source, cell::Span operand, cell::Span span);
Error unknown_sparse_member(const cell::Source& source, const cell::Member& member, cell::Span span);
Error members_of_array(const cell::Source& source, const cell::Member& member, const Type& elements);
// Operands that are arrays, each with its shape.
struct Shaped {
  cell::Span span;
  Extents extents;
};
Error shapes_differ(const cell::Source& source, std::span<const Shaped> operands, cell::Span span);
Error value_does_not_fit(const cell::Source& source, const Shaped& value, std::string_view target,
                         const Extents& shape);
Error value_does_not_fit(const cell::Source& source, const Shaped& value, const cell::Declarator& declared,
                         const Extents& shape);
Error no_more_dimensions(const cell::Source& source, cell::Span base, cell::Span subscript);
Error subscript_not_integer(const cell::Source& source, const Type& type, cell::Span span);
Error out_of_bounds(const cell::Source& source, const ScalarValue& index, std::string_view array, std::uint64_t extent,
                    cell::Span subscript);
// A computed index does not count from the end.
Error computed_out_of_bounds(const cell::Source& source, const ScalarValue& index, std::string_view array,
                             std::uint64_t extent, cell::Span subscript);
// A bound of a slice: slices are not clipped.
Error slice_out_of_bounds(const cell::Source& source, const cell::Subscript& slice, const cell::Expression& bound,
                          const ScalarValue& value, std::string_view array, std::uint64_t extent);
// of: what gives them.
Error too_few_results(const cell::Source& source, cell::Span of, std::size_t results, std::size_t names);
Error no_elements(const cell::Source& source, const Form& given, cell::Span span);
Error kNoBlock(const cell::Source& source, const std::string& kernel, cell::Span configuration);
Error list_without_type(const cell::Source& source, cell::Span span);
Error lambda_on_host(const cell::Source& source, cell::Span span);
Error not_a_kernel(const cell::Source& source, const Form& given, cell::Span span);
Error launch_as_value(const cell::Source& source, cell::Span span);
Error power_of_stars(const cell::Source& source, const cell::Unary& unary, cell::Span span);
Error gives_no_value(const cell::Source& source, cell::Span init, std::string_view name);
Error unknown_dim3_member(const cell::Source& source, const cell::Member& member, cell::Span span);
Error extent_not_integer(const cell::Source& source, std::string_view of, const Type& type, cell::Span span);
Error extent_in_braces(const cell::Source& source, std::string_view of, const Type& type, cell::Span span);
Error dimension_not_integer(const cell::Source& source, std::string_view of, const Type& type, cell::Span span);
Error dimension_expected(const cell::Source& source, std::string_view what, cell::Span span);
Error initial_value_without_extent(const cell::Source& source, const cell::Declarator& declarator, cell::Span init);
Error swap_takes_names(const cell::Source& source, cell::Span span);
Error missing_extent(const cell::Source& source, const cell::Declarator& declarator);
Error event_expected(const cell::Source& source, cell::Span span);
Error assertion_assigns(const cell::Source& source, cell::Span target, cell::Span value);
Error pointer_expected(const cell::Source& source, const Form& given, cell::Span span);
Error wrong_pointee(const cell::Source& source, const Type& given, const Type& wanted, cell::Span span);
// float (&x)[8] = y; float (*m)[8] = y;
Error not_the_array(const cell::Source& source, const cell::Declaration& declaration,
                    const cell::Declarator& declarator, cell::Span span);
Error not_of_pointers(const cell::Source& source, std::string_view op, cell::Span pointer, cell::Span span);
std::size_t required_arguments(const cell::HostFunction& function);  // the number of parameters without a default
bool takes_arguments(const cell::HostFunction& function, std::size_t count);
Error wrong_number_of_parts(const cell::Source& source, cell::Span of, std::uint64_t parts, std::size_t names);
Error cannot_call(const cell::Source& source, const cell::HostFunction& function, cell::Span span);
Error wrong_count(const cell::Source& source, const cell::HostFunction& function, std::size_t given, cell::Span span);
bool can_be_streamed(const Form& form);  // std::cout << x
Error not_streamed(const cell::Source& source, const Form& given, cell::Span span);
Error unknown_stream_member(const cell::Source& source, const cell::Member& member, cell::Span callee);
Error unknown_text_method(const cell::Source& source, const cell::Member& member, cell::Span callee);
bool can_be_in_vector(std::string_view element);  // T of std::vector<T>
Error no_vectors_of(const cell::Source& source, std::string_view element, cell::Span span);
Error unknown_container_method(const cell::Source& source, const cell::ContainerType& type, const cell::Member& member,
                               const cell::Call& call);
Error unknown_vector_method(const cell::Source& source, const cell::Member& member, cell::Span callee);
Error not_iterable(const cell::Source& source, const Form& given, cell::Span span);
Error second_default(const cell::Source& source, cell::Span label);
Error second_case(const cell::Source& source, cell::Span value);
Error return_statement(const cell::Source& source, cell::Span span);
// A declaration that statements have no meaning for: static, a pointer, an array of streams.
Error declared_static(const cell::Source& source, cell::Span span);
Error reference_without_place(const cell::Source& source, const cell::Declarator& declarator);
Error declared_pointer(const cell::Source& source, const cell::Declaration& declaration,
                       const cell::Declarator& declarator);
Error array_without_type(const cell::Source& source, const cell::Declaration& declaration,
                         const cell::Declarator& declarator);
Error no_arrays_of(const cell::Source& source, const cell::Declaration& declaration);
Error array_with_constructor(const cell::Source& source, const cell::Declarator& declarator);
Error auto_without_value(const cell::Source& source, const cell::Declarator& declarator);

}  // namespace xcuda::language
