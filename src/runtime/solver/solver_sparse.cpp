#include "runtime/solver/solver_sparse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "runtime/errors.hpp"
#include "runtime/math/sparse_descriptions.hpp"
#include "runtime/solver/solver_factors.hpp"
#include "runtime/solver/sparse_factors.hpp"

namespace xcuda::runtime::math {
namespace {

// What is wrong with the rows of a matrix, which end at `ends`, or with their columns. Empty: nothing.
std::string fault_in(const Pattern& rows, int columns, const int* ends) {
  for (int i = 0; i < rows.n; ++i) {
    const auto start = std::int64_t{rows.starts[i]} - rows.base, end = std::int64_t{ends[i]} - rows.base;
    if (start < 0 || end < start || end > rows.stored)
      return fmt::format("row {} of the sparse matrix is elements {} to {}, of {}", i, start, end, rows.stored);
    for (auto k = start; k < end; ++k) {
      const auto column = std::int64_t{rows.places[k]} - rows.base;
      if (column < 0 || column >= columns)
        return fmt::format("element {} of the sparse matrix is in column {}, of {}", k, column, columns);
    }
  }
  return {};
}
std::string fault_in(const Pattern& pattern) { return fault_in(pattern, pattern.n, pattern.starts + 1); }
bool is_valid(const char* call, const std::string& fault) {
  if (!fault.empty()) say(fmt::format("{}: {}", call, fault));
  return fault.empty();
}

}  // namespace

bool is_valid(const char* call, const Pattern& pattern) { return is_valid(call, fault_in(pattern)); }
bool is_valid(const char* call, const Pattern& rows, int columns) {
  return is_valid(call, fault_in(rows, columns, rows.starts + 1));
}

// Reverse Cuthill-McKee: E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices" (1969).
std::vector<int> narrow(const Pattern& pattern) {
  const auto n = static_cast<std::size_t>(pattern.n);
  std::vector<std::vector<int>> beside(n);
  pattern.each([&](int i, int j, int) {
    if (i == j) return;
    beside[static_cast<std::size_t>(i)].push_back(j);
    beside[static_cast<std::size_t>(j)].push_back(i);
  });
  for (auto& all : beside) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  const auto fewer = [&](int i, int j) {
    return beside[static_cast<std::size_t>(i)].size() < beside[static_cast<std::size_t>(j)].size();
  };
  std::vector<int> by_degree(n), order;
  std::iota(by_degree.begin(), by_degree.end(), 0);
  std::stable_sort(by_degree.begin(), by_degree.end(), fewer);
  std::vector<char> is_placed(n);
  for (const int first : by_degree) {
    if (is_placed[static_cast<std::size_t>(first)] != 0) continue;
    std::size_t next = order.size();
    order.push_back(first);
    is_placed[static_cast<std::size_t>(first)] = 1;
    for (; next < order.size(); ++next) {
      const auto begin = static_cast<std::ptrdiff_t>(order.size());
      for (const int other : beside[static_cast<std::size_t>(order[next])])
        if (is_placed[static_cast<std::size_t>(other)] == 0) {
          is_placed[static_cast<std::size_t>(other)] = 1;
          order.push_back(other);
        }
      std::stable_sort(order.begin() + begin, order.end(), fewer);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

namespace {

// A valid pattern as a band: how far below and above the diagonal its elements are.
struct Band {
  std::vector<int> order, place;
  std::int64_t below = 0, above = 0;

  explicit Band(const Pattern& pattern) : order(narrow(pattern)), place(inverse_order(order.data(), pattern.n)) {
    pattern.each([&](int i, int j, int) {
      below = std::max<std::int64_t>(below, at(i) - at(j));
      above = std::max<std::int64_t>(above, at(j) - at(i));
    });
  }
  std::int64_t at(int i) const { return place[static_cast<std::size_t>(i)]; }
};

// Solves for one right side. -1, or the first row whose pivot is at most `tolerance`.
template <class T>
int solve_general(const Pattern& pattern, const Band& band, const T* values, const T* b, double tolerance, T* x) {
  const std::int64_t n = pattern.n, leading = 2 * band.below + band.above + 1, diagonal = band.below + band.above;
  std::vector<T> all(static_cast<std::size_t>(leading * n)), right(static_cast<std::size_t>(n));
  pattern.each([&](int i, int j, int k) {
    all[static_cast<std::size_t>(band.at(j) * leading + diagonal + band.at(i) - band.at(j))] += values[k];
  });
  for (int i = 0; i < pattern.n; ++i) right[static_cast<std::size_t>(band.at(i))] = b[i];
  Pivots pivots(n);
  auto solve = lapack_of<T>("?gbsv");
  solve.number(n).number(band.below).number(band.above).number(1).at(all.data()).number(leading).at(pivots.data());
  solve.at(right.data()).number(std::max<std::int64_t>(n, 1)).run_with_info();
  for (std::int64_t j = 0; j < n; ++j)
    if (!(std::abs(all[static_cast<std::size_t>(j * leading + diagonal)]) > tolerance))
      return band.order[static_cast<std::size_t>(j)];
  for (int i = 0; i < pattern.n; ++i) x[i] = right[static_cast<std::size_t>(band.at(i))];
  return -1;
}
// By Cholesky's factors of the half at and below the diagonal.
template <class T>
int solve_positive(const Pattern& pattern, const Band& band, const T* values, const T* b, double tolerance, T* x) {
  const std::int64_t n = pattern.n, wide = std::max(band.below, band.above), leading = wide + 1;
  std::vector<T> all(static_cast<std::size_t>(leading * n)), right(static_cast<std::size_t>(n));
  pattern.each([&](int i, int j, int k) {
    if (j > i) return;
    const auto row = band.at(i), column = band.at(j);
    const auto upper = std::min(row, column), lower = std::max(row, column);
    all[static_cast<std::size_t>(upper * leading + lower - upper)] += row >= column ? values[k] : adjoint_of(values[k]);
  });
  for (int i = 0; i < pattern.n; ++i) right[static_cast<std::size_t>(band.at(i))] = b[i];
  auto solve = lapack_of<T>("?pbsv");
  solve.letter('L').number(n).number(wide).number(1).at(all.data()).number(leading).at(right.data());
  const int info = solve.number(std::max<std::int64_t>(n, 1)).run_with_info();
  if (info > 0) return band.order[static_cast<std::size_t>(info - 1)];
  for (std::int64_t j = 0; j < n; ++j)
    if (!(std::abs(all[static_cast<std::size_t>(j * leading)]) > tolerance))
      return band.order[static_cast<std::size_t>(j)];
  for (int i = 0; i < pattern.n; ++i) x[i] = right[static_cast<std::size_t>(band.at(i))];
  return -1;
}

// What works on memory of the host alone, in its turn in the handle's stream.
template <class Function>
int on_host(const char* name, const void* handle, const void* description, Conditions conditions, Function function) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  const auto* known = table_of<Description>().find(description);
  if (known == nullptr || !all_hold(conditions)) return kSolverCodes.value;
  return run_solver_step({name, solver->stream, Waits::yes, {}},
                         [=, base = known->base] { return function(name, base); });
}

}  // namespace

int is_symmetric_pattern(void* handle, int m, int stored, const void* description, const int* starts, const int* ends,
                         const int* places, int* result) {
  return on_host(
      "cusolverSpXcsrissymHost", handle, description,
      {m >= 0, stored >= 0, starts != nullptr, ends != nullptr, places != nullptr || stored == 0, result != nullptr},
      [=](const char* call, int base) {
        if (!is_valid(call, fault_in({m, base, stored, starts, places}, m, ends))) return kSolverCodes.value;
        const auto has = [=](int i, int j) {
          const int *const begin = places + starts[i] - base, *const end = places + ends[i] - base;
          return std::find(begin, end, j + base) != end;
        };
        *result = 1;
        for (int i = 0; i < m; ++i)
          for (int k = starts[i] - base; k < ends[i] - base; ++k)
            if (!has(places[k] - base, i)) *result = 0;
        return 0;
      });
}
int narrow_order(void* handle, int n, int stored, const void* description, const int* starts, const int* places,
                 int* p) {
  return on_host("cusolverSpXcsrsymrcmHost", handle, description,
                 {n >= 0, stored >= 0, starts != nullptr, places != nullptr || stored == 0, p != nullptr},
                 [=](const char* call, int base) {
                   const Pattern pattern{n, base, stored, starts, places};
                   if (!is_valid(call, pattern)) return kSolverCodes.value;
                   const auto order = narrow(pattern);
                   std::copy(order.begin(), order.end(), p);
                   return 0;
                 });
}
int narrow_order_with_options(void* handle, int n, int stored, const void* description, const int* starts,
                              const int* places, const std::int64_t*, int* p) {
  return narrow_order(handle, n, stored, description, starts, places, p);
}
int permuted_size(void* handle, int m, int n, int stored, const void*, const int*, const int*, const int*, const int*,
                  std::size_t* bytes) {
  std::size_t device = 0;
  return give_sizes(handle, {m >= 0, n >= 0, stored >= 0}, &device, bytes);
}
// Row i of the result is row p[i], its column j column q[j]; `map` follows the elements.
int permute(void* handle, int m, int n, int stored, const void* description, int* starts, int* places, const int* p,
            const int* q, int* map, void*) {
  return on_host(
      "cusolverSpXcsrpermHost", handle, description,
      {m >= 0, n >= 0, stored >= 0, starts != nullptr, places != nullptr || stored == 0, p != nullptr, q != nullptr,
       map != nullptr},
      [=](const char* call, int base) {
        const auto fault = is_order(p, m) && is_order(q, n) ? fault_in({m, base, stored, starts, places}, n, starts + 1)
                                                            : "p has to have each row once, and q each column";
        if (!is_valid(call, fault)) return kSolverCodes.value;
        const auto column = inverse_order(q, n);
        const std::vector<int> old_starts(starts, starts + m + 1), old_places(places, places + stored),
            old_map(map, map + stored);
        int next = 0;
        for (int i = 0; i < m; ++i) {
          const auto from = static_cast<std::size_t>(p[i]);
          std::vector<std::pair<int, int>> row;  // new column, old place
          for (int k = old_starts[from] - base; k < old_starts[from + 1] - base; ++k)
            row.emplace_back(column[static_cast<std::size_t>(old_places[static_cast<std::size_t>(k)] - base)], k);
          std::sort(row.begin(), row.end());
          starts[i] = next + base;
          for (const auto& [to, k] : row) {
            places[next] = to + base;
            map[next++] = old_map[static_cast<std::size_t>(k)];
          }
        }
        starts[m] = next + base;
        return 0;
      });
}

template <class T, Definite definite, Memory memory>
int solve_sparse(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                 const int* places, const T* b, Part<T> tolerance, int, T* x, int* singularity) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  const auto* known = table_of<Description>().find(description);
  if (n < 0 || stored < 0 || known == nullptr || singularity == nullptr) return kSolverCodes.value;
  std::vector<Reach> reaches;
  if (memory == Memory::device)
    reaches = {line_of(values, stored, "the values"), line_of(starts, std::int64_t{n} + 1, "the rows"),
               line_of(places, stored, "the columns"), line_of(b, n, "b"), line_of(x, n, "x")};
  constexpr const char* kName = "cusolverSp csrlsv";
  return run_solver_step({kName, solver->stream, Waits::yes, std::move(reaches)}, [=, base = known->base] {
    const Pattern pattern{n, base, stored, starts, places};
    if (!is_valid(kName, pattern)) return kSolverCodes.value;
    const Band band(pattern);
    *singularity = definite == Definite::any ? solve_general(pattern, band, values, b, tolerance, x)
                                             : solve_positive(pattern, band, values, b, tolerance, x);
    return 0;
  });
}

template <class T>
int batch_bytes(void* handle, int m, int n, int stored, const void*, const T*, const int*, const int*, int count,
                void* info, std::size_t* kept, std::size_t* work) {
  return give_sizes(handle, {m == n, count >= 0, are_analysed(info, n, stored)}, kept, work);
}
template <class T>
int solve_sparse_batch(void* handle, int m, int n, int stored, const void* description, const T* values,
                       const int* starts, const int* places, const T* b, T* x, int count, void* info, void*) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  const auto* known = table_of<Description>().find(description);
  if (m != n || count < 0 || known == nullptr || !are_analysed(info, n, stored)) return kSolverCodes.value;
  const auto all = [&](std::int64_t each) { return each * count; };
  return kSolverCodes.of(
      post({"cusolverSp csrqrsvBatched",
            solver->stream,
            Waits::no,
            {line_of(values, all(stored), "the values"), line_of(starts, std::int64_t{n} + 1, "the rows"),
             line_of(places, stored, "the columns"), line_of(b, all(n), "b"), line_of(x, all(n), "x")}},
           [=, base = known->base] {
             const Pattern pattern{n, base, stored, starts, places};
             // As on a GPU: the call has returned, so that the failure is that of the device.
             if (const auto fault = fault_in(pattern); !fault.empty()) throw Error(ErrorKind::value, fault);
             const Band band(pattern);
             for (std::int64_t i = 0; i < count; ++i)
               solve_general(pattern, band, values + i * stored, b + i * n, 0, x + i * n);
           }));
}

#define XCUDA_SOLVER_OF(T, definite, memory)                                                                           \
  template int solve_sparse<T, Definite::definite, Memory::memory>(void*, int, int, const void*, const T*, const int*, \
                                                                   const int*, const T*, Part<T>, int, T*, int*);
#define XCUDA_SPARSE_SOLVER(T)                                                                                      \
  XCUDA_SOLVER_OF(T, any, device)                                                                                   \
  XCUDA_SOLVER_OF(T, any, host)                                                                                     \
  XCUDA_SOLVER_OF(T, positive, device)                                                                              \
  XCUDA_SOLVER_OF(T, positive, host)                                                                                \
  template int batch_bytes<T>(void*, int, int, int, const void*, const T*, const int*, const int*, int, void*,      \
                              std::size_t*, std::size_t*);                                                          \
  template int solve_sparse_batch<T>(void*, int, int, int, const void*, const T*, const int*, const int*, const T*, \
                                     T*, int, void*, void*);
XCUDA_SPARSE_SOLVER(float)
XCUDA_SPARSE_SOLVER(double)
XCUDA_SPARSE_SOLVER(std::complex<float>)
XCUDA_SPARSE_SOLVER(std::complex<double>)
#undef XCUDA_SPARSE_SOLVER
#undef XCUDA_SOLVER_OF

}  // namespace xcuda::runtime::math
