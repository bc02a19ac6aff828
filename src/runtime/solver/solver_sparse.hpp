// The sparse half of cuSOLVER: orders of rows, and systems that LAPACK solves as a band in an order that makes it
// narrow. T: float, double, and complex numbers of these. Matrices are CSR with the base of their description.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/solver/solver_work.hpp"

namespace xcuda::runtime::math {

// Where a square matrix has elements.
struct Pattern {
  int n = 0, base = 0, stored = 0;
  const int *starts = nullptr, *places = nullptr;
  template <class Function> void each(Function function) const {
    for (int i = 0; i < n; ++i)
      for (int k = starts[i] - base; k < starts[i + 1] - base; ++k) function(i, places[k] - base, k);
  }
};
// Its rows and columns are those of such a matrix. If not, a line on stderr says what is wrong in the call.
bool is_valid(const char* call, const Pattern& pattern);
bool is_valid(const char* call, const Pattern& rows, int columns);  // of a matrix that is not square
// An order in which the elements of a valid pattern are near the diagonal: row k of it is row p[k] of the matrix.
std::vector<int> narrow(const Pattern& pattern);

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

// With the info of QR's factors.
template <class T>
int batch_bytes(void* handle, int m, int n, int stored, const void* description, const T* values, const int* starts,
                const int* places, int count, void* info, std::size_t* kept, std::size_t* work);
template <class T>
int solve_sparse_batch(void* handle, int m, int n, int stored, const void* description, const T* values,
                       const int* starts, const int* places, const T* b, T* x, int count, void* info, void* work);

}  // namespace xcuda::runtime::math
