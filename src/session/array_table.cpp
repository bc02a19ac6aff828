#include "session/array_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/type_names.hpp"
#include "session/chosen_device.hpp"
#include "session/names.hpp"
#include "session/stream_table.hpp"
#include "session/submission.hpp"
#include "session/textures.hpp"

namespace xcuda::session {

namespace {

constexpr std::string_view kUnnamed = "memory at ";  // of what no declaration names

constexpr std::string_view kInContainer = "vector ";  // with a number

// Names that no cell can write: an array that an inner block hides.
std::string hidden_name(const std::string& name, std::size_t depth) {
  return fmt::format("{} (hidden {})", name, depth);
}

}  // namespace

Array* ArrayTable::find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &*found->second;
}

const Array* ArrayTable::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &*found->second;
}

Array& ArrayTable::add(Array array) {
  arrays_.push_back(std::move(array));
  by_name_[arrays_.back().name] = std::prev(arrays_.end());
  return arrays_.back();
}

void ArrayTable::rename(const std::string& name, const std::string& to) {
  auto node = by_name_.extract(name);
  if (node.empty()) return;
  node.mapped()->name = to;
  node.key() = to;
  by_name_.insert(std::move(node));
}

std::vector<std::string> ArrayTable::names() const {
  std::vector<std::string> names;
  for (const auto& array : arrays_) names.push_back(array.name);
  return names;
}

const Array* ArrayTable::at(device::Address address) const {
  for (const auto& array : arrays_)
    if (address >= array.address && address < array.address + array.bytes()) return &array;
  for (const auto& array : arrays_)
    if (array.spread.kind == Spread::Kind::replicated)
      for (const auto copy : parts_.device.memory().copies_of(array.address))
        if (address >= copy && address < copy + array.bytes()) return &array;
  return nullptr;
}

Array ArrayTable::allocate(CellRun& run, New request) {
  run.current = request.span;
  parts_.submission.forbid_in_capture("an array cannot be created");
  std::uint64_t count = 1, bytes = 0;
  for (const auto extent : request.shape)
    if (__builtin_mul_overflow(count, extent, &count))
      throw Error(ErrorKind::value, fmt::format("the extents of {} overflow 64 bits", request.name))
          .at(run.source.place(request.span));
  if (__builtin_mul_overflow(count, request.type.size, &bytes))
    throw Error(ErrorKind::value, fmt::format("the size of {} overflows 64 bits", request.name))
        .at(run.source.place(request.span));
  Array array{request.name, request.type, std::move(request.shape), request.read_only, 0, count, run.source.name};
  run.current = request.span;  // where too much memory is reported
  auto& memory = parts_.device.memory();
  array.address = request.foreign ? memory.borrow(std::move(*request.foreign))
                                  : place(request.spread, array, std::max<std::uint64_t>(bytes, 1));
  array.spread = std::move(request.spread);
  array.spread.device = parts_.device.order().current();
  array.id = ++last_;
  parts_.submission.name_range(named_range(array));
  return array;
}

device::Address ArrayTable::place(const Spread& spread, const Array& array, std::uint64_t bytes) {
  auto& memory = parts_.device.memory();
  const auto& order = parts_.device.order();
  switch (spread.kind) {
    case Spread::Kind::none: return memory.allocate(device::Placement{{{order.current(), bytes}}}, array.name);
    case Spread::Kind::replicated: return memory.allocate_replicas(bytes, order.devices(), array.name);
    case Spread::Kind::sharded: break;
  }
  device::Placement placement;
  for (std::uint32_t device = 0; device < order.devices(); ++device) {
    const auto [first, last] = spread.part(device);
    // Along another axis than the first a part is not one range: the pages are shared out in the same proportions.
    const auto extent = spread.bounds.back();
    placement.parts.push_back({device, bytes / extent * (last - first)});
  }
  return memory.allocate(placement, array.name);
}

Array& ArrayTable::keep(Array array, std::string name) {
  array.name = name.empty() ? fmt::format("{}{:#x}", kUnnamed, array.address) : std::move(name);
  return add(std::move(array));
}

std::shared_ptr<Growth> keep_vector(ArrayTable& table, Array array) {
  array.name = fmt::format("{}{}", kInContainer, array.id);
  const auto name = array.name;
  auto* growth = new Growth{array.address, array.count, std::max<std::uint64_t>(array.count, 1)};
  std::shared_ptr<Growth> held(growth, [name, own = std::weak_ptr(table.own_)](Growth* ended) {
    if (const auto there = own.lock()) {
      try {
        (*there)->free(name);
      } catch (const std::exception&) {  // a device that failed says so to the next verb; nobody hears it here
        (*there)->drop(name);
      }
    }
    delete ended;
  });
  array.growth = std::shared_ptr<Growth>(std::shared_ptr<void>(), growth);  // which the table does not keep
  table.add(std::move(array));
  return held;
}

void ArrayTable::adopt(device::Address address, const std::string& name, const Type& type) {
  const auto found =
      std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& one) { return one.address == address; });
  if (found == arrays_.end() || !found->name.starts_with(kUnnamed) || type.size == 0) return;
  if (found->bytes() % type.size != 0) return;
  found->shape = {found->bytes() / type.size};
  found->count = found->shape.front();
  found->type = type;
  if (parts_.names.depth() == 1 && find(name) == nullptr) {
    rename(found->name, name);
    parts_.device.memory().rename(address, name);
  }
  parts_.submission.name_range(named_range(*found));
}

void ArrayTable::move(const std::function<device::Address(device::Address)>& to) {
  parts_.names.for_each([&](Variable& variable) {
    if (const auto* sparse = std::get_if<Sparse>(&variable.value))
      for (auto* part : sparse->matrix->parts()) part->address = to(part->address);
    auto* pointer = std::get_if<Pointer>(&variable.value);
    if (pointer == nullptr || pointer->address == 0 || pointer->variable || pointer->memory != nullptr) return;
    // One past the end belongs to the array before it.
    if (at(pointer->address) != nullptr)
      pointer->address = to(pointer->address);
    else if (at(pointer->address - 1) != nullptr)
      pointer->address = to(pointer->address - 1) + 1;
  });
  for (auto& array : arrays_) {
    array.address = to(array.address);
    if (array.growth) array.growth->address = array.address;
  }
}

void ArrayTable::gathered() {
  for (auto& array : arrays_) array.spread = {};
}

Array& ArrayTable::of(const Growth& growth) {
  return *std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& one) { return one.growth.get() == &growth; });
}

void ArrayTable::reserve(CellRun& run, Growth& growth, std::uint64_t capacity, cell::Span span) {
  if (capacity <= growth.capacity) return;
  auto& array = of(growth);
  auto larger = allocate(run, {array.name, array.type, {capacity}, array.read_only, span});
  if (array.bytes() > 0) parts_.submission.copy(larger.address, array.address, array.bytes());
  free_memory(array);
  array.address = growth.address = larger.address;
  growth.capacity = capacity;
  parts_.submission.name_range(named_range(array));
}

void ArrayTable::resize(CellRun& run, Growth& growth, std::uint64_t size, std::uint64_t capacity, cell::Span span) {
  if (size > growth.capacity) capacity = std::max({size, capacity, 2 * growth.capacity});
  reserve(run, growth, capacity, span);
  auto& array = of(growth);
  const auto before = array.count;
  array.shape = {size};
  array.count = growth.size = size;
  parts_.submission.name_range(named_range(array));
  if (size <= before || array.type.size == 0) return;
  parts_.submission.fill({array.address + before * array.type.size, (size - before) * array.type.size, {std::byte{0}}});
}

Array& ArrayTable::define(Array array) {
  array.depth = parts_.names.depth();
  const auto* before = find(array.name);
  const bool again = before != nullptr && before->depth == array.depth;
  undefine_here(array.name);
  parts_.names.hide(array.name);
  if (array.depth > 1 && !again) locals_.emplace_back(array.depth, array.name);
  return add(std::move(array));
}

void ArrayTable::undefine_here(const std::string& name) {
  if (parts_.names.is_declared_here(name)) {
    const bool sparse = std::holds_alternative<Sparse>(parts_.names.find(name)->value);
    parts_.names.remove(name);
    if (sparse)
      for (const auto part : kSparseParts) free(part_name(name, part));
  }
  const auto* array = find(name);
  if (array == nullptr) return;
  if (array->depth == parts_.names.depth()) {
    free(name);
    return;
  }
  hidden_.emplace_back(parts_.names.depth(), name);
  rename(name, hidden_name(name, parts_.names.depth()));
}

void ArrayTable::enter_block(BlockKind kind, std::size_t seen) {
  if (kind == BlockKind::inner) return parts_.names.enter();
  parts_.names.enter_function(seen);
  hide_callers(seen);
}

void ArrayTable::hide_callers(std::size_t seen) {
  const auto depth = parts_.names.depth();
  const auto of_callers = hidden_.size();
  const auto hide = [&](const std::string& name) {
    hidden_.emplace_back(depth, name);
    rename(name, hidden_name(name, depth));
  };
  for (const auto& [block, name] : locals_)
    if (const auto* array = find(name); array != nullptr && array->depth > seen) hide(name);
  // What a caller sees again is hidden for a lambda that sees the block that hides it.
  for (const auto& [function, block, name] : seen_again_)
    if (const auto* array = find(name); block <= seen && array != nullptr && array->depth < block) hide(name);
  for (auto i = of_callers; i-- > 0;) {
    const auto& [block, name] = hidden_[i];
    const auto* array = find(hidden_name(name, block));
    if (block <= seen || array == nullptr || array->depth > seen || find(name) != nullptr) continue;
    seen_again_.emplace_back(depth, block, name);
    rename(hidden_name(name, block), name);
  }
}

void ArrayTable::leave_block() {
  const auto depth = parts_.names.depth();
  for (; !locals_.empty() && locals_.back().first == depth; locals_.pop_back()) {
    const auto name = locals_.back().second;
    if (const auto* array = find(name); array != nullptr && array->depth == depth) free(name);
  }
  for (; !seen_again_.empty() && std::get<0>(seen_again_.back()) == depth; seen_again_.pop_back()) {
    const auto& [function, block, name] = seen_again_.back();
    rename(name, hidden_name(name, block));
  }
  for (; !hidden_.empty() && hidden_.back().first == depth; hidden_.pop_back())
    rename(hidden_name(hidden_.back().second, depth), hidden_.back().second);
  parts_.names.leave();
}

void ArrayTable::exchange(const std::string& a, const std::string& b) {
  const auto first = by_name_.find(a), second = by_name_.find(b);
  std::swap(first->second, second->second);
  first->second->name = a;
  second->second->name = b;
  std::swap(first->second->depth, second->second->depth);  // a name stays in its block
  for (const auto* array : {find(a), find(b)}) {
    parts_.device.memory().rename(array->address, array->name);
    parts_.submission.name_range(named_range(*array));
  }
}

void ArrayTable::free_memory(const Array& array) {
  if (!parts_.device.started()) return;
  parts_.textures.freed(array.address, array.bytes());
  parts_.submission.forget(array.address);
  if (lent_.contains(array.address))
    freed_.insert(array.address);
  else
    parts_.device.memory().free(array.address, parts_.streams.reuse());
}

void ArrayTable::lend(const Array& array) {
  // The session cannot see whether Python writes all of it: for --init it counts as written.
  if (lent_.insert(array.address).second) parts_.submission.name_range(named_range(array));
}

void ArrayTable::take_back_all_but(const std::set<device::Address>& held) {
  std::erase_if(lent_, [&](device::Address address) { return !held.contains(address); });
  std::erase_if(freed_, [&](device::Address address) {
    if (held.contains(address)) return false;
    parts_.device.memory().free(address, parts_.streams.reuse());
    return true;
  });
}

void ArrayTable::call_in() {
  for (const auto address : freed_) parts_.device.memory().free(address, parts_.streams.reuse());
  freed_.clear();
  lent_.clear();
  ++epoch_;
}

void ArrayTable::free(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  free_memory(*found->second);
  drop(name);
}

void ArrayTable::drop(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  arrays_.erase(found->second);
  by_name_.erase(found);
}

void ArrayTable::clear() {
  for (const auto& array : arrays_) free_memory(array);
  arrays_.clear();
  by_name_.clear();
}

bool is_in_container(const Array& array) { return array.name.starts_with(kInContainer); }

void let_grow(Array& array, std::uint64_t capacity) {
  array.growth = std::make_shared<Growth>(Growth{array.address, array.count, capacity});
}

device::ArrayRange named_range(const Array& array) {
  return {array.address, array.bytes(), static_cast<std::uint32_t>(array.type.size), array.name, array.type.name};
}

device::ArrayRange unwritten_range(const Array& array) {
  auto range = named_range(array);
  range.unwritten = true;
  return range;
}

Pointer pointer_to(const Array& array) {
  Pointer pointer;
  pointer.owner = array.name;
  pointer.address = array.address;
  pointer.type = array.type;
  pointer.shape = array.shape;
  pointer.bytes = array.bytes();
  pointer.whole = true;
  pointer.read_only = array.read_only;
  pointer.growth = array.growth;
  return pointer;
}

namespace {
std::string written_type(const Type& type) {
  return type.written.empty() ? with_written_types(type.name) : std::string(type.written);
}
}  // namespace

std::string declaration_text(const Array& array) {
  if (array.growth)
    return fmt::format("{}std::vector<{}> {}({})", array.read_only ? "const " : "", written_type(array.type),
                       array.name, array.count);
  auto text = fmt::format("{}{} {}", array.read_only ? "const " : "", written_type(array.type), array.name);
  for (const auto extent : array.shape) text += fmt::format("[{}]", extent);
  return text;
}

}  // namespace xcuda::session
