#include "runtime/solver/solver_refined.hpp"

namespace xcuda::runtime::math {
namespace {

constexpr int kReal64 = 1203, kReal32 = 1204, kComplex64 = 1213, kComplex32 = 1214;  // cusolverPrecType_t

bool is_precision(int type) { return type >= 1201 && type <= 1218; }
bool is_main(int type) { return type == kReal64 || type == kReal32 || type == kComplex64 || type == kComplex32; }

template <class Function> int with_refinement(void* parameters, Conditions conditions, Function function) {
  auto* const found = table_of<Refinement>().find(parameters);
  if (found == nullptr || !all_hold(conditions)) return kSolverCodes.value;
  function(*found);
  return 0;
}
template <class Function> int of_precision(int type, Function function) {
  switch (type) {
    case kReal64: return function(double{});
    case kReal32: return function(float{});
    case kComplex64: return function(std::complex<double>{});
    case kComplex32: return function(std::complex<float>{});
    default: return kSolverCodes.value;  // it was not set
  }
}

struct Unknowns {
  int m, n, columns;
  void *a, *b, *x;
  int lda, ldb, ldx;
};
int solve_any(const char* name, void* handle, void* parameters, void* infos, const Unknowns& u, int* iterations,
              int* info) {
  if (find_solver(handle) == nullptr) return kSolverCodes.uninitialized;
  const auto* how = table_of<Refinement>().find(parameters);
  auto* known = table_of<RefinementInfo>().find(infos);
  if (how == nullptr || known == nullptr) return kSolverCodes.value;
  return of_precision(how->main, [&]<class T>(T) {
    const int status = solve_refined<T>(name, handle,
                                        {u.m, u.n, u.columns, static_cast<const T*>(u.a), u.lda,
                                         static_cast<const T*>(u.b), u.ldb, static_cast<T*>(u.x), u.ldx},
                                        nullptr, iterations, info);
    if (status == 0) *known = {0, how->iterations};
    return status;
  });
}

}  // namespace

int create_refinement(void** parameters) {
  if (parameters == nullptr) return kSolverCodes.value;
  *parameters = table_of<Refinement>().make();
  return 0;
}
int destroy_refinement(void* parameters) { return table_of<Refinement>().remove(parameters) ? 0 : kSolverCodes.value; }
int set_refinement_solver(void* parameters, int solver) {
  return with_refinement(parameters, {solver >= 1100, solver <= 1106}, [=](auto& all) { all.solver = solver; });
}
int set_main_precision(void* parameters, int precision) {
  return with_refinement(parameters, {is_main(precision)}, [=](auto& all) { all.main = precision; });
}
int set_lowest_precision(void* parameters, int precision) {
  return with_refinement(parameters, {is_precision(precision)}, [=](auto& all) { all.lowest = precision; });
}
int set_precisions(void* parameters, int main, int lowest) {
  const int status = set_main_precision(parameters, main);
  return status == 0 ? set_lowest_precision(parameters, lowest) : status;
}
int set_refinement_tolerance(void* parameters, double tolerance) {
  return with_refinement(parameters, {tolerance >= 0}, [=](auto& all) { all.tolerance = tolerance; });
}
int set_inner_tolerance(void* parameters, double tolerance) {
  return with_refinement(parameters, {tolerance >= 0}, [=](auto& all) { all.inner_tolerance = tolerance; });
}
int set_refinement_iterations(void* parameters, int iterations) {
  return with_refinement(parameters, {iterations >= 0}, [=](auto& all) { all.iterations = iterations; });
}
int set_inner_iterations(void* parameters, int iterations) {
  return with_refinement(parameters, {iterations >= 0}, [=](auto& all) { all.inner_iterations = iterations; });
}
int get_refinement_iterations(void* parameters, int* iterations) {
  return with_refinement(parameters, {iterations != nullptr}, [=](auto& all) { *iterations = all.iterations; });
}
int enable_fallback(void* parameters) {
  return with_refinement(parameters, {}, [](auto& all) { all.falls_back = true; });
}
int disable_fallback(void* parameters) {
  return with_refinement(parameters, {}, [](auto& all) { all.falls_back = false; });
}
int create_refinement_info(void** infos) {
  if (infos == nullptr) return kSolverCodes.value;
  *infos = table_of<RefinementInfo>().make();
  return 0;
}
int destroy_refinement_info(void* infos) { return table_of<RefinementInfo>().remove(infos) ? 0 : kSolverCodes.value; }
int get_iterations(void* infos, int* iterations) {
  const auto* found = table_of<RefinementInfo>().find(infos);
  if (found == nullptr || iterations == nullptr || found->iterations < 0) return kSolverCodes.value;  // nothing solved
  *iterations = found->iterations;
  return 0;
}
int get_most_iterations(void* infos, int* iterations) {
  const auto* found = table_of<RefinementInfo>().find(infos);
  if (found == nullptr || iterations == nullptr) return kSolverCodes.value;
  *iterations = found->most;
  return 0;
}

int any_gesv_size(void* handle, void* parameters, int n, int columns, std::size_t* bytes) {
  return any_gels_size(handle, parameters, n, n, columns, bytes);
}
int any_gels_size(void* handle, void* parameters, int m, int n, int columns, std::size_t* bytes) {
  std::size_t host = 0;
  const bool known = table_of<Refinement>().find(parameters) != nullptr;
  return give_sizes(handle, {known, m >= n, n >= 0, columns >= 0}, bytes, &host);
}
int any_gesv(void* handle, void* parameters, void* infos, int n, int columns, void* a, int lda, void* b, int ldb,
             void* x, int ldx, void*, std::size_t, int* iterations, int* info) {
  return solve_any("cusolverDnIRSXgesv", handle, parameters, infos, {n, n, columns, a, b, x, lda, ldb, ldx}, iterations,
                   info);
}
int any_gels(void* handle, void* parameters, void* infos, int m, int n, int columns, void* a, int lda, void* b, int ldb,
             void* x, int ldx, void*, std::size_t, int* iterations, int* info) {
  return solve_any("cusolverDnIRSXgels", handle, parameters, infos, {m, n, columns, a, b, x, lda, ldb, ldx}, iterations,
                   info);
}

}  // namespace xcuda::runtime::math
