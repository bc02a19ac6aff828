// A program as nvcc makes it: device code that is registered, and symbols of the host that mean something in it.
#pragma once

#include "runtime/api.hpp"

namespace xcuda::test {

// void fill(int* out, int value): out[thread] = value, of every thread; uses the variable `scale`.
extern char fill, missing;  // kernels by their addresses: the second is not in the device code
extern char trapping;       // executes `trap`
extern char countdown;      // void countdown(int* n, cudaGraphConditionalHandle go_on): sets it to --*n
extern char scale;          // __device__ int scale = 3

// Its device code as PTX, and as nvcc embeds it.
const char* program_text();
const char* program_binary();

// Registers it with the first call. Returns the handle of its fat binary.
void** program();

// Launches fill<<<1, threads>>>(out, value).
cudaError_t launch_fill(int* out, int value, unsigned threads, cudaStream_t stream = nullptr);

}  // namespace xcuda::test
