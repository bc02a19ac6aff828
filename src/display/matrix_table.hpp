// A matrix as a table whose rows and columns have their numbers; a sparse one as a list of its elements.
#pragma once

#include <optional>

#include "display/array_view.hpp"
#include "display/table.hpp"

namespace xcuda::display {

// The shown elements of an array of numbers with two dimensions; nothing for other arrays, and where a table would be
// larger than a page can be.
std::optional<Table> matrix_table(const ArrayView& array);

// A sparse matrix: its first elements, and how many there are.
struct SparseView {
  std::string format;  // "csr"
  Type type;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t stored = 0, bytes = 0;
  struct Place {
    std::int64_t row = 0, column = 0;
  };
  std::vector<Place> places;  // of the elements that are shown
  std::vector<std::byte> elements;
};
inline constexpr std::uint64_t kShownStored = 12;

std::string summary(const SparseView& matrix);  // "1,000 × 1,000, 4,998 elements stored (0.5 %), 43.9 KB"
Bundle sparse_bundle(const SparseView& matrix);

}  // namespace xcuda::display
