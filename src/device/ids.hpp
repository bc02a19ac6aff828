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

}  // namespace xcuda::device
