"""What a launch's report counts on the CPU device, and how large displays are in a notebook."""
import json

import pytest
from raw_client import ok, text_of

pytestmark = [pytest.mark.installed, pytest.mark.alone]

KERNELS = """__global__ void copy(float* to, const float* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void second(float* to, const float* from, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] = from[i];
}
__global__ void first_member(unsigned char* to, const float4* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i].x;
}
__global__ void count(int* bins, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(bins + from[i] % 10, 1);
}
__global__ void chase(float* to, float** rows) { to[threadIdx.x] = rows[threadIdx.x % 2][threadIdx.x]; }
__global__ void tile(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[63 - threadIdx.x] + s[threadIdx.x];
}
__global__ void speaks(int* x) {
  if (threadIdx.x == 0) printf("spoken\\n");
  x[threadIdx.x] = 1;
}"""
ARRAYS = """const int n = 10000;
float x[n] = 1, y[n];
unsigned char bytes[n];
float4 quads[n];
int from[n] = arange(), bins[20], spoken[32];
float a[32] = 1, b[32] = 2;
float* rows[2] = {a, b};"""


def launches(kernel, code):
    outputs = ok(kernel, code)
    found = [message["content"]["data"] for message in outputs if "application/vnd.xcuda.launch+json" in message["content"].get("data", {})]
    assert len(found) == 1
    return {one["kernel"]: one for one in found[0]["application/vnd.xcuda.launch+json"]["launches"]}, found[0]["text/plain"], outputs


def test_traffic_is_counted_where_a_launch_is_repeated(kernel):
    ok(kernel, KERNELS)
    ok(kernel, ARRAYS)
    report, text, _ = launches(kernel, """%%launch --repeat 2
copy<<<40, 256>>>(y, x, n);
twice<<<40, 256>>>(x, n);
second<<<20, 256>>>(y, x, n);
first_member<<<40, 256>>>(bytes, quads, n);
count<<<40, 256>>>(bins, from, n);
chase<<<1, 32>>>(y, rows);
tile<<<1, 64>>>(x);""")
    assert all(one["counted"] for one in report.values()) and "≤" not in text
    assert {name: one["traffic"] for name, one in report.items()} == {
        "copy": 80000, "twice": 80000, "second": 40000, "first_member": 50000, "count": 40000 + 2 * 40,
        "chase": 32 * 4 + 2 * 8 + 32 * 4, "tile": 2 * 256}
    # The launch that counts changes nothing.
    ok(kernel, "assert(x[100] == 2 && x[3] == 4 && sum(bins) == n && bins[9] == n / 10 && y[5] == 2);")


PARTS = """struct Body { float3 at; float mass; double energy; };
__device__ int self() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void stencil(float* to, const float* from, int n) {
  int i = self();
  if (i > 0 && i < n - 1) to[i] = from[i - 1] + from[i] + from[i + 1];
}
__global__ void broadcast(float* to, const float* from, int n) {
  int i = self();
  if (i < n) to[i] = from[7];
}
__global__ void overwrite(float* to, int n) {
  int i = self();
  if (i < n) { ((volatile float*)to)[i] = 1; ((volatile float*)to)[i] = 2; }
}
__global__ void even_half(float* x, int n) {
  int i = self();
  if (i < n / 2 && i % 2 == 0) x[i] *= 2;
}
__global__ void narrow(short* to, const short* from, int n) {
  int i = self();
  if (i < n) to[i] = from[i];
}
__global__ void one_member(Body* bodies, const float* from, int n) {
  int i = self();
  if (i < n) bodies[i].mass = __ldg(from + i);
}
__global__ void neighbours(unsigned char* to, const unsigned char* from, int n) {
  int i = self();
  if (i < n - 1) to[i] = from[i] + from[i + 1];
}
__global__ void transposed(float* to, const float* from) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = from[(blockIdx.y * 16 + threadIdx.y) * 64 + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  to[(blockIdx.x * 16 + threadIdx.y) * 64 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void rows(const float* matrix, const float* vector, float* product, int width) {
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += matrix[threadIdx.x * width + k] * vector[k];
  product[threadIdx.x] = sum;
}"""
PART_ARRAYS = """const int n = 10000;
float x[n] = 1, y[n], square[64][64], turned[64][64], v[100] = 1, product[32];
short s[n], t[n];
unsigned char b[n], c[n];
Body bodies[n];"""


def test_traffic_is_what_was_touched_counted_by_hand(kernel):
    ok(kernel, PARTS)
    ok(kernel, PART_ARRAYS)
    report, text, _ = launches(kernel, """%%launch --repeat 2
stencil<<<40, 256>>>(y, x, n);
broadcast<<<40, 256>>>(y, x, n);
overwrite<<<40, 256>>>(y, n);
even_half<<<40, 256>>>(x, n);
narrow<<<40, 256>>>(s, t, n);
one_member<<<40, 256>>>(bodies, x, n);
neighbours<<<40, 256>>>(b, c, n);
transposed<<<dim3(4, 4), dim3(16, 16)>>>(turned, square);
rows<<<1, 32>>>(x, v, product, 100);""")
    assert all(one["counted"] for one in report.values()) and "≤" not in text
    assert {name: one["traffic"] for name, one in report.items()} == {
        "stencil": 4 * 10000 + 4 * 9998, "broadcast": 4 + 4 * 10000, "overwrite": 4 * 10000, "even_half": 2 * 4 * 2500,
        "narrow": 2 * 2 * 10000, "one_member": 4 * 10000 + 4 * 10000, "neighbours": 10000 + 9999, "transposed": 2 * 4 * 64 * 64,
        "rows": 4 * (32 * 100 + 100 + 32)}
    for one in report.values():
        assert one["bandwidth"] == pytest.approx(one["traffic"] / (one["median"] * 1e-9))


def test_the_rank_test_is_that_of_scipy(kernel):
    stats = pytest.importorskip("scipy.stats")
    ok(kernel, KERNELS)
    ok(kernel, ARRAYS)
    outputs = ok(kernel, "%%bench --repeat 25\n" + "\n".join(f"copy<<<{blocks}, 256>>>(y, x, {size});" for blocks, size in
                                                           ((40, 10000), (40, 10000), (39, 9984), (20, 5000), (1, 256))))
    contenders = next(message["content"]["data"]["application/vnd.xcuda.bench+json"] for message in outputs
                      if "application/vnd.xcuda.bench+json" in message["content"].get("data", {}))["contenders"]
    fastest = min(contenders, key=lambda one: one["median"])
    for one in contenders:
        if one is fastest:
            assert "beside_fastest" not in one
            continue
        p = stats.mannwhitneyu(one["times"], fastest["times"], method="asymptotic").pvalue
        assert one["beside_fastest"] == ("different" if p < 0.01 else "same"), p


def test_traffic_is_a_limit_elsewhere(kernel):
    ok(kernel, KERNELS)
    ok(kernel, ARRAYS)
    for code in ("%launch second<<<20, 256>>>(y, x, n);", "%%launch --repeat 2 --no-restore\nsecond<<<20, 256>>>(y, x, n);"):
        report, text, _ = launches(kernel, code)
        assert not report["second"]["counted"] and report["second"]["traffic"] == 80000 and "≤" in text
    # A kernel that prints is not run once more.
    report, _, outputs = launches(kernel, "%%launch --repeat 3\nspeaks<<<1, 32>>>(spoken);")
    assert not report["speaks"]["counted"] and text_of(outputs).count("spoken") == 3


def test_a_plot_is_small_in_a_notebook(kernel):
    outputs = ok(kernel, """float t[500] = linspace(0, 6.28);
float a[500] = sin(t), b[500] = cos(t), c[500] = sin(2 * t), d[500] = cos(2 * t), e[500] = sin(3 * t), f[500] = cos(3 * t);
%plot a b c d e f --x t""")
    data = next(message["content"]["data"] for message in outputs if "image/svg+xml" in message["content"].get("data", {}))
    assert len(json.dumps(data, ensure_ascii=False).encode()) < 45 << 10
    # Noise has no points to leave out.
    outputs = ok(kernel, """float noise[6][500] = normal(seed = 3);
%plot noise[0] noise[1] noise[2] noise[3] noise[4] noise[5] --x t""")
    data = next(message["content"]["data"] for message in outputs if "image/svg+xml" in message["content"].get("data", {}))
    assert len(json.dumps(data, ensure_ascii=False).encode()) < 57 << 10


def test_a_smooth_image_is_small(kernel):
    ok(kernel, "__global__ void paint(uchar4* p) { int x = threadIdx.x, y = blockIdx.x; p[y * 256 + x] = make_uchar4(x, 255 - y, 128, 255); }")
    outputs = ok(kernel, "uchar4 p[192][256];\npaint<<<192, 256>>>(p);\n%image p")
    assert len(next(message["content"]["data"]["image/png"] for message in outputs if "image/png" in message["content"].get("data", {}))) < 4000
