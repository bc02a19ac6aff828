// The functions of containers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interpreter/containers/containers.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

using language::ContainerOperation;
using language::ScalarValue;

// {{1, 2}, {3, 4}} of a map
bool is_list_of_pairs(const cell::List& list) {
  return std::all_of(list.elements.begin(), list.elements.end(), [](const auto& one) {
    const auto* pair = std::get_if<cell::List>(&one->node);
    return pair != nullptr && pair->elements.size() == 2;
  });
}

std::shared_ptr<Variable> temporary(Value value) {
  return std::make_shared<Variable>(Variable{std::move(value), false, {}});
}

}  // namespace

std::size_t Containers::count_of(const cell::Expression& expression) {
  return count_of(expression, number(expression, "a number of elements"));
}

std::size_t Containers::count_of(const cell::Expression& expression, const language::ScalarValue& count) const {
  if (!count.is_integer() || count.is_negative() || count.as_unsigned() > kMostItems)
    throw error(ErrorKind::value, fmt::format("a container cannot have {} elements", count.text()), expression.span)
        .advise(fmt::format("One of statements has up to {}. A cell with %%cuda runs all of C++.", kMostItems));
  return count.as_unsigned();
}

Value Containers::key_of(const ContainerData& data, const cell::Expression& expression) {
  auto key = item_of(data.type.arguments[0], expression)->value;
  if (!can_hold_key(data, key))
    throw error(ErrorKind::unsupported,
                fmt::format("{} cannot be a key of {}", language::describe(form_of(key)), data.name), expression.span)
        .advise(
            "Keys are numbers, texts, pointers, and pairs of these; those of a std::map or a std::set also structs "
            "with operator<.");
  if (data.type.is(cell::kHashed) && (std::holds_alternative<Container>(key) || std::holds_alternative<Object>(key)))
    throw error(ErrorKind::type, fmt::format("C++ has no std::hash for the keys of {}", data.name), expression.span)
        .advise("Use a std::map or a std::set.");
  return key;
}

ItemPtr Containers::found_key(const ContainerData& data, const Value& key) const {
  if (data.type.is(cell::kHashed)) {
    const auto found = data.hashed.find(key);
    return found == data.hashed.end() ? nullptr : found->second;
  }
  const auto found = data.sorted.lower_bound(key);
  return found == data.sorted.end() || data.sorted.key_comp()(key, found->first) ? nullptr : found->second;
}

Iterator Containers::iterator_at(const Container& container, const ItemPtr& item) const {
  return {container.data, 0, item, false, false};
}

// The item of the key, new or not; value: of a map.
ItemPtr Containers::insert_key(ContainerData& data, ItemPtr key, ItemPtr value, cell::Span span) {
  const auto index = key->value;
  const bool several = data.type.is(cell::ContainerKind::multimap | cell::ContainerKind::multiset);
  if (!several && can_hold_key(data, index))
    if (auto known = found_key(data, index)) return known;
  auto item = keyed(data, std::move(key), std::move(value), span);
  require_room(data, 1, span);
  if (data.type.is(cell::kHashed)) return data.hashed.emplace(index, std::move(item)).first->second;
  return data.sorted.emplace(index, std::move(item))->second;
}

// What insert() gives: where it is, and whether it is new.
Value Containers::inserted(const Container& container, const ItemPtr& item, std::size_t before) {
  if (container.data->type.is(cell::ContainerKind::multimap | cell::ContainerKind::multiset))
    return iterator_at(container, item);
  auto pair = empty("std::pair<iterator, bool>", run_.current);
  for (Value part : {Value(iterator_at(container, item)), Value(ScalarValue::of(container.data->size() != before))})
    pair.data->items.push_back(temporary(std::move(part)));
  return pair;
}

namespace {

std::string out_of_range_text(const ContainerData& data, const ScalarValue& index) {
  const auto size = data.items.size();
  if (data.type.kind == cell::ContainerKind::array)
    return Exceptions::range_text("array::at: __n", index, ">= _Nm", size);
  const bool deque = data.type.kind == cell::ContainerKind::deque;
  return deque ? fmt::format("deque::_M_range_check: __n (which is {})>= this->size() (which is {})",
                             index.as_unsigned(), size)
               : Exceptions::range_text("vector::_M_range_check: __n", index, ">= this->size()", size);
}

}  // namespace

// v[i], m[k]
std::shared_ptr<Variable> Containers::element(ContainerData& data, const cell::Expression& index, Missing missing,
                                              Access access) {
  if (data.type.is(cell::kIndexed)) {
    const auto i = number(index, "a subscript");
    if (!i.is_integer() || i.is_negative() || i.as_unsigned() >= data.items.size()) {
      auto failure = error(ErrorKind::value,
                           fmt::format("index {} is out of bounds: the {} has {} element{}", i.text(), data.name,
                                       data.items.size(), data.items.size() == 1 ? "" : "s"),
                           index.span);
      if (missing == Missing::made) throw failure;  // of v[i]
      frame_.exceptions.raise(std::move(failure), {"std::out_of_range", out_of_range_text(data, i)});
    }
    return data.items[i.as_unsigned()];
  }
  if (!data.type.is(cell::ContainerKind::map | cell::ContainerKind::unordered_map))
    throw error(ErrorKind::type, fmt::format("a {} has no subscripts", data.name), index.span)
        .advise(fmt::format("It has {}.", language::container_methods(data.type)));
  const auto key = key_of(data, index);
  auto item = found_key(data, key);
  if (item == nullptr) {
    if (missing == Missing::refused)
      frame_.exceptions.raise(error(ErrorKind::value, fmt::format("the {} has no such key", data.name), index.span)
                                  .advise("m.count(key) says whether it is there; m[key] makes it."),
                              {"std::out_of_range",
                               data.type.kind == cell::ContainerKind::unordered_map ? "unordered_map::at" : "map::at"});
    if (access == Access::reads)
      throw error(ErrorKind::type, fmt::format("the {} is const, and [] makes keys that are not there", data.name),
                  index.span)
          .advise("Use at(key).");
    item = insert_key(data, temporary(key), default_item(data.type.arguments[1], index.span), index.span);
  }
  return std::get<Container>(item->value).data->items[1];
}

std::optional<Containers::Found> Containers::method(const Found& base, const cell::Call& call,
                                                    const cell::Member& member, const cell::Expression& expression) {
  const auto container = std::get<Container>(base.variable->value);
  auto& data = *container.data;
  const bool constant = base.constant || base.variable->read_only;
  const auto* row = language::find_container_method(data.type, member.member, call.arguments.size());
  if (row == nullptr) throw unknown_method(data, member, call);
  if (constant && language::changes(row->operation)) {
    const auto text = snippet(run_.source, base.upto->span);
    throw language::is_constant(frame_.text, text, base.upto->span);
  }
  const auto span = expression.span;
  const auto filled = [&] {
    if (data.items.empty())
      throw error(ErrorKind::value, fmt::format("{} is empty", snippet(run_.source, base.upto->span)), span);
  };
  switch (row->operation) {
    case ContainerOperation::at:
      return Found{
          element(data, *call.arguments[0].value, Missing::refused, constant ? Access::reads : Access::changes),
          &expression, false, constant};
    case ContainerOperation::front: filled(); return Found{data.items.front(), &expression, false, constant};
    case ContainerOperation::back: filled(); return Found{data.items.back(), &expression, false, constant};
    case ContainerOperation::top: {
      filled();
      const bool heap = data.type.kind == cell::ContainerKind::priority_queue;
      return Found{heap ? data.items.front() : data.items.back(), &expression, false, constant || heap};
    }
    case ContainerOperation::emplace_back:
      require_room(data, 1, span);
      data.items.push_back(item_of(data.type.arguments[0], pointers_to(call.arguments), span));
      return Found{data.items.back(), &expression};
    case ContainerOperation::emplace_front:
      require_room(data, 1, span);
      data.items.push_front(item_of(data.type.arguments[0], pointers_to(call.arguments), span));
      return Found{data.items.front(), &expression};
    case ContainerOperation::emplace:
      if (data.type.kind != cell::ContainerKind::optional) break;
      data.items = {item_of(data.type.arguments[0], pointers_to(call.arguments), span)};
      return Found{data.items.front(), &expression};
    case ContainerOperation::pop:
    case ContainerOperation::pop_back:
    case ContainerOperation::pop_front: filled(); break;
    default: break;
  }
  auto value = result_of(container, call, *row, expression);
  if (auto* iterator = std::get_if<Iterator>(&value)) iterator->constant = constant;
  return Found{temporary(std::move(value)), &expression};
}

Error Containers::unknown_method(const ContainerData& data, const cell::Member& member, const cell::Call& call) {
  return language::unknown_container_method(frame_.text, data.type, member, call);
}

Value Containers::result_of(const Container& container, const cell::Call& call, const language::ContainerMethod& row,
                            const cell::Expression& expression) {
  auto& data = *container.data;
  const auto span = expression.span;
  const auto argument = [&](std::size_t i) -> const cell::Expression& { return *call.arguments[i].value; };
  const auto& type = data.type.arguments.empty() ? data.name : data.type.arguments[0];
  switch (row.operation) {
    case ContainerOperation::size: return ScalarValue::of(static_cast<std::uint64_t>(data.size()));
    case ContainerOperation::empty: return ScalarValue::of(data.size() == 0);
    case ContainerOperation::begin: return first_of(container, Way::forward);
    case ContainerOperation::end: return end_of(container, Way::forward);
    case ContainerOperation::rbegin: return first_of(container, Way::back);
    case ContainerOperation::rend: return end_of(container, Way::back);
    case ContainerOperation::find: return iterator_at(container, found_key(data, key_of(data, argument(0))));
    case ContainerOperation::count: {
      const auto key = key_of(data, argument(0));
      return ScalarValue::of(
          static_cast<std::uint64_t>(data.type.is(cell::kHashed) ? data.hashed.count(key) : data.sorted.count(key)));
    }
    case ContainerOperation::contains: return ScalarValue::of(found_key(data, key_of(data, argument(0))) != nullptr);
    case ContainerOperation::lower_bound:
    case ContainerOperation::upper_bound: {
      const auto key = key_of(data, argument(0));
      const auto at = row.operation == ContainerOperation::lower_bound ? data.sorted.lower_bound(key)
                                                                       : data.sorted.upper_bound(key);
      return iterator_at(container, at == data.sorted.end() ? nullptr : at->second);
    }
    case ContainerOperation::has_value: return ScalarValue::of(data.size() != 0);
    case ContainerOperation::value_or:
      return data.items.empty() ? item_of(type, argument(0))->value : copy_of(*data.items.front(), type, span)->value;
    case ContainerOperation::text: return data.text->str();
    case ContainerOperation::reset_text: return data.text->str(frame_.texts.text(argument(0))), Nothing{};
    case ContainerOperation::good: return ScalarValue::of(data.text->good());
    case ContainerOperation::fail: return ScalarValue::of(data.text->fail());
    case ContainerOperation::ended: return ScalarValue::of(data.text->eof());
    case ContainerOperation::clear:
      if (data.text != nullptr) return data.text->clear(), Nothing{};
      data.items.clear();
      data.sorted.clear();
      data.hashed.clear();
      return Nothing{};
    case ContainerOperation::push_back:
    case ContainerOperation::push: return push(data, item_of(type, argument(0)), span), Nothing{};
    case ContainerOperation::push_front:
      require_room(data, 1, span);
      return data.items.push_front(item_of(type, argument(0))), Nothing{};
    case ContainerOperation::emplace: {
      if (!data.type.is(cell::kMaps) && !data.type.is(cell::kSets))
        return push(data, item_of(type, pointers_to(call.arguments), span), span), Nothing{};
      const auto before = data.size();
      ItemPtr item;
      if (data.type.is(cell::kMaps)) {
        if (call.arguments.size() != 2)
          throw error(ErrorKind::value, "emplace() of a map takes a key and a value", span);
        item = insert_key(data, item_of(type, argument(0)), item_of(data.type.arguments[1], argument(1)), span);
      } else {
        item = insert_key(data, item_of(type, pointers_to(call.arguments), span), nullptr, span);
      }
      return inserted(container, item, before);
    }
    case ContainerOperation::insert_or_assign:
    case ContainerOperation::try_emplace: {
      const auto before = data.size();
      const auto key = key_of(data, argument(0));
      auto item = found_key(data, key);
      const bool assigns = row.operation == ContainerOperation::insert_or_assign;
      if (item != nullptr && !assigns) return inserted(container, item, data.size());
      auto rest = pointers_to(call.arguments);
      rest.erase(rest.begin());
      auto value = item_of(data.type.arguments[1], rest, span);
      if (item != nullptr)
        store(*std::get<Container>(item->value).data->items[1], std::move(value->value));
      else
        item = insert_key(data, item_of(type, argument(0)), std::move(value), span);
      return inserted(container, item, before);
    }
    case ContainerOperation::pop: return pop(data), Nothing{};
    case ContainerOperation::pop_back: return data.items.pop_back(), Nothing{};
    case ContainerOperation::pop_front: return data.items.pop_front(), Nothing{};
    case ContainerOperation::insert: return insert(container, call, span);
    case ContainerOperation::erase: return erase(container, call, span);
    case ContainerOperation::resize: return resize(data, call, span), Nothing{};
    case ContainerOperation::assign: {
      auto other = empty(data.name, span);
      const auto* list = std::get_if<cell::List>(&argument(0).node);
      fill(*other.data, list != nullptr ? pointers_to(list->elements) : pointers_to(call.arguments),
           list != nullptr ? Braces::yes : Braces::no, span);
      return data.take(*other.data), Nothing{};
    }
    case ContainerOperation::fill: {
      const auto pattern = item_of(type, argument(0));
      for (const auto& one : data.items) store(*one, copy_of(*pattern, type, span)->value);
      return Nothing{};
    }
    case ContainerOperation::sort: {
      std::vector<ItemPtr> items(data.items.begin(), data.items.end());
      const auto before = order_of(call.arguments.empty() ? nullptr : &argument(0), span);
      std::stable_sort(items.begin(), items.end(),
                       [&](const ItemPtr& a, const ItemPtr& b) { return before(a->value, b->value); });
      data.items.assign(items.begin(), items.end());
      return Nothing{};
    }
    case ContainerOperation::reverse: return std::reverse(data.items.begin(), data.items.end()), Nothing{};
    case ContainerOperation::unique: {
      std::deque<ItemPtr> kept;
      for (const auto& one : data.items)
        if (kept.empty() || !same(kept.back()->value, one->value)) kept.push_back(one);
      return data.items.swap(kept), Nothing{};
    }
    case ContainerOperation::remove: {
      const auto value = item_of(type, argument(0));
      std::deque<ItemPtr> kept;
      for (const auto& one : data.items)
        if (!same(one->value, value->value)) kept.push_back(one);
      return data.items.swap(kept), Nothing{};
    }
    case ContainerOperation::exchange: {
      const auto other = Part::evaluate(argument(0));
      const auto* held = std::get_if<Container>(&other);
      if (held == nullptr || held->data->name != data.name) throw cannot_be(data.name, other, argument(0).span);
      return data.take(*held->data), Nothing{};
    }
    case ContainerOperation::reserve:
      if (data.type.is(cell::kHashed)) data.hashed.reserve(count_of(argument(0)));
      return Nothing{};
    default: break;
  }
  throw unknown_method(data, std::get<cell::Member>(call.callee->node), call);
}

Value Containers::insert(const Container& container, const cell::Call& call, cell::Span span) {
  auto& data = *container.data;
  const auto count = call.arguments.size();
  const auto argument = [&](std::size_t i) -> const cell::Expression& { return *call.arguments[i].value; };
  if (data.type.is(cell::kMaps) || data.type.is(cell::kSets)) {
    if (count == 2) return add_all(data, range(data, argument(0), argument(1), span), span), Nothing{};
    const auto before = data.size();
    const auto& type = data.type.arguments[0];
    if (const auto* list = std::get_if<cell::List>(&argument(0).node);
        list != nullptr && (data.type.is(cell::kMaps)
                                ? is_list_of_pairs(*list) && !type.starts_with("std::pair<")
                                : lists_elements(type, *list, span))) {  // s.insert({1, 2}), m.insert({{1, 2}, {3, 4}})
      std::vector<ItemPtr> entries;
      for (const auto& one : list->elements) entries.push_back(entry_of(data, *one));
      return add_all(data, entries, span), Nothing{};
    }
    auto entry = entry_of(data, argument(0));
    if (data.type.is(cell::kSets)) {
      const auto item = insert_key(data, std::move(entry), nullptr, span);
      return inserted(container, item, before);
    }
    const auto& pair = *std::get<Container>(entry->value).data;
    const auto item = insert_key(data, pair.items[0], pair.items[1], span);
    return inserted(container, item, before);
  }
  const auto at = position(iterator_of(argument(0)), span);
  auto more = empty(data.name, span);
  if (count == 3 && std::holds_alternative<Iterator>(Part::evaluate(argument(1))))
    add_all(*more.data, range(*more.data, argument(1), argument(2), span), span);
  else if (count == 3)
    fill(*more.data, {&argument(1), &argument(2)}, Braces::no, span);
  else if (const auto* list = std::get_if<cell::List>(&argument(1).node);
           list != nullptr && lists_elements(data.type.arguments[0], *list, span))  // v.insert(at, {1, 2})
    fill(*more.data, pointers_to(list->elements), Braces::yes, span);
  else
    more.data->items.push_back(item_of(data.type.arguments[0], argument(1)));
  require_room(data, more.data->items.size(), span);
  data.items.insert(data.items.begin() + static_cast<std::ptrdiff_t>(at), more.data->items.begin(),
                    more.data->items.end());
  return Iterator{container.data, at, nullptr, false, false};
}

void Containers::remove(ContainerData& data, const ItemPtr& item) {
  const auto& held = item->value;
  const auto& key = data.type.is(cell::kMaps) ? std::get<Container>(held).data->items[0]->value : held;
  const auto erase_from = [&](auto& table) {
    const auto [first, last] = table.equal_range(key);
    for (auto at = first; at != last; ++at)
      if (at->second == item) {
        table.erase(at);
        return;
      }
  };
  data.type.is(cell::kHashed) ? erase_from(data.hashed) : erase_from(data.sorted);
}

Value Containers::erase(const Container& container, const cell::Call& call, cell::Span span) {
  auto& data = *container.data;
  const auto argument = [&](std::size_t i) -> const cell::Expression& { return *call.arguments[i].value; };
  const bool range = call.arguments.size() == 2;
  const auto nothing_there = [&] {
    return error(ErrorKind::value, fmt::format("there is nothing to erase there in a {}", data.name), span);
  };
  if (data.type.is(cell::kSequences)) {
    const auto first = position(iterator_of(argument(0)), span);
    const auto last = range ? position(iterator_of(argument(1)), span) : first + 1;
    if (first > last || last > data.items.size()) throw nothing_there();
    const auto at = [&](std::size_t i) { return data.items.begin() + static_cast<std::ptrdiff_t>(i); };
    data.items.erase(at(first), at(last));
    return Iterator{container.data, first, nullptr, false, false};
  }
  const bool list = std::holds_alternative<cell::List>(argument(0).node);  // of a key that is a pair
  const auto value = list ? Value(Nothing{}) : Part::evaluate(argument(0));
  if (const auto* iterator = std::get_if<Iterator>(&value)) {
    auto at = *iterator;
    const auto end = range ? iterator_of(argument(1)).item : nullptr;
    if (at.item == nullptr && !range) throw nothing_there();
    do {
      if (range && at.item == end) break;
      const auto item = at.item;
      at = moved(at, 1, span);
      remove(data, item);
    } while (range && at.item != nullptr);
    return at;
  }
  const auto key = std::holds_alternative<Nothing>(value)
                       ? key_of(data, argument(0))
                       : item_of(data.type.arguments[0], value, argument(0).span)->value;
  const auto erased = data.type.is(cell::kHashed) ? data.hashed.erase(key) : data.sorted.erase(key);
  return ScalarValue::of(static_cast<std::uint64_t>(erased));
}

}  // namespace xcuda::interpreter
