// Conditional nodes, the shape of captured graphs, and what a graph refuses.
#include <gtest/gtest.h>

#include <vector>

#include "tests/runtime/program.hpp"

namespace xcuda::test {
namespace {

struct GraphTest : ::testing::Test {
  void SetUp() override {
    program();
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&n), 64, cudaMemAttachGlobal), cudaSuccess);
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  }
  void TearDown() override { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }

  cudaGraph_t* conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned bodies,
                           std::vector<cudaGraphNode_t> after = {}) {
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = bodies;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &parameters), cudaSuccess);
    return parameters.conditional.phGraph_out;
  }
  cudaGraphNode_t add_countdown(cudaGraph_t to, cudaGraphConditionalHandle handle) {
    void* arguments[] = {&n, &handle};
    const cudaKernelNodeParams kernel{&countdown, dim3{1, 1, 1}, dim3{1, 1, 1}, 0, arguments, nullptr};
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, to, nullptr, 0, &kernel), cudaSuccess);
    return node;
  }
  void add_set(cudaGraph_t to, int place, unsigned value) {
    const cudaMemsetParams set{n + place, 0, value, 4, 1, 1};
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddMemsetNode(&node, to, nullptr, 0, &set), cudaSuccess);
  }
  void run(int starts_with) {
    *n = starts_with;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  }

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  int* n = nullptr;
};

TEST_F(GraphTest, RepeatsABodyWhileItsConditionHolds) {
  cudaGraphConditionalHandle handle{};
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault), cudaSuccess);
  add_countdown(conditional(handle, cudaGraphCondTypeWhile, 1)[0], handle);
  run(5);
  EXPECT_EQ(*n, 0);
  run(1);  // the condition begins as it is to each time
  EXPECT_EQ(*n, 0);
}

TEST_F(GraphTest, ChoosesABodyByItsCondition) {
  cudaGraphConditionalHandle handle{}, which{};
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&which, graph, 2, cudaGraphCondAssignDefault), cudaSuccess);
  const auto first = add_countdown(graph, handle);
  cudaGraph_t* bodies = conditional(handle, cudaGraphCondTypeIf, 2, {first});
  add_set(bodies[0], 1, 10);
  add_set(bodies[1], 1, 20);
  bodies = conditional(which, cudaGraphCondTypeSwitch, 3, {first});
  for (int i = 0; i < 3; ++i) add_set(bodies[i], 2, static_cast<unsigned>(100 + i));
  run(2);
  EXPECT_TRUE(n[1] == 10 && n[2] == 102) << n[1] << ' ' << n[2];
  run(1);
  EXPECT_TRUE(n[1] == 20 && n[2] == 102) << n[1] << ' ' << n[2];
}

TEST_F(GraphTest, ABodyTakesNoFunctionsOfTheHost) {
  cudaGraphConditionalHandle handle{};
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 1, 0), cudaSuccess);
  const cudaHostNodeParams host{[](void*) {}, nullptr};
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddHostNode(&node, conditional(handle, cudaGraphCondTypeIf, 1)[0], nullptr, 0, &host),
            cudaErrorNotSupported);
}

// Each node of a layer follows both of the one before it, so that 2^40 ways lead to the last node.
TEST_F(GraphTest, LaunchesLayersWithoutWork) {
  std::vector<cudaGraphNode_t> before(1), layer(2);
  const cudaMemsetParams set{n, 0, 7, 4, 1, 1}, last{n + 1, 0, 8, 4, 1, 1};
  ASSERT_EQ(cudaGraphAddMemsetNode(before.data(), graph, nullptr, 0, &set), cudaSuccess);
  for (int i = 0; i < 40; ++i) {
    for (auto& node : layer) ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph, before.data(), before.size()), cudaSuccess);
    before = layer;
  }
  cudaGraphNode_t end = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&end, graph, before.data(), before.size(), &last), cudaSuccess);
  run(0);
  EXPECT_TRUE(n[0] == 7 && n[1] == 8) << n[0] << ' ' << n[1];
}

TEST_F(GraphTest, EndsALoopWithAFault) {
  cudaGraphConditionalHandle handle{};
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault), cudaSuccess);
  const cudaKernelNodeParams kernel{&trapping, dim3{1, 1, 1}, dim3{1, 1, 1}, 0, nullptr, nullptr};
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddKernelNode(&node, conditional(handle, cudaGraphCondTypeWhile, 1)[0], nullptr, 0, &kernel),
            cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
}

// Two streams that fork and join: a diamond.
TEST_F(GraphTest, HasTheShapeOfItsCapture) {
  cudaStream_t other = nullptr;
  cudaEvent_t forked = nullptr, joined = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&forked), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&joined), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(launch_fill(n, 1, 1, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(forked, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, forked, 0), cudaSuccess);
  EXPECT_EQ(launch_fill(n + 1, 2, 1, stream), cudaSuccess);
  void* held = nullptr;
  EXPECT_EQ(cudaMallocAsync(&held, 64, other), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(held, other), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(joined, other), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, joined, 0), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(n + 2, 0, 4, stream), cudaSuccess);
  cudaGraph_t captured = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
  std::size_t count = 0;
  EXPECT_EQ(cudaGraphGetNodes(captured, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 5u);
  EXPECT_EQ(cudaGraphGetEdges(captured, nullptr, nullptr, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 5u);
  EXPECT_EQ(cudaGraphGetRootNodes(captured, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, captured, 0), cudaSuccess);
  n[2] = 7;
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(n[0] == 1 && n[1] == 2 && n[2] == 0);
}

TEST_F(GraphTest, RefusesWhatIsNotItsOwn) {
  cudaGraph_t other = nullptr;
  cudaGraphNode_t node = nullptr, second = nullptr;
  ASSERT_EQ(cudaGraphCreate(&other, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&node, other, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphAddEmptyNode(&second, graph, &node, 1), cudaErrorInvalidValue);
  cudaKernelNodeParams kernel{};
  EXPECT_EQ(cudaGraphKernelNodeGetParams(node, &kernel), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddMemFreeNode(&second, graph, nullptr, 0, n), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(other), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(other), cudaErrorInvalidValue);
  cudaGraphNodeType type{};
  EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaErrorInvalidValue);  // it went with its graph
}

}  // namespace
}  // namespace xcuda::test
