#include "display/chart/device_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/units.hpp"
#include "display/chart/canvas.hpp"
#include "display/palette.hpp"

namespace xcuda::display {
namespace {

using Route = device::BoardLink::Path;

std::string_view route_text(Route route) {
  switch (route) {
    case Route::pcie_switch: return "PCIe, by a switch";
    case Route::host_bridge: return "PCIe, by a host bridge";
    case Route::numa_node: return "PCIe, in one NUMA node";
    case Route::processors: return "PCIe, between processors";
    case Route::unknown: break;
  }
  return "PCIe";
}

DeviceLink link_between(const DeviceView& set, std::size_t from, std::size_t to) {
  DeviceLink link{from, to, "the host's memory", DeviceLink::Kind::memory};
  if (set.selector.kind != device::Kind::cuda) return link;
  link.kind = DeviceLink::Kind::pcie;
  link.text = route_text(Route::unknown);
  const auto& board = set.members[from].board;
  if (!board) return link;
  for (const auto& known : board->links) {
    if (known.uuid != set.members[to].uuid) continue;
    if (known.nvlinks > 0) {
      link.kind = DeviceLink::Kind::nvlink;
      link.text = fmt::format("{} NVLink{}", known.nvlinks, known.nvlinks == 1 ? "" : "s");
    } else {
      link.text = route_text(known.path);
    }
  }
  return link;
}

}  // namespace

std::vector<DeviceLink> links_of(const DeviceView& set) {
  std::vector<DeviceLink> links;
  for (std::size_t from = 0; from < set.members.size(); ++from)
    for (auto to = from + 1; to < set.members.size(); ++to) links.push_back(link_between(set, from, to));
  return links;
}

std::vector<std::string> links_text(const std::vector<DeviceLink>& links) {
  std::vector<std::string> kinds, lines;
  for (const auto& link : links)
    if (std::find(kinds.begin(), kinds.end(), link.text) == kinds.end()) kinds.push_back(link.text);
  for (const auto& kind : kinds) {
    std::string pairs;
    for (const auto& link : links)
      if (link.text == kind) pairs += fmt::format("{}{} and {}", pairs.empty() ? "" : ", ", link.from, link.to);
    lines.push_back(kinds.size() == 1 ? fmt::format("between devices: {}", kind)
                                      : fmt::format("between devices {}: {}", pairs, kind));
  }
  return lines;
}

// The devices on a circle, with a line between each two: thick for NVLinks.
std::string links_svg(const DeviceView& set, const std::vector<DeviceLink>& links) {
  constexpr double kBoxWidth = 132, kBoxHeight = 44;  // of a box, in pixels
  const auto count = static_cast<double>(set.members.size());
  const double radius = std::max(120.0, count * 36);
  const double flat = set.members.size() == 2 ? 0 : radius * 0.7;  // two are beside each other
  const double width = 2 * radius + kBoxWidth + 24;
  const double legend = 16 * static_cast<double>(links_text(links).size()), bottom = 2 * flat + kBoxHeight + 24;
  const auto middle = [&](std::size_t device) {
    const double angle = std::numbers::pi * (2 * static_cast<double>(device) / count + 1);
    return std::pair(width / 2 + radius * std::cos(angle), 12 + kBoxHeight / 2 + flat + flat * std::sin(angle));
  };
  const auto canvas = svg_canvas();
  for (const auto& link : links) {
    const auto [x1, y1] = middle(link.from);
    const auto [x2, y2] = middle(link.to);
    const bool fast = link.kind == DeviceLink::Kind::nvlink;
    canvas->line(x1, y1, x2, y2, {.colour = fast ? "#669955" : "#808080", .width = fast ? 4.0 : 1.5, .opacity = 0.8});
  }
  for (std::size_t device = 0; device < set.members.size(); ++device) {
    const auto place = middle(device);
    const double x = place.first, y = place.second;
    const auto& info = set.members[device];
    Path box, stripe;
    box.bar(x - kBoxWidth / 2, y - kBoxHeight / 2, x + kBoxWidth / 2, y + kBoxHeight / 2);
    stripe.bar(x - kBoxWidth / 2, y - kBoxHeight / 2, x - kBoxWidth / 2 + 6, y + kBoxHeight / 2);
    canvas->fill(box, {"#eeeeee"});
    canvas->fill(stripe, {series_colour(device)});
    const auto words = [&](double down, Words::Face face, std::string text) {
      canvas->words({.face = face, .x = x - kBoxWidth / 2 + 12, .y = y + down, .text = std::move(text)});
    };
    words(-4, Words::Face::strong, fmt::format("device {}", device));
    const auto used = info.memory_total - std::min(info.memory_free, info.memory_total);
    words(13, Words::Face::plain, fmt::format("{} of {}", format_bytes(used), format_bytes(info.memory_total)));
  }
  double below = bottom + 8;
  for (const auto& line : links_text(links)) {
    canvas->words({.face = Words::Face::slanted, .x = 12, .y = below, .text = line});
    below += 16;
  }
  return canvas->finish(width, bottom + legend, fmt::format("{} devices", set.members.size()));
}

Bundle linked_device_bundle(std::vector<DeviceView> devices) {
  std::string picture;
  auto links = nlohmann::json::array();
  for (auto& device : devices) {
    if (device.members.size() < 2) continue;
    const auto known = links_of(device);
    device.links = links_text(known);
    picture += links_svg(device, known);
    for (const auto& link : known) links.push_back({{"devices", {link.from, link.to}}, {"link", link.text}});
  }
  auto bundle = device_bundle(devices, picture);
  if (!links.empty()) bundle.data[kDeviceMime]["links"] = std::move(links);
  return bundle;
}

}  // namespace xcuda::display
