// Functions of cuSOLVER with the types as arguments, and extents of 64 bits. Sizes are in bytes.
#pragma once

#include "runtime/solver/solver_eigen.hpp"

namespace xcuda::runtime::math {

int any_lu_size(void* handle, void* parameters, std::int64_t m, std::int64_t n, DataType type, const void* a,
                std::int64_t lda, DataType computation, std::size_t* device, std::size_t* host);
int any_lu(void* handle, void* parameters, std::int64_t m, std::int64_t n, DataType type, void* a, std::int64_t lda,
           std::int64_t* pivots, DataType computation, void* device, std::size_t device_bytes, void* host,
           std::size_t host_bytes, int* info);
int any_solve_lu(void* handle, void* parameters, Op op, std::int64_t n, std::int64_t columns, DataType type,
                 const void* a, std::int64_t lda, const std::int64_t* pivots, DataType type_b, void* b,
                 std::int64_t ldb, int* info);
int any_cholesky_size(void* handle, void* parameters, Half half, std::int64_t n, DataType type, const void* a,
                      std::int64_t lda, DataType computation, std::size_t* device, std::size_t* host);
int any_cholesky(void* handle, void* parameters, Half half, std::int64_t n, DataType type, void* a, std::int64_t lda,
                 DataType computation, void* device, std::size_t device_bytes, void* host, std::size_t host_bytes,
                 int* info);
int any_solve_cholesky(void* handle, void* parameters, Half half, std::int64_t n, std::int64_t columns, DataType type,
                       const void* a, std::int64_t lda, DataType type_b, void* b, std::int64_t ldb, int* info);
int any_eigen_size(void* handle, void* parameters, Vectors vectors, Half half, std::int64_t n, DataType type,
                   const void* a, std::int64_t lda, DataType type_w, const void* w, DataType computation,
                   std::size_t* device, std::size_t* host);
int any_eigen(void* handle, void* parameters, Vectors vectors, Half half, std::int64_t n, DataType type, void* a,
              std::int64_t lda, DataType type_w, void* w, DataType computation, void* device, std::size_t device_bytes,
              void* host, std::size_t host_bytes, int* info);
int any_qr_size(void* handle, void* parameters, std::int64_t m, std::int64_t n, DataType type, const void* a,
                std::int64_t lda, DataType type_tau, const void* tau, DataType computation, std::size_t* device,
                std::size_t* host);
int any_qr(void* handle, void* parameters, std::int64_t m, std::int64_t n, DataType type, void* a, std::int64_t lda,
           DataType type_tau, void* tau, DataType computation, void* device, std::size_t device_bytes, void* host,
           std::size_t host_bytes, int* info);
int any_invert_triangle_size(void* handle, Half half, Diagonal diagonal, std::int64_t n, DataType type, void* a,
                             std::int64_t lda, std::size_t* device, std::size_t* host);
int any_invert_triangle(void* handle, Half half, Diagonal diagonal, std::int64_t n, DataType type, void* a,
                        std::int64_t lda, void* device, std::size_t device_bytes, void* host, std::size_t host_bytes,
                        int* info);
int any_solve_symmetric_size(void* handle, Half half, std::int64_t n, std::int64_t columns, DataType type,
                             const void* a, std::int64_t lda, const std::int64_t* pivots, DataType type_b, void* b,
                             std::int64_t ldb, std::size_t* device, std::size_t* host);
int any_solve_symmetric(void* handle, Half half, std::int64_t n, std::int64_t columns, DataType type, const void* a,
                        std::int64_t lda, const std::int64_t* pivots, DataType type_b, void* b, std::int64_t ldb,
                        void* device, std::size_t device_bytes, void* host, std::size_t host_bytes, int* info);

int any_eigen_range_size(void* handle, void* parameters, Vectors vectors, Range range, Half half, std::int64_t n,
                         DataType type, const void* a, std::int64_t lda, void* least, void* most, std::int64_t first,
                         std::int64_t last, std::int64_t* found, DataType type_w, const void* w, DataType computation,
                         std::size_t* device, std::size_t* host);
int any_eigen_range(void* handle, void* parameters, Vectors vectors, Range range, Half half, std::int64_t n,
                    DataType type, void* a, std::int64_t lda, void* least, void* most, std::int64_t first,
                    std::int64_t last, std::int64_t* found, DataType type_w, void* w, DataType computation,
                    void* device, std::size_t device_bytes, void* host, std::size_t host_bytes, int* info);
int any_eigen_batch_size(void* handle, void* parameters, Vectors vectors, Half half, std::int64_t n, DataType type,
                         const void* a, std::int64_t lda, DataType type_w, const void* w, DataType computation,
                         std::size_t* device, std::size_t* host, std::int64_t count);
int any_eigen_batch(void* handle, void* parameters, Vectors vectors, Half half, std::int64_t n, DataType type, void* a,
                    std::int64_t lda, DataType type_w, void* w, DataType computation, void* device,
                    std::size_t device_bytes, void* host, std::size_t host_bytes, int* infos, std::int64_t count);
int any_general_size(void* handle, void* parameters, Vectors left, Vectors right, std::int64_t n, DataType type,
                     const void* a, std::int64_t lda, DataType type_w, const void* w, DataType type_left,
                     const void* vl, std::int64_t ldvl, DataType type_right, const void* vr, std::int64_t ldvr,
                     DataType computation, std::size_t* device, std::size_t* host);
int any_general(void* handle, void* parameters, Vectors left, Vectors right, std::int64_t n, DataType type, void* a,
                std::int64_t lda, DataType type_w, void* w, DataType type_left, void* vl, std::int64_t ldvl,
                DataType type_right, void* vr, std::int64_t ldvr, DataType computation, void* device,
                std::size_t device_bytes, void* host, std::size_t host_bytes, int* info);

int any_svd_size(void* handle, void* parameters, signed char left, signed char right, std::int64_t m, std::int64_t n,
                 DataType type, const void* a, std::int64_t lda, DataType type_s, const void* s, DataType type_u,
                 const void* u, std::int64_t ldu, DataType type_vt, const void* vt, std::int64_t ldvt,
                 DataType computation, std::size_t* device, std::size_t* host);
int any_svd(void* handle, void* parameters, signed char left, signed char right, std::int64_t m, std::int64_t n,
            DataType type, void* a, std::int64_t lda, DataType type_s, void* s, DataType type_u, void* u,
            std::int64_t ldu, DataType type_vt, void* vt, std::int64_t ldvt, DataType computation, void* device,
            std::size_t device_bytes, void* host, std::size_t host_bytes, int* info);
int any_polar_svd_size(void* handle, void* parameters, Vectors vectors, int economic, std::int64_t m, std::int64_t n,
                       DataType type, const void* a, std::int64_t lda, DataType type_s, const void* s, DataType type_u,
                       const void* u, std::int64_t ldu, DataType type_v, const void* v, std::int64_t ldv,
                       DataType computation, std::size_t* device, std::size_t* host);
int any_polar_svd(void* handle, void* parameters, Vectors vectors, int economic, std::int64_t m, std::int64_t n,
                  DataType type, void* a, std::int64_t lda, DataType type_s, void* s, DataType type_u, void* u,
                  std::int64_t ldu, DataType type_v, void* v, std::int64_t ldv, DataType computation, void* device,
                  std::size_t device_bytes, void* host, std::size_t host_bytes, int* info, double* disturbance);
int any_random_svd_size(void* handle, void* parameters, signed char left, signed char right, std::int64_t m,
                        std::int64_t n, std::int64_t rank, std::int64_t more, std::int64_t iterations, DataType type,
                        const void* a, std::int64_t lda, DataType type_s, const void* s, DataType type_u, const void* u,
                        std::int64_t ldu, DataType type_v, const void* v, std::int64_t ldv, DataType computation,
                        std::size_t* device, std::size_t* host);
int any_random_svd(void* handle, void* parameters, signed char left, signed char right, std::int64_t m, std::int64_t n,
                   std::int64_t rank, std::int64_t more, std::int64_t iterations, DataType type, void* a,
                   std::int64_t lda, DataType type_s, void* s, DataType type_u, void* u, std::int64_t ldu,
                   DataType type_v, void* v, std::int64_t ldv, DataType computation, void* device,
                   std::size_t device_bytes, void* host, std::size_t host_bytes, int* info);

}  // namespace xcuda::runtime::math
