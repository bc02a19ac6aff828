#include "runtime/math/sparse_descriptions.hpp"

#include <iterator>

namespace xcuda::runtime::math {
namespace {

struct StatusText {
  const char *name, *text;
};
constexpr StatusText kTexts[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};
const char* text_of_status(int status, const char* StatusText::*which) {
  return status < 0 || status >= static_cast<int>(std::size(kTexts)) ? "unrecognized error code"
                                                                     : kTexts[status].*which;
}

template <class T, class Value> int set_part(void* handle, Value T::*member, Value value) {
  auto* found = table_of<T>().find(handle);
  if (found == nullptr) return kSparseCodes.value;
  found->*member = value;
  return 0;
}
template <class Value> Value description(const void* handle, Value Description::*member) {
  const auto* found = table_of<Description>().find(handle);
  return found == nullptr ? Value{} : found->*member;
}

}  // namespace

int create_sparse(void** handle) { return create_part<Sparse>(handle); }
int destroy_sparse(void* handle) { return table_of<Sparse>().remove(handle) ? 0 : kSparseCodes.uninitialized; }
int set_sparse_stream(void* handle, cudaStream_t stream) { return set_part<Sparse>(handle, &Sparse::stream, stream); }
int get_sparse_stream(void* handle, cudaStream_t* stream) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr || stream == nullptr) return kSparseCodes.uninitialized;
  *stream = sparse->stream;
  return 0;
}
int set_sparse_pointers(void* handle, PointerMode mode) { return set_part<Sparse>(handle, &Sparse::pointers, mode); }
int get_sparse_pointers(void* handle, PointerMode* mode) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr || mode == nullptr) return kSparseCodes.uninitialized;
  *mode = sparse->pointers;
  return 0;
}
int sparse_version(void* handle, int* version) {
  if (find_sparse(handle) == nullptr) return kSparseCodes.uninitialized;
  if (version == nullptr) return kSparseCodes.value;
  *version = 12603;
  return 0;
}
int sparse_property(int which, int* value) {
  constexpr int kNumbers[] = {12, 6, 3};
  if (value == nullptr || which < 0 || which > 2) return kSparseCodes.value;
  *value = kNumbers[which];
  return 0;
}
const char* sparse_status_name(int status) { return text_of_status(status, &StatusText::name); }
const char* sparse_status_text(int status) { return text_of_status(status, &StatusText::text); }

int create_description(void** handle) { return create_part<Description>(handle); }
int destroy_description(void* handle) { return destroy_part<Description>(handle); }
int set_description_type(void* handle, int type) { return set_part<Description>(handle, &Description::type, type); }
int get_description_type(const void* handle) { return description(handle, &Description::type); }
int set_description_base(void* handle, int base) { return set_part<Description>(handle, &Description::base, base); }
int get_description_base(const void* handle) { return description(handle, &Description::base); }
int set_description_half(void* handle, int half) { return set_part<Description>(handle, &Description::half, half); }
int get_description_half(const void* handle) { return description(handle, &Description::half); }
int set_description_diagonal(void* handle, int diagonal) {
  return set_part<Description>(handle, &Description::diagonal, diagonal);
}
int get_description_diagonal(const void* handle) { return description(handle, &Description::diagonal); }

int create_csr(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, void* offsets,
               void* places, void* values, int offset_type, int place_type, int base, DataType type) {
  if (matrix == nullptr || rows < 0 || columns < 0 || stored < 0 || base < 0 || base > 1) return kSparseCodes.value;
  if (index_bytes(offset_type) == 0 || index_bytes(place_type) == 0 || element_bytes(type) == 0) {
    say_not_supported("cusparseCreateCsr", "elements or indices of these types");
    return kSparseCodes.unsupported;
  }
  auto* made = table_of<SparseMatrix>().make();
  *made = {.rows = rows,
           .columns = columns,
           .stored = stored,
           .row_starts = offsets,
           .places = places,
           .values = values,
           .start_bytes = index_bytes(offset_type),
           .place_bytes = index_bytes(place_type),
           .base = base,
           .type = type};
  *matrix = made;
  return 0;
}
int create_coo(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, void* row_places,
               void* places, void* values, int place_type, int base, DataType type) {
  const int status =
      create_csr(matrix, rows, columns, stored, row_places, places, values, place_type, place_type, base, type);
  if (status == 0) (*matrix)->form = Form::coo;
  return status;
}
int destroy_sparse_matrix(SparseMatrix* matrix) { return destroy_part<SparseMatrix>(matrix); }
int set_sparse_attribute(SparseMatrix* matrix, int attribute, const void* value, std::size_t bytes) {
  auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || value == nullptr || bytes != sizeof(int) || attribute < 0 || attribute > 1)
    return kSparseCodes.value;
  const int given = *static_cast<const int*>(value);
  if (attribute == 0)
    found->half = static_cast<Half>(given);
  else
    found->diagonal = static_cast<Diagonal>(given);
  return 0;
}
int get_sparse_size(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* stored) {
  const auto* found = table_of<SparseMatrix>().find(matrix);
  if (found == nullptr || rows == nullptr || columns == nullptr || stored == nullptr) return kSparseCodes.value;
  *rows = found->rows;
  *columns = found->columns;
  *stored = found->stored;
  return 0;
}
int create_dense_vector(DenseVector** vector, std::int64_t size, void* values, DataType type) {
  if (vector == nullptr || size < 0) return kSparseCodes.value;
  *vector = table_of<DenseVector>().make();
  **vector = {size, values, type};
  return 0;
}
int destroy_dense_vector(DenseVector* vector) { return destroy_part<DenseVector>(vector); }
int set_dense_vector(DenseVector* vector, void* values) {
  return set_part<DenseVector>(vector, &DenseVector::values, values);
}
int create_dense_matrix(DenseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                        void* values, DataType type, int order) {
  constexpr int kColumns = 1, kRows = 2;  // cusparseOrder_t
  if (matrix == nullptr || rows < 0 || columns < 0 || (order != kColumns && order != kRows) ||
      leading < (order == kRows ? columns : rows))
    return kSparseCodes.value;
  *matrix = table_of<DenseMatrix>().make();
  **matrix = {rows, columns, leading, values, type, order == kRows};
  return 0;
}
int destroy_dense_matrix(DenseMatrix* matrix) { return destroy_part<DenseMatrix>(matrix); }

}  // namespace xcuda::runtime::math
