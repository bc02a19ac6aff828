// cuFFT over the transforms of the CPU device: plans, and what they do with memory of the device.
#pragma once

#include <cuda_runtime_api.h>

#include <complex>
#include <cstddef>

namespace xcuda::runtime::math {

using PlanNumber = int;  // cufftHandle

int create_plan(PlanNumber* plan);
int destroy_plan(PlanNumber plan);
int plan_1d(PlanNumber* plan, int n, int type, int batch);
int plan_2d(PlanNumber* plan, int n0, int n1, int type);
int plan_3d(PlanNumber* plan, int n0, int n1, int n2, int type);
int plan_many(PlanNumber* plan, int rank, int* n, int* in_embed, int in_stride, int in_distance, int* out_embed,
              int out_stride, int out_distance, int type, int batch);
int make_plan_1d(PlanNumber plan, int n, int type, int batch, std::size_t* bytes);
int make_plan_2d(PlanNumber plan, int n0, int n1, int type, std::size_t* bytes);
int make_plan_3d(PlanNumber plan, int n0, int n1, int n2, int type, std::size_t* bytes);
template <class I>
int make_plan_many(PlanNumber plan, int rank, I* n, I* in_embed, I in_stride, I in_distance, I* out_embed, I out_stride,
                   I out_distance, int type, I batch, std::size_t* bytes);
int make_typed_plan(PlanNumber plan, int rank, long long* n, long long* in_embed, long long in_stride,
                    long long in_distance, int in_type, long long* out_embed, long long out_stride,
                    long long out_distance, int out_type, long long batch, std::size_t* bytes, int computation);
int estimate_1d(int n, int type, int batch, std::size_t* bytes);
int estimate_2d(int n0, int n1, int type, std::size_t* bytes);
int estimate_3d(int n0, int n1, int n2, int type, std::size_t* bytes);
int estimate_many(int rank, int* n, int* in_embed, int in_stride, int in_distance, int* out_embed, int out_stride,
                  int out_distance, int type, int batch, std::size_t* bytes);
int size_1d(PlanNumber plan, int n, int type, int batch, std::size_t* bytes);
int size_2d(PlanNumber plan, int n0, int n1, int type, std::size_t* bytes);
int size_3d(PlanNumber plan, int n0, int n1, int n2, int type, std::size_t* bytes);
template <class I>
int size_many(PlanNumber plan, int rank, I* n, I* in_embed, I in_stride, I in_distance, I* out_embed, I out_stride,
              I out_distance, int type, I batch, std::size_t* bytes);
int plan_size(PlanNumber plan, std::size_t* bytes);
int set_work_area(PlanNumber plan, void* area);
int set_allocation(PlanNumber plan, int automatic);
int set_plan_stream(PlanNumber plan, cudaStream_t stream);
template <class T> int transform_complex(PlanNumber plan, std::complex<T>* from, std::complex<T>* to, int direction);
template <class T> int transform_real(PlanNumber plan, T* from, std::complex<T>* to);
template <class T> int transform_to_real(PlanNumber plan, std::complex<T>* from, T* to);
int transform_any(PlanNumber plan, void* from, void* to, int direction);
int set_callback(PlanNumber plan, void** functions, int type, void** infos);
int set_jit_callback(PlanNumber plan, const char* name, const void* code, std::size_t size, int type, void** infos);
int clear_callback(PlanNumber plan, int type);
int set_callback_shared(PlanNumber plan, int type, std::size_t bytes);
int fourier_version(int* version);
int fourier_property(int which, int* value);

}  // namespace xcuda::runtime::math
