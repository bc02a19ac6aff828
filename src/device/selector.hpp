// What `%device` takes to name devices: "cpu", "gpu:1", "cpu:4", "gpu:0-3", "gpu:all", "mpi:8".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/device.hpp"

namespace xcuda::device {

struct Selector {
  static constexpr std::uint32_t kAll = 0;
  Kind kind = Kind::cpu;
  int ordinal = 0;          // of the first GPU, among those that are visible
  std::uint32_t count = 1;  // of devices that are used together; kAll: all GPUs
  // mpi: each is a rank of a job, with a GPU where its host has one.
  enum class Reach : std::uint8_t { host, mpi } reach = Reach::host;
  std::string launcher{};  // the command that starts the ranks
  bool operator==(const Selector&) const = default;
};

std::string to_text(const Selector& selector);
// "gpu" is "gpu:0", "cpu:1" is "cpu", "gpu:2-2" is "gpu:2"; nothing for any other word.
std::optional<Selector> parse_selector(std::string_view text);

}  // namespace xcuda::device
