// Everything that a kernel may reach by a pointer: arrays, memory without a name, module variables, the kernel heap.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/cpu/memory/device_heap.hpp"
#include "device/cpu/memory/known_arrays.hpp"
#include "device/cpu/memory/written_bytes.hpp"
#include "device/host_window.hpp"

namespace xcuda::device::cpu {

struct AddressSpace {
  explicit AddressSpace(const Window& window, Reserve pages = Reserve::now) : memory(window, pages) {}

  HostWindow memory;
  ArrayTable arrays;
  DeviceHeap heap;
  WrittenBytes written;                              // for --init
  std::map<Address, VariableInfo> variables;         // of all modules
  std::map<std::uint64_t, TextureRequest> textures;  // by handle; see texture.hpp

  // What may be accessed around an address: its array; or its module variable or heap block; or its whole memory
  // when nothing there was named.
  std::optional<AddressRange> find(Address address);

  // What may be accessed around a pointer argument of a kernel: one past the end of an array still means that array.
  AddressRange bounds_of(Address pointer);

  // Whether [address, address + size) can be filled or copied.
  bool contains(Address address, std::uint64_t size);

  // The name and element size of what begins there, for a message; empty and 0 when they are not known.
  ArrayRange describe(Address begin);
};

}  // namespace xcuda::device::cpu
