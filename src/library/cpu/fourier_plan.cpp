#include "library/cpu/fourier_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace xcuda::library::cpu {
namespace {

constexpr std::uint64_t kLongestInLanes = 8192;  // elements whose vectors stay in a second-level cache
constexpr std::uint64_t kShortestSplit = 1024;   // that is worth two rounds

// The least one of at least this length with factors of 2, and of 3 or 5 once.
std::uint64_t smooth_length(std::uint64_t least) {
  std::uint64_t best = 1;
  while (best < least) best *= 2;
  for (const std::uint64_t factor : {3, 5}) {
    auto one = factor;
    while (one < least) one *= 2;
    best = std::min(best, one);
  }
  return best;
}

// Nothing where a prime factor is greater.
std::vector<std::uint64_t> radices_of(std::uint64_t n) {
  std::vector<std::uint64_t> radices;
  for (const std::uint64_t radix : {8, 4, 2, 3, 5, 7, 11, 13})
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  if (n > 1) radices.clear();
  // 8 * 2 as 4 * 4.
  const auto eight = std::find(radices.rbegin(), radices.rend(), 8),
             two = std::find(radices.rbegin(), radices.rend(), 2);
  if (eight != radices.rend() && two != radices.rend()) *eight = *two = 4;
  return radices;
}

}  // namespace

std::complex<double> root_of_unity(std::uint64_t k, std::uint64_t n) {
  // The angle in the first eighth of the circle, where sine and cosine are exact to the last digit.
  const auto eighth = 8 * k / n, part = 8 * k - eighth * n;
  const bool odd = eighth % 2 != 0;
  const double angle =
      2 * std::numbers::pi * static_cast<double>(odd ? n - part : part) / (8.0 * static_cast<double>(n));
  double c = std::cos(angle), s = std::sin(angle);
  if (odd) std::swap(c, s);
  switch (eighth / 2) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

Roots::Roots(std::uint64_t n) {
  const auto fine = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n))) + 1;
  for (std::uint64_t k = 0; k < fine; ++k) fine_.push_back(root_of_unity(k, n));
  for (std::uint64_t k = 0; k < n; k += fine) coarse_.push_back(root_of_unity(k, n));
}

template <class T> FourierPlan<T>::FourierPlan(std::uint64_t length) : FourierPlan(length, Length::any) {}

template <class T> FourierPlan<T>::FourierPlan(std::uint64_t count, Length length) : n(count) {
  radices = radices_of(n);
  if (n == 1) return;
  if (radices.empty())
    plan_chirp();
  else
    plan_factors(length);
}

template <class T> void FourierPlan<T>::plan_factors(Length length) {
  if (length == Length::any && n >= kShortestSplit && radices.size() > 1) {
    std::uint64_t a = 1, b = 1;
    for (const auto radix : radices) (a <= b ? a : b) *= radix;
    columns.reset(new FourierPlan(a, Length::part));
    rows.reset(new FourierPlan(b, Length::part));
    between = std::make_unique<Roots>(n);
    if (n > kLongestInLanes) return radices.clear();
  }
  roots.resize(n);
  for (std::uint64_t k = 0; k < n; ++k) roots[k] = std::complex<T>(root_of_unity(k, n));
}

template <class T> void FourierPlan<T>::plan_chirp() {
  const auto size = smooth_length(2 * n - 1);
  inner = std::make_unique<FourierPlan>(size);
  chirp.resize(n);
  kernel.assign(size, {});
  std::uint64_t square = 0;  // k^2, around 2 n
  for (std::uint64_t k = 0; k < n; ++k) {
    chirp[k] = std::complex<T>(root_of_unity(square, 2 * n));
    kernel[k] = std::conj(chirp[k]);
    if (k > 0) kernel[size - k] = kernel[k];
    square = (square + 2 * k + 1) % (2 * n);
  }
}

template <class T> std::uint64_t FourierPlan<T>::bytes() const {
  auto sum = (roots.size() + chirp.size() + kernel.size()) * sizeof(std::complex<T>);
  for (const auto* part : {columns.get(), rows.get(), inner.get()})
    if (part != nullptr) sum += part->bytes();
  return sum;
}

template struct FourierPlan<float>;
template struct FourierPlan<double>;

}  // namespace xcuda::library::cpu
