// The values that cross the wire, and the fields of each: one list for both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "device/device.hpp"

namespace xcuda::device::remote {

// Error is not an aggregate of plain fields: it travels as this.
struct ErrorText {
  ErrorKind kind = ErrorKind::internal;
  std::string message, library, advice;
  std::vector<std::string> notes;
  std::optional<Place> place;
};
ErrorText to_text(const Error& error);
Error to_error(ErrorText text);

// What a worker is opened with; the descriptors come beside it.
struct OpenRequest {
  std::uint32_t version = 0;
  Window window;
  std::uint64_t shared_size = 0, staging_size = 0;  // bytes
  std::uint8_t first = 1;                           // 0: a session's window has to be had again
};

// --- The fields of each value, in the order of the wire. One list for both directions. -------------------------------
// A field that a structure gains has to be added here; codec_test compares what arrives with what was sent.

#define XCUDA_FIELDS(type, ...)                                    \
  inline auto fields_of(type& v) { return std::tie(__VA_ARGS__); } \
  inline auto fields_of(const type& v) { return std::tie(__VA_ARGS__); }

XCUDA_FIELDS(Place, v.source, v.line, v.column, v.width, v.excerpt)
XCUDA_FIELDS(ErrorText, v.kind, v.message, v.library, v.advice, v.notes, v.place)
XCUDA_FIELDS(Dim3, v.x, v.y, v.z)
XCUDA_FIELDS(Window, v.base, v.size)
XCUDA_FIELDS(OpenRequest, v.version, v.window, v.shared_size, v.staging_size, v.first)
XCUDA_FIELDS(BoardLink, v.uuid, v.nvlinks, v.path)
XCUDA_FIELDS(BoardState, v.clock_hz, v.memory_clock_hz, v.temperature, v.power, v.power_limit, v.slowed_by,
             v.memory_errors, v.remap_pending, v.links)
XCUDA_FIELDS(DeviceInfo, v.kind, v.ordinal, v.name, v.architecture, v.compute_major, v.compute_minor, v.driver, v.uuid,
             v.pci_domain, v.pci_bus, v.pci_device, v.memory_total, v.memory_free, v.memory_granularity,
             v.memory_outlives_process, v.multiprocessors, v.warp_size, v.max_threads_per_block,
             v.max_threads_per_multiprocessor, v.max_blocks_per_multiprocessor, v.max_block, v.max_grid,
             v.shared_per_block, v.shared_per_block_optin, v.shared_per_multiprocessor, v.registers_per_multiprocessor,
             v.registers_per_block, v.constant_memory, v.l2_cache, v.peak_bandwidth, v.clock_hz, v.memory_clock_hz,
             v.ecc, v.cooperative_launch, v.knows_arrays, v.window, v.process, v.board)
XCUDA_FIELDS(MemoryRequest, v.id, v.address, v.size)
XCUDA_FIELDS(GuardedRange, v.address, v.size, v.touch)
XCUDA_FIELDS(ForeignMemory, v.id, v.handle, v.offset)
XCUDA_FIELDS(ArrayRange, v.address, v.size, v.element_size, v.name, v.element, v.unwritten)
XCUDA_FIELDS(FillRequest, v.address, v.count, v.pattern)
XCUDA_FIELDS(CopyRequest, v.to, v.from, v.width, v.height, v.to_pitch, v.from_pitch)
XCUDA_FIELDS(ModuleImage, v.id, v.name, v.ptx, v.cubin, v.architecture, v.assembler_log)
XCUDA_FIELDS(ParameterLayout, v.offset, v.size, v.alignment)
XCUDA_FIELDS(ptx::Spills, v.stores, v.loads)
XCUDA_FIELDS(NativeCode, v.state, v.variant, v.bytes, v.time)
XCUDA_FIELDS(FunctionInfo, v.entry, v.parameters, v.registers, v.shared_bytes, v.local_bytes, v.constant_bytes,
             v.max_threads_per_block, v.spills, v.native)
XCUDA_FIELDS(VariableInfo, v.symbol, v.address, v.size, v.constant)
XCUDA_FIELDS(ModuleInfo, v.functions, v.variables, v.load_time, v.log)
XCUDA_FIELDS(Checks, v.bounds, v.races, v.uninitialised)
XCUDA_FIELDS(PrepareRequest, v.module, v.entry, v.checks)
XCUDA_FIELDS(TextureArgument, v.texture, v.offset, v.use)
XCUDA_FIELDS(LaunchRequest, v.number, v.module, v.entry, v.grid, v.block, v.cluster, v.dynamic_shared, v.stream, v.mode,
             v.timing, v.code_wait, v.checks, v.arguments, v.textures)
XCUDA_FIELDS(GraphLaunch, v.number, v.graph, v.stream, v.timing)
XCUDA_FIELDS(GraphInfo, v.nodes, v.instantiate_time)
XCUDA_FIELDS(LaunchTiming, v.number, v.duration, v.bytes)
XCUDA_FIELDS(RefusedLaunch, v.number, v.library, v.advice, v.thrown)
XCUDA_FIELDS(CodeRequest, v.module, v.entry, v.block, v.checks)
XCUDA_FIELDS(CodeLine, v.label, v.offset, v.instruction, v.remark, v.source, v.line, v.lanes)
XCUDA_FIELDS(MachineCode, v.target, v.variant, v.bytes, v.lines)
XCUDA_FIELDS(Occupancy, v.blocks_per_multiprocessor, v.fraction, v.limiter)
XCUDA_FIELDS(OccupancyRequest, v.module, v.entry, v.block_threads, v.dynamic_shared)
XCUDA_FIELDS(OtherAccess, v.access, v.who, v.of_another_block, v.source, v.line, v.column)
XCUDA_FIELDS(Fault, v.kind, v.launches, v.library, v.message, v.entry, v.source, v.line, v.column, v.block, v.thread,
             v.access, v.access_size, v.address, v.array, v.element, v.elements, v.other)
XCUDA_FIELDS(Recovery, v.duration, v.window_kept, v.arrays_kept, v.modules_lost)
XCUDA_FIELDS(library::Facts, v.name, v.version, v.path, v.load_time, v.workspace_bytes)
XCUDA_FIELDS(library::Operand, v.address, v.type, v.shape, v.strides)
XCUDA_FIELDS(library::Random, v.generator, v.ordering, v.distribution, v.seed, v.offset, v.dimensions, v.first,
             v.second)
XCUDA_FIELDS(library::Call, v.operation, v.library, v.operands, v.scalars, v.activation, v.precision, v.sums, v.random,
             v.workspace, v.workspace_bytes)
XCUDA_FIELDS(library::OpenRequest, v.family, v.folders, v.planned)
XCUDA_FIELDS(library::Report, v.number, v.algorithm, v.arithmetic)
XCUDA_FIELDS(LibraryLaunch, v.number, v.stream, v.timing, v.call)
XCUDA_FIELDS(HostModuleImage, v.id, v.name, v.path)
XCUDA_FIELDS(HostType, v.name, v.passing, v.size, v.alignment)
XCUDA_FIELDS(HostFunctionInfo, v.name, v.result, v.parameters, v.parameter_names, v.can_be_called)
XCUDA_FIELDS(HostModuleInfo, v.functions, v.load_time)
XCUDA_FIELDS(HostArgument, v.kind, v.bytes, v.stream)
XCUDA_FIELDS(HostCall, v.number, v.module, v.function, v.arguments, v.result_size)
XCUDA_FIELDS(Completion, v.timings, v.reports, v.refused, v.skipped, v.fault, v.recovery)
XCUDA_FIELDS(TextureRequest, v.id, v.address, v.width, v.height, v.depth, v.layers, v.channels, v.channel_bits,
             v.channel, v.address_mode, v.filter, v.read, v.normalized_coordinates, v.gather, v.surface, v.cube,
             v.smaller, v.srgb, v.seamless, v.border, v.level_filter, v.level_bias, v.least_level, v.most_level,
             v.anisotropy)

#undef XCUDA_FIELDS

}  // namespace xcuda::device::remote
