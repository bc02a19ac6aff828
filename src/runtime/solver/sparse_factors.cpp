#include "runtime/solver/sparse_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"

namespace xcuda::runtime::math {

bool is_order(const int* p, int n) {
  std::vector<char> is_there(index_of(n));
  for (int i = 0; p != nullptr && i < n; ++i)
    if (p[i] >= 0 && p[i] < n) is_there[index_of(p[i])] = 1;
  return std::count(is_there.begin(), is_there.end(), 1) == n;
}
std::vector<int> inverse_order(const int* p, int n) {
  std::vector<int> inverse(index_of(n));
  for (int i = 0; i < n; ++i) inverse[index_of(p[i])] = i;
  return inverse;
}

template <class T> void SparseLines<T>::end_line() {
  if (places.size() > std::numeric_limits<int>::max())
    throw Error(ErrorKind::memory, "a sparse matrix of cuSOLVER has more elements than an int can count");
  starts.push_back(static_cast<int>(places.size()));
}

template <class T> SparseLines<T> SparseLines<T>::transposed() const {
  const int n = count();
  SparseLines result;
  result.starts.assign(index_of(n) + 1, 0);
  for (const int place : places) ++result.starts[index_of(place) + 1];
  for (int i = 0; i < n; ++i) result.starts[index_of(i) + 1] += result.starts[index_of(i)];
  result.places.resize(places.size());
  result.values.resize(values.size());
  std::vector<int> next(result.starts.begin(), result.starts.end() - 1);
  for (int i = 0; i < n; ++i)
    each_of(i, [&](int place, T value) {
      const auto to = index_of(next[index_of(place)]++);
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
  place_.assign(index_of(n), -1);
  std::vector<T> column(index_of(n));
  std::vector<int> touched_in(index_of(n), -1), touched;
  for (int k = 0; k < n; ++k) {
    std::set<int> before;  // the columns of L that still go into this one
    touched.clear();
    const auto touch = [&](int row) -> T& {
      if (std::exchange(touched_in[index_of(row)], k) != k) {
        touched.push_back(row);
        column[index_of(row)] = T{};
        if (place_[index_of(row)] >= 0) before.insert(place_[index_of(row)]);
      }
      return column[index_of(row)];
    };
    by_columns.each_of(columns_[index_of(k)], [&](int row, T value) { touch(row) += value; });
    while (!before.empty()) {
      const int j = *before.begin();
      before.erase(before.begin());
      const T factor = column[index_of(rows_[index_of(j)])];
      upper_.add(j, factor);
      lower_.each_of(j, [&](int row, T value) { touch(row) -= value * factor; });
    }
    upper_.end_line();

    int pivot = -1;
    double largest = -1;
    for (const int row : touched)
      if (place_[index_of(row)] < 0 && std::abs(column[index_of(row)]) > largest) {
        pivot = row;
        largest = std::abs(column[index_of(row)]);
      }
    const int own = columns_[index_of(k)];
    const double diagonal = touched_in[index_of(own)] == k ? std::abs(column[index_of(own)]) : 0;
    if (place_[index_of(own)] < 0 && (pivot < 0 || diagonal >= threshold * largest)) {
      touch(own);
      pivot = own;
    }
    if (pivot < 0) {  // the matrix is singular; its own row was taken for another column
      pivot = static_cast<int>(std::find(place_.begin(), place_.end(), -1) - place_.begin());
      touch(pivot);
    }
    const T value = column[index_of(pivot)];
    diagonal_.push_back(value);
    rows_.push_back(pivot);
    place_[index_of(pivot)] = k;
    for (const int row : touched)
      if (place_[index_of(row)] < 0) lower_.add(row, value == T{} ? T{} : column[index_of(row)] / value);
    lower_.end_line();
  }
}

template <class T> SparseLines<T> SparseFactors<T>::lower() const {
  SparseLines<T> columns = lower_;
  for (int& row : columns.places) row = place_[index_of(row)];
  return columns.transposed();
}

template <class T> SparseLines<T> SparseFactors<T>::upper() const {
  SparseLines<T> columns;
  for (int k = 0; k < upper_.count(); ++k) {
    upper_.each_of(k, [&](int row, T value) { columns.add(row, value); });
    columns.add(k, diagonal_[index_of(k)]);
    columns.end_line();
  }
  return columns.transposed();
}

template <class T> void SparseFactors<T>::solve(const T* b, T* x) const {
  const int n = lower_.count();
  std::vector<T> y(index_of(n));
  for (int k = 0; k < n; ++k) y[index_of(k)] = b[rows_[index_of(k)]];
  for (int k = 0; k < n; ++k)
    lower_.each_of(k, [&](int row, T value) { y[index_of(place_[index_of(row)])] -= value * y[index_of(k)]; });
  for (int k = n; k-- > 0;) {
    y[index_of(k)] /= diagonal_[index_of(k)];
    upper_.each_of(k, [&](int row, T value) { y[index_of(row)] -= value * y[index_of(k)]; });
  }
  for (int k = 0; k < n; ++k) x[columns_[index_of(k)]] = y[index_of(k)];
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
