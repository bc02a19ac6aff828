// How requests name what a device has.
#pragma once

#include <cstdint>

#include "device/dim3.hpp"

namespace xcuda::device {

using Nanoseconds = std::int64_t;

// Ids are chosen by the caller, unique for the life of a session, so that a journal can be replayed.
enum class MemoryId : std::uint32_t {};
enum class ModuleId : std::uint32_t {};
enum class StreamId : std::uint32_t {};  // 0 is the default stream, always there
enum class EventId : std::uint32_t {};
enum class TextureId : std::uint32_t {};
enum class GraphId : std::uint32_t {};

// The top 8 bits of a stream's number are the device of a set that it belongs to, from 0; the rest is its number there.
constexpr std::uint32_t kDeviceShift = 24, kMostDevices = 64;
constexpr StreamId on_device(StreamId stream, std::uint32_t device) {
  return StreamId{static_cast<std::uint32_t>(stream) | device << kDeviceShift};
}
constexpr std::uint32_t device_of(StreamId stream) { return static_cast<std::uint32_t>(stream) >> kDeviceShift; }
constexpr StreamId without_device(StreamId stream) {
  return StreamId{static_cast<std::uint32_t>(stream) & ((1u << kDeviceShift) - 1)};
}

}  // namespace xcuda::device
