// The devices and the arrays in their memory.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/type.hpp"
#include "device/selector.hpp"
#include "display/bundle.hpp"

namespace xcuda::display {

struct DeviceView {
  device::Selector selector;
  device::DeviceInfo info;
  enum class State : std::uint8_t { available, current, not_started, unavailable } state = State::available;
  std::string reason;  // why it is unavailable
  std::uint64_t array_bytes = 0;
  std::vector<device::DeviceInfo> members;  // of several that are used together
  std::vector<std::string> links{};         // between these: lines after the table
};
// picture: SVG after the table.
Bundle device_bundle(const std::vector<DeviceView>& devices, std::string_view picture = {});

// What a device of a set has of an array: from 0 to 1 along it. Copies overlap.
struct ArrayPart {
  std::uint32_t device = 0;
  double begin = 0, end = 1;
};

struct ArrayRow {
  std::string name;
  Type type;
  std::vector<std::uint64_t> shape;
  std::uint64_t bytes = 0;
  std::string device;
  std::string defined;             // "In[3]"; may be empty
  std::vector<ArrayPart> parts{};  // of a session of several devices
};
struct ArrayList {
  std::vector<ArrayRow> arrays;
  std::string device;
  std::uint64_t memory_total = 0, memory_free = 0;  // bytes; total 0 when unknown
  std::string title;                                // "Allocated" for %%alloc; empty for %arrays
  std::vector<std::string> notes;                   // lines after the table
  std::uint64_t largest() const {                   // bytes
    std::uint64_t bytes = 0;
    for (const auto& array : arrays) bytes = std::max(bytes, array.bytes);
    return bytes;
  }
};
Bundle array_list_bundle(const ArrayList& list);

// "16777216", "512 × 512"; "scalar" without dimensions.
std::string shape_text(const std::vector<std::uint64_t>& shape);
std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape);  // "2, 0", of a linear one

}  // namespace xcuda::display
