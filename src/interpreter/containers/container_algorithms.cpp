// The algorithms of <algorithm> and <numeric> over containers, and std::swap and std::getline.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"
#include "language/standard_algorithms.hpp"

namespace xcuda::interpreter {
namespace {

using language::ScalarValue;

ItemPtr fresh(Value value) { return std::make_shared<Variable>(Variable{std::move(value), false, {}}); }

std::uint64_t wide(std::size_t count) { return static_cast<std::uint64_t>(count); }

}  // namespace

// The elements of first, last.
struct Containers::Range {
  Iterator first;
  std::vector<ItemPtr> items;
};

Containers::Range Containers::range_of(const Iterator& first, const cell::Expression& end) {
  Range range{first, {}};
  const auto& span = end.span;
  const auto last = iterator_of(end);
  if (last.of != range.first.of || last.reverse != range.first.reverse)
    throw error(ErrorKind::value, "a range goes from its beginning to its end in one container", span);
  for (auto at = range.first; !same_place(at, last); at = moved(at, 1, span)) range.items.push_back(pointee(at, span));
  return range;
}

// Where an output iterator writes.
struct Containers::Output {
  enum class Way : std::uint8_t { append, insert, replace } way;
  Value value;  // a container or a vector; an iterator
  cell::Span span;
};

Containers::Output Containers::output_to(const cell::Expression& to) {
  if (const auto* vector = language::appended_to(to)) return {Output::Way::append, Part::evaluate(*vector), to.span};
  if (const auto* call = std::get_if<cell::Call>(&to.node))
    if (const auto* name = std::get_if<cell::Name>(&call->callee->node);
        name != nullptr && name->text == "std::inserter" && !call->arguments.empty()) {
      auto value = Part::evaluate(*call->arguments[0].value);
      const auto* container = std::get_if<Container>(&value);
      if (container == nullptr || container->data->type.is(cell::kSequences))
        throw error(ErrorKind::unsupported, "statements insert into maps and sets", to.span)
            .advise("Use std::back_inserter. A cell with %%cuda runs all of C++.");
      return {Output::Way::insert, std::move(value), to.span};
    }
  const auto at = iterator_of(to);
  if (at.constant || !at.of->type.is(cell::kSequences)) throw language::is_constant(frame_.text, at.of->name, to.span);
  return {Output::Way::replace, at, to.span};
}

void Containers::append(Output& to, const ItemPtr& item, cell::Span span) {
  if (auto* at = std::get_if<Iterator>(&to.value)) {
    pointee(*at, to.span)->value = item_of(at->of->type.arguments[0], value_of(*item, span), span)->value;
    *at = moved(*at, 1, to.span);
    return;
  }
  const auto* container = std::get_if<Container>(&to.value);
  if (container == nullptr) return frame_.vectors.append(to.value, value_of(*item, span), to.span);
  auto one = item_of(element_type(*container->data), value_of(*item, span), span);
  if (to.way == Output::Way::insert) return add(*container->data, std::move(one), span);
  container->data->items.push_back(std::move(one));
}

// The value that std::find(first, last, value) compares, which has a type of its own: 2.5 is not in a deque of int.
ItemPtr Containers::sought(const ContainerData& data, const cell::Expression& expression) {
  const auto type = element_type(data);
  if (std::holds_alternative<cell::List>(expression.node)) return item_of(type, expression);
  auto value = Part::evaluate(expression);
  if (std::holds_alternative<ScalarValue>(value) && xcuda::find_type(type)) return fresh(std::move(value));
  return item_of(type, std::move(value), expression.span);
}

std::optional<Value> Containers::exchange(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() != 2) return std::nullopt;
  std::shared_ptr<Variable> both[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& given = *call.arguments[i].value;
    const auto* name = std::get_if<cell::Name>(&given.node);
    auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
    if (variable == nullptr) return std::nullopt;
    if (variable->read_only) throw language::is_constant(frame_.text, snippet(run_.source, given.span), given.span);
    both[i] = {std::shared_ptr<void>(), variable};
  }
  auto &one = both[0]->value, &other = both[1]->value;
  auto *first = std::get_if<Container>(&one), *second = std::get_if<Container>(&other);
  if (first != nullptr && second != nullptr) {
    if (first->data->name != second->data->name) throw cannot_be(first->data->name, other, span);
    first->data->take(*second->data);
    return Nothing{};
  }
  const auto *left = std::get_if<Pointer>(&one), *right = std::get_if<Pointer>(&other);
  const bool vectors =
      left != nullptr && right != nullptr && is_vector(*left) && is_vector(*right) && left->type == right->type;
  if (!vectors || left->memory != nullptr || right->memory != nullptr) return std::nullopt;
  std::swap(one, other);
  return Nothing{};
}

std::optional<Value> Containers::call(const cell::Call& call, const std::string& callee, cell::Span span) {
  if (callee == "std::getline") return get_line(call, span);
  if (callee == "std::swap" || callee == "swap") return exchange(call, span);
  if (call.arguments.empty() || !begins_with_container(*call.arguments[0].value)) return std::nullopt;
  using Op = cell::BinaryOperator;
  if (callee == "std::distance" && call.arguments.size() == 2)
    return operate(Op::subtract, Part::evaluate(*call.arguments[1].value), Part::evaluate(*call.arguments[0].value),
                   span);
  if ((callee == "std::next" || callee == "std::prev" || callee == "std::advance") && call.arguments.size() <= 2) {
    const auto by = call.arguments.size() > 1 ? number(*call.arguments[1].value, "a number of steps").as_signed() : 1;
    auto to = moved(iterator_of(*call.arguments[0].value), callee == "std::prev" ? -by : by, span);
    if (callee != "std::advance") return to;
    const auto* name = std::get_if<cell::Name>(&call.arguments[0].value->node);
    if (name == nullptr) return std::nullopt;
    session_.names().find(name->text)->value = std::move(to);
    return Nothing{};
  }
  if (callee == "std::size" && call.arguments.size() == 1) {
    const auto value = Part::evaluate(*call.arguments[0].value);
    if (const auto* container = std::get_if<Container>(&value)) return ScalarValue::of(wide(container->data->size()));
  }
  if (callee == "std::make_reverse_iterator" && call.arguments.size() == 1)  // m.rbegin(), as the parser has it
    return reversed(iterator_of(*call.arguments[0].value), span);
  if (!language::is_standard_algorithm(callee) || call.arguments.size() < 2) return std::nullopt;
  return of_range(call, std::string_view(callee).substr(5), span);
}

Value Containers::sum_of(const Value& sum, const Value& next, cell::Span span) {
  if (auto text = frame_.texts.operate(cell::BinaryOperator::add, sum, next)) return std::move(*text);
  return language::binary(cell::BinaryOperator::add, number(sum, span, "the sum"), number(next, span, "an element"),
                          where(span));
}

std::optional<Value> Containers::of_range(const cell::Call& call, std::string_view name, cell::Span span) {
  const auto count = call.arguments.size();
  const auto argument = [&](std::size_t i) -> const cell::Expression& { return *call.arguments[i].value; };
  const auto given = Part::evaluate(argument(0));
  if (!std::holds_alternative<Iterator>(given)) return std::nullopt;
  const bool partial = (name == "partial_sort" || name == "nth_element") && count > 2;  // the others may be anywhere
  auto range = range_of(std::get<Iterator>(given), argument(partial ? 2 : 1));
  auto& items = range.items;
  const auto& data = *range.first.of;
  const auto at = [&](std::size_t i) { return moved(range.first, static_cast<std::int64_t>(i), span); };
  const auto number_of = [](std::size_t i) { return ScalarValue::of(static_cast<std::int64_t>(i)); };
  const auto predicate = [&](std::size_t i) {
    return [this, span, callable = frame_.callables.of(argument(i), 1)](const ItemPtr& one) {
      return truth(frame_.callables.call(callable, {one}), span);
    };
  };
  const auto equals = [&](std::size_t i) {
    return [this, value = sought(data, argument(i))](const ItemPtr& one) { return same(one->value, value->value); };
  };
  const auto ordered = [&](std::size_t i) {
    return [before = order_of(count > i ? &argument(i) : nullptr, span)](const ItemPtr& a, const ItemPtr& b) {
      return before(a->value, b->value);
    };
  };
  const auto store = [&](const std::vector<ItemPtr>& list) {  // in the places that the range has
    if (!data.type.is(cell::kSequences))
      throw error(ErrorKind::type, fmt::format("the elements of a {} have their own order", data.name), span);
    if (range.first.constant) throw language::is_constant(frame_.text, data.name, argument(0).span);
    std::vector<Value> values;  // references stay where they are
    for (const auto& one : list) values.push_back(std::move(one->value));
    for (std::size_t i = 0; i < list.size(); ++i) pointee(at(i), span)->value = std::move(values[i]);
  };
  const auto found = [&](auto test) {
    return at(static_cast<std::size_t>(std::find_if(items.begin(), items.end(), test) - items.begin()));
  };
  const auto removed = [&](auto test) {
    std::vector<ItemPtr> kept, rest;
    for (const auto& one : items) (test(one) ? rest : kept).push_back(one);
    const auto end = kept.size();
    kept.insert(kept.end(), rest.begin(), rest.end());
    store(kept);
    return at(end);
  };
  if (name == "sort" || name == "partial_sort" || name == "nth_element") {
    // With a bad order, std::sort leaves its range: null at both ends says so.
    const auto compare = ordered(partial ? 3 : 2);
    std::vector<ItemPtr> list = {nullptr};
    list.insert(list.end(), items.begin(), items.end());
    list.push_back(nullptr);
    const auto checked = [&](const ItemPtr& a, const ItemPtr& b) {
      if (a == nullptr || b == nullptr)
        throw error(ErrorKind::value, "the order is inconsistent: of two elements, both come before the other", span)
            .advise("Compare by <, and never by <=.");
      return compare(a, b);
    };
    std::sort(list.begin() + 1, list.end() - 1, checked);
    store({list.begin() + 1, list.end() - 1});
    return Nothing{};
  }
  if (name == "stable_sort") {
    auto list = items;
    std::stable_sort(list.begin(), list.end(), ordered(2));
    return store(list), Nothing{};
  }
  if (name == "reverse") {
    const std::vector<ItemPtr> list(items.rbegin(), items.rend());
    return store(list), Nothing{};
  }
  if (name == "is_sorted") return ScalarValue::of(std::is_sorted(items.begin(), items.end(), ordered(2)));
  if (name == "find") return found(equals(2));
  if (name == "find_if") return found(predicate(2));
  if (name == "find_if_not") return found([test = predicate(2)](const ItemPtr& one) { return !test(one); });
  if (name == "count") return number_of(static_cast<std::size_t>(std::count_if(items.begin(), items.end(), equals(2))));
  if (name == "count_if")
    return number_of(static_cast<std::size_t>(std::count_if(items.begin(), items.end(), predicate(2))));
  if (name == "any_of") return ScalarValue::of(std::any_of(items.begin(), items.end(), predicate(2)));
  if (name == "all_of") return ScalarValue::of(std::all_of(items.begin(), items.end(), predicate(2)));
  if (name == "none_of") return ScalarValue::of(std::none_of(items.begin(), items.end(), predicate(2)));
  if (name == "min_element")
    return at(static_cast<std::size_t>(std::min_element(items.begin(), items.end(), ordered(2)) - items.begin()));
  if (name == "max_element")
    return at(static_cast<std::size_t>(std::max_element(items.begin(), items.end(), ordered(2)) - items.begin()));
  if (name == "remove") return removed(equals(2));
  if (name == "remove_if") return removed(predicate(2));
  if (name == "unique") {
    std::vector<ItemPtr> kept, rest;
    for (const auto& one : items) (!kept.empty() && same(kept.back()->value, one->value) ? rest : kept).push_back(one);
    const auto end = kept.size();
    kept.insert(kept.end(), rest.begin(), rest.end());
    return store(kept), at(end);
  }
  if (name == "lower_bound" || name == "upper_bound" || name == "binary_search") {
    const auto value = sought(data, argument(2));
    const auto compare = ordered(3);
    const auto lower =
        static_cast<std::size_t>(std::lower_bound(items.begin(), items.end(), value, compare) - items.begin());
    if (name == "lower_bound") return at(lower);
    if (name == "binary_search") return ScalarValue::of(lower < items.size() && !compare(value, items[lower]));
    return at(static_cast<std::size_t>(std::upper_bound(items.begin(), items.end(), value, compare) - items.begin()));
  }
  if (name == "for_each") {
    const auto callable = frame_.callables.of(argument(2), 1);
    for (const auto& one : items) frame_.callables.call(callable, {one});
    return Nothing{};
  }
  if (name == "fill") {
    const auto type = element_type(data);
    const auto value = item_of(type, argument(2));
    for (const auto& one : items) one->value = copy_of(*value, type, span)->value;
    return Nothing{};
  }
  if (name == "copy" || name == "copy_if" || name == "move") {
    auto to = output_to(argument(2));
    const auto test = name == "copy_if" ? std::optional(predicate(3)) : std::nullopt;
    for (const auto& one : items)
      if (!test || (*test)(one)) append(to, one, span);
    return Nothing{};
  }
  if (name == "transform" && count == 4) {
    auto to = output_to(argument(2));
    const auto callable = frame_.callables.of(argument(3), 1);
    for (const auto& one : items) append(to, fresh(frame_.callables.call(callable, {one})), span);
    return Nothing{};
  }
  if (name == "accumulate" || name == "reduce") {
    auto sum = count > 2 ? fresh(Part::evaluate(argument(2))) : default_item(element_type(data), span);
    const auto type = type_of(sum->value, span);
    const auto callable = count > 3 ? std::optional(frame_.callables.of(argument(3), 2)) : std::nullopt;
    for (const auto& one : items) {
      auto next =
          callable ? frame_.callables.call(*callable, {sum, one}) : sum_of(sum->value, value_of(*one, span), span);
      sum = item_of(type, std::move(next), span);
    }
    return sum->value;
  }
  throw error(ErrorKind::unsupported,
              fmt::format("statements have no std::{} with these arguments over a {}", name, data.name), span)
      .advise("Write a loop, or put a function that calls it into a cell with %%cuda.");
}

}  // namespace xcuda::interpreter
