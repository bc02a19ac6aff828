// Nodes of graphs that write words of memory and wait for them.
#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/driver/driver_stream_words.hpp"
#include "runtime/driver/driver_word_nodes.hpp"

namespace xcuda::runtime::driver {

// What a node was given, and gives away until it is set anew.
struct WordParameters {
  CUcontext context = nullptr;
  std::vector<CUstreamBatchMemOpParams> list;
};

namespace {

// An executable graph keeps which operations there are.
enum class Operations : std::uint8_t { any, same };

// The flags that stay with the operation: how a wait compares may change.
unsigned kept_flags(const CUstreamBatchMemOpParams& of) {
  switch (of.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64: return of.waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: return of.writeValue.flags;
    case CU_STREAM_MEM_OP_BARRIER: return of.memoryBarrier.flags;
    default: return of.flushRemoteWrites.flags;
  }
}

cudaError_t read_words(State& state, const CUDA_BATCH_MEM_OP_NODE_PARAMS* from, Operations operations, Work& work) {
  if (from == nullptr || from->paramArray == nullptr || from->count == 0 || from->count > kMostWordSteps ||
      from->flags != 0)
    return cudaErrorInvalidValue;
  auto parameters = std::make_shared<WordParameters>();
  parameters->context = from->ctx;
  parameters->list.assign(from->paramArray, from->paramArray + from->count);
  const auto* const old = std::get_if<WordsWork>(&work);
  if (operations == Operations::same && (old == nullptr || !has_same_operations(*old->parameters, *parameters)))
    return cudaErrorInvalidValue;
  WordsWork made;
  for (const auto& one : parameters->list) {
    WordStep step;
    if (const auto error = read_word_step(one, step); error != cudaSuccess) return error;
    if (step.kind == WordStep::Kind::none) continue;
    if (const auto error = read_word_kernel(state, step, made.steps.emplace_back()); error != cudaSuccess) return error;
  }
  made.parameters = std::move(parameters);
  work = std::move(made);
  return cudaSuccess;
}

auto words(const CUDA_BATCH_MEM_OP_NODE_PARAMS* from, Operations operations) {
  return [=](State& state, Work& work) { return read_words(state, from, operations, work); };
}

}  // namespace

bool has_same_operations(const WordParameters& a, const WordParameters& b) {
  return a.context == b.context &&
         std::equal(a.list.begin(), a.list.end(), b.list.begin(), b.list.end(), [](const auto& x, const auto& y) {
           return x.operation == y.operation && kept_flags(x) == kept_flags(y);
         });
}

CUresult add_word_node(CUgraphNode* to, CUgraph graph, const Dependencies& after,
                       const CUDA_BATCH_MEM_OP_NODE_PARAMS* from) {
  return after_init([&] { return add_node(to, graph, after, words(from, Operations::any)); });
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* to, CUgraph graph, const CUgraphNode* after, std::size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* from) {
  return add_word_node(to, graph, {after, count}, from);
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS* to) {
  return after_init([&] {
    return with_work<WordsWork>(node, [&](State&, WordsWork& work) {
      const auto& has = *work.parameters;
      auto* const list = const_cast<CUstreamBatchMemOpParams*>(has.list.data());  // CUDA's type; it is the node's own
      return give(to, CUDA_BATCH_MEM_OP_NODE_PARAMS{has.context, static_cast<unsigned>(has.list.size()), list, 0});
    });
  });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS* from) {
  return after_init([&] { return set_work(node, words(from, Operations::any)); });
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec graph, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* from) {
  return after_init([&] { return set_work(graph, node, words(from, Operations::same)); });
}

}  // namespace xcuda::runtime::driver
