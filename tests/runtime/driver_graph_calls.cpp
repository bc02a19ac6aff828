// Graphs of the Driver API: the CUDA Runtime's under other names, with parameters of their own.
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/runtime/driver_calls.hpp"
#include "tests/runtime/program.hpp"

namespace xcuda::test {
namespace {

void count_up_one(void* data) { ++*static_cast<int*>(data); }

CUgraph new_graph() {
  CUgraph graph = nullptr;
  EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  return graph;
}
CUgraphExec new_executable(CUgraph graph) {
  CUgraphExec executable = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
  return executable;
}
void run_graph(CUgraphExec graph, CUstream stream) {
  EXPECT_EQ(cuGraphLaunch(graph, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

// Each version of a function with a kernel's parameters.
void call_driver_kernel_nodes(CUdeviceptr out, CUstream stream) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, program_text()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "fill"), CUDA_SUCCESS);
  int value = 4, found = 0;
  void* arguments[] = {&out, &value};
  const CUgraph graph = new_graph();
  CUgraphNode node = nullptr, old = nullptr;
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.kern = reinterpret_cast<CUkernel>(function);
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = 8, parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  DOES(cuGraphAddKernelNode_v2, &node, graph, nullptr, 0, &parameters);
  DOES(cuGraphKernelNodeGetParams_v2, node, &parameters);
  EXPECT_TRUE(parameters.func == function && parameters.blockDimX == 8);
  DOES(cuGraphKernelNodeSetParams_v2, node, &parameters);
  CUDA_KERNEL_NODE_PARAMS_v1 first{};
  called_driver().insert({"cuGraphAddKernelNode", "cuGraphKernelNodeGetParams", "cuGraphKernelNodeSetParams"});
  EXPECT_EQ(cuGraphKernelNodeGetParams(node, &first), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddKernelNode(&old, graph, &node, 1, &first), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphKernelNodeSetParams(old, &first), CUDA_SUCCESS);
  CUlaunchAttributeValue attribute{}, read{};
  attribute.cooperative = 1;
  DOES(cuGraphKernelNodeSetAttribute, node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute);
  DOES(cuGraphKernelNodeCopyAttributes, old, node);
  DOES(cuGraphKernelNodeGetAttribute, old, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &read);
  EXPECT_EQ(read.cooperative, 1);
  const CUgraphExec executable = new_executable(graph);
  run_graph(executable, stream);
  EXPECT_EQ(cuMemcpyDtoH_v2(&found, out + 28, 4), CUDA_SUCCESS);
  EXPECT_EQ(found, 4);
  value = 5;
  parameters.kernelParams = first.kernelParams = arguments;
  DOES(cuGraphExecKernelNodeSetParams_v2, executable, node, &parameters);
  DOES(cuGraphExecKernelNodeSetParams, executable, old, &first);
  run_graph(executable, stream);
  EXPECT_EQ(cuMemcpyDtoH_v2(&found, out + 28, 4), CUDA_SUCCESS);
  EXPECT_EQ(found, 5);
  unsigned enabled = 0;
  DOES(cuGraphNodeSetEnabled, executable, node, 1);
  DOES(cuGraphNodeGetEnabled, executable, node, &enabled);
  EXPECT_EQ(enabled, 1u);
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_KERNEL;
  any.kernel = {function, 1, 1, 1, 4, 1, 1, 0, arguments, nullptr, nullptr, nullptr};
  DOES(cuGraphNodeSetParams, node, &any);
  DOES(cuGraphExecNodeSetParams, executable, node, &any);
  DOES(cuGraphAddNode, &old, graph, nullptr, 0, &any);
  DOES(cuGraphAddNode_v2, &old, graph, &node, nullptr, 1, &any);
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}

void call_driver_copy_nodes(CUdeviceptr out, CUstream stream) {
  const CUgraph graph = new_graph();
  std::vector<int> back(8);
  CUgraphNode set = nullptr, copy = nullptr, pixels = nullptr;
  CUDA_MEMSET_NODE_PARAMS fill{out, 0, 3, 4, 8, 1}, fill_found{};
  DOES(cuGraphAddMemsetNode, &set, graph, nullptr, 0, &fill, nullptr);
  CUDA_MEMCPY3D box{}, box_found{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = out;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = back.data();
  box.WidthInBytes = 32, box.Height = box.Depth = 1;
  DOES(cuGraphAddMemcpyNode, &copy, graph, &set, 1, &box, nullptr);
  DOES(cuGraphMemcpyNodeGetParams, copy, &box_found);
  EXPECT_TRUE(box_found.WidthInBytes == 32 && box_found.srcDevice == out);
  DOES(cuGraphMemcpyNodeSetParams, copy, &box_found);
  CUarray array = nullptr;
  const CUDA_ARRAY_DESCRIPTOR description{4, 0, CU_AD_FORMAT_FLOAT, 1};
  ASSERT_EQ(cuArrayCreate_v2(&array, &description), CUDA_SUCCESS);
  CUDA_MEMCPY3D into = box;
  into.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  into.dstArray = array;
  into.WidthInBytes = 16;
  EXPECT_EQ(cuGraphAddMemcpyNode(&pixels, graph, &set, 1, &into, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphMemcpyNodeGetParams(pixels, &box_found), CUDA_SUCCESS);
  EXPECT_TRUE(box_found.WidthInBytes == 16 && box_found.dstArray == array);
  DOES(cuGraphMemsetNodeGetParams, set, &fill_found);
  EXPECT_TRUE(fill_found.dst == out && fill_found.width == 8);
  DOES(cuGraphMemsetNodeSetParams, set, &fill_found);
  const CUgraphExec executable = new_executable(graph);
  run_graph(executable, stream);
  EXPECT_EQ(back, std::vector<int>(8, 3));
  fill.value = 6;
  DOES(cuGraphExecMemsetNodeSetParams, executable, set, &fill, nullptr);
  DOES(cuGraphExecMemcpyNodeSetParams, executable, copy, &box, nullptr);
  run_graph(executable, stream);
  EXPECT_EQ(back, std::vector<int>(8, 6));
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

void call_driver_host_nodes(CUstream stream) {
  const CUgraph graph = new_graph(), child = new_graph();
  int calls = 0;
  CUgraphNode host = nullptr, node = nullptr, empty = nullptr, record = nullptr, wait = nullptr;
  CUDA_HOST_NODE_PARAMS parameters{count_up_one, &calls};
  DOES(cuGraphAddHostNode, &host, child, nullptr, 0, &parameters);
  DOES(cuGraphHostNodeGetParams, host, &parameters);
  DOES(cuGraphHostNodeSetParams, host, &parameters);
  DOES(cuGraphAddChildGraphNode, &node, graph, nullptr, 0, child);
  CUgraph within = nullptr;
  DOES(cuGraphChildGraphNodeGetGraph, node, &within);
  EXPECT_NE(within, nullptr);
  DOES(cuGraphAddEmptyNode, &empty, graph, &node, 1);
  CUevent event = nullptr, read = nullptr;
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  DOES(cuGraphAddEventRecordNode, &record, graph, &empty, 1, event);
  DOES(cuGraphAddEventWaitNode, &wait, graph, &record, 1, event);
  DOES(cuGraphEventRecordNodeSetEvent, record, event);
  DOES(cuGraphEventRecordNodeGetEvent, record, &read);
  EXPECT_EQ(read, event);
  DOES(cuGraphEventWaitNodeSetEvent, wait, event);
  DOES(cuGraphEventWaitNodeGetEvent, wait, &read);
  const CUgraphExec executable = new_executable(graph);
  DOES(cuGraphExecHostNodeSetParams, executable, host, &parameters);
  DOES(cuGraphExecChildGraphNodeSetParams, executable, node, child);
  DOES(cuGraphExecEventRecordNodeSetEvent, executable, record, event);
  DOES(cuGraphExecEventWaitNodeSetEvent, executable, wait, event);
  run_graph(executable, stream);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
  CUuserObject object = nullptr;
  DOES(cuUserObjectCreate, &object, &calls, count_up_one, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  DOES(cuUserObjectRetain, object, 1);
  DOES(cuUserObjectRelease, object, 2);
  DOES(cuGraphRetainUserObject, graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  DOES(cuGraphReleaseUserObject, graph, object, 1);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(child), CUDA_SUCCESS);
}

void call_driver_memory_nodes() {
  const CUgraph graph = new_graph();
  CUgraphNode node = nullptr, freed = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS wanted{}, found{};
  wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  wanted.bytesize = 64;
  DOES(cuGraphAddMemAllocNode, &node, graph, nullptr, 0, &wanted);
  DOES(cuGraphMemAllocNodeGetParams, node, &found);
  EXPECT_EQ(found.dptr, wanted.dptr);
  DOES(cuGraphAddMemFreeNode, &freed, graph, &node, 1, wanted.dptr);
  CUdeviceptr address = 0;
  DOES(cuGraphMemFreeNodeGetParams, freed, &address);
  EXPECT_EQ(address, wanted.dptr);
  CUgraphConditionalHandle handle{};
  DOES(cuGraphConditionalHandleCreate, &handle, graph, nullptr, 1, 0);
  CUgraphNodeParams body{};
  body.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  body.conditional.handle = handle;
  body.conditional.type = CU_GRAPH_COND_TYPE_IF;
  body.conditional.size = 1;
  EXPECT_EQ(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &body), CUDA_SUCCESS);
  EXPECT_NE(body.conditional.phGraph_out[0], nullptr);
  cuuint64_t bytes = 0;
  DOES(cuDeviceGetGraphMemAttribute, 0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes);
  EXPECT_EQ(bytes, 64u);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  bytes = 0;
  DOES(cuDeviceSetGraphMemAttribute, 0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &bytes);
  DOES(cuDeviceGraphMemTrim, 0);
}

// With a clone of the graph of a node that writes ints[3], in the list's third place.
void update_word_nodes(CUgraphExec executable, CUgraph graph, CUDA_BATCH_MEM_OP_NODE_PARAMS wanted, CUstream stream,
                       volatile std::uint32_t* ints) {
  CUgraph clone = nullptr;
  CUgraphNode node = nullptr;
  std::size_t count = 1;
  CUgraphExecUpdateResultInfo result{};
  ASSERT_EQ(cuGraphClone(&clone, graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphGetNodes(clone, &node, &count), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecUpdate_v2(executable, clone, &result), CUDA_SUCCESS);
  run_graph(executable, stream);
  EXPECT_EQ(ints[3], 1U << 8);  // as the graph has it
  auto* const list = wanted.paramArray;
  const CUstreamBatchMemOpParams first = list[0], last = list[2];
  list[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  list[2].writeValue.value64 = std::uint64_t{3} << 40;
  EXPECT_EQ(cuGraphBatchMemOpNodeSetParams(node, &wanted), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecUpdate_v2(executable, clone, &result), CUDA_SUCCESS);
  run_graph(executable, stream);
  EXPECT_EQ(ints[3], 3U << 8);
  const auto is_refused = [&] {
    EXPECT_EQ(cuGraphBatchMemOpNodeSetParams(node, &wanted), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphExecUpdate_v2(executable, clone, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    EXPECT_TRUE(result.result == CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED && result.errorNode == node);
  };
  list[0].waitValue.flags |= CU_STREAM_WAIT_VALUE_FLUSH;
  is_refused();
  list[0] = first;
  wanted.count = 2;
  is_refused();
  wanted.count = 3;
  list[2].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, last.writeValue.address, {.value = 1}, 0, 0};
  is_refused();
  list[2] = last;
  EXPECT_EQ(cuGraphDestroy(clone), CUDA_SUCCESS);
}

// A node that waits for one word and writes another one.
void call_driver_word_nodes(CUstream stream) {
  CUdeviceptr words = 0;
  ASSERT_EQ(cuMemAllocManaged(&words, 32, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  auto* const ints = static_cast<volatile std::uint32_t*>(reinterpret_cast<void*>(words));
  for (int i = 0; i < 8; ++i) ints[i] = 0;
  CUstreamBatchMemOpParams list[3] = {};
  list[0].waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, words, {.value = 5}, CU_STREAM_WAIT_VALUE_GEQ, 0};
  list[1].memoryBarrier = {CU_STREAM_MEM_OP_BARRIER, CU_STREAM_MEMORY_BARRIER_TYPE_SYS};
  list[2].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_64, words + 8, {.value64 = std::uint64_t{1} << 40}, 0, 0};
  CUDA_BATCH_MEM_OP_NODE_PARAMS wanted{nullptr, 3, list, 0}, found{};
  const CUgraph graph = new_graph();
  CUgraphNode node = nullptr, again = nullptr;
  CUgraphNodeType type{};
  DOES(cuGraphAddBatchMemOpNode, &node, graph, nullptr, 0, &wanted);
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  DOES(cuGraphBatchMemOpNodeGetParams, node, &found);
  ASSERT_TRUE(found.count == 3 && found.paramArray != list);
  EXPECT_EQ(found.paramArray[2].writeValue.value64, std::uint64_t{1} << 40);
  list[0].waitValue.value = 6;
  DOES(cuGraphBatchMemOpNodeSetParams, node, &wanted);
  const CUgraphExec executable = new_executable(graph);
  EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
  ints[0] = 5;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(ints[3], 0U);
  ints[0] = 6;  // by the host
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(ints[3], 1U << 8);
  list[2].writeValue.value64 = std::uint64_t{2} << 40;
  DOES(cuGraphExecBatchMemOpNodeSetParams, executable, node, &wanted);
  run_graph(executable, stream);
  EXPECT_EQ(ints[3], 2U << 8);
  EXPECT_EQ(cuGraphBatchMemOpNodeGetParams(node, &found), CUDA_SUCCESS);
  EXPECT_EQ(found.paramArray[2].writeValue.value64, std::uint64_t{1} << 40);  // the graph's own node stays
  update_word_nodes(executable, graph, wanted, stream, ints);
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  any.memOp = {wanted.ctx, wanted.count, wanted.paramArray, wanted.flags};
  EXPECT_EQ(cuGraphAddNode_v2(&again, graph, &node, nullptr, 1, &any), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphNodeSetParams(again, &any), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecNodeSetParams(executable, node, &any), CUDA_SUCCESS);
  // An executable graph keeps the operations.
  wanted.count = 2;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(executable, node, &wanted), CUDA_ERROR_INVALID_VALUE);
  list[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  wanted.count = 3;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(executable, node, &wanted), CUDA_ERROR_INVALID_VALUE);
  list[1].operation = CU_STREAM_MEM_OP_BARRIER;
  list[0].waitValue.flags |= CU_STREAM_WAIT_VALUE_FLUSH;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(executable, node, &wanted), CUDA_ERROR_INVALID_VALUE);
  list[0].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  wanted.count = 0;
  EXPECT_EQ(cuGraphAddBatchMemOpNode(&again, graph, nullptr, 0, &wanted), CUDA_ERROR_INVALID_VALUE);
  wanted.count = 3;
  list[0].waitValue.address = words + 2;
  EXPECT_EQ(cuGraphAddBatchMemOpNode(&again, graph, nullptr, 0, &wanted), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(words), CUDA_SUCCESS);
}

void call_driver_edges() {
  const CUgraph graph = new_graph();
  CUgraphNode first = nullptr, second = nullptr, nodes[2] = {}, ends[2] = {};
  CUgraphEdgeData data[2] = {};
  ASSERT_EQ(cuGraphAddEmptyNode(&first, graph, nullptr, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddEmptyNode(&second, graph, nullptr, 0), CUDA_SUCCESS);
  DOES(cuGraphAddDependencies_v2, graph, &first, &second, nullptr, 1);
  DOES(cuGraphRemoveDependencies_v2, graph, &first, &second, nullptr, 1);
  DOES(cuGraphAddDependencies, graph, &first, &second, 1);
  std::size_t count = 2;
  DOES(cuGraphGetNodes, graph, nodes, &count);
  EXPECT_EQ(count, 2u);
  DOES(cuGraphGetRootNodes, graph, nodes, &count);
  EXPECT_EQ(count, 1u);
  count = 2;
  DOES(cuGraphGetEdges_v2, graph, nodes, ends, data, &count);
  EXPECT_TRUE(count == 1 && nodes[0] == first && ends[0] == second);
  DOES(cuGraphGetEdges, graph, nodes, ends, &count);
  DOES(cuGraphNodeGetDependencies_v2, second, nodes, data, &count);
  DOES(cuGraphNodeGetDependencies, second, nodes, &count);
  EXPECT_TRUE(count == 1 && nodes[0] == first);
  DOES(cuGraphNodeGetDependentNodes_v2, first, nodes, data, &count);
  DOES(cuGraphNodeGetDependentNodes, first, nodes, &count);
  EXPECT_TRUE(count == 1 && nodes[0] == second);
  DOES(cuGraphRemoveDependencies, graph, &first, &second, 1);
  CUgraphNodeType type{};
  DOES(cuGraphNodeGetType, first, &type);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_EMPTY);
  const auto path = ::testing::TempDir() + "driver_graph.dot";
  DOES(cuGraphDebugDotPrint, graph, path.c_str(), 0);
  CUgraph clone = nullptr;
  CUgraphNode copy = nullptr;
  DOES(cuGraphClone, &clone, graph);
  DOES(cuGraphNodeFindInClone, &copy, second, clone);
  EXPECT_NE(copy, second);
  CUgraphExec executable = nullptr;
  CUDA_GRAPH_INSTANTIATE_PARAMS wanted{};
  DOES(cuGraphInstantiateWithParams, &executable, graph, &wanted);
  cuuint64_t flags = 9;
  DOES(cuGraphExecGetFlags, executable, &flags);
  EXPECT_EQ(flags, 0u);
  CUgraphExecUpdateResultInfo result{};
  CUgraphNode at_fault = nullptr;
  DOES(cuGraphExecUpdate_v2, executable, clone, &result);
  using OldUpdate = CUresult (*)(CUgraphExec, CUgraph, CUgraphNode*, CUgraphExecUpdateResult*);
  called_driver().insert({"cuGraphExecUpdate", "cuGraphInstantiate", "cuGraphInstantiate_v2"});
  EXPECT_EQ(static_cast<OldUpdate>(cuGraphExecUpdate)(executable, clone, &at_fault, &result.result), CUDA_SUCCESS);
  DOES(cuGraphDestroyNode, second);
  EXPECT_EQ(cuGraphExecUpdate_v2(executable, graph, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphInstantiate(&executable, graph, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphInstantiate_v2(&executable, graph, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(clone), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

void call_driver_captures(CUstream stream) {
  const CUgraph graph = new_graph();
  CUgraph same = nullptr;
  CUgraphNode first = nullptr;
  const CUgraphNode* tail = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  std::size_t count = 0;
  ASSERT_EQ(cuGraphAddEmptyNode(&first, graph, nullptr, 0), CUDA_SUCCESS);
  DOES(cuStreamBeginCaptureToGraph, stream, graph, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
  DOES(cuStreamUpdateCaptureDependencies_v2, stream, &first, nullptr, 1, 0);
  DOES(cuStreamUpdateCaptureDependencies, stream, &first, 1, 1);
  DOES(cuStreamGetCaptureInfo_v3, stream, &status, &id, &same, &tail, &edges, &count);
  EXPECT_TRUE(same == graph && count == 1 && tail[0] == first);
  DOES(cuStreamGetCaptureInfo_v2, stream, &status, &id, &same, &tail, &count);
  DOES(cuStreamGetCaptureInfo, stream, &status, &id);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cuStreamEndCapture(stream, &same), CUDA_SUCCESS);
  EXPECT_EQ(same, graph);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

}  // namespace

void call_driver_graphs(CUstream stream) {
  CUdeviceptr out = 0;
  CUgraph graph = nullptr;
  CUstream other = nullptr;
  DOES(cuGraphCreate, &graph, 0);
  ASSERT_EQ(cuMemAlloc_v2(&out, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  call_driver_kernel_nodes(out, stream);
  call_driver_copy_nodes(out, stream);
  call_driver_host_nodes(stream);
  call_driver_memory_nodes();
  call_driver_word_nodes(stream);
  call_driver_edges();
  call_driver_captures(other);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(out), CUDA_SUCCESS);
}

}  // namespace xcuda::test
