// OpenBLAS, opened at run time: Debian's, or that of the wheels scipy-openblas and numpy, whose names and integers
// differ.
#pragma once

#include <memory>

#include "base/shared_library.hpp"
#include "library/call.hpp"
#include "library/product.hpp"

namespace xcuda::library::cpu {

class OpenBlas {
 public:
  // Error(unsupported), with the line that installs it.
  OpenBlas(const OpenRequest& request, int threads);
  OpenBlas(const std::string& path, int threads);  // opens the same library again

  const Facts& facts() const { return facts_; }
  void* find(const std::string& fortran_name) const;  // of LAPACK: "dgetrf_"; null where it has none
  bool is_wide() const { return wide_; }              // whether integers have 64 bits

  // d = alpha * a * b + beta * d, of float, double and complex numbers. Addresses are those of a batch's first matrix.
  struct Factors {
    void* result = nullptr;
    const void* left = nullptr;
    const void* right = nullptr;
  };
  void multiply(const Product& product, const Factors& at, const double* alpha, const double* beta) const;

 private:
  // The four forms of gemm; how integers are given depends on the library.
  struct Table {
    void* single = nullptr;
    void* real = nullptr;
    void* complex_single = nullptr;
    void* complex = nullptr;
  };
  template <class Integer>
  void multiply_with(const Product& product, const Factors& at, const double* alpha, const double* beta) const;
  bool load(const std::string& path, int threads);

  std::unique_ptr<SharedLibrary> library_;
  Facts facts_;
  Table table_;
  bool wide_ = false;        // integers of 64 bits
  const char* before_ = "";  // how it spells its names
  const char* after_ = "";
  std::string why_not_;
};

}  // namespace xcuda::library::cpu
