// Batches of matrices at equal distances, and what programs ask of descriptions.
#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {
namespace {

template <class T> void give(T* to, T value) {
  if (to != nullptr) *to = value;
}

int set_batch(SparseMatrix* matrix, Form form, int count, std::int64_t starts, std::int64_t places) {
  auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || found->form != form || count < 1 || starts < 0 || places < 0) return kSparseCodes.value;
  found->batches = {count, places};
  found->start_stride = starts;
  return 0;
}

}  // namespace

int set_csr_batch(SparseMatrix* matrix, int count, std::int64_t starts, std::int64_t places) {
  return set_batch(matrix, Form::csr, count, starts, places);
}
int set_coo_batch(SparseMatrix* matrix, int count, std::int64_t stride) {
  return set_batch(matrix, Form::coo, count, stride, stride);
}
int get_sparse_batch(const SparseMatrix* matrix, int* count) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || count == nullptr) return kSparseCodes.value;
  *count = found->batches.count;
  return 0;
}
int set_dense_batch(DenseMatrix* matrix, int count, std::int64_t stride) {
  auto* found = table_of<DenseMatrix>().find(matrix);
  if (found == nullptr || count < 1 || stride < 0) return kSparseCodes.value;
  found->batches = {count, stride};
  return 0;
}
int get_dense_batch(const DenseMatrix* matrix, int* count, std::int64_t* stride) {
  const auto* found = table_of<DenseMatrix>().find(matrix);
  if (found == nullptr || count == nullptr || stride == nullptr) return kSparseCodes.value;
  *count = found->batches.count;
  *stride = found->batches.stride;
  return 0;
}

namespace {

void give_elements(const SparseMatrix& matrix, const void** places, const void** values, int* place_type, int* base,
                   DataType* type) {
  give(places, matrix.places);
  give(values, static_cast<const void*>(matrix.values));
  give(place_type, index_type(matrix.place_bytes));
  give(base, static_cast<int>(matrix.base));
  give(type, matrix.type);
}

}  // namespace

template <Form form>
int get_lines(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* stored,
              const void** starts, const void** places, const void** values, int* start_type, int* place_type,
              int* base, DataType* type) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || found->form != form) return kSparseCodes.value;
  give(rows, found->rows);
  give(columns, found->columns);
  give(stored, found->stored);
  give(starts, found->row_starts);
  give(start_type, index_type(found->start_bytes));
  give_elements(*found, places, values, place_type, base, type);
  return 0;
}
template int get_lines<Form::csr>(const SparseMatrix*, std::int64_t*, std::int64_t*, std::int64_t*, const void**,
                                  const void**, const void**, int*, int*, int*, DataType*);
template int get_lines<Form::csc>(const SparseMatrix*, std::int64_t*, std::int64_t*, std::int64_t*, const void**,
                                  const void**, const void**, int*, int*, int*, DataType*);
int get_blocked_ell(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* block,
                    std::int64_t* width, const void** places, const void** values, int* place_type, int* base,
                    DataType* type) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || found->form != Form::blocked_ell) return kSparseCodes.value;
  give(rows, found->rows);
  give(columns, found->columns);
  give(block, found->height);
  give(width, found->width);
  give_elements(*found, places, values, place_type, base, type);
  return 0;
}
int get_coo(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* stored,
            const void** row_places, const void** places, const void** values, int* place_type, int* base,
            DataType* type) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || found->form != Form::coo) return kSparseCodes.value;
  give(rows, found->rows);
  give(columns, found->columns);
  give(stored, found->stored);
  give(row_places, found->row_starts);
  give_elements(*found, places, values, place_type, base, type);
  return 0;
}
int get_sparse_format(const SparseMatrix* matrix, int* format) {
  constexpr int kFormats[] = {1, 3, 2, 6, 5, 7};  // cusparseFormat_t, in the order of Form
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || format == nullptr) return kSparseCodes.value;
  *format = kFormats[static_cast<int>(found->form)];
  return 0;
}
int get_sparse_base(const SparseMatrix* matrix, int* base) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || base == nullptr) return kSparseCodes.value;
  *base = static_cast<int>(found->base);
  return 0;
}
int get_sparse_attribute(const SparseMatrix* matrix, int attribute, void* value, std::size_t bytes) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || value == nullptr || bytes != sizeof(int) || attribute < 0 || attribute > 1)
    return kSparseCodes.value;
  *static_cast<int*>(value) = attribute == 0 ? static_cast<int>(found->half) : static_cast<int>(found->diagonal);
  return 0;
}
int get_dense_vector(const DenseVector* vector, std::int64_t* size, void** values, DataType* type) {
  const auto* found = table_of<DenseVector>().find(vector);
  if (found == nullptr) return kSparseCodes.value;
  give(size, found->size);
  give(values, found->values);
  give(type, found->type);
  return 0;
}
int get_dense_vector_values(const DenseVector* vector, void** values) {
  return get_dense_vector(vector, nullptr, values, nullptr);
}
int get_dense_matrix(const DenseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* leading,
                     void** values, DataType* type, int* order) {
  const auto* found = table_of<DenseMatrix>().find(matrix);
  if (found == nullptr) return kSparseCodes.value;
  give(rows, found->rows);
  give(columns, found->columns);
  give(leading, found->leading);
  give(values, found->values);
  give(type, found->type);
  give(order, found->by_rows ? 2 : 1);  // cusparseOrder_t
  return 0;
}
int get_dense_matrix_values(const DenseMatrix* matrix, void** values) {
  return get_dense_matrix(matrix, nullptr, nullptr, nullptr, values, nullptr, nullptr);
}
int set_dense_matrix_values(DenseMatrix* matrix, void* values) {
  auto* found = table_of<DenseMatrix>().find(matrix);
  if (found == nullptr) return kSparseCodes.value;
  found->values = values;
  return 0;
}

}  // namespace xcuda::runtime::math
