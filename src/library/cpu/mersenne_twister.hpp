// M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998): mt19937, as 8192 streams that are 2^2048
// words apart.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace xcuda::library::cpu {

class MersenneTwister {
 public:
  static constexpr std::size_t kWords = 624;  // of a state
  static constexpr std::uint64_t kStreams = 8192;
  using State = std::array<std::uint32_t, kWords>;

  explicit MersenneTwister(int threads) : threads_(threads) {}

  // The states of the first streams; those of a seed are kept. A stream takes about 0.3 ms of a core.
  const std::vector<State>& streams(std::uint32_t seed, std::uint64_t count);
  static void advance(State& state);  // by its own length
  static std::uint32_t output(std::uint32_t word);

 private:
  int threads_;
  std::uint32_t seed_ = 0;
  std::vector<State> states_;
};

}  // namespace xcuda::library::cpu
