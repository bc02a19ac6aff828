#include "runtime/solver/solver_refactor.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/api.hpp"
#include "runtime/solver/refactor_places.hpp"
#include "runtime/solver/solver_work.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr int kZeroPivot = 10;  // CUSOLVER_STATUS_ZERO_PIVOT

// As programs set it.
struct MatrixFormat {
  int format = 0, diagonal = 0;

  LinesAre lines() const { return static_cast<LinesAre>(format); }
  UnitOf unit() const { return diagonal % 2 == 0 ? UnitOf::lower : UnitOf::upper; }
  Ones ones() const { return diagonal < 2 ? Ones::stored : Ones::assumed; }
  SparseLines<double> as_given(SparseLines<double> rows) const {
    return lines() == LinesAre::rows ? std::move(rows) : rows.transposed();
  }
};

struct Refactorisation {
  MatrixFormat wanted, format;  // of the next set-up; of what is kept, since its own
  int factor_method = 0, solve_method = 1, is_fast = 0;
  PivotLimits limits;
  bool was_boosted = false;
  SparseLines<double> places;               // of L and U together, without values
  std::vector<std::vector<double>> values;  // of each matrix: its own elements, or its factors
  std::vector<int> zero_pivots;             // of each; -1: none
  bool are_factors = false;
  // The first one's factors, as the program sees them in memory of the device; null until it asks for them.
  int *shown_starts = nullptr, *shown_places = nullptr;
  double* shown_values = nullptr;

  int n() const { return places.count(); }
  SparseLines<double> factors() const {
    auto all = places;
    all.values = values.front();
    return format.as_given(std::move(all));
  }
  void show() const {
    const auto all = factors();
    std::copy(all.values.begin(), all.values.end(), shown_values);
  }
  void hide() {
    for (void* memory :
         {static_cast<void*>(shown_starts), static_cast<void*>(shown_places), static_cast<void*>(shown_values)})
      runtime::cudaFree(memory);
    shown_starts = shown_places = nullptr;
    shown_values = nullptr;
  }
};

template <class Function> int with_refactorisation(void* handle, Function function) {
  auto* found = table_of<Refactorisation>().find(handle);
  return found == nullptr ? kSolverCodes.uninitialized : function(*found);
}

// On the default stream.
int run_refactor_step(const char* name, std::vector<Reach> reaches, const std::function<int()>& step) {
  return run_solver_step({name, nullptr, Waits::yes, std::move(reaches)}, step);
}

struct SetUp {
  GivenLines matrix, lower, upper;
  const int *p, *q;
};
int set_up(Refactorisation& made, const SetUp& from, const std::vector<const double*>& values) {
  SparseLines<double> places;
  std::vector<std::vector<double>> all(values.size());
  const auto lines = made.wanted.lines();
  if (!from.matrix.is_valid() || !from.lower.is_valid() || !from.upper.is_valid() || !is_order(from.p, from.matrix.n) ||
      !is_order(from.q, from.matrix.n) ||
      !bundle(ByRows(from.lower, lines), ByRows(from.upper, lines), made.wanted.unit(), places))
    return kSolverCodes.value;
  const ByRows matrix(from.matrix, lines);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == nullptr || !spread(places, matrix, values[i], from.p, from.q, all[i])) return kSolverCodes.value;
  made.hide();
  made.format = made.wanted;
  made.places = std::move(places);
  made.values = std::move(all);
  made.zero_pivots.assign(values.size(), -1);
  made.are_factors = false;
  return 0;
}

int reset(const char* name, void* handle, const GivenLines& matrix, const std::vector<const double*>& values,
          const int* p, const int* q, std::vector<Reach> reaches) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (matrix.n != made.n() || values.size() != made.values.size() || made.values.empty()) return kSolverCodes.value;
    for (const double* one : values) reaches.push_back(line_of(one, matrix.stored, "the values"));
    return run_refactor_step(name, std::move(reaches), [&] {
      if (!matrix.is_valid() || !is_order(p, matrix.n) || !is_order(q, matrix.n)) return kSolverCodes.value;
      std::vector<std::vector<double>> all(values.size());
      const ByRows rows(matrix, made.format.lines());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!spread(made.places, rows, values[i], p, q, all[i])) return kSolverCodes.value;
      made.values = std::move(all);
      made.are_factors = false;
      return 0;
    });
  });
}
std::vector<Reach> order_reaches(int n, const int* p, const int* q) { return {line_of(p, n, "P"), line_of(q, n, "Q")}; }
std::vector<Reach> with_lines(std::vector<Reach> reaches, const GivenLines& matrix) {
  reaches.push_back(line_of(matrix.starts, std::int64_t{matrix.n} + 1, "the starts of lines"));
  reaches.push_back(line_of(matrix.places, matrix.stored, "the places in lines"));
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
        solve_in_places(made.places, made.format.unit(), made.values[i], p, q,
                        sides[i] + std::int64_t{column} * leading);
    return 0;
  });
}

int factor_all(const char* name, void* handle) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (made.values.empty() || made.are_factors) return kSolverCodes.value;
    return run_refactor_step(name, {}, [&] {
      made.was_boosted = false;
      for (std::size_t i = 0; i < made.values.size(); ++i) {
        const auto report = factor_in_places(made.places, made.format.unit(), made.limits, made.values[i]);
        made.zero_pivots[i] = report.zero_row;
        made.was_boosted = made.was_boosted || report.was_boosted;
      }
      made.are_factors = true;
      if (made.shown_values != nullptr) made.show();
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
template <class T> bool copied_to_device(T*& to, const std::vector<T>& from) {
  const auto bytes = from.size() * sizeof(T);
  return runtime::cudaMalloc(reinterpret_cast<void**>(&to), std::max<std::size_t>(bytes, 1)) == cudaSuccess &&
         runtime::cudaMemcpy(to, from.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
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
  if (auto* found = table_of<Refactorisation>().find(handle)) found->hide();
  return table_of<Refactorisation>().remove(handle) ? 0 : kSolverCodes.uninitialized;
}

int get_refactor_format(void* handle, int* format, int* diagonal) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (format == nullptr || diagonal == nullptr) return kSolverCodes.value;
    *format = made.wanted.format;
    *diagonal = made.wanted.diagonal;
    return 0;
  });
}
int set_refactor_format(void* handle, int format, int diagonal) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (format < 0 || format > 1 || diagonal < 0 || diagonal > 3) return kSolverCodes.value;
    made.wanted = {format, diagonal};
    return 0;
  });
}
int get_refactor_limits(void* handle, double* zero, double* boost) {
  return with_refactorisation(handle, [&](const Refactorisation& made) {
    if (zero == nullptr || boost == nullptr) return kSolverCodes.value;
    *zero = made.limits.zero;
    *boost = made.limits.boost;
    return 0;
  });
}
int set_refactor_limits(void* handle, double zero, double boost) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    made.limits.zero = zero;
    made.limits.boost = boost;
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
  for (const GivenLines& one : {GivenLines{n, stored, starts, places}, GivenLines{n, lower, lower_starts, lower_places},
                                GivenLines{n, upper, upper_starts, upper_places}})
    reaches = with_lines(std::move(reaches), one);
  reaches.push_back(line_of(values, stored, "the values"));
  const int status = run_refactor_step("cusolverRfSetupDevice", std::move(reaches), [] { return 0; });
  if (status != 0) return status;
  return set_up_refactorisation(n, stored, starts, places, values, lower, lower_starts, lower_places, lower_values,
                                upper, upper_starts, upper_places, upper_values, p, q, handle);
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
  const GivenLines matrix{n, stored, starts, places};
  return reset("cusolverRfResetValues", handle, matrix, {values}, p, q, with_lines(order_reaches(n, p, q), matrix));
}
int reset_all_refactor_values(int count, int n, int stored, int* starts, int* places, double** values, int* p, int* q,
                              void* handle) {
  const GivenLines matrix{n, stored, starts, places};
  if (count < 1 || !is_device_memory(values)) return kSolverCodes.value;
  const auto status = wait_for_pointers("cusolverRfBatchResetValues", values, index_of(count), "the array of values");
  if (status != 0) return status;
  return reset("cusolverRfBatchResetValues", handle, matrix, {values, values + count}, p, q,
               with_lines(order_reaches(n, p, q), matrix));
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
    return give(made.factors(), stored, starts, places, values) ? 0 : kSolverCodes.memory;
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
    auto [l, u] = split(all, made.format.unit(), made.format.ones());
    l = made.format.as_given(std::move(l));
    u = made.format.as_given(std::move(u));
    const bool given = give(l, lower, lower_starts, lower_places, lower_values);
    return give(u, upper, upper_starts, upper_places, upper_values) && given ? 0 : kSolverCodes.memory;
  });
}

int access_bundled_factors(void* handle, int* stored, int** starts, int** places, double** values) {
  return with_refactorisation(handle, [&](Refactorisation& made) {
    if (!made.are_factors || !all_hold({stored != nullptr, starts != nullptr, places != nullptr, values != nullptr}))
      return kSolverCodes.value;
    if (made.shown_values == nullptr) {
      const auto all = made.factors();
      const bool have = copied_to_device(made.shown_starts, all.starts) &&
                        copied_to_device(made.shown_places, all.places) &&
                        copied_to_device(made.shown_values, all.values);
      if (!have) {
        made.hide();
        return kSolverCodes.memory;
      }
    }
    *stored = static_cast<int>(made.places.places.size());
    *starts = made.shown_starts;
    *places = made.shown_places;
    *values = made.shown_values;
    return 0;
  });
}

}  // namespace xcuda::runtime::math
