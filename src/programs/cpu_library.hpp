// What libxcuda-cpu.so exports.
#pragma once

extern "C" {
int xcuda_cpu_worker(int argc, char** argv);    // the main of xcuda-cpu
const void* const* xcuda_runtime_functions();   // those of the CUDA Runtime, by the number of their row
const void* const* xcuda_driver_functions();    // those of the Driver API
const void* const* xcuda_jit_link_functions();  // those of nvJitLink
enum MathLibrary { kCublas, kCublasLt, kCufft, kCurand, kCusolver, kCusparse };
const void* const* xcuda_math_functions(MathLibrary library);  // those of cuBLAS and its siblings
}
