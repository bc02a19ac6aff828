// --- Launches
// ---------------------------------------------------------------------------------------------------------

namespace xcuda {

// As many blocks as cover the extents.
template <class... Extents> dim3 grid_of(dim3 block, Extents... extents) {
  dim3 result;
  unsigned* grid[] = {&result.x, &result.y, &result.z};
  const unsigned threads[] = {block.x, block.y, block.z};
  int d = 0;
  ((*grid[d] = static_cast<unsigned>((static_cast<size_t>(extents) + threads[d] - 1) / threads[d]), ++d), ...);
  return result;
}

// Blocks of the size that the occupancy calculator gives, and as many as cover the extents.
struct Cover {
  dim3 grid, block;
};
template <class Kernel, class... Extents> Cover cover(Kernel* kernel, Extents... extents) {
  int least = 0, threads = 0;
  check(cudaOccupancyMaxPotentialBlockSize(&least, &threads, kernel), "choosing a block");
  Cover result{{1, 1, 1}, dim3(static_cast<unsigned>(threads))};
  if (sizeof...(extents) > 1) {
    result.block.x = std::min(32, threads);
    result.block.y = std::max(1u, static_cast<unsigned>(threads) / result.block.x);
    if (sizeof...(extents) > 2 && result.block.y >= 8) result.block.z = 4, result.block.y /= 4;
  }
  result.grid = grid_of(result.block, extents...);
  return result;
}

// More dynamic shared memory than a kernel gets without asking.
template <class Kernel> void allow_shared(Kernel* kernel, size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "asking for shared memory");
}
struct Launch {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  dim3 cluster;  // 0: none
  bool cooperative;
};
template <class... Parameters, class... Args>
void launch(const Launch& how, void (*kernel)(Parameters...), const Args&... args) {
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t config = {how.grid, how.block, how.shared, how.stream, attributes, 0};
  if (how.cluster.x > 0) {
    auto& one = attributes[config.numAttrs++];
    one.id = cudaLaunchAttributeClusterDimension;
    one.val.clusterDim.x = how.cluster.x, one.val.clusterDim.y = how.cluster.y, one.val.clusterDim.z = how.cluster.z;
  }
  if (how.cooperative) {
    auto& one = attributes[config.numAttrs++];
    one.id = cudaLaunchAttributeCooperative;
    one.val.cooperative = 1;
  }
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(args)...), "a launch");
}

// The time between two points of the default stream.
class Timer {
 public:
  Timer() {
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
    cudaEventRecord(begin_);
  }
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Timer(const Timer&) = delete;
  float milliseconds() const {
    float time = 0;
    cudaEventRecord(end_);
    check(cudaEventSynchronize(end_), "waiting for a launch");
    check(cudaEventElapsedTime(&time, begin_, end_), "timing a launch");
    return time;
  }

 private:
  cudaEvent_t begin_, end_;
};
inline float elapsed(cudaEvent_t begin, cudaEvent_t end) {
  float time = 0;
  check(cudaEventSynchronize(end), "waiting for an event");
  check(cudaEventElapsedTime(&time, begin, end), "the time between two events");
  return time;
}

// Ends the program where a check of the notebook does not hold.
inline void require(bool holds, const char* place, const char* condition) {
  if (holds) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: assert(%s) failed\n", place, condition);
  std::exit(1);
}

template <class A, class B> __host__ __device__ auto ceil_div(A a, B b) { return (a + b - 1) / b; }

}  // namespace xcuda
