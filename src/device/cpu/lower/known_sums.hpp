// What instructions write, as polynomials of what is not known.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "device/cpu/lower/polynomials.hpp"
#include "device/cpu/lower/reaching_values.hpp"
#include "ptx/ptx_tree.hpp"

namespace xcuda::device::cpu {

inline constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};

inline bool is_whole(ptx::Type type) {  // one whole number of 32 or 64 bits, or any bits
  return !ptx::is_floating(type) && type != ptx::Type::u16x2 && type != ptx::Type::s16x2 &&
         (ptx::bits_of(type) == 32 || ptx::bits_of(type) == 64);
}

class KnownSums {
 public:
  using Result = Polynomials::Result;
  using Held = std::vector<Site>;  // by register

  explicit KnownSums(const ptx::Function& function) : function_(function) {}

  Polynomials sums;

  // Each instruction after those that define what it reads. None: not a sum or product.
  Result result_of(const ptx::Instruction& instruction, const Held& held);
  void define(Site site, Polynomial sum) { sites_[site] = sum; }
  // None: not a number of so many bits.
  Result operand(const ptx::Operand& operand, int bits, const Held& held);
  Polynomial known(ptx::Register reg, Site site);

 private:
  Result product(const ptx::Instruction& instruction, Polynomial a, Polynomial b);
  Result converted(const ptx::Instruction& instruction, const Held& held);
  Result by_number(const ptx::Instruction& instruction, Polynomial a);
  Result extracted(const ptx::Instruction& instruction, Polynomial a);
  Result inserted(const ptx::Instruction& instruction, Polynomial a, Polynomial b);
  Polynomial quotient_by_power(Polynomial a, std::uint64_t power);
  Result cleared(Polynomial a, std::uint64_t power);
  Result lowest(Polynomial a, std::uint64_t count);

  const ptx::Function& function_;
  std::map<Site, Polynomial> sites_;  // of instructions
};

}  // namespace xcuda::device::cpu
