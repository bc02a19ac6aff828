// What `%device` takes to name a device: "cpu", "gpu:1".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/device.hpp"

namespace xcuda::device {

struct Selector {
  Kind kind = Kind::cpu;
  int ordinal = 0;  // of a GPU, among those that are visible
  bool operator==(const Selector&) const = default;
};

std::string to_text(const Selector& selector);
std::optional<Selector> parse_selector(std::string_view text);  // "gpu" is "gpu:0"; nothing for any other word

}  // namespace xcuda::device
