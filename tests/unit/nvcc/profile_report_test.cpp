#include "nvcc/profile_report.hpp"

#include <gtest/gtest.h>

namespace xcuda::nvcc {
namespace {

// In the form of Nsight Compute 2025: a row for each metric of each launch, some columns of it.
constexpr std::string_view kNcu =
    "==PROF== Connected to process 4711 (/tmp/cell)\n"
    "==PROF== Profiling \"saxpy\" - 0: 0%....50%....100% - 8 passes\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\",\"Metric "
    "Unit\",\"Metric Value\"\n"
    "\"0\",\"4711\",\"saxpy(int, float *)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"GPU Speed Of Light "
    "Throughput\",\"Duration\",\"us\",\"10.00\"\n"
    "\"0\",\"4711\",\"saxpy(int, float *)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"GPU Speed Of Light "
    "Throughput\",\"Memory Throughput\",\"%\",\"80.0\"\n"
    "\"0\",\"4711\",\"saxpy(int, float *)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"GPU Speed Of Light "
    "Throughput\",\"Compute (SM) Throughput\",\"%\",\"20.0\"\n"
    "\"1\",\"4711\",\"saxpy(int, float *)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"GPU Speed Of Light "
    "Throughput\",\"Duration\",\"us\",\"30.00\"\n"
    "\"1\",\"4711\",\"saxpy(int, float *)\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"GPU Speed Of Light "
    "Throughput\",\"Memory Throughput\",\"%\",\"40.0\"\n"
    "\"2\",\"4711\",\"sum \"\"a\"\"\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"GPU Speed Of Light "
    "Throughput\",\"Duration\",\"ns\",\"1,234.5\"\n"
    "==PROF== Disconnected from process 4711\n";

TEST(ProfileReport, LaunchesOfAKernelAreOneRow) {
  const auto kernels = parse_ncu(kNcu);
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0].name, "saxpy(int, float *)");
  EXPECT_EQ(kernels[0].launches, 2);
  EXPECT_DOUBLE_EQ(kernels[0].total, 40e3);
  EXPECT_DOUBLE_EQ(kernels[0].shortest, 10e3);
  EXPECT_DOUBLE_EQ(kernels[0].longest, 30e3);
  EXPECT_DOUBLE_EQ(kernels[0].memory.value(), 50);  // 10 us of 80 %, 30 us of 40 %
  EXPECT_EQ(kernels[1].name, "sum \"a\"");
  EXPECT_DOUBLE_EQ(kernels[1].total, 1234.5);
  EXPECT_FALSE(kernels[1].compute);
}

TEST(ProfileReport, NsysHasARowPerKernel) {
  const auto kernels = parse_nsys(
      "Processing [report.sqlite] with [cuda_gpu_kern_sum.py]...\n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "30.0,3000,3,1000.0,1000.0,900,1100,81.6,\"scan(int, float *)\"\n"
      "70.0,7000,1,7000.0,7000.0,7000,7000,0.0,reduce\n");
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0].name, "reduce");
  EXPECT_EQ(kernels[1].name, "scan(int, float *)");
  EXPECT_EQ(kernels[1].launches, 3);
  EXPECT_DOUBLE_EQ(kernels[1].total, 3000);
  EXPECT_DOUBLE_EQ(kernels[1].longest, 1100);
}

TEST(ProfileReport, OtherTextHasNoKernels) {
  EXPECT_TRUE(parse_ncu("==ERROR== ERR_NVGPUCTRPERM\n").empty());
  EXPECT_TRUE(parse_nsys("SKIPPED: report.sqlite does not contain CUDA kernel data.\n").empty());
}

}  // namespace
}  // namespace xcuda::nvcc
