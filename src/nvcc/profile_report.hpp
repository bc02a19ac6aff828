// What Nsight Compute and Nsight Systems write about the kernels of a program, as rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::nvcc {

// All launches of one kernel. Percentages are of the device's peak ("speed of light"), the mean over the launches,
// weighted with their times; nothing where the tool does not say.
struct ProfiledKernel {
  std::string name;
  std::uint64_t launches = 0;
  double total = 0, shortest = 0, longest = 0;  // nanoseconds
  std::optional<double> compute, memory;        // per cent
};

// The table of `ncu --csv --page details --section SpeedOfLight`, with what the tool says around it; kernels in the
// order of their total times.
std::vector<ProfiledKernel> parse_ncu(std::string_view report);
// The table of `nsys stats --report cuda_gpu_kern_sum --format csv`.
std::vector<ProfiledKernel> parse_nsys(std::string_view report);

}  // namespace xcuda::nvcc
