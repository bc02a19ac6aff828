// Products of matrices with cuBLASLt. Its recommendation for a shape is asked for once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "library/cuda/cublas_lt.hpp"
#include "library/cuda/cuda_libraries.hpp"
#include "library/product.hpp"

namespace xcuda::library::cuda {

class Products {
 public:
  Products(const OpenRequest& request, int cuda_major);  // Errors: unsupported, device
  Products(const std::string& path);                     // opens the same library again
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  const Facts& facts() const { return facts_; }
  Outcome run(const Call& call, void* stream);  // Errors: value, unsupported

 private:
  struct Plan {
    cublasLtMatmulDesc_t description = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr, d = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
    std::string text;  // of the report
  };
  // A product in the library's column-major order; for a row-major result this is the transpose.
  struct Problem {
    int type_a = 0, type_b = 0, result_type = 0, scale_type = 0, compute = 0, epilogue = kDefaultEpilogue;
    int transpose_a = 0, transpose_b = 0;
    std::uint64_t m = 0, n = 0, k = 0, batch = 1;
    std::int64_t lead_a = 0, lead_b = 0, lead_c = 0, lead_d = 0;
    std::int64_t distance_a = 0, distance_b = 0, distance_c = 0, distance_d = 0;
    std::uint32_t align_a = 0, align_b = 0, align_c = 0, align_d = 0;  // bytes
    std::uint64_t workspace = 0;                                       // bytes
    std::uint32_t reductions = 0;                                      // kAllReductions, kOrderedReductions
    std::string key() const;
  };
  bool load(const std::string& path);
  void start();
  std::string make(const Problem& problem, Plan& plan);  // the reason if it fails, otherwise empty
  void end(Plan& plan) const noexcept;

  CublasLt table_;
  Facts facts_;
  std::string why_not_;
  cublasLtHandle_t handle_ = nullptr;
  std::unordered_map<std::string, Plan> plans_;
};

}  // namespace xcuda::library::cuda
