// What functions of pools begin with.
#pragma once

#include <functional>

#include "runtime/api_calls.hpp"

namespace xcuda::runtime {

cudaError_t with_pool(cudaMemPool_t pool, const std::function<cudaError_t(State&, Pool&)>& function);
void count_allocated(State& state, Pool& pool, std::uint64_t bytes);
cudaError_t make_exportable(Pool& pool);  // to other processes. Errors: it is not of the device's memory

}  // namespace xcuda::runtime
