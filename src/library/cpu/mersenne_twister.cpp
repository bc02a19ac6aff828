#include "library/cpu/mersenne_twister.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

namespace xcuda::library::cpu {
namespace {

constexpr std::size_t kDegree = 19937;
constexpr std::size_t kShift = 397;

std::uint32_t twist(std::uint32_t high, std::uint32_t low, std::uint32_t far) {
  const auto y = (high & 0x80000000U) | (low & 0x7fffffffU);
  return far ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfU : 0U);
}

// Words of the sequence that a state begins.
std::vector<std::uint32_t> sequence(const MersenneTwister::State& state, std::size_t count) {
  std::vector<std::uint32_t> words(state.begin(), state.end());
  words.reserve(count);
  for (std::size_t i = words.size(); i < count; ++i)
    words.push_back(twist(words[i - 624], words[i - 623], words[i - 624 + kShift]));
  return words;
}

MersenneTwister::State first_state(std::uint32_t seed) {
  MersenneTwister::State state{};
  state[0] = seed;
  for (std::uint32_t i = 1; i < state.size(); ++i) state[i] = 1812433253U * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
  return state;
}

// A polynomial over GF(2).
using Polynomial = std::vector<std::uint64_t>;

void add_shifted(Polynomial& to, const Polynomial& from, std::size_t shift) {
  const auto words = shift / 64, bits = shift % 64;
  if (to.size() < from.size() + words + 1) to.resize(from.size() + words + 1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i + words] ^= from[i] << bits;
    if (bits != 0) to[i + words + 1] ^= from[i] >> (64 - bits);
  }
}

// The exponents, below the first, of the characteristic polynomial: it is what the algorithm of Berlekamp and Massey
// finds in one bit of the sequence.
std::vector<std::size_t> characteristic_exponents() {
  const auto words = sequence(first_state(1), 624 + 2 * kDegree);
  Polynomial connection{1}, before{1}, window;  // bit k of the window: s[n - k]
  connection.resize(kDegree / 64 + 2);
  window.resize(kDegree / 64 + 2);
  std::size_t length = 0, since = 1;
  for (std::size_t n = 0; n < 2 * kDegree; ++n) {
    for (std::size_t i = window.size(); i-- > 1;) window[i] = window[i] << 1 | window[i - 1] >> 63;
    window[0] = window[0] << 1 | (words[624 + n] & 1);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < window.size(); ++i) sum ^= window[i] & connection[i];
    if (__builtin_parityll(sum) == 0) {
      ++since;
      continue;
    }
    auto next = connection;
    add_shifted(next, before, since);
    next.resize(window.size());
    if (2 * length <= n) {
      length = n + 1 - length;
      before = std::exchange(connection, std::move(next));
      since = 1;
    } else {
      connection = std::move(next);
      ++since;
    }
  }
  std::vector<std::size_t> exponents;
  for (std::size_t k = 1; k <= kDegree; ++k)
    if ((connection[k / 64] >> (k % 64) & 1) != 0) exponents.push_back(kDegree - k);
  return exponents;
}

// p * p modulo the characteristic polynomial.
Polynomial squared(const Polynomial& p, const std::vector<std::size_t>& exponents) {
  Polynomial square(2 * p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t half = 0; half < 2; ++half) {
      auto bits = p[i] >> (32 * half) & 0xffffffffU;
      for (const auto& [shift, mask] : std::initializer_list<std::pair<int, std::uint64_t>>{{16, 0x0000ffff0000ffff},
                                                                                            {8, 0x00ff00ff00ff00ff},
                                                                                            {4, 0x0f0f0f0f0f0f0f0f},
                                                                                            {2, 0x3333333333333333},
                                                                                            {1, 0x5555555555555555}})
        bits = (bits | bits << shift) & mask;
      square[2 * i + half] = bits;
    }
  for (;;) {  // what is over the degree comes back 623 or more below it
    Polynomial over;
    for (std::size_t i = kDegree / 64; i < square.size(); ++i) {
      auto word = square[i] >> (kDegree % 64);
      if (i + 1 < square.size()) word |= square[i + 1] << (64 - kDegree % 64);
      over.push_back(word);
    }
    while (!over.empty() && over.back() == 0) over.pop_back();
    if (over.empty()) break;
    square.resize(kDegree / 64 + 1);
    square.back() &= (std::uint64_t{1} << (kDegree % 64)) - 1;
    for (const auto exponent : exponents) add_shifted(square, over, exponent);
  }
  square.resize(kDegree / 64 + 1);
  return square;
}

// The powers x^(2^2048), x^(2^2049), ...: jumps over 1, 2, 4 ... streams.
const std::vector<std::vector<std::uint32_t>>& jumps() {
  static const auto list = [] {
    const auto exponents = characteristic_exponents();
    Polynomial p(kDegree / 64 + 1);
    p[0] = 2;
    std::vector<std::vector<std::uint32_t>> terms;
    for (int i = 0; i <= 2048 + 12; ++i) {
      if (i >= 2048) {
        auto& one = terms.emplace_back();
        for (std::uint32_t k = 0; k < kDegree; ++k)
          if ((p[k / 64] >> (k % 64) & 1) != 0) one.push_back(k);
      }
      p = squared(p, exponents);
    }
    return terms;
  }();
  return list;
}

#if defined(__x86_64__)
__attribute__((target("avx2")))
#endif
void add_rows_fast(std::uint32_t* to, const std::uint32_t* words, std::span<const std::uint32_t> terms) {
  for (std::size_t k = 0; k + 4 <= terms.size(); k += 4) {
    const auto *a = words + terms[k], *b = words + terms[k + 1], *c = words + terms[k + 2], *d = words + terms[k + 3];
    for (std::size_t j = 0; j < MersenneTwister::kWords; ++j) to[j] ^= a[j] ^ b[j] ^ c[j] ^ d[j];
  }
}

void add_rows(std::uint32_t* to, const std::uint32_t* words, std::span<const std::uint32_t> terms) {
  for (const auto term : terms)
    for (std::size_t j = 0; j < MersenneTwister::kWords; ++j) to[j] ^= words[term + j];
}

bool is_fast() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
#else
  return true;
#endif
}

// Each coefficient of the polynomial that is 1 adds the sequence from its exponent on.
MersenneTwister::State jumped(const MersenneTwister::State& state, std::span<const std::uint32_t> terms) {
  const auto words = sequence(state, kDegree + state.size());
  MersenneTwister::State sum{};
  const auto fours = is_fast() ? terms.size() / 4 * 4 : 0;
  add_rows_fast(sum.data(), words.data(), terms.first(fours));
  add_rows(sum.data(), words.data(), terms.subspan(fours));
  return sum;
}

}  // namespace

void MersenneTwister::advance(State& state) {
  for (std::size_t i = 0; i < kWords; ++i)
    state[i] = twist(state[i], state[(i + 1) % kWords], state[(i + kShift) % kWords]);
}

std::uint32_t MersenneTwister::output(std::uint32_t y) {
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680U;
  y ^= y << 15 & 0xefc60000U;
  return y ^ y >> 18;
}

const std::vector<MersenneTwister::State>& MersenneTwister::streams(std::uint32_t seed, std::uint64_t count) {
  if (states_.empty() || seed != seed_) states_.assign(1, first_state(seed));
  seed_ = seed;
  const auto known = states_.size();
  if (known >= count) return states_;
  states_.resize(count);
  const auto& powers = jumps();
  // Each thread has a piece in one row; the first of it is as far from the last known one as its powers of two say.
  const auto pieces = std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max(threads_, 1)), count - known);
  std::vector<std::thread> helpers;
  for (std::uint64_t piece = 0; piece < pieces; ++piece)
    helpers.emplace_back([&, piece] {
      const auto first = known + (count - known) * piece / pieces,
                 last = known + (count - known) * (piece + 1) / pieces;
      auto state = states_[known - 1];
      for (std::size_t bit = 0; bit < powers.size(); ++bit)
        if (((first - known + 1) >> bit & 1) != 0) state = jumped(state, powers[bit]);
      for (auto i = first; i < last; ++i) {
        states_[i] = state;
        if (i + 1 < last) state = jumped(state, powers[0]);
      }
    });
  for (auto& helper : helpers) helper.join();
  return states_;
}

}  // namespace xcuda::library::cpu
