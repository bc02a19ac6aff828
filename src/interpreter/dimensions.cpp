#include "interpreter/dimensions.hpp"

#include <fmt/format.h>

#include <cmath>

#include "arrays/array_node.hpp"
#include "cell/type_word.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

std::uint32_t Dimensions::extent(const cell::Expression& expression, std::string_view what, Conversion conversion) {
  return extent(number(expression, what), expression, what, conversion);
}

std::uint32_t Dimensions::extent(const language::ScalarValue& value, const cell::Expression& expression,
                                 std::string_view what, Conversion conversion) const {
  if (!value.is_integer() && !(value.is_floating() && conversion == Conversion::implicit))
    throw conversion == Conversion::braces && value.is_floating()
        ? language::extent_in_braces(frame_.text, what, value.type(), expression.span)
        : language::dimension_not_integer(frame_.text, what, value.type(), expression.span);
  const bool is_number = value.is_integer() || !std::isnan(value.as_real());
  if (!is_number || value.is_negative() || value.as_unsigned() > UINT32_MAX)
    throw error(ErrorKind::value, fmt::format("an extent of {} is {}", what, value.text()), expression.span)
        .advise("It must be between 1 and 4294967295.");
  return static_cast<std::uint32_t>(value.as_unsigned());
}

device::Dim3 Dimensions::of(const std::vector<const cell::Expression*>& extents, std::string_view what,
                            Conversion conversion) {
  device::Dim3 dim;
  std::uint32_t* parts[] = {&dim.x, &dim.y, &dim.z};
  for (std::size_t i = 0; i < extents.size(); ++i) *parts[i] = extent(*extents[i], what, conversion);
  return dim;
}

device::Dim3 Dimensions::of(const cell::Expression& expression, std::string_view what) {
  const auto* list = std::get_if<cell::List>(&expression.node);
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node);
      cast != nullptr && cell::type_word(cast->type) == cell::TypeWord::dim3)
    if (const auto* braces = std::get_if<cell::List>(&cast->operand->node)) list = braces;
  if (list != nullptr) {
    if (list->elements.size() > 3)
      throw error(ErrorKind::value, fmt::format("{} has at most three extents", what), expression.span);
    return of(pointers_to(list->elements), what, Conversion::braces);
  }
  const auto value = evaluate(expression);
  if (const auto* whole = std::get_if<device::Dim3>(&value)) return *whole;
  const auto* number = std::get_if<language::ScalarValue>(&value);
  if (number == nullptr) throw language::dimension_expected(frame_.text, what, expression.span);
  return {extent(*number, expression, what, Conversion::implicit), 1, 1};
}

Error Dimensions::too_many(std::string_view of, std::size_t count, cell::Span span) const {
  return error(ErrorKind::value, fmt::format("{} has {} extents, but an array has at most {}", of, count, kMaxExtents),
               span)
      .advise("Combine indices into one: x[i * n + j].");
}

}  // namespace xcuda::interpreter
