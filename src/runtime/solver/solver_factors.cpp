#include "runtime/solver/solver_factors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/math/sparse_descriptions.hpp"
#include "runtime/solver/sparse_factors.hpp"

namespace xcuda::runtime::math {
namespace {

template <class T> struct FactorsOf {
  SparseLines<T> matrix;  // of QR, from when it is set up
  std::optional<SparseFactors<T>> factors;
};
// What a program holds between the steps.
struct FactorsInfo {
  int n = -1, stored = 0;  // as analysed; -1: not yet
  std::vector<int> order;
  std::variant<std::monostate, FactorsOf<float>, FactorsOf<double>, FactorsOf<std::complex<float>>,
               FactorsOf<std::complex<double>>>
      of;
};
template <class T> const SparseFactors<T>* factors_in(const FactorsInfo* info) {
  const auto* found = info == nullptr ? nullptr : std::get_if<FactorsOf<T>>(&info->of);
  return found == nullptr || !found->factors ? nullptr : &*found->factors;
}

enum class Values : std::uint8_t {
  all,
  lower_half
};  // lower_half: a Hermitian matrix by what is not above its diagonal
template <class T> SparseLines<T> lines_of(const Pattern& pattern, const T* values, Values which) {
  std::vector<std::vector<std::pair<int, T>>> rows(static_cast<std::size_t>(pattern.n));
  pattern.each([&](int i, int j, int k) {
    if (which == Values::lower_half && j > i) return;
    rows[static_cast<std::size_t>(i)].emplace_back(j, values[k]);
    if (which == Values::lower_half && j < i) rows[static_cast<std::size_t>(j)].emplace_back(i, adjoint_of(values[k]));
  });
  SparseLines<T> lines;
  for (const auto& row : rows) {
    for (const auto& [place, value] : row) lines.add(place, value);
    lines.end_line();
  }
  return lines;
}

template <class T, Memory memory>
std::vector<Reach> matrix_reaches(int n, int stored, const T* values, const int* starts, const int* places) {
  if (memory == Memory::host) return {};
  return {line_of(values, values == nullptr ? 0 : stored, "the values"),
          line_of(starts, std::int64_t{n} + 1, "the rows"), line_of(places, stored, "the columns")};
}

// A step that gives its status, and is done when the call returns: the next one asks for its result.
template <class Function>
int run_step(const char* name, const void* handle, Conditions conditions, std::vector<Reach> reaches,
             Function function) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  if (!all_hold(conditions)) return kSolverCodes.value;
  return run_solver_step({name, solver->stream, Waits::yes, std::move(reaches)}, function);
}

bool is_square(const char* name, int m, int n) {
  if (m == n) return true;
  say_not_supported(name, "matrices that are not square");
  return false;
}

template <class T, Memory memory>
int factor_matrix(const char* name, void* handle, int n, int stored, const void* description, const T* values,
                  const int* starts, const int* places, void* info, Values which, double threshold) {
  auto* found = table_of<FactorsInfo>().find(info);
  const auto* known = table_of<Description>().find(description);
  return run_step(name, handle,
                  {known != nullptr, values != nullptr || stored == 0, starts != nullptr,
                   places != nullptr || stored == 0, are_analysed(info, n, stored)},
                  matrix_reaches<T, memory>(n, stored, values, starts, places), [=] {
                    const Pattern pattern{n, known->base, stored, starts, places};
                    if (!is_valid(name, pattern)) return kSolverCodes.value;  // its elements may have moved since
                    FactorsOf<T> made;
                    made.factors.emplace(lines_of(pattern, values, which), found->order, threshold);
                    found->of = std::move(made);
                    return 0;
                  });
}

template <class T> void write_lines(const SparseLines<T>& lines, int base, T* values, int* starts, int* places) {
  for (std::size_t i = 0; i < lines.starts.size(); ++i) starts[i] = lines.starts[i] + base;
  for (std::size_t k = 0; k < lines.places.size(); ++k) {
    places[k] = lines.places[k] + base;
    values[k] = lines.values[k];
  }
}

}  // namespace

int create_sparse_factors(void** info) {
  if (info == nullptr) return kSolverCodes.value;
  *info = table_of<FactorsInfo>().make();
  return 0;
}
bool are_analysed(const void* info, int n, int stored) {
  const auto* found = table_of<FactorsInfo>().find(info);
  return found != nullptr && n >= 0 && found->n == n && found->stored == stored;
}
int destroy_sparse_factors(void* info) { return table_of<FactorsInfo>().remove(info) ? 0 : kSolverCodes.value; }

template <Memory memory>
int analyse_factors(void* handle, int n, int stored, const void* description, const int* starts, const int* places,
                    void* info) {
  auto* found = table_of<FactorsInfo>().find(info);
  const auto* known = table_of<Description>().find(description);
  constexpr const char* kName = "cusolverSp analysis";
  return run_step(
      kName, handle,
      {n >= 0, stored >= 0, known != nullptr, found != nullptr, starts != nullptr, places != nullptr || stored == 0},
      matrix_reaches<float, memory>(n, stored, nullptr, starts, places), [=] {
        const Pattern pattern{n, known->base, stored, starts, places};
        if (!is_valid(kName, pattern)) return kSolverCodes.value;
        found->order = narrow(pattern);
        found->n = n;
        found->stored = stored;
        found->of = {};
        return 0;
      });
}
template <Memory memory>
int analyse_qr(void* handle, int m, int n, int stored, const void* description, const int* starts, const int* places,
               void* info) {
  if (!is_square("cusolverSpXcsrqrAnalysis", m, n)) return kSolverCodes.unsupported;
  return analyse_factors<memory>(handle, n, stored, description, starts, places, info);
}

template <class T>
int factor_bytes(void* handle, int n, int stored, const void*, const T*, const int*, const int*, void* info,
                 std::size_t* kept, std::size_t* work) {
  return give_sizes(handle, {are_analysed(info, n, stored)}, kept, work);
}
template <class T>
int qr_bytes(void* handle, int m, int n, int stored, const void* description, const T* values, const int* starts,
             const int* places, void* info, std::size_t* kept, std::size_t* work) {
  if (m != n) return kSolverCodes.value;
  return factor_bytes(handle, n, stored, description, values, starts, places, info, kept, work);
}

template <class T, Memory memory>
int set_up_qr(void* handle, int m, int n, int stored, const void* description, const T* values, const int* starts,
              const int* places, T shift, void* info) {
  auto* found = table_of<FactorsInfo>().find(info);
  const auto* known = table_of<Description>().find(description);
  constexpr const char* kName = "cusolverSp csrqrSetup";
  return run_step(kName, handle,
                  {m == n, known != nullptr, values != nullptr || stored == 0, starts != nullptr,
                   places != nullptr || stored == 0, are_analysed(info, n, stored)},
                  matrix_reaches<T, memory>(n, stored, values, starts, places), [=] {
                    const Pattern pattern{n, known->base, stored, starts, places};
                    if (!is_valid(kName, pattern)) return kSolverCodes.value;
                    FactorsOf<T> made;
                    const auto lines = lines_of(pattern, values, Values::all);
                    for (int i = 0; i < n; ++i) {
                      lines.each_of(i, [&](int place, T value) { made.matrix.add(place, value); });
                      if (shift != T{}) made.matrix.add(i, -shift);
                      made.matrix.end_line();
                    }
                    found->of = std::move(made);
                    return 0;
                  });
}

template <class T, Memory memory>
int factor_qr(void* handle, int m, int n, int stored, T* b, T* x, void* info, void* work) {
  auto* found = table_of<FactorsInfo>().find(info);
  auto* of = found == nullptr ? nullptr : std::get_if<FactorsOf<T>>(&found->of);
  const int status =
      run_step("cusolverSp csrqrFactor", handle,
               {m == n, are_analysed(info, n, stored), of != nullptr && of->matrix.count() == n}, {}, [=] {
                 of->factors.emplace(of->matrix, found->order, 1);
                 return 0;
               });
  return status != 0 || b == nullptr || x == nullptr ? status : solve_qr<T, memory>(handle, m, n, b, x, info, work);
}
template <class T, Memory memory> int solve_qr(void* handle, int m, int n, T* b, T* x, void* info, void* work) {
  return m != n ? kSolverCodes.value : solve_factors<T, memory>(handle, n, b, x, info, work);
}

template <class T, Memory memory>
int factor_positive(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                    const int* places, void* info, void*) {
  return factor_matrix<T, memory>("cusolverSp csrcholFactor", handle, n, stored, description, values, starts, places,
                                  info, Values::lower_half, 0);
}
template <class T>
int factor_general(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                   const int* places, void* info, Part<T> threshold, void*) {
  if (!(threshold >= 0 && threshold <= 1)) return kSolverCodes.value;
  return factor_matrix<T, Memory::host>("cusolverSp csrluFactorHost", handle, n, stored, description, values, starts,
                                        places, info, Values::all, threshold);
}

// -1, or the row of the first pivot that is too small. A pivot of Cholesky's factors is the square of their diagonal.
template <class T, Pivot pivot> int small_pivot(void* handle, void* info, Part<T> tolerance, int* position) {
  const auto* factors = factors_in<T>(table_of<FactorsInfo>().find(info));
  if (find_solver(handle) == nullptr) return kSolverCodes.uninitialized;
  if (factors == nullptr || position == nullptr) return kSolverCodes.value;
  *position = -1;
  for (std::size_t k = 0; k < factors->diagonal().size() && *position < 0; ++k) {
    const T value = factors->diagonal()[k];
    const bool good = pivot == Pivot::positive ? std::real(value) > 0 && std::sqrt(std::real(value)) > tolerance
                                               : std::abs(value) > tolerance;
    if (!good) *position = factors->columns()[k];
  }
  return 0;
}

template <class T, Memory memory> int solve_factors(void* handle, int n, const T* b, T* x, void* info, void*) {
  const auto* found = table_of<FactorsInfo>().find(info);
  const auto* factors = factors_in<T>(found);
  std::vector<Reach> reaches;
  if (memory == Memory::device) reaches = {line_of(b, n, "b"), line_of(x, n, "x")};
  return run_step("cusolverSp solve", handle,
                  {factors != nullptr && found->n == n, b != nullptr || n == 0, x != nullptr || n == 0},
                  std::move(reaches), [=] {
                    factors->solve(b, x);
                    return 0;
                  });
}

// Of L, in the order of the factors.
template <class T> int positive_diagonal(void* handle, void* info, Part<T>* diagonal) {
  const auto* factors = factors_in<T>(table_of<FactorsInfo>().find(info));
  const auto count = factors == nullptr ? 0 : static_cast<std::int64_t>(factors->diagonal().size());
  return run_step("cusolverSp csrcholDiag", handle, {factors != nullptr, diagonal != nullptr},
                  {line_of(diagonal, count, "diag")}, [=] {
                    std::transform(factors->diagonal().begin(), factors->diagonal().end(), diagonal,
                                   [](T pivot) { return std::sqrt(std::real(pivot)); });
                    return 0;
                  });
}

// Without the diagonal of L, which is 1.
template <class T> bool count_factors(const FactorsInfo* info, int* lower, int* upper) {
  const auto* factors = factors_in<T>(info);
  if (factors == nullptr) return false;
  *lower = static_cast<int>(factors->lower().places.size());
  *upper = static_cast<int>(factors->upper().places.size());
  return true;
}
int factor_counts(void* handle, int* lower, int* upper, void* info) {
  if (find_solver(handle) == nullptr) return kSolverCodes.uninitialized;
  const auto* found = table_of<FactorsInfo>().find(info);
  if (lower == nullptr || upper == nullptr) return kSolverCodes.value;
  const bool counted = count_factors<float>(found, lower, upper) || count_factors<double>(found, lower, upper) ||
                       count_factors<std::complex<float>>(found, lower, upper) ||
                       count_factors<std::complex<double>>(found, lower, upper);
  return counted ? 0 : kSolverCodes.value;
}
template <class T>
int extract_factors(void* handle, int* p, int* q, const void* lower, T* lower_values, int* lower_starts,
                    int* lower_places, const void* upper, T* upper_values, int* upper_starts, int* upper_places,
                    void* info, void*) {
  const auto* factors = factors_in<T>(table_of<FactorsInfo>().find(info));
  const auto *of_lower = table_of<Description>().find(lower), *of_upper = table_of<Description>().find(upper);
  return run_step("cusolverSp csrluExtractHost", handle,
                  {factors != nullptr, of_lower != nullptr, of_upper != nullptr, p != nullptr, q != nullptr,
                   lower_values != nullptr, lower_starts != nullptr, lower_places != nullptr, upper_values != nullptr,
                   upper_starts != nullptr, upper_places != nullptr},
                  {}, [=] {
                    std::copy(factors->rows().begin(), factors->rows().end(), p);
                    std::copy(factors->columns().begin(), factors->columns().end(), q);
                    write_lines(factors->lower(), of_lower->base, lower_values, lower_starts, lower_places);
                    write_lines(factors->upper(), of_upper->base, upper_values, upper_starts, upper_places);
                    return 0;
                  });
}

template int analyse_factors<Memory::device>(void*, int, int, const void*, const int*, const int*, void*);
template int analyse_factors<Memory::host>(void*, int, int, const void*, const int*, const int*, void*);
template int analyse_qr<Memory::device>(void*, int, int, int, const void*, const int*, const int*, void*);
template int analyse_qr<Memory::host>(void*, int, int, int, const void*, const int*, const int*, void*);
#define XCUDA_FACTORS_IN(T, memory)                                                                                 \
  template int set_up_qr<T, Memory::memory>(void*, int, int, int, const void*, const T*, const int*, const int*, T, \
                                            void*);                                                                 \
  template int factor_qr<T, Memory::memory>(void*, int, int, int, T*, T*, void*, void*);                            \
  template int solve_qr<T, Memory::memory>(void*, int, int, T*, T*, void*, void*);                                  \
  template int factor_positive<T, Memory::memory>(void*, int, int, const void*, const T*, const int*, const int*,   \
                                                  void*, void*);                                                    \
  template int solve_factors<T, Memory::memory>(void*, int, const T*, T*, void*, void*);
#define XCUDA_FACTORS(T)                                                                                              \
  XCUDA_FACTORS_IN(T, device)                                                                                         \
  XCUDA_FACTORS_IN(T, host)                                                                                           \
  template int factor_bytes<T>(void*, int, int, const void*, const T*, const int*, const int*, void*, std::size_t*,   \
                               std::size_t*);                                                                         \
  template int qr_bytes<T>(void*, int, int, int, const void*, const T*, const int*, const int*, void*, std::size_t*,  \
                           std::size_t*);                                                                             \
  template int factor_general<T>(void*, int, int, const void*, const T*, const int*, const int*, void*, Part<T>,      \
                                 void*);                                                                              \
  template int positive_diagonal<T>(void*, void*, Part<T>*);                                                          \
  template int small_pivot<T, Pivot::any>(void*, void*, Part<T>, int*);                                               \
  template int small_pivot<T, Pivot::positive>(void*, void*, Part<T>, int*);                                          \
  template int extract_factors<T>(void*, int*, int*, const void*, T*, int*, int*, const void*, T*, int*, int*, void*, \
                                  void*);
XCUDA_FACTORS(float)
XCUDA_FACTORS(double)
XCUDA_FACTORS(std::complex<float>)
XCUDA_FACTORS(std::complex<double>)
#undef XCUDA_FACTORS
#undef XCUDA_FACTORS_IN

}  // namespace xcuda::runtime::math
