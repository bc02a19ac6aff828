// Products of sparse matrices by cuSPARSE.
#pragma once

#include <cstdint>
#include <string>

#include "library/call.hpp"
#include "library/cuda/cuda_libraries.hpp"
#include "library/cuda/cusparse.hpp"

namespace xcuda::library::cuda {

class SparseProducts {
 public:
  SparseProducts(const OpenRequest& request, int cuda_major);  // Errors: unsupported, device
  SparseProducts(const std::string& path, int cuda_major);     // opens the same library again
  ~SparseProducts();
  SparseProducts(const SparseProducts&) = delete;
  SparseProducts& operator=(const SparseProducts&) = delete;

  const Facts& facts() const { return facts_; }
  std::uint64_t workspace_bytes(const Call& call) const;  // Errors: value, unsupported, device
  Outcome run(const Call& call, void* stream) const;      // Errors: value, unsupported

 private:
  class Descriptions;
  bool load(const std::string& path);
  void start(int cuda_major);

  Cusparse table_;
  Facts facts_;
  std::string why_not_;
  cusparseHandle_t handle_ = nullptr;
};

}  // namespace xcuda::library::cuda
