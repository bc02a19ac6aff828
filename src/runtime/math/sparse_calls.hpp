// What programs use of cuSPARSE: sparse matrices of each form and sparse vectors by dense ones and by each other, their
// orders and conversions, triangular systems, and the incomplete factors that go before them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/math/blas.hpp"
#include "runtime/math/typed_elements.hpp"

namespace xcuda::runtime::math {

struct SparseMatrix;
struct SparseVector;
struct DenseVector;
struct DenseMatrix;

int create_sparse(void** handle);
int destroy_sparse(void* handle);
int set_sparse_stream(void* handle, cudaStream_t stream);
int get_sparse_stream(void* handle, cudaStream_t* stream);
int set_sparse_pointers(void* handle, PointerMode mode);
int get_sparse_pointers(void* handle, PointerMode* mode);
int sparse_version(void* handle, int* version);
int sparse_property(int which, int* value);
const char* sparse_status_name(int status);
const char* sparse_status_text(int status);

int create_description(void** description);
int destroy_description(void* description);
int set_description_type(void* description, int type);
int get_description_type(const void* description);
int set_description_base(void* description, int base);
int get_description_base(const void* description);
int set_description_half(void* description, int half);
int get_description_half(const void* description);
int set_description_diagonal(void* description, int diagonal);
int get_description_diagonal(const void* description);

int create_csr(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, void* offsets,
               void* places, void* values, int offset_type, int place_type, int base, DataType type);
int create_coo(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, void* row_places,
               void* places, void* values, int place_type, int base, DataType type);
int create_csc(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, void* offsets,
               void* places, void* values, int offset_type, int place_type, int base, DataType type);
int create_bsr(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, std::int64_t height,
               std::int64_t width, void* offsets, void* places, void* values, int offset_type, int place_type, int base,
               DataType type, int order);
int create_blocked_ell(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t block,
                       std::int64_t width, void* places, void* values, int place_type, int base, DataType type);
int create_sliced_ell(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored,
                      std::int64_t value_count, std::int64_t height, void* offsets, void* places, void* values,
                      int offset_type, int place_type, int base, DataType type);
int destroy_sparse_matrix(SparseMatrix* matrix);
int set_sparse_attribute(SparseMatrix* matrix, int attribute, const void* value, std::size_t bytes);
int get_sparse_size(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* stored);
int create_dense_vector(DenseVector** vector, std::int64_t size, void* values, DataType type);
int destroy_dense_vector(DenseVector* vector);
int set_dense_vector(DenseVector* vector, void* values);
int create_dense_matrix(DenseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                        void* values, DataType type, int order);
int destroy_dense_matrix(DenseMatrix* matrix);

int set_csr_batch(SparseMatrix* matrix, int count, std::int64_t starts, std::int64_t places);
int set_coo_batch(SparseMatrix* matrix, int count, std::int64_t stride);
int get_sparse_batch(const SparseMatrix* matrix, int* count);
int set_dense_batch(DenseMatrix* matrix, int count, std::int64_t stride);
int get_dense_batch(const DenseMatrix* matrix, int* count, std::int64_t* stride);
enum class Form : std::uint8_t { csr, coo, csc, bsr, blocked_ell, sliced_ell };
template <Form form>  // CSR or CSC
int get_lines(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* stored,
              const void** starts, const void** places, const void** values, int* start_type, int* place_type,
              int* base, DataType* type);
int get_blocked_ell(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* block,
                    std::int64_t* width, const void** places, const void** values, int* place_type, int* base,
                    DataType* type);
int get_coo(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* stored,
            const void** row_places, const void** places, const void** values, int* place_type, int* base,
            DataType* type);
int get_sparse_format(const SparseMatrix* matrix, int* format);
int get_sparse_base(const SparseMatrix* matrix, int* base);
int get_sparse_attribute(const SparseMatrix* matrix, int attribute, void* value, std::size_t bytes);
int get_dense_vector(const DenseVector* vector, std::int64_t* size, void** values, DataType* type);
int get_dense_vector_values(const DenseVector* vector, void** values);
int get_dense_matrix(const DenseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, std::int64_t* leading,
                     void** values, DataType* type, int* order);
int get_dense_matrix_values(const DenseMatrix* matrix, void** values);
int set_dense_matrix_values(DenseMatrix* matrix, void* values);

int identity_permutation(void* handle, int n, int* p);
int sort_size(void* handle, int m, int n, int stored, const int* first, const int* second, std::size_t* bytes);
int sort_by_row(void* handle, int m, int n, int stored, int* rows, int* columns, int* p, void* buffer);
int sort_by_column(void* handle, int m, int n, int stored, int* rows, int* columns, int* p, void* buffer);
int sort_rows(void* handle, int m, int n, int stored, const void* description, const int* starts, int* places, int* p,
              void* buffer);
int sort_columns(void* handle, int m, int n, int stored, const void* description, const int* starts, int* places,
                 int* p, void* buffer);
int rows_to_starts(void* handle, const int* rows, int stored, int count, int* starts, int base);
int starts_to_rows(void* handle, const int* starts, int stored, int count, int* rows, int base);
int turned_size(void* handle, int m, int n, int stored, const void* values, const int* starts, const int* places,
                void* to_values, int* to_starts, int* to_places, DataType type, int with_values, int base,
                int algorithm, std::size_t* bytes);
int turned(void* handle, int m, int n, int stored, const void* values, const int* starts, const int* places,
           void* to_values, int* to_starts, int* to_places, DataType type, int with_values, int base, int algorithm,
           void* buffer);

template <class T>
int tridiagonal_size(void* handle, int m, int n, const T* below, const T* diagonal, const T* above, const T* b,
                     int leading, std::size_t* bytes);
template <class T>
int tridiagonal(void* handle, int m, int n, const T* below, const T* diagonal, const T* above, T* b, int leading,
                void* buffer);
template <class T>
int tridiagonal_as_it_is(void* handle, int m, int n, const T* below, const T* diagonal, const T* above, T* b,
                         int leading, void* buffer);
template <class T>
int tridiagonal_batch_size(void* handle, int m, const T* below, const T* diagonal, const T* above, const T* x,
                           int count, int stride, std::size_t* bytes);
template <class T>
int tridiagonal_batch(void* handle, int m, const T* below, const T* diagonal, const T* above, T* x, int count,
                      int stride, void* buffer);

int multiply_vector_size(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                         const void* beta, DenseVector* y, DataType type, int algorithm, std::size_t* bytes);
int multiply_vector_prepare(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                            const void* beta, DenseVector* y, DataType type, int algorithm, void* buffer);
int multiply_vector(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                    const void* beta, DenseVector* y, DataType type, int algorithm, void* buffer);
int multiply_matrix_size(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                         const void* beta, DenseMatrix* c, DataType type, int algorithm, std::size_t* bytes);
int multiply_matrix_prepare(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a,
                            const DenseMatrix* b, const void* beta, DenseMatrix* c, DataType type, int algorithm,
                            void* buffer);
int multiply_matrix(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                    const void* beta, DenseMatrix* c, DataType type, int algorithm, void* buffer);

int create_sparse_vector(SparseVector** vector, std::int64_t size, std::int64_t stored, void* places, void* values,
                         int place_type, int base, DataType type);
int destroy_sparse_vector(SparseVector* vector);
int set_sparse_vector(SparseVector* vector, void* values);
int get_sparse_vector(const SparseVector* vector, void** values);
int add_sparse_vector(void* handle, const void* alpha, const SparseVector* x, const void* beta, DenseVector* y);
int rotate_sparse_vector(void* handle, const void* c, const void* s, SparseVector* x, DenseVector* y);
int gather(void* handle, const DenseVector* y, SparseVector* x);
int scatter(void* handle, const SparseVector* x, DenseVector* y);
int dot_size(void* handle, Op op, const SparseVector* x, const DenseVector* y, const void* result, DataType type,
             std::size_t* bytes);
int dot(void* handle, Op op, const SparseVector* x, const DenseVector* y, void* result, DataType type, void* buffer);

int set_sparse_pointers_of(SparseMatrix* matrix, void* starts, void* places, void* values);
int set_sparse_values(SparseMatrix* matrix, void* values);
int get_sparse_values(const SparseMatrix* matrix, void** values);
int to_dense_size(void* handle, const SparseMatrix* a, DenseMatrix* b, int algorithm, std::size_t* bytes);
int to_dense(void* handle, const SparseMatrix* a, DenseMatrix* b, int algorithm, void* buffer);
int to_sparse_size(void* handle, const DenseMatrix* a, SparseMatrix* b, int algorithm, std::size_t* bytes);
int to_sparse_count(void* handle, const DenseMatrix* a, SparseMatrix* b, int algorithm, void* buffer);
int to_sparse(void* handle, const DenseMatrix* a, SparseMatrix* b, int algorithm, void* buffer);
template <class T>
int count_elements(void* handle, int by, int rows, int columns, const void* description, const T* a, int leading,
                   int* counts, int* total);

int sampled_product_size(void* handle, Op op, Op right, const void* alpha, const DenseMatrix* a, const DenseMatrix* b,
                         const void* beta, SparseMatrix* c, DataType type, int algorithm, std::size_t* bytes);
int sampled_product_prepare(void* handle, Op op, Op right, const void* alpha, const DenseMatrix* a,
                            const DenseMatrix* b, const void* beta, SparseMatrix* c, DataType type, int algorithm,
                            void* buffer);
int sampled_product(void* handle, Op op, Op right, const void* alpha, const DenseMatrix* a, const DenseMatrix* b,
                    const void* beta, SparseMatrix* c, DataType type, int algorithm, void* buffer);

int create_product(void** product);
int destroy_product(void* product);
int estimate_product(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                     const void* beta, SparseMatrix* c, DataType type, int algorithm, void* product, std::size_t* bytes,
                     void* buffer);
int compute_product(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                    const void* beta, SparseMatrix* c, DataType type, int algorithm, void* product, std::size_t* bytes,
                    void* buffer);
int copy_product(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                 const void* beta, SparseMatrix* c, DataType type, int algorithm, void* product);

int count_products(void* product, std::int64_t* count);
int estimate_memory(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                    const void* beta, SparseMatrix* c, DataType type, int algorithm, void* product, float part,
                    std::size_t* bytes_3, void* buffer_3, std::size_t* bytes_2);
// The places of the elements of C once, and their values as often as those of A and B change.
int reuse_estimate(void* handle, Op op, Op right, const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c,
                   int algorithm, void* product, std::size_t* bytes, void* buffer);
int reuse_count(void* handle, Op op, Op right, const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c,
                int algorithm, void* product, std::size_t* bytes_2, void* buffer_2, std::size_t* bytes_3,
                void* buffer_3, std::size_t* bytes_4, void* buffer_4);
int reuse_places(void* handle, Op op, Op right, const SparseMatrix* a, const SparseMatrix* b, SparseMatrix* c,
                 int algorithm, void* product, std::size_t* bytes, void* buffer);
int reuse_compute(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                  const void* beta, SparseMatrix* c, DataType type, int algorithm, void* product);

int create_system(void** system);
int destroy_system(void* system);
int solve_system_size(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                      DenseVector* y, DataType type, int algorithm, void* system, std::size_t* bytes);
int solve_system_prepare(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                         DenseVector* y, DataType type, int algorithm, void* system, void* buffer);
int solve_system(void* handle, Op op, const void* alpha, const SparseMatrix* a, const DenseVector* x, DenseVector* y,
                 DataType type, int algorithm, void* system);

int create_systems(void** systems);
int destroy_systems(void* systems);
int solve_systems_size(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                       DenseMatrix* c, DataType type, int algorithm, void* systems, std::size_t* bytes);
int solve_systems_prepare(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                          DenseMatrix* c, DataType type, int algorithm, void* systems, void* buffer);
int solve_systems(void* handle, Op op, Op right, const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                  DenseMatrix* c, DataType type, int algorithm, void* systems);

int create_factors(void** factors);
int destroy_factors(void* factors);
int zero_pivot(void* handle, void* factors, int* place);
template <class T>
int incomplete_lu_size(void* handle, int n, int stored, const void* description, T* values, const int* offsets,
                       const int* places, void* factors, int* bytes);
template <class T>
int incomplete_lu_prepare(void* handle, int n, int stored, const void* description, const T* values, const int* offsets,
                          const int* places, void* factors, int policy, void* buffer);
template <class T>
int incomplete_lu(void* handle, int n, int stored, const void* description, T* values, const int* offsets,
                  const int* places, void* factors, int policy, void* buffer);
template <class T>
int incomplete_cholesky(void* handle, int n, int stored, const void* description, T* values, const int* offsets,
                        const int* places, void* factors, int policy, void* buffer);

// Systems of three or five diagonals whose elements of the same number are neighbours.
template <class T>
int interleaved_three_size(void* handle, int algorithm, int m, const T* below, const T* diagonal, const T* above,
                           const T* x, int count, std::size_t* bytes);
template <class T>
int interleaved_three(void* handle, int algorithm, int m, T* below, T* diagonal, T* above, T* x, int count,
                      void* buffer);
template <class T>
int interleaved_five_size(void* handle, int algorithm, int m, const T* below_2, const T* below, const T* diagonal,
                          const T* above, const T* above_2, const T* x, int count, std::size_t* bytes);
template <class T>
int interleaved_five(void* handle, int algorithm, int m, T* below_2, T* below, T* diagonal, T* above, T* above_2, T* x,
                     int count, void* buffer);

}  // namespace xcuda::runtime::math
