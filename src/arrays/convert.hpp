// Numbers into the bytes of an element type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/type.hpp"

namespace xcuda::arrays {

// Rounds to nearest even for half and bfloat16, truncates towards zero for integers as C++ does. The value must be in
// the type's range for integers; bytes.size() is the type's size. Complex types get a zero imaginary part, vectors the
// value in every lane.
void store_real(const Type& type, double value, std::span<std::byte> bytes);
void store_integer(const Type& type, std::int64_t value, std::span<std::byte> bytes);  // also to floating types
void store_unsigned(const Type& type, std::uint64_t value, std::span<std::byte> bytes);

// The parts of a complex number.
std::array<double, 2> load_parts(const Type& type, std::span<const std::byte> bytes);
double load_real(const Type& type, std::span<const std::byte> bytes);  // of a floating scalar type

// Whether an integer has this exact value in the type, and whether a real number does after truncation.
bool holds_integer(const Type& type, std::int64_t value);
bool holds_unsigned(const Type& type, std::uint64_t value);

}  // namespace xcuda::arrays
