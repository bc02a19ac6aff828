// A product of a sparse matrix and a dense one, as libraries take it.
#pragma once

#include <cstdint>

#include "library/call.hpp"

namespace xcuda::library {

// Operands of Operation::sparse_product, by their position in Call::operands.
enum SparseRole : std::uint8_t { kSparseResult, kSparseValues, kSparseColumns, kSparseRows, kSparseDense };

struct SparseProduct {
  Scalar type = Scalar::none;                          // float32, float64, complex64, complex128
  std::uint64_t m = 0, n = 0, k = 0;                   // m × n by n × k
  std::uint64_t stored = 0;                            // elements of the sparse matrix
  std::int64_t result_leading = 0, dense_leading = 0;  // elements from a row to the next
};
SparseProduct sparse_product_of(const Call& call);  // Errors: value, unsupported
double operations_of(const SparseProduct& product);

}  // namespace xcuda::library
