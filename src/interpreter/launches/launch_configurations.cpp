#include "interpreter/launches/launch_configurations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/dimensions.hpp"
#include "interpreter/launches/streams.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {
LaunchConfiguration LaunchConfigurations::of(const cell::Launch& launch, const Kernel& kernel,
                                             const LaunchManner& manner) {
  LaunchConfiguration result;
  const auto& parts = launch.configuration;
  if (parts.size() > 2) {
    const auto value = number(*parts[2], "the shared memory of a launch");
    if ((!value.is_integer() && !value.is_floating()) || value.is_negative())
      throw error(ErrorKind::value, "the shared memory of a launch must be a number of bytes", parts[2]->span);
    result.shape.dynamic_shared = value.as_unsigned();
  } else {
    result.shape.dynamic_shared = frame_.options.dynamic_shared;
  }
  if (parts.size() > 3) {
    result.stream = frame_.streams.of(*parts[3], "the fourth value of <<< >>>");
    frame_.streams.require_in_capture(result.stream, parts[3]->span);
  } else {
    result.stream = manner.stream ? *manner.stream : frame_.streams.unnamed(launch.kernel_span);
  }
  if (const auto* cover = language::call_of(*parts[0], language::Operation::cover)) {
    this->cover(launch, *cover, kernel, result.shape);
  } else {
    result.shape.grid = frame_.dimensions.of(*parts[0], "the grid");
    if (parts.size() < 2) throw language::kNoBlock(frame_.text, kernel.signature->name, launch.configuration_span);
    result.shape.block = frame_.dimensions.of(*parts[1], "the block");
  }
  check_shape(result.shape, *kernel.signature, *kernel.function, session_.device_info(), run_.source,
              launch.configuration_span);
  if (manner.cluster) check_cluster(result.shape, *manner.cluster, launch.configuration_span);
  return result;
}

// cover(n): a block from the occupancy calculator unless it is given, and a grid that covers n.
void LaunchConfigurations::cover(const cell::Launch& launch, const cell::Call& cover, const Kernel& kernel,
                                 LaunchShape& shape) {
  const auto& parts = launch.configuration;
  if (cover.arguments.empty() || cover.arguments.size() > 3)
    throw error(ErrorKind::type, "cover takes one to three extents", parts[0]->span);
  std::uint64_t wanted[3] = {1, 1, 1};
  for (std::size_t i = 0; i < cover.arguments.size(); ++i) {
    const auto value = number(*cover.arguments[i].value, "an extent of cover");
    if (!value.type().is_integer() || value.is_negative() || value.as_unsigned() == 0)
      throw error(ErrorKind::value, fmt::format("an extent of cover is {}", value.text()),
                  cover.arguments[i].value->span);
    wanted[i] = value.as_unsigned();
  }
  shape.block = parts.size() > 1 ? frame_.dimensions.of(*parts[1], "the block")
                                 : best_block(kernel, shape, cover.arguments.size());
  const auto& block = shape.block;
  const std::uint32_t extents[3] = {std::max(block.x, 1u), std::max(block.y, 1u), std::max(block.z, 1u)};
  std::uint32_t* grid[3] = {&shape.grid.x, &shape.grid.y, &shape.grid.z};
  for (int i = 0; i < 3; ++i) {
    const auto blocks = wanted[i] / extents[i] + (wanted[i] % extents[i] != 0 ? 1 : 0);
    if (blocks > UINT32_MAX)
      throw error(ErrorKind::value, fmt::format("cover needs {} blocks", blocks), parts[0]->span);
    *grid[i] = static_cast<std::uint32_t>(blocks);
  }
}

device::Dim3 LaunchConfigurations::best_block(const Kernel& kernel, const LaunchShape& shape, std::size_t dimensions) {
  const auto threads =
      session_.device().best_block({kernel.module->id, kernel.function->entry, 0, shape.dynamic_shared});
  if (dimensions == 1) return {threads, 1, 1};
  // A row of a warp, so that neighbours in x are neighbours in memory.
  device::Dim3 block{std::min<std::uint32_t>(threads, 32), 1, 1};
  block.y = std::max<std::uint32_t>(threads / block.x, 1);
  if (dimensions > 2 && block.y >= 8) {
    block.z = 4;
    block.y /= 4;
  }
  return block;
}

// The grid has to be made of whole clusters, and a cluster of at most 8 blocks is there on every GPU that has them.
void LaunchConfigurations::check_cluster(const LaunchShape& shape, const device::Dim3& cluster, cell::Span span) {
  const auto& info = session_.device_info();
  if (info.kind == device::Kind::cuda && info.compute_major < 9)
    throw error(ErrorKind::unsupported, fmt::format("{} does not support clusters", info.name), span)
        .advise("They need compute capability 9.0.");
  const auto text = [](const device::Dim3& dim) { return fmt::format("{{{}, {}, {}}}", dim.x, dim.y, dim.z); };
  const auto& grid = shape.grid;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    throw error(ErrorKind::value,
                fmt::format("a grid of {} does not hold whole clusters of {}", text(grid), text(cluster)), span)
        .advise("Every extent of the grid must be a multiple of the cluster's.");
}

}  // namespace xcuda::interpreter
