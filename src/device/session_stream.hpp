// How this project's CUDA Runtime, in a process of the CPU device, knows the streams of the session.
#pragma once

#include <cstdint>
#include <optional>

#include "device/ids.hpp"

namespace xcuda::device {

// The base of their values, which is not the address of anything in a program.
inline constexpr std::uint64_t kSessionStreams = 0x5eed'0000'0000'0000;

// A cudaStream_t; the default stream is CUDA's.
inline void* session_stream(StreamId id) {
  return id == StreamId{0} ? nullptr : reinterpret_cast<void*>(kSessionStreams | static_cast<std::uint32_t>(id));
}
inline bool is_session_stream(const void* stream) {
  return (reinterpret_cast<std::uint64_t>(stream) & ~std::uint64_t{0xffff'ffff}) == kSessionStreams;
}

}  // namespace xcuda::device
