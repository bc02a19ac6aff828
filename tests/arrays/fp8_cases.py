"""Products of 8-bit floating point beside the same numbers in float, whose products and sums are exact: for the CPU device here, for
GPUs in tests/gpu."""
SOURCE = """#include <cuda_fp8.h>
template <class T> __global__ void narrowed(const float* x, T* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = T(x[i]);
}
__device__ float eighth(size_t i, int seed) { return ((int)((i * 2654435761ull + seed * 40503ull) >> 7 & 0xffff) % 9 - 4) * 0.25f; }
"""
TYPES = [("__nv_fp8_e4m3", "__nv_fp8_e4m3"), ("__nv_fp8_e4m3", "__nv_fp8_e5m2"), ("__nv_fp8_e5m2", "__nv_fp8_e4m3")]
SHAPES = [(1, 1, 1), (5, 7, 3), (16, 32, 48), (64, 64, 64), (67, 131, 29)]


def cells(left, right, m, k, n):
    """Two narrowed matrices, and what their products are."""
    def factor(name, kind, rows, columns, seed):
        return (f"float {name}[{rows}][{columns}]; {name} = map({{{rows}, {columns}}}, eighth_at, {seed}, {columns});\n"
                f"{kind} {name}8[{rows}][{columns}];\nnarrowed<{kind}><<<{(rows * columns + 255) // 256}, 256>>>({name}, {name}8, {rows * columns});\n")
    return ("__device__ float eighth_at(size_t i, size_t j, int seed, int columns) { return eighth(i * columns + j, seed); }",
            factor("x", left, m, k, 1) + factor("y", right, k, n, 2) + factor("z", right, n, k, 3) + factor("w", right, 6, k * n, 4),
            f"""assert(array_equal(matmul(x8, y8), matmul(x, y)));
assert(array_equal(matmul(x8, transpose(z8)), matmul(x, transpose(z))));
assert(array_equal(matmul(x8[0], y8), matmul(x[0], y)));
assert(array_equal(matmul(x8, y8, scale_a = 0.5, scale_b = 8), 4 * matmul(x, y)));
assert(array_equal(matmul(x8, reshape(w8, 6, {k}, {n})), matmul(x, reshape(w, 6, {k}, {n}))));
float out[{m}][{n}]; out = relu(2.0f * matmul(x8, y8) - 1.0f);
assert(array_equal(out, relu(2.0f * matmul(x, y) - 1.0f)));
""" + (f"assert(array_equal(matmul(x8[1:, 1:], y8[1:, 1:]), matmul(x[1:, 1:], y[1:, 1:])));\n" if min(m, k, n) > 1 else ""))
