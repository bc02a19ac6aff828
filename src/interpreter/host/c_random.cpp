#include "interpreter/host/c_random.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::size_t kWords = 31, kApart = 3;
constexpr int kDropped = 310;  // first numbers, which are too much like the seed

}  // namespace

void CRandom::seed(std::uint32_t seed) {
  auto word = static_cast<std::int32_t>(seed == 0 ? 1 : seed);
  for (std::size_t i = 0; i < kWords; ++i) {
    state_[i] = static_cast<std::uint32_t>(word);
    const auto product = std::int64_t{16807} * word % 2147483647;
    word = static_cast<std::int32_t>(product < 0 ? product + 2147483647 : product);
  }
  state_[kWords] = 0;
  for (int i = 0; i < kDropped; ++i) next();
}

int CRandom::next() {
  const auto at = state_[kWords], front = static_cast<std::uint32_t>((at + kApart) % kWords);
  state_[front] += state_[at];
  state_[kWords] = static_cast<std::uint32_t>((at + 1) % kWords);
  return static_cast<int>(state_[front] >> 1);
}

CRandom& c_random() {
  static CRandom random;
  return random;
}

}  // namespace xcuda::interpreter
