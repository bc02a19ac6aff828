#include "runtime/solver/solver_sparse_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/math/sparse_descriptions.hpp"
#include "runtime/solver/sparse_factors.hpp"

namespace xcuda::runtime::math {
namespace {

struct Given {
  const char* call;
  const void *handle, *description;
  int n, stored, columns;
  const int *starts, *places;
};
// Runs `function` with a valid matrix's pattern, in its turn in the handle's stream; `reaches` are of the device.
template <class Function>
int with_pattern(const Given& given, Conditions conditions, std::vector<Reach> reaches, Function function) {
  const auto* solver = find_solver(given.handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  const auto* known = table_of<Description>().find(given.description);
  if (known == nullptr || given.n < 0 || given.columns < 0 || given.stored < 0 || given.starts == nullptr ||
      (given.places == nullptr && given.stored > 0) || !all_hold(conditions))
    return kSolverCodes.value;
  return run_solver_step({given.call, solver->stream, Waits::yes, std::move(reaches)}, [=, base = known->base] {
    const Pattern pattern{given.n, base, given.stored, given.starts, given.places};
    return is_valid(given.call, pattern, given.columns) ? function(pattern) : kSolverCodes.value;
  });
}

template <class T> Part<T> length_of(const T* x, std::int64_t n) {
  Part<T> sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::norm(x[i]);
  return std::sqrt(sum);
}

// --- least squares --------------------------------------------------------------------------------------------------

// A dense matrix by columns, which Householder's reflections make triangular, and a right side that follows them. The
// next column is the one with most left.
template <class T> struct Reflected {
  std::int64_t m, n, rank = 0;
  std::vector<T> a, b;
  std::vector<int> order;

  T* column(std::int64_t j) { return a.data() + j * m; }

  void run(Part<T> tolerance) {
    order.resize(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t k = 0; k < std::min(m, n); ++k) {
      std::int64_t best = k;
      Part<T> most = -1;
      for (std::int64_t j = k; j < n; ++j)
        if (const auto left = length_of(column(j) + k, m - k); left > most) {
          most = left;
          best = j;
        }
      if (!(most > tolerance)) return;
      std::swap_ranges(column(k), column(k) + m, column(best));
      std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(best)]);
      reflect(k, most);
      ++rank;
    }
  }
  void reflect(std::int64_t k, Part<T> length) {
    T* const from = column(k);
    const auto size = std::abs(from[k]);
    const T diagonal = size == 0 ? T(-length) : -from[k] / size * length;
    std::vector<T> v(from + k, from + m);
    v[0] -= diagonal;
    const Part<T> square = std::pow(length_of(v.data(), m - k), Part<T>(2));
    const auto apply = [&](T* to) {
      T product{};
      for (std::int64_t i = k; i < m; ++i) product += adjoint_of(v[static_cast<std::size_t>(i - k)]) * to[i];
      for (std::int64_t i = k; i < m; ++i) to[i] -= v[static_cast<std::size_t>(i - k)] * (T(2) * product / square);
    };
    for (std::int64_t j = k + 1; j < n; ++j) apply(column(j));
    apply(b.data());
    from[k] = diagonal;
    std::fill(from + k + 1, from + m, T{});
  }
  void solve(T* x) {
    std::fill(x, x + n, T{});
    for (std::int64_t k = rank; k-- > 0;) {
      T value = b[static_cast<std::size_t>(k)];
      for (std::int64_t j = k + 1; j < rank; ++j) value -= column(j)[k] * x[order[static_cast<std::size_t>(j)]];
      x[order[static_cast<std::size_t>(k)]] = value / column(k)[k];
    }
  }
};

// --- eigenvalues ----------------------------------------------------------------------------------------------------

template <class T> SparseLines<T> shifted(const Pattern& pattern, const T* values, T shift) {
  SparseLines<T> lines;
  for (int i = 0; i < pattern.n; ++i) {
    for (int k = pattern.starts[i] - pattern.base; k < pattern.starts[i + 1] - pattern.base; ++k)
      lines.add(pattern.places[k] - pattern.base, values[k]);
    lines.add(i, -shift);
    lines.end_line();
  }
  return lines;
}

// Factors of A - start; of A minus a number beside it, where that is an eigenvalue.
template <class T> SparseFactors<T> near_factors(const Pattern& pattern, const T* values, T start) {
  const auto order = narrow(pattern);
  SparseFactors<T> factors(shifted(pattern, values, start), order, 0.1);
  const auto& pivots = factors.diagonal();
  if (std::find(pivots.begin(), pivots.end(), T{}) == pivots.end()) return factors;
  Part<T> largest = std::abs(start);
  for (int k = 0; k < pattern.stored; ++k) largest = std::max<Part<T>>(largest, std::abs(values[k]));
  const Part<T> step = std::sqrt(std::numeric_limits<Part<T>>::epsilon()) * (largest == 0 ? 1 : largest);
  return {shifted(pattern, values, start + T(step)), order, 0.1};
}

template <class T>
void step_to_eigenvalue(const Pattern& pattern, const T* values, T start, int most_steps, Part<T> tolerance, T* value,
                        T* x) {
  const auto n = static_cast<std::size_t>(pattern.n);
  const auto factors = near_factors(pattern, values, start);
  std::vector<T> next(n), product(n);
  const auto normalise = [&](T* of) {
    const auto length = length_of(of, pattern.n);
    for (std::size_t i = 0; i < n && length > 0; ++i) of[i] /= length;
  };
  normalise(x);
  for (int step = 0; step < most_steps; ++step) {
    factors.solve(x, next.data());
    normalise(next.data());
    std::copy(next.begin(), next.end(), x);
    std::fill(product.begin(), product.end(), T{});
    pattern.each([&](int i, int j, int k) { product[index_of(i)] += values[k] * x[j]; });
    *value = T{};
    for (std::size_t i = 0; i < n; ++i) *value += adjoint_of(x[i]) * product[i];
    for (std::size_t i = 0; i < n; ++i) product[i] -= *value * x[i];
    if (length_of(product.data(), pattern.n) < tolerance) return;
  }
}

template <class T>
int eigenvalues_now(const Pattern& pattern, const T* values, std::vector<std::complex<Part<T>>>& found) {
  using Complex = std::complex<Part<T>>;
  const std::int64_t n = pattern.n, leading = std::max<std::int64_t>(n, 1);
  std::vector<Complex> a(static_cast<std::size_t>(n * n));
  pattern.each([&](int i, int j, int k) { a[static_cast<std::size_t>(j * n + i)] += values[k]; });
  found.resize(static_cast<std::size_t>(n));
  std::vector<Part<T>> more(static_cast<std::size_t>(2 * n + 1));
  return with_work<Complex>([&](Complex* work, std::int64_t words) {
    auto call = lapack_of<Complex>("?geev");
    call.letter('N').letter('N').number(n).at(a.data()).number(leading).at(found.data());
    call.at(found.data()).number(1).at(found.data()).number(1);  // no vectors
    return call.at(work).number(words).at(more.data()).run_with_info();
  });
}

// --- the diagonal ---------------------------------------------------------------------------------------------------

// For each column, the row that is given to it, by paths along which rows change their columns; -1: none.
class Matching {
 public:
  explicit Matching(std::vector<std::vector<int>> columns_of)
      : columns_of_(std::move(columns_of)), row_of_(columns_of_.size(), -1), column_of_(columns_of_.size(), -1) {
    for (int row = 0; row < count(); ++row)  // its own column, where it can have that
      if (const auto& own = columns_of_[index_of(row)]; std::find(own.begin(), own.end(), row) != own.end())
        row_of_[index_of(row)] = column_of_[index_of(row)] = row;
    for (int row = 0; row < count(); ++row)
      if (column_of_[index_of(row)] < 0) place(row);
  }
  const std::vector<int>& rows() const { return row_of_; }

 private:
  int count() const { return static_cast<int>(columns_of_.size()); }
  void place(int first) {                                             // a row without a column
    std::vector<int> came_from(columns_of_.size(), -1), rows{first};  // came_from: of a column, the row that wants it
    for (std::size_t next = 0; next < rows.size(); ++next)
      for (const int column : columns_of_[index_of(rows[next])]) {
        if (came_from[index_of(column)] >= 0) continue;
        came_from[index_of(column)] = rows[next];
        const int other = row_of_[index_of(column)];
        if (other >= 0) {
          rows.push_back(other);
          continue;
        }
        for (int at = column; at >= 0;) {  // each row leaves its column to the one that wants it
          const int row = came_from[index_of(at)];
          row_of_[index_of(at)] = row;
          at = std::exchange(column_of_[index_of(row)], at);
        }
        return;
      }
  }

  std::vector<std::vector<int>> columns_of_;
  std::vector<int> row_of_, column_of_;  // each the inverse of the other
};

}  // namespace

template <class T>
int solve_least_squares(void* handle, int m, int n, int stored, const void* description, const T* values,
                        const int* starts, const int* places, const T* b, Part<T> tolerance, int* rank, T* x, int* p,
                        Part<T>* norm) {
  return with_pattern(
      {"cusolverSp csrlsqvqrHost", handle, description, m, stored, n, starts, places},
      {values != nullptr || stored == 0, b != nullptr, rank != nullptr, x != nullptr, p != nullptr, norm != nullptr},
      {}, [=](const Pattern& pattern) {
        Reflected<T> made{m, n};
        made.a.resize(static_cast<std::size_t>(made.m * made.n));
        made.b.assign(b, b + m);
        pattern.each([&](int i, int j, int k) { made.column(j)[i] += values[k]; });
        made.run(tolerance);
        made.solve(x);
        *rank = static_cast<int>(made.rank);
        std::copy(made.order.begin(), made.order.end(), p);
        *norm = length_of(made.b.data() + made.rank, made.m - made.rank);
        return 0;
      });
}

template <class T, Memory memory>
int nearest_eigenvalue(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                       const int* places, T start, const T* x0, int most_steps, Part<T> tolerance, T* value, T* x) {
  std::vector<Reach> reaches;
  if (memory == Memory::device)
    reaches = {line_of(values, stored, "the values"),
               line_of(starts, std::int64_t{n} + 1, "the rows"),
               line_of(places, stored, "the columns"),
               line_of(x0, n, "x0"),
               line_of(value, 1, "mu"),
               line_of(x, n, "x")};
  return with_pattern({"cusolverSp csreigvsi", handle, description, n, stored, n, starts, places},
                      {values != nullptr || stored == 0, x0 != nullptr, value != nullptr, x != nullptr, most_steps > 0},
                      std::move(reaches), [=](const Pattern& pattern) {
                        std::copy(x0, x0 + n, x);
                        step_to_eigenvalue(pattern, values, start, most_steps, tolerance, value, x);
                        return 0;
                      });
}

template <class T>
int count_eigenvalues(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                      const int* places, std::complex<Part<T>> low, std::complex<Part<T>> high, int* count) {
  return with_pattern({"cusolverSp csreigsHost", handle, description, n, stored, n, starts, places},
                      {values != nullptr || stored == 0, count != nullptr}, {}, [=](const Pattern& pattern) {
                        std::vector<std::complex<Part<T>>> found;
                        if (eigenvalues_now(pattern, values, found) != 0) return kSolverCodes.failed;
                        const auto is_inside = [&](std::complex<Part<T>> one) {
                          return one.real() >= low.real() && one.real() <= high.real() && one.imag() >= low.imag() &&
                                 one.imag() <= high.imag();
                        };
                        *count = static_cast<int>(std::count_if(found.begin(), found.end(), is_inside));
                        return 0;
                      });
}

template <class T>
int fill_diagonal(void* handle, int n, int stored, const void* description, const T* values, const int* starts,
                  const int* places, int* p, int* filled) {
  return with_pattern({"cusolverSp csrzfdHost", handle, description, n, stored, n, starts, places},
                      {values != nullptr || stored == 0, p != nullptr, filled != nullptr}, {},
                      [=](const Pattern& pattern) {
                        std::vector<std::vector<int>> columns_of(index_of(n));
                        std::vector<char> is_placed(index_of(n));
                        pattern.each([&](int i, int j, int k) {
                          if (values[k] != T{}) columns_of[index_of(i)].push_back(j);
                        });
                        const Matching matching(std::move(columns_of));
                        std::copy(matching.rows().begin(), matching.rows().end(), p);
                        *filled = static_cast<int>(n - std::count(p, p + n, -1));
                        for (int i = 0; i < n; ++i)
                          if (p[i] >= 0) is_placed[index_of(p[i])] = 1;
                        int next = 0;  // the others, in their order
                        for (int i = 0; i < n; ++i) {
                          if (p[i] >= 0) continue;
                          while (is_placed[index_of(next)] != 0) ++next;
                          p[i] = next++;
                        }
                        return 0;
                      });
}

#define XCUDA_SPARSE_ROWS(T)                                                                                          \
  template int solve_least_squares<T>(void*, int, int, int, const void*, const T*, const int*, const int*, const T*,  \
                                      Part<T>, int*, T*, int*, Part<T>*);                                             \
  template int nearest_eigenvalue<T, Memory::device>(void*, int, int, const void*, const T*, const int*, const int*,  \
                                                     T, const T*, int, Part<T>, T*, T*);                              \
  template int nearest_eigenvalue<T, Memory::host>(void*, int, int, const void*, const T*, const int*, const int*, T, \
                                                   const T*, int, Part<T>, T*, T*);                                   \
  template int count_eigenvalues<T>(void*, int, int, const void*, const T*, const int*, const int*,                   \
                                    std::complex<Part<T>>, std::complex<Part<T>>, int*);                              \
  template int fill_diagonal<T>(void*, int, int, const void*, const T*, const int*, const int*, int*, int*);
XCUDA_SPARSE_ROWS(float)
XCUDA_SPARSE_ROWS(double)
XCUDA_SPARSE_ROWS(std::complex<float>)
XCUDA_SPARSE_ROWS(std::complex<double>)
#undef XCUDA_SPARSE_ROWS

}  // namespace xcuda::runtime::math
