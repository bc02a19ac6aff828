// Random numbers on the CPU device: bits and uniform numbers are cuRAND's, normal ones agree up to rounding.
#pragma once

#include "library/call.hpp"
#include "library/cpu/mersenne_twister.hpp"

namespace xcuda::library::cpu {

class RandomNumbers {
 public:
  explicit RandomNumbers(int threads) : twister_(threads) {}

  const Facts& facts() const { return facts_; }
  Report run(const Call& call);  // Errors: value, unsupported

 private:
  template <class T> void fill(const Random& random, T* to, std::uint64_t count);

  Facts facts_{"generators", "of the CPU device", "", 0, 0};
  MersenneTwister twister_;
};

}  // namespace xcuda::library::cpu
