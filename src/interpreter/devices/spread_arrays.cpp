#include "interpreter/devices/spread_arrays.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "arrays/deferred.hpp"
#include "arrays/merge_runs.hpp"
#include "arrays/products.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/devices/devices.hpp"

namespace xcuda::interpreter {
namespace {

using Access = DeviceOrder::Range::Access;

}  // namespace

std::optional<std::size_t> SpreadArrays::Slice::dimension_of(const Shape& shape) const {
  const auto missing = rank - std::min(rank, shape.size());
  if (axis < missing || shape.size() > rank || shape[axis - missing] != extent) return std::nullopt;
  return axis - missing;
}

const Array* SpreadArrays::split_array(const Pointer& pointer) const {
  const auto* array = pointer.whole ? session_.arrays().find(pointer.owner) : nullptr;
  const bool split = array != nullptr && array->address == pointer.address &&
                     array->spread.kind == Spread::Kind::sharded && array->shape == pointer.shape &&
                     is_contiguous(pointer);
  return split ? array : nullptr;
}

const Array* SpreadArrays::split_array(const ArrayNode& node) const {
  if (node.kind == ArrayNode::Kind::array)
    if (const auto* array = split_array(node.array)) return array;
  for (const auto& input : node.inputs)
    if (const auto* array = split_array(*input)) return array;
  return nullptr;
}

namespace {

bool overlap(const Pointer& a, const Pointer& b) {
  const auto x = bytes_of(a), y = bytes_of(b);
  return x.first < y.last && y.first < x.last;
}

// The dimension of a product's matrices that is the axis of its result.
std::size_t matrix_axis(const arrays::ProductTerm& term, std::size_t axis) {
  return axis + (term.left_vector && axis + 2 >= term.shape.size() ? 1 : 0);
}

}  // namespace

bool SpreadArrays::can_be_split(const ArrayNode& node, const Spread& spread, std::size_t rank,
                                const Pointer* target) const {
  using Kind = ArrayNode::Kind;
  const Slice whole{0, 0, spread.bounds.back(), spread.bounds.back(), spread.axis, rank};
  switch (node.kind) {
    case Kind::pointer:
    case Kind::index: return false;
    case Kind::product:
      return node.shape.size() == rank && whole.dimension_of(node.shape) && can_be_split(*node.product, whole, target);
    case Kind::deferred: {
      const auto& deferred = *node.deferred;
      const auto apart = [&](const Pointer& read) { return target == nullptr || !overlap(read, *target); };
      return !deferred.value && deferred.part && node.shape.size() == rank && whole.dimension_of(node.shape) &&
             std::all_of(deferred.reads.begin(), deferred.reads.end(), apart) &&
             deferred.part(spread.axis, spread.bounds[0], spread.bounds[1]) != nullptr;
    }
    case Kind::array: {
      // Another array of this extent has to be cut at the same places, or it is read from wherever it lies. What is
      // written is read at the same places only: a device does not wait for what another one reads meanwhile.
      const auto* array = split_array(node.array);
      if (node.array.shape.size() > rank) return false;
      if (target != nullptr && overlap(node.array, *target) &&
          (node.array.address != target->address || node.array.shape != target->shape ||
           strides_of(node.array) != strides_of(*target) || node.array.type.size != target->type.size))
        return false;
      return array == nullptr || (node.array.shape.size() == rank && array->spread.axis == spread.axis &&
                                  array->spread.bounds == spread.bounds);
    }
    default: break;
  }
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](const auto& input) { return can_be_split(*input, spread, rank, target); });
}

// Rows of the left factor, columns of the right one, or some of several matrices.
bool SpreadArrays::can_be_split(const arrays::ProductTerm& term, const Slice& slice, const Pointer* target) const {
  if (term.value || session_.settings().deterministic) return false;  // other sizes may be added in another order
  if (target != nullptr && (overlap(term.left, *target) || overlap(term.right, *target))) return false;
  return matrix_axis(term, slice.axis) < term.shape.size();
}

Pointer SpreadArrays::here(const Pointer& pointer, std::uint32_t device) const {
  auto copy = pointer;
  const auto* array = session_.arrays().find(pointer.owner);
  if (array != nullptr && array->spread.kind == Spread::Kind::replicated)
    copy.address = session_.chosen().memory().copy_on(device, pointer.address);
  return copy;
}

Pointer SpreadArrays::slice(const Pointer& pointer, const Slice& slice) const {
  auto part = here(pointer, slice.device);
  const auto dimension = slice.dimension_of(pointer.shape);
  if (!dimension) return part;
  const bool contiguous = is_contiguous(pointer);
  const auto begin = part.address;
  part = piece_along(std::move(part), *dimension, slice.first, slice.last - slice.first);
  if (contiguous && *dimension == 0) {
    part.strides.clear();
    part.bytes = count_of(part.shape) * pointer.type.size;
  } else if (contiguous) {
    part.bytes -= part.address - begin;
  }
  return part;
}

std::shared_ptr<arrays::ProductTerm> SpreadArrays::slice(const arrays::ProductTerm& term, const Slice& slice) const {
  auto part = std::make_shared<arrays::ProductTerm>(term);
  const auto axis = matrix_axis(term, slice.axis), rank = term.shape.size(), count = slice.last - slice.first;
  part->left = here(term.left, slice.device);
  part->right = here(term.right, slice.device);
  if (axis + 1 != rank) part->left = piece_along(part->left, axis, slice.first, count);
  if (axis + 2 != rank) part->right = piece_along(part->right, axis, slice.first, count);
  part->shape[axis] = count;
  return part;
}

ArrayNodePtr SpreadArrays::slice(const ArrayNode& node, const Slice& slice) const {
  if (node.kind == ArrayNode::Kind::deferred) return node.deferred->part(slice.axis, slice.first, slice.last);
  auto part = std::make_shared<ArrayNode>(node);
  if (node.kind == ArrayNode::Kind::array) part->array = this->slice(node.array, slice);
  if (node.kind == ArrayNode::Kind::product) part->product = this->slice(*node.product, slice);
  if (const auto dimension = slice.dimension_of(node.shape)) part->shape[*dimension] = slice.last - slice.first;
  for (auto& input : part->inputs) input = this->slice(*input, slice);
  return part;
}

// Whole arrays, so that nobody waits while a step lasts.
std::vector<DeviceOrder::Work> SpreadArrays::work_on(const ArrayNode& node, const Pointer* target) const {
  const auto& order = session_.chosen().order();
  std::vector<DeviceOrder::Work> work;
  for (std::uint32_t device = 0; device < order.devices(); ++device) {
    work.push_back({device, {}});
    const auto add = [&](device::Address address) {
      const auto [begin, bytes] = session_.chosen().memory().allocation_of(address);
      work.back().ranges.push_back({begin, bytes, Access::write});
    };
    const auto read = [&](const Pointer& one) { add(session_.chosen().memory().copy_on(device, one.address)); };
    const auto visit = [&](const auto& self, const ArrayNode& one) -> void {
      if (one.kind == ArrayNode::Kind::array) read(one.array);
      if (one.kind == ArrayNode::Kind::product) read(one.product->left), read(one.product->right);
      if (one.kind == ArrayNode::Kind::deferred)
        for (const auto& each : one.deferred->reads) read(each);
      for (const auto& input : one.inputs) self(self, *input);
    };
    visit(visit, node);
    if (target != nullptr) add(target->address);
  }
  return work;
}

// Between devices that share no memory an assignment is a copy.
bool SpreadArrays::copy_across(const ArrayNode& node, const Pointer& target) {
  const auto& from = node.array;
  if (session_.device().shares_memory() || node.kind != ArrayNode::Kind::array) return false;
  if (from.type != target.type || from.shape != target.shape || !is_contiguous(from) || !is_contiguous(target))
    return false;
  const auto bytes = count_of(target.shape) * target.type.size;
  const auto& memory = session_.chosen().memory();
  if (bytes == 0 || memory.homes_of(from.address, bytes) == memory.homes_of(target.address, bytes)) return false;
  session_.submission().copy(target.address, from.address, bytes);
  return true;
}

namespace {

// Memory that is split as an array is; freed with the object, after what was posted.
class SplitMemory {
 public:
  SplitMemory(Session& session, const Array& like) : session_(session) {
    device::Placement placement;
    for (std::uint32_t device = 0; device + 1 < like.spread.bounds.size(); ++device) {
      const auto [first, last] = like.spread.part(device);
      placement.parts.push_back({device, (last - first) * like.type.size});
    }
    address_ = session.chosen().memory().allocate(placement, "a temporary array");
    session.submission().name_range(
        {address_, like.bytes(), static_cast<std::uint32_t>(like.type.size), "a temporary array", like.type.name});
  }
  ~SplitMemory() { session_.operations().workspace().free(address_); }
  SplitMemory(const SplitMemory&) = delete;
  SplitMemory& operator=(const SplitMemory&) = delete;
  device::Address address() const { return address_; }

 private:
  Session& session_;
  device::Address address_ = 0;
};

}  // namespace

// Each device sorts its part. Then neighbours are merged, in as many rounds as it takes to have one run; in each round
// a device writes what becomes its part, and reads the others' elements in order. Memory for a part is used again from
// sort to sort; memory that is split takes a GPU a millisecond to make, and only more than two devices need it.
void SpreadArrays::sort(const Pointer& x, const Array& array, const Pointer& target, cell::Span span) {
  const auto devices = session_.chosen().order().devices();
  auto& memory = session_.chosen().memory();
  const auto size = x.type.size;
  auto runs = array.spread.bounds;
  const auto rounds = static_cast<int>(std::bit_width(devices - 1));
  std::optional<SplitMemory> other;
  if (rounds > 1) other.emplace(session_, array);
  std::vector<Pointer> parts(devices);  // of two devices, sorted
  // Where element `at` is after so many rounds.
  const auto place_of = [&](int round, std::uint64_t at) {
    if (rounds > 1 || round == 1) return ((rounds - round) % 2 == 0 ? target.address : other->address()) + at * size;
    return parts[at == 0 ? 0 : 1].address;
  };
  const auto together = [&](const std::vector<device::Address>& used, const std::function<void(std::uint32_t)>& each) {
    std::vector<DeviceOrder::Work> work;
    for (std::uint32_t device = 0; device < devices; ++device) {
      work.push_back({device, {}});
      for (const auto address : used) {
        const auto [begin, bytes] = memory.allocation_of(memory.copy_on(device, address));
        work.back().ranges.push_back({begin, bytes, Access::write});
      }
    }
    session_.submission().together(work, [&](std::size_t device) { each(static_cast<std::uint32_t>(device)); });
  };
  std::vector<device::Address> used = {x.address};
  if (rounds > 1) used.push_back(place_of(0, 0));
  together(used, [&](std::uint32_t device) {
    const auto [first, last] = array.spread.part(device);
    auto part = piece_along(here(x, device), 0, first, last - first);
    part.strides.clear();
    part.bytes = (last - first) * size;
    auto sorted = part;
    if (rounds == 1)
      sorted = parts[device] = frame_.arrays.temporary(x.type, part.shape);
    else
      sorted.address = place_of(0, first);
    frame_.arrays.store(frame_.arrays.sort_node(part, ArrayMath::SortKeep::values, span), sorted);
  });
  for (int round = 1; round <= rounds; ++round) {
    used = {place_of(round, 0), place_of(round - 1, 0)};
    if (rounds == 1) used.push_back(place_of(0, runs[1]));
    together(used, [&](std::uint32_t device) {
      const auto [first, last] = array.spread.part(device);
      for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
        const auto end = runs[std::min(i + 2, runs.size() - 1)];
        const auto from = std::max(first, runs[i]), to = std::min(last, end);
        if (from < to)
          arrays::merge_runs(session_.operations(),
                             {place_of(round, 0), place_of(round - 1, runs[i]), place_of(round - 1, runs[i + 1]),
                              target.type, runs[i], runs[i + 1], end, from, to});
      }
    });
    std::vector<std::uint64_t> longer;
    for (std::size_t i = 0; i < runs.size(); i += 2) longer.push_back(runs[i]);
    if (runs.size() % 2 == 0) longer.push_back(runs.back());
    runs = std::move(longer);
  }
}

void SpreadArrays::store(const ArrayNodePtr& node, const Pointer& target) {
  auto& order = session_.chosen().order();
  if (order.several() && session_.submission().capture() == nullptr && copy_across(*node, target)) return;
  if (!order.several() || order.is_chosen() || session_.submission().capture() != nullptr)
    return frame_.arrays.store(node, target);
  const auto* array = split_array(target);
  // One GPU sorts faster than two merge what each has sorted: docs/decisions/device_set.md.
  const bool sorts = array != nullptr && session_.device_info().kind == device::Kind::cpu &&
                     session_.device().shares_memory() && node->kind == ArrayNode::Kind::deferred &&
                     node->deferred->sorts && !node->deferred->value &&
                     target.type.scalar == node->deferred->type.scalar && target.shape == node->shape;
  if (sorts) return sort(node->deferred->reads.front(), *array, target, node->span);
  if (array == nullptr || !can_be_split(*node, array->spread, target.shape.size(), &target)) {
    frame_.arrays.store(node, target);
    if (is_contiguous(target))
      session_.submission().copy(target.address, target.address, count_of(target.shape) * target.type.size);
    return;
  }
  session_.submission().together(work_on(*node, &target), [&](std::size_t device) {
    const auto number = static_cast<std::uint32_t>(device);
    const auto [first, last] = array->spread.part(number);
    const Slice part{number, first, last, array->spread.bounds.back(), array->spread.axis, target.shape.size()};
    frame_.arrays.store(slice(*node, part), slice(target, part));
  });
}

}  // namespace xcuda::interpreter
