// What a call of Operation::fourier asks for, as one plan of a library: up to three axes, whose strides are multiples
// of each other, of many pieces at one distance. This is the one place that says what an operand must be like, for
// preparing operands and for calling the libraries.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "library/call.hpp"

namespace xcuda::library {

inline constexpr std::size_t kMostAxes = 3;     // of one call
inline constexpr std::size_t kMostPieces = 16;  // plans that one call runs, where its batches are not at one distance

// Operands of Operation::fourier, by their position in Call::operands.
enum Side : std::uint8_t { kTransformed, kGiven };

struct Transform {
  enum class Kind : std::uint8_t { complex, from_real, to_real } kind = Kind::complex;
  Scalar part = Scalar::none;          // float32 or float64: what complex numbers are made of
  int direction = -1;                  // as cuFFT has it: -1 forward, 1 backward
  std::vector<std::uint64_t> lengths;  // of the axes; the last one is that of the real side
  // By side, in elements: from one to the next along the last axis; the extents of the array around the axes.
  std::array<std::int64_t, 2> stride{}, distance{};
  std::array<std::vector<std::int64_t>, 2> around;
  std::uint64_t batch = 1;                          // transforms at one distance
  std::vector<std::array<std::int64_t, 2>> starts;  // of the batches, by side
};

// Error(value) where the shapes do not match or there is nothing to transform.
void check_transform(const Call& call);
// The plan for a call. Errors: those of check_transform(); value where an operand does not fit a plan. The session
// makes copies that do.
Transform transform_of(const Call& call);
bool is_one_plan(const Call& call);  // whether transform_of() has one, of few pieces whose addresses a GPU takes
std::string plan_key(const Transform& transform);
// Floating-point operations by convention: 5 n log2(n) for n complex numbers, half of that for real ones.
double operations_of_transform(const Call& call);

}  // namespace xcuda::library
