#include "display/figures.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "display/html.hpp"

namespace xcuda::display {

std::string dim_text(const device::Dim3& dim) {
  if (dim.z != 1) return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
  if (dim.y != 1) return fmt::format("({}, {})", dim.x, dim.y);
  return std::to_string(dim.x);
}

nlohmann::json dim_json(const device::Dim3& dim) { return {dim.x, dim.y, dim.z}; }

std::string percent(double fraction) { return fmt::format("{:.{}f} %", fraction * 100, fraction < 0.0995 ? 1 : 0); }

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
  return {{"blocks_per_multiprocessor", occupancy.blocks_per_multiprocessor}, {"fraction", occupancy.fraction}, {"limiter", occupancy.limiter}};
}

std::string local_memory_advice(const device::FunctionInfo& function) {
  if (function.local_bytes == 0) return {};
  return fmt::format("{} of local memory per thread: registers spilled or arrays indexed at run time; -maxrregcount, __launch_bounds__ or constant indices change that",
                     format_bytes(function.local_bytes));
}

}  // namespace xcuda::display
