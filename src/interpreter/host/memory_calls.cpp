// What the CUDA Runtime tells of memory, and hints about it, which have to be right.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "interpreter/devices/devices.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/launches/streams.hpp"
#include "language/constants.hpp"

namespace xcuda::interpreter {
// A device's number, cudaCpuDeviceId, or a cudaMemLocation: its type and the number.
void RuntimeCalls::require_location(const cell::Expression& expression) {
  const auto value = evaluate(expression);
  const auto* object = std::get_if<Object>(&value);
  int location[2] = {1, 0};
  if (object == nullptr) {
    const auto device = number(value, expression.span, "a device");
    const bool host = device.is_integer() && device.as_signed() == -1;
    if (!host) frame_.devices.number_of(expression);
    return;
  }
  if (object->type.name != "cudaMemLocation" || object->bytes.size() != sizeof location)
    throw error(ErrorKind::type, fmt::format("expected a device or a cudaMemLocation, got a {}", object->type.name),
                expression.span);
  std::memcpy(location, object->bytes.data(), sizeof location);
  const auto [type, device] = std::pair(location[0], location[1]);
  const auto devices = session_.device().devices();
  if (type == 1 && (device < 0 || static_cast<std::uint32_t>(device) >= devices))
    throw error(
        ErrorKind::value,
        fmt::format("{} is device {}, and the session has {}", snippet(run_.source, expression.span), device, devices),
        expression.span);
  if (type < 1 || type > 4)
    throw error(
        ErrorKind::value,
        fmt::format("{} has the type {}, which is not that of a place", snippet(run_.source, expression.span), type),
        expression.span)
        .advise("Its type is cudaMemLocationTypeDevice or cudaMemLocationTypeHost.");
}

// cudaMemPrefetchAsync(p, bytes, device, stream), (p, bytes, location, flags, stream)
Value RuntimeCalls::prefetch(const Arguments& given, cell::Span) {
  const auto bytes = size(*given[1], "the number of bytes");
  require(side(*given[0]), bytes, *given[0]);
  require_location(*given[2]);
  for (std::size_t i = 3; i < given.size(); ++i)
    if (given[i] != nullptr) frame_.streams.of(*given[i], i == 3 && given.size() == 5 ? "flags" : "the last argument");
  return kSuccess;
}

Value RuntimeCalls::advise(const Arguments& given, cell::Span) {
  const auto bytes = size(*given[1], "the number of bytes"), advice = size(*given[2], "a cudaMemoryAdvise");
  require(side(*given[0]), bytes, *given[0]);
  if (advice < 1 || advice > 6)
    throw error(ErrorKind::value, fmt::format("{} is not a cudaMemoryAdvise", snippet(run_.source, given[2]->span)),
                given[2]->span)
        .advise(
            "cudaMemAdviseSetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseSetAccessedBy, or one "
            "that takes these back");
  require_location(*given[3]);
  return kSuccess;
}

// cudaMemPoolGetAttribute(pool, attribute, &value) and cudaMemPoolSetAttribute(): hints, which are kept for the cell.
Value RuntimeCalls::pool_attribute(std::string_view name, const Arguments& given, cell::Span span) {
  constexpr std::uint64_t kLastFlag = 3, kThreshold = 4, kLast = 8;
  number(*given[0], "a pool");
  const auto attribute = size(*given[1], "an attribute");
  if (attribute < 1 || attribute > kLast)
    throw error(ErrorKind::value, fmt::format("{} is not an attribute of a pool", snippet(run_.source, given[1]->span)),
                given[1]->span);
  const auto place = target_of(*given[2]);
  if (attribute > kThreshold)
    throw error(ErrorKind::unsupported,
                fmt::format("a session does not count {}", snippet(run_.source, given[1]->span)), given[1]->span)
        .advise("cudaMemGetInfo(&available, &total) tells how much memory of the device is free.");
  if (name == "cudaMemPoolSetAttribute") {
    pool_[attribute] = number(frame_.targets.load(place), given[2]->span, "the value of an attribute").as_unsigned();
    return kSuccess;
  }
  const auto known = pool_.find(attribute);
  const std::uint64_t value = known != pool_.end() ? known->second : attribute <= kLastFlag ? 1 : 0;
  frame_.targets.store(place, language::ScalarValue::of(value), span);
  return kSuccess;
}

Array& RuntimeCalls::registered(const cell::Expression& memory) {
  const auto pointer = frame_.addresses.of(memory);
  const auto* array = session_.arrays().at(pointer.address);
  if (array != nullptr) return *session_.arrays().find(array->name);
  throw error(ErrorKind::value, fmt::format("{} is not memory of an array", snippet(run_.source, memory.span)),
              memory.span);
}

// cudaHostRegister(memory, bytes, flags)
Value RuntimeCalls::pin(const Arguments& given, cell::Span) {
  using Origin = Array::Origin;
  const auto bytes = size(*given[1], "the number of bytes");
  auto& array = registered(*given[0]);
  require(frame_.addresses.of(*given[0]), bytes, *given[0]);
  if (array.origin != Origin::declaration && array.origin != Origin::host)
    throw error(ErrorKind::value, fmt::format("{} is memory of the CUDA Runtime", snippet(run_.source, given[0]->span)),
                given[0]->span)
        .advise("Register arrays, and memory of malloc and new.");
  if (array.registered) return failed("cudaErrorHostMemoryAlreadyRegistered");
  array.registered = true;
  return kSuccess;
}

Value RuntimeCalls::unpin(const Arguments& given, cell::Span) {
  auto& array = registered(*given[0]);
  if (!array.registered) return failed("cudaErrorHostMemoryNotRegistered");
  array.registered = false;
  return kSuccess;
}

bool RuntimeCalls::is_managed(std::string_view variable) {
  const auto& known = session_.code().definitions();
  return std::any_of(known.begin(), known.end(), [&](const auto& one) {
    return one.piece.name == variable && one.text.find("__managed__") != std::string::npos;
  });
}

// cudaPointerGetAttributes(&attributes, p): memory by what made it. An array that is declared is one that both sides
// reach, and so managed.
Value RuntimeCalls::memory_attributes(const Arguments& given, cell::Span span) {
  using Origin = Array::Origin;
  enum class Kind : int { unregistered, host, device, managed };  // as cudaMemoryType has them
  const auto side = this->side(*given[1]);
  const auto* pointer = std::get_if<Pointer>(&side);
  const auto* array = pointer == nullptr ? nullptr : session_.arrays().at(pointer->address);
  auto kind = Kind::unregistered;
  if (array != nullptr && (array->registered || array->origin == Origin::pinned))
    kind = Kind::host;
  else if (array != nullptr && array->origin == Origin::host)
    kind = Kind::unregistered;
  else if (pointer != nullptr && pointer->variable)
    kind = is_managed(pointer->owner) ? Kind::managed : Kind::device;
  else if (array != nullptr && array->origin == Origin::device)
    kind = Kind::device;
  else if (array != nullptr)
    kind = Kind::managed;
  const auto address = pointer == nullptr ? device::Address{0} : pointer->address;
  const bool known = kind != Kind::unregistered;
  const auto no_device = static_cast<int>(language::known_constant("cudaInvalidDeviceId")->as_signed());
  const auto type = session_.code().find_type(run_.source, "cudaPointerAttributes", span);
  Object object{type, std::vector<std::byte>(type.size)};
  for (const auto& member : session_.code().members_of(type)) {
    const auto put = [&](const auto& value) { std::memcpy(&object.bytes[member.offset], &value, sizeof value); };
    if (member.name == "type") put(kind);
    if (member.name == "device") put(known ? static_cast<int>(array == nullptr ? 0 : array->spread.device) : no_device);
    if (member.name == "devicePointer") put(known ? address : device::Address{0});
    if (member.name == "hostPointer") put(kind == Kind::device ? device::Address{0} : address);
  }
  frame_.targets.store(frame_.targets.of(output(*given[0])), object, span);
  return kSuccess;
}

}  // namespace xcuda::interpreter
