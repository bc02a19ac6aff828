// Linear equations and decompositions of cuSOLVER.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "library/call.hpp"
#include "library/cuda/cuda_libraries.hpp"
#include "library/cuda/cusolver.hpp"
#include "library/solver.hpp"

namespace xcuda::library::cuda {

class Solvers {
 public:
  Solvers(const OpenRequest& request, int cuda_major);  // Errors: unsupported, device
  Solvers(const std::string& path, int cuda_major);     // opens the same library again
  ~Solvers();
  Solvers(const Solvers&) = delete;
  Solvers& operator=(const Solvers&) = delete;

  const Facts& facts() const { return facts_; }
  std::uint64_t workspace_bytes(const Call& call) const;  // Errors: value, device
  Outcome run(const Call& call, void* stream);            // Error(value)

 private:
  struct Sizes {
    std::size_t device = 0, host = 0;  // bytes
  };
  // Addresses of matrix i of a batch, by operand.
  struct Matrix {
    std::vector<void*> at;
    int* info = nullptr;
  };
  bool load(const std::string& path, int cuda_major);
  void start();
  int sizes_of(const Call& call, const Problem& problem, Sizes& sizes) const;  // a status, as those below
  int orthogonal_size(const Problem& problem, const Matrix& matrix, Sizes& sizes) const;
  int orthogonal(const Problem& problem, const Matrix& matrix, void* work, std::size_t bytes) const;
  int solve_one(const Call& call, const Problem& problem, const Matrix& matrix, const Sizes& sizes);

  Cusolver table_;
  NewerCusolver newer_;  // null where the library is older
  Facts facts_;
  std::string why_not_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
  std::vector<std::byte> host_;  // workspace of the library on the host
};

}  // namespace xcuda::library::cuda
