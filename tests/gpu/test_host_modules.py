"""Host modules on the GPU machine: the session's context and streams, libraries, and what a crash costs."""
import os
import shutil

import pytest
from conftest import gpus

pytestmark = [pytest.mark.skipif(not gpus(), reason="no GPU on this machine"),
              pytest.mark.skipif(shutil.which("nvcc", path="/usr/local/cuda/bin:" + os.environ["PATH"]) is None,
                                 reason="nvcc is not installed")]


@pytest.mark.parametrize("options", ["", " -cudart shared"])
def test_a_module_works_on_the_sessions_arrays_and_streams(start, options):
    kernel = start()
    status, text = kernel.run(f"""%%cuda{options}
#include <stdexcept>
__global__ void add_each(float* x, float by, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}}
void add(float* x, float by, int n, cudaStream_t stream = nullptr) {{ add_each<<<(n + 255) / 256, 256, 0, stream>>>(x, by, n); }}
int device() {{
  int which = -1;
  if (cudaGetDevice(&which) != cudaSuccess) throw std::runtime_error(cudaGetErrorString(cudaGetLastError()));
  return which;
}}""")
    assert status == "ok" and "void add(" in text, text
    assert kernel.run("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\nfloat x[1000] = 1;\nstream s;")[0] == "ok"
    status, text = kernel.run("""for (int i = 0; i < 100; ++i) {
  add(x, 1, 1000);
  twice<<<1, 1000>>>(x);
  x = x / 2;
}
add(x, 1, 1000, s);
assert(all(x == 102));
assert(device() == 0);""")
    assert status == "ok", text


def test_cublas_and_thrust(start):
    kernel = start()
    status, text = kernel.run("""%%cuda -lcublas -std=c++17
#include <cublas_v2.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
static cublasHandle_t handle = nullptr;
float norm_by_cublas(const float* x, int n, cudaStream_t stream) {
  if (handle == nullptr) cublasCreate(&handle);
  cublasSetStream(handle, stream);
  float norm = 0;
  cublasSnrm2(handle, n, x, 1, &norm);
  return norm;
}
void sorted_copy(const float* x, float* to, int n) {
  thrust::device_vector<float> v(thrust::device_pointer_cast(x), thrust::device_pointer_cast(x) + n);
  thrust::sort(v.begin(), v.end());
  thrust::copy(v.begin(), v.end(), thrust::device_pointer_cast(to));
}""")
    assert status == "ok", text
    status, text = kernel.run("""float x[100000] = uniform(0, 1), y[100000];
stream s;
assert(abs(norm_by_cublas(x, 100000, s) - norm(x)) < 1e-2);
sorted_copy(x, y, 100000);
assert(all(y[1:] >= y[:-1]) && abs(sum(y) - sum(x)) < 1);""")
    assert status == "ok", text


def test_a_crash_and_a_fault_cost_the_process(start):
    kernel = start()
    status, text = kernel.run("""%%cuda
#include <fstream>
static int count = 0;
int next() { return ++count; }
float host_read(const float* x) { return x[0]; }
__global__ void store(int* x) { *x = 1; }
void fault(int* x) { store<<<1, 1>>>((int*)8); }
bool writes_files() { return bool(std::ofstream("written.txt") << "x"); }""")
    assert status == "ok", text
    assert kernel.run("float x[1000] = 3;\nint y[4] = 7;\nassert(next() == 1 && writes_files());")[0] == "ok"
    for call in ("host_read(x)", "fault(y);"):
        status, text = kernel.run(call)
        assert status == "error" and "loaded again" in text, text
        status, text = kernel.run("assert(all(x == 3) && all(y == 7) && next() == 1);")
        assert status == "ok", text
