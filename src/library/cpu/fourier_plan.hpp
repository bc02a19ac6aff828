// One length of a discrete Fourier transform: its factors, its roots of unity, and how it is put together from shorter
// ones.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace xcuda::library::cpu {

std::complex<double> root_of_unity(std::uint64_t k, std::uint64_t n);  // exp(-2 pi i k / n)

// exp(-2 pi i k / n) for any k below n, from two tables of about the square root of n entries.
class Roots {
 public:
  explicit Roots(std::uint64_t n);
  std::complex<double> at(std::uint64_t k) const { return coarse_[k / fine_.size()] * fine_[k % fine_.size()]; }

 private:
  std::vector<std::complex<double>> coarse_, fine_;
};

template <class T> struct FourierPlan {
  explicit FourierPlan(std::uint64_t n);

  std::uint64_t n;
  // For a length whose prime factors are at most 13: the radices, and exp(-2 pi i k / n).
  std::vector<std::uint64_t> radices;
  std::vector<std::complex<T>> roots;
  // For a long one of these: n = columns->n * rows->n, and the roots between the two (D. H. Bailey's four steps).
  std::unique_ptr<FourierPlan> columns, rows;
  std::unique_ptr<Roots> between;
  // For any other length: a convolution with a chirp, by transforms of a length with small factors (L. I. Bluestein).
  std::unique_ptr<FourierPlan> inner;
  std::vector<std::complex<T>> chirp, kernel;

  const FourierPlan& of_factors() const { return inner ? *inner : *this; }
  bool fits_lanes() const { return !of_factors().radices.empty() || of_factors().n == 1; }
  bool splits() const { return of_factors().columns != nullptr; }
  std::uint64_t bytes() const;

 private:
  enum class Length : std::uint8_t { any, part };  // a part of a longer one is not split again
  FourierPlan(std::uint64_t n, Length length);
  void plan_factors(Length length);
  void plan_chirp();
};

extern template struct FourierPlan<float>;
extern template struct FourierPlan<double>;

}  // namespace xcuda::library::cpu
