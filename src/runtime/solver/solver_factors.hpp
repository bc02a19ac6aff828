// The low-level half of cuSOLVER's sparse functions: factors that are kept, and solve for one right side after another.
// QR's are those of LU with exchanges, Cholesky's those without.
#pragma once

#include <cstddef>

#include "runtime/solver/solver_sparse.hpp"

namespace xcuda::runtime::math {

int create_sparse_factors(void** info);
int destroy_sparse_factors(void* info);
template <Memory memory>
int analyse_factors(void* handle, int n, int stored, const void* description, const int* starts, const int* places,
                    void* info);
template <Memory memory>
int analyse_qr(void* handle, int m, int n, int stored, const void* description, const int* starts, const int* places,
               void* info);
bool are_analysed(const void* info, int n, int stored);  // the rows and columns of such a matrix
template <class T>
int factor_bytes(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                 const int* places, void* info, std::size_t* kept, std::size_t* work);
template <class T>
int qr_bytes(void* handle, int m, int n, int stored, const void* description, const T* values, const int* starts,
             const int* places, void* info, std::size_t* kept, std::size_t* work);

// Of the matrix less `shift` on its diagonal.
template <class T, Memory memory>
int set_up_qr(void* handle, int m, int n, int stored, const void* description, const T* values, const int* starts,
              const int* places, T shift, void* info);
template <class T, Memory memory>
int factor_qr(void* handle, int m, int n, int stored, T* b, T* x, void* info, void* work);
template <class T, Memory memory> int solve_qr(void* handle, int m, int n, T* b, T* x, void* info, void* work);
template <class T, Memory memory>
int factor_positive(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                    const int* places, void* info, void* work);
template <class T>
int factor_general(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                   const int* places, void* info, Part<T> threshold, void* work);
enum class Pivot : std::uint8_t { any, positive };
template <class T, Pivot pivot> int small_pivot(void* handle, void* info, Part<T> tolerance, int* position);
template <class T> int positive_diagonal(void* handle, void* info, Part<T>* diagonal);
template <class T, Memory memory> int solve_factors(void* handle, int n, const T* b, T* x, void* info, void* work);
int factor_counts(void* handle, int* lower, int* upper, void* info);
template <class T>
int extract_factors(void* handle, int* p, int* q, const void* lower, T* lower_values, int* lower_starts,
                    int* lower_places, const void* upper, T* upper_values, int* upper_starts, int* upper_places,
                    void* info, void* work);

}  // namespace xcuda::runtime::math
