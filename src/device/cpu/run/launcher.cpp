#include "device/cpu/run/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "base/host_memory.hpp"

namespace xcuda::device::cpu {

using Clock = std::chrono::steady_clock;

void Launcher::run(const LaunchRequest& request, Program& program) {
  const KernelCode* found = program.kernel({request.entry, request.grid, request.block, request.checks}, wait_);
  if (found == nullptr) {
    // Without an interrupt a time limit ends the device, and it is this launch that has reached it.
    if (!parts_.outcomes.skipped(request.number)) parts_.outcomes.running(request.number);
    return;
  }
  const KernelCode& code = *found;
  OrderedOutput output(parts_.output, printf_buffer);
  LaunchState state({request, code, parts_.space, output, parts_.error_output, parts_.outcomes.cut()});
  const std::vector<AddressRange> bounds = bounds_of(request, program, code);
  lay_out(state, program, bounds);
  if (request.timing == Timing::counted) {
    state.counter.emplace(code, parts_.space, host_memory().available / 4);
    state.abi.watched = state.counter->watched();
    state.abi.marked = state.counter->marked();
    note_written(state, bounds);
  } else if (cpu::recorded(request.checks)) {
    state.recorder.emplace(
        RecorderParts{code, request.checks, parts_.space, shadows_, bounds, host_memory().available / 4});
    state.abi.watched = state.recorder->watched();
    state.abi.marked = state.recorder->marked();
  } else {
    note_written(state, bounds);
  }

  parts_.outcomes.running(request.number);
  const Clock::time_point start = Clock::now();
  const BlockRunner::End how = runner_.run(state);
  const Nanoseconds duration = (Clock::now() - start) / std::chrono::nanoseconds(1);
  output.finish();
  if (std::optional<Fault> fault = state.fault()) {
    parts_.outcomes.end(std::move(*fault));
  } else if (how == BlockRunner::End::cut) {
    const std::string_view where = request.grid.count() > 1 ? " between two blocks" : "";
    Fault cut =
        Outcomes::stopped(FaultKind::interrupted, request.number, fmt::format("the launch was stopped{}", where));
    cut.entry = request.entry;
    parts_.outcomes.end(std::move(cut));
  } else if (request.timing == Timing::each) {
    parts_.outcomes.timed(request.number, duration);
  } else if (state.counter && state.counter->complete()) {
    parts_.outcomes.counted(request.number, state.counter->bytes());
  }
  parts_.outcomes.running(0);
}

void Launcher::lay_out(LaunchState& state, const Program& program, const std::vector<AddressRange>& bounds) const {
  const LaunchRequest& request = state.request;
  const Dim3 &grid = request.grid, &block = request.block;
  const auto threads = static_cast<std::uint32_t>(block.count());
  Launch& abi = state.abi;
  abi.grid[0] = grid.x, abi.grid[1] = grid.y, abi.grid[2] = grid.z;
  abi.block[0] = block.x, abi.block[1] = block.y, abi.block[2] = block.z;
  abi.warps = (threads + kLanesPerWarp - 1) / kLanesPerWarp;
  abi.last_mask = threads % kLanesPerWarp ? (1u << threads % kLanesPerWarp) - 1 : ~0u;
  abi.dynamic_shared = static_cast<std::uint32_t>(request.dynamic_shared);
  abi.shared_bytes = state.code.static_shared + abi.dynamic_shared;
  abi.parameters = request.arguments.data();
  abi.bounds = bounds.data();
  abi.variables = program.variable_addresses();
  abi.services = services();
  abi.check = check_lanes, abi.record = record_lanes, abi.mark = mark_row;
  abi.grid_id = request.number;
  if (request.mode == LaunchMode::cooperative) {
    const auto workspace = reinterpret_cast<Address>(state.grid_workspace.data());
    abi.envreg[1] = workspace >> 32, abi.envreg[2] = workspace & 0xffff'ffff;
  }
  abi.runtime = &state;
}

std::vector<AddressRange> Launcher::bounds_of(const LaunchRequest& request, const Program& program,
                                              const KernelCode& code) const {
  std::vector<AddressRange> bounds(std::max<std::size_t>(code.bounds.size(), 1));
  for (std::size_t i = 0; i < code.bounds.size(); ++i) {
    const BoundsSlot& slot = code.bounds[i];
    if (slot.variable >= 0) {
      bounds[i].begin = program.variable_addresses()[slot.variable];
      for (const VariableInfo& variable : program.variables())
        if (variable.address == bounds[i].begin) bounds[i].size = std::max(bounds[i].size, variable.size);
    } else if (slot.parameter_offset + sizeof(Address) <= request.arguments.size()) {
      Address pointer = 0;
      std::memcpy(&pointer, request.arguments.data() + slot.parameter_offset, sizeof pointer);
      bounds[i] = parts_.space.bounds_of(pointer);
    }
  }
  return bounds;
}

// A launch that nobody watches may have written all of what it can write to.
void Launcher::note_written(const LaunchState& state, const std::vector<AddressRange>& bounds) const {
  WrittenBytes& written = parts_.space.written;
  if (written.empty()) return;
  if (!state.request.checks.bounds) return written.write_everything();  // then it is not known what it writes
  using Space = AccessSite::Space;
  for (const AccessSite& site : state.code.sites) {
    if (site.operation.is(ptx::Trait::writes_surface) || site.operation.has(ptx::Modifier::store))
      return written.write_everything();
    if (site.access != Access::write && site.access != Access::atomic) continue;
    if (site.slot >= 0)
      written.write_array(bounds[static_cast<std::size_t>(site.slot)].begin);
    else if (site.space == Space::generic || site.space == Space::global || site.space == Space::none)
      return written.write_everything();
  }
}

}  // namespace xcuda::device::cpu
