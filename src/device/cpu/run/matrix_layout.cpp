#include "device/cpu/run/matrix_layout.hpp"

#include <memory>

namespace xcuda::device::cpu {

MatrixLayout::MatrixLayout(const FragmentShape& of)
    : shape(of),
      word(shape.rows * shape.columns),
      shift(word.size()),
      element(std::size_t{32} * shape.registers * shape.per_register()) {
  const auto bits = static_cast<std::uint32_t>(ptx::bits_of(shape.type));
  each_element(shape, [&](const MatrixElement& e) {
    const std::uint32_t at = e.row * shape.columns + e.column;
    word[at] = static_cast<std::int32_t>(kBytesOfMatrixRegister / 4 * e.reg + e.lane);
    shift[at] = e.shift;
    element[std::size_t{32} * (e.shift / bits * shape.registers + e.reg) + e.lane] = static_cast<std::int32_t>(at);
  });
}

// A kernel has few, and mostly asks for the same ones in turn.
const MatrixLayout& layout_of(const FragmentShape& shape) {
  static thread_local std::vector<std::unique_ptr<const MatrixLayout>> known;
  for (const auto& each : known)
    if (each->shape == shape) return *each;
  return *known.emplace_back(std::make_unique<const MatrixLayout>(shape));
}

}  // namespace xcuda::device::cpu
