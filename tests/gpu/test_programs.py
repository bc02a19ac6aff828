"""Whole programs on the GPU machine: CUDA's runtime, libraries, NVIDIA's tools."""
import os
import shutil

import pytest
from conftest import gpus

pytestmark = [pytest.mark.skipif(not gpus(), reason="no GPU on this machine"),
              pytest.mark.skipif(shutil.which("nvcc", path="/usr/local/cuda/bin:" + os.environ["PATH"]) is None,
                                 reason="nvcc is not installed")]

SAXPY = """{magic}#include <cstdio>
__global__ void saxpy(int n, float a, const float* x, float* y) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n{more}) y[i] = a * x[i] + y[i];
}}
int main() {{
  const int n = 1 << 16;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = 1;
  saxpy<<<(n + 255) / 256, 256>>>(n, 2, x, y);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2, x, y);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s %g\\n", cudaGetErrorString(error), y[1000]);
  return error != cudaSuccess;
}}
"""


def test_a_program_uses_the_gpu_beside_the_session(start):
    kernel = start()
    assert kernel.run("float a[4] = 3;")[0] == "ok"
    status, text = kernel.run(SAXPY.format(magic="", more=""))
    assert status == "ok" and "no error 4001" in text and "no GPU" not in text, text
    assert kernel.run("assert(a[2] == 3);")[0] == "ok"


def test_thrust_and_cublas(start):
    kernel = start()
    status, text = kernel.run("""%%cuda -lcublas -std=c++17
#include <cublas_v2.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <cstdio>
int main() {
  thrust::device_vector<float> v(100);
  thrust::sequence(v.begin(), v.end());
  cublasHandle_t handle;
  float norm = 0;
  cublasCreate(&handle);
  cublasSasum(handle, 100, thrust::raw_pointer_cast(v.data()), 1, &norm);
  printf("%g %g\\n", thrust::reduce(v.begin(), v.end()), norm);
}""", timeout=300)
    assert status == "ok" and "4950 4950" in text, text


def test_an_assert_in_a_kernel_costs_the_program_only(start):
    kernel = start()
    status, text = kernel.run("""#include <cassert>
__global__ void fails(int n) { assert(n > 3); }
int main() { fails<<<1, 1>>>(2); return cudaDeviceSynchronize() == cudaErrorAssert ? 5 : 0; }""")
    assert status == "error" and "exited with status 5" in text and "cell.cu:2" in text, text
    status, text = kernel.run("int x[2] = 7;\nx[1]")
    assert status == "ok" and "7" in text, text


def test_an_interrupt_ends_a_kernel_that_never_ends(start):
    kernel = start()
    message = kernel.client.execute('#include <cstdio>\n__global__ void forever() { for (;;) __nanosleep(1000); }\n'
                                    'int main() { printf("begun\\n"); forever<<<1, 1>>>(); cudaDeviceSynchronize(); }')
    while True:
        output = kernel.client.get_iopub_msg(timeout=60)
        if output["msg_type"] == "stream" and "begun" in output["content"]["text"]:
            break
    kernel.manager.interrupt_kernel()
    assert kernel.reply(message)["ename"] == "KeyboardInterrupt"
    assert kernel.run("1 + 1")[0] == "ok"


def test_what_is_kept_is_launched_by_the_session(start):
    kernel = start()
    status, text = kernel.run(SAXPY.format(magic="%%cuda --keep\n", more=""))
    assert status == "ok", text
    status, text = kernel.run("float x[8] = 2, y[8] = 1;\nsaxpy<<<1, 32>>>(8, 3, x, y);\ny[7]")
    assert status == "ok" and "7" in text, text


def test_the_sessions_device_code_in_a_program(start):
    kernel = start()
    assert kernel.run("__device__ int cube(int x) { return x * x * x; }")[0] == "ok"
    status, text = kernel.run("""#include <cstdio>
#include "session.cuh"
__global__ void k() { printf("%d\\n", cube(3)); }
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }""")
    assert status == "ok" and "27" in text, text


@pytest.mark.skipif(shutil.which("compute-sanitizer") is None, reason="compute-sanitizer is not installed")
def test_the_sanitizer_finds_the_line(start):
    kernel = start()
    status, text = kernel.run(SAXPY.format(magic="%%cuda --sanitize memcheck\n", more=" + (1 << 28)").replace("(n + 255) / 256, 256", "1 << 20, 256"), timeout=300)
    assert status == "error" and "cell.cu:5" in text and "compute-sanitizer's memcheck found errors" in text, text
    status, text = kernel.run(SAXPY.format(magic="%%cuda --sanitize memcheck\n", more=""), timeout=300)
    assert status == "ok", text


@pytest.mark.skipif(shutil.which("ncu") is None, reason="ncu is not installed")
def test_nsight_compute_makes_a_table(start):
    status, text = start().run(SAXPY.format(magic="%%cuda --profile ncu\n", more=""), timeout=300)
    if "does not let its users read" in text:
        pytest.skip("this machine does not let users read performance counters")
    assert status == "ok" and "saxpy" in text and "compute" in text and "memory" in text, text


@pytest.mark.skipif(shutil.which("nsys") is None, reason="nsys is not installed")
def test_nsight_systems_makes_a_table(start):
    status, text = start().run(SAXPY.format(magic="%%cuda -p -l nsys\n", more=""), timeout=300)
    assert status == "ok" and "saxpy" in text and "launches" in text, text


def test_a_program_is_timed(start):
    status, text = start().run(SAXPY.format(magic="%%cuda -c \"-O3\" -t\n", more=""), timeout=300)
    assert status == "ok" and "per run of the program" in text, text
