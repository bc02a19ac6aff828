#include "interpreter/operator_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arrays/array_node.hpp"
#include "cell/type_word.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_streams.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/host_constants.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/native/class_definition.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/native/native_calls.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/targets.hpp"
#include "language/addresses.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

namespace {

bool is_equality(cell::BinaryOperator op) {
  return op == cell::BinaryOperator::equal || op == cell::BinaryOperator::different;
}

// Whether two pointers to functions, or one and nullptr, are equal; nothing where they are something else.
std::optional<bool> same_function(const Value& left, const Value& right) {
  const auto* first = std::get_if<Function>(&left);
  const auto* second = std::get_if<Function>(&right);
  if (first != nullptr && second != nullptr) return first->name == second->name;
  const auto* one = first != nullptr ? first : second;
  const auto& other = first != nullptr ? right : left;
  if (one == nullptr || !std::holds_alternative<NullPointer>(other)) return std::nullopt;
  return one->name.empty();
}

}  // namespace

Value OperatorExpressions::unary(const cell::Unary& unary, const cell::Expression& expression) {
  const auto span = expression.span;
  if (unary.op == cell::UnaryOperator::address) return address(unary, span);
  if (auto value = frame_.object_operators.unary(unary, span)) return std::move(*value);
  if (cell::is_step(unary.op)) return step(unary, span);
  if (unary.op == cell::UnaryOperator::pointee) {
    if (const auto* named = frame_.addresses.pointee(*unary.operand)) return evaluate(*named);
    if (auto function = frame_.lookup.function_in(expression)) return std::move(*function);
    const auto& of = unary.operand->node;
    if (std::holds_alternative<cell::IntegerLiteral>(of) || std::holds_alternative<cell::FloatingLiteral>(of) ||
        frame_.scalars.by_program(*unary.operand))
      throw language::power_of_stars(frame_.text, unary, span);
    auto place = frame_.places.of(expression);
    return place.shape.empty() ? frame_.places.element(place) : Value(std::move(place));
  }
  const auto value = evaluate(*unary.operand);
  if (const auto has = Containers::has_value(value); has && unary.op == cell::UnaryOperator::logical_not)
    return language::ScalarValue::of(!*has);
  if (auto result = frame_.records.operate(unary.op, value, span)) return std::move(*result);
  if (const auto points = Addresses::truth(value)) {
    if (unary.op == cell::UnaryOperator::logical_not) return language::ScalarValue::of(!*points);
    throw language::not_of_pointers(frame_.text, cell::spelling(unary.op), unary.operand->span, span);
  }
  if (has_device_operators(value)) return frame_.array_expressions.operate(unary.op, {value, *unary.operand}, span);
  return language::unary(unary.op,
                         number(value, unary.operand->span, fmt::format("the operand of {}", cell::spelling(unary.op))),
                         where(span));
}

Value OperatorExpressions::address(const cell::Unary& unary, cell::Span span) {
  if (auto function = frame_.lookup.function(*unary.operand)) return std::move(*function);
  frame_.references.move_for_address(*unary.operand);
  auto pointer = frame_.places.of(*unary.operand);
  if (!is_contiguous(pointer))
    throw error(ErrorKind::type,
                fmt::format("{} is not contiguous: a pointer to it would miss its elements",
                            snippet(run_.source, unary.operand->span)),
                span)
        .advise("Make a contiguous copy: auto piece = ...;");
  pointer.shape = {pointer.bytes / std::max<std::size_t>(pointer.type.size, 1)};
  pointer.whole = false;
  return pointer;
}

Value OperatorExpressions::binary(const cell::Binary& binary, cell::Span span) {
  if (cell::is_logical(binary.op)) return logical(binary, span);
  if (binary.op == cell::BinaryOperator::shift_left)
    if (const auto output = language::stream_output(binary)) return frame_.output_streams.write(*output), Nothing{};
  if (is_equality(binary.op))
    for (const auto& [own, other] : {std::pair{&binary.left, &binary.right}, std::pair{&binary.right, &binary.left}})
      if (const auto same = frame_.host_function_calls.is_this(**own, **other))
        return language::ScalarValue::of(*same == (binary.op == cell::BinaryOperator::equal));
  if (binary.op != cell::BinaryOperator::comma)
    if (auto value = frame_.object_operators.binary(binary, span)) return std::move(*value);
  const auto left = evaluate(*binary.left);
  const auto right = evaluate(*binary.right);
  return binary.op == cell::BinaryOperator::comma ? right : computed(binary, left, right, span);
}

// &x[i] - &x[j], &x[i] < &x[j]
Value OperatorExpressions::of_addresses(cell::BinaryOperator op, const Pointer& left, const Pointer& right,
                                        cell::Span span) {
  if (op != cell::BinaryOperator::subtract)
    return language::binary(op, language::ScalarValue::of(left.address), language::ScalarValue::of(right.address),
                            where(span));
  if (left.type != right.type)
    throw error(ErrorKind::type,
                fmt::format("the addresses of {} and {} cannot be subtracted", left.type.name, right.type.name), span);
  const auto bytes = static_cast<std::int64_t>(left.address - right.address);
  return language::ScalarValue::of(bytes / static_cast<std::int64_t>(std::max<std::size_t>(left.type.size, 1)));
}

// (size_t)&x[i], reinterpret_cast<size_t>(x): the address itself.
Value OperatorExpressions::number_of_address(const cell::Cast& cast, const Value& value, const Type& type,
                                             cell::Span span) {
  if (std::holds_alternative<NullPointer>(value)) return language::convert(language::ScalarValue::of(0), type);
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr) throw language::not_an_array(frame_.text, cast.operand->span, span);
  if (type.scalar == Scalar::boolean) return language::ScalarValue::of(true);
  return language::convert(language::ScalarValue::of(pointer->address), type);
}

Value OperatorExpressions::logical(const cell::Binary& binary, cell::Span span) {
  const auto truth = [&](const Value& value, const cell::Expression& side) {
    return frame_.scalars.truth(value, side, fmt::format("the operand of {}", cell::spelling(binary.op)));
  };
  const auto left = evaluate(*binary.left);
  const auto on_device = [](const Value& value) { return has_device_operators(value) && !Addresses::truth(value); };
  if (!on_device(left) && truth(left, *binary.left) == (binary.op == cell::BinaryOperator::logical_or))
    return language::ScalarValue::of(binary.op == cell::BinaryOperator::logical_or);
  const auto right = evaluate(*binary.right);
  if (on_device(left) || on_device(right)) return computed(binary, left, right, span);
  return language::ScalarValue::of(truth(right, *binary.right));
}

Value OperatorExpressions::ternary(const cell::Ternary& ternary, const cell::Expression& expression) {
  const auto condition = evaluate(*ternary.condition);
  if (is_array(condition) && !Addresses::truth(condition)) {
    const auto yes = evaluate(*ternary.yes), no = evaluate(*ternary.no);
    return ArrayExpression{frame_.array_expressions.combine(
        ArrayNode::Kind::ternary, "?",
        {frame_.array_expressions.node_of(condition, *ternary.condition),
         frame_.array_expressions.node_of(yes, *ternary.yes), frame_.array_expressions.node_of(no, *ternary.no)},
        expression.span)};
  }
  const bool chosen = frame_.scalars.truth(condition, *ternary.condition);
  auto value = evaluate(chosen ? *ternary.yes : *ternary.no);
  const auto* number = std::get_if<language::ScalarValue>(&value);
  if (number == nullptr) return value;
  // The type is that of both sides together, and the side not taken is not evaluated.
  const auto& form = frame_.expressions.form(expression);
  return form.kind == language::Form::Kind::number && form.has_type() ? language::convert(*number, form.type) : value;
}

Value OperatorExpressions::computed(const cell::Binary& binary, const Value& left, const Value& right,
                                    cell::Span span) {
  if (const auto same = same_function(left, right); same && is_equality(binary.op))
    return language::ScalarValue::of(*same == (binary.op == cell::BinaryOperator::equal));
  if (cell::is_comparison(binary.op) || binary.op == cell::BinaryOperator::subtract) {  // p < x + n
    const auto* const begin = std::get_if<Pointer>(&left);
    const auto* const end = std::get_if<Pointer>(&right);
    if (begin != nullptr && begin->is_address && frame_.addresses.is_moved_array(*binary.right))
      return *frame_.addresses.operate(binary.op, left, frame_.addresses.of(*binary.right), span);
    if (end != nullptr && end->is_address && frame_.addresses.is_moved_array(*binary.left))
      return *frame_.addresses.operate(binary.op, frame_.addresses.of(*binary.left), right, span);
  }
  if (auto order = frame_.vectors.compare(binary.op, left, right)) return std::move(*order);
  if (auto result = frame_.containers.operate(binary.op, left, right, span)) return std::move(*result);
  if (auto text = frame_.texts.operate(binary.op, left, right)) return std::move(*text);
  if (const auto* text = std::get_if<std::string>(&left))  // p + 1, p - q of texts
    return computed(binary, frame_.texts.pointer_to_characters(*text, binary.left->span), right, span);
  if (const auto* text = std::get_if<std::string>(&right); text != nullptr && std::holds_alternative<Pointer>(left))
    return computed(binary, left, frame_.texts.pointer_to_characters(*text, binary.right->span), span);
  if (auto of_addresses = frame_.addresses.operate(binary.op, left, right, span)) return std::move(*of_addresses);
  const auto *from = std::get_if<Pointer>(&left), *to = std::get_if<Pointer>(&right);
  if (from != nullptr && to != nullptr && language::is_of_addresses(binary))  // also of &x[i] - x
    return of_addresses(binary.op, *from, *to, span);
  if (has_device_operators(left) || has_device_operators(right))
    return frame_.array_expressions.operate(binary.op, {left, *binary.left}, {right, *binary.right}, span);
  const bool null = std::holds_alternative<NullPointer>(left) || std::holds_alternative<NullPointer>(right);
  const bool numbers =
      std::holds_alternative<language::ScalarValue>(left) || std::holds_alternative<language::ScalarValue>(right);
  if (null && !numbers &&
      (binary.op == cell::BinaryOperator::equal ||
       binary.op == cell::BinaryOperator::different))  // getenv("N") == nullptr
    return language::ScalarValue::of((left.index() == right.index()) == (binary.op == cell::BinaryOperator::equal));
  return language::binary(binary.op, number(left, binary.left->span, "the left operand"),
                          number(right, binary.right->span, "the right operand"), where(span));
}

Value OperatorExpressions::step(const cell::Unary& unary, cell::Span span) {
  require_no_constant_member(frame_, *unary.operand);
  const auto adds = cell::operator_of_step(unary.op);
  const auto op = cell::spelling(adds);
  const auto place = frame_.targets.of(*unary.operand);
  if (auto* const* variable = std::get_if<Variable*>(&place);
      variable != nullptr &&
      (frame_.texts.point(**variable, span) || std::holds_alternative<Pointer>((*variable)->value))) {
    auto before = evaluate(*unary.operand);
    const auto after = frame_.addresses.operate(adds, before, language::ScalarValue::of(1), span);
    if (!after) throw language::not_of_pointers(frame_.text, op, unary.operand->span, span);
    (*variable)->value = *after;
    return cell::is_after(unary.op) ? std::move(before) : (*variable)->value;
  }
  const auto* pointer = std::get_if<Pointer>(&place);
  if (std::holds_alternative<Selection>(place) || (pointer != nullptr && !pointer->shape.empty()))
    throw language::step_of_array(frame_.text, unary, span);
  const auto held = frame_.targets.load(place);
  if (const auto moved = frame_.addresses.operate(adds, held, language::ScalarValue::of(1), span)) {  // ++s.data
    frame_.targets.store(place, *moved, span);
    return cell::is_after(unary.op) ? held : *moved;
  }
  const auto before = number(held, unary.operand->span, fmt::format("the operand of {0}{0}", op));
  if (before.kind() == language::Kind::boolean)
    throw error(ErrorKind::type, "++ and -- are not defined for bool", span);
  const auto result =
      frame_.targets.store(place, language::binary(adds, before, language::ScalarValue::of(1), where(span)), span);
  frame_.references.stored(*unary.operand, place);
  return cell::is_after(unary.op) ? Value(before) : result;
}

// (float*)x: the same bytes seen as another type.
Value OperatorExpressions::pointer_cast(const cell::Cast& cast, cell::Span span) {
  auto spelling = cast.type.substr(0, cast.type.size() - 1);
  bool is_const = false;
  for (const std::string_view word : {"const ", " const"})
    if (const auto at = spelling.find(word); at != std::string::npos) {
      spelling.erase(at, word.size());
      is_const = true;
    }
  while (!spelling.empty() && spelling.back() == ' ') spelling.pop_back();
  auto value = frame_.addresses.given(*cast.operand);  // (float*)(x + n) is of a pointer
  if (std::holds_alternative<NullPointer>(value)) return value;
  const auto* zero = std::get_if<language::ScalarValue>(&value);
  if (zero != nullptr && zero->is_integer() && !zero->truth()) return NullPointer{};  // (float*)0
  auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr) throw language::not_an_array(frame_.text, cast.operand->span, span);
  pointer->type = spelling == "void" ? Type{"unsigned char", 1, 1, Scalar::uint8}
                                     : session_.code().find_type(run_.source, spelling, span);
  pointer->shape = {pointer->bytes / std::max<std::size_t>(pointer->type.size, 1)};
  pointer->whole = false;
  pointer->read_only = pointer->read_only || is_const;
  if (pointer->address % pointer->type.alignment != 0)
    throw error(ErrorKind::value,
                fmt::format("{} is misaligned for {}: it needs a multiple of {} bytes",
                            snippet(run_.source, cast.operand->span), spelling, pointer->type.alignment),
                span);
  return value;
}

Value OperatorExpressions::cast(const cell::Cast& cast, cell::Span span) {
  if (auto function = frame_.lookup.function(*cast.operand)) return std::move(*function);
  const auto& spelling = cast.type;
  if (spelling == "void") return static_cast<void>(evaluate(*cast.operand)), Nothing{};
  if (spelling.ends_with('*')) return pointer_cast(cast, span);
  if (cell::type_word(spelling) == cell::TypeWord::dim3) return frame_.dimensions.of(*cast.operand, "a dim3");
  const auto type = session_.code().find_type(run_.source, spelling, span);
  if (auto made = frame_.library_values.converted(type, *cast.operand)) return std::move(*made);
  if (language::gives_address(cast) && language::holds_address(type))
    return number_of_address(cast, evaluate(*cast.operand), type, span);
  const auto* list = std::get_if<cell::List>(&cast.operand->node);
  if (list == nullptr) {
    const auto value = evaluate(*cast.operand);
    const auto* pointer = std::get_if<Pointer>(&value);
    if (type.scalar == Scalar::boolean && is_closure(value)) return language::ScalarValue::of(true);
    if (const auto has = Containers::has_value(value); has && type.scalar == Scalar::boolean)
      return language::ScalarValue::of(*has);
    const bool address = pointer != nullptr && ((pointer->is_address && pointer->shape.size() == 1) ||
                                                language::is_integer_of_address(spelling));
    if ((address || std::holds_alternative<NullPointer>(value)) && language::holds_address(type))
      return number_of_address(cast, value, type, span);
    if (is_array(value))
      return ArrayExpression{frame_.array_expressions.combine(
          ArrayNode::Kind::cast, type.name, {frame_.array_expressions.node_of(value, *cast.operand)}, span)};
    if (type.lanes == 1 && type.scalar != Scalar::none)
      if (auto number = frame_.object_operators.converted(value, type, *cast.operand)) return std::move(*number);
    if (type.lanes == 1 && type.scalar != Scalar::none)
      return language::convert(number(value, cast.operand->span, "the operand of a cast"), type);
    return frame_.elements.value(value, cast.operand->span, type);
  }
  if (type.scalar == Scalar::none || type.lanes > 1 || type.scalar >= Scalar::complex64)
    return frame_.elements.value(*cast.operand, type);
  if (list->elements.empty()) return language::convert(language::ScalarValue::of(0), type);
  if (list->elements.size() > 1)
    throw error(ErrorKind::type, fmt::format("{} takes one number, got {}", spelling, list->elements.size()), span);
  const auto& operand = *list->elements.front();
  const auto value = number(operand, "the operand of a cast");
  if (!language::converts_exactly(value, type))
    throw error(ErrorKind::value, fmt::format("{} does not fit {}: braces do not narrow", value.text(), spelling),
                operand.span)
        .advise(fmt::format("{}({}) converts it.", spelling, snippet(run_.source, operand.span)));
  return language::convert(value, type);
}

// The type of *p and *p[i], where p and p[i] need not point to anything; nothing for other expressions.
std::optional<Type> OperatorExpressions::pointee_of(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  if (unary == nullptr || unary->op != cell::UnaryOperator::pointee) return std::nullopt;
  if (const auto* name = std::get_if<cell::Name>(&unary->operand->node)) {  // *rows, which points to nothing yet
    const auto* variable = session_.names().find(name->text);
    const auto* pointer = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
    if (pointer == nullptr || !pointer->is_address || pointer->shape.empty()) return std::nullopt;
    auto row = pointer->type;
    for (std::size_t d = 1; d < pointer->shape.size(); ++d) row.size *= pointer->shape[d];
    return row;
  }
  const auto* index = std::get_if<cell::Index>(&unary->operand->node);
  if (index == nullptr) return std::nullopt;
  const auto& array = frame_.expressions.form(*index->base);
  if (!array.is_array() || !array.type.name.ends_with('*')) return std::nullopt;
  auto name = array.type.name.substr(0, array.type.name.size() - 1);
  for (const std::string_view word : {"const ", " const"})
    if (const auto at = name.find(word); at != std::string::npos) name.erase(at, word.size());
  while (name.ends_with(' ')) name.pop_back();
  return session_.code().find_type(run_.source, name, expression.span);
}

Value OperatorExpressions::size_of(const cell::SizeOf& size, cell::Span span) {
  const auto bytes = [](std::size_t count) { return language::ScalarValue::of(static_cast<std::uint64_t>(count)); };
  using What = cell::SizeOf::What;
  if (size.what == What::offset) {
    NativeArguments none(frame_);
    return frame_.native_calls.run(fmt::format("return offsetof({}, {});", size.type, size.member),
                                   "offsetof " + size.type, none, span);
  }
  // sizeof(P) of a struct reads like a name
  const auto* name = size.operand == nullptr ? nullptr : std::get_if<cell::Name>(&size.operand->node);
  const bool named = name != nullptr &&
                     (session_.names().find(name->text) != nullptr || session_.arrays().find(name->text) != nullptr ||
                      host_constant(session_, run_.sink, name->text));
  if (name == nullptr ? size.operand == nullptr : !named && !frame_.lookup.is_on_device(name->text)) {
    const auto type = session_.code().find_type(run_.source, name == nullptr ? size.type : name->text,
                                                name == nullptr ? span : size.operand->span);
    return bytes(size.what == What::size ? type.size : type.alignment);
  }
  if (size.what == What::alignment)
    throw error(ErrorKind::type, "alignof is of a type", span).advise("alignof(double)");
  if (const auto type = pointee_of(*size.operand)) return bytes(type->size);
  const auto& form = frame_.expressions.form(*size.operand);  // without its effects, as sizeof(++n) has none
  const bool of_one = form.kind == language::Form::Kind::number || form.kind == language::Form::Kind::object;
  if (of_one && form.has_type() && form.type.size > 0) return bytes(form.type.size);
  const auto value = evaluate(*size.operand);
  if (Addresses::truth(value)) return bytes(sizeof(device::Address));
  if (const auto* pointer = std::get_if<Pointer>(&value)) return bytes(count_of(pointer->shape) * pointer->type.size);
  if (const auto* number = std::get_if<language::ScalarValue>(&value)) return bytes(number->type().size);
  if (const auto* object = std::get_if<Object>(&value)) return bytes(object->type.size);
  if (std::holds_alternative<device::Dim3>(value)) return bytes(sizeof(device::Dim3));
  throw error(ErrorKind::type, "sizeof cannot be applied to this", span);
}

}  // namespace xcuda::interpreter
