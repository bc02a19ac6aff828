#include "runtime/solver/solver_refactor.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/solver/solver_work.hpp"
#include "runtime/solver/sparse_factors.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr int kZeroPivot = 10;  // CUSOLVER_STATUS_ZERO_PIVOT

struct Refactorisation {
  int format = 0, diagonal = 0, factor_method = 0, solve_method = 1, is_fast = 0;
  double zero = 0, boost = 0;
  bool was_boosted = false;
  SparseLines<double> places;               // of L and U together, each row in order; without values
  std::vector<std::vector<double>> values;  // of each matrix: its own elements, or its factors
  std::vector<int> zero_pivots;             // of each; -1: none
  bool are_factors = false;
  int n() const { return places.count(); }
};

struct Csr {
  int n = 0, stored = 0;
  const int *starts = nullptr, *places = nullptr;
  bool is_valid() const {
    if (starts == nullptr || (places == nullptr && stored > 0) || starts[0] != 0 || starts[n] != stored) return false;
    for (int i = 0; i < n; ++i)
      if (starts[i] > starts[i + 1]) return false;
    return std::all_of(places, places + stored, [this](int place) { return 0 <= place && place < n; });
  }
};

int place_in(const SparseLines<double>& lines, int row, int column) {  // -1: it has none
  const auto begin = lines.places.begin() + lines.starts[index_of(row)],
             end = lines.places.begin() + lines.starts[index_of(row) + 1];
  const auto found = std::lower_bound(begin, end, column);
  return found == end || *found != column ? -1 : static_cast<int>(found - lines.places.begin());
}

// The places of L and U together. False: an element is on the wrong side or comes twice, or a row of U has no diagonal.
bool bundle(const Csr& lower, const Csr& upper, SparseLines<double>& to) {
  for (int i = 0; i < lower.n; ++i) {
    std::vector<int> row;
    for (int k = lower.starts[i]; k < lower.starts[i + 1]; ++k) {
      if (lower.places[k] > i) return false;
      if (lower.places[k] < i) row.push_back(lower.places[k]);
    }
    for (int k = upper.starts[i]; k < upper.starts[i + 1]; ++k) {
      if (upper.places[k] < i) return false;
      row.push_back(upper.places[k]);
    }
    std::sort(row.begin(), row.end());
    const bool comes_twice = std::adjacent_find(row.begin(), row.end()) != row.end();
    if (comes_twice || !std::binary_search(row.begin(), row.end(), i)) return false;
    for (const int column : row) to.add(column, 0);
    to.end_line();
  }
  return true;
}

// The matrix's elements at their places in P A Q. False: one has no place there.
bool spread(const SparseLines<double>& places, const Csr& matrix, const double* values, const int* p, const int* q,
            std::vector<double>& to) {
  const auto row = inverse_order(p, matrix.n), column = inverse_order(q, matrix.n);
  to.assign(places.places.size(), 0);
  for (int i = 0; i < matrix.n; ++i)
    for (int k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k) {
      const int place = place_in(places, row[index_of(i)], column[index_of(matrix.places[k])]);
      if (place < 0) return false;
      to[index_of(place)] += values[k];
    }
  return true;
}

// In place. -1, or the first row whose pivot is too small.
int factor_in_places(Refactorisation& made, std::vector<double>& values) {
  const auto& [starts, places, unused] = made.places;
  std::vector<int> where(index_of(made.n()), -1);
  int zero = -1;
  for (int i = 0; i < made.n(); ++i) {
    const auto begin = index_of(starts[index_of(i)]), end = index_of(starts[index_of(i) + 1]);
    for (auto k = begin; k < end; ++k) where[index_of(places[k])] = static_cast<int>(k);
    for (auto k = begin; places[k] < i; ++k) {
      const int other = places[k];
      const auto diagonal = index_of(place_in(made.places, other, other));
      const double factor = values[k] /= values[diagonal];
      for (auto j = diagonal + 1; j < index_of(starts[index_of(other) + 1]); ++j)
        if (where[index_of(places[j])] >= 0) values[index_of(where[index_of(places[j])])] -= factor * values[j];
    }
    double& pivot = values[index_of(where[index_of(i)])];
    if (std::abs(pivot) <= made.zero) {
      if (made.boost > 0) {
        pivot = made.boost;
        made.was_boosted = true;
      } else if (zero < 0) {
        zero = i;
      }
    }
    for (auto k = begin; k < end; ++k) where[index_of(places[k])] = -1;
  }
  return zero;
}

void solve_in_places(const Refactorisation& made, const std::vector<double>& values, const int* p, const int* q,
                     double* x) {
  const auto& [starts, places, unused] = made.places;
  const int n = made.n();
  std::vector<double> y(index_of(n));
  for (int i = 0; i < n; ++i) {
    y[index_of(i)] = x[p[i]];
    for (auto k = index_of(starts[index_of(i)]); places[k] < i; ++k)
      y[index_of(i)] -= values[k] * y[index_of(places[k])];
  }
  for (int i = n; i-- > 0;) {
    const auto diagonal = index_of(place_in(made.places, i, i));
    for (auto k = diagonal + 1; k < index_of(starts[index_of(i) + 1]); ++k)
      y[index_of(i)] -= values[k] * y[index_of(places[k])];
    y[index_of(i)] /= values[diagonal];
  }
  for (int i = 0; i < n; ++i) x[q[i]] = y[index_of(i)];
}

template <class Function> int with_refactorisation(void* handle, Function function) {
  auto* found = table_of<Refactorisation>().find(handle);
  return found == nullptr ? kSolverCodes.uninitialized : function(*found);
}

// On the default stream.
int run_refactor_step(const char* name, std::vector<Reach> reaches, const std::function<int()>& step) {
  return run_solver_step({name, nullptr, Waits::yes, std::move(reaches)}, step);
}

struct SetUp {
  Csr matrix, lower, upper;
  const int *p, *q;
};
int set_up(Refactorisation& made, const SetUp& from, const std::vector<const double*>& values) {
  SparseLines<double> places;
  std::vector<std::vector<double>> all(values.size());
  if (!from.matrix.is_valid() || !from.lower.is_valid() || !from.upper.is_valid() || !is_order(from.p, from.matrix.n) ||
      !is_order(from.q, from.matrix.n) || !bundle(from.lower, from.upper, places))
    return kSolverCodes.value;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == nullptr || !spread(places, from.matrix, values[i], from.p, from.q, all[i]))
      return kSolverCodes.value;
  made.places = std::move(places);
  made.values = std::move(all);
  made.zero_pivots.assign(values.size(), -1);
  made.are_factors = false;
  return 0;
}

int reset(const char* name, void* handle, const Csr& matrix, const std::vector<const double*>& values, const int* p,
          const int* q, std::vector<Reach> reaches) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (matrix.n != made.n() || values.size() != made.values.size() || made.values.empty()) return kSolverCodes.value;
    for (const double* one : values) reaches.push_back(line_of(one, matrix.stored, "the values"));
    return run_refactor_step(name, std::move(reaches), [&] {
      if (!matrix.is_valid() || !is_order(p, matrix.n) || !is_order(q, matrix.n)) return kSolverCodes.value;
      std::vector<std::vector<double>> all(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!spread(made.places, matrix, values[i], p, q, all[i])) return kSolverCodes.value;
      made.values = std::move(all);
      made.are_factors = false;
      return 0;
    });
  });
}
std::vector<Reach> order_reaches(int n, const int* p, const int* q) { return {line_of(p, n, "P"), line_of(q, n, "Q")}; }
std::vector<Reach> with_rows(std::vector<Reach> reaches, const Csr& matrix) {
  reaches.push_back(line_of(matrix.starts, std::int64_t{matrix.n} + 1, "the rows"));
  reaches.push_back(line_of(matrix.places, matrix.stored, "the columns"));
  return reaches;
}

// The pointers of an array may still be on their way to the device.
int wait_for_pointers(const char* name, double* const* array, std::size_t count, const char* what) {
  return run_refactor_step(name, {line_of(array, static_cast<std::int64_t>(count), what)}, [] { return 0; });
}

int solve_sides(const char* name, const Refactorisation& made, const int* p, const int* q, int columns,
                const std::vector<double*>& sides, int leading) {
  auto reaches = order_reaches(made.n(), p, q);
  for (const double* one : sides) reaches.push_back(matrix_of(one, made.n(), columns, leading, "XF"));
  return run_refactor_step(name, std::move(reaches), [&] {
    if (!is_order(p, made.n()) || !is_order(q, made.n())) return kSolverCodes.value;
    for (std::size_t i = 0; i < sides.size(); ++i)
      for (int column = 0; column < columns; ++column)
        solve_in_places(made, made.values[i], p, q, sides[i] + std::int64_t{column} * leading);
    return 0;
  });
}

int factor_all(const char* name, void* handle) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (made.values.empty() || made.are_factors) return kSolverCodes.value;
    return run_refactor_step(name, {}, [&] {
      made.was_boosted = false;
      for (std::size_t i = 0; i < made.values.size(); ++i) made.zero_pivots[i] = factor_in_places(made, made.values[i]);
      made.are_factors = true;
      const bool good = std::all_of(made.zero_pivots.begin(), made.zero_pivots.end(), [](int row) { return row < 0; });
      return good ? 0 : kZeroPivot;
    });
  });
}

template <class T> T* copied(const std::vector<T>& from) {
  auto* to = static_cast<T*>(malloc(std::max<std::size_t>(from.size(), 1) * sizeof(T)));
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
  return to;
}
bool give(const SparseLines<double>& lines, int* stored, int** starts, int** places, double** values) {
  *stored = static_cast<int>(lines.places.size());
  *starts = copied(lines.starts);
  *places = copied(lines.places);
  *values = copied(lines.values);
  return *starts != nullptr && *places != nullptr && *values != nullptr;
}

}  // namespace

int create_refactorisation(void** handle) {
  if (handle == nullptr) return kSolverCodes.value;
  *handle = table_of<Refactorisation>().make();
  return 0;
}
int destroy_refactorisation(void* handle) {
  return table_of<Refactorisation>().remove(handle) ? 0 : kSolverCodes.uninitialized;
}

int get_refactor_format(void* handle, int* format, int* diagonal) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (format == nullptr || diagonal == nullptr) return kSolverCodes.value;
    *format = made.format;
    *diagonal = made.diagonal;
    return 0;
  });
}
int set_refactor_format(void* handle, int format, int diagonal) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (format < 0 || format > 1 || diagonal < 0 || diagonal > 3) return kSolverCodes.value;
    if (format != 0 || diagonal % 2 != 0) {
      say_not_supported("cusolverRfSetMatrixFormat", "matrices by columns, or a diagonal of U that is 1");
      return kSolverCodes.unsupported;
    }
    made.format = format;
    made.diagonal = diagonal;
    return 0;
  });
}
int get_refactor_limits(void* handle, double* zero, double* boost) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (zero == nullptr || boost == nullptr) return kSolverCodes.value;
    *zero = made.zero;
    *boost = made.boost;
    return 0;
  });
}
int set_refactor_limits(void* handle, double zero, double boost) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    made.zero = zero;
    made.boost = boost;
    return 0;
  });
}
int get_refactor_boost(void* handle, int* was_used) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (was_used == nullptr) return kSolverCodes.value;
    *was_used = made.was_boosted ? 1 : 0;
    return 0;
  });
}
int get_refactor_methods(void* handle, int* factors, int* solves) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (factors == nullptr || solves == nullptr) return kSolverCodes.value;
    *factors = made.factor_method;
    *solves = made.solve_method;
    return 0;
  });
}
int set_refactor_methods(void* handle, int factors, int solves) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (factors < 0 || factors > 2 || solves < 1 || solves > 3) return kSolverCodes.value;
    made.factor_method = factors;
    made.solve_method = solves;
    return 0;
  });
}
int get_refactor_haste(void* handle, int* fast) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (fast == nullptr) return kSolverCodes.value;
    *fast = made.is_fast;
    return 0;
  });
}
int set_refactor_haste(void* handle, int fast) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (fast < 0 || fast > 1) return kSolverCodes.value;
    made.is_fast = fast;
    return 0;
  });
}

int set_up_refactorisation(int n, int stored, int* starts, int* places, double* values, int lower, int* lower_starts,
                           int* lower_places, double*, int upper, int* upper_starts, int* upper_places, double*, int* p,
                           int* q, void* handle) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (n < 0) return kSolverCodes.value;
    return set_up(made,
                  {{n, stored, starts, places},
                   {n, lower, lower_starts, lower_places},
                   {n, upper, upper_starts, upper_places},
                   p,
                   q},
                  {values});
  });
}
int set_up_refactorisation_there(int n, int stored, int* starts, int* places, double* values, int lower,
                                 int* lower_starts, int* lower_places, double* lower_values, int upper,
                                 int* upper_starts, int* upper_places, double* upper_values, int* p, int* q,
                                 void* handle) {
  if (n < 0) return kSolverCodes.value;
  auto reaches = order_reaches(n, p, q);
  for (const Csr& one : {Csr{n, stored, starts, places}, Csr{n, lower, lower_starts, lower_places},
                         Csr{n, upper, upper_starts, upper_places}})
    reaches = with_rows(std::move(reaches), one);
  reaches.push_back(line_of(values, stored, "the values"));
  return run_refactor_step("cusolverRfSetupDevice", std::move(reaches), [&] {
    return set_up_refactorisation(n, stored, starts, places, values, lower, lower_starts, lower_places, lower_values,
                                  upper, upper_starts, upper_places, upper_values, p, q, handle);
  });
}
int set_up_refactorisations(int count, int n, int stored, int* starts, int* places, double** values, int lower,
                            int* lower_starts, int* lower_places, double*, int upper, int* upper_starts,
                            int* upper_places, double*, int* p, int* q, void* handle) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (n < 0 || count < 1 || values == nullptr) return kSolverCodes.value;
    return set_up(made,
                  {{n, stored, starts, places},
                   {n, lower, lower_starts, lower_places},
                   {n, upper, upper_starts, upper_places},
                   p,
                   q},
                  {values, values + count});
  });
}
int analyse_refactorisation(void* handle) {  // rows are taken one after another, which needs no levels
  return with_refactorisation(handle,
                              [](Refactorisation& made) { return made.values.empty() ? kSolverCodes.value : 0; });
}

int reset_refactor_values(int n, int stored, int* starts, int* places, double* values, int* p, int* q, void* handle) {
  const Csr matrix{n, stored, starts, places};
  return reset("cusolverRfResetValues", handle, matrix, {values}, p, q, with_rows(order_reaches(n, p, q), matrix));
}
int reset_all_refactor_values(int count, int n, int stored, int* starts, int* places, double** values, int* p, int* q,
                              void* handle) {
  const Csr matrix{n, stored, starts, places};
  if (count < 1 || !is_device_memory(values)) return kSolverCodes.value;
  const auto status = wait_for_pointers("cusolverRfBatchResetValues", values, index_of(count), "the array of values");
  if (status != 0) return status;
  return reset("cusolverRfBatchResetValues", handle, matrix, {values, values + count}, p, q,
               with_rows(order_reaches(n, p, q), matrix));
}
int refactor(void* handle) { return factor_all("cusolverRfRefactor", handle); }
int refactor_all(void* handle) {  // which rows have no pivot, refactor_zero_pivots() says
  const int status = factor_all("cusolverRfBatchRefactor", handle);
  return status == kZeroPivot ? 0 : status;
}
int refactor_zero_pivots(void* handle, int* positions) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (positions == nullptr || !made.are_factors) return kSolverCodes.value;
    std::copy(made.zero_pivots.begin(), made.zero_pivots.end(), positions);
    const bool good = std::all_of(made.zero_pivots.begin(), made.zero_pivots.end(), [](int row) { return row < 0; });
    return good ? 0 : kZeroPivot;
  });
}

int solve_refactored(void* handle, int* p, int* q, int columns, double*, int, double* x, int leading) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (!made.are_factors || columns < 0 || leading < made.n()) return kSolverCodes.value;
    return solve_sides("cusolverRfSolve", made, p, q, columns, {x}, leading);
  });
}
int solve_all_refactored(void* handle, int* p, int* q, int columns, double*, int, double** x, int leading) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (!made.are_factors || columns < 0 || leading < made.n()) return kSolverCodes.value;
    const auto count = made.values.size();
    const int status = wait_for_pointers("cusolverRfBatchSolve", x, count, "XF_array");
    return status != 0 ? status : solve_sides("cusolverRfBatchSolve", made, p, q, columns, {x, x + count}, leading);
  });
}

int take_bundled_factors(void* handle, int* stored, int** starts, int** places, double** values) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (!made.are_factors || !all_hold({stored != nullptr, starts != nullptr, places != nullptr, values != nullptr}))
      return kSolverCodes.value;
    auto all = made.places;
    all.values = made.values.front();
    return give(all, stored, starts, places, values) ? 0 : kSolverCodes.memory;
  });
}
int take_split_factors(void* handle, int* lower, int** lower_starts, int** lower_places, double** lower_values,
                       int* upper, int** upper_starts, int** upper_places, double** upper_values) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (!made.are_factors ||
        !all_hold({lower != nullptr, lower_starts != nullptr, lower_places != nullptr, lower_values != nullptr,
                   upper != nullptr, upper_starts != nullptr, upper_places != nullptr, upper_values != nullptr}))
      return kSolverCodes.value;
    auto all = made.places;
    all.values = made.values.front();
    SparseLines<double> l, u;
    for (int i = 0; i < made.n(); ++i) {
      all.each_of(i, [&](int place, double value) { (place < i ? l : u).add(place, value); });
      if (made.diagonal == 0) l.add(i, 1);
      l.end_line();
      u.end_line();
    }
    const bool given = give(l, lower, lower_starts, lower_places, lower_values);
    return give(u, upper, upper_starts, upper_places, upper_values) && given ? 0 : kSolverCodes.memory;
  });
}

}  // namespace xcuda::runtime::math
