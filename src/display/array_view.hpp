// An array as it is shown: a heading, statistics, and a summarised body in NumPy's print style.
#pragma once

#include "display/array_statistics.hpp"
#include "display/bundle.hpp"
#include "display/number_format.hpp"

namespace xcuda::display {

// Linear indices [first, first + count) in row-major order.
struct IndexRange {
  std::uint64_t first = 0, count = 0;
  bool operator==(const IndexRange&) const = default;
};

// The options for outputs of a session: an array that would take more than about 20 lines of 120 columns is summarised.
PrintOptions page_options(const Type& type);

// Which elements an array of this shape needs to be shown; neighbours are merged, so that a small array is one range.
std::vector<IndexRange> shown_ranges(std::span<const std::uint64_t> shape, const PrintOptions& options = {});

struct ArrayView {
  std::string name;  // "x"; empty for a value without one
  Type type;
  std::vector<std::uint64_t> shape;  // empty: one element without dimensions
  std::string device;                // "NVIDIA H200"; empty when it does not matter
  std::uint64_t bytes = 0;
  std::vector<std::byte> elements;          // the elements of shown_ranges(shape, options), one after the other
  std::vector<RecordField> fields;          // of a struct, when known
  std::vector<ArrayStatistics> statistics;  // one; of a vector type one for each member; none for what is not a number
  std::vector<float> strip;                 // means of equal parts, in order; empty where that says nothing
  PrintOptions options;
};

std::string array_text(const ArrayView& array);  // the body alone: "[0. 1. 2. ... 7. 8. 9.]"
Bundle array_bundle(const ArrayView& array);
Bundle record_bundle(const ArrayView& record);  // of one element without dimensions: a struct, a vector
Bundle scalar_bundle(const Type& type, std::span<const std::byte> value);

}  // namespace xcuda::display
