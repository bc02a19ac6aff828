// Sparse matrices from other arrays, and other arrays from them.
#pragma once

#include <memory>
#include <string_view>

#include "arrays/sparse.hpp"
#include "interpreter/composed/composition.hpp"

namespace xcuda::interpreter {

const SparseMatrix* sparse_in(const Value& value);  // null where it is something else
Value sparse_value(SparseMatrix matrix);

// The type of stored elements: float, double and complex numbers stay; integers become double. Error(type)
Type stored_type(Composition& of, const Type& type, std::string_view parameter);

using Format = SparseMatrix::Format;
SparseMatrix sparse_of(Composition& of, const Pointer& dense, std::string_view parameter);  // csr. Errors: type, value
SparseMatrix as_csr(Composition& of, const SparseMatrix& matrix);
SparseMatrix as_coo(Composition& of, const SparseMatrix& matrix);
SparseMatrix with_type(Composition& of, SparseMatrix matrix, const Type& type);
SparseMatrix transposed(Composition& of, const SparseMatrix& matrix);
Pointer dense_of(Composition& of, const SparseMatrix& matrix);

// A matrix from its parts, with indices checked to be inside m × n. Errors: type, value.
SparseMatrix coo_of_parts(Composition& of, const SparseMatrix& given);
SparseMatrix csr_of_parts(Composition& of, const SparseMatrix& given);

// One of two factors; exactly one of the two has to be sparse.
struct Factor {
  const Value& value;
  const cell::Expression& expression;
};
Value sparse_matmul(Composition& of, const Factor& left, const Factor& right);

}  // namespace xcuda::interpreter
