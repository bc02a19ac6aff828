// Handles of cuSOLVER, and the memory that its calls ask for: LAPACK has memory of its own.
#include "runtime/solver/solver_handles.hpp"

#include "runtime/solver/solver_calls.hpp"

namespace xcuda::runtime::math {
int create_solver(void** handle) {
  if (handle == nullptr) return kSolverCodes.value;
  if (open_blas() == nullptr) return kSolverCodes.uninitialized;
  *handle = table_of<Solver>().make();
  return 0;
}
int destroy_solver(void* handle) {
  return table_of<Solver>().remove(handle) ? 0 : kSolverCodes.uninitialized;  // its work goes on
}
int set_solver_stream(void* handle, cudaStream_t stream) {
  auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  solver->stream = stream;
  return 0;
}
int get_solver_stream(void* handle, cudaStream_t* stream) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  if (stream == nullptr) return kSolverCodes.value;
  *stream = solver->stream;
  return 0;
}
int solver_version(int* version) {
  if (version == nullptr) return kSolverCodes.value;
  *version = 12004;
  return 0;
}
int solver_property(int which, int* value) {
  constexpr int kNumbers[] = {12, 0, 4};
  if (value == nullptr || which < 0 || which > 2) return kSolverCodes.value;
  *value = kNumbers[which];
  return 0;
}
int create_parameters(void** parameters) {
  if (parameters == nullptr) return kSolverCodes.value;
  *parameters = table_of<JacobiParameters>().make();
  return 0;
}
int destroy_parameters(void* parameters) {
  return table_of<JacobiParameters>().remove(parameters) ? 0 : kSolverCodes.value;
}
int set_jacobi_tolerance(void* parameters, double tolerance) {
  auto* found = table_of<JacobiParameters>().find(parameters);
  if (found == nullptr || tolerance < 0) return kSolverCodes.value;
  found->tolerance = tolerance;
  return 0;
}
int set_jacobi_sweeps(void* parameters, int sweeps) {
  auto* found = table_of<JacobiParameters>().find(parameters);
  if (found == nullptr || sweeps < 0) return kSolverCodes.value;
  found->sweeps = sweeps;
  return 0;
}

int set_jacobi_sorting(void* parameters, int sorts) {
  auto* found = table_of<JacobiParameters>().find(parameters);
  if (found == nullptr || (sorts != 0 && sorts != 1)) return kSolverCodes.value;
  found->sorts = sorts;
  return 0;
}
int get_jacobi_sweeps(void* handle, void* parameters, int* sweeps) {
  if (find_solver(handle) == nullptr) return kSolverCodes.uninitialized;
  if (table_of<JacobiParameters>().find(parameters) == nullptr || sweeps == nullptr) return kSolverCodes.value;
  *sweeps = 0;
  return 0;
}
int get_jacobi_residual(void* handle, void* parameters, double* residual) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  const auto* found = table_of<JacobiParameters>().find(parameters);
  if (found == nullptr || residual == nullptr) return kSolverCodes.value;
  return kSolverCodes.of(
      post({"cusolverDn GetResidual", solver->stream, Waits::yes, {}}, [=] { *residual = found->residual; }));
}
int set_algorithm(void* parameters, int function, int algorithm) {
  const bool known = table_of<JacobiParameters>().find(parameters) != nullptr;
  return known && function >= 0 && algorithm >= 0 && algorithm <= 2 ? 0 : kSolverCodes.value;
}

namespace {

int set_of_solver(void* handle, int Solver::*what, int value, Conditions conditions) {
  auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  if (!all_hold(conditions)) return kSolverCodes.value;
  solver->*what = value;
  return 0;
}
int get_of_solver(const void* handle, int Solver::*what, int* value) {
  const auto* solver = find_solver(handle);
  if (solver == nullptr) return kSolverCodes.uninitialized;
  if (value == nullptr) return kSolverCodes.value;
  *value = solver->*what;
  return 0;
}

}  // namespace

int set_solver_deterministic(void* handle, int mode) {
  return set_of_solver(handle, &Solver::is_deterministic, mode, {mode == 1 || mode == 2});
}
int get_solver_deterministic(void* handle, int* mode) { return get_of_solver(handle, &Solver::is_deterministic, mode); }
int set_solver_math(void* handle, int mode) {
  return set_of_solver(handle, &Solver::math, mode, {mode == 1 || mode == 2});
}
int get_solver_math(void* handle, int* mode) { return get_of_solver(handle, &Solver::math, mode); }
int set_solver_emulation(void* handle, int strategy) {
  return set_of_solver(handle, &Solver::emulation, strategy, {strategy >= 0, strategy <= 2});
}
int get_solver_emulation(void* handle, int* strategy) { return get_of_solver(handle, &Solver::emulation, strategy); }

template <class T> int lu_size(void* handle, int m, int n, T*, int lda, int* size) {
  return give_size(handle, {is_matrix(m, n, lda)}, size);
}
template <class T> int cholesky_size(void* handle, Half, int n, T*, int lda, int* size) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
// Programs ask with 0 as the distance of columns, before they have a matrix (STF's Cholesky factors).
template <class T> int cholesky_factor_size(void* handle, Half, int n, T*, int lda, int* size) {
  return give_size(handle, {n >= 0, lda == 0 || lda >= n}, size);
}
template <class T>
int multiply_q_size(void* handle, Which side, Op, int m, int n, int k, const T*, int lda, const T*, const T*, int ldc,
                    int* size) {
  return give_size(handle, {is_matrix(side == Which::left ? m : n, k, lda), is_matrix(m, n, ldc)}, size);
}
template <class T> int make_q_size(void* handle, int m, int n, int k, const T*, int lda, const T*, int* size) {
  return give_size(handle, {is_matrix(m, n, lda), n <= m, k <= n}, size);
}
int svd_size(void* handle, int m, int n, int* size) { return give_size(handle, {m >= 0, n >= 0}, size); }
template <class T> int eigen_size(void* handle, Vectors, Half, int n, const T*, int lda, const Part<T>*, int* size) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
template <class T>
int jacobi_size(void* handle, Vectors, Half, int n, const T*, int lda, const Part<T>*, int* size, void*) {
  return give_size(handle, {is_matrix(n, n, lda)}, size);
}
template <class T>
int general_eigen_size(void* handle, int type, Vectors, Half, int n, const T*, int lda, const T*, int ldb,
                       const Part<T>*, int* size) {
  return give_size(handle, {type >= 1, type <= 3, is_matrix(n, n, lda), is_matrix(n, n, ldb)}, size);
}
template <class T>
int jacobi_svd_size(void* handle, Vectors, int, int m, int n, const T*, int lda, const Part<T>*, const T*, int,
                    const T*, int, int* size, void*) {
  return give_size(handle, {is_matrix(m, n, lda)}, size);
}

#define XCUDA_SIZES(T)                                                                                             \
  template int lu_size<T>(void*, int, int, T*, int, int*);                                                         \
  template int cholesky_size<T>(void*, Half, int, T*, int, int*);                                                  \
  template int cholesky_factor_size<T>(void*, Half, int, T*, int, int*);                                           \
  template int multiply_q_size<T>(void*, Which, Op, int, int, int, const T*, int, const T*, const T*, int, int*);  \
  template int make_q_size<T>(void*, int, int, int, const T*, int, const T*, int*);                                \
  template int eigen_size<T>(void*, Vectors, Half, int, const T*, int, const Part<T>*, int*);                      \
  template int jacobi_size<T>(void*, Vectors, Half, int, const T*, int, const Part<T>*, int*, void*);              \
  template int general_eigen_size<T>(void*, int, Vectors, Half, int, const T*, int, const T*, int, const Part<T>*, \
                                     int*);                                                                        \
  template int jacobi_svd_size<T>(void*, Vectors, int, int, int, const T*, int, const Part<T>*, const T*, int,     \
                                  const T*, int, int*, void*);
XCUDA_SIZES(float)
XCUDA_SIZES(double)
XCUDA_SIZES(std::complex<float>)
XCUDA_SIZES(std::complex<double>)
#undef XCUDA_SIZES

}  // namespace xcuda::runtime::math
