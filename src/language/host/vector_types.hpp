// std::vector in statements: what its functions are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cell/tree.hpp"
#include "language/form.hpp"

namespace xcuda::language {

enum class VectorOperation : std::uint8_t {
  size,
  capacity,
  empty,
  begin,  // and data()
  end,
  at,
  front,
  back,
  // Operations from here on change the vector.
  push_back,
  pop_back,
  resize,
  reserve,
  clear,
  assign,
  insert,  // one element
  erase,
  fit,  // shrink_to_fit()
};
constexpr bool changes(VectorOperation operation) { return operation >= VectorOperation::push_back; }

struct VectorMethod {
  std::string_view name;
  VectorOperation operation;
  std::size_t least = 0, most = 0;  // arguments
};
const VectorMethod* find_vector_method(std::string_view name);
std::string vector_methods();  // "size, empty, ..."
Form result_of(const VectorMethod& method, const Form& vector);

// Whether the method is at, front or back of a std::vector, a std::array or a text, so that the call is a place.
bool is_part_of_library(const Form& object, std::string_view method);

// v of the call v.data(); null for other expressions.
const cell::Expression* vector_of_iterator(const cell::Expression& expression);
// std::vector<float>(n), std::vector<int>{1, 2}: T; empty for other expressions.
std::string_view made_vector(const cell::Expression& expression);

}  // namespace xcuda::language
