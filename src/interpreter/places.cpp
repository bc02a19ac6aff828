#include "interpreter/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

Value Places::element(const Pointer& pointer) {
  std::vector<std::byte> bytes(pointer.type.size);
  session_.submission().read(pointer.address, bytes);
  if (pointer.type.lanes > 1 || pointer.type.scalar == Scalar::none) return Object{pointer.type, std::move(bytes)};
  return cell::Value::load(pointer.type, bytes);
}

// One subscript. An array in its place is NumPy's way to choose elements.
cell::Value Places::subscript_number(const cell::Expression& expression, const cell::Expression& base) {
  if (const auto value = frame_.scalars.by_program(expression)) return *value;
  const auto value = evaluate(expression);
  if (!is_array(value)) return number(value, expression.span, "a subscript");
  throw language::array_as_subscript(frame_.text, base, expression);
}

Pointer Places::subscript(const cell::Index& index) {
  auto base = of(*index.base);
  base.strides = strides_of(base);
  const auto end = base.address + base.bytes;
  std::size_t dimension = 0;
  for (const auto& subscript : index.subscripts) take(subscript, index, base, dimension);
  base.whole = false;
  base.bytes = end - base.address;
  if (is_contiguous(base)) base.strides.clear();
  return base;
}

void Places::take(const cell::Subscript& subscript, const cell::Index& index, Pointer& base, std::size_t& dimension) {
  const auto* word = subscript.slice ? nullptr : std::get_if<cell::Name>(&subscript.start->node);
  if (word != nullptr && (word->text == "None" || word->text == "newaxis"))
    throw language::new_axis(frame_.text, *word, index, subscript.span);
  if (dimension >= base.shape.size()) throw language::no_more_dimensions(frame_.text, *index.base, subscript.span);
  const auto extent = base.shape[dimension];
  const auto position = [&](const cell::Expression& expression, std::uint64_t limit) {
    const auto value = subscript_number(expression, *index.base);
    if (!value.type().is_integer()) throw language::subscript_not_integer(frame_.text, value.type(), expression.span);
    if (value.is_negative() || value.as_unsigned() > limit)
      throw language::out_of_bounds(frame_.text, value, base.owner.empty() ? "the array" : base.owner, extent,
                                    expression.span);
    return value.as_unsigned();
  };
  const auto advance = [&](std::uint64_t at) {
    base.address += static_cast<device::Address>(static_cast<std::int64_t>(at) * base.strides[dimension] *
                                                 static_cast<std::int64_t>(base.type.size));
  };
  const auto here = static_cast<std::ptrdiff_t>(dimension);
  if (!subscript.slice) {
    advance(position(*subscript.start, extent - 1));
    base.shape.erase(base.shape.begin() + here);
    base.strides.erase(base.strides.begin() + here);
  } else {
    const auto start = subscript.start != nullptr ? position(*subscript.start, extent) : 0;
    const auto stop = subscript.stop != nullptr ? position(*subscript.stop, extent) : extent;
    std::uint64_t step = 1;
    if (subscript.step != nullptr) {
      const auto value = number(*subscript.step, "a step");
      if (!value.type().is_integer() || value.is_negative() || value.as_unsigned() == 0)
        throw error(ErrorKind::value,
                    fmt::format("the step of a slice is {}: it must be an integer of at least 1", value.text()),
                    subscript.step->span)
            .advise("Use reverse(x) for the opposite order.");
      step = std::min(value.as_unsigned(), std::max<std::uint64_t>(extent, 1));
    }
    if (stop <= start)
      throw error(ErrorKind::value, fmt::format("the slice {}:{} is empty", start, stop), subscript.span);
    advance(start);
    base.shape[dimension] = (stop - start + step - 1) / step;
    base.strides[dimension] *= static_cast<std::int64_t>(step);
    ++dimension;
  }
}

Pointer Places::of(const cell::Expression& expression) {
  if (const auto* index = std::get_if<cell::Index>(&expression.node)) return subscript(*index);
  if (const auto* member = std::get_if<cell::Member>(&expression.node))
    return frame_.members.place(*member, expression.span);
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node);
      unary != nullptr && unary->op == cell::UnaryOperator::pointee) {
    auto pointee = of(*unary->operand);
    pointee.shape.clear();
    return pointee;
  }
  const auto* named = std::get_if<cell::Name>(&expression.node);
  const auto value = named != nullptr ? frame_.lookup.value(*named, expression.span) : evaluate(expression);
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) return frame_.arrays.evaluate(computed->node);
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr) throw language::no_elements(frame_.text, form_of(value), expression.span);
  return *pointer;
}

}  // namespace xcuda::interpreter
