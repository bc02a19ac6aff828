// Cells that the examples of several commands need to have run.
#pragma once

#include <string_view>

namespace xcuda::command {

inline constexpr std::string_view kScaleSetup =
    "__global__ void scale(float* x, float a, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] *= a;\n"
    "}\n"
    "const int n = 1024;\n"
    "float x[n] = 1.0f;\n";

inline constexpr std::string_view kWaveSetup =
    "__global__ void wave(float* u, int width, int height) {\n"
    "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  if (x < width && y < height) u[y * width + x] = sinf(x * 0.05f) * cosf(y * 0.07f);\n"
    "}\n"
    "float u[96][128];\n"
    "wave<<<{4, 12}, {32, 8}>>>(u, 128, 96);\n";

inline constexpr std::string_view kSamplesSetup =
    "float a[2000] = normal(0, 1, seed = 3), b[2000] = normal(1, 2, seed = 4);\n";

}  // namespace xcuda::command
