// What the assembler says of the code it makes: the log of ptxas -v, of NVRTC's --ptxas-options=-v and of the driver's
// JIT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace xcuda::ptx {

// Bytes of the instructions that write registers to local memory and read them back, per thread, each counted once
// however often a loop runs it.
struct Spills {
  std::uint64_t stores = 0, loads = 0;
  bool any() const { return stores != 0 || loads != 0; }
  bool operator==(const Spills&) const = default;
};

// The spills of each entry, with those of the functions that it calls. An entry that the log does not name is missing.
std::unordered_map<std::string, Spills> spills_of(std::string_view log);

// Whether a line of a log belongs to this report and is not a warning or an error.
bool is_resource_line(std::string_view line);

}  // namespace xcuda::ptx
