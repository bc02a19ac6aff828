// Iterators of containers. One of a map, a set or a list names its element, so that inserting or erasing others does
// not change it; a list's has the index where its element was last, too.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "interpreter/containers/containers.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

const Value& key_in(const ContainerData& data, const Variable& item) {
  const auto& held = item.value;
  return data.type.is(cell::kMaps) ? std::get<Container>(held).data->items[0]->value : held;
}

// Where the item is in a table; the end where it was erased.
template <class Table> auto place_of(Table& table, const Value& key, const ItemPtr& item) {
  const auto [first, last] = table.equal_range(key);
  for (auto at = first; at != last; ++at)
    if (at->second == item) return at;
  return table.end();
}

}  // namespace

Iterator Containers::first_of(const Container& container, Way way) const {
  const bool reverse = way == Way::back;
  const auto& data = *container.data;
  Iterator at{container.data, 0, nullptr, reverse, false};
  if (!data.sorted.empty()) at.item = reverse ? std::prev(data.sorted.end())->second : data.sorted.begin()->second;
  if (!data.hashed.empty()) at.item = data.hashed.begin()->second;
  if (data.type.kind == cell::ContainerKind::list && !data.items.empty()) {
    at.item = reverse ? data.items.back() : data.items.front();
    at.index = reverse ? data.items.size() - 1 : 0;
  }
  return at;
}

Iterator Containers::with_item(Iterator iterator) const {
  const auto& data = *iterator.of;
  if (data.type.kind == cell::ContainerKind::list && iterator.item == nullptr && !iterator.reverse &&
      iterator.index < data.items.size())
    iterator.item = data.items[iterator.index];
  return iterator;
}

bool Containers::same_place(const Iterator& a, const Iterator& b) {
  return a.item == b.item && (a.index == b.index || a.of->type.kind == cell::ContainerKind::list);
}

// From the beginning; without an element, after the last.
std::size_t Containers::place_in_list(const Iterator& iterator, cell::Span span) const {
  const auto& items = iterator.of->items;
  if (iterator.item == nullptr) return items.size();
  if (iterator.index < items.size() && items[iterator.index] == iterator.item) return iterator.index;
  const auto at = std::find(items.begin(), items.end(), iterator.item);
  if (at == items.end())
    throw error(ErrorKind::value, "the element that the iterator was at was erased", span)
        .advise("erase() returns the next one: it = l.erase(it);");
  return static_cast<std::size_t>(at - items.begin());
}

// std::make_reverse_iterator(it), which is at the element before that of `it`.
Iterator Containers::reversed(const Iterator& iterator, cell::Span span) {
  const auto& data = *iterator.of;
  if (iterator.reverse || data.type.is(cell::kHashed))
    throw error(ErrorKind::unsupported, fmt::format("statements do not reverse this iterator of a {}", data.name), span)
        .advise("Begin with begin() or end(). A cell with %%cuda runs all of C++.");
  Iterator back{iterator.of, 0, nullptr, true, iterator.constant};
  if (data.type.is(cell::kIndexed)) {
    back.index = data.items.size() - iterator.index;
  } else if (same_place(iterator, first_of({iterator.of}, Way::forward))) {
    back.index = data.items.size();
  } else {
    const auto before = moved(iterator, -1, span);
    back.index = before.index;
    back.item = before.item;
  }
  return back;
}

Iterator Containers::end_of(const Container& container, Way way) const {
  const bool reverse = way == Way::back;
  const auto& data = *container.data;
  const bool sequence = data.type.is(cell::kSequences);
  return {container.data, sequence ? data.items.size() : 0, nullptr, reverse, false};
}

std::shared_ptr<Variable> Containers::pointee(const Iterator& iterator, cell::Span span) {
  const auto& data = *iterator.of;
  auto item = iterator.item;
  if (data.type.is(cell::kIndexed) && iterator.index < data.items.size())
    item = data.items[iterator.reverse ? data.items.size() - 1 - iterator.index : iterator.index];
  if (item == nullptr)
    throw error(ErrorKind::value,
                fmt::format("{} is at the end of its container, where nothing is", snippet(run_.source, span)), span);
  return item;
}

Iterator Containers::moved(Iterator iterator, std::int64_t by, cell::Span span) {
  auto& data = *iterator.of;
  const auto outside = [&] { return error(ErrorKind::value, "the iterator would leave its container", span); };
  if (data.type.kind == cell::ContainerKind::list) {
    const auto size = static_cast<std::int64_t>(data.items.size());
    const bool before_all = iterator.reverse && iterator.item == nullptr;  // rend()
    const auto from = before_all ? -1 : static_cast<std::int64_t>(place_in_list(iterator, span));
    const auto to = iterator.reverse ? from - by : from + by;
    if (to < (iterator.reverse ? -1 : 0) || to > (iterator.reverse ? size - 1 : size)) throw outside();
    const bool inside = to >= 0 && to < size;
    iterator.index = static_cast<std::size_t>(inside ? to : size);
    iterator.item = inside ? data.items[iterator.index] : nullptr;
    return iterator;
  }
  if (data.type.is(cell::kIndexed)) {
    const auto to = static_cast<std::int64_t>(iterator.index) + by;
    if (to < 0 || to > static_cast<std::int64_t>(data.items.size())) throw outside();
    iterator.index = static_cast<std::size_t>(to);
    return iterator;
  }
  const auto gone = [&] {
    return error(ErrorKind::value, "the element that the iterator was at was erased", span)
        .advise("erase() returns the next one: it = m.erase(it);");
  };
  for (; by != 0; by += by > 0 ? -1 : 1) {
    const bool forward = (by > 0) != iterator.reverse;
    if (data.type.is(cell::kHashed)) {
      if (iterator.item == nullptr || !forward) throw outside();
      auto at = place_of(data.hashed, key_in(data, *iterator.item), iterator.item);
      if (at == data.hashed.end()) throw gone();
      ++at;
      iterator.item = at == data.hashed.end() ? nullptr : at->second;
      continue;
    }
    auto at = data.sorted.end();
    if (iterator.item != nullptr) {
      at = place_of(data.sorted, key_in(data, *iterator.item), iterator.item);
      if (at == data.sorted.end()) throw gone();
    } else if (by > 0) {
      throw outside();
    } else if (iterator.reverse) {  // back from rend()
      if (data.sorted.empty()) throw outside();
      iterator.item = data.sorted.begin()->second;
      continue;
    }
    if (forward) {
      ++at;
      iterator.item = at == data.sorted.end() ? nullptr : at->second;
    } else if (at == data.sorted.begin()) {
      if (!iterator.reverse) throw outside();
      iterator.item = nullptr;
    } else {
      iterator.item = std::prev(at)->second;
    }
  }
  return iterator;
}

std::size_t Containers::position(const Iterator& iterator, cell::Span span) {
  const auto& data = *iterator.of;
  if (data.type.is(cell::kIndexed)) return iterator.index;
  const auto from_beginning = [&](std::size_t place) { return iterator.reverse ? data.size() - 1 - place : place; };
  if (iterator.item == nullptr) return data.size();
  if (data.type.kind == cell::ContainerKind::list) return from_beginning(place_in_list(iterator, span));
  std::size_t at = 0;
  const auto find_in = [&](const auto& table) {
    for (const auto& [key, item] : table) {
      if (item == iterator.item) return;
      ++at;
    }
    throw error(ErrorKind::value, "the element that the iterator was at was erased", span);
  };
  data.type.is(cell::kHashed) ? find_in(data.hashed) : find_in(data.sorted);
  return from_beginning(at);
}

std::vector<Value> Containers::between(const Value& first, const Value& last, cell::Span span) {
  const auto *from = std::get_if<Iterator>(&first), *to = std::get_if<Iterator>(&last);
  if (from == nullptr || to == nullptr || from->of != to->of || from->reverse != to->reverse)
    throw error(ErrorKind::value, "a range goes from its beginning to its end in one container", span);
  std::vector<Value> values;
  for (auto at = *from; !same_place(at, *to); at = moved(at, 1, span))
    values.push_back(value_of(*pointee(at, span), span));
  return values;
}

Iterator Containers::iterator_of(const cell::Expression& expression) {
  const auto value = Part::evaluate(expression);
  if (const auto* iterator = std::get_if<Iterator>(&value)) return *iterator;
  throw error(ErrorKind::type,
              fmt::format("expected an iterator, but {} is {}", snippet(run_.source, expression.span),
                          language::describe(form_of(value))),
              expression.span);
}

bool Containers::same(const Value& left, const Value& right) {
  const auto *one = std::get_if<Container>(&left), *other = std::get_if<Container>(&right);
  if (one == nullptr || other == nullptr) {
    if (const auto equal = frame_.vectors.compare(cell::BinaryOperator::equal, left, right))
      return std::get<language::ScalarValue>(*equal).truth();
    if (can_be_key(left) && can_be_key(right)) return same_key(left, right);
    throw error(ErrorKind::unsupported,
                fmt::format("statements do not compare {} in containers", language::describe(form_of(left))),
                run_.current)
        .advise("Compare their members in a loop.");
  }
  const auto &a = *one->data, &b = *other->data;
  if (a.record != nullptr)
    return truth(*frame_.records.operate(cell::BinaryOperator::equal, left, right, run_.current), run_.current);
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same(value_of(*a.items[i], run_.current), value_of(*b.items[i], run_.current))) return false;
  for (auto i = a.sorted.begin(), k = b.sorted.begin(); i != a.sorted.end(); ++i, ++k)
    if (!same(i->second->value, k->second->value)) return false;
  for (const auto& [key, item] : a.hashed) {
    const auto found = b.hashed.find(key);
    if (found == b.hashed.end() || !same(item->value, found->second->value)) return false;
  }
  return true;
}

std::optional<Value> Containers::operate(cell::BinaryOperator op, const Value& left, const Value& right,
                                         cell::Span span) {
  using Op = cell::BinaryOperator;
  if (auto result = compare_optionals(op, left, right, span)) return result;
  if (auto result = frame_.records.operate(op, left, right, span)) return result;
  if (const auto* iterator = std::get_if<Iterator>(&left)) {
    if (const auto* other = std::get_if<Iterator>(&right)) {
      if (iterator->of != other->of) throw error(ErrorKind::value, "the iterators are of different containers", span);
      if (op == Op::equal || op == Op::different) {
        const bool same = same_place(*iterator, *other);
        return language::ScalarValue::of(same == (op == Op::equal));
      }
      const auto a = static_cast<std::int64_t>(position(*iterator, span)),
                 b = static_cast<std::int64_t>(position(*other, span));
      if (op == Op::subtract) return language::ScalarValue::of(a - b);
      if (cell::is_comparison(op))
        return language::binary(op, language::ScalarValue::of(a), language::ScalarValue::of(b), where(span));
      return std::nullopt;
    }
    const auto* number = std::get_if<language::ScalarValue>(&right);
    if (number == nullptr || (op != Op::add && op != Op::subtract)) return std::nullopt;
    return moved(*iterator, op == Op::add ? number->as_signed() : -number->as_signed(), span);
  }
  const auto *one = std::get_if<Container>(&left), *other = std::get_if<Container>(&right);
  if (one == nullptr || other == nullptr || !cell::is_comparison(op)) return std::nullopt;
  if (op == Op::equal || op == Op::different) return language::ScalarValue::of(same(left, right) == (op == Op::equal));
  if (!can_be_key(left) || !can_be_key(right))
    throw error(ErrorKind::unsupported, fmt::format("statements do not compare two values of {}", one->data->name),
                span)
        .advise("Compare their elements in a loop.");
  return language::binary(op, language::ScalarValue::of(compare_keys(left, right)), language::ScalarValue::of(0),
                          where(span));
}

}  // namespace xcuda::interpreter
