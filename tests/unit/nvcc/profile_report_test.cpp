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

// As ncu 2025.3 wrote it on an H200: rows end early, and one has no metric.
constexpr std::string_view kRecorded =
    R"csv(==PROF== Connected to process 5661 (/tmp/program)
==PROF== Disconnected from process 5661
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"
"0","5661","program","127.0.0.1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","GPU Speed Of Light Throughput","DRAM Frequency","hz","3,151,162,790.70",
"0","5661","program","127.0.0.1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Memory Throughput","%","4.04",
"0","5661","program","127.0.0.1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","ns","2,752",
"0","5661","program","127.0.0.1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Compute (SM) Throughput","%","6.04",
"0","5661","program","127.0.0.1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","SpeedOfLight","","","","SOLBottleneck","OPT","This kernel grid is too small to fill the available resources on this device, resulting in only 0.2 full waves across all SMs. Look at Launch Statistics for more details.","",""
"1","5661","program","127.0.0.1","saxpy(int, float, const float *, float *)","1","7","(256, 1, 1)","(256, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","ns","2,656",
)csv";

TEST(ProfileReport, AsNsightComputeWritesIt) {
  const auto kernels = parse_ncu(kRecorded);
  ASSERT_EQ(kernels.size(), 1);
  EXPECT_EQ(kernels[0].name, "saxpy(int, float, const float *, float *)");
  EXPECT_EQ(kernels[0].launches, 2);
  EXPECT_DOUBLE_EQ(kernels[0].total, 2752 + 2656);
  EXPECT_DOUBLE_EQ(kernels[0].shortest, 2656);
  EXPECT_DOUBLE_EQ(kernels[0].memory.value(), 4.04);
  EXPECT_DOUBLE_EQ(kernels[0].compute.value(), 6.04);
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
