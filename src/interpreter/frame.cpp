#include "interpreter/frame.hpp"

#include "interpreter/expressions.hpp"
#include "interpreter/scalars.hpp"

namespace xcuda::interpreter {

Value Part::evaluate(const cell::Expression& expression) { return frame_.expressions.evaluate(expression); }

language::ScalarValue Part::number(const cell::Expression& expression, std::string_view what) {
  return frame_.scalars.number(expression, what);
}

language::ScalarValue Part::number(const Value& value, cell::Span span, std::string_view what) {
  return frame_.scalars.number(value, span, what);
}

}  // namespace xcuda::interpreter
