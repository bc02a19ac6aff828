// Functions of cuBLAS for vectors whose type is an argument.
#pragma once

#include "runtime/math/blas_vectors.hpp"
#include "runtime/math/typed_elements.hpp"

namespace xcuda::runtime::math {

template <class I>
int axpy_ex(void* handle, I n, const void* alpha, DataType scale, const void* x, DataType type_x, I step_x, void* y,
            DataType type_y, I step_y, DataType computation);
template <class I>
int dot_ex(void* handle, I n, const void* x, DataType type_x, I step_x, const void* y, DataType type_y, I step_y,
           void* result, DataType type, DataType computation);
template <class I>
int dotc_ex(void* handle, I n, const void* x, DataType type_x, I step_x, const void* y, DataType type_y, I step_y,
            void* result, DataType type, DataType computation);
template <class I>
int nrm2_ex(void* handle, I n, const void* x, DataType type_x, I step, void* result, DataType type,
            DataType computation);
template <class I>
int scal_ex(void* handle, I n, const void* alpha, DataType scale, void* x, DataType type_x, I step,
            DataType computation);
template <class I>
int copy_ex(void* handle, I n, const void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y);
template <class I>
int swap_ex(void* handle, I n, void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y);
template <class I>
int asum_ex(void* handle, I n, const void* x, DataType type_x, I step, void* result, DataType type,
            DataType computation);
template <class I, Extreme which> int extreme_ex(void* handle, I n, const void* x, DataType type_x, I step, I* result);
template <class I>
int rot_ex(void* handle, I n, void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y, const void* c,
           const void* s, DataType type, DataType computation);
template <class I>
int rotm_ex(void* handle, I n, void* x, DataType type_x, I step_x, void* y, DataType type_y, I step_y,
            const void* parameters, DataType type, DataType computation);
int rotg_ex(void* handle, void* a, void* b, DataType type, void* c, void* s, DataType type_of_rotation,
            DataType computation);
int rotmg_ex(void* handle, void* d1, DataType type_d1, void* d2, DataType type_d2, void* x1, DataType type_x1,
             const void* y1, DataType type_y1, void* parameters, DataType type, DataType computation);

}  // namespace xcuda::runtime::math
