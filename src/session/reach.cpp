#include "session/reach.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xcuda::session {
namespace {

using Homes = std::vector<device::Placement::Part>;

bool lives_all_on(const Homes& homes, std::uint32_t device) {
  return homes.size() == 1 && homes.front().device == device;
}

bool lives_on(const Homes& homes, std::uint32_t device) {
  return std::any_of(homes.begin(), homes.end(), [&](const auto& home) { return home.device == device; });
}

std::string name_at(const device::Memory& memory, device::Address address) {
  for (const auto& holder : memory.holders())
    if (address >= holder.address && address < holder.address + holder.size && !holder.name.empty()) return holder.name;
  return "an array";
}

Error out_of_reach(const std::string& name, const Homes& homes, std::uint32_t device) {
  const auto first = homes.front().device, last = homes.back().device;
  if (homes.size() > 1)
    return Error(ErrorKind::type, fmt::format("device {} does not reach all of {}: it is split over devices {} to {}, "
                                              "which share no memory",
                                              device, name, first, last))
        .advise(
            fmt::format("Work on local({}) inside on (d) {{ }}, or bring it together: all_gather(w, {}), where w is "
                        "replicated().",
                        name, name));
  return Error(ErrorKind::type,
               fmt::format("device {} does not reach {}, which lives on device {}: they share no memory", device, name,
                           first))
      .advise(fmt::format("Work on it there, in on ({}) {{ }}; or give device {} a copy: declare {} replicated(), or "
                          "assign it to an array of that device.",
                          first, device, name));
}

}  // namespace

void require_given(const device::Memory& memory, std::uint32_t device, const LaunchSite& site) {
  for (const auto& use : site.uses) {
    if (use.address == 0) continue;
    const auto homes = memory.homes_of(use.address, std::max<std::uint64_t>(use.bytes, 1));
    if (!homes.empty() && !lives_all_on(homes, device)) throw out_of_reach(use.array, homes, device).at(site.place);
  }
}

void require_operands(const device::Memory& memory, std::uint32_t device, std::span<const DeviceOrder::Range> ranges,
                      Extent extent) {
  for (const auto& range : ranges) {
    const auto homes = memory.homes_of(range.begin, std::max<std::uint64_t>(range.bytes, 1));
    const bool right = homes.empty() || lives_all_on(homes, device) ||
                       (homes.size() > 1 && extent == Extent::part && lives_on(homes, device));
    if (!right) throw out_of_reach(name_at(memory, range.begin), homes, device);
  }
}

}  // namespace xcuda::session
