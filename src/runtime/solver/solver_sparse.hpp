// The sparse half of cuSOLVER: orders of rows, and systems that LAPACK solves as a band in an order that makes it
// narrow. T: float, double, and complex numbers of these. Matrices are CSR with the base of their description.
#pragma once

#include <cstddef>

#include "runtime/solver/solver_work.hpp"

namespace xcuda::runtime::math {

int is_symmetric_pattern(void* handle, int m, int stored, const void* description, const int* starts, const int* ends,
                         const int* places, int* result);
int narrow_order(void* handle, int n, int stored, const void* description, const int* starts, const int* places,
                 int* p);
int narrow_order_with_options(void* handle, int n, int stored, const void* description, const int* starts,
                              const int* places, const std::int64_t* options, int* p);
int permuted_size(void* handle, int m, int n, int stored, const void* description, const int* starts, const int* places,
                  const int* p, const int* q, std::size_t* bytes);
int permute(void* handle, int m, int n, int stored, const void* description, int* starts, int* places, const int* p,
            const int* q, int* map, void* buffer);

enum class Definite : std::uint8_t { any, positive };
enum class Memory : std::uint8_t { device, host };
template <class T, Definite definite, Memory memory>
int solve_sparse(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                 const int* places, const T* b, Part<T> tolerance, int reorder, T* x, int* singularity);

int create_batch_info(void** info);
int destroy_batch_info(void* info);
int analyse_batch(void* handle, int m, int n, int stored, const void* description, const int* starts, const int* places,
                  void* info);
template <class T>
int batch_bytes(void* handle, int m, int n, int stored, const void* description, const T* values, const int* starts,
                const int* places, int count, void* info, std::size_t* kept, std::size_t* work);
template <class T>
int solve_sparse_batch(void* handle, int m, int n, int stored, const void* description, const T* values,
                       const int* starts, const int* places, const T* b, T* x, int count, void* info, void* work);

}  // namespace xcuda::runtime::math
