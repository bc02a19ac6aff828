#include "interpreter/devices/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/array_node.hpp"
#include "interpreter/devices/collectives.hpp"
#include "interpreter/devices/messages.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "language/functions.hpp"
#include "language/part_calls.hpp"

namespace xcuda::interpreter {

using language::Operation;

Error Devices::no_device(std::string_view number, cell::Span span) {
  const auto devices = session_.chosen().order().devices();
  return error(ErrorKind::value, unknown_device(number, devices), span)
      .advise(devices == 1 ? "%device gpu:0-1 uses two GPUs together; %device cpu:2 works without any." : "");
}

std::uint32_t Devices::number_of(const cell::Expression& device) {
  session_.device();
  const auto value = number(device, "a device");
  if (!value.is_integer() || value.is_negative() || value.as_unsigned() >= session_.chosen().order().devices())
    throw no_device(value.text(), device.span);
  return static_cast<std::uint32_t>(value.as_unsigned());
}

std::uint32_t Devices::owner_of(const cell::Call& part) {
  const bool local = language::part_function(part)->operation == Operation::local_part;
  return local ? session_.chosen().order().current() : number_of(*part.arguments.back().value);
}

Value Devices::call(const FunctionCall& of) {
  const auto given = frame_.call_arguments.bound(of);
  auto& order = session_.chosen().order();
  switch (of.row().operation) {
    case Operation::current_device:
      if (given[0] == nullptr && given[1] == nullptr)
        return language::ScalarValue::of(static_cast<int>(order.current()));
      if (given[0] == nullptr || given[1] == nullptr)
        throw error(ErrorKind::type, "device() takes nothing, or an array and the number of a device", of.span)
            .advise("device() is the number of the current device, x.device(1) what device 1 has of x.");
      return part(spread_array(*given[0], of), number_of(*given[1]));
    case Operation::devices_in_use:
      session_.device();
      return language::ScalarValue::of(static_cast<int>(order.devices()));
    case Operation::local_part: return part(spread_array(*given[0], of), order.current());
    case Operation::all_reduce: frame_.collectives.all_reduce(spread_array(*given[0], of), given, of); break;
    case Operation::broadcast: {
      const auto root = given[1] == nullptr ? 0 : number_of(*given[1]);
      frame_.collectives.broadcast(spread_array(*given[0], of), root, of);
      break;
    }
    case Operation::reduce_scatter:
      frame_.collectives.reduce_scatter(spread_array(*given[0], of), spread_array(*given[1], of), given, of);
      break;
    case Operation::all_to_all:
      frame_.collectives.all_to_all(spread_array(*given[0], of), spread_array(*given[1], of), of);
      break;
    case Operation::send: frame_.messages.send(of); break;
    case Operation::receive: frame_.messages.receive(of); break;
    default: frame_.collectives.all_gather(spread_array(*given[0], of), spread_array(*given[1], of), of); break;
  }
  return Nothing{};
}

const Array& Devices::spread_array(const cell::Expression& expression, const FunctionCall& of) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  const auto* array = name == nullptr ? nullptr : session_.arrays().find(name->text);
  if (array == nullptr)
    throw error(
        ErrorKind::type,
        fmt::format("{}() takes the name of an array, got {}", of.row().name, snippet(run_.source, expression.span)),
        expression.span);
  return *array;
}

Pointer Devices::here(const Array& array) {
  const auto& order = session_.chosen().order();
  auto pointer = pointer_to(array);
  if (array.spread.kind == Spread::Kind::replicated && order.is_chosen())
    pointer.address = session_.chosen().memory().copy_on(order.current(), array.address);
  return pointer;
}

Pointer Devices::part(const Array& array, std::uint32_t device) {
  auto pointer = pointer_to(array);
  if (array.spread.kind == Spread::Kind::replicated)
    pointer.address = session_.chosen().memory().copy_on(device, array.address);
  if (array.spread.kind != Spread::Kind::sharded) return pointer;
  const auto axis = array.spread.axis;
  const auto [first, last] = array.spread.part(device);
  std::uint64_t below = 1;  // elements of a step along the axis
  for (std::size_t i = axis + 1; i < array.shape.size(); ++i) below *= array.shape[i];
  const auto strides = row_major(array.shape);
  pointer.whole = false;
  pointer.address += first * below * array.type.size;
  pointer.shape[axis] = last - first;
  if (axis == 0) {
    pointer.bytes = (last - first) * below * array.type.size;
  } else {
    pointer.bytes -= first * below * array.type.size;
    pointer.strides = strides;
  }
  return pointer;
}

Spread Devices::spread_of(const cell::Declarator& declarator, const std::vector<std::uint64_t>& shape) {
  const auto* call = declarator.init == nullptr ? nullptr : std::get_if<cell::Call>(&declarator.init->node);
  const auto function = call == nullptr ? std::nullopt : language::initial_function(*call);
  if (!function) return {};
  const auto operation = function->row->operation;
  if (operation != Operation::shard && operation != Operation::replicated) return {};
  session_.device();
  const auto devices = session_.chosen().order().devices();
  const auto span = declarator.init->span;
  const auto given = language::bind_arguments(frame_.text, *function->row, *call, span);
  Spread spread;
  if (operation == Operation::replicated) {
    if (devices > 1) spread.kind = Spread::Kind::replicated;
    return spread;
  }
  if (given[0] != nullptr) {
    const auto axis = number(*given[0], "the axis of shard()");
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto wanted = axis.is_negative() ? axis.as_signed() + rank : axis.as_signed();
    if (!axis.is_integer() || wanted < 0 || wanted >= rank)
      throw error(ErrorKind::value,
                  fmt::format("{} has no axis {}: it has {} dimension{}", declarator.name, axis.text(), shape.size(),
                              shape.size() == 1 ? "" : "s"),
                  given[0]->span);
    spread.axis = static_cast<std::size_t>(wanted);
  }
  if (spread.axis != 0 && devices > 1 && !session_.device().shares_memory())
    throw error(
        ErrorKind::unsupported,
        fmt::format("cannot split {} along axis {}: its parts would not be in one piece, and the devices share no "
                    "memory",
                    declarator.name, spread.axis),
        span)
        .advise("Split it along axis 0: shard(0).");
  const auto extent = shape[spread.axis];
  if (extent < devices)
    throw error(ErrorKind::value,
                fmt::format("cannot split {} along axis {}: its extent is {}, but there are {} devices",
                            declarator.name, spread.axis, extent, devices),
                span)
        .advise("Split it along a longer axis, or use replicated().");
  if (devices == 1) return {};
  spread.kind = Spread::Kind::sharded;
  for (std::uint64_t device = 0; device <= devices; ++device)
    spread.bounds.push_back(device * (extent / devices) + std::min<std::uint64_t>(device, extent % devices));
  return spread;
}

}  // namespace xcuda::interpreter
