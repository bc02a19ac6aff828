// Sparse matrices: the elements that are stored, and where they are. Three arrays on the device, which kernels can
// read.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "arrays/pointer.hpp"
#include "language/array_members.hpp"

namespace xcuda::arrays {

class ArrayMath;
class Workspace;

struct SparseMatrix {
  enum class Format : std::uint8_t { csr, coo };
  Format format = Format::csr;
  std::uint64_t m = 0, n = 0;
  // Indices are int. `rows` of coo has the row of each element; of csr, m + 1 places where rows begin, and the last one
  // is the number of elements. Rows of csr follow each other, their columns rise, and none occurs twice.
  Pointer values, columns, rows;

  std::uint64_t stored() const { return values.shape[0]; }
  std::array<Pointer*, 3> parts() { return {&values, &columns, &rows}; }
  std::array<const Pointer*, 3> parts() const { return {&values, &columns, &rows}; }
};
constexpr auto kSparseParts = std::span(language::kSparseMembers).first<3>();  // as parts() has them
std::string part_name(std::string_view matrix, std::string_view part);         // "s.values"
std::string_view name_of(SparseMatrix::Format format);

// matrix by dense: [n] or [n, k] of the same type. The matrix is csr. name: "matmul(s, x)", for reports.
// Errors: unsupported, device, memory.
Pointer sparse_product(ArrayMath& math, Workspace& workspace, const SparseMatrix& matrix, const Pointer& dense,
                       const std::string& name);

}  // namespace xcuda::arrays
