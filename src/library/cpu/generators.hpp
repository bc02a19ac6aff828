// The generators of cuRAND's host interface by their published algorithms. Each is many streams far apart, whose words
// are laid side by side: word n of the whole sequence is word n / kStreams of stream n % kStreams.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace xcuda::library::cpu {

using Word = std::uint32_t;

// G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8 (2003): xorwow. Streams are 2^67 words apart.
class Xorwow {
 public:
  // States of streams [first, first + count), each `skipped` words on.
  static std::vector<Xorwow> streams(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                                     std::uint64_t skipped);
  Word next() {
    const Word t = v_[0] ^ (v_[0] >> 2);
    for (int i = 0; i < 4; ++i) v_[i] = v_[i + 1];
    v_[4] = v_[3] ^ (v_[3] << 4) ^ t ^ (t << 1);
    return v_[4] + (d_ += kWeyl);
  }

 private:
  static constexpr Word kWeyl = 362437;
  friend class XorwowJump;
  std::array<Word, 5> v_{};
  Word d_ = 0;
};

// P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
// Operations Research 47 (1999). Streams are 2^76 numbers apart.
class Mrg32k3a {
 public:
  static std::vector<Mrg32k3a> streams(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                                       std::uint64_t skipped);
  static constexpr std::int64_t kFirst = 4294967087, kSecond = 4294944443;  // the two moduli
  Word next() {                                                             // 1 to kFirst
    const auto p = (1403580 * a_[1] + (kFirst - 810728) * a_[0] % kFirst) % kFirst;
    const auto q = (527612 * b_[2] + (kSecond - 1370589) * b_[0] % kSecond) % kSecond;
    a_ = {a_[1], a_[2], p};
    b_ = {b_[1], b_[2], q};
    return static_cast<Word>(p > q ? p - q : p + static_cast<std::uint64_t>(kFirst) - q);
  }

 private:
  std::array<std::uint64_t, 3> a_{}, b_{};
};

// I. M. Sobol's points in the order of Gray codes: the direction numbers of a dimension, from 0.
inline constexpr std::uint32_t kSobolDimensions = 1000;
std::array<Word, 32> sobol_directions(std::uint32_t dimension);
std::array<std::uint64_t, 64> wide_sobol_directions(std::uint32_t dimension);  // which begin with the same bits

}  // namespace xcuda::library::cpu
