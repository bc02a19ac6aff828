#include "programs/runtime_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace xcuda {
namespace {

struct Row {
  std::string_view name, state, note;
};
constexpr std::string_view kRuntimeRefuses = "cudaErrorNotSupported", kDriverRefuses = "CUDA_ERROR_NOT_SUPPORTED";
constexpr std::string_view kOwnStream = "the null stream is the thread's own";
constexpr Row kRuntime[] = {
#define XCUDA_RUNTIME_WORKS(name) {#name, "works", ""},
#define XCUDA_RUNTIME_PARTLY(name, how) {#name, "partly", how},
#define XCUDA_RUNTIME_REFUSED(name, what) {#name, kRuntimeRefuses, what},
#define XCUDA_RUNTIME_THREAD(name, as) {#name, "as " #as, kOwnStream},
#include "runtime/functions.def"
#undef XCUDA_RUNTIME_WORKS
#undef XCUDA_RUNTIME_PARTLY
#undef XCUDA_RUNTIME_REFUSED
#undef XCUDA_RUNTIME_THREAD
};
constexpr Row kDriver[] = {
#define XCUDA_DRIVER_WORKS(name, since) {#name, "works", ""},
#define XCUDA_DRIVER_PARTLY(name, since, how) {#name, "partly", how},
#define XCUDA_DRIVER_REFUSED(name, since, what) {#name, kDriverRefuses, what},
#define XCUDA_DRIVER_SAME(name, since, as) {#name, "as " #as, ""},
#define XCUDA_DRIVER_THREAD(name, as) {#name, "as " #as, kOwnStream},
#include "runtime/driver/driver_functions.def"
#undef XCUDA_DRIVER_WORKS
#undef XCUDA_DRIVER_PARTLY
#undef XCUDA_DRIVER_REFUSED
#undef XCUDA_DRIVER_SAME
#undef XCUDA_DRIVER_THREAD
};

constexpr Row kNvrtc[] = {
#define XCUDA_NVRTC_PASSED(name) {#name, "works", ""},
#define XCUDA_NVRTC_CHANGED(name, how) {#name, "partly", how},
#include "runtime/nvrtc_functions.def"
#undef XCUDA_NVRTC_PASSED
#undef XCUDA_NVRTC_CHANGED
};

constexpr Row kJitLink[] = {
#define XCUDA_JIT_LINK_WORKS(name, ...) {#name, "works", ""},
#define XCUDA_JIT_LINK_PARTLY(name, how, ...) {#name, "partly", how},
#include "runtime/jit_link/jit_link_functions.def"
#undef XCUDA_JIT_LINK_WORKS
#undef XCUDA_JIT_LINK_PARTLY
};

#define XCUDA_MATH_WORKS(name, ...) {#name, "works", ""},
#define XCUDA_MATH_PARTLY(name, how, ...) {#name, "partly", how},
#define XCUDA_MATH_REFUSED(name, what) {#name, "refused", what},
constexpr Row kBlas[] = {
#include "runtime/math/blas_functions.def"
};
constexpr Row kLt[] = {
#include "runtime/math/lt_functions.def"
};
constexpr Row kFourier[] = {
#include "runtime/math/fourier_functions.def"
};
constexpr Row kRandom[] = {
#include "runtime/math/random_functions.def"
};
constexpr Row kSolver[] = {
#include "runtime/math/solver_functions.def"
};
constexpr Row kSparse[] = {
#include "runtime/math/sparse_functions.def"
};

void print_rows(std::string_view library, std::span<const Row> rows, std::string_view refuses) {
  const auto count = [&](std::string_view state) {
    return std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.state == state; });
  };
  for (const Row& row : rows)
    fmt::print("{:<46} {}{}{}\n", row.name, row.state, row.note.empty() ? "" : ": ", row.note);
  const auto works = count("works"), partly = count("partly"), refused = count(refuses);
  const auto all = works + partly + refused;
  fmt::print("{}: {} functions: {} work, {} partly, {} return {}; {} more names of these\n", library, all, works,
             partly, refused, refuses, static_cast<std::ptrdiff_t>(rows.size()) - all);
}

// Prints the rows of a library, which do not say what it returns for refused functions.
void print_math(std::string_view library, std::span<const Row> rows, std::string_view refuses) {
  std::vector<Row> named(rows.begin(), rows.end());
  for (Row& row : named)
    if (row.state == "refused") row.state = refuses;
  print_rows(library, named, refuses);
}

}  // namespace

int print_runtime_coverage() {
  print_rows("CUDA Runtime", kRuntime, kRuntimeRefuses);
  print_rows("Driver API", kDriver, kDriverRefuses);
  print_rows("NVRTC", kNvrtc, "NVRTC_ERROR_INVALID_INPUT");
  print_rows("nvJitLink", kJitLink, "NVJITLINK_ERROR_UNRECOGNIZED_INPUT");
  print_math("cuBLAS", kBlas, "CUBLAS_STATUS_NOT_SUPPORTED");
  print_math("cuBLASLt", kLt, "CUBLAS_STATUS_NOT_SUPPORTED");
  print_math("cuFFT", kFourier, "CUFFT_NOT_SUPPORTED");
  print_math("cuRAND", kRandom, "CURAND_STATUS_TYPE_ERROR");
  print_math("cuSOLVER", kSolver, "CUSOLVER_STATUS_NOT_SUPPORTED");
  print_math("cuSPARSE", kSparse, "CUSPARSE_STATUS_NOT_SUPPORTED");
  return 0;
}

}  // namespace xcuda
