// What the parameters of nodes mean. Errors are CUDA's.
#pragma once

#include "runtime/api_calls.hpp"
#include "runtime/symbols.hpp"

namespace xcuda::runtime {

cudaError_t read_kernel(State& state, const cudaKernelNodeParams* from, Work& work);
void write_kernel(KernelWork& work, cudaKernelNodeParams& to);
cudaError_t read_copy(State& state, const cudaMemcpy3DParms* from, Work& work);
cudaError_t read_copy(State& state, const Copy& from, Work& work);
cudaError_t read_symbol_copy(State& state, const Part& part, const void* other, cudaMemcpyKind kind,
                             Direction direction, Work& work);
cudaError_t read_fill(State& state, const cudaMemsetParams* from, Work& work);
void write_fill(const Fill& fill, cudaMemsetParams& to);
cudaError_t read_host(const cudaHostNodeParams* from, Work& work);
cudaError_t read_child(State& state, cudaGraph_t from, Work& work);
template <class Kind> cudaError_t read_event(State& state, cudaEvent_t event, Work& work) {
  if (state.find_event(event) == nullptr) return cudaErrorInvalidResourceHandle;
  work = Kind{event};
  return cudaSuccess;
}
cudaError_t read_allocation(State& state, const cudaMemPoolProps& pool, std::size_t bytes, Work& work);
cudaError_t read_free(State& state, void* address, Work& work);
cudaError_t read_conditional(State& state, cudaConditionalNodeParams& from, Work& work);  // writes the bodies
cudaError_t read_parameters(State& state, cudaGraphNodeParams* from, Work& work);         // of any kind

}  // namespace xcuda::runtime
