#include "interpreter/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/members.hpp"
#include "interpreter/scalars.hpp"

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
  const auto x = snippet(run_.source, base.span), i = snippet(run_.source, expression.span);
  throw error(ErrorKind::unsupported, fmt::format("{} is an array, but a subscript must be a number or a slice", i),
              expression.span)
      .advise(std::holds_alternative<cell::Binary>(expression.node)
                  ? fmt::format("To change the elements where a condition holds: {0} = where({1}, 0, {0})", x, i)
                  : fmt::format("To take elements by index: map(size({1}), [](size_t k, const float* x, const int* i) "
                                "{{ return x[i[k]]; }}, {0}, {1})",
                                x, i));
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
    throw error(ErrorKind::unsupported, fmt::format("{} cannot add an extent", word->text), subscript.span)
        .advise(fmt::format("Use reshape({}, n, 1).", snippet(run_.source, index.base->span)));
  if (dimension >= base.shape.size())
    throw error(ErrorKind::type,
                fmt::format("{} has no more dimensions to subscript", snippet(run_.source, index.base->span)),
                subscript.span);
  const auto extent = base.shape[dimension];
  const auto position = [&](const cell::Expression& expression, std::uint64_t limit) {
    const auto value = subscript_number(expression, *index.base);
    if (!value.type().is_integer())
      throw error(ErrorKind::type, fmt::format("a subscript is {}, not an integer", value.type().name),
                  expression.span);
    if (value.is_negative() || value.as_unsigned() > limit)
      throw error(ErrorKind::value,
                  fmt::format("index {} is out of bounds: {} has {} element{} there", value.text(),
                              base.owner.empty() ? "the array" : base.owner, extent, extent == 1 ? "" : "s"),
                  expression.span)
          .advise(value.is_negative()
                      ? fmt::format("Elements are counted from the front: the last one is [{}].", extent - 1)
                      : "");
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
  if (pointer == nullptr)
    throw error(ErrorKind::type,
                fmt::format("{} is {} and has no elements", snippet(run_.source, expression.span), describe(value)),
                expression.span);
  return *pointer;
}

}  // namespace xcuda::interpreter
