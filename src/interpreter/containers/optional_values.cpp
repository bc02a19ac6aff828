// std::optional: a container of one element or none, which may be of any type that containers hold.
#include <fmt/format.h>

#include <utility>

#include "interpreter/containers/containers.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/scalars.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::string_view kNothing = "std::nullopt_t";

const ContainerData* optional_in(const Value& value) {
  const auto* container = std::get_if<Container>(&value);
  return container != nullptr && container->data->type.kind == cell::ContainerKind::optional ? container->data.get()
                                                                                             : nullptr;
}

bool is_in_place(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  return name != nullptr && name->text == "std::in_place";
}

}  // namespace

std::optional<bool> Containers::has_value(const Value& value) {
  const auto* data = optional_in(value);
  return data == nullptr ? std::nullopt : std::optional(data->size() != 0);
}

Value Containers::nothing() {
  auto data = std::make_shared<ContainerData>();
  data->name = kNothing;
  data->type.kind = cell::ContainerKind::optional;
  return Container{std::move(data)};
}

// std::optional<T>(value), {value}, (std::in_place, a, b)
void Containers::fill_optional(ContainerData& data, const Given& given, cell::Span span) {
  if (given.empty()) return;
  const auto& type = data.type.arguments[0];
  if (is_in_place(*given.front())) {
    data.items.push_back(item_of(type, Given(given.begin() + 1, given.end()), span));
    return;
  }
  if (given.size() > 1)
    throw error(ErrorKind::value, fmt::format("a {} is made of one value, got {}", data.name, given.size()), span)
        .advise(fmt::format("Make the value first: {}(...).", type));
  if (std::holds_alternative<cell::List>(given.front()->node)) {
    data.items.push_back(item_of(type, *given.front()));
    return;
  }
  auto made = item_of(data.name, *given.front());
  data.take(*std::get<Container>(made->value).data);
}

// What a value becomes where an optional of this type is wanted.
Container Containers::optional_of(const std::string& type, Value value, cell::Span span) {
  auto result = empty(type, span);
  const auto& element = result.data->type.arguments[0];
  if (const auto* other = optional_in(value); other != nullptr && !cell::is_optional(element)) {
    if (other->size() != 0)
      result.data->items.push_back(item_of(element, owned(value_of(*other->items.front(), span)), span));
    return result;
  }
  result.data->items.push_back(item_of(element, std::move(value), span));
  return result;
}

// *o, o->x, o.value() and o.emplace(): a place. Nothing for its other functions.
std::optional<Containers::Found> Containers::step_optional(const Found& base, const cell::Expression& expression) {
  auto& data = *std::get<Container>(base.variable->value).data;
  const bool constant = base.constant || base.variable->read_only;
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* member = std::get_if<cell::Member>(call != nullptr ? &call->callee->node : &expression.node);
  const bool followed = member != nullptr && member->arrow;
  const bool pointee = std::holds_alternative<cell::Unary>(expression.node);
  const bool asked =
      !followed && call != nullptr && member != nullptr && call->arguments.empty() && member->member == "value";
  if (!followed && !pointee && !asked) return std::nullopt;
  if (data.items.empty()) {
    auto failure =
        error(ErrorKind::value, fmt::format("{} has no value", snippet(run_.source, base.upto->span)), expression.span)
            .advise("Test it first: if (o), o.has_value(), o.value_or(0).");
    if (!asked) throw failure;
    frame_.exceptions.raise(std::move(failure), {"std::bad_optional_access", "bad optional access"});
  }
  if (!followed) return Found{data.items.front(), &expression, false, constant};
  const Found value{data.items.front(), base.upto, true, constant};
  return std::holds_alternative<Container>(value.variable->value) ? step(value, expression) : std::optional(value);
}

// No value is less than any.
std::optional<Value> Containers::compare_optionals(cell::BinaryOperator op, const Value& left, const Value& right,
                                                   cell::Span span) {
  const auto *one = optional_in(left), *other = optional_in(right);
  if ((one == nullptr && other == nullptr) || !cell::is_comparison(op)) return std::nullopt;
  const bool some = one == nullptr || one->size() != 0, others = other == nullptr || other->size() != 0;
  if (!some || !others)
    return language::binary(op, language::ScalarValue::of(static_cast<int>(some)),
                            language::ScalarValue::of(static_cast<int>(others)), where(span));
  const auto a = one == nullptr ? left : value_of(*one->items.front(), span);
  const auto b = other == nullptr ? right : value_of(*other->items.front(), span);
  const auto *x = std::get_if<language::ScalarValue>(&a), *y = std::get_if<language::ScalarValue>(&b);
  if (x != nullptr && y != nullptr) return language::binary(op, *x, *y, where(span));
  if (auto result = operate(op, a, b, span)) return result;
  using Op = cell::BinaryOperator;
  if (op == Op::equal || op == Op::different) return language::ScalarValue::of(same(a, b) == (op == Op::equal));
  const bool before = less(a, b), after = less(b, a);
  const int order = before ? -1 : after ? 1 : 0;
  return language::binary(op, language::ScalarValue::of(order), language::ScalarValue::of(0), where(span));
}

}  // namespace xcuda::interpreter
