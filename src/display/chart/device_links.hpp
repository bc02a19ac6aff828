// How the devices of a set reach each other's memory, as words and as a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "display/device_report.hpp"

namespace xcuda::display {

struct DeviceLink {
  std::size_t from = 0, to = 0;  // numbers of devices
  std::string text;              // "18 NVLinks"
  enum class Kind : std::uint8_t { memory, nvlink, pcie } kind = Kind::memory;
};
std::vector<DeviceLink> links_of(const DeviceView& set);  // each pair once

std::vector<std::string> links_text(const std::vector<DeviceLink>& links);  // a line for each kind of link
std::string links_svg(const DeviceView& set, const std::vector<DeviceLink>& links);
// As device_bundle(), with the links of the set in use.
Bundle linked_device_bundle(std::vector<DeviceView> devices);

}  // namespace xcuda::display
