// Numbers as NumPy prints them: the shortest digits that read back as the same value, aligned in columns. Among numbers
// with exponents, those that need none are without one: -1 where NumPy has -1.e+00.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/type.hpp"

namespace xcuda::display {

struct PrintOptions {
  int precision = 8;               // digits after the point, at most
  std::uint64_t threshold = 1000;  // arrays with more elements are summarised
  std::uint64_t edge_items = 3;    // shown at each end of a summarised axis
  int line_width = 75;
};

// A floating-point value with the width that decides how many digits are its shortest.
struct Real {
  double value = 0;
  Scalar width = Scalar::float64;  // float16, bfloat16, float32 or float64
};

// Reads one lane of a floating type; complex types have two lanes of their half.
Real read_real(Scalar width, std::span<const std::byte> bytes);

// One value by itself, as NumPy's str(): "0.1", "1e-05", "nan".
std::string shortest(const Real& real);

// A column of values in one common format, all of the same width in characters.
enum class Sign : std::uint8_t { negative_only, always };
std::vector<std::string> format_reals(std::span<const Real> values, const PrintOptions& options,
                                      Sign sign = Sign::negative_only);

// A member of a struct, as far as it is shown. count > 1: an array member.
struct RecordField {
  std::string name;
  Type type;
  std::size_t offset = 0;  // bytes
  std::size_t count = 1;
};

// Elements of one type, packed one after the other, in one common format. A type with unknown members is shown as
// hexadecimal bytes unless `fields` names them.
std::vector<std::string> format_elements(const Type& type, std::span<const std::byte> elements,
                                         const PrintOptions& options, const std::vector<RecordField>& fields = {});

// One element by itself, as a C++ programmer reads it: "true", "0.1", "(1.0, 2.0)".
std::string format_element(const Type& type, std::span<const std::byte> element,
                           const std::vector<RecordField>& fields = {});

}  // namespace xcuda::display
