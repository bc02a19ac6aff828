#include "command/guide_text.hpp"

namespace xcuda::command {
namespace {

constexpr Lesson kLessons[] = {
    {"Device code",
     "Kernels, device functions, types, templates, includes and macros are written as in a .cu file. NVRTC compiles "
     "the cell, and every later cell sees what it defines. %%kernel on the first line adds options and a "
     "report.",
     "__global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {\n"
     "  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;\n"
     "  if (i < n) out[i] = a * x[i] + y[i];\n"
     "}"},
    {"Arrays and scalars",
     "A declaration with extents is an array on the device, with up to 32 extents, and zero unless it has an initial "
     "value; "
     "without "
     "extents it is a scalar of the host. No cudaMalloc, no cudaMemcpy.",
     "const size_t n = 1 << 24;\n"
     "float x[n] = uniform(0, 1, seed = 1), y[n] = normal(), out[n];\n"
     "int table[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
     "float t[n] = linspace(0, 1);\n"
     "auto other = like(x);"},
    {"Launches",
     "Grid, block, shared bytes and stream are an int, a dim3 or {x, y, z}. Arguments are checked against the kernel's "
     "signature before anything runs. cover(n) chooses block and grid for n threads. %%launch times every launch.",
     "saxpy<<<(n + 255) / 256, 256>>>(2.0f, x, y, out, n);\n"
     "saxpy<<<cover(n)>>>(2.0f, x, y, out, n);"},
    {"Looking",
     "A last expression without a semicolon is shown: an array with its statistics and its first and last elements, an "
     "element, a scalar. A failed assert is the cell's error.",
     "assert(out[0] == 2.0f * x[0] + y[0]);\n"
     "printf(\"%f\\n\", out[n - 1]);\n"
     "out"},
    {"Questions",
     "name? describes a command, an array, a kernel or a function of CUDA, and name?? shows the source. Tab completes. "
     "!command runs a shell command.",
     "saxpy?"},
};

constexpr TypeRow kTypes[] = {
    {"bool", "bool", ""},
    {"char, signed char, int8_t", "int8", ""},
    {"short, int16_t", "int16", ""},
    {"int, int32_t", "int32", ""},
    {"long, long long, int64_t", "int64", ""},
    {"unsigned char, uint8_t", "uint8", ""},
    {"unsigned short, uint16_t", "uint16", ""},
    {"unsigned, uint32_t", "uint32", ""},
    {"unsigned long, unsigned long long, size_t, uint64_t", "uint64", ""},
    {"half, __half", "float16", "#include <cuda_fp16.h> in device code"},
    {"bfloat16, __nv_bfloat16", "bfloat16", "#include <cuda_bf16.h> in device code"},
    {"float", "float32", ""},
    {"double", "float64", ""},
    {"complex<float>", "complex64", "cuda::std::complex<float> of <cuda/std/complex> in device code"},
    {"complex<double>", "complex128", "cuda::std::complex<double> of <cuda/std/complex> in device code"},
    {"float4, int2, uchar3, ...", "float32x4, ...", "CUDA's vector types, members x, y, z, w"},
    {"dim3", "", "a scalar for grids and blocks"},
    {"texture, surface", "", "of an array: texture t(x, filter = linear); kernels take a cudaTextureObject_t"},
    {"a struct of a cell, a pointer", "", "any complete type that NVRTC can name"},
};

}  // namespace

std::span<const Lesson> lessons() { return kLessons; }
std::span<const TypeRow> type_rows() { return kTypes; }

}  // namespace xcuda::command
