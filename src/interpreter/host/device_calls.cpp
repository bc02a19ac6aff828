#include "interpreter/host/device_calls.hpp"

#include "cell/conditional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>

#include "cell/expression_root.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/lookup.hpp"
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
    case Operation::priorities:
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
    default: best_block(given, span); break;
  }
  return language::ScalarValue::of(0);  // cudaSuccess
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

device::OccupancyRequest DeviceCalls::of_kernel(const cell::Expression& expression) {
  const auto* given = &cell::without_casts(expression);  // (void*)kernel
  const auto* name = std::get_if<cell::Name>(&given->node);
  const auto held = name == nullptr ? frame_.lookup.function_in(*given) : std::nullopt;
  if (name == nullptr && !held)
    throw error(ErrorKind::type, fmt::format("{} is not the name of a kernel", snippet(run_.source, expression.span)),
                expression.span);
  const auto called =
      held ? frame_.lookup.named(*held, expression.span) : frame_.lookup.function_called(name->text, expression.span);
  const auto& kernel = session_.code().find_kernels(run_, called, expression.span).front();
  return {kernel.module->id, kernel.function->entry, 0, 0};
}

void DeviceCalls::active_blocks(const language::Bound& given, cell::Span span) {
  auto request = of_kernel(*given[1]);
  request.block_threads = static_cast<std::uint32_t>(frame_.runtime_calls.size(*given[2], "the threads of a block"));
  request.dynamic_shared = frame_.runtime_calls.size(*given[3], "the shared memory of a block");
  if (request.block_threads == 0) throw error(ErrorKind::value, "a block has at least one thread", given[2]->span);
  store(*given[0], language::ScalarValue::of(session_.device().occupancy(request).blocks_per_multiprocessor), span);
}

// The grid is the smallest that keeps the device busy.
void DeviceCalls::best_block(const language::Bound& given, cell::Span span) {
  auto request = of_kernel(*given[2]);
  if (given[3] != nullptr)
    request.dynamic_shared = frame_.runtime_calls.size(*given[3], "the shared memory of a block");
  const auto limit = given[4] == nullptr ? 0 : frame_.runtime_calls.size(*given[4], "the limit of a block");
  request.block_threads = session_.device().best_block(request);
  if (limit > 0)
    request.block_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.block_threads, limit));
  const auto blocks = session_.device().occupancy(request).blocks_per_multiprocessor;
  store(*given[0], language::ScalarValue::of(blocks * session_.device_info().multiprocessors), span);
  store(*given[1], language::ScalarValue::of(static_cast<int>(request.block_threads)), span);
}

}  // namespace xcuda::interpreter
