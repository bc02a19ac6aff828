#include "interpreter/devices/spread_arrays.hpp"

#include <algorithm>

#include "interpreter/array_expressions.hpp"
#include "interpreter/devices/devices.hpp"

namespace xcuda::interpreter {
namespace {

using Access = DeviceOrder::Range::Access;

// How partial results of a reduction become one; nothing for a reduction that has no such operator.
std::optional<std::string_view> operator_of(std::string_view reducer) {
  constexpr std::pair<std::string_view, std::string_view> kKnown[] = {{"xcuda::Sum<xcuda_Own>", "+"},
                                                                      {"xcuda::Prod<xcuda_Own>", "*"},
                                                                      {"xcuda::Min<xcuda_Own>", "min"},
                                                                      {"xcuda::Max<xcuda_Own>", "max"}};
  for (const auto& [name, op] : kKnown)
    if (name == reducer) return op;
  return std::nullopt;
}

}  // namespace

const Array* SpreadArrays::split_array(const Pointer& pointer) const {
  const auto* array = pointer.whole ? session_.arrays().find(pointer.owner) : nullptr;
  const bool split = array != nullptr && array->address == pointer.address &&
                     array->spread.kind == Spread::Kind::sharded && array->spread.axis == 0 &&
                     array->shape == pointer.shape && is_contiguous(pointer);
  return split ? array : nullptr;
}

const Array* SpreadArrays::split_array(const ArrayNode& node) const {
  if (node.kind == ArrayNode::Kind::array)
    if (const auto* array = split_array(node.array)) return array;
  for (const auto& input : node.inputs)
    if (const auto* array = split_array(*input)) return array;
  return nullptr;
}

bool SpreadArrays::can_be_split(const ArrayNode& node, const Spread& spread, std::size_t rank) const {
  using Kind = ArrayNode::Kind;
  switch (node.kind) {
    case Kind::pointer:
    case Kind::index:
    case Kind::product:
    case Kind::deferred: return false;
    case Kind::array: {
      // Another array of this extent has to be cut at the same places, or it is read from wherever it lies.
      const auto* array = split_array(node.array);
      const bool whole = node.array.shape.size() == rank && node.array.shape.front() == spread.bounds.back();
      return node.array.shape.size() <= rank && (array == nullptr || (whole && array->spread.bounds == spread.bounds));
    }
    default: break;
  }
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](const auto& input) { return can_be_split(*input, spread, rank); });
}

Pointer SpreadArrays::slice(const Pointer& pointer, const Slice& slice) const {
  auto part = pointer;
  const auto* array = session_.arrays().find(pointer.owner);
  if (array != nullptr && array->spread.kind == Spread::Kind::replicated && pointer.whole)
    part.address = session_.chosen().memory().copy_on(slice.device, pointer.address);
  if (pointer.shape.size() != slice.rank || pointer.shape.front() != slice.extent) return part;
  const auto offset = static_cast<std::int64_t>(slice.first) * strides_of(pointer).front() *
                      static_cast<std::int64_t>(pointer.type.size);
  part.address += static_cast<std::uint64_t>(offset);
  part.shape.front() = slice.last - slice.first;
  part.whole = false;
  if (is_contiguous(pointer)) part.bytes = count_of(part.shape) * pointer.type.size;
  return part;
}

ArrayNodePtr SpreadArrays::slice(const ArrayNode& node, const Slice& slice) const {
  auto part = std::make_shared<ArrayNode>(node);
  if (node.kind == ArrayNode::Kind::array) part->array = this->slice(node.array, slice);
  if (node.shape.size() == slice.rank && node.shape.front() == slice.extent)
    part->shape.front() = slice.last - slice.first;
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
    const auto visit = [&](const auto& self, const ArrayNode& one) -> void {
      if (one.kind == ArrayNode::Kind::array) add(session_.chosen().memory().copy_on(device, one.array.address));
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

void SpreadArrays::store(const ArrayNodePtr& node, const Pointer& target) {
  auto& order = session_.chosen().order();
  if (order.several() && session_.submission().capture() == nullptr && copy_across(*node, target)) return;
  if (!order.several() || order.is_chosen() || session_.submission().capture() != nullptr)
    return frame_.arrays.store(node, target);
  const auto* array = split_array(target);
  if (array == nullptr || !can_be_split(*node, array->spread, target.shape.size())) {
    frame_.arrays.store(node, target);
    if (is_contiguous(target))
      session_.submission().copy(target.address, target.address, count_of(target.shape) * target.type.size);
    return;
  }
  session_.submission().together(work_on(*node, &target), [&](std::size_t device) {
    const auto number = static_cast<std::uint32_t>(device);
    const auto [first, last] = array->spread.part(number);
    const Slice part{number, first, last, array->spread.bounds.back(), target.shape.size()};
    frame_.arrays.store(slice(*node, part), slice(target, part));
  });
}

std::optional<Value> SpreadArrays::reduce(const ReduceRequest& request, cell::Span span) {
  auto& order = session_.chosen().order();
  if (!order.several() || order.is_chosen() || request.axis || request.keep == ReduceRequest::Keep::yes) return {};
  if (session_.submission().capture() != nullptr || session_.settings().deterministic) return {};
  const auto op = operator_of(request.reducer);
  const auto* array = op ? split_array(*request.node) : nullptr;
  if (array == nullptr || request.node->shape != array->shape) return {};
  if (!can_be_split(*request.node, array->spread, array->shape.size())) return {};
  std::vector<Pointer> partial;
  session_.submission().together(work_on(*request.node, nullptr), [&](std::size_t device) {
    const auto number = static_cast<std::uint32_t>(device);
    const auto [first, last] = array->spread.part(number);
    auto part = request;
    part.node = slice(*request.node, {number, first, last, array->spread.bounds.back(), array->shape.size()});
    partial.push_back(frame_.arrays.reduce(part));
  });
  const bool apart = !session_.device().shares_memory();
  if ((*op == "+" || *op == "*") && !apart) {  // one number is read
    auto whole = array_node(partial.front(), span);
    for (std::size_t i = 1; i < partial.size(); ++i)
      whole = frame_.array_expressions.combine(*op == "+" ? cell::BinaryOperator::add : cell::BinaryOperator::multiply,
                                               {whole, array_node(partial[i], span)}, span);
    return frame_.array_expressions.number_or_elements(frame_.arrays.evaluate(whole));
  }
  std::optional<language::ScalarValue> result;
  for (const auto& one : partial) {
    const auto value = number(frame_.array_expressions.number_of(one), span, "a partial result");
    if (!result)
      result = value;
    else if (*op == "+" || *op == "*")
      result = language::binary(*op == "+" ? cell::BinaryOperator::add : cell::BinaryOperator::multiply, *result, value,
                                where(span));
    else if (value.as_real() != value.as_real() ||
             language::binary(*op == "min" ? cell::BinaryOperator::less : cell::BinaryOperator::greater, value, *result,
                              where(span))
                 .truth())
      result = value;
  }
  return *result;
}

}  // namespace xcuda::interpreter
