// Graphs that are built by hand, and what a capture says of itself.
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/runtime/program.hpp"
#include "tests/runtime/runtime_calls.hpp"

namespace xcuda::test {
namespace {

void count_up(void* data) { ++*static_cast<int*>(data); }

struct FillArguments {
  int* out;
  int value;
  void* both[2] = {&out, &value};
};

cudaKernelNodeParams fill_node(FillArguments& arguments, unsigned threads) {
  return {&fill, dim3{1, 1, 1}, dim3{threads, 1, 1}, 0, arguments.both, nullptr};
}

void run(cudaGraphExec_t graph, cudaStream_t stream) {
  EXPECT_EQ(cudaGraphLaunch(graph, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  return executable;
}

void call_kernel_nodes(cudaGraph_t graph, int* out, cudaStream_t stream) {
  cudaGraphNode_t node = nullptr, other = nullptr;
  FillArguments arguments{out, 5}, later{out, 6};
  auto parameters = fill_node(arguments, 8);
  WORKS(cudaGraphAddKernelNode, &node, graph, nullptr, 0, &parameters);
  arguments.value = 99;  // the node has its own copy
  cudaKernelNodeParams found{};
  WORKS(cudaGraphKernelNodeGetParams, node, &found);
  EXPECT_EQ(found.func, &fill);
  EXPECT_EQ(found.blockDim.x, 8u);
  EXPECT_EQ(*static_cast<int*>(found.kernelParams[1]), 5);
  cudaGraphExec_t executable = instantiated(graph);
  run(executable, stream);
  EXPECT_EQ(out[7], 5);
  parameters = fill_node(later, 8);
  WORKS(cudaGraphExecKernelNodeSetParams, executable, node, &parameters);
  run(executable, stream);
  EXPECT_EQ(out[7], 6);
  unsigned enabled = 9;
  WORKS(cudaGraphNodeSetEnabled, executable, node, 0);
  WORKS(cudaGraphNodeGetEnabled, executable, node, &enabled);
  EXPECT_EQ(enabled, 0u);
  out[7] = 0;
  run(executable, stream);
  EXPECT_EQ(out[7], 0);
  later.value = 7;
  WORKS(cudaGraphKernelNodeSetParams, node, &parameters);
  cudaLaunchAttributeValue value{}, read{};
  value.cooperative = 1;
  WORKS(cudaGraphKernelNodeSetAttribute, node, cudaLaunchAttributeCooperative, &value);
  EXPECT_EQ(cudaGraphAddKernelNode(&other, graph, &node, 1, &parameters), cudaSuccess);
  WORKS(cudaGraphKernelNodeCopyAttributes, other, node);
  WORKS(cudaGraphKernelNodeGetAttribute, other, cudaLaunchAttributeCooperative, &read);
  EXPECT_EQ(read.cooperative, 1);
  WORKS(cudaGraphDestroyNode, other);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

void call_copy_nodes(int* device, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  std::vector<int> host(8, 3), back(8), more(2, 40);
  const std::size_t bytes = 8 * sizeof(int);
  cudaGraphNode_t in = nullptr, set = nullptr, out = nullptr, to = nullptr, from = nullptr;
  WORKS(cudaGraphAddMemcpyNode1D, &in, graph, nullptr, 0, device, host.data(), bytes, cudaMemcpyHostToDevice);
  const cudaMemsetParams fill_two{device, 0, 0x01010101, 4, 2, 1};
  WORKS(cudaGraphAddMemsetNode, &set, graph, &in, 1, &fill_two);
  cudaMemcpy3DParms box{};
  box.srcPtr = {device, bytes, bytes, 1};
  box.dstPtr = {back.data(), bytes, bytes, 1};
  box.extent = {bytes, 1, 1};
  box.kind = cudaMemcpyDeviceToHost;
  WORKS(cudaGraphAddMemcpyNode, &out, graph, &set, 1, &box);
  int wanted = 21, read = 0;
  WORKS(cudaGraphAddMemcpyNodeToSymbol, &to, graph, nullptr, 0, &scale, &wanted, 4, 0, cudaMemcpyHostToDevice);
  WORKS(cudaGraphAddMemcpyNodeFromSymbol, &from, graph, &to, 1, &read, &scale, 4, 0, cudaMemcpyDeviceToHost);
  cudaGraphExec_t executable = instantiated(graph);
  run(executable, stream);
  EXPECT_EQ(back, (std::vector<int>{0x01010101, 0x01010101, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(read, 21);

  cudaMemcpy3DParms same{};
  cudaMemsetParams fill_found{};
  WORKS(cudaGraphMemcpyNodeGetParams, out, &same);
  EXPECT_EQ(same.dstPtr.ptr, back.data());
  WORKS(cudaGraphMemcpyNodeSetParams, out, &same);
  WORKS(cudaGraphMemcpyNodeSetParams1D, in, device, host.data(), bytes, cudaMemcpyHostToDevice);
  WORKS(cudaGraphMemcpyNodeSetParamsToSymbol, to, &scale, &wanted, 4, 0, cudaMemcpyHostToDevice);
  WORKS(cudaGraphMemcpyNodeSetParamsFromSymbol, from, &read, &scale, 4, 0, cudaMemcpyDeviceToHost);
  WORKS(cudaGraphMemsetNodeGetParams, set, &fill_found);
  EXPECT_TRUE(fill_found.width == 2 && fill_found.elementSize == 4 && fill_found.dst == device);
  fill_found.value = 9;
  WORKS(cudaGraphMemsetNodeSetParams, set, &fill_found);
  WORKS(cudaGraphExecMemsetNodeSetParams, executable, set, &fill_found);
  WORKS(cudaGraphExecMemcpyNodeSetParams1D, executable, in, device + 4, more.data(), 8, cudaMemcpyHostToDevice);
  WORKS(cudaGraphExecMemcpyNodeSetParams, executable, out, &same);
  wanted = 3;  // as before the graphs
  WORKS(cudaGraphExecMemcpyNodeSetParamsToSymbol, executable, to, &scale, &wanted, 4, 0, cudaMemcpyHostToDevice);
  WORKS(cudaGraphExecMemcpyNodeSetParamsFromSymbol, executable, from, &read, &scale, 4, 0, cudaMemcpyDeviceToHost);
  run(executable, stream);
  EXPECT_EQ(back, (std::vector<int>{9, 9, 3, 3, 40, 40, 3, 3}));
  EXPECT_EQ(read, 3);
  cudaGraphNodeParams any{};
  any.type = cudaGraphNodeTypeMemset;
  any.memset.dst = device;
  any.memset.value = 10;
  any.memset.elementSize = 4;
  any.memset.width = any.memset.height = 1;
  WORKS(cudaGraphNodeSetParams, set, &any);
  WORKS(cudaGraphExecNodeSetParams, executable, set, &any);
  run(executable, stream);
  EXPECT_EQ(back[0], 10);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

void call_host_nodes(cudaStream_t stream) {
  cudaGraph_t graph = nullptr, child = nullptr, within = nullptr;
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphCreate(&child, 0), cudaSuccess);
  int calls = 0, others = 0;
  cudaGraphNode_t host = nullptr, node = nullptr, empty = nullptr, record = nullptr, wait = nullptr;
  cudaHostNodeParams parameters{count_up, &calls}, found{};
  WORKS(cudaGraphAddHostNode, &host, child, nullptr, 0, &parameters);
  WORKS(cudaGraphHostNodeGetParams, host, &found);
  EXPECT_TRUE(found.fn == count_up && found.userData == &calls);
  WORKS(cudaGraphHostNodeSetParams, host, &found);
  WORKS(cudaGraphAddChildGraphNode, &node, graph, nullptr, 0, child);
  WORKS(cudaGraphChildGraphNodeGetGraph, node, &within);
  EXPECT_NE(within, child);
  WORKS(cudaGraphAddEmptyNode, &empty, graph, &node, 1);
  cudaEvent_t event = nullptr, second = nullptr, read = nullptr;
  EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaEventCreate(&second), cudaSuccess);
  WORKS(cudaGraphAddEventRecordNode, &record, graph, &empty, 1, event);
  WORKS(cudaGraphAddEventWaitNode, &wait, graph, &record, 1, event);
  WORKS(cudaGraphEventRecordNodeGetEvent, record, &read);
  EXPECT_EQ(read, event);
  WORKS(cudaGraphEventRecordNodeSetEvent, record, event);
  WORKS(cudaGraphEventWaitNodeSetEvent, wait, second);
  WORKS(cudaGraphEventWaitNodeGetEvent, wait, &read);
  EXPECT_EQ(read, second);
  cudaGraphExec_t executable = instantiated(graph);
  WORKS(cudaGraphExecEventRecordNodeSetEvent, executable, record, second);
  WORKS(cudaGraphExecEventWaitNodeSetEvent, executable, wait, event);
  run(executable, stream);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cudaEventQuery(second), cudaSuccess);
  float time = 0;
  EXPECT_EQ(cudaEventElapsedTime(&time, event, second), cudaErrorInvalidResourceHandle);  // the first was not recorded
  parameters.userData = &others;
  WORKS(cudaGraphExecHostNodeSetParams, executable, host, &parameters);  // the node that the child was a copy of
  run(executable, stream);
  EXPECT_EQ(others, 1);
  WORKS(cudaGraphExecChildGraphNodeSetParams, executable, node, child);
  run(executable, stream);
  EXPECT_TRUE(calls == 2 && others == 1);

  int destroyed = 0;
  cudaUserObject_t object = nullptr;
  WORKS(cudaUserObjectCreate, &object, &destroyed, count_up, 1, cudaUserObjectNoDestructorSync);
  WORKS(cudaUserObjectRetain, object, 1);
  WORKS(cudaGraphRetainUserObject, graph, object, 2, cudaGraphUserObjectMove);
  WORKS(cudaGraphReleaseUserObject, graph, object, 1);
  EXPECT_EQ(cudaUserObjectRetain(object, 1), cudaSuccess);
  WORKS(cudaUserObjectRelease, object, 1);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaUserObjectRetain(object, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(cudaGraphDestroy(child), cudaSuccess);
}

void call_memory_nodes(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaMemAllocNodeParams wanted{}, found{};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location = {cudaMemLocationTypeDevice, 0};
  wanted.bytesize = 1000;
  cudaGraphNode_t allocation = nullptr, set = nullptr, freed = nullptr;
  WORKS(cudaGraphAddMemAllocNode, &allocation, graph, nullptr, 0, &wanted);
  WORKS(cudaGraphMemAllocNodeGetParams, allocation, &found);
  ASSERT_NE(wanted.dptr, nullptr);
  EXPECT_TRUE(found.dptr == wanted.dptr && found.bytesize == 1000);
  const cudaMemsetParams all{wanted.dptr, 0, 7, 1, 1000, 1};
  EXPECT_EQ(cudaGraphAddMemsetNode(&set, graph, &allocation, 1, &all), cudaSuccess);
  cudaGraphExec_t held = instantiated(graph);
  WORKS(cudaGraphAddMemFreeNode, &freed, graph, &set, 1, wanted.dptr);
  void* address = nullptr;
  WORKS(cudaGraphMemFreeNodeGetParams, freed, &address);
  EXPECT_EQ(address, wanted.dptr);
  cudaGraphExec_t complete = instantiated(graph);
  std::uint64_t used = 9, reserved = 0;
  run(complete, stream);
  run(complete, stream);
  WORKS(cudaDeviceGetGraphMemAttribute, 0, cudaGraphMemAttrUsedMemCurrent, &used);
  EXPECT_EQ(used, 0u);
  run(held, stream);
  EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 1000u);
  EXPECT_EQ(cudaGraphLaunch(held, stream), cudaErrorInvalidValue);  // it is still allocated
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  char last = 0;
  EXPECT_EQ(cudaMemcpy(&last, static_cast<char*>(wanted.dptr) + 999, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(last, 7);
  EXPECT_EQ(cudaFreeAsync(wanted.dptr, stream), cudaSuccess);
  run(held, stream);
  EXPECT_EQ(cudaGraphExecDestroy(held), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(complete), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaFree(wanted.dptr), cudaSuccess);  // which the last launch left allocated
  EXPECT_EQ(cudaFree(wanted.dptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  used = 0;
  WORKS(cudaDeviceSetGraphMemAttribute, 0, cudaGraphMemAttrUsedMemHigh, &used);
  WORKS(cudaDeviceGraphMemTrim, 0);
  EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved), cudaSuccess);
  EXPECT_EQ(reserved, 0u);
}

void call_edges(cudaGraph_t graph, cudaGraphNode_t first) {
  cudaGraphNode_t second = nullptr, third = nullptr, nodes[4] = {}, ends[4] = {};
  cudaGraphEdgeData data[4] = {};
  EXPECT_EQ(cudaGraphAddEmptyNode(&second, graph, &first, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphAddEmptyNode(&third, graph, &second, 1), cudaSuccess);
  WORKS(cudaGraphAddDependencies, graph, &first, &third, nullptr, 1);
  std::size_t count = 0;
  WORKS(cudaGraphGetNodes, graph, nullptr, &count);
  EXPECT_EQ(count, 3u);
  count = 4;
  WORKS(cudaGraphGetRootNodes, graph, nodes, &count);
  EXPECT_TRUE(count == 1 && nodes[0] == first && nodes[1] == nullptr);
  count = 4;
  WORKS(cudaGraphGetEdges, graph, nodes, ends, data, &count);
  EXPECT_TRUE(count == 3 && nodes[0] == first && ends[0] == second);
  count = 4;
  WORKS(cudaGraphNodeGetDependencies, third, nodes, nullptr, &count);
  EXPECT_TRUE(count == 2 && nodes[0] == second && nodes[1] == first);
  count = 4;
  WORKS(cudaGraphNodeGetDependentNodes, first, nodes, nullptr, &count);
  EXPECT_TRUE(count == 2 && nodes[0] == second && nodes[1] == third);
  cudaGraphNodeType type{};
  WORKS(cudaGraphNodeGetType, third, &type);
  EXPECT_EQ(type, cudaGraphNodeTypeEmpty);
  const std::string path = ::testing::TempDir() + "graph.dot";
  WORKS(cudaGraphDebugDotPrint, graph, path.c_str(), 0);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("fill"), text.npos) << text;
  EXPECT_NE(text.find("->"), text.npos) << text;
  WORKS(cudaGraphRemoveDependencies, graph, &first, &third, nullptr, 1);

  cudaGraph_t clone = nullptr;
  cudaGraphNode_t copy = nullptr;
  WORKS(cudaGraphClone, &clone, graph);
  WORKS(cudaGraphNodeFindInClone, &copy, third, clone);
  count = 4;
  EXPECT_EQ(cudaGraphNodeGetDependencies(copy, nodes, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiateParams wanted{};
  wanted.flags = cudaGraphInstantiateFlagAutoFreeOnLaunch;
  WORKS(cudaGraphInstantiateWithParams, &executable, clone, &wanted);
  EXPECT_EQ(wanted.result_out, cudaGraphInstantiateSuccess);
  unsigned long long flags = 0;
  WORKS(cudaGraphExecGetFlags, executable, &flags);
  EXPECT_EQ(flags, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  cudaGraphExecUpdateResultInfo result{};
  WORKS(cudaGraphExecUpdate, executable, graph, &result);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &first, &third, nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(executable, graph, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_TRUE(result.result == cudaGraphExecUpdateErrorTopologyChanged && result.errorNode == third);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &third, &first, nullptr, 1), cudaSuccess);  // a circle
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(clone), cudaSuccess);
}

}  // namespace

void call_graphs_by_hand(cudaStream_t stream) {
  program();
  int *managed = nullptr, *device = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&managed), 256, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 256), cudaSuccess);
  cudaGraph_t graph = nullptr;
  WORKS(cudaGraphCreate, &graph, 0);
  call_kernel_nodes(graph, managed, stream);
  std::size_t count = 1;
  cudaGraphNode_t first = nullptr;
  ASSERT_EQ(cudaGraphGetNodes(graph, &first, &count), cudaSuccess);
  call_edges(graph, first);
  call_copy_nodes(device, stream);
  call_host_nodes(stream);
  call_memory_nodes(stream);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

void call_captures(cudaStream_t stream) {
  cudaGraph_t graph = nullptr, same = nullptr;
  cudaGraphNode_t node = nullptr, first = nullptr;
  int calls = 0;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&first, graph, nullptr, 0), cudaSuccess);
  WORKS(cudaStreamBeginCaptureToGraph, stream, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaLaunchHostFunc(stream, count_up, &calls), cudaSuccess);
  cudaStreamCaptureStatus status{};
  unsigned long long id = 0;
  const cudaGraphNode_t* tail = nullptr;
  std::size_t count = 0;
  WORKS(cudaStreamGetCaptureInfo, stream, &status, &id, &same, &tail, nullptr, &count);
  EXPECT_TRUE(same == graph && count == 1 && tail[0] != first && status == cudaStreamCaptureStatusActive);
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeHost;
  parameters.host = {count_up, &calls};
  WORKS(cudaGraphAddNode, &node, graph, tail, nullptr, count, &parameters);
  WORKS(cudaStreamUpdateCaptureDependencies, stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies);
  EXPECT_EQ(cudaStreamEndCapture(stream, &same), cudaSuccess);
  EXPECT_EQ(same, graph);
  cudaGraphExec_t executable = instantiated(graph);
  run(executable, stream);
  EXPECT_EQ(calls, 2);
  cudaGraphConditionalHandle handle{};
  WORKS(cudaGraphConditionalHandleCreate, &handle, graph, 1, cudaGraphCondAssignDefault);
  EXPECT_NE(handle, 0u);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace xcuda::test
