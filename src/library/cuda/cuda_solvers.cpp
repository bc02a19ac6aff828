#include "library/cuda/cuda_solvers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "library/cuda/opening.hpp"

namespace xcuda::library::cuda {
namespace {

constexpr std::size_t kScratch = 256;  // bytes in front of a workspace: where getrs says that its arguments are right
constexpr int kLower = 0, kNotTransposed = 0;

std::string cusolver_status(int status) {
  const auto* const name = [&] {
    switch (status) {
      case 1: return "NOT_INITIALIZED";
      case 2: return "ALLOC_FAILED";
      case 3: return "INVALID_VALUE";
      case 4: return "ARCH_MISMATCH";
      case 5: return "MAPPING_ERROR";
      case 6: return "EXECUTION_FAILED";
      case 7: return "INTERNAL_ERROR";
      case 8: return "MATRIX_TYPE_NOT_SUPPORTED";
      case 9: return "NOT_SUPPORTED";
      default: return "of a newer library";
    }
  }();
  return fmt::format("CUSOLVER_STATUS_{} ({})", name, status);
}

Wanted wanted_cusolver(int cuda_major) {
  Wanted one{"cuSOLVER", "solves equations", {}, cuda_major >= 13 ? "nvidia-cusolver" : "nvidia-cusolver-cu12"};
  if (cuda_major >= 13) one.files.emplace_back("libcusolver.so.12");
  one.files.emplace_back("libcusolver.so.11");
  return one;
}

// As library_types.h numbers them.
struct SolverTypes {
  int matrix, part;
};
SolverTypes solver_types(Scalar type) {
  switch (type) {
    case Scalar::float32: return {0, 0};
    case Scalar::float64: return {1, 1};
    case Scalar::complex64: return {4, 0};
    default: return {5, 1};
  }
}

std::string_view routine_of(Operation operation) {
  switch (operation) {
    case Operation::lu: return "getrf";
    case Operation::solve: return "getrf and getrs";
    case Operation::cholesky: return "potrf";
    case Operation::qr: return "geqrf";
    case Operation::orthogonal: return "orgqr";
    case Operation::svd: return "gesvd";
    case Operation::eigen_general: return "geev";
    default: return "syevd";
  }
}

}  // namespace

Solvers::Solvers(const OpenRequest& request, int cuda_major) {
  const auto begun = std::chrono::steady_clock::now();
  const auto wanted = wanted_cusolver(cuda_major);
  const auto paths = candidates(request, wanted);
  if (std::none_of(paths.begin(), paths.end(), [&](const std::string& path) { return load(path, cuda_major); }))
    throw missing(wanted, why_not_);
  start();
  facts_.load_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun).count();
}

Solvers::Solvers(const std::string& path, int cuda_major) {
  if (!load(path, cuda_major)) throw missing(wanted_cusolver(cuda_major), why_not_);
  start();
}

Solvers::~Solvers() {
  if (parameters_ != nullptr) table_.cusolverDnDestroyParams(parameters_);
  if (handle_ != nullptr) table_.cusolverDnDestroy(handle_);
}

bool Solvers::load(const std::string& path, int cuda_major) {
  auto why = load_table(path, table_);
  int version = 0;  // 12000 for 12.0.0, which is the first of CUDA 13
  if (why.empty() && table_.cusolverGetVersion(&version) != 0) why = path + " does not report its version";
  if (why.empty() && version >= 12000 && cuda_major < 13)
    why = path + " is from CUDA 13, which is newer than the driver";
  if (!why.empty()) {
    if (why_not_.empty()) why_not_ = why;
    return false;
  }
  SharedLibrary(path, SharedLibrary::Lifetime::process).load(newer_);
  facts_ = {"cuSOLVER", fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100), path, 0, 0};
  return true;
}

void Solvers::start() {
  int status = table_.cusolverDnCreate(&handle_);
  if (status == 0) status = table_.cusolverDnCreateParams(&parameters_);
  if (status != 0)
    throw Error(ErrorKind::device, fmt::format("cannot start cuSOLVER {}", facts_.version))
        .said(cusolver_status(status))
        .advise("The driver may be too old for it: %device shows its version.");
}

int Solvers::orthogonal_size(const Problem& p, const Matrix& matrix, Sizes& sizes) const {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  auto *const a = static_cast<float*>(matrix.at[0]), *const tau = static_cast<float*>(matrix.at[1]);
  auto *const wide = static_cast<double*>(matrix.at[0]), *const wide_tau = static_cast<double*>(matrix.at[1]);
  int count = 0, status = 0;
  switch (p.type) {
    case Scalar::float32: status = table_.cusolverDnSorgqr_bufferSize(handle_, m, n, k, a, m, tau, &count); break;
    case Scalar::float64:
      status = table_.cusolverDnDorgqr_bufferSize(handle_, m, n, k, wide, m, wide_tau, &count);
      break;
    case Scalar::complex64: status = table_.cusolverDnCungqr_bufferSize(handle_, m, n, k, a, m, tau, &count); break;
    default: status = table_.cusolverDnZungqr_bufferSize(handle_, m, n, k, wide, m, wide_tau, &count);
  }
  sizes.device = static_cast<std::size_t>(count) * size_of(p.type);
  return status;
}

int Solvers::orthogonal(const Problem& p, const Matrix& matrix, void* work, std::size_t bytes) const {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const int count = static_cast<int>(bytes / size_of(p.type));
  auto *const a = static_cast<float*>(matrix.at[0]), *const tau = static_cast<float*>(matrix.at[1]);
  auto *const wide = static_cast<double*>(matrix.at[0]), *const wide_tau = static_cast<double*>(matrix.at[1]);
  auto* const memory = static_cast<float*>(work);
  auto* const wide_memory = static_cast<double*>(work);
  switch (p.type) {
    case Scalar::float32: return table_.cusolverDnSorgqr(handle_, m, n, k, a, m, tau, memory, count, matrix.info);
    case Scalar::float64:
      return table_.cusolverDnDorgqr(handle_, m, n, k, wide, m, wide_tau, wide_memory, count, matrix.info);
    case Scalar::complex64: return table_.cusolverDnCungqr(handle_, m, n, k, a, m, tau, memory, count, matrix.info);
    default: return table_.cusolverDnZungqr(handle_, m, n, k, wide, m, wide_tau, wide_memory, count, matrix.info);
  }
}

namespace {

signed char job_of(const Problem& p, const Call& call) {
  if (!call.operands[2].is_given()) return 'N';
  return p.k == p.m ? 'A' : 'S';
}

}  // namespace

int Solvers::sizes_of(const Call& call, const Problem& p, Sizes& sizes) const {
  const auto m = static_cast<std::int64_t>(p.m), n = static_cast<std::int64_t>(p.n);
  const auto [matrix, part] = solver_types(p.type);
  Matrix first;
  for (const auto& one : call.operands) first.at.push_back(reinterpret_cast<void*>(one.address));
  auto* const a = first.at[matrix_of(call.operation)];
  switch (call.operation) {
    case Operation::lu:
    case Operation::solve:
      return table_.cusolverDnXgetrf_bufferSize(handle_, parameters_, m, n, matrix, a, m, matrix, &sizes.device,
                                                &sizes.host);
    case Operation::cholesky:
      return table_.cusolverDnXpotrf_bufferSize(handle_, parameters_, kLower, n, matrix, a, n, matrix, &sizes.device,
                                                &sizes.host);
    case Operation::qr:
      return table_.cusolverDnXgeqrf_bufferSize(handle_, parameters_, m, n, matrix, a, m, matrix, first.at[1], matrix,
                                                &sizes.device, &sizes.host);
    case Operation::orthogonal: return orthogonal_size(p, first, sizes);
    case Operation::svd: {
      const auto job = job_of(p, call);
      return table_.cusolverDnXgesvd_bufferSize(handle_, parameters_, job, job, m, n, matrix, a, m, part, first.at[0],
                                                matrix, first.at[2], m, matrix, first.at[3], n, matrix, &sizes.device,
                                                &sizes.host);
    }
    case Operation::eigen_general: {
      const int vectors = call.operands[2].is_given() ? 1 : 0;
      return newer_.cusolverDnXgeev_bufferSize(handle_, parameters_, 0, vectors, n, matrix, a, n, matrix, first.at[0],
                                               matrix, nullptr, n, matrix, first.at[2], n, matrix, &sizes.device,
                                               &sizes.host);
    }
    default:
      return table_.cusolverDnXsyevd_bufferSize(handle_, parameters_, call.operation == Operation::eigenvectors ? 1 : 0,
                                                kLower, n, matrix, a, n, part, first.at[0], matrix, &sizes.device,
                                                &sizes.host);
  }
}

std::uint64_t Solvers::workspace_bytes(const Call& call) const {
  Sizes sizes;
  if (call.operation == Operation::eigen_general && newer_.cusolverDnXgeev == nullptr)
    throw Error(ErrorKind::unsupported, fmt::format("eigenvalues of a matrix that is not symmetric need cuSOLVER "
                                                    "11.7.1 (CUDA 12.6 Update 2) or newer; this one is {}",
                                                    facts_.version))
        .advise("%pip install --upgrade nvidia-cusolver-cu12, then restart the kernel.");
  if (const int status = sizes_of(call, problem_of(call), sizes); status != 0)
    throw Error(ErrorKind::device, fmt::format("cannot plan {}", routine_of(call.operation)))
        .said(cusolver_status(status));
  return sizes.device + kScratch;
}

int Solvers::solve_one(const Call& call, const Problem& p, const Matrix& one, const Sizes& sizes) {
  const auto m = static_cast<std::int64_t>(p.m), n = static_cast<std::int64_t>(p.n), k = static_cast<std::int64_t>(p.k);
  const auto types = solver_types(p.type);
  const int matrix = types.matrix, part = types.part;
  auto* const scratch = reinterpret_cast<int*>(call.workspace);
  auto* const work = reinterpret_cast<void*>(call.workspace + kScratch);
  void* const host = host_.data();
  const auto factor = [&](void* a, void* pivots) {
    return table_.cusolverDnXgetrf(handle_, parameters_, m, n, matrix, a, m, static_cast<std::int64_t*>(pivots), matrix,
                                   work, sizes.device, host, sizes.host, one.info);
  };
  switch (call.operation) {
    case Operation::lu: return factor(one.at[0], one.at[1]);
    case Operation::solve: {
      const int status = factor(one.at[1], one.at[2]);
      if (status != 0) return status;
      return table_.cusolverDnXgetrs(handle_, parameters_, kNotTransposed, n, k, matrix, one.at[1], n,
                                     static_cast<const std::int64_t*>(one.at[2]), matrix, one.at[0], n, scratch);
    }
    case Operation::cholesky:
      return table_.cusolverDnXpotrf(handle_, parameters_, kLower, n, matrix, one.at[0], n, matrix, work, sizes.device,
                                     host, sizes.host, one.info);
    case Operation::qr:
      return table_.cusolverDnXgeqrf(handle_, parameters_, m, n, matrix, one.at[0], m, matrix, one.at[1], matrix, work,
                                     sizes.device, host, sizes.host, one.info);
    case Operation::orthogonal: return orthogonal(p, one, work, sizes.device);
    case Operation::svd: {
      const auto job = job_of(p, call);
      return table_.cusolverDnXgesvd(handle_, parameters_, job, job, m, n, matrix, one.at[1], m, part, one.at[0],
                                     matrix, one.at[2], m, matrix, one.at[3], n, matrix, work, sizes.device, host,
                                     sizes.host, one.info);
    }
    case Operation::eigen_general:
      return newer_.cusolverDnXgeev(handle_, parameters_, 0, one.at[2] != nullptr ? 1 : 0, n, matrix, one.at[1], n,
                                    matrix, one.at[0], matrix, nullptr, n, matrix, one.at[2], n, matrix, work,
                                    sizes.device, host, sizes.host, one.info);
    default:
      return table_.cusolverDnXsyevd(handle_, parameters_, call.operation == Operation::eigenvectors ? 1 : 0, kLower, n,
                                     matrix, one.at[1], n, part, one.at[0], matrix, work, sizes.device, host,
                                     sizes.host, one.info);
  }
}

Outcome Solvers::run(const Call& call, void* stream) {
  const auto problem = problem_of(call);
  Outcome outcome{{0, std::string(routine_of(call.operation)), type_of(problem.type).name}, {}};
  Sizes sizes;
  int status = table_.cusolverDnSetStream(handle_, static_cast<cusolverStream>(stream));
  if (status == 0) status = sizes_of(call, problem, sizes);
  if (status == 0 && sizes.device + kScratch > call.workspace_bytes) {
    outcome.refused = fmt::format("cuSOLVER needs {} bytes, but has {}", sizes.device + kScratch, call.workspace_bytes);
    return outcome;
  }
  host_.resize(std::max(host_.size(), sizes.host));
  for (std::uint64_t i = 0; status == 0 && i < problem.batch; ++i) {
    Matrix one;
    for (const auto& operand : call.operands) {
      std::uint64_t bytes = size_of(operand.is_given() ? operand.type : Scalar::uint8);
      for (std::size_t d = 1; d < operand.shape.size(); ++d) bytes *= operand.shape[d];
      one.at.push_back(operand.is_given() ? reinterpret_cast<void*>(operand.address + i * bytes) : nullptr);
    }
    one.info = static_cast<int*>(one.at.back());
    status = solve_one(call, problem, one, sizes);
  }
  if (status != 0)
    outcome.refused = fmt::format("{}: cuSOLVER cannot run {}", cusolver_status(status), routine_of(call.operation));
  return outcome;
}

}  // namespace xcuda::library::cuda
