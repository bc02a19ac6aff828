// cuBLAS: handles and what they remember, vectors and matrices on their way, the functions without handles.
#pragma once

#include "runtime/math/blas.hpp"
#include "runtime/math/typed_elements.hpp"

namespace xcuda::runtime::math {

int create_blas(void** handle);
int destroy_blas(void* handle);
int blas_version(const void* handle, int* version);
int blas_property(int which, int* value);
std::size_t blas_runtime_version();
const char* blas_status_name(int status);
const char* blas_status_text(int status);
int set_blas_stream(void* handle, cudaStream_t stream);
int get_blas_stream(const void* handle, cudaStream_t* stream);
int set_blas_pointers(void* handle, PointerMode mode);
int get_blas_pointers(const void* handle, PointerMode* mode);
int set_blas_atomics(void* handle, int mode);
int get_blas_atomics(const void* handle, int* mode);
int set_blas_math(void* handle, int mode);
int get_blas_math(const void* handle, int* mode);
int set_blas_processors(void* handle, int count);
int get_blas_processors(const void* handle, int* count);
int set_blas_workspace(void* handle, void* workspace, std::size_t bytes);
void blas_xerbla(const char* name, int info);

template <class I> int set_vector(I n, I bytes, const void* from, I from_step, void* to, I to_step);
template <class I> int get_vector(I n, I bytes, const void* from, I from_step, void* to, I to_step);
template <class I> int set_matrix(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld);
template <class I> int get_matrix(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld);
template <class I>
int set_vector_async(I n, I bytes, const void* from, I from_step, void* to, I to_step, cudaStream_t stream);
template <class I>
int get_vector_async(I n, I bytes, const void* from, I from_step, void* to, I to_step, cudaStream_t stream);
template <class I>
int set_matrix_async(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld, cudaStream_t stream);
template <class I>
int get_matrix_async(I rows, I columns, I bytes, const void* from, I from_ld, void* to, I to_ld, cudaStream_t stream);

int legacy_init();
int legacy_shutdown();
int legacy_error();
int legacy_version(int* version);
int legacy_allocate(int n, int bytes, void** to);
int legacy_free(void* address);
int legacy_set_stream(cudaStream_t stream);

// How products may be emulated: kept for queries.
int set_emulation_strategy(void* handle, int strategy);
int get_emulation_strategy(void* handle, int* strategy);
int set_special_values(void* handle, int mask);
int get_special_values(void* handle, int* mask);
int set_mantissa_control(void* handle, int control);
int get_mantissa_control(void* handle, int* control);
int set_most_mantissa_bits(void* handle, int bits);
int get_most_mantissa_bits(void* handle, int* bits);
int set_mantissa_offset(void* handle, int bits);
int get_mantissa_offset(void* handle, int* bits);
int set_mantissa_count(void* handle, int* bits);
int get_mantissa_count(void* handle, int** bits);

}  // namespace xcuda::runtime::math
