#include "session/names.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "session/container_data.hpp"

namespace xcuda::session {
namespace {

using language::ScalarValue;

int order(auto a, auto b) { return a < b ? -1 : b < a ? 1 : 0; }

int order_of_numbers(const ScalarValue& a, const ScalarValue& b) {
  if (!a.is_integer() || !b.is_integer()) return order(a.as_real(), b.as_real());
  if (a.is_negative() != b.is_negative()) return a.is_negative() ? -1 : 1;
  return a.is_negative() ? order(a.as_signed(), b.as_signed()) : order(a.as_unsigned(), b.as_unsigned());
}

// The address in a pointer, 0 of a null one.
device::Address address_in(const Value& value) {
  const auto* pointer = std::get_if<Pointer>(&value);
  return pointer == nullptr ? 0 : pointer->address;
}

bool is_address(const Value& value) {
  const auto* pointer = std::get_if<Pointer>(&value);
  return std::holds_alternative<NullPointer>(value) || (pointer != nullptr && pointer->is_address);
}

}  // namespace

NameTable::Symbol NameTable::symbol(const std::string& name) {
  const auto [known, fresh] = symbols_.try_emplace(name, Symbol{static_cast<std::uint32_t>(bound_.size())});
  if (fresh) {
    texts_.push_back(&known->first);
    bound_.push_back(nullptr);
  }
  return known->second;
}

const Variable* NameTable::find(const std::string& name) const {
  const auto known = symbols_.find(name);
  return known == symbols_.end() ? nullptr : bound(known->second);
}

Variable* NameTable::find(const std::string& name) { return const_cast<Variable*>(std::as_const(*this).find(name)); }

void NameTable::refresh(Variable& reference) {
  reference.value = reference.seen->value;
  if (auto* pointer = std::get_if<Pointer>(&reference.value)) pointer->read_only = true;
}

NameTable::Local* NameTable::local_here(Symbol symbol) {
  for (auto i = locals_.size(); i-- > blocks_.back();)
    if (locals_[i].symbol == symbol) return &locals_[i];
  return nullptr;
}

Variable& NameTable::declare(const std::string& name, Variable variable) {
  const auto known = symbol(name);
  if (blocks_.empty()) return *(binding(known) = &outermost_.insert_or_assign(name, std::move(variable)).first->second);
  if (auto* local = local_here(known)) {
    local->variable = std::move(variable);
    local->kept.reset();
    return *(binding(known) = &local->variable);
  }
  auto& local = locals_.emplace_back(Local{known, depth(), std::move(variable), binding(known), nullptr});
  return *(binding(known) = &local.variable);
}

bool NameTable::ends_within(std::size_t depth, const Variable& variable) const {
  return std::any_of(locals_.begin(), locals_.end(),
                     [&](const Local& one) { return &one.variable == &variable && one.depth >= depth; });
}

void NameTable::alias(const std::string& name, Variable& variable) {
  const auto known = symbol(name);
  if (!blocks_.empty() && local_here(known) == nullptr)
    locals_.emplace_back(Local{known, depth(), {}, binding(known), nullptr});
  binding(known) = &variable;
}

void NameTable::alias(const std::string& name, const ItemPtr& variable) {
  alias(name, *variable);
  keep(name, variable);
}

void NameTable::keep(const std::string& name, std::shared_ptr<const void> what) {
  if (blocks_.empty())
    kept_[name] = std::move(what);
  else if (auto* local = local_here(symbol(name)))
    local->kept = std::move(what);
}

void NameTable::hide(const std::string& name) {
  const auto known = symbol(name);
  if (blocks_.empty() && !outermost_.contains(name)) binding(known) = nullptr;  // an alias
  if (binding(known) == nullptr || blocks_.empty()) return;
  locals_.emplace_back(Local{known, depth(), {}, binding(known), nullptr});
  binding(known) = nullptr;
}

bool NameTable::is_declared_here(const std::string& name) const {
  if (blocks_.empty()) return outermost_.contains(name);
  const auto known = symbols_.find(name);
  if (known == symbols_.end()) return false;
  return std::any_of(
      locals_.begin() + static_cast<std::ptrdiff_t>(blocks_.back()), locals_.end(),
      [&](const Local& local) { return local.symbol == known->second && bound(known->second) == &local.variable; });
}

void NameTable::remove(const std::string& name) {
  const auto known = symbols_.find(name);
  if (known == symbols_.end()) return;
  auto& visible = binding(known->second);
  if (visible == nullptr) return;
  for (auto& other : bound_)  // its aliases
    if (other == visible && &other != &visible) other = nullptr;
  for (auto& local : locals_)
    if (&local.variable == visible) {  // its place is kept until the block ends
      visible = std::exchange(local.hidden, nullptr);
      local.variable = {};
      local.symbol = symbol("");
      return;
    }
  visible = nullptr;
  outermost_.erase(name);
}

void NameTable::enter_function(std::size_t seen) {
  const auto callers = locals_.size();
  enter();
  for (std::size_t i = 0; i < callers; ++i) {
    const auto symbol = locals_[i].symbol;
    if (locals_[i].depth <= seen || local_here(symbol) != nullptr) continue;
    auto* outer = locals_[i].hidden;  // what it meant when the block at `seen` was the innermost
    if (const auto global = outermost_.find(name_of(symbol)); seen == 1)
      outer = global == outermost_.end() ? nullptr : &global->second;
    locals_.emplace_back(Local{symbol, depth(), {}, binding(symbol), nullptr});
    binding(symbol) = outer;
  }
}

void NameTable::leave() {
  for (; locals_.size() > blocks_.back(); locals_.pop_back()) binding(locals_.back().symbol) = locals_.back().hidden;
  blocks_.pop_back();
}

void NameTable::clear() {
  outermost_.clear();
  kept_.clear();
  locals_.clear();
  blocks_.clear();
  std::fill(bound_.begin(), bound_.end(), nullptr);
}

void NameTable::for_each(const std::function<void(Variable&)>& visit) {
  std::set<const ContainerData*> seen;
  const std::function<void(Variable&)> each = [&](Variable& variable) {
    visit(variable);
    const auto* container = std::get_if<Container>(&variable.value);
    if (container == nullptr || !seen.insert(container->data.get()).second) return;
    auto& data = *container->data;
    for (auto& item : data.items) each(*item);
    for (auto& [key, item] : data.sorted) each(*item);
    for (auto& [key, item] : data.hashed) each(*item);
  };
  for (auto& [name, variable] : outermost_) each(variable);
  for (auto& local : locals_) each(local.variable);
}

std::vector<std::string> NameTable::all() const {
  std::vector<std::string> names;
  for (const auto& [name, variable] : outermost_) names.push_back(name);
  for (const auto& local : locals_)
    if (bound(local.symbol) == &local.variable) names.push_back(name_of(local.symbol));
  return names;
}

// --- What containers hold (container_data.hpp) ---

int compare_keys(const Value& a, const Value& b) {
  if (const auto* one = std::get_if<ScalarValue>(&a), *other = std::get_if<ScalarValue>(&b);
      one != nullptr && other != nullptr)
    return order_of_numbers(*one, *other);
  if (const auto* one = std::get_if<std::string>(&a), *other = std::get_if<std::string>(&b);
      one != nullptr && other != nullptr)
    return one->compare(*other);
  const auto *one = std::get_if<Container>(&a), *other = std::get_if<Container>(&b);
  if (one == nullptr || other == nullptr) return order(address_in(a), address_in(b));
  const auto &left = *one->data, &right = *other->data;
  if (left.type.is(cell::kSorted))
    for (auto i = left.sorted.begin(), k = right.sorted.begin(); i != left.sorted.end() && k != right.sorted.end();
         ++i, ++k)
      if (const int first = compare_keys(i->second->value, k->second->value); first != 0) return first;
  for (std::size_t i = 0; i < std::min(left.items.size(), right.items.size()); ++i)
    if (const int first = compare_keys(left.items[i]->value, right.items[i]->value); first != 0) return first;
  return order(left.size(), right.size());
}

bool same_key(const Value& a, const Value& b) {
  const auto *one = std::get_if<ScalarValue>(&a), *other = std::get_if<ScalarValue>(&b);
  if (one != nullptr && other != nullptr && !(one->is_integer() && other->is_integer()))
    return one->as_real() == other->as_real();
  return compare_keys(a, b) == 0;
}

bool can_be_key(const Value& value) {
  if (const auto* container = std::get_if<Container>(&value)) {
    const auto& data = *container->data;
    if (data.type.is(cell::kHashed | cell::ContainerKind::text_stream | cell::ContainerKind::record)) return false;
    const auto can = [](const ItemPtr& item) { return can_be_key(item->value); };
    return std::all_of(data.items.begin(), data.items.end(), can) &&
           std::all_of(data.sorted.begin(), data.sorted.end(), [&](const auto& one) { return can(one.second); });
  }
  const auto* number = std::get_if<ScalarValue>(&value);
  return std::holds_alternative<std::string>(value) || is_address(value) ||
         (number != nullptr && !language::is_complex(number->kind()));
}

std::size_t hash_of_key(const Value& key) {
  if (const auto* text = std::get_if<std::string>(&key)) return std::hash<std::string>()(*text);
  const auto* number = std::get_if<ScalarValue>(&key);
  if (number == nullptr) return std::hash<device::Address>()(address_in(key));
  if (number->is_integer()) return static_cast<std::size_t>(number->as_unsigned());
  return number->kind() == language::Kind::float32 ? std::hash<float>()(static_cast<float>(number->as_real()))
                                                   : std::hash<double>()(number->as_real());
}

ContainerData::~ContainerData() {
  static thread_local std::vector<ItemPtr>* waiting = nullptr;
  std::vector<ItemPtr> own;
  auto& to = waiting != nullptr ? *waiting : own;
  const auto leave = [&](ItemPtr& one) {
    if (one != nullptr && std::holds_alternative<Container>(one->value)) to.push_back(std::move(one));
  };
  for (auto& one : items) leave(one);
  for (auto& [key, one] : sorted) leave(one);
  for (auto& [key, one] : hashed) leave(one);
  if (waiting != nullptr) return;
  waiting = &own;
  while (!own.empty()) {
    const ItemPtr last = std::move(own.back());
    own.pop_back();
  }
  waiting = nullptr;
}

void ContainerData::take(ContainerData& other) {
  if (record != nullptr) {  // references to members stay
    for (std::size_t i = 0; i < std::min(items.size(), other.items.size()); ++i) {
      auto *own = std::get_if<Container>(&items[i]->value), *given = std::get_if<Container>(&other.items[i]->value);
      if (own != nullptr && given != nullptr)
        own->data->take(*given->data);
      else
        std::swap(items[i]->value, other.items[i]->value);
    }
    return;
  }
  std::swap(items, other.items);
  std::swap(sorted, other.sorted);
  std::swap(hashed, other.hashed);
  std::swap(text, other.text);
  std::swap(before, other.before);
  std::swap(order, other.order);
}

}  // namespace xcuda::session
