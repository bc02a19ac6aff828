// For functions that make nodes of any kind.
#pragma once

#include "runtime/driver/driver_calls.hpp"
#include "runtime/graph/graph_calls.hpp"

namespace xcuda::runtime::driver {

CUresult add_word_node(CUgraphNode* to, CUgraph graph, const Dependencies& after,
                       const CUDA_BATCH_MEM_OP_NODE_PARAMS* from);

}  // namespace xcuda::runtime::driver
