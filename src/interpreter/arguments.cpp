#include "interpreter/arguments.hpp"

namespace xcuda::interpreter {

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::ExpressionPtr>& expressions) {
  std::vector<const cell::Expression*> pointers;
  pointers.reserve(expressions.size());
  for (const auto& one : expressions) pointers.push_back(one.get());
  return pointers;
}

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::Argument>& arguments) {
  std::vector<const cell::Expression*> pointers;
  pointers.reserve(arguments.size());
  for (const auto& one : arguments) pointers.push_back(one.value.get());
  return pointers;
}

}  // namespace xcuda::interpreter
