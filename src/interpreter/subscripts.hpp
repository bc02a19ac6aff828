// Subscripts: numbers, slices, `...`, new axes, arrays of indices, and conditions.
#pragma once

#include <optional>

#include "arrays/selection.hpp"
#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class Subscripts : public Part {
 public:
  explicit Subscripts(Frame& frame) : Part(frame) {}

  void open_library_array(Pointer& place);  // a std::array as its elements
  Selection of(const cell::Index& index);   // Errors: type, value
  struct Placed {
    const Pointer& pointer;
    cell::Span span;  // where the cell has it
  };
  Pointer along(const Placed& x, std::size_t axis, const Placed& index);  // x[index] along an axis
  Pointer elements(const Selection& selection, cell::Span span);          // a copy, unless it is a view
  // x[idx] = value, x[idx] += value
  void assign(const Selection& selection, std::optional<cell::BinaryOperator> op, const Value& value,
              const cell::Expression& expression);
  // x.shape[0], which needs no device; nothing for anything else.
  std::optional<language::ScalarValue> of_shape(const cell::Index& index);
  // Whether a subscript is a negative constant. In native code it would be outside.
  bool counts_from_end(const cell::Expression& expression);

  // Error(value) if an element of the indices is outside of `of`, whose extent there is `extent`.
  void check_inside(const Pointer& index, std::uint64_t extent, cell::Span of, cell::Span span);

 private:
  struct Walk;  // over the subscripts of one index expression
  void number(Walk& walk, const cell::Expression& expression, const language::ScalarValue& value);
  void slice(Walk& walk, const cell::Subscript& subscript);
  void choose(Walk& walk, const cell::Expression& expression, const Value& value);
  void choose_where(Walk& walk, const ArrayNodePtr& condition, cell::Span span);
  void choose_at(Walk& walk, const Pointer& index, cell::Span span);
  void put_together(Walk& walk, cell::Span span);
  // The index counted from the front; nothing where it is out of bounds.
  std::optional<std::uint64_t> place(const Walk& walk, const cell::Expression& expression,
                                     const language::ScalarValue& value, std::uint64_t limit);
  std::uint64_t position(const Walk& walk, const cell::Expression& expression, const language::ScalarValue& value,
                         std::uint64_t limit);
  language::ScalarValue integer(const cell::Expression& expression, std::string_view what);
  bool is_constant(const cell::Expression& expression);
  bool counts_from_end(const cell::List& list);
  ArrayNodePtr from_start(const ArrayNodePtr& index, const Walk& walk, cell::Span span);
};

}  // namespace xcuda::interpreter
