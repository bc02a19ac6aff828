#include "arrays/sparse.hpp"

#include <fmt/format.h>

#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/planned_call.hpp"
#include "library/call.hpp"

namespace xcuda::arrays {

std::string_view name_of(SparseMatrix::Format format) { return format == SparseMatrix::Format::csr ? "csr" : "coo"; }

std::string part_name(std::string_view matrix, std::string_view part) { return fmt::format("{}.{}", matrix, part); }

Pointer sparse_product(ArrayMath& math, Workspace& workspace, const SparseMatrix& matrix, const Pointer& dense,
                       const std::string& name) {
  const bool vector = dense.shape.size() == 1;
  auto from = dense;
  const auto strides = strides_of(from);
  const auto width = vector ? 1 : static_cast<std::int64_t>(from.shape[1]);
  // Rows that lie in one piece are read where they lie.
  const bool whole_rows = vector ? strides[0] > 0 : (width == 1 || strides[1] == 1) && strides[0] >= width;
  if (!whole_rows) from = math.contiguous(from);
  auto result = math.temporary(matrix.values.type, vector ? Shape{matrix.m} : Shape{matrix.m, from.shape[1]});
  if (matrix.stored() == 0) {
    math.store(scalar_node(language::ScalarValue::of(0), {}), result);
    return result;
  }
  auto to = result;
  for (auto* one : {&from, &to}) {
    one->strides = strides_of(*one);
    if (!vector) continue;
    one->shape.push_back(1);
    one->strides.push_back(1);
  }
  library::Call call;
  call.operation = library::Operation::sparse_product;
  call.library = workspace.library(library::Family::sparse).path;
  call.operands = {operand_at(to), operand_at(matrix.values), operand_at(matrix.columns), operand_at(matrix.rows),
                   operand_at(from)};
  post_planned(math, workspace, std::move(call), name);
  return result;
}

}  // namespace xcuda::arrays
