#include "interpreter/host/device_calls.hpp"

#include "cell/conditional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>

#include "interpreter/devices/devices.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/targets.hpp"
#include "language/device_properties.hpp"

namespace xcuda::interpreter {
namespace {

using language::DeviceProperty;

// "GPU-0f2c..." as bytes; all 0 of a device that has none.
std::array<std::byte, 16> uuid_bytes(std::string_view uuid) {
  std::array<std::byte, 16> bytes{};
  std::string digits;
  if (uuid.starts_with("GPU-"))
    std::copy_if(uuid.begin() + 4, uuid.end(), std::back_inserter(digits), [](char c) { return c != '-'; });
  for (std::size_t i = 0; i < bytes.size() && 2 * i + 1 < digits.size(); ++i)
    bytes[i] = static_cast<std::byte>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  return bytes;
}

std::int64_t value_of(const language::DevicePropertyRow& row, const device::DeviceInfo& info) {
  if (row.property == DeviceProperty::fixed) return row.limit;
  const auto property = row.property;
  const auto khz = [](double hz) { return static_cast<std::int64_t>(hz / 1e3); };
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  switch (property) {
    case DeviceProperty::name:
    case DeviceProperty::uuid: return 0;  // not numbers
    case DeviceProperty::pci_bus: return info.pci_bus;
    case DeviceProperty::pci_device: return info.pci_device;
    case DeviceProperty::pci_domain: return info.pci_domain;
    case DeviceProperty::memory: return number(info.memory_total);
    case DeviceProperty::constant_memory: return number(info.constant_memory);
    case DeviceProperty::l2_cache: return number(info.l2_cache);
    case DeviceProperty::shared_per_block: return number(info.shared_per_block);
    case DeviceProperty::shared_per_block_optin: return number(info.shared_per_block_optin);
    case DeviceProperty::shared_per_multiprocessor: return number(info.shared_per_multiprocessor);
    case DeviceProperty::registers_per_block: return number(info.registers_per_block);
    case DeviceProperty::registers_per_multiprocessor: return number(info.registers_per_multiprocessor);
    case DeviceProperty::warp_size: return info.warp_size;
    case DeviceProperty::threads_per_block: return number(info.max_threads_per_block);
    case DeviceProperty::threads_per_multiprocessor: return number(info.max_threads_per_multiprocessor);
    case DeviceProperty::blocks_per_multiprocessor: return number(info.max_blocks_per_multiprocessor);
    case DeviceProperty::block_x: return info.max_block.x;
    case DeviceProperty::block_y: return info.max_block.y;
    case DeviceProperty::block_z: return info.max_block.z;
    case DeviceProperty::grid_x: return info.max_grid.x;
    case DeviceProperty::grid_y: return info.max_grid.y;
    case DeviceProperty::grid_z: return info.max_grid.z;
    case DeviceProperty::clock_khz: return khz(info.clock_hz);
    case DeviceProperty::memory_clock_khz: return khz(info.memory_clock_hz);
    case DeviceProperty::memory_bus_bits:  // two transfers in each cycle
      return info.memory_clock_hz > 0 ? number(info.peak_bandwidth * 8 / (2 * info.memory_clock_hz) + 0.5) : 0;
    case DeviceProperty::compute_major: return info.compute_major;
    case DeviceProperty::compute_minor: return info.compute_minor;
    case DeviceProperty::multiprocessors: return info.multiprocessors;
    case DeviceProperty::integrated: return info.kind == device::Kind::cpu;
    case DeviceProperty::error_correction: return info.ecc.value_or(false);
    case DeviceProperty::cooperative_launch: return info.cooperative_launch;
    case DeviceProperty::alignment: return 512;                                       // bytes, as GPUs have it
    case DeviceProperty::reserved_shared: return info.compute_major >= 8 ? 1024 : 0;  // bytes
    case DeviceProperty::clusters: return info.compute_major >= 9;
    case DeviceProperty::fixed:  // of its row
    case DeviceProperty::no: return 0;
    case DeviceProperty::yes:
    case DeviceProperty::concurrent_kernels:
    case DeviceProperty::unified_memory: return 1;
  }
  return 0;
}

}  // namespace

Value DeviceCalls::call(language::Operation operation, const language::Bound& given, cell::Span span) {
  using language::Operation;
  switch (operation) {
    case Operation::use_device: session_.chosen().order().use(frame_.devices.number_of(*given[0])); break;
    case Operation::device_number:
      store(*given[0], language::ScalarValue::of(static_cast<int>(session_.chosen().order().current())), span);
      break;
    case Operation::peer_access:
      store(*given[0], language::ScalarValue::of(reaches(*given[1], *given[2]) ? 1 : 0), span);
      break;
    case Operation::peer_attribute: store(*given[0], language::ScalarValue::of(peer_attribute(given)), span); break;
    case Operation::change_peer: return change_peer(given);
    case Operation::bus_id: {
      const auto id = bus_id(frame_.devices.number_of(*given[2]));
      if (frame_.runtime_calls.size(*given[1], "the length of the text") <= id.size())
        throw error(ErrorKind::value, fmt::format("the id of a PCI bus has {} characters and a 0", id.size()),
                    given[1]->span);
      frame_.runtime_calls.write_text(*given[0], id, span);
      break;
    }
    case Operation::device_at_bus:
      store(*given[0], language::ScalarValue::of(static_cast<int>(device_at_bus(*given[1]))), span);
      break;
    case Operation::set_limit: set_limit(given); break;
    case Operation::get_limit: get_limit(given, span); break;
    case Operation::priorities:  // and preferences: a session has none
      for (const auto* one : given) store(*one, language::ScalarValue::of(0), span);
      break;
    case Operation::runtime_version: store(*given[0], language::ScalarValue::of(cell::kRuntimeVersion), span); break;
    case Operation::device_count:
      session_.device();
      store(*given[0], language::ScalarValue::of(static_cast<int>(session_.chosen().order().devices())), span);
      break;
    case Operation::device_properties:
      frame_.devices.number_of(*given[1]);
      store(*given[0], properties(span), span);
      break;
    case Operation::device_attribute:
      frame_.devices.number_of(*given[2]);
      store(*given[0], attribute(*given[1]), span);
      break;
    case Operation::memory_info: memory(given, span); break;
    case Operation::active_blocks: active_blocks(given, span); break;
    case Operation::available_shared: available_shared(given, span); break;
    case Operation::kernel_attributes: kernel_attributes(given, span); break;
    case Operation::set_kernel_attribute: set_kernel_attribute(given); break;
    case Operation::best_block_of_size: best_block_of_size(given, span); break;
    case Operation::set_kernel_cache: set_kernel_cache(given); break;
    default: best_block(given, span); break;
  }
  return kSuccess;
}

// All devices of the session reach each other's arrays.
bool DeviceCalls::reaches(const cell::Expression& device, const cell::Expression& peer) {
  session_.device();
  const auto here = number(device, "a device"), there = number(peer, "a device");
  const auto is_used = [&](const language::ScalarValue& one) {
    return one.is_integer() && !one.is_negative() && one.as_unsigned() < session_.chosen().order().devices();
  };
  return is_used(here) && is_used(there) && here.as_unsigned() != there.as_unsigned();
}

void DeviceCalls::store(const cell::Expression& output, const Value& value, cell::Span span) {
  frame_.targets.store(frame_.targets.of(frame_.runtime_calls.output(output)), value, span);
}

Object DeviceCalls::properties(cell::Span span) {
  const auto& info = session_.device_info();
  const auto type = session_.code().find_type(run_.source, std::string(language::kDeviceProperties), span);
  Object object{type, std::vector<std::byte>(type.size)};
  const auto rows = language::device_properties();
  for (const auto& member : session_.code().members_of(type)) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.member == member.name; });
    if (row == rows.end()) continue;
    const auto bytes = std::span(object.bytes).subspan(member.offset);
    if (row->property == DeviceProperty::name) {
      const auto most = member.shape.empty() ? 0 : member.shape.front() - 1;  // and a 0
      std::memcpy(bytes.data(), info.name.data(), std::min<std::size_t>(info.name.size(), most));
      continue;
    }
    if (row->property == DeviceProperty::uuid) {
      const auto uuid = uuid_bytes(info.uuid);
      std::copy_n(uuid.begin(), std::min(uuid.size(), bytes.size()), bytes.begin());
      continue;
    }
    const auto count = member.shape.empty() ? 1 : member.shape.front();
    for (std::size_t i = 0; i < count; ++i, ++row)
      language::convert(language::ScalarValue::of(value_of(*row, info)), member.type)
          .store(bytes.subspan(i * member.type.size));
  }
  return object;
}

language::ScalarValue DeviceCalls::attribute(const cell::Expression& expression) {
  const auto wanted = number(expression, "an attribute");
  for (const auto& row : language::device_properties())
    if (!row.attribute.empty() && wanted.is_integer() && wanted.as_signed() == row.number)
      return language::ScalarValue::of(static_cast<int>(value_of(row, session_.device_info())));
  throw error(ErrorKind::unsupported, fmt::format("the attribute {} is not known here", wanted.text()), expression.span)
      .advise("%help cudaDeviceGetAttribute lists those that are; %device describes the device.");
}

void DeviceCalls::memory(const language::Bound& given, cell::Span span) {
  const auto info = session_.device().member(session_.chosen().order().current()).info();
  store(*given[0], language::ScalarValue::of(info.memory_free), span);
  store(*given[1], language::ScalarValue::of(info.memory_total), span);
}

// "0000:3b:00.0"; all 0 of a device without a PCI bus, as in cudaDeviceProp
std::string DeviceCalls::bus_id(std::uint32_t device) {
  const auto info = session_.device().member(device).info();
  return fmt::format("{:04x}:{:02x}:{:02x}.0", info.pci_domain, info.pci_bus, info.pci_device);
}

// cudaDeviceGetByPCIBusId(&device, "0000:3b:00.0"), which may leave out the domain or the function
std::uint32_t DeviceCalls::device_at_bus(const cell::Expression& expression) {
  const auto value = evaluate(expression);
  const auto text = frame_.texts.of(value);
  if (!text)
    throw error(ErrorKind::type, fmt::format("{} is not a text", snippet(run_.source, expression.span)),
                expression.span);
  auto wanted = *text;
  const auto colons = std::count(wanted.begin(), wanted.end(), ':');
  const bool function = wanted.find('.') != std::string::npos;
  if (colons < (function ? 1 : 2) || colons > 2)
    throw error(ErrorKind::value, fmt::format("\"{}\" is not the address of a device on a PCI bus", *text),
                expression.span)
        .advise(
            fmt::format("Write \"domain:bus:device.function\", without the domain or without the function; device 0 "
                        "is at \"{}\".",
                        bus_id(0)));
  if (colons == 1) wanted.insert(0, "0000:");
  if (!function) wanted += ".0";
  std::transform(wanted.begin(), wanted.end(), wanted.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::uint32_t device = 0; device < session_.device().devices(); ++device)
    if (bus_id(device) == wanted) return device;
  throw error(ErrorKind::value, fmt::format("no device of the session is at {}", *text), expression.span)
      .advise(fmt::format("Device 0 is at {}.", bus_id(0)));
}

// The limits that a session sets; nothing for a hint, or for what has no limit here.
std::optional<device::Limit> DeviceCalls::limit(const cell::Expression& expression) {
  switch (const auto wanted = frame_.runtime_calls.size(expression, "a limit")) {
    case 0: return device::Limit::stack_size;
    case 1: return device::Limit::printf_buffer;
    case 2: return device::Limit::malloc_heap;
    case 3:
    case 4:
    case 5:
    case 6: return std::nullopt;
    default: throw error(ErrorKind::value, fmt::format("{} is not a limit", wanted), expression.span);
  }
}

void DeviceCalls::set_limit(const language::Bound& given) {
  constexpr std::uint64_t kPersistingCache = 6, kNoCache = 0;
  const auto known = limit(*given[0]);
  const auto value = frame_.runtime_calls.size(*given[1], "the value of a limit");
  auto& device = session_.device().member(session_.chosen().order().current());
  if (known) return device.set_limit(*known, value);
  if (frame_.runtime_calls.size(*given[0], "a limit") == kPersistingCache && value > kNoCache)
    throw error(ErrorKind::value, "devices of a session have no persisting L2 cache", given[1]->span)
        .advise("persistingL2CacheMaxSize of cudaDeviceProp, 0, is the largest value.");
}

void DeviceCalls::get_limit(const language::Bound& given, cell::Span span) {
  const auto known = limit(*given[1]);
  if (!known)
    throw error(ErrorKind::unsupported,
                fmt::format("{} has no value in a session", snippet(run_.source, given[1]->span)), given[1]->span)
        .advise("cudaLimitStackSize, cudaLimitPrintfFifoSize and cudaLimitMallocHeapSize do.");
  auto& device = session_.device().member(session_.chosen().order().current());
  store(*given[0], language::ScalarValue::of(device.limit(*known)), span);
}

// cudaDeviceGetP2PAttribute(&value, attribute, device, peer)
int DeviceCalls::peer_attribute(const language::Bound& given) {
  constexpr std::uint64_t kAccessSupported = 2, kLast = 5;
  const auto attribute = frame_.runtime_calls.size(*given[1], "an attribute");
  if (attribute < 1 || attribute > kLast)
    throw error(ErrorKind::value, fmt::format("{} is not an attribute of two devices", attribute), given[1]->span);
  const auto device = frame_.devices.number_of(*given[2]), peer = frame_.devices.number_of(*given[3]);
  if (device == peer) throw error(ErrorKind::value, fmt::format("device {} is not its own peer", peer), given[3]->span);
  if (attribute == kAccessSupported) return 1;
  throw error(ErrorKind::unsupported,
              fmt::format("{} is not known of devices of a session", snippet(run_.source, given[1]->span)),
              given[1]->span)
      .advise("cudaDevP2PAttrAccessSupported is.");
}

// cudaDeviceEnablePeerAccess(peer, 0), cudaDeviceDisablePeerAccess(peer). All devices of a session reach each other's
// arrays in any case: what changes is what these calls say.
Value DeviceCalls::change_peer(const language::Bound& given) {
  const bool enables = given.size() > 1;
  const auto device = session_.chosen().order().current(), peer = frame_.devices.number_of(*given[0]);
  if (device == peer) throw error(ErrorKind::value, fmt::format("device {} is not its own peer", peer), given[0]->span);
  if (enables && given[1] != nullptr && frame_.runtime_calls.size(*given[1], "flags") != 0)
    throw error(ErrorKind::value, "the flags of peer access are 0", given[1]->span);
  auto& peers = session_.chosen().peers();
  const bool changed = enables ? peers.emplace(device, peer).second : peers.erase({device, peer}) > 0;
  if (changed) return kSuccess;
  return frame_.runtime_calls.failed(enables ? "cudaErrorPeerAccessAlreadyEnabled" : "cudaErrorPeerAccessNotEnabled");
}

}  // namespace xcuda::interpreter
