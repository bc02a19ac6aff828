#include "device/cpu/run/launch_limits.hpp"
#include "device/index_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace xcuda::device::cpu {
namespace {

bool within(const Dim3& extent, const Dim3& limit) {
  return extent.x <= limit.x && extent.y <= limit.y && extent.z <= limit.z;
}

constexpr std::string_view kInvalid = "CUDA_ERROR_INVALID_VALUE (1)";
constexpr std::string_view kResources = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)";
constexpr std::string_view kNotSupported = "CUDA_ERROR_NOT_SUPPORTED (801)";

std::uint32_t thread_limit(const FunctionInfo& function) {
  const auto own = static_cast<std::uint32_t>(std::max(function.max_threads_per_block, 0));
  return own ? std::min(own, Limits::kThreadsPerBlock) : Limits::kThreadsPerBlock;
}

}  // namespace

std::uint64_t parameter_bytes(const FunctionInfo& function) {
  std::uint64_t end = 0;
  for (const ParameterLayout& parameter : function.parameters)
    end = std::max(end, std::uint64_t{parameter.offset} + parameter.size);
  return end;
}

bool lacks_resources(const RefusedLaunch& refused) { return refused.library.starts_with(kResources); }

void describe_limits(DeviceInfo& info) {
  info.architecture = "compute_80";
  info.compute_major = 8;
  info.max_threads_per_block = Limits::kThreadsPerBlock;
  info.max_threads_per_multiprocessor = Limits::kThreadsPerMultiprocessor;
  info.max_blocks_per_multiprocessor = Limits::kBlocksPerMultiprocessor;
  info.max_block = Limits::kBlock;
  info.max_grid = Limits::kGrid;
  info.cooperative_launch = true;
  info.shared_per_block = Limits::kSharedPerBlock;
  info.shared_per_block_optin = Limits::kSharedPerBlockOptin;
  info.shared_per_multiprocessor = Limits::kSharedPerMultiprocessor;
  info.registers_per_multiprocessor = info.registers_per_block = Limits::kRegisters;
  info.constant_memory = Limits::kConstantMemory;
}

std::optional<RefusedLaunch> refuse(const LaunchRequest& request, const FunctionInfo& function) {
  const auto because = [&](std::string_view code, std::string why, std::string advice) {
    return RefusedLaunch{request.number, fmt::format("{}: {}", code, why), std::move(advice)};
  };
  const Dim3 &grid = request.grid, &block = request.block;
  if (block.x == 0 || block.y == 0 || block.z == 0)
    return because(kInvalid, fmt::format("a block of {} threads is empty", index_text(block)),
                   "Each extent must be at least 1.");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return because(kInvalid, fmt::format("a grid of {} blocks is empty", index_text(grid)),
                   "Each extent must be at least 1.");
  if (!within(block, Limits::kBlock))
    return because(
        kInvalid,
        fmt::format("a block of {} threads exceeds the limit of {}", index_text(block), index_text(Limits::kBlock)),
        "use a smaller block and a larger grid");
  if (block.count() > Limits::kThreadsPerBlock)
    return because(kInvalid,
                   fmt::format("a block of {} has {} threads; the limit is {}", index_text(block), block.count(),
                               Limits::kThreadsPerBlock),
                   "use a smaller block and a larger grid");
  if (block.count() > thread_limit(function))
    return because(kResources,
                   fmt::format("a block of {} threads exceeds the {} that the kernel's __launch_bounds__ allows",
                               block.count(), thread_limit(function)),
                   "use a smaller block, or raise __launch_bounds__");
  if (!within(grid, Limits::kGrid))
    return because(
        kInvalid,
        fmt::format("a grid of {} blocks exceeds the limit of {}", index_text(grid), index_text(Limits::kGrid)),
        "let each thread process several elements, or use x, which has the largest limit");
  const std::uint64_t shared = function.shared_bytes + request.dynamic_shared;
  if (request.dynamic_shared > Limits::kSharedPerBlockOptin || shared > Limits::kSharedPerBlockOptin)
    return because(kInvalid,
                   fmt::format("{} bytes of shared memory ({} of them dynamic) exceed the limit of {}", shared,
                               request.dynamic_shared, Limits::kSharedPerBlockOptin),
                   "use a smaller tile or block");
  const auto expected = parameter_bytes(function);
  if (request.arguments.size() < expected)
    return because(kInvalid,
                   fmt::format("the arguments have {} bytes, but the kernel's parameters take {}",
                               request.arguments.size(), expected),
                   "compile the kernel again: the launch was for another version of it");
  if (request.cluster && request.cluster->count() > 1)
    return because(kNotSupported, "the CPU device does not support thread block clusters", "launch without a cluster");
  return std::nullopt;
}

Occupancy occupancy_of(const FunctionInfo& function, const OccupancyRequest& request) {
  const std::uint32_t warps = (request.block_threads + 31) / 32;
  if (warps == 0 || request.block_threads > thread_limit(function)) return {0, 0, "threads"};
  constexpr std::uint32_t kWarpLimit = Limits::kThreadsPerMultiprocessor / 32;
  struct Bound {
    std::uint64_t blocks;
    const char* name;
  };
  const std::uint64_t shared = function.shared_bytes + request.dynamic_shared;
  if (shared > Limits::kSharedPerBlockOptin) return {0, 0, "shared memory"};
  const Bound bounds[] = {
      {kWarpLimit / warps, "threads"},
      {Limits::kBlocksPerMultiprocessor, "blocks"},
      {shared ? Limits::kSharedPerMultiprocessor / (shared + Limits::kSharedOverhead)
              : std::numeric_limits<std::uint64_t>::max(),
       "shared memory"},
  };
  const Bound& least = *std::min_element(std::begin(bounds), std::end(bounds),
                                         [](const Bound& a, const Bound& b) { return a.blocks < b.blocks; });
  const auto blocks = static_cast<int>(least.blocks);
  return {blocks, static_cast<double>(blocks) * warps / kWarpLimit, least.name};
}

std::uint32_t best_block_of(const FunctionInfo& function, const OccupancyRequest& request) {
  // 256 where nothing speaks against it: enough for every scheduler, and the tail of an array stays short.
  std::uint32_t best = 32;
  double most = 0;
  for (const std::uint32_t threads : {256u, 512u, 128u, 1024u, 64u, 32u, 96u, 192u, 384u, 768u}) {
    OccupancyRequest candidate = request;
    candidate.block_threads = threads;
    const double fraction = occupancy_of(function, candidate).fraction;
    if (fraction > most) {
      most = fraction;
      best = threads;
    }
  }
  return std::min(best, thread_limit(function));
}

}  // namespace xcuda::device::cpu
