// What devices are asked about memory: where it is, who may touch it, and how bytes move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/fault.hpp"
#include "device/ids.hpp"
#include "device/piece_request.hpp"

namespace xcuda::device {

// On which devices of a set the parts of one range of addresses live, in the order of the addresses.
struct Placement {
  struct Part {
    std::uint32_t device = 0;
    std::uint64_t bytes = 0;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
};

struct MemoryRequest {
  MemoryId id;
  Address address = 0;       // inside the window, a multiple of the granularity
  std::uint64_t size = 0;    // bytes, a multiple of the granularity
  std::uint32_t device = 0;  // of a set: whose memory it is
  // Of a set without shared memory: whose it is, byte by byte. As long as the request.
  std::span<const Placement::Part> parts = {};
};

// Memory that another process allocated by itself (cudaMalloc) and shares by CUDA IPC.
struct ForeignMemory {
  MemoryId id;
  std::vector<std::byte> handle;  // a CUipcMemHandle
  std::uint64_t offset = 0;       // bytes: where in the allocation the wanted part begins
};

// What code may do with a part of the memory that is a mirror.
struct GuardedRange {
  Address address = 0;     // a multiple of kMirrorPiece
  std::uint64_t size = 0;  // bytes, likewise
  Touch touch = Touch::refused;
};

// One array, so that checks and faults can name it. Registering a range again replaces it.
struct ArrayRange {
  Address address = 0;
  std::uint64_t size = 0;          // bytes
  std::uint32_t element_size = 1;  // bytes
  std::string name;
  std::string element;     // C++ name of the element type, for messages
  bool unwritten = false;  // declared without a value: for Checks::uninitialised, until something writes it
};

struct FillRequest {
  Address address = 0;
  std::uint64_t count = 0;         // of patterns
  std::vector<std::byte> pattern;  // 1, 2, 4, 8 or 16 bytes, or any size that a struct has
};

// A rectangle of bytes; height 1 is a plain copy. Pitches in bytes.
struct CopyRequest {
  Address to = 0, from = 0;  // device addresses; for post_read/post_write the staging side is an offset
  std::uint64_t width = 0;   // bytes
  std::uint64_t height = 1, to_pitch = 0, from_pitch = 0;
};

}  // namespace xcuda::device
