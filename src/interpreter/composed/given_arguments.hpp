// The arguments of a call, found by the names of the parameters in the function's row.
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

// Errors: type, value.
class GivenArguments : public Part {
 public:
  GivenArguments(Frame& frame, const FunctionCall& of) : Part(frame), of_(of) {}

  const cell::Expression* find(std::string_view parameter) const;  // null: not given
  const cell::Expression& expression(std::string_view parameter) const;
  ArrayNodePtr array(std::string_view parameter);
  Pointer elements(std::string_view parameter) { return frame_.arrays.evaluate(array(parameter)); }
  Pointer view(std::string_view parameter);               // the array's own memory, where it has some
  std::vector<Pointer> list(std::string_view parameter);  // {a, b, c}
  ArrayNodePtr value(std::string_view parameter);         // an array or a number
  Pointer values(std::string_view parameter);             // an array or a number, which has no extents
  language::ScalarValue number(std::string_view parameter);
  language::ScalarValue number_of(const cell::Expression& expression, std::string_view what) {
    return Part::number(expression, what);
  }
  double real(std::string_view parameter, double otherwise);
  std::string text(std::string_view parameter, std::string otherwise);  // of a string literal
  std::string choice(std::string_view parameter);  // one of the words that the row lists; the first is the default
  std::int64_t integer(std::string_view parameter, std::int64_t otherwise);
  bool truth(std::string_view parameter);  // false where it is not given
  // The number of an axis, counted from the end where it is negative.
  std::size_t axis(std::string_view parameter, std::size_t rank, std::int64_t otherwise);
  std::optional<std::size_t> axis_if_given(std::string_view parameter, std::size_t rank);
  // The numbers of a list, or a number by itself; nothing where the parameter is not given.
  std::optional<std::vector<std::int64_t>> integers(std::string_view parameter);
  // The numbers of axes in a list, each once.
  std::vector<std::size_t> axes(std::string_view parameter, std::size_t rank, std::vector<std::int64_t> otherwise);
  // The extents in the arguments from `first` up to `last`: numbers, a list, x.shape.
  Shape extents(std::size_t first, std::size_t last = SIZE_MAX);
  language::ScalarValue extent(const cell::Expression& expression, std::string_view what);  // an integer of at least 0
  std::optional<Type> element_type() const;                                                 // of zeros<float>(n)

  Error wrong(std::string message, std::string_view parameter = {}) const;  // Error(value)
  Error not_in_graph() const;                                               // Error(unsupported)
  Error wrong_type(std::string message, std::string_view parameter) const;

 private:
  std::vector<std::int64_t> integers_of(const cell::Expression& given, std::string_view what);
  std::vector<std::size_t> axes(std::span<const std::int64_t> numbers, std::size_t rank, std::string_view parameter);

  friend std::vector<Pointer> views_of_all(GivenArguments& given);
  friend std::vector<std::size_t> axes_from(GivenArguments& given, std::size_t first, std::size_t rank);
  const FunctionCall& of_;
};

std::vector<Pointer> views_of_all(GivenArguments& given);  // of all arguments
// The numbers of axes in the arguments from `first` on, by themselves or in a list, each once.
std::vector<std::size_t> axes_from(GivenArguments& given, std::size_t first, std::size_t rank);

}  // namespace xcuda::interpreter
