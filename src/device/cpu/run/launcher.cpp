#include "device/cpu/run/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/host_memory.hpp"

namespace xcuda::device::cpu {

using Clock = std::chrono::steady_clock;

// The grids of one launch: its own, and those that they launch, one after the other.
struct Launcher::Grids {
  const LaunchRequest& request;
  LoadedModule& program;
  Pace::Worker& worker;
  std::vector<ChildWork> next{};  // the first one last: a grid's children come before its siblings
  Nanoseconds duration = 0;
  std::uint64_t bytes = 0;
  bool counted = true;
};

void Launcher::set_limit(Limit limit, std::uint64_t bytes) {
  if (limit == Limit::malloc_heap) parts_.space.heap.set_limit(bytes);
  if (limit == Limit::printf_buffer) printf_buffer_ = bytes;
  if (limit == Limit::stack_size) stack_size_ = bytes;
}

std::uint64_t Launcher::limit(Limit limit) const {
  switch (limit) {
    case Limit::malloc_heap: return parts_.space.heap.limit();
    case Limit::printf_buffer: return printf_buffer_;
    case Limit::stack_size: break;
  }
  return stack_size_;
}

void Launcher::run(const LaunchRequest& request, LoadedModule& program, Pace& pace) {
  const KernelCode* code =
      program.kernel({request.entry, request.grid, request.block, request.checks, request.code_wait}, wait_);
  if (code == nullptr) {
    // Without an interrupt a time limit ends the device, and it is this launch that has reached it.
    if (!parts_.outcomes.skipped(request.number)) parts_.outcomes.running(request.number);
    return;
  }
  parts_.outcomes.running(request.number);
  Pace::Worker worker(&pace);
  Grids grids{request, program, worker};
  run_grid(grids, request, *code, nullptr);
  while (!grids.next.empty() && !parts_.outcomes.ended()) {
    const ChildWork work = std::move(grids.next.back());
    grids.next.pop_back();
    run_child(grids, work);
  }
  if (!parts_.outcomes.ended()) {
    if (request.timing == Timing::each)
      parts_.outcomes.timed(request.number, grids.duration);
    else if (request.timing == Timing::counted && grids.counted)
      parts_.outcomes.counted(request.number, grids.bytes);
  }
  parts_.outcomes.running(0);
}

void Launcher::run_child(Grids& grids, const ChildWork& work) {
  if (parts_.outcomes.cut()) return cut(grids.request, " between two grids");
  if (work.kind != ChildWork::Kind::grid) return transfer(grids.request, work);
  LaunchRequest request = grids.request;
  request.entry = work.function->entry;
  request.grid = work.grid;
  request.block = work.extents;
  request.dynamic_shared = work.shared;
  request.arguments = work.arguments;
  request.mode = LaunchMode::normal;
  request.textures.clear();
  request.cluster.reset();
  const KernelCode* code =
      grids.program.kernel({request.entry, request.grid, request.block, request.checks, request.code_wait}, wait_);
  if (code == nullptr) return cut(grids.request, " before a grid that it launches");
  run_grid(grids, request, *code, &work);
}

void Launcher::run_grid(Grids& grids, const LaunchRequest& request, const KernelCode& code, const ChildWork* launched) {
  OrderedOutput output(parts_.output, printf_buffer_);
  LaunchState state(
      {request, code, parts_.space, output, parts_.error_output, parts_.outcomes.cut(), grids.worker, &grids.program});
  state.children.begin(request.entry, launched ? launched->depth : 0);
  const std::vector<AddressRange> bounds = bounds_of(request, grids.program, code);
  lay_out(state, grids.program, bounds);
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

  const Clock::time_point start = Clock::now();
  const BlockRunner::End how = runner_.run(state);
  grids.duration += (Clock::now() - start) / std::chrono::nanoseconds(1);
  output.finish();
  if (std::optional<Fault> fault = state.fault()) {
    if (launched) fault->message += "; this grid was launched by " + launched->asked_by();
    return parts_.outcomes.end(std::move(*fault));
  }
  if (how == BlockRunner::End::cut) return cut(request, request.grid.count() > 1 ? " between two blocks" : "");
  if (auto refused = state.children.unseen()) {
    refused->number = request.number;
    parts_.outcomes.refuse(std::move(*refused));
  }
  std::vector<ChildWork> children = state.children.take();
  std::move(children.begin(), children.end(), std::back_inserter(grids.next));
  grids.counted = grids.counted && state.counter && state.counter->complete();
  if (state.counter) grids.bytes += state.counter->bytes();
}

void Launcher::cut(const LaunchRequest& request, std::string_view where) const {
  Fault fault =
      Outcomes::stopped(FaultKind::interrupted, request.number, fmt::format("the launch was stopped{}", where));
  fault.entry = request.entry;
  parts_.outcomes.end(std::move(fault));
}

// cudaMemcpyAsync and cudaMemsetAsync of a kernel.
void Launcher::transfer(const LaunchRequest& request, const ChildWork& work) const {
  if (work.bytes == 0) return;
  const bool copies = work.kind == ChildWork::Kind::copy;
  const auto reachable = [&](Address address) {
    const std::optional<AddressRange> range = parts_.space.find(address);
    return range && work.bytes <= range->size - (address - range->begin);
  };
  const bool writes = reachable(work.to);
  if (!writes || (copies && !reachable(work.from))) {
    Fault fault;
    fault.kind = FaultKind::out_of_bounds;
    fault.launches = {request.number};
    fault.entry = request.entry;
    fault.block = work.from_thread.block_index;
    fault.thread = work.from_thread.thread_index;
    if (const Place* place = work.from_thread.place) fault.source = place->source, fault.line = place->line;
    fault.access = writes ? Access::read : Access::write;
    fault.address = writes ? work.from : work.to;
    fault.message =
        fmt::format("{} of {} bytes {} {:#x}, which are not entirely in one array",
                    copies ? "cudaMemcpyAsync" : "cudaMemsetAsync", work.bytes, writes ? "from" : "to", *fault.address);
    return parts_.outcomes.end(std::move(fault));
  }
  auto* to = reinterpret_cast<std::byte*>(work.to);
  if (copies)
    std::memmove(to, reinterpret_cast<const std::byte*>(work.from), work.bytes);
  else
    std::memset(to, static_cast<int>(work.value), work.bytes);
  parts_.space.written.write(work.to, work.bytes);
}

void Launcher::lay_out(LaunchState& state, const LoadedModule& program, const std::vector<AddressRange>& bounds) const {
  const LaunchRequest& request = state.request;
  const Dim3 &grid = request.grid, &block = request.block;
  const auto threads = static_cast<std::uint32_t>(block.count());
  LaunchAbi& abi = state.abi;
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

std::vector<AddressRange> Launcher::bounds_of(const LaunchRequest& request, const LoadedModule& program,
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

// A launch that is not watched may have written all the memory that it can write to.
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
