// Triangular systems, and the incomplete factors that go before them.
#include <cmath>

#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {
namespace {

struct System {};
struct Systems {};  // of several right sides
struct Factors {
  int zero = -1;  // the place of a pivot that is 0, as the last factors had it
};

constexpr int kZeroPivot = 9;  // CUSPARSE_STATUS_ZERO_PIVOT

}  // namespace

int create_system(void** system) { return create_part<System>(system); }
int destroy_system(void* system) { return destroy_part<System>(system); }
int solve_system_size(void* handle, Op, const void*, const SparseMatrix*, const DenseVector*, DenseVector*, DataType,
                      int, void*, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int solve_system_prepare(void* handle, Op, const void*, const SparseMatrix*, const DenseVector*, DenseVector*, DataType,
                         int, void*, void*) {
  return nothing_to_prepare(handle);
}

namespace {

// Elements of the other half are left out. Rows from the side where one unknown is alone.
template <class T> void solve_line(Op op, T alpha, const SparseMatrix& a, const T* x, T* y) {
  const bool lower = (a.half == Half::lower) == (op == Op::none);
  const T* const values = static_cast<const T*>(a.values);
  std::vector<T> right(static_cast<std::size_t>(a.rows));
  for (std::int64_t i = 0; i < a.rows; ++i) right[static_cast<std::size_t>(i)] = alpha * x[i];
  for (std::int64_t n = 0; n < a.rows; ++n) {
    const std::int64_t i = lower ? n : a.rows - 1 - n;
    const auto end = index_at(a.row_starts, a.start_bytes, i + 1) - a.base;
    T pivot(a.diagonal == Diagonal::any ? 0 : 1);  // 0: where the diagonal has no element
    T sum = right[static_cast<std::size_t>(i)];
    for (auto k = index_at(a.row_starts, a.start_bytes, i) - a.base; k < end; ++k) {
      const auto j = index_at(a.places, a.place_bytes, k) - a.base;
      if (j == i && a.diagonal == Diagonal::any) pivot = of_op(op, values[k]);
      if (op == Op::none && (a.half == Half::lower ? j < i : j > i)) sum -= values[k] * y[j];
    }
    y[i] = sum / pivot;
    if (op == Op::none) continue;
    for (auto k = index_at(a.row_starts, a.start_bytes, i) - a.base; k < end; ++k) {
      const auto j = index_at(a.places, a.place_bytes, k) - a.base;
      if (a.half == Half::lower ? j < i : j > i) right[static_cast<std::size_t>(j)] -= of_op(op, values[k]) * y[i];
    }
  }
}

}  // namespace

int solve_system(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x, DenseVector* y,
                 DataType type, int, void* system) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (table_of<System>().find(system) == nullptr || table_of<SparseMatrix>().find(a) == nullptr ||
      table_of<DenseVector>().find(x) == nullptr || table_of<DenseVector>().find(y) == nullptr || alpha == nullptr ||
      a->rows != a->columns || x->size != a->rows || y->size != a->rows)
    return kSparseCodes.value;
  if (a->type != type || x->type != type || y->type != type || !is_number(type)) {
    say_not_supported("cusparseSpSV_solve", "elements of several types");
    return kSparseCodes.unsupported;
  }
  auto reaches = reaches_of(*a, *x, *y);
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha);
    status = kSparseCodes.of(
        post({"cusparseSpSV_solve", sparse->stream, Waits::no, reaches},
             [=, matrix = *a, from = static_cast<const T*>(x->values), to = static_cast<T*>(y->values)] {
               solve_line<T>(op, by.value(), Csr<T>(matrix).matrix(), from, to);
             }));
  });
  return status;
}

int create_systems(void** systems) { return create_part<Systems>(systems); }
int destroy_systems(void* systems) { return destroy_part<Systems>(systems); }
int solve_systems_size(void* handle, Op, Op, const void*, const SparseMatrix*, const DenseMatrix*, DenseMatrix*,
                       DataType, int, void*, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int solve_systems_prepare(void* handle, Op, Op, const void*, const SparseMatrix*, const DenseMatrix*, DenseMatrix*,
                          DataType, int, void*, void*) {
  return nothing_to_prepare(handle);
}
int solve_systems(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                  DenseMatrix* c, DataType type, int, void* systems) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (table_of<Systems>().find(systems) == nullptr || table_of<SparseMatrix>().find(a) == nullptr ||
      table_of<DenseMatrix>().find(b) == nullptr || table_of<DenseMatrix>().find(c) == nullptr || alpha == nullptr)
    return kSparseCodes.value;
  if (a->rows != a->columns || c->rows != a->rows || (right == Op::none ? b->rows : b->columns) != c->rows ||
      (right == Op::none ? b->columns : b->rows) != c->columns)
    return kSparseCodes.value;
  if (a->type != type || b->type != type || c->type != type || !is_number(type)) {
    say_not_supported("cusparseSpSM_solve", "elements of several types");
    return kSparseCodes.unsupported;
  }
  auto reaches = reaches_of(*a, *b, *c);
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha);
    status = kSparseCodes.of(
        post({"cusparseSpSM_solve", sparse->stream, Waits::no, reaches}, [=, matrix = *a, from = *b, to = *c] {
          const Csr<T> by_rows(matrix);
          const auto rows = static_cast<std::size_t>(to.rows);
          std::vector<T> x(rows), y(rows);
          for (std::int64_t j = 0; j < to.columns; ++j) {
            for (std::int64_t i = 0; i < to.rows; ++i)
              x[static_cast<std::size_t>(i)] = of_op(
                  right,
                  static_cast<const T*>(from.values)[right == Op::none ? place_in(from, i, j) : place_in(from, j, i)]);
            solve_line<T>(op, by.value(), by_rows.matrix(), x.data(), y.data());
            for (std::int64_t i = 0; i < to.rows; ++i)
              static_cast<T*>(to.values)[place_in(to, i, j)] = y[static_cast<std::size_t>(i)];
          }
        }));
  });
  return status;
}

int create_factors(void** factors) { return create_part<Factors>(factors); }
int destroy_factors(void* factors) { return destroy_part<Factors>(factors); }
int zero_pivot(void* handle, void* factors, int* place) {
  const auto* sparse = find_sparse(handle);
  const auto* found = table_of<Factors>().find(factors);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (found == nullptr || place == nullptr) return kSparseCodes.value;
  if (post({"cusparseXcsrilu02_zeroPivot", sparse->stream, Waits::yes, {}}, [=] { *place = found->zero; }) !=
      Outcome::done)
    return kSparseCodes.failed;
  return *place < 0 ? 0 : kZeroPivot;
}
template <class T>
int incomplete_lu_size(void* handle, int, int, const void*, T*, const int*, const int*, void*, int* bytes) {
  if (find_sparse(handle) == nullptr) return kSparseCodes.uninitialized;
  if (bytes == nullptr) return kSparseCodes.value;
  *bytes = 0;
  return 0;
}
template <class T>
int incomplete_lu_prepare(void* handle, int, int, const void*, const T*, const int*, const int*, void*, int, void*) {
  return nothing_to_prepare(handle);
}

namespace {

template <class T> struct Incomplete {
  int n, stored;
  const void* description;
  T* values;
  const int *offsets, *places;
  const void* factors;
};

// factor(base) gives the first row without a pivot, counted as the matrix counts, or -1. The program may have destroyed
// the factors in the meantime.
template <class T, class Factor>
int post_factors(const char* name, void* handle, const Incomplete<T>& of, Factor factor) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  const auto* description = table_of<Description>().find(of.description);
  if (of.n < 0 || of.stored < 0 || table_of<Factors>().find(of.factors) == nullptr || description == nullptr)
    return kSparseCodes.value;
  const auto bytes = [](std::int64_t count, std::size_t element) {
    return static_cast<std::uint64_t>(count) * element;
  };
  return kSparseCodes.of(post({name,
                               sparse->stream,
                               Waits::no,
                               {{of.values, bytes(of.stored, sizeof(T)), "the values"},
                                {of.offsets, bytes(std::int64_t{of.n} + 1, sizeof(int)), "the rows"},
                                {of.places, bytes(of.stored, sizeof(int)), "the columns"}}},
                              [=, base = description->base, factors = of.factors] {
                                const int zero = factor(base);
                                if (auto* const found = table_of<Factors>().find(factors)) found->zero = zero;
                              }));
}

}  // namespace

// Without new elements: Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm 10.4.
template <class T>
int incomplete_lu(void* handle, int n, int stored, const void* description_handle, T* values, const int* offsets,
                  const int* places, void* factors, int, void*) {
  return post_factors("cusparse csrilu02", handle,
                      Incomplete<T>{n, stored, description_handle, values, offsets, places, factors}, [=](int base) {
                        int zero = -1;
                        std::vector<int> where(static_cast<std::size_t>(n), -1),
                            diagonal(static_cast<std::size_t>(n), -1);
                        for (int i = 0; i < n; ++i) {
                          const int begin = offsets[i] - base, end = offsets[i + 1] - base;
                          for (int k = begin; k < end; ++k) {
                            where[static_cast<std::size_t>(places[k] - base)] = k;
                            if (places[k] - base == i) diagonal[static_cast<std::size_t>(i)] = k;
                          }
                          for (int k = begin; k < end && places[k] - base < i; ++k) {
                            const int row = places[k] - base, at = diagonal[static_cast<std::size_t>(row)];
                            if (at < 0) continue;
                            values[k] /= values[at];
                            for (int l = at + 1; l < offsets[row + 1] - base; ++l)
                              if (const int to = where[static_cast<std::size_t>(places[l] - base)]; to >= 0)
                                values[to] -= values[k] * values[l];
                          }
                          const int at = diagonal[static_cast<std::size_t>(i)];
                          if (zero < 0 && (at < 0 || values[at] == T{})) zero = i + base;
                          for (int k = begin; k < end; ++k) where[static_cast<std::size_t>(places[k] - base)] = -1;
                        }
                        return zero;
                      });
}

// The lower half, without new elements: what Cholesky's factor would have in the places that there are.
template <class T>
int incomplete_cholesky(void* handle, int n, int stored, const void* description_handle, T* values, const int* offsets,
                        const int* places, void* factors, int, void*) {
  return post_factors("cusparse csric02", handle,
                      Incomplete<T>{n, stored, description_handle, values, offsets, places, factors}, [=](int base) {
                        int zero = -1;
                        std::vector<int> diagonal(static_cast<std::size_t>(n), -1);
                        std::vector<T> row(static_cast<std::size_t>(n));  // of the factor, so far
                        for (int i = 0; i < n; ++i) {
                          const int begin = offsets[i] - base, end = offsets[i + 1] - base;
                          for (int k = begin; k < end && places[k] - base < i; ++k) {
                            const int j = places[k] - base, at = diagonal[static_cast<std::size_t>(j)];
                            T sum = values[k];
                            for (int l = offsets[j] - base; l < at; ++l)
                              sum -= row[static_cast<std::size_t>(places[l] - base)] * of_op(Op::adjoint, values[l]);
                            if (at >= 0) values[k] = sum / values[at];
                            row[static_cast<std::size_t>(j)] = values[k];
                          }
                          int own = -1;
                          for (int k = begin; k < end; ++k)
                            if (places[k] - base == i) own = k;
                          if (own >= 0) {
                            auto rest = std::real(values[own]);
                            for (int k = begin; k < own; ++k) rest -= std::norm(values[k]);
                            values[own] = rest > 0 ? T(std::sqrt(rest)) : T{};
                            diagonal[static_cast<std::size_t>(i)] = own;
                          }
                          if (zero < 0 && (own < 0 || values[own] == T{})) zero = i + base;
                          for (int k = begin; k < end; ++k) row[static_cast<std::size_t>(places[k] - base)] = T{};
                        }
                        return zero;
                      });
}

#define XCUDA_FACTORS(T)                                                                                            \
  template int incomplete_lu_size<T>(void*, int, int, const void*, T*, const int*, const int*, void*, int*);        \
  template int incomplete_lu_prepare<T>(void*, int, int, const void*, const T*, const int*, const int*, void*, int, \
                                        void*);                                                                     \
  template int incomplete_lu<T>(void*, int, int, const void*, T*, const int*, const int*, void*, int, void*);       \
  template int incomplete_cholesky<T>(void*, int, int, const void*, T*, const int*, const int*, void*, int, void*);
XCUDA_FACTORS(float)
XCUDA_FACTORS(double)
XCUDA_FACTORS(std::complex<float>)
XCUDA_FACTORS(std::complex<double>)
#undef XCUDA_FACTORS

}  // namespace xcuda::runtime::math
