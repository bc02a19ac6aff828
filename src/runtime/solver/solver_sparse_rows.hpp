// What else cuSOLVER has for sparse matrices: least squares, eigenvalues near a number or within a box, and an order of
// rows without zeros on the diagonal. T: float, double, and complex numbers of these.
#pragma once

#include <complex>

#include "runtime/solver/solver_sparse.hpp"

namespace xcuda::runtime::math {

// The x for which b - A x is shortest, by Q R with the columns in an order p; with as few elements as A has rank.
template <class T>
int solve_least_squares(void* handle, int m, int n, int stored, const void* description, const T* values,
                        const int* starts, const int* places, const T* b, Part<T> tolerance, int* rank, T* x, int* p,
                        Part<T>* norm);

// By steps of the inverse of A - start, from x0.
template <class T, Memory memory>
int nearest_eigenvalue(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                       const int* places, T start, const T* x0, int most_steps, Part<T> tolerance, T* value, T* x);

template <class T>
int count_eigenvalues(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                      const int* places, std::complex<Part<T>> low, std::complex<Part<T>> high, int* count);

// Row p[i] of the matrix has an element in column i, for as many i as there can be.
template <class T>
int fill_diagonal(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                  const int* places, int* p, int* filled);

}  // namespace xcuda::runtime::math
