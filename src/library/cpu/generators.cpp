#include "library/cpu/generators.hpp"

#include <bit>
#include <cstddef>
#include <span>

namespace xcuda::library::cpu {

// A linear map of xorwow's 160 bits: the images of the single bits.
class XorwowJump {
 public:
  static XorwowJump one_word() {
    XorwowJump jump;
    for (std::size_t bit = 0; bit < kBits; ++bit) {
      Xorwow state;
      state.v_[bit / 32] = Word{1} << (bit % 32);
      state.next();
      jump.images_[bit] = state.v_;
    }
    return jump;
  }
  std::array<Word, 5> of(const std::array<Word, 5>& v) const {
    std::array<Word, 5> sum{};
    for (std::size_t bit = 0; bit < kBits; ++bit)
      if ((v[bit / 32] >> (bit % 32) & 1) != 0)
        for (std::size_t i = 0; i < 5; ++i) sum[i] ^= images_[bit][i];
    return sum;
  }
  XorwowJump twice() const {
    XorwowJump jump;
    for (std::size_t bit = 0; bit < kBits; ++bit) jump.images_[bit] = of(images_[bit]);
    return jump;
  }
  void apply(Xorwow& state, Word words) const {
    state.v_ = of(state.v_);
    state.d_ += Xorwow::kWeyl * words;
  }
  static void seed(Xorwow& state, std::uint64_t seed) {
    // As cuRAND spreads a seed over Marsaglia's initial state.
    const Word low = 1099087573U * (static_cast<Word>(seed) ^ 0xaad26b49U);
    const Word high = 2591861531U * (static_cast<Word>(seed >> 32) ^ 0xf7dcefddU);
    state.d_ = 6615241U + high + low;
    state.v_ = {123456789U + low, 362436069U ^ low, 521288629U + high, 88675123U ^ high, 5783321U + low};
  }

 private:
  static constexpr std::size_t kBits = 160;
  std::array<std::array<Word, 5>, kBits> images_{};
};

std::vector<Xorwow> Xorwow::streams(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                                    std::uint64_t skipped) {
  static const auto powers = [] {  // by 2^i words
    std::vector<XorwowJump> jumps{XorwowJump::one_word()};
    while (jumps.size() <= 67) jumps.push_back(jumps.back().twice());
    return jumps;
  }();
  Xorwow state;
  XorwowJump::seed(state, seed);
  for (std::size_t bit = 0; bit < 64; ++bit)
    if ((skipped >> bit & 1) != 0) powers[bit].apply(state, bit < 32 ? Word{1} << bit : 0);
  std::vector<Xorwow> result;
  for (std::uint64_t i = 0; i < first + count; ++i) {
    if (i >= first) result.push_back(state);
    powers[67].apply(state, 0);
  }
  return result;
}

namespace {

using Vector3 = std::array<std::uint64_t, 3>;
using Matrix3 = std::array<Vector3, 3>;

Vector3 product(const Matrix3& m, const Vector3& v, std::uint64_t modulus) {
  Vector3 result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result[i] = (result[i] + m[i][j] * v[j] % modulus) % modulus;
  return result;
}

Matrix3 square(const Matrix3& m, std::uint64_t modulus) {
  Matrix3 result{};
  for (std::size_t j = 0; j < 3; ++j) {
    const auto column = product(m, {m[0][j], m[1][j], m[2][j]}, modulus);
    for (std::size_t i = 0; i < 3; ++i) result[i][j] = column[i];
  }
  return result;
}

}  // namespace

std::vector<Mrg32k3a> Mrg32k3a::streams(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                                        std::uint64_t skipped) {
  constexpr std::uint64_t m1 = kFirst, m2 = kSecond;
  Mrg32k3a state;
  state.a_ = state.b_ = {12345, 12345, 12345};
  if (seed != 0) {
    const std::uint64_t x = static_cast<Word>(seed) ^ 0x55555555U, y = static_cast<Word>(seed >> 32) ^ 0xaaaaaaaaU;
    state.a_ = {x * 12345 % m1, y * 12345 % m1, x * 12345 % m1};
    state.b_ = {y * 12345 % m2, x * 12345 % m2, y * 12345 % m2};
  }
  Matrix3 a{{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}, b{{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};
  for (std::size_t bit = 0; bit < 76; ++bit) {
    if (bit < 64 && (skipped >> bit & 1) != 0) {
      state.a_ = product(a, state.a_, m1);
      state.b_ = product(b, state.b_, m2);
    }
    a = square(a, m1);
    b = square(b, m2);
  }
  std::vector<Mrg32k3a> result;
  for (std::uint64_t i = 0; i < first + count; ++i) {
    if (i >= first) result.push_back(state);
    state.a_ = product(a, state.a_, m1);
    state.b_ = product(b, state.b_, m2);
  }
  return result;
}

namespace {

template <class W> std::array<W, sizeof(W) * 8> directions_of(std::uint32_t dimension) {
  constexpr std::size_t kBits = sizeof(W) * 8;
  static constexpr std::uint16_t kTable[] = {
#include "library/cpu/sobol_directions.def"
  };
  std::array<W, kBits> numbers{};
  if (dimension == 0) {
    for (std::size_t i = 0; i < kBits; ++i) numbers[i] = W{1} << (kBits - 1 - i);
    return numbers;
  }
  const std::uint16_t* at = kTable;
  for (; dimension > 1; --dimension) at += std::bit_width(*at);
  const unsigned polynomial = *at;
  const auto degree = static_cast<std::size_t>(std::bit_width(polynomial)) - 1;
  for (std::size_t i = 0; i < kBits; ++i) {
    if (i < degree) {
      numbers[i] = at[1 + i];
      continue;
    }
    numbers[i] = numbers[i - degree] ^ (numbers[i - degree] << degree);
    for (std::size_t j = 1; j < degree; ++j)
      if ((polynomial >> (degree - j) & 1) != 0) numbers[i] ^= numbers[i - j] << j;
  }
  for (std::size_t i = 0; i < kBits; ++i) numbers[i] <<= kBits - 1 - i;
  return numbers;
}

}  // namespace

std::array<Word, 32> sobol_directions(std::uint32_t dimension) { return directions_of<Word>(dimension); }
std::array<std::uint64_t, 64> wide_sobol_directions(std::uint32_t dimension) {
  return directions_of<std::uint64_t>(dimension);
}

}  // namespace xcuda::library::cpu
