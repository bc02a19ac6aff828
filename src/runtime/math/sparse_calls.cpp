#include "runtime/math/slots.hpp"
#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {

namespace {

// y = alpha op(a) x + beta y, of a column each.
template <class T> struct Line {
  T* at;
  std::int64_t step;
};
template <class T>
void multiply_line(Op op, T alpha, const SparseMatrix& a, const Line<const T>& x, T beta, const Line<T>& y) {
  const auto rows = op == Op::none ? a.rows : a.columns;
  std::vector<T> sums(static_cast<std::size_t>(rows));
  const T* const values = static_cast<const T*>(a.values);
  each_element(a, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    if (op == Op::none)
      sums[static_cast<std::size_t>(i)] += values[k] * x.at[j * x.step];
    else
      sums[static_cast<std::size_t>(j)] += of_op(op, values[k]) * x.at[i * x.step];
  });
  for (std::int64_t i = 0; i < rows; ++i) {
    const T sum = alpha * sums[static_cast<std::size_t>(i)];
    y.at[i * y.step] = beta == T{} ? sum : sum + beta * y.at[i * y.step];
  }
}

}  // namespace

int multiply_vector_size(void* handle, Op, const void*, const SparseMatrix*, const DenseVector*, const void*,
                         DenseVector*, DataType, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int multiply_vector_prepare(void* handle, Op, const void*, const SparseMatrix*, const DenseVector*, const void*,
                            DenseVector*, DataType, int, void*) {
  return nothing_to_prepare(handle);
}
int multiply_vector(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                    const void* beta, DenseVector* y, DataType type, int, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (table_of<SparseMatrix>().find(a) == nullptr || table_of<DenseVector>().find(x) == nullptr ||
      table_of<DenseVector>().find(y) == nullptr || alpha == nullptr || beta == nullptr ||
      x->size != (op == Op::none ? a->columns : a->rows) || y->size != (op == Op::none ? a->rows : a->columns))
    return kSparseCodes.value;
  if (a->type != type || x->type != type || y->type != type) {
    say_not_supported("cusparseSpMV", "elements of several types");
    return kSparseCodes.unsupported;
  }
  auto reaches = reaches_of(*a, *x, *y);
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha), keep = sparse_scalar<T>(*sparse, beta);
    status = kSparseCodes.of(
        post({"cusparseSpMV", sparse->stream, Waits::no, reaches},
             [=, matrix = *a, from = static_cast<const T*>(x->values), to = static_cast<T*>(y->values)] {
               multiply_line<T>(op, by.value(), matrix, {from, 1}, keep.value(), {to, 1});
             }));
  });
  return status;
}

int multiply_matrix_size(void* handle, Op, Op, const void*, const SparseMatrix*, const DenseMatrix*, const void*,
                         DenseMatrix*, DataType, int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int multiply_matrix_prepare(void* handle, Op, Op, const void*, const SparseMatrix*, const DenseMatrix*, const void*,
                            DenseMatrix*, DataType, int, void*) {
  return nothing_to_prepare(handle);
}
int multiply_matrix(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                    const void* beta, DenseMatrix* c, DataType type, int, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (table_of<SparseMatrix>().find(a) == nullptr || table_of<DenseMatrix>().find(b) == nullptr ||
      table_of<DenseMatrix>().find(c) == nullptr || alpha == nullptr || beta == nullptr)
    return kSparseCodes.value;
  const auto inner = right == Op::none ? b->rows : b->columns, columns = right == Op::none ? b->columns : b->rows;
  if (inner != (op == Op::none ? a->columns : a->rows) || c->rows != (op == Op::none ? a->rows : a->columns) ||
      c->columns != columns || !a->batches.fit(c->batches) || !b->batches.fit(c->batches))
    return kSparseCodes.value;
  if (a->type != type || b->type != type || c->type != type || right == Op::adjoint) {
    say_not_supported("cusparseSpMM", "elements of several types, and the adjoint of a dense matrix");
    return kSparseCodes.unsupported;
  }
  auto reaches = reaches_of(*a, *b, *c);
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha), keep = sparse_scalar<T>(*sparse, beta);
    status = kSparseCodes.of(
        post({"cusparseSpMM", sparse->stream, Waits::no, reaches}, [=, matrix = *a, from = *b, to = *c] {
          // From a column of op(b) to the next, and within it.
          const bool along = from.by_rows == (right == Op::none);
          const std::int64_t next = along ? 1 : from.leading, step = along ? from.leading : 1;
          const std::int64_t out_next = to.by_rows ? 1 : to.leading, out_step = to.by_rows ? to.leading : 1;
          for (int i = 0; i < to.batches.count; ++i) {
            const T* const in = static_cast<const T*>(one_of(from, i).values);
            T* const out = static_cast<T*>(one_of(to, i).values);
            for (std::int64_t j = 0; j < columns; ++j)
              multiply_line<T>(op, by.value(), one_of(matrix, i), {in + j * next, step}, keep.value(),
                               {out + j * out_next, out_step});
          }
        }));
  });
  return status;
}

#define XCUDA_MATH_STATUS kSparseCodes.unsupported
const void* const kSparseSlots[] = {
#include "runtime/math/sparse_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
