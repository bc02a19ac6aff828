#include "runtime/solver/sparse_factors.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace xcuda::runtime::math {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

template <class T> SparseLines<T> SparseLines<T>::transposed() const {
  const int n = count();
  SparseLines result;
  result.starts.assign(at(n) + 1, 0);
  for (const int place : places) ++result.starts[at(place) + 1];
  for (int i = 0; i < n; ++i) result.starts[at(i) + 1] += result.starts[at(i)];
  result.places.resize(places.size());
  result.values.resize(values.size());
  std::vector<int> next(result.starts.begin(), result.starts.end() - 1);
  for (int i = 0; i < n; ++i)
    each_of(i, [&](int place, T value) {
      const auto to = at(next[at(place)]++);
      result.places[to] = i;
      result.values[to] = value;
    });
  return result;
}

template <class T>
SparseFactors<T>::SparseFactors(const SparseLines<T>& matrix, std::vector<int> columns, double threshold)
    : columns_(std::move(columns)) {
  const int n = matrix.count();
  const auto by_columns = matrix.transposed();
  place_.assign(at(n), -1);
  std::vector<T> column(at(n));
  std::vector<int> touched_in(at(n), -1), touched;
  for (int k = 0; k < n; ++k) {
    std::set<int> before;  // the columns of L that still go into this one
    touched.clear();
    const auto touch = [&](int row) -> T& {
      if (std::exchange(touched_in[at(row)], k) != k) {
        touched.push_back(row);
        column[at(row)] = T{};
        if (place_[at(row)] >= 0) before.insert(place_[at(row)]);
      }
      return column[at(row)];
    };
    by_columns.each_of(columns_[at(k)], [&](int row, T value) { touch(row) += value; });
    while (!before.empty()) {
      const int j = *before.begin();
      before.erase(before.begin());
      const T factor = column[at(rows_[at(j)])];
      upper_.add(j, factor);
      lower_.each_of(j, [&](int row, T value) { touch(row) -= value * factor; });
    }
    upper_.end_line();

    int pivot = -1;
    double largest = -1;
    for (const int row : touched)
      if (place_[at(row)] < 0 && std::abs(column[at(row)]) > largest) {
        pivot = row;
        largest = std::abs(column[at(row)]);
      }
    const int own = columns_[at(k)];
    const double diagonal = touched_in[at(own)] == k ? std::abs(column[at(own)]) : 0;
    if (place_[at(own)] < 0 && (pivot < 0 || diagonal >= threshold * largest)) {
      touch(own);
      pivot = own;
    }
    if (pivot < 0) {  // the matrix is singular; its own row was taken for another column
      pivot = static_cast<int>(std::find(place_.begin(), place_.end(), -1) - place_.begin());
      touch(pivot);
    }
    const T value = column[at(pivot)];
    diagonal_.push_back(value);
    rows_.push_back(pivot);
    place_[at(pivot)] = k;
    for (const int row : touched)
      if (place_[at(row)] < 0) lower_.add(row, value == T{} ? T{} : column[at(row)] / value);
    lower_.end_line();
  }
}

template <class T> SparseLines<T> SparseFactors<T>::lower() const {
  SparseLines<T> columns = lower_;
  for (int& row : columns.places) row = place_[at(row)];
  return columns.transposed();
}

template <class T> SparseLines<T> SparseFactors<T>::upper() const {
  SparseLines<T> columns;
  for (int k = 0; k < upper_.count(); ++k) {
    upper_.each_of(k, [&](int row, T value) { columns.add(row, value); });
    columns.add(k, diagonal_[at(k)]);
    columns.end_line();
  }
  return columns.transposed();
}

template <class T> void SparseFactors<T>::solve(const T* b, T* x) const {
  const int n = lower_.count();
  std::vector<T> y(at(n));
  for (int k = 0; k < n; ++k) y[at(k)] = b[rows_[at(k)]];
  for (int k = 0; k < n; ++k) lower_.each_of(k, [&](int row, T value) { y[at(place_[at(row)])] -= value * y[at(k)]; });
  for (int k = n; k-- > 0;) {
    y[at(k)] /= diagonal_[at(k)];
    upper_.each_of(k, [&](int row, T value) { y[at(row)] -= value * y[at(k)]; });
  }
  for (int k = 0; k < n; ++k) x[columns_[at(k)]] = y[at(k)];
}

#define XCUDA_SPARSE_FACTORS(T)   \
  template struct SparseLines<T>; \
  template class SparseFactors<T>;
XCUDA_SPARSE_FACTORS(float)
XCUDA_SPARSE_FACTORS(double)
XCUDA_SPARSE_FACTORS(std::complex<float>)
XCUDA_SPARSE_FACTORS(std::complex<double>)
#undef XCUDA_SPARSE_FACTORS

}  // namespace xcuda::runtime::math
