// The instructions on matrices that a whole warp holds: wmma, mma, ldmatrix, movmatrix. Each is one call of
// Service::matrix: its arguments are this description as a number, and where its registers are.
#pragma once

#include <bit>
#include <cstdint>

#include "ptx/words.hpp"

namespace xcuda::device::cpu {

enum class MatrixAction : std::uint8_t {
  multiply_wmma,
  multiply_mma,
  multiply_quads,
  load,
  store,
  load_matrices,
  transpose
};
enum class MatrixPart : std::uint8_t { a, b, c };  // of wmma.load and store; d counts as c

struct MatrixCall {
  MatrixAction action;
  MatrixPart part = MatrixPart::c;
  std::uint8_t m = 0, n = 0;
  std::uint16_t k = 0;
  std::uint8_t a_type = 0, c_type = 0;  // ptx::Type; of load and store the first one
  std::uint8_t b_type = 0, d_type = 0;
  std::uint8_t registers[4] = {};  // of d, a, b, c
  std::uint8_t flags = 0;
  std::uint8_t selector = 0;  // of a sparse product: which lanes of each four hold the metadata

  static constexpr std::uint8_t kColumns = 1, kSaturates = 2, kAnds = 4, kTransposed = 8, kShared = 16, kBRows = 32,
                                kSparse = 64;  // the metadata's register comes after those of c
};
static_assert(sizeof(MatrixCall) == 16);

// Registers lie one after the other, each 32 lanes of 8 bytes; the first 4 or 8 of a lane are used... as
// words: lane l of register r is at word 32 * r + l.
constexpr std::uint64_t kBytesOfMatrixRegister = 256;

}  // namespace xcuda::device::cpu
