#include "interpreter/devices/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arrays/array_math.hpp"
#include "arrays/operations.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/launches/streams.hpp"

namespace xcuda::interpreter {
namespace {

using Access = DeviceOrder::Range::Access;

// The share of a device in so many elements: of a whole number of granules of memory, so that shares meet between
// the words that a kernel stores at once.
std::pair<std::uint64_t, std::uint64_t> share_of(std::uint64_t count, std::uint32_t device, std::uint32_t devices) {
  constexpr std::uint64_t kUnit = 512;  // elements
  const auto units = (count + kUnit - 1) / kUnit;
  const auto at = [&](std::uint64_t i) { return std::min(count, units * i / devices * kUnit); };
  return {at(device), at(device + 1)};
}

Pointer range_of(const Array& array, device::Address begin, std::uint64_t first, std::uint64_t last) {
  auto pointer = pointer_to(array);
  pointer.whole = false;
  pointer.address = begin + first * array.type.size;
  pointer.shape = {last - first};
  pointer.bytes = (last - first) * array.type.size;
  return pointer;
}

std::string spread_name(Spread::Kind kind) { return kind == Spread::Kind::sharded ? "shard(0)" : "replicated()"; }

}  // namespace

void Collectives::require(const Array& x, Spread::Kind kind, const FunctionCall& of) {
  frame_.streams.forbid_in_capture(of.row().name, of.span);
  const bool rows = kind != Spread::Kind::sharded || x.spread.axis == 0;
  if (x.spread.kind == kind && rows) return;
  throw error(ErrorKind::type, fmt::format("{}() needs {} to be declared {}", of.row().name, x.name, spread_name(kind)),
              of.span)
      .advise(fmt::format("{} = {};", declaration_text(x), spread_name(kind)));
}

void Collectives::require_alike(const Array& to, const Array& from, const FunctionCall& of) {
  if (to.type == from.type && to.shape == from.shape) return;
  throw error(ErrorKind::type,
              fmt::format("{}() takes two arrays of one type and shape: {} and {} differ", of.row().name,
                          declaration_text(to), declaration_text(from)),
              of.span);
}

DeviceOrder::Range Collectives::all_of(device::Address address, Access access) const {
  const auto [begin, bytes] = session_.chosen().memory().allocation_of(address);
  return {begin, bytes, access};
}

std::string Collectives::operation_of(const cell::Expression* expression) {
  if (expression == nullptr) return "sum";
  const auto* text = std::get_if<cell::StringLiteral>(&expression->node);
  const auto* name = std::get_if<cell::Name>(&expression->node);
  const auto op = text != nullptr ? text->value : name != nullptr ? name->text : std::string();
  for (const auto* known : {"sum", "prod", "min", "max"})
    if (op == known) return op;
  throw error(ErrorKind::value, "the operation is one of \"sum\", \"prod\", \"min\" and \"max\"", expression->span);
}

// In the order of the devices, so that the result is the same each time.
ArrayNodePtr Collectives::combined(const std::vector<Pointer>& copies, std::string_view op, cell::Span span) {
  auto result = array_node(copies.front(), span);
  for (std::size_t i = 1; i < copies.size(); ++i) {
    auto next = array_node(copies[i], span);
    if (op == "sum")
      result = frame_.array_expressions.combine(cell::BinaryOperator::add, {result, next}, span);
    else if (op == "prod")
      result = frame_.array_expressions.combine(cell::BinaryOperator::multiply, {result, next}, span);
    else
      result = frame_.array_expressions.combine(ArrayNode::Kind::function, fmt::format("xcuda::math::{}", op),
                                                {result, next}, span);
  }
  return result;
}

void Collectives::combine_apart(const Array& from, std::string_view op, const std::vector<Share>& shares,
                                const std::vector<Pointer>& targets, cell::Span span) {
  auto& order = session_.chosen().order();
  const auto& copies = session_.chosen().memory().copies_of(from.address);
  std::vector<std::unique_ptr<arrays::Temporary>> brought;
  std::vector<DeviceOrder::Work> work;
  arrays::Workspace& workspace = session_.operations().workspace();
  for (std::uint32_t device = 0; device < order.devices(); ++device) {
    const DeviceOrder::Use use(order, device);
    const auto bytes = (shares[device].last - shares[device].first) * from.type.size;
    brought.push_back(std::make_unique<arrays::Temporary>(workspace, bytes * order.devices()));
    work.push_back({device, {all_of(brought.back()->address(), Access::write)}});
    for (const auto copy : copies) work.back().ranges.push_back(all_of(copy, Access::read));
  }
  const auto place = [&](std::size_t device, std::size_t other) {
    const auto [first, last] = shares[device];
    if (other == device) return range_of(from, copies[device], first, last);
    const auto bytes = (last - first) * from.type.size;
    return range_of(from, brought[device]->address() + other * bytes, 0, last - first);
  };
  session_.submission().together(work, [&](std::size_t device) {
    for (std::size_t other = 0; other < copies.size(); ++other)
      if (other != device)
        session_.submission().copy(place(device, other).address, copies[other] + shares[device].first * from.type.size,
                                   place(device, other).bytes);
  });
  work.clear();
  for (std::uint32_t device = 0; device < order.devices(); ++device)
    work.push_back({device,
                    {all_of(brought[device]->address(), Access::read), all_of(copies[device], Access::write),
                     all_of(targets[device].address, Access::write)}});
  session_.submission().together(work, [&](std::size_t device) {
    if (shares[device].first == shares[device].last) return;
    std::vector<Pointer> terms;
    for (std::size_t other = 0; other < copies.size(); ++other) terms.push_back(place(device, other));
    auto target = targets[device];
    target.shape = terms.front().shape;
    frame_.arrays.store(combined(terms, op, span), target);
  });
}

void Collectives::all_reduce(const Array& x, const language::Bound& given, const FunctionCall& of) {
  const auto op = operation_of(given[1]);
  auto& order = session_.chosen().order();
  if (!order.several()) return;
  require(x, Spread::Kind::replicated, of);
  const auto copies = session_.chosen().memory().copies_of(x.address);
  std::vector<DeviceOrder::Work> work;
  for (std::uint32_t device = 0; device < order.devices(); ++device) {
    work.push_back({device, {}});
    for (const auto copy : copies) work.back().ranges.push_back(all_of(copy, Access::write));
  }
  if (!session_.device().shares_memory()) {
    std::vector<Share> shares;
    std::vector<Pointer> targets;
    for (std::uint32_t device = 0; device < order.devices(); ++device) {
      const auto [first, last] = share_of(x.count, device, order.devices());
      shares.push_back({first, last});
      targets.push_back(range_of(x, copies[device], first, last));
    }
    combine_apart(x, op, shares, targets, of.span);
    return session_.submission().together(work, [&](std::size_t device) {
      for (std::size_t other = 0; other < copies.size(); ++other)
        if (const auto& own = targets[other]; other != device && own.bytes > 0)
          session_.submission().copy(copies[device] + (own.address - copies[other]), own.address, own.bytes);
    });
  }
  session_.submission().together(work, [&](std::size_t device) {
    const auto [first, last] = share_of(x.count, static_cast<std::uint32_t>(device), order.devices());
    if (first == last) return;
    std::vector<Pointer> shares;
    for (const auto copy : copies) shares.push_back(range_of(x, copy, first, last));
    const auto& own = shares[device];
    frame_.arrays.store(combined(shares, op, of.span), own);
    for (const auto& share : shares)
      if (share.address != own.address) session_.submission().copy(share.address, own.address, own.bytes);
  });
}

void Collectives::reduce_scatter(const Array& to, const Array& from, const language::Bound& given,
                                 const FunctionCall& of) {
  const auto op = operation_of(given[2]);
  auto& order = session_.chosen().order();
  require_alike(to, from, of);
  if (!order.several()) return session_.submission().copy(to.address, from.address, to.bytes());
  require(to, Spread::Kind::sharded, of);
  require(from, Spread::Kind::replicated, of);
  const auto copies = session_.chosen().memory().copies_of(from.address);
  if (!session_.device().shares_memory()) {
    std::vector<Share> shares;
    std::vector<Pointer> targets;
    for (std::uint32_t device = 0; device < order.devices(); ++device) {
      targets.push_back(frame_.devices.part(to, device));
      const auto first = (targets.back().address - to.address) / to.type.size;
      shares.push_back({first, first + targets.back().bytes / to.type.size});
    }
    return combine_apart(from, op, shares, targets, of.span);
  }
  std::vector<DeviceOrder::Work> work;
  for (std::uint32_t device = 0; device < order.devices(); ++device) {
    work.push_back({device, {all_of(to.address, Access::write)}});
    for (const auto copy : copies) work.back().ranges.push_back(all_of(copy, Access::write));
  }
  session_.submission().together(work, [&](std::size_t device) {
    const auto target = frame_.devices.part(to, static_cast<std::uint32_t>(device));
    std::vector<Pointer> parts;
    for (const auto copy : copies) {
      auto part = target;
      part.owner = from.name;
      part.address = copy + (target.address - to.address);
      parts.push_back(std::move(part));
    }
    frame_.arrays.store(combined(parts, op, of.span), target);
  });
}

void Collectives::all_gather(const Array& to, const Array& from, const FunctionCall& of) {
  auto& order = session_.chosen().order();
  require_alike(to, from, of);
  if (!order.several()) return session_.submission().copy(to.address, from.address, to.bytes());
  require(to, Spread::Kind::replicated, of);
  require(from, Spread::Kind::sharded, of);
  const auto copies = session_.chosen().memory().copies_of(to.address);
  std::vector<DeviceOrder::Work> work;
  for (std::uint32_t device = 0; device < order.devices(); ++device)
    work.push_back({device, {all_of(copies[device], Access::write), all_of(from.address, Access::read)}});
  session_.submission().together(
      work, [&](std::size_t device) { session_.submission().copy(copies[device], from.address, from.bytes()); });
}

void Collectives::all_to_all(const Array& to, const Array& from, const FunctionCall& of) {
  auto& order = session_.chosen().order();
  require_alike(to, from, of);
  if (!order.several()) return session_.submission().copy(to.address, from.address, to.bytes());
  require(to, Spread::Kind::sharded, of);
  require(from, Spread::Kind::sharded, of);
  const std::uint64_t devices = order.devices();
  if (to.shape.front() % (devices * devices) != 0)
    throw error(ErrorKind::value,
                fmt::format("{}() exchanges {} blocks of each part, but {} has {} rows", of.row().name, devices,
                            to.name, to.shape.front()),
                of.span)
        .advise(fmt::format("The number of rows must be a multiple of {}.", devices * devices));
  const auto block = to.bytes() / (devices * devices);
  std::vector<DeviceOrder::Work> work;
  for (std::uint32_t device = 0; device < devices; ++device)
    work.push_back({device, {all_of(to.address, Access::write), all_of(from.address, Access::read)}});
  session_.submission().together(work, [&](std::size_t device) {
    for (std::uint64_t other = 0; other < devices; ++other)
      session_.submission().copy(to.address + (device * devices + other) * block,
                                 from.address + (other * devices + device) * block, block);
  });
}

// The root sends a share to each, and each sends its share to the others: the root sends the bytes twice, however many
// they are.
void Collectives::broadcast_apart(const Array& x, std::uint32_t root) {
  auto& order = session_.chosen().order();
  const auto copies = session_.chosen().memory().copies_of(x.address);
  std::vector<DeviceOrder::Work> work;
  for (std::uint32_t device = 0; device < order.devices(); ++device) {
    work.push_back({device, {all_of(copies[device], Access::write)}});
    for (const auto copy : copies) work.back().ranges.push_back(all_of(copy, Access::read));
  }
  const auto bring = [&](std::size_t device, std::uint32_t share, std::uint32_t from) {
    const auto [first, last] = share_of(x.count, share, order.devices());
    if (first < last && device != from && device != root)
      session_.submission().copy(copies[device] + first * x.type.size, copies[from] + first * x.type.size,
                                 (last - first) * x.type.size);
  };
  session_.submission().together(work,
                                 [&](std::size_t device) { bring(device, static_cast<std::uint32_t>(device), root); });
  session_.submission().together(work, [&](std::size_t device) {
    for (std::uint32_t share = 0; share < order.devices(); ++share)
      if (share != device) bring(device, share, share);
  });
}

void Collectives::broadcast(const Array& x, std::uint32_t root, const FunctionCall& of) {
  auto& order = session_.chosen().order();
  if (!order.several()) return;
  require(x, Spread::Kind::replicated, of);
  const auto copies = session_.chosen().memory().copies_of(x.address);
  if (!session_.device().shares_memory() && order.devices() > 2) return broadcast_apart(x, root);
  std::vector<DeviceOrder::Work> work;
  for (std::uint32_t device = 0; device < order.devices(); ++device)
    if (device != root)
      work.push_back({device, {all_of(copies[device], Access::write), all_of(copies[root], Access::read)}});
  session_.submission().together(
      work, [&](std::size_t i) { session_.submission().copy(copies[work[i].device], copies[root], x.bytes()); });
}

}  // namespace xcuda::interpreter
