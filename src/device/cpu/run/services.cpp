// The services that generated code asks the runtime for.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <bit>

#include "base/host_arithmetic.hpp"
#include "base/units.hpp"
#include "device/cpu/run/launch_state.hpp"
#include "device/cpu/run/print.hpp"
#include "device/host_code.hpp"
#include "device/index_text.hpp"
#include "ptx/source_places.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::uint64_t kNullPage = 64 << 10;  // bytes at address 0 that mean a null pointer and an index

ThreadState& thread_of(const BlockFrame* frame) { return *static_cast<ThreadState*>(frame->runtime); }

template <class Function> void for_lanes(const LaneCall& call, Function&& function) {
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
    if (call.mask >> lane & 1) function(lane);
}

std::uint32_t first_lane(const LaneCall& call) {
  std::uint32_t lane = 0;
  while (lane < kLanesPerWarp - 1 && !(call.mask >> lane & 1)) ++lane;
  return lane;
}

std::int64_t element_index(Address address, Address begin, std::uint64_t size) {
  const auto distance = static_cast<std::int64_t>(address - begin);
  const auto bytes = static_cast<std::int64_t>(size);
  return distance >= 0 ? distance / bytes : -((-distance + bytes - 1) / bytes);
}

bool inside(const AddressRange& range, Address address, std::uint64_t size) {
  return address >= range.begin && address - range.begin <= range.size && size <= range.size - (address - range.begin);
}

// An access beyond a range that is known: which element of what.
Fault beyond(const BlockFrame& frame, const LaneCall& call, std::uint32_t lane, const AddressRange& range) {
  LaunchState& state = state_of(&frame);
  const AccessSite& site = state.code.sites[call.site];
  const Address address = call.arguments[0][lane];
  Fault fault = lane_fault(frame, call, lane, FaultKind::out_of_bounds);
  fault.address = address;
  ArrayRange array = state.space.describe(range.begin);
  if (site.space == AccessSite::Space::shared) array = {0, range.size, 0, "shared memory", ""};
  if (site.space == AccessSite::Space::local) array = {0, range.size, 0, "local memory", ""};
  // Bytes say little where the element is not known; the size of the access says more.
  const std::uint64_t element = std::max<std::uint64_t>(array.element_size ? array.element_size : site.size, 1);
  fault.array = array.name;
  fault.element = element_index(address, range.begin, element);
  fault.elements = range.size / element;
  const std::string name = array.name.empty() ? fmt::format("memory at {:#x}", range.begin) : array.name;
  fault.message = fmt::format("{} of {}[{}], which has {} element{}", access_name(site.access), name, *fault.element,
                              format_count(fault.elements), fault.elements == 1 ? "" : "s");
  return fault;
}

// An access where nothing is.
Fault nowhere(const BlockFrame& frame, const LaneCall& call, std::uint32_t lane) {
  LaunchState& state = state_of(&frame);
  const AccessSite& site = state.code.sites[call.site];
  const Address address = call.arguments[0][lane];
  if (site.space == AccessSite::Space::shared) {  // offsets, not addresses
    Fault fault = lane_fault(frame, call, lane, FaultKind::out_of_bounds);
    fault.array = "shared memory";
    fault.message = fmt::format(
        "{} of shared memory, for which this launch has no bytes: their number is the third value of <<<>>>",
        access_name(site.access));
    return fault;
  }
  const bool null = address < kNullPage;
  Fault fault = lane_fault(frame, call, lane, null ? FaultKind::null_pointer : FaultKind::illegal_address);
  fault.address = address;
  fault.message =
      null ? fmt::format("{} through a null pointer", access_name(site.access))
           : fmt::format("{} of address {:#x}, which is outside every array", access_name(site.access), address);
  if (const ArrayRange* array = state.space.arrays.below(address); array && !null) {
    fault.array = array->name;
    fault.element = element_index(address, array->address, array->element_size);
    fault.elements = array->size / array->element_size;
    fault.message += fmt::format("; the array before it is {}, and this would be {}[{}] of {}", array->name,
                                 array->name, *fault.element, format_count(fault.elements));
  }
  return fault;
}

AddressRange locals_of(const BlockFrame& frame) {
  return {reinterpret_cast<Address>(frame.locals),
          std::uint64_t{frame.launch->warps} * kLanesPerWarp * state_of(&frame).code.local_bytes};
}

// Everything that an access of unknown origin may reach in this block.
std::optional<AddressRange> find_anywhere(const BlockFrame& frame, Address address) {
  LaunchState& state = state_of(&frame);
  const AddressRange shared{reinterpret_cast<Address>(frame.shared), frame.launch->shared_bytes};
  if (inside(shared, address, 1)) return shared;
  const AddressRange stack{frame.stack_limit, frame.stack_end - frame.stack_limit};  // of device functions
  if (inside(stack, address, 1)) return stack;
  const AddressRange locals = locals_of(frame);
  if (inside(locals, address, 1)) return locals;
  const AddressRange workspace{reinterpret_cast<Address>(state.grid_workspace.data()), sizeof state.grid_workspace};
  if (inside(workspace, address, 1)) return workspace;
  const AddressRange parameters{reinterpret_cast<Address>(frame.launch->parameters), state.request.arguments.size()};
  if (inside(parameters, address, 1)) return parameters;
  if (const auto arguments = state.children.find(address)) return arguments;
  return state.space.find(address);
}

bool aligned(const AccessSite& site, Address address) {
  return !std::has_single_bit(site.size) || address % site.size == 0;
}

// An access of what may be reached, at an address that the processor of a GPU refuses.
Fault misaligned(const BlockFrame& frame, const LaneCall& call, std::uint32_t lane, const AddressRange& range) {
  LaunchState& state = state_of(&frame);
  const AccessSite& site = state.code.sites[call.site];
  Fault fault = lane_fault(frame, call, lane, FaultKind::misaligned_address);
  fault.address = call.arguments[0][lane];
  const ArrayRange array = state.space.describe(range.begin);
  fault.array = site.space == AccessSite::Space::shared ? "shared memory" : array.name;
  const std::string name = fault.array.empty() ? fmt::format("memory at {:#x}", range.begin) : fault.array;
  fault.message = fmt::format("{} of {} bytes at byte {} of {}: the address is not a multiple of {}",
                              access_name(site.access), site.size, *fault.address - range.begin, name, site.size);
  return fault;
}

// What a lane may reach of its own local memory.
AddressRange local_of(const BlockFrame& frame, const LaneCall& call, std::uint32_t lane) {
  const std::uint64_t bytes = state_of(&frame).code.local_bytes;
  return {reinterpret_cast<Address>(frame.locals) + (std::uint64_t{call.warp} * kLanesPerWarp + lane) * bytes, bytes};
}

std::uint32_t check_access(BlockFrame* frame, LaneCall* call) {
  LaunchState& state = state_of(frame);
  const AccessSite& site = state.code.sites[call->site];
  std::uint32_t answer = kGoOn;
  AddressRange known;
  if (site.slot >= 0) known = frame->launch->bounds[site.slot];
  if (site.space == AccessSite::Space::shared) known = {0, frame->launch->shared_bytes};  // offsets, not addresses
  const bool traced = site.slot >= 0 || site.space == AccessSite::Space::shared;
  // Device functions have theirs on the stack of their thread, where only the whole of it is known.
  const bool local_locals = site.space == AccessSite::Space::local && state.code.local_bytes > 0 &&
                            inside(locals_of(*frame), call->arguments[0][first_lane(*call)], 0);
  std::optional<AddressRange> last;
  for_lanes(*call, [&](std::uint32_t lane) {
    if (answer != kGoOn) return;
    const Address address = call->arguments[0][lane];
    std::optional<AddressRange> range = last;
    if (traced) {
      range = known;
    } else if (local_locals) {
      range = local_of(*frame, *call, lane);
    } else if (!last || !inside(*last, address, site.size)) {
      range = last = find_anywhere(*frame, address);
    }
    const bool reached = range && inside(*range, address, site.size);
    if (reached && aligned(site, address)) return;
    answer = kLeave;
    if (reached)
      state.report(misaligned(*frame, *call, lane, *range));
    else
      state.report(range && range->size > 0 ? beyond(*frame, *call, lane, *range) : nowhere(*frame, *call, lane));
  });
  if (answer == kGoOn && last && site.cache >= 0) frame->caches[site.cache] = *last;
  return answer;
}

std::uint32_t print(BlockFrame* frame, LaneCall* call) {
  ThreadState& thread = thread_of(frame);
  for_lanes(*call, [&](std::uint32_t lane) {
    call->results[lane] =
        static_cast<std::uint32_t>(format_print(thread.text, reinterpret_cast<const char*>(call->arguments[0][lane]),
                                                reinterpret_cast<const std::byte*>(call->arguments[1][lane])));
  });
  state_of(frame).output.print(thread.run_begin, thread.text);
  return kGoOn;
}

std::string text_at(std::uint64_t address) {
  return address == 0 ? std::string("?") : std::string(reinterpret_cast<const char*>(address));
}

std::uint32_t assert_failed(BlockFrame* frame, LaneCall* call) {
  LaunchState& state = state_of(frame);
  std::string text;
  std::optional<Fault> first;
  for_lanes(*call, [&](std::uint32_t lane) {
    const Dim3 thread = thread_index(*frame, call->warp * kLanesPerWarp + lane);
    const std::string line = fmt::format(
        "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
        ptx::source_name(text_at(call->arguments[1][lane])), static_cast<std::uint32_t>(call->arguments[2][lane]),
        text_at(call->arguments[3][lane]), frame->block_index[0], frame->block_index[1], frame->block_index[2],
        thread.x, thread.y, thread.z, text_at(call->arguments[0][lane]));
    text += line + "\n";
    if (first) return;
    first = lane_fault(*frame, *call, lane, FaultKind::assertion);
    first->message = line;
    first->access = Access::unknown;
    first->access_size = 0;
    if (first->line == 0) first->line = static_cast<int>(call->arguments[2][lane]);
  });
  state.error_output(text);
  if (first) state.report(std::move(*first));
  return kLeave;
}

std::uint32_t trap(BlockFrame* frame, LaneCall* call) {
  LaunchState& state = state_of(frame);
  const AccessSite& site = state.code.sites[call->site];
  if (site.operation.type() != ptx::Type::none) {  // desugar.cpp puts it before divisions of host code
    Fault fault = lane_fault(*frame, *call, first_lane(*call), FaultKind::trap);
    fault.message = "division by zero";
    state.report(std::move(fault));
    return kLeave;
  }
  const bool asked = site.operation.is(ptx::Trait::traps);
  const std::string opcode = ptx::text_of(site.operation);
  Fault fault = lane_fault(*frame, *call, first_lane(*call), asked ? FaultKind::trap : FaultKind::unsupported);
  fault.message = asked ? fmt::format("the kernel executed `{}`", opcode)
                        : fmt::format("the CPU device cannot run `{}` here", opcode);
  if (site.synchronises && state.request.mode != LaunchMode::cooperative)  // the grid has no workspace for it
    fault.message += "; grid.sync() needs a launch with --cooperative";
  state.report(std::move(fault));
  return kLeave;
}

std::uint32_t wrong_shift(BlockFrame* frame, LaneCall* call) {
  const std::uint32_t lane = first_lane(*call);
  const std::uint64_t type = std::min<std::uint64_t>(call->arguments[1][lane] & 0xff, kShiftedTypes.size() - 1);
  Fault fault = lane_fault(*frame, *call, lane, FaultKind::trap);
  fault.message = wrong_shift_text(
      kShiftedTypes[type], std::to_string(static_cast<std::int64_t>(call->arguments[0][lane])), type < 2 ? 32 : 64);
  state_of(frame).report(std::move(fault));
  return kLeave;
}

std::uint32_t bad_call(BlockFrame* frame, LaneCall* call) {
  const std::uint32_t lane = first_lane(*call);
  const std::uint64_t target = call->arguments[0][lane];
  Fault fault = lane_fault(*frame, *call, lane, target == 0 ? FaultKind::null_pointer : FaultKind::illegal_instruction);
  fault.address = target;
  fault.message =
      target == 0
          ? std::string("a call through a null pointer")
          : fmt::format("a call through {:#x}, which is not a function of this cell with these parameters", target);
  state_of(frame).report(std::move(fault));
  return kLeave;
}

std::uint32_t stack_overflow(BlockFrame* frame, LaneCall* call) {
  Fault fault = lane_fault(*frame, *call, first_lane(*call), FaultKind::stack_overflow);
  const bool of_host = state_of(frame).request.entry.find(kNativeKernel) != std::string::npos;
  fault.message =
      fmt::format("calls are nested too deeply: {} has {} MiB for them", of_host ? "a function of the host" : "a warp",
                  (frame->stack_end - frame->stack_limit) >> 20);
  state_of(frame).report(std::move(fault));
  return kLeave;
}

std::uint32_t recursion_too_deep(BlockFrame* frame, LaneCall* call) {
  const std::uint32_t lane = first_lane(*call);
  Fault fault = lane_fault(*frame, *call, lane, FaultKind::stack_overflow);
  fault.message =
      fmt::format("calls of functions with a barrier of the block are nested too deeply: a thread has {} KiB for them",
                  call->arguments[0][lane] >> 10);
  state_of(frame).report(std::move(fault));
  return kLeave;
}

std::uint32_t allocate(BlockFrame* frame, LaneCall* call) {
  for_lanes(*call, [&](std::uint32_t lane) {
    LaunchState& state = state_of(frame);
    call->results[lane] = state.space.heap.allocate(call->arguments[0][lane]);
    if (const auto range = state.space.heap.find(call->results[lane]); range && state.recorder)
      state.recorder->forget(*range);
  });
  return kGoOn;
}

std::uint32_t release(BlockFrame* frame, LaneCall* call) {
  LaunchState& state = state_of(frame);
  std::uint32_t answer = kGoOn;
  for_lanes(*call, [&](std::uint32_t lane) {
    if (answer != kGoOn || state.space.heap.release(call->arguments[0][lane])) return;
    Fault fault = lane_fault(*frame, *call, lane, FaultKind::illegal_address);
    fault.address = call->arguments[0][lane];
    fault.message = fmt::format("free of {:#x}, which malloc did not return or which is already free", *fault.address);
    state.report(std::move(fault));
    answer = kLeave;
  });
  return answer;
}

std::uint32_t sleep(BlockFrame*, LaneCall* call) {
  // CUDA sleeps at most 1 ms.
  const std::uint64_t time = std::min<std::uint64_t>(call->arguments[0][first_lane(*call)], 1'000'000);
  const timespec duration{0, static_cast<long>(time)};
  nanosleep(&duration, nullptr);
  return kGoOn;
}

std::uint32_t timer(BlockFrame*, LaneCall* call) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::uint64_t time =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  for (std::uint64_t& result : call->results) result = time;
  return kGoOn;
}

}  // namespace

std::array<ServiceFunction, static_cast<std::size_t>(Service::count)> services() {
  std::array<ServiceFunction, static_cast<std::size_t>(Service::count)> table{};
  const auto set = [&](Service service, ServiceFunction function) {
    table[static_cast<std::size_t>(service)] = function;
  };
  set(Service::check_access, check_access);
  set(Service::print, print);
  set(Service::assert_failed, assert_failed);
  set(Service::trap, trap);
  set(Service::allocate, allocate);
  set(Service::release, release);
  set(Service::sleep, sleep);
  set(Service::timer, timer);
  set(Service::bad_call, bad_call);
  set(Service::matrix, matrix);
  set(Service::texture, texture);
  set(Service::directed_f64, directed_f64);
  set(Service::stack_overflow, stack_overflow);
  set(Service::recursion_too_deep, recursion_too_deep);
  set(Service::warp_stuck, warp_stuck);
  set(Service::begin_phase, record_phase);
  set(Service::arrive, record_arrival);
  set(Service::suspended, record_suspended);
  set(Service::warp_synchronised, record_warp_synchronised);
  set(Service::fence, record_fence);
  set(Service::copy, record_copy);
  set(Service::close_copies, record_close_copies);
  set(Service::wait_copies, record_wait_copies);
  set(Service::arrived, record_arrived);
  set(Service::waited, record_waited);
  set(Service::missing_lane, missing_lane);
  set(Service::mbarrier_made, mbarrier_made);
  set(Service::runtime, runtime);
  set(Service::wrong_shift, wrong_shift);
  return table;
}

LaunchState& state_of(const BlockFrame* frame) { return *static_cast<LaunchState*>(frame->launch->runtime); }

Dim3 thread_index(const BlockFrame& frame, std::uint32_t linear) {
  const std::uint32_t* block = frame.launch->block;
  return {linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]};
}

Fault lane_fault(const BlockFrame& frame, const LaneCall& call, std::uint32_t lane, FaultKind kind) {
  Fault fault = fault_in(frame, kind);
  fault.thread = thread_index(frame, call.warp * kLanesPerWarp + lane);
  const AccessSite& site = state_of(&frame).code.sites[call.site];
  fault.source = site.place.source;
  fault.line = site.place.line;
  fault.column = site.place.column;
  fault.access = site.access;
  fault.access_size = site.size;
  return fault;
}

std::byte* reach(BlockFrame* frame, LaneCall* call, const Reach& wanted) {
  if (wanted.shared) {
    if (wanted.address <= frame->launch->shared_bytes && wanted.bytes <= frame->launch->shared_bytes - wanted.address)
      return frame->shared + wanted.address;
  } else if (const auto range = find_anywhere(*frame, wanted.address);
             range && inside(*range, wanted.address, wanted.bytes)) {
    return reinterpret_cast<std::byte*>(wanted.address);
  }
  LaunchState& state = state_of(frame);
  Fault fault = lane_fault(*frame, *call, first_lane(*call), FaultKind::out_of_bounds);
  fault.access = wanted.writes ? Access::write : Access::read;
  fault.address = wanted.address;
  fault.message = fmt::format("`{}` of {} bytes at {}{:#x}, which is not entirely in one array",
                              ptx::text_of(state.code.sites[call->site].operation), wanted.bytes,
                              wanted.shared ? "shared memory's " : "", wanted.address);
  if (!wanted.shared)
    if (const ArrayRange* array = state.space.arrays.below(wanted.address)) fault.array = array->name;
  state.report(std::move(fault));
  return nullptr;
}

Fault fault_in(const BlockFrame& frame, FaultKind kind) {
  const LaunchState& state = state_of(&frame);
  Fault fault;
  fault.kind = kind;
  fault.launches = {state.request.number};
  fault.entry = state.request.entry;
  fault.block = Dim3{frame.block_index[0], frame.block_index[1], frame.block_index[2]};
  return fault;
}

// Few instructions, because there are many checks.
std::uint32_t check_lanes(BlockFrame* frame, LaneCall* call, const CheckedAccesses* accesses, std::uint32_t mask,
                          std::uint32_t warp) {
  call->mask = mask;
  call->warp = warp;
  const ServiceFunction service = frame->launch->services[static_cast<std::size_t>(Service::check_access)];
  for (std::uint32_t i = 0; i < accesses->count; ++i) {
    const CheckedAccesses::Member member = accesses->members[i];
    call->site = member.site;
    for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane)
      call->arguments[0][lane] = call->results[lane >> accesses->shift] +
                                 static_cast<std::uint64_t>(accesses->pattern[lane] + member.distance);
    if (service(frame, call)) return 1;
  }
  return 0;
}

}  // namespace xcuda::device::cpu
