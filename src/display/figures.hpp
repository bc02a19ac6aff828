// Words for figures that several reports show.
#pragma once

#include <string>

#include "device/device.hpp"
#include "display/table.hpp"

namespace xcuda::display {

std::string dim_text(const device::Dim3& dim);  // "512", "(32, 8)", "(8, 8, 4)"
nlohmann::json dim_json(const device::Dim3& dim);
// The name of a kernel as people read it; in HTML a long one has its whole name as a tooltip.
Field kernel_field(const std::string& name);
// A measured time; 0 only means that the clock did not move on between two readings.
std::string time_text(double nanoseconds);
std::string percent(double fraction);  // "93 %", "4.2 %"

// A bar of block characters, in eighths of one: `width` of them at 1.
std::string text_bar(double fraction, std::size_t width);

// "50 %, registers": the limiter only where it limits.
std::string occupancy_text(const device::Occupancy& occupancy);
Field occupancy_field(const device::Occupancy& occupancy);
nlohmann::json occupancy_json(const device::Occupancy& occupancy);

// "5.3 kB stored, 11 kB loaded": bytes of the instructions that spill registers; "none"; empty if unknown.
std::string spills_text(const device::FunctionInfo& function);
std::string short_spills_text(const device::FunctionInfo& function);  // for a column: "5.3 kB / 11 kB"
void add_resources(nlohmann::json& json, const device::FunctionInfo& function);

// A remark on a function's resources: local memory and what to do about it. Empty when all is well.
std::string local_memory_advice(const device::FunctionInfo& function);

std::string operations_text(double per_second);  // "12.3 TFLOP/s"

}  // namespace xcuda::display
