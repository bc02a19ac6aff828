// Which lane of a warp holds which element of a matrix, in which register.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/cpu/abi/matrix_call.hpp"

namespace xcuda::device::cpu {

// A lane's element: which register, which bits of it; and where it is in the matrix.
struct MatrixElement {
  std::uint32_t lane, reg, shift;
  std::uint32_t row, column;
};

struct FragmentShape {
  MatrixAction action;  // a product; that of wmma for its loads and stores, too
  MatrixPart part;
  ptx::Type type;
  std::uint32_t registers;
  std::uint32_t rows, columns;  // as they are held: of a sparse matrix half of the columns
  bool operator==(const FragmentShape&) const = default;

  std::uint32_t per_register() const {
    return type == ptx::Type::f64 ? 1 : static_cast<std::uint32_t>(32 / ptx::bits_of(type));
  }
};

// wmma leaves open which lane has what; here the elements go row by row from lane to lane. Where there is room for
// each element twice it is there twice, as on a GPU. The layouts of mma are those that the PTX ISA gives.
template <class Visit> void each_element(const FragmentShape& shape, Visit visit) {
  const std::uint32_t per = shape.per_register();
  const auto bits = static_cast<std::uint32_t>(ptx::bits_of(shape.type));
  const bool wmma = shape.action != MatrixAction::multiply_mma;
  const std::uint32_t own = std::max(shape.rows * shape.columns / 32, 1u);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t r = 0; r < shape.registers; ++r)
      for (std::uint32_t i = 0; i < per; ++i) {
        MatrixElement e{lane, r, i * bits % 32, 0, 0};
        const std::uint32_t group = lane / 4, place = lane % 4;
        if (wmma) {
          const std::uint32_t at = lane * own + (r * per + i) % own;
          e.row = at / shape.columns;
          e.column = at % shape.columns;
        } else if (shape.part == MatrixPart::a) {
          const bool tall = shape.rows == 16;
          e.row = group + (tall ? 8 * (r % 2) : 0);
          e.column = place * per + i + (tall ? r / 2 : r) * 4 * per;
        } else if (shape.part == MatrixPart::b) {
          e.row = place * per + i + r * 4 * per;
          e.column = group;
        } else {  // pairs of columns: two registers, or two halves of one
          const std::uint32_t index = per == 2 ? 2 * r + i : r;
          e.row = group + 8 * (index / 2);
          e.column = place * 2 + index % 2;
        }
        visit(e);
      }
}

// The same as tables, for elements of up to 32 bits.
struct MatrixLayout {
  explicit MatrixLayout(const FragmentShape& shape);

  FragmentShape shape;
  std::vector<std::int32_t> word;    // by element, row by row: in which word of the call's memory,
  std::vector<std::uint32_t> shift;  // from which bit on
  // By register and lane, the element in the lowest bits; then those in the next ones.
  std::vector<std::int32_t> element;

  std::size_t size() const { return word.size(); }
};

// Stays as long as the calling thread.
const MatrixLayout& layout_of(const FragmentShape& shape);

}  // namespace xcuda::device::cpu
