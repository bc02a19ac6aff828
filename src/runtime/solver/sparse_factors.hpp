// The factors of a sparse matrix, with unit diagonal below: rows[k] and columns[k] of the matrix are row and column k
// of L U. J. R. Gilbert, T. Peierls, "Sparse partial pivoting in time proportional to arithmetic operations", SIAM J.
// Sci. Stat. Comput. 9 (1988). All elements that L and U may have are kept, also those that happen to be 0.
#pragma once

#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/math/typed_elements.hpp"

namespace xcuda::runtime::math {

inline std::size_t index_of(int place) { return static_cast<std::size_t>(place); }

bool is_order(const int* p, int n);  // each row, or each column, once
std::vector<int> inverse_order(const int* p, int n);

// A square matrix by rows, or by columns, from 0.
template <class T> struct SparseLines {
  std::vector<int> starts{0}, places;
  std::vector<T> values;

  int count() const { return static_cast<int>(starts.size()) - 1; }
  void add(int place, T value) {
    places.push_back(place);
    values.push_back(value);
  }
  void end_line();
  template <class Function> void each_of(int line, Function function) const {
    const auto at = static_cast<std::size_t>(line);
    for (auto k = static_cast<std::size_t>(starts[at]); k < static_cast<std::size_t>(starts[at + 1]); ++k)
      function(places[k], values[k]);
  }
  SparseLines transposed() const;
};

template <class T> class SparseFactors {
 public:
  // In this order of the columns. The pivot is the diagonal's element where that is at least `threshold` of the largest
  // one, else the largest.
  SparseFactors(const SparseLines<T>& matrix, std::vector<int> columns, double threshold);

  const std::vector<int>& rows() const { return rows_; }
  const std::vector<int>& columns() const { return columns_; }
  const std::vector<T>& diagonal() const { return diagonal_; }  // of U
  SparseLines<T> lower() const;                                 // by rows, without the diagonal
  SparseLines<T> upper() const;                                 // by rows, with the diagonal
  void solve(const T* b, T* x) const;

 private:
  std::vector<int> rows_, columns_, place_;  // place_: of each row in rows_
  std::vector<T> diagonal_;
  SparseLines<T> lower_, upper_;  // by columns, without the diagonal; rows of `lower_` are those of the matrix
};

}  // namespace xcuda::runtime::math
