#include "runtime/solver/refactor_places.hpp"

#include <algorithm>
#include <cmath>

namespace xcuda::runtime::math {
namespace {

int place_in(const SparseLines<double>& lines, int row, int column) {  // -1: it has none
  const auto begin = lines.places.begin() + lines.starts[index_of(row)],
             end = lines.places.begin() + lines.starts[index_of(row) + 1];
  const auto found = std::lower_bound(begin, end, column);
  return found == end || *found != column ? -1 : static_cast<int>(found - lines.places.begin());
}

}  // namespace

bool GivenLines::is_valid() const {
  if (starts == nullptr || (places == nullptr && stored > 0) || starts[0] != 0 || starts[n] != stored) return false;
  for (int i = 0; i < n; ++i)
    if (starts[i] > starts[i + 1]) return false;
  return std::all_of(places, places + stored, [this](int place) { return 0 <= place && place < n; });
}

ByRows::ByRows(const GivenLines& given, LinesAre lines)
    : starts(index_of(given.n) + 1), places(index_of(given.stored)) {
  elements.resize(places.size());
  const auto line_of_row = [&](int line, int place) { return lines == LinesAre::rows ? line : place; };
  const auto each = [&](auto function) {
    for (int line = 0; line < given.n; ++line)
      for (int k = given.starts[line]; k < given.starts[line + 1]; ++k) function(line, given.places[k], k);
  };
  each([&](int line, int place, int) { ++starts[index_of(line_of_row(line, place)) + 1]; });
  for (int i = 0; i < given.n; ++i) starts[index_of(i) + 1] += starts[index_of(i)];
  std::vector<int> next(starts.begin(), starts.end() - 1);
  each([&](int line, int place, int k) {
    const auto to = index_of(next[index_of(line_of_row(line, place))]++);
    places[to] = lines == LinesAre::rows ? place : line;
    elements[to] = k;
  });
}

bool bundle(const ByRows& lower, const ByRows& upper, UnitOf unit, SparseLines<double>& to) {
  for (int i = 0; i < lower.n(); ++i) {
    std::vector<int> row;
    const auto at = index_of(i);
    for (auto k = index_of(lower.starts[at]); k < index_of(lower.starts[at + 1]); ++k) {
      if (lower.places[k] > i) return false;
      if (lower.places[k] < i || unit == UnitOf::upper) row.push_back(lower.places[k]);
    }
    for (auto k = index_of(upper.starts[at]); k < index_of(upper.starts[at + 1]); ++k) {
      if (upper.places[k] < i) return false;
      if (upper.places[k] > i || unit == UnitOf::lower) row.push_back(upper.places[k]);
    }
    std::sort(row.begin(), row.end());
    const bool comes_twice = std::adjacent_find(row.begin(), row.end()) != row.end();
    if (comes_twice || !std::binary_search(row.begin(), row.end(), i)) return false;
    for (const int column : row) to.add(column, 0);
    to.end_line();
  }
  return true;
}

bool spread(const SparseLines<double>& places, const ByRows& matrix, const double* values, const int* p, const int* q,
            std::vector<double>& to) {
  const auto row = inverse_order(p, matrix.n()), column = inverse_order(q, matrix.n());
  to.assign(places.places.size(), 0);
  for (int i = 0; i < matrix.n(); ++i)
    for (auto k = index_of(matrix.starts[index_of(i)]); k < index_of(matrix.starts[index_of(i) + 1]); ++k) {
      const int place = place_in(places, row[index_of(i)], column[index_of(matrix.places[k])]);
      if (place < 0) return false;
      to[index_of(place)] += values[matrix.elements[k]];
    }
  return true;
}

PivotReport factor_in_places(const SparseLines<double>& places, UnitOf unit, const PivotLimits& limits,
                             std::vector<double>& values) {
  const int n = places.count();
  const auto& columns = places.places;
  std::vector<int> where(index_of(n), -1);
  PivotReport report;
  for (int i = 0; i < n; ++i) {
    const auto begin = index_of(places.starts[index_of(i)]), end = index_of(places.starts[index_of(i) + 1]);
    for (auto k = begin; k < end; ++k) where[index_of(columns[k])] = static_cast<int>(k);
    for (auto k = begin; columns[k] < i; ++k) {
      const int other = columns[k];
      const auto diagonal = index_of(place_in(places, other, other));
      if (unit == UnitOf::lower) values[k] /= values[diagonal];
      for (auto j = diagonal + 1; j < index_of(places.starts[index_of(other) + 1]); ++j)
        if (where[index_of(columns[j])] >= 0) values[index_of(where[index_of(columns[j])])] -= values[k] * values[j];
    }
    const auto diagonal = index_of(where[index_of(i)]);
    if (std::abs(values[diagonal]) <= limits.zero) {
      if (limits.boost > 0) {
        values[diagonal] = limits.boost;
        report.was_boosted = true;
      } else if (report.zero_row < 0) {
        report.zero_row = i;
      }
    }
    if (unit == UnitOf::upper)
      for (auto k = diagonal + 1; k < end; ++k) values[k] /= values[diagonal];
    for (auto k = begin; k < end; ++k) where[index_of(columns[k])] = -1;
  }
  return report;
}

void solve_in_places(const SparseLines<double>& places, UnitOf unit, const std::vector<double>& values, const int* p,
                     const int* q, double* x) {
  const int n = places.count();
  const auto& columns = places.places;
  std::vector<double> y(index_of(n));
  for (int i = 0; i < n; ++i) {
    double& here = y[index_of(i)];
    here = x[p[i]];
    auto k = index_of(places.starts[index_of(i)]);
    for (; columns[k] < i; ++k) here -= values[k] * y[index_of(columns[k])];
    if (unit == UnitOf::upper) here /= values[k];
  }
  for (int i = n; i-- > 0;) {
    double& here = y[index_of(i)];
    const auto diagonal = index_of(place_in(places, i, i));
    for (auto k = diagonal + 1; k < index_of(places.starts[index_of(i) + 1]); ++k)
      here -= values[k] * y[index_of(columns[k])];
    if (unit == UnitOf::lower) here /= values[diagonal];
  }
  for (int i = 0; i < n; ++i) x[q[i]] = y[index_of(i)];
}

SplitFactors split(const SparseLines<double>& factors, UnitOf unit, Ones ones) {
  SplitFactors result;
  for (int i = 0; i < factors.count(); ++i) {
    if (unit == UnitOf::upper && ones == Ones::stored) result.upper.add(i, 1);
    factors.each_of(i, [&](int place, double value) {
      const bool is_below = unit == UnitOf::lower ? place < i : place <= i;
      (is_below ? result.lower : result.upper).add(place, value);
    });
    if (unit == UnitOf::lower && ones == Ones::stored) result.lower.add(i, 1);
    result.lower.end_line();
    result.upper.end_line();
  }
  return result;
}

}  // namespace xcuda::runtime::math
