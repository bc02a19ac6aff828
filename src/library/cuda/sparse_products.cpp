#include "library/cuda/sparse_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "library/cuda/cublas_lt.hpp"
#include "library/cuda/opening.hpp"
#include "library/sparse_product.hpp"

namespace xcuda::library::cuda {
namespace {

std::string cusparse_status(int status) {
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
      case 10: return "NOT_SUPPORTED";
      case 11: return "INSUFFICIENT_RESOURCES";
      default: return "of another version";
    }
  }();
  return fmt::format("CUSPARSE_STATUS_{} ({})", name, status);
}

// CUDA 12 and 13 share version 12 of the library, and a driver loads either.
Wanted wanted_cusparse(int cuda_major) {
  return {"cuSPARSE",
          "multiplies sparse matrices",
          {"libcusparse.so.12"},
          cuda_major >= 13 ? "nvidia-cusparse" : "nvidia-cusparse-cu12"};
}

int type_number(Scalar type) {
  switch (type) {
    case Scalar::float32: return kReal32F;
    case Scalar::float64: return kReal64F;
    case Scalar::complex64: return kComplex32F;
    default: return kComplex64F;
  }
}

// 1 and 0 of any of these types. The library reads a complex<double> as a unit of 16 bytes, which may not lie across
// two.
struct Factors {
  union alignas(16) Number {
    float single[2];
    double real[2];
  };
  Number one{}, zero{};
  explicit Factors(Scalar type) {
    zero.real[0] = zero.real[1] = 0;
    one = zero;
    if (type == Scalar::float64 || type == Scalar::complex128)
      one.real[0] = 1;
    else
      one.single[0] = 1;
  }
};

void* address_of(const Call& call, SparseRole role) { return reinterpret_cast<void*>(call.operands[role].address); }

}  // namespace

// The library's descriptions of a call's operands.
class SparseProducts::Descriptions {
 public:
  Descriptions(const Cusparse& table, cusparseHandle_t handle, const Call& call)
      : table_(table), handle_(handle), product_(sparse_product_of(call)), factors_(product_.type), sums_(call.sums) {
    const auto type = type_number(product_.type);
    const auto signed_of = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    status_ =
        table_.cusparseCreateCsr(&sparse_, signed_of(product_.m), signed_of(product_.n), signed_of(product_.stored),
                                 address_of(call, kSparseRows), address_of(call, kSparseColumns),
                                 address_of(call, kSparseValues), kIndex32, kIndex32, 0, type);
    // A vector's elements lie one after the other: a column of a wider matrix is a matrix of one column.
    vector_ = product_.k == 1 && product_.dense_leading == 1 && product_.result_leading == 1;
    const auto vector = [&](cusparseDnVecDescr_t& made, std::uint64_t size, SparseRole role) {
      if (status_ == 0) status_ = table_.cusparseCreateDnVec(&made, signed_of(size), address_of(call, role), type);
    };
    const auto matrix = [&](cusparseDnMatDescr_t& made, std::uint64_t rows, std::int64_t leading, SparseRole role) {
      if (status_ == 0)
        status_ = table_.cusparseCreateDnMat(&made, signed_of(rows), signed_of(product_.k), leading,
                                             address_of(call, role), type, kRowOrder);
    };
    if (vector_) {
      vector(x_, product_.n, kSparseDense);
      vector(y_, product_.m, kSparseResult);
    } else {
      matrix(dense_, product_.n, product_.dense_leading, kSparseDense);
      matrix(result_, product_.m, product_.result_leading, kSparseResult);
    }
  }
  ~Descriptions() {
    if (sparse_ != nullptr) table_.cusparseDestroySpMat(sparse_);
    for (auto* one : {x_, y_})
      if (one != nullptr) table_.cusparseDestroyDnVec(one);
    for (auto* one : {dense_, result_})
      if (one != nullptr) table_.cusparseDestroyDnMat(one);
  }
  Descriptions(const Descriptions&) = delete;
  Descriptions& operator=(const Descriptions&) = delete;

  int workspace(std::size_t& bytes) const {
    if (status_ != 0) return status_;
    const auto type = type_number(product_.type);
    return vector_ ? table_.cusparseSpMV_bufferSize(handle_, 0, &factors_.one, sparse_, x_, &factors_.zero, y_, type,
                                                    algorithm(), &bytes)
                   : table_.cusparseSpMM_bufferSize(handle_, 0, 0, &factors_.one, sparse_, dense_, &factors_.zero,
                                                    result_, type, algorithm(), &bytes);
  }
  int multiply(void* buffer) const {
    if (status_ != 0) return status_;
    const auto type = type_number(product_.type);
    return vector_ ? table_.cusparseSpMV(handle_, 0, &factors_.one, sparse_, x_, &factors_.zero, y_, type, algorithm(),
                                         buffer)
                   : table_.cusparseSpMM(handle_, 0, 0, &factors_.one, sparse_, dense_, &factors_.zero, result_, type,
                                         algorithm(), buffer);
  }
  std::string algorithm_text() const { return fmt::format("{} algorithm {}", vector_ ? "SpMV" : "SpMM", algorithm()); }

 private:
  int algorithm() const {
    const bool fixed = sums_ == Sums::fixed_order;
    if (vector_) return fixed ? kVectorFixed : kVectorAny;
    return fixed ? kMatrixFixed : kMatrixRows;
  }

  const Cusparse& table_;
  cusparseHandle_t handle_;
  SparseProduct product_;
  Factors factors_;
  Sums sums_;
  bool vector_ = false;
  int status_ = 0;
  cusparseSpMatDescr_t sparse_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseDnMatDescr_t dense_ = nullptr, result_ = nullptr;
};

SparseProducts::SparseProducts(const OpenRequest& request, int cuda_major) {
  const auto begun = std::chrono::steady_clock::now();
  const auto wanted = wanted_cusparse(cuda_major);
  const auto paths = candidates(request, wanted);
  if (std::none_of(paths.begin(), paths.end(), [&](const std::string& path) { return load(path); }))
    throw missing(wanted, why_not_);
  start(cuda_major);
  facts_.load_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun).count();
}

SparseProducts::SparseProducts(const std::string& path, int cuda_major) {
  if (!load(path)) throw missing(wanted_cusparse(cuda_major), why_not_);
  start(cuda_major);
}

SparseProducts::~SparseProducts() {
  if (handle_ != nullptr) table_.cusparseDestroy(handle_);
}

bool SparseProducts::load(const std::string& path) {
  auto why = load_table(path, table_);
  if (!why.empty() && why_not_.empty()) why_not_ = why;
  facts_.path = path;
  return why.empty();
}

void SparseProducts::start(int cuda_major) {
  int version = 0;  // 12603 for 12.6.3
  auto status = table_.cusparseCreate(&handle_);
  if (status == 0) status = table_.cusparseGetVersion(handle_, &version);
  if (status != 0)
    throw Error(ErrorKind::device, fmt::format("cannot start cuSPARSE of {}", facts_.path))
        .said(cusparse_status(status))
        .advise(fmt::format("The driver may be too old for it: %pip install {}, or set CUDA_HOME to another toolkit.",
                            wanted_cusparse(cuda_major).package));
  facts_ = {"cuSPARSE", fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100), facts_.path, 0, 0};
}

std::uint64_t SparseProducts::workspace_bytes(const Call& call) const {
  std::size_t bytes = 0;
  if (const int status = Descriptions(table_, handle_, call).workspace(bytes); status != 0)
    throw Error(ErrorKind::device, "the product of a sparse matrix cannot be planned").said(cusparse_status(status));
  return bytes;
}

Outcome SparseProducts::run(const Call& call, void* stream) const {
  const Descriptions descriptions(table_, handle_, call);
  Outcome outcome{{0, descriptions.algorithm_text(), type_of(arithmetic_type_of(call)).name}, {}};
  int status = table_.cusparseSetStream(handle_, static_cast<cusparseStream>(stream));
  if (status == 0) status = descriptions.multiply(reinterpret_cast<void*>(call.workspace));
  if (status != 0) outcome.refused = fmt::format("{}: cuSPARSE cannot multiply", cusparse_status(status));
  return outcome;
}

}  // namespace xcuda::library::cuda
