// What a display shows of an array: few numbers that represent many. Large arrays are reduced where they are, by
// kernels of xcuda/picture.cuh; small ones on the host, with the same results.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/operations.hpp"
#include "arrays/pointer.hpp"
#include "display/image_view.hpp"
#include "xcuda/picture.cuh"

namespace xcuda::arrays {

// Up to so many elements the host is faster than a kernel that may have to be compiled first.
inline constexpr std::uint64_t kHostPicture = 1 << 18;

// Whether a type is a number of one lane. For complex numbers everything here uses the magnitudes.
bool is_pictured(const Type& type);

// The elements as real numbers, in row-major order.
std::vector<double> real_elements(Operations& operations, const Pointer& array);

// Samples of an image. Each pixel of the result represents rule.side × rule.side elements.
display::Raster tiles(Operations& operations, const Pointer& array, const TileRule& rule);

// Indices of the least and of the greatest finite element of each of equal parts of the array, rising, each once.
enum class Among : std::uint8_t { all, over_zero };  // over_zero: those that a logarithmic axis shows
std::vector<std::uint64_t> extremes(Operations& operations, const Pointer& array, std::uint64_t parts,
                                    Among among = Among::all);
std::vector<double> elements_at(Operations& operations, const Pointer& array,
                                const std::vector<std::uint64_t>& indices);

// The means of the finite elements of equal parts of the array, at most 64 of them; NaN for a part that has none.
std::vector<float> strip_of(Operations& operations, const Pointer& array);

std::vector<std::uint64_t> bin_counts(Operations& operations, const Pointer& array, const BinRule& rule);

struct Range {
  double low = 0, high = 0;
};

struct PointCells {
  Pointer x, y;  // of as many elements
  BinRule across, up;
};
std::vector<std::uint64_t> cell_counts(Operations& operations, const PointCells& points);  // rows from the bottom

// The least and the greatest finite element. Nothing when there is none.
std::optional<Range> range_of(Operations& operations, const Pointer& array, Among among = Among::all);

}  // namespace xcuda::arrays
