#include "library/sparse_product.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace xcuda::library {
namespace {

Error wrong_sparse(std::string_view what) { return Error(ErrorKind::value, fmt::format("sparse product: {}", what)); }

bool is_row(const Operand& operand) {
  return operand.shape.size() == 1 && (operand.shape[0] < 2 || operand.strides[0] == 1);
}

// Rows without gaps inside them.
bool has_whole_rows(const Operand& operand) {
  if (operand.shape.size() != 2 || operand.strides.size() != 2) return false;
  const auto width = static_cast<std::int64_t>(operand.shape[1]);
  return (width < 2 || operand.strides[1] == 1) && (operand.shape[0] < 2 || operand.strides[0] >= width);
}

}  // namespace

SparseProduct sparse_product_of(const Call& call) {
  const auto& operands = call.operands;
  if (operands.size() != 5) throw wrong_sparse("operands are missing");
  const auto& result = operands[kSparseResult];
  const auto& dense = operands[kSparseDense];
  const auto& values = operands[kSparseValues];
  if (!is_row(values) || !is_row(operands[kSparseColumns]) || !is_row(operands[kSparseRows]))
    throw wrong_sparse("the matrix has gaps");
  if (!has_whole_rows(result) || !has_whole_rows(dense)) throw wrong_sparse("a dense matrix is not row by row");
  const auto type = values.type;
  if (type != Scalar::float32 && type != Scalar::float64 && type != Scalar::complex64 && type != Scalar::complex128)
    throw Error(ErrorKind::unsupported,
                fmt::format("sparse product: matrices of {} are not supported", type_of(type).name));
  if (dense.type != type || result.type != type) throw wrong_sparse("the types differ");
  if (operands[kSparseColumns].type != Scalar::int32 || operands[kSparseRows].type != Scalar::int32)
    throw wrong_sparse("indices are int");
  SparseProduct product{type, result.shape[0], dense.shape[0], dense.shape[1], values.shape[0], 0, 0};
  if (operands[kSparseRows].shape[0] != product.m + 1 || operands[kSparseColumns].shape[0] != product.stored ||
      result.shape[1] != product.k)
    throw wrong_sparse("the shapes do not match");
  const auto leading = [](const Operand& one) {
    return one.shape[0] < 2 ? static_cast<std::int64_t>(one.shape[1]) : one.strides[0];
  };
  product.result_leading = leading(result);
  product.dense_leading = leading(dense);
  return product;
}

double operations_of(const SparseProduct& product) {
  const double each = product.type >= Scalar::complex64 ? 8 : 2;
  return each * static_cast<double>(product.stored) * static_cast<double>(product.k);
}

}  // namespace xcuda::library
