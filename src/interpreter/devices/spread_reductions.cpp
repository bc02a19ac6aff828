// Reductions over everything of arrays that are split: each device reduces its part, and the host puts together what
// the reducers keep.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interpreter/devices/partial_states.hpp"
#include "interpreter/devices/spread_arrays.hpp"

namespace xcuda::interpreter {
namespace {

// What a library computes goes to the device that is current then.
bool needs_library(const ArrayNode& node) {
  return node.kind == ArrayNode::Kind::product || node.kind == ArrayNode::Kind::deferred ||
         std::any_of(node.inputs.begin(), node.inputs.end(), [](const auto& input) { return needs_library(*input); });
}

PartialStates::Part part_of(const Array& array, std::uint32_t device) {
  const auto axis = array.spread.axis;
  const auto [first, last] = array.spread.part(device);
  return {count_of(std::span(array.shape).subspan(axis + 1)), first, last - first, array.shape[axis]};
}

}  // namespace

// Devices of several hosts are asked one after the other.
void SpreadArrays::read_states(std::span<const device::Address> states, std::span<std::byte> bytes) {
  const auto size = bytes.size() / states.size();
  if (!session_.device().shares_memory()) {
    for (std::size_t i = 0; i < states.size(); ++i)
      session_.submission().read(states[i], bytes.subspan(i * size, size));
    return;
  }
  std::vector<Submission::Piece> pieces;
  pieces.reserve(states.size());
  for (std::uint32_t device = 0; device < states.size(); ++device)
    pieces.push_back({device, states[device], bytes.subspan(device * size, size)});
  session_.submission().read(pieces);
}

struct SpreadArrays::Reduction {
  // What it is made for.
  ReduceRequest request;
  ArrayPattern pattern;
  struct Operand {
    device::Address address = 0;
    std::uint64_t array = 0;  // the id of the array that it is part of
    bool whole = false;
  };
  std::vector<Operand> operands;  // by node of the pattern; of numbers and operators nothing
  std::uint64_t generation = 0;   // of plans

  const Array* split = nullptr;
  std::vector<DeviceOrder::Work> work;
  std::vector<ArrayMath::Prepared> prepared;  // by device; where a library computes first, of those that have begun
  std::vector<PartialStates::Part> parts;
  std::optional<PartialStates> states;  // before the first
  std::uint64_t elements = 0;
  bool needs_library = false;
};

SpreadArrays::SpreadArrays(Frame& frame) : Part(frame) {}
SpreadArrays::~SpreadArrays() = default;

namespace {

bool is_place(const ArrayNode& node) {
  return node.kind == ArrayNode::Kind::array || node.kind == ArrayNode::Kind::pointer;
}

std::uint64_t id_of(const ArrayTable& arrays, const Pointer& pointer) {
  const auto* array = arrays.find(pointer.owner);
  return array == nullptr ? 0 : array->id;
}

}  // namespace

// The same arrays, and where they are: the numbers among the operands are put into the parts.
bool SpreadArrays::is_ready(Reduction& known, const ReduceRequest& request) const {
  ArrayPattern::Nodes nodes;
  if (known.request.reducer != request.reducer || !known.pattern.matches(*request.node, nodes)) return false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& operand = known.operands[i];
    const auto& place = nodes[i].array;
    if (is_place(nodes[i])) {
      if (place.address != operand.address || place.whole != operand.whole ||
          id_of(session_.arrays(), place) != operand.array)
        return false;
    } else if (nodes[i].kind == ArrayNode::Kind::scalar) {
      for (auto& prepared : known.prepared) prepared.nodes.put(i, nodes[i]);
    }
  }
  return true;
}

SpreadArrays::Reduction* SpreadArrays::known(const ReduceRequest& request) {
  const auto generation = session_.operations().plans().generation();
  for (auto& one : reductions_)
    if (one->generation == generation && is_ready(*one, request)) return one.get();
  return nullptr;
}

// Null: it cannot be done in parts.
std::unique_ptr<SpreadArrays::Reduction> SpreadArrays::make(const ReduceRequest& request) {
  if (!PartialStates::knows(request.reducer)) return nullptr;
  const auto* array = split_array(*request.node);
  if (array == nullptr || request.node->shape != array->shape) return nullptr;
  if (!can_be_split(*request.node, array->spread, array->shape.size(), nullptr)) return nullptr;
  auto made = std::make_unique<Reduction>();
  made->needs_library = needs_library(*request.node);
  // What compares elements with a product sees the product that it would see alone.
  if (made->needs_library && PartialStates::is_exact(request.reducer)) return nullptr;
  made->request = request;
  made->request.leaves = ReduceRequest::Leaves::state;
  made->split = array;
  made->elements = count_of(array->shape);
  made->work = work_on(*request.node, nullptr);
  for (std::uint32_t device = 0; device < made->work.size(); ++device) {
    made->parts.push_back(part_of(*array, device));
    if (made->needs_library) continue;
    prepare(*made, device);
    if (!made->states) return nullptr;
  }
  return made;
}

// With the part of a device.
void SpreadArrays::prepare(Reduction& reduction, std::uint32_t device) {
  const auto& array = *reduction.split;
  const auto [first, last] = array.spread.part(device);
  auto part = reduction.request;
  part.node =
      slice(*part.node, {device, first, last, array.spread.bounds.back(), array.spread.axis, array.shape.size()});
  reduction.prepared.push_back(frame_.arrays.prepare_state(part));
  const auto& plan = *reduction.prepared.back().plan;
  reduction.states = PartialStates::of(part.reducer, {plan.own, plan.type, plan.state_bytes});
}

// What has memory of its own lives only as long as its statement, and a place without an array may change its owner.
void SpreadArrays::keep(std::unique_ptr<Reduction> made, const ReduceRequest& request) {
  constexpr std::size_t kMostKnown = 16;
  ArrayPattern::Nodes nodes;
  auto pattern = ArrayPattern::of(*request.node, nodes);
  if (!pattern) return;
  made->pattern = std::move(*pattern);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& place = nodes[i].array;
    if (place.memory != nullptr) return;
    made->operands.emplace_back();
    if (!is_place(nodes[i])) continue;
    const auto array = id_of(session_.arrays(), place);
    if (array == 0) return;
    made->operands.back() = {place.address, array, place.whole};
  }
  made->generation = session_.operations().plans().generation();
  if (reductions_.size() == kMostKnown) reductions_.pop_back();
  reductions_.insert(reductions_.begin(), std::move(made));
}

std::optional<language::ScalarValue> SpreadArrays::reduce(const ReduceRequest& request) {
  auto& order = session_.chosen().order();
  if (!order.several() || order.is_chosen() || request.axis) return {};
  if (session_.submission().capture() != nullptr || session_.settings().deterministic) return {};
  auto* reduction = known(request);
  std::unique_ptr<Reduction> made;
  if (reduction == nullptr) {
    made = make(request);
    if (made == nullptr) return {};
    reduction = made.get();
  }
  std::vector<device::Address> addresses;
  addresses.reserve(reduction->parts.size());
  session_.submission().together(reduction->work, [&](std::size_t device) {
    if (reduction->needs_library) prepare(*reduction, static_cast<std::uint32_t>(device));
    if (reduction->states) addresses.push_back(frame_.arrays.reduce(reduction->prepared[device]));
  });
  if (!reduction->states) return {};
  const auto size = reduction->prepared.front().plan->state_bytes;
  std::vector<std::byte> bytes(size * addresses.size());
  read_states(addresses, bytes);
  auto states = *reduction->states;
  for (std::size_t device = 0; device < addresses.size(); ++device)
    states.add(std::span(bytes).subspan(device * size, size), reduction->parts[device]);
  if (made != nullptr) keep(std::move(made), request);
  return states.result(reduction->elements);
}

}  // namespace xcuda::interpreter
