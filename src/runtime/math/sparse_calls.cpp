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

// The same of elements of several types, which the widest numbers hold.
struct MixedLine {
  const void* at;
  DataType type;
  std::int64_t first, step;
  std::int64_t place(std::int64_t i) const { return first + i * step; }
};
void multiply_mixed(Op op, std::complex<double> alpha, const SparseMatrix& a, const MixedLine& x,
                    std::complex<double> beta, const MixedLine& y) {
  const auto rows = op == Op::none ? a.rows : a.columns;
  std::vector<std::complex<double>> sums(static_cast<std::size_t>(rows));
  each_element(a, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto value = load(a.type, a.values, k);
    if (op == Op::none)
      sums[static_cast<std::size_t>(i)] += value * load(x.type, x.at, x.place(j));
    else
      sums[static_cast<std::size_t>(j)] += of_op(op, value) * load(x.type, x.at, x.place(i));
  });
  for (std::int64_t i = 0; i < rows; ++i) {
    auto sum = alpha * sums[static_cast<std::size_t>(i)];
    if (beta != 0.0) sum += beta * load(y.type, y.at, y.place(i));
    store(y.type, const_cast<void*>(y.at), y.place(i), sum);
  }
}
// A scalar of the type in which products are added up.
class MixedFactor {
 public:
  MixedFactor(const Sparse& sparse, DataType type, const void* at)
      : type_(type), at_(sparse.pointers == PointerMode::device ? at : nullptr) {
    if (at_ == nullptr) value_ = load(type, at);
  }
  std::complex<double> value() const { return at_ == nullptr ? value_ : load(type_, at_); }

 private:
  DataType type_;
  const void* at_;
  std::complex<double> value_;
};
// Whether products of these types can be added up in `sums`.
bool are_mixed(DataType sums, DataType a, DataType x, DataType y) {
  const bool adds = is_number(sums) || sums == DataType::int32;
  return adds && element_bytes(a) != 0 && element_bytes(x) != 0 && element_bytes(y) != 0 &&
         (is_complex(sums) || !(is_complex(a) || is_complex(x) || is_complex(y)));
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
  if (!are_mixed(type, a->type, x->type, y->type)) {
    say_not_supported("cusparseSpMV", "elements of these types");
    return kSparseCodes.unsupported;
  }
  auto reaches = reaches_of(*a, *x, *y);
  if (a->type != type || x->type != type || y->type != type || !is_number(type)) {
    const MixedFactor by(*sparse, type, alpha), keep(*sparse, type, beta);
    return kSparseCodes.of(post({"cusparseSpMV", sparse->stream, Waits::no, reaches}, [=, matrix = *a, from = *x,
                                                                                       to = *y] {
      multiply_mixed(op, by.value(), matrix, {from.values, from.type, 0, 1}, keep.value(), {to.values, to.type, 0, 1});
    }));
  }
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
  if (!are_mixed(type, a->type, b->type, c->type) || right == Op::adjoint) {
    say_not_supported("cusparseSpMM", "elements of these types, or the adjoint of a dense matrix");
    return kSparseCodes.unsupported;
  }
  auto reaches = reaches_of(*a, *b, *c);
  // From a column of op(b) to the next, and within it.
  const bool along = b->by_rows == (right == Op::none);
  const std::int64_t next = along ? 1 : b->leading, step = along ? b->leading : 1;
  const std::int64_t out_next = c->by_rows ? 1 : c->leading, out_step = c->by_rows ? c->leading : 1;
  if (a->type != type || b->type != type || c->type != type || !is_number(type)) {
    const MixedFactor by(*sparse, type, alpha), keep(*sparse, type, beta);
    return kSparseCodes.of(
        post({"cusparseSpMM", sparse->stream, Waits::no, reaches}, [=, matrix = *a, from = *b, to = *c] {
          for (int i = 0; i < to.batches.count; ++i)
            for (std::int64_t j = 0; j < columns; ++j)
              multiply_mixed(op, by.value(), one_of(matrix, i), {one_of(from, i).values, from.type, j * next, step},
                             keep.value(), {one_of(to, i).values, to.type, j * out_next, out_step});
        }));
  }
  int status = 0;
  as_number(type, [&]<class T>(T) {
    const auto by = sparse_scalar<T>(*sparse, alpha), keep = sparse_scalar<T>(*sparse, beta);
    status = kSparseCodes.of(
        post({"cusparseSpMM", sparse->stream, Waits::no, reaches}, [=, matrix = *a, from = *b, to = *c] {
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
