// Numbers with units, as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xcuda {

std::string format_bytes(std::uint64_t bytes);                          // "512 B", "64.0 MiB"
std::string format_duration(double nanoseconds);                        // "812 ns", "2.85 µs", "1.20 ms", "3.4 s"
std::string format_rate(double per_second, std::string_view of = "B");  // "4.31 TB/s", decimal as datasheets give it
std::string format_ratio(double ratio);         // "1.05", "17.6", "1,760": three digits that count
std::string format_count(std::uint64_t count);  // "16,777,216"

}  // namespace xcuda
