#include "display/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/html.hpp"
#include "display/readable_name.hpp"

namespace xcuda::display {

std::string dim_text(const device::Dim3& dim) {
  if (dim.z != 1) return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
  if (dim.y != 1) return fmt::format("({}, {})", dim.x, dim.y);
  return format_count(dim.x);
}

nlohmann::json dim_json(const device::Dim3& dim) { return {dim.x, dim.y, dim.z}; }

Field kernel_field(const std::string& name) {
  const auto text = readable_name(name);
  if (text == name) return text;
  return {text, fmt::format("<span title=\"{}\">{}</span>", html_escape(name), html_escape(text))};
}

std::string time_text(double nanoseconds) {
  return nanoseconds > 0 ? format_duration(nanoseconds) : "too short to time";
}

std::string percent(double fraction) {
  if (fraction >= 9.995 && fraction < 1e15) return format_ratio(fraction * 100) + " %";
  return fmt::format("{:.{}f} %", fraction * 100, fraction < 0.0995 ? 1 : 0);
}

std::string text_bar(double fraction, std::size_t width) {
  static constexpr std::string_view kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(width) * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text.append(kParts[eighths % 8]);
}

std::string occupancy_text(const device::Occupancy& occupancy) {
  auto text = percent(occupancy.fraction);
  if (occupancy.fraction < 0.995 && !occupancy.limiter.empty()) text += ", " + occupancy.limiter;
  return text;
}

Field occupancy_field(const device::Occupancy& occupancy) {
  const auto text = occupancy_text(occupancy);
  return {text, meter(occupancy.fraction, text)};
}

nlohmann::json occupancy_json(const device::Occupancy& occupancy) {
  return {{"blocks_per_multiprocessor", occupancy.blocks_per_multiprocessor},
          {"fraction", occupancy.fraction},
          {"limiter", occupancy.limiter}};
}

void add_resources(nlohmann::json& json, const device::FunctionInfo& function) {
  json["registers"] = function.registers;
  json["shared_bytes"] = function.shared_bytes;
  json["local_bytes"] = function.local_bytes;
  if (function.spills) json["spills"] = {{"stores", function.spills->stores}, {"loads", function.spills->loads}};
}

std::string spills_text(const device::FunctionInfo& function) {
  if (!function.spills) return {};
  const auto& spills = *function.spills;
  return spills.any() ? fmt::format("{} stored, {} loaded", format_bytes(spills.stores), format_bytes(spills.loads))
                      : "none";
}

std::string short_spills_text(const device::FunctionInfo& function) {
  return function.spills
             ? fmt::format("{} / {}", format_bytes(function.spills->stores), format_bytes(function.spills->loads))
             : "";
}

// Other local memory, as printf() and sinf() take, is a fact and no mistake: it has a column.
std::string local_memory_advice(const device::FunctionInfo& function) {
  if (!function.spills || !function.spills->any()) return {};
  return fmt::format(
      "registers spilled to local memory, {} per thread: keep fewer values alive, use smaller __launch_bounds__ or a "
      "larger -maxrregcount",
      spills_text(function));
}

std::string operations_text(double per_second) { return format_rate(per_second, "FLOP"); }

}  // namespace xcuda::display
