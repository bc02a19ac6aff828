#include "runtime/graph/graph_works.hpp"

#include <memory>
#include <utility>

#include "runtime/copies.hpp"
#include "runtime/graph/graph_memory.hpp"
#include "runtime/kernels.hpp"

namespace xcuda::runtime {
namespace {

dim3 extents_of(const device::Dim3& from) { return {from.x, from.y, from.z}; }

}  // namespace

cudaError_t read_kernel(State& state, const cudaKernelNodeParams* from, Work& work) {
  if (from == nullptr) return cudaErrorInvalidValue;
  KernelWork made;
  const auto* old = std::get_if<KernelWork>(&work);
  LaunchCall call{.function = from->func,
                  .grid = from->gridDim,
                  .block = from->blockDim,
                  .arguments = from->kernelParams,
                  .shared = from->sharedMemBytes,
                  .mode = old != nullptr ? old->request.mode : device::LaunchMode::normal,
                  .extra = from->extra};
  if (const auto error = prepare(state, call, made); error != cudaSuccess) return error;
  if (old != nullptr) made.attributes = old->attributes;
  work = std::move(made);
  return cudaSuccess;
}

// As CUDA does: what it gives away is there until the node's parameters are set.
void write_kernel(KernelWork& work, cudaKernelNodeParams& to) {
  work.arguments.clear();
  for (const auto offset : work.offsets) work.arguments.push_back(work.request.arguments.data() + offset);
  to = {};
  to.func = const_cast<void*>(work.function);
  to.gridDim = extents_of(work.request.grid);
  to.blockDim = extents_of(work.request.block);
  to.sharedMemBytes = static_cast<unsigned>(work.request.dynamic_shared);
  to.kernelParams = work.arguments.empty() ? nullptr : work.arguments.data();
}

cudaError_t read_copy(State& state, const Copy& from, Work& work) {
  if (from.width == 0 || from.height == 0 || from.depth == 0) return cudaErrorInvalidValue;
  const auto error = check(state, from);
  if (error == cudaSuccess) work = CopyWork{from, box_of(from)};
  return error;
}

cudaError_t read_copy(State& state, const cudaMemcpy3DParms* from, Work& work) {
  Copy copy;
  if (from == nullptr) return cudaErrorInvalidValue;
  if (const auto error = read_box(state, *from, copy); error != cudaSuccess) return error;
  const auto error = read_copy(state, copy, work);
  if (error == cudaSuccess) std::get<CopyWork>(work).parameters = *from;
  return error;
}

cudaError_t read_symbol_copy(State& state, const Part& part, const void* other, cudaMemcpyKind kind,
                             Direction direction, Work& work) {
  Copy copy;
  const auto error = read_part(state, part, other, kind, direction, copy);
  return error == cudaSuccess ? read_copy(state, copy, work) : error;
}

cudaError_t read_fill(State& state, const cudaMemsetParams* from, Work& work) {
  if (from == nullptr || from->width == 0 || from->height == 0) return cudaErrorInvalidValue;
  const auto bytes = from->elementSize;
  if ((bytes != 1 && bytes != 2 && bytes != 4) || reinterpret_cast<std::uintptr_t>(from->dst) % bytes != 0)
    return cudaErrorInvalidValue;
  const Fill fill{.to = {from->dst, from->pitch},
                  .value = from->value,
                  .value_bytes = static_cast<int>(bytes),
                  .width = from->width * bytes,
                  .height = from->height};
  const auto error = check(state, fill);
  if (error == cudaSuccess) work = fill;
  return error;
}

void write_fill(const Fill& fill, cudaMemsetParams& to) {
  const auto bytes = static_cast<unsigned>(fill.value_bytes);
  to = {const_cast<void*>(fill.to.address), fill.to.pitch, fill.value, bytes, fill.width / bytes, fill.height};
}

cudaError_t read_host(const cudaHostNodeParams* from, Work& work) {
  if (from == nullptr || from->fn == nullptr) return cudaErrorInvalidValue;
  work = HostWork{from->fn, from->userData};
  return cudaSuccess;
}

cudaError_t read_child(State& state, cudaGraph_t from, Work& work) {
  const Graph* graph = state.graph_table.find(from);
  if (graph == nullptr) return cudaErrorInvalidValue;
  work = ChildWork{copy_of(*graph)};
  return cudaSuccess;
}

cudaError_t read_allocation(State& state, const cudaMemPoolProps& pool, std::size_t bytes, Work& work) {
  if (bytes == 0) return cudaErrorInvalidValue;
  if (pool.allocType != cudaMemAllocationTypePinned || pool.location.type != cudaMemLocationTypeDevice ||
      pool.handleTypes != cudaMemHandleTypeNone)
    return cudaErrorNotSupported;
  if (pool.location.id != 0) return cudaErrorInvalidDevice;
  work = AllocateWork{make_graph_memory(state, bytes), pool};
  return cudaSuccess;
}

cudaError_t read_free(State& state, void* address, Work& work) {
  const auto found = state.graph_memory.all.find(address);
  if (found == state.graph_memory.all.end() || found->second->is_condition) return cudaErrorInvalidValue;
  work = FreeWork{address};
  return cudaSuccess;
}

cudaError_t read_conditional(State& state, cudaConditionalNodeParams& from, Work& work) {
  const auto word = state.graph_memory.all.find(reinterpret_cast<const void*>(from.handle));
  if (word == state.graph_memory.all.end() || !word->second->is_condition) return cudaErrorInvalidValue;
  const unsigned most = from.type == cudaGraphCondTypeIf ? 2 : from.type == cudaGraphCondTypeWhile ? 1 : ~0u;
  if (from.type < cudaGraphCondTypeIf || from.type > cudaGraphCondTypeSwitch || from.size == 0 || from.size > most)
    return cudaErrorInvalidValue;
  ConditionalWork made;
  made.handle = from.handle;
  made.type = from.type;
  for (unsigned i = 0; i < from.size; ++i) {
    made.bodies.push_back(std::make_shared<Graph>(state.graph_table));
    made.bodies.back()->is_body = true;
    made.handles.push_back(handle_of(made.bodies.back().get()));
  }
  from.phGraph_out = made.handles.data();  // which stays where it is when the vector moves
  work = std::move(made);
  return cudaSuccess;
}

cudaError_t read_parameters(State& state, cudaGraphNodeParams* from, Work& work) {
  if (from == nullptr) return cudaErrorInvalidValue;
  switch (from->type) {
    case cudaGraphNodeTypeKernel: {
      const auto& one = from->kernel;
      const cudaKernelNodeParams kernel{one.func,           one.gridDim,      one.blockDim,
                                        one.sharedMemBytes, one.kernelParams, one.extra};
      return read_kernel(state, &kernel, work);
    }
    case cudaGraphNodeTypeMemcpy: return read_copy(state, &from->memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset: {
      const auto& one = from->memset;
      const cudaMemsetParams fill{one.dst, one.pitch, one.value, one.elementSize, one.width, one.height};
      return read_fill(state, &fill, work);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{from->host.fn, from->host.userData};
      return read_host(&host, work);
    }
    case cudaGraphNodeTypeGraph: return read_child(state, from->graph.graph, work);
    case cudaGraphNodeTypeEmpty: work = EmptyWork{}; return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent: return read_event<WaitWork>(state, from->eventWait.event, work);
    case cudaGraphNodeTypeEventRecord: return read_event<RecordWork>(state, from->eventRecord.event, work);
    case cudaGraphNodeTypeMemAlloc: {
      const auto error = read_allocation(state, from->alloc.poolProps, from->alloc.bytesize, work);
      if (error == cudaSuccess) from->alloc.dptr = std::get<AllocateWork>(work).memory->address;
      return error;
    }
    case cudaGraphNodeTypeMemFree: return read_free(state, from->free.dptr, work);
    case cudaGraphNodeTypeConditional: return read_conditional(state, from->conditional, work);
    default: return cudaErrorNotSupported;
  }
}

}  // namespace xcuda::runtime
