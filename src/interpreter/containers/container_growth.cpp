// How containers grow: elements, ranges, heaps.
//
// What compares elements may throw, or change the container: elements move only after all is compared.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interpreter/containers/containers.hpp"
#include "interpreter/places.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::uint64_t kPollEvery = 1024;

bool is_heap(const ContainerData& data) { return data.type.kind == cell::ContainerKind::priority_queue; }

}  // namespace

void Containers::poll() {
  if (++polled_ % kPollEvery == 0) session_.interrupt_flag().check();
}

void Containers::require_room(const ContainerData& data, std::uint64_t more, cell::Span span) {
  if (data.size() + more > kMostItems)
    throw error(ErrorKind::value, fmt::format("a {} of statements has at most {} elements", data.name, kMostItems),
                span)
        .advise("A cell with %%cuda runs all of C++.");
}

// The item of a key that a container gets; value: of a map.
ItemPtr Containers::keyed(const ContainerData& data, ItemPtr key, ItemPtr value, cell::Span span) {
  if (!can_hold_key(data, key->value))
    throw error(ErrorKind::unsupported,
                fmt::format("{} cannot be a key of {}", language::describe(form_of(key->value)), data.name), span)
        .advise(
            "Keys are numbers, texts, pointers, and pairs of these; those of a std::map or a std::set also structs "
            "with operator<.");
  if (value != nullptr) return pair_of(data, std::move(key), std::move(value));
  key->read_only = true;
  return key;
}

void Containers::add(ContainerData& data, ItemPtr one, cell::Span span) {
  poll();
  if (data.type.is(cell::kMaps)) {
    const auto& pair = std::get<Container>(one->value);
    insert_key(data, pair.data->items[0], pair.data->items[1], span);
  } else if (data.type.is(cell::kSets)) {
    insert_key(data, std::move(one), nullptr, span);
  } else {
    push(data, std::move(one), span);
  }
}

// A list or a range at once: tables of g++ take their number of buckets from it, and heaps are made of it.
void Containers::add_all(ContainerData& data, const std::vector<ItemPtr>& items, cell::Span span) {
  require_room(data, items.size(), span);
  if (is_heap(data)) {
    std::vector<ItemPtr> all(data.items.begin(), data.items.end());
    all.insert(all.end(), items.begin(), items.end());
    std::make_heap(all.begin(), all.end(), heap_order(data));
    data.items.assign(all.begin(), all.end());
    return;
  }
  if (!data.type.is(cell::kHashed)) {
    for (const auto& one : items) add(data, one, span);
    return;
  }
  std::vector<std::pair<const Value, ItemPtr>> entries;
  for (const auto& one : items) {
    poll();
    const bool map = data.type.is(cell::kMaps);
    const auto* pair = map ? &std::get<Container>(one->value).data->items : nullptr;
    auto key = map ? (*pair)[0] : one;
    auto index = key->value;
    entries.emplace_back(std::move(index), keyed(data, std::move(key), map ? (*pair)[1] : nullptr, span));
  }
  if (data.hashed.empty() && data.hashed.bucket_count() == 1)  // a new one
    data.hashed = decltype(data.hashed)(entries.begin(), entries.end());
  else
    data.hashed.insert(entries.begin(), entries.end());
}

// v(a.begin(), a.end()): its elements as the container's own.
std::vector<ItemPtr> Containers::range(const ContainerData& data, const cell::Expression& first,
                                       const cell::Expression& last, cell::Span span) {
  const auto begin = Part::evaluate(first), end = Part::evaluate(last);
  const auto type = element_type(data);
  const auto outside = [&] {
    return error(ErrorKind::value, "a range goes from its beginning to its end in one container", span);
  };
  std::vector<ItemPtr> items;
  const auto take = [&](Value value) {
    poll();
    items.push_back(item_of(type, std::move(value), span));
    require_room(data, items.size(), span);
  };
  if (const auto* from = std::get_if<Iterator>(&begin), *to = std::get_if<Iterator>(&end); from != nullptr) {
    if (to == nullptr || from->of != to->of || from->reverse != to->reverse) throw outside();
    for (auto at = *from; at.item != to->item || at.index != to->index; at = moved(at, 1, span))
      take(value_of(*pointee(at, span), span));
    return items;
  }
  if (std::holds_alternative<NullPointer>(begin) && std::holds_alternative<NullPointer>(end)) return items;
  const auto *from = std::get_if<Pointer>(&begin), *to = std::get_if<Pointer>(&end);
  if (from == nullptr || to == nullptr || from->type != to->type || to->address < from->address) throw outside();
  for (auto at = *from; at.address < to->address; at.address += at.type.size) {
    auto one = at;
    one.shape.clear();
    take(frame_.places.element(one));
  }
  return items;
}

// push_back(), and std::push_heap of a priority queue.
void Containers::push(ContainerData& data, ItemPtr item, cell::Span span) {
  poll();
  require_room(data, 1, span);
  auto& items = data.items;
  if (!is_heap(data)) return items.push_back(std::move(item));
  const auto before = heap_order(data);
  const auto count = items.size();
  auto at = count;
  for (; at > 0; at = (at - 1) / 2) {
    const auto parent = items[(at - 1) / 2];
    const bool rises = before(parent, item);
    if (items.size() != count)
      throw error(ErrorKind::value, fmt::format("what orders the {} changes it", data.name), span);
    if (!rises) break;
  }
  items.push_back(nullptr);
  auto hole = count;
  for (; hole != at; hole = (hole - 1) / 2) items[hole] = std::move(items[(hole - 1) / 2]);
  items[at] = std::move(item);
}

// As std::pop_heap of g++: down to a leaf by the larger children, then up by the last element.
void Containers::pop(ContainerData& data) {
  auto& items = data.items;
  if (data.type.kind == cell::ContainerKind::queue) return items.pop_front();
  if (!is_heap(data) || items.size() == 1) return items.pop_back();
  const auto before = heap_order(data);
  const auto rest = items.size() - 1;
  const auto is_before = [&](std::size_t a, std::size_t b) {
    const auto left = items[a], right = items[b];
    const bool result = before(left, right);
    if (items.size() != rest + 1)
      throw error(ErrorKind::value, fmt::format("what orders the {} changes it", data.name), run_.current);
    return result;
  };
  std::vector<std::size_t> path = {0};
  while (2 * path.back() + 2 < rest) {
    const auto right = 2 * path.back() + 2;
    path.push_back(is_before(right, right - 1) ? right - 1 : right);
  }
  if (2 * path.back() + 1 < rest) path.push_back(2 * path.back() + 1);
  while (path.size() > 1 && is_before(path.back(), rest)) path.pop_back();
  for (std::size_t i = 1; i < path.size(); ++i) items[path[i - 1]] = std::move(items[path[i]]);
  items[path.back()] = std::move(items[rest]);
  items.pop_back();
}

void Containers::resize(ContainerData& data, const cell::Call& call, cell::Span span) {
  const auto& type = data.type.arguments[0];
  const auto count = count_of(*call.arguments[0].value);
  const auto pattern = call.arguments.size() > 1 ? item_of(type, *call.arguments[1].value) : nullptr;
  std::vector<ItemPtr> more;
  while (data.items.size() + more.size() < count)
    more.push_back(pattern != nullptr ? copy_of(*pattern, type, span) : default_item(type, span));
  while (data.items.size() > count) data.items.pop_back();
  data.items.insert(data.items.end(), more.begin(), more.end());
}

void Containers::store(Variable& place, Value value) {
  auto *held = std::get_if<Container>(&place.value), *other = std::get_if<Container>(&value);
  if (held != nullptr && other != nullptr) return held->data->take(*other->data);
  place.value = std::move(value);
}

}  // namespace xcuda::interpreter
