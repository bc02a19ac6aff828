// cuRAND's host interface over the generators of the CPU device. A generator goes on where its last call ended.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace xcuda::runtime::math {

int create_generator(void** generator, int type);
int create_host_generator(void** generator, int type);
int destroy_generator(void* generator);
int random_version(int* version);
int random_property(int which, int* value);
int set_generator_stream(void* generator, cudaStream_t stream);
int set_seed(void* generator, unsigned long long seed);
int set_offset(void* generator, unsigned long long offset);
int set_ordering(void* generator, int ordering);
int set_dimensions(void* generator, unsigned dimensions);
int generate_seeds(void* generator);
int generate_wide_bits(void* generator, unsigned long long* to, std::size_t count);  // of 64-bit Sobol
int generate_bits(void* generator, unsigned* to, std::size_t count);
template <class T> int generate_uniform(void* generator, T* to, std::size_t count);
template <class T> int generate_normal(void* generator, T* to, std::size_t count, T mean, T deviation);
template <class T> int generate_log_normal(void* generator, T* to, std::size_t count, T mean, T deviation);
int generate_poisson(void* generator, unsigned* to, std::size_t count, double mean);

}  // namespace xcuda::runtime::math
