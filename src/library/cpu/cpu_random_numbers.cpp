#include "library/cpu/cpu_random_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "library/cpu/generators.hpp"
#include "library/cpu/normal_quantile.hpp"
#include "xcuda/random.cuh"

namespace xcuda::library::cpu {
namespace {

// --- numbers of words, as cuRAND makes them: never 0 ----------------------------------------------------------------

template <class T> T from_word(Word x) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(x) * 0x1p-32F + 0x1p-33F;
  else
    return x * 0x1p-32 + 0x1p-33;
}
double from_words(Word x, Word y) {
  return static_cast<double>(x ^ (static_cast<std::uint64_t>(y) << 21)) * 0x1p-53 + 0x1p-54;
}

// G. E. P. Box and M. E. Muller: two normal numbers of two uniform ones; the second is given as an angle.
template <class T> void box_muller(T u, T angle, T* to) {
  const T radius = std::sqrt(T{-2} * std::log(u));
  to[0] = radius * std::sin(angle);
  to[1] = radius * std::cos(angle);
}
constexpr float kTurn = 6.2831855F;
constexpr double kHalfTurn = 3.1415926535897932;

// Numbers of one stream. pair(): two normal ones.
struct XorwowDraws {
  static constexpr std::uint64_t streams(Ordering) { return 4096; }
  using Source = Xorwow;
  static Word bits(Xorwow& from) { return from.next(); }
  template <class T> static T uniform(Xorwow& from) {
    const auto x = from.next();
    if constexpr (std::is_same_v<T, float>)
      return from_word<float>(x);
    else
      return from_words(x, from.next());
  }
  static void pair(Xorwow& from, float* to) {
    const auto u = from_word<float>(from.next());
    constexpr float kStep = 0x1p-32F * kTurn;
    box_muller(u, static_cast<float>(from.next()) * kStep + kStep / 2, to);
  }
  static void pair(Xorwow& from, double* to) {
    const auto u = uniform<double>(from);
    box_muller(u, uniform<double>(from) * 2 * kHalfTurn, to);
  }
};

struct MrgDraws {
  static constexpr std::uint64_t streams(Ordering ordering) { return ordering == Ordering::legacy ? 4096 : 81920; }
  using Source = Mrg32k3a;
  static Word bits(Mrg32k3a& from) { return static_cast<Word>(from.next() * 1.000000048662); }
  template <class T> static T uniform(Mrg32k3a& from) {
    return static_cast<T>(from.next() * 2.3283065498378288e-10);  // 1 / kFirst
  }
  static void pair(Mrg32k3a& from, float* to) {
    const auto u = uniform<float>(from);
    box_muller(u, uniform<float>(from) * kTurn, to);
  }
  static void pair(Mrg32k3a& from, double* to) {
    const auto u = uniform<double>(from);
    box_muller(u, uniform<double>(from) * 2 * kHalfTurn, to);
  }
};

// Row by row over the streams; each draw gives `step` numbers in a row.
template <class Draws, class Draw>
void side_by_side(const Random& random, std::uint64_t count, std::uint64_t step, Draw draw) {
  const auto streams = Draws::streams(random.ordering);
  const auto first = random.offset % streams, skipped = random.offset / streams;
  const auto used = std::min(streams, (count + step - 1) / step), before_end = std::min(used, streams - first);
  auto states = Draws::Source::streams(random.seed, first, before_end, skipped);
  if (used > before_end) {
    const auto wrapped = Draws::Source::streams(random.seed, 0, used - before_end, skipped + 1);
    states.insert(states.end(), wrapped.begin(), wrapped.end());
  }
  for (std::uint64_t at = 0, stream = 0; at < count; at += step) {
    draw(states[stream], at);
    if (++stream == states.size()) stream = 0;
  }
}

template <class Draws, class T> void fill_streams(const Random& random, T* to, std::uint64_t count) {
  using Source = typename Draws::Source;
  if constexpr (std::is_same_v<T, Word>)
    side_by_side<Draws>(random, count, 1, [&](Source& from, std::uint64_t i) { to[i] = Draws::bits(from); });
  else if (random.distribution == Distribution::uniform)
    side_by_side<Draws>(random, count, 1,
                        [&](Source& from, std::uint64_t i) { to[i] = Draws::template uniform<T>(from); });
  else
    side_by_side<Draws>(random, count, 2, [&](Source& from, std::uint64_t i) { Draws::pair(from, to + i); });
}

// --- philox: 65536 subsequences; a number is a function of its place -------------------------------------------------

constexpr std::uint64_t kPhiloxThreads = 65536;

Word philox_word(const Random& random, std::uint64_t place) {
  const auto block = place / 4;
  return philox(random.seed, block / kPhiloxThreads, block % kPhiloxThreads).word[place % 4];
}

// Four doubles in a row are of two blocks of one subsequence.
double philox_double(const Random& random, std::uint64_t i) {
  const auto place = random.offset + i % (4 * kPhiloxThreads), quad = place / 4;
  const auto block = philox(random.seed, quad / kPhiloxThreads + 2 * (i / (4 * kPhiloxThreads)) + place % 4 / 2,
                            quad % kPhiloxThreads);
  return from_words(block.word[place % 2 * 2], block.word[place % 2 * 2 + 1]);
}

template <class T> void fill_philox(const Random& random, T* to, std::uint64_t count) {
  const auto uniform = [&](std::uint64_t i) {
    if constexpr (std::is_same_v<T, double>)
      return philox_double(random, i);
    else
      return from_word<float>(philox_word(random, random.offset + i));
  };
  if constexpr (std::is_same_v<T, Word>) {
    for (std::uint64_t i = 0; i < count; ++i) to[i] = philox_word(random, random.offset + i);
  } else if (random.distribution == Distribution::uniform) {
    for (std::uint64_t i = 0; i < count; ++i) to[i] = uniform(i);
  } else {
    for (std::uint64_t i = 0; i < count; i += 2) {
      if constexpr (std::is_same_v<T, double>) {
        box_muller(uniform(i), uniform(i + 1) * 2 * kHalfTurn, to + i);
      } else {
        constexpr float kStep = 0x1p-32F * kTurn;
        const auto y = static_cast<float>(philox_word(random, random.offset + i + 1));
        box_muller(uniform(i), y * kStep + kStep / 2, to + i);
      }
    }
  }
}

// --- one word for each number ----------------------------------------------------------------------------------------

template <class T> void store_word(const Random& random, Word word, T& to) {
  if constexpr (std::is_same_v<T, Word>)
    to = word;
  else if (random.distribution != Distribution::uniform)
    to = static_cast<T>(normal_quantile(word * 0x1p-32 + 0x1p-33));
  else if (random.generator == Generator::mt19937)
    to = static_cast<T>(word * 0x1p-32 + 0x1p-33);
  else if constexpr (std::is_same_v<T, float>)
    to = from_word<float>(word);
  else
    to = word * 0x1p-32 + 0x1p-32;
}

template <class T> void fill_sobol(const Random& random, T* to, std::uint64_t count) {
  const auto points = count / random.dimensions;
  for (std::uint32_t dimension = 0; dimension < random.dimensions; ++dimension) {
    const auto directions = sobol_directions(dimension);
    const auto gray = random.offset ^ (random.offset >> 1);
    Word point = 0;
    for (std::size_t bit = 0; bit < 32; ++bit)
      if ((gray >> bit & 1) != 0) point ^= directions[bit];
    for (std::uint64_t i = 0; i < points; ++i) {
      store_word(random, point, to[dimension * points + i]);
      const auto next = random.offset + i + 1;
      point ^= directions[static_cast<std::size_t>(__builtin_ctzll(next | std::uint64_t{1} << 31))];
    }
  }
}

// Eight threads share a state: 78 rows of eight words. The first row are the words that the others leave out; of the
// rest, each thread has seven neighbours out of 56.
std::vector<std::size_t> twister_places() {
  constexpr std::array<std::size_t, 8> kFirstRow = {0, 113, 170, 283, 340, 397, 510, 567};
  std::vector<std::size_t> places(MersenneTwister::kWords);
  std::copy(kFirstRow.begin(), kFirstRow.end(), places.begin());
  std::size_t rank = 0;
  for (std::size_t word = 0; word < MersenneTwister::kWords; ++word) {
    if (std::find(kFirstRow.begin(), kFirstRow.end(), word) != kFirstRow.end()) continue;
    const auto row = 1 + rank / 56 * 7 + rank % 7, thread = rank % 56 / 7;
    places[row * 8 + thread] = word;
    ++rank;
  }
  return places;
}

template <class T> void fill_twister(MersenneTwister& twister, const Random& random, T* to, std::uint64_t count) {
  static const auto places = twister_places();
  constexpr std::uint64_t kRow = MersenneTwister::kStreams * 8;
  const auto used = std::min((count + 7) / 8, MersenneTwister::kStreams);
  const auto& streams = twister.streams(static_cast<Word>(random.seed), used);
  for (std::uint64_t stream = 0; stream < used; ++stream) {
    auto state = streams[stream];
    for (std::uint64_t row = 0; row * kRow + stream * 8 < count; ++row) {
      if (row % 78 == 0) MersenneTwister::advance(state);
      for (std::uint64_t thread = 0; thread < 8; ++thread) {
        const auto at = row * kRow + stream * 8 + thread;
        if (at < count) store_word(random, MersenneTwister::output(state[places[row % 78 * 8 + thread]]), to[at]);
      }
    }
  }
}

}  // namespace

template <class T> void RandomNumbers::fill(const Random& random, T* to, std::uint64_t count) {
  switch (random.generator) {
    case Generator::philox: fill_philox(random, to, count); break;
    case Generator::xorwow: fill_streams<XorwowDraws>(random, to, count); break;
    case Generator::mrg32k3a: fill_streams<MrgDraws>(random, to, count); break;
    case Generator::mt19937: fill_twister(twister_, random, to, count); break;
    case Generator::sobol: fill_sobol(random, to, count); break;
  }
  if constexpr (!std::is_same_v<T, Word>) {
    if (!is_normal(random.distribution)) return;
    const auto mean = static_cast<T>(random.first), deviation = static_cast<T>(random.second);
    const bool exponent = random.distribution == Distribution::lognormal;
    for (std::uint64_t i = 0; i < count; ++i) {
      to[i] = mean + deviation * to[i];
      if (exponent) to[i] = std::exp(to[i]);
    }
  }
}

Report RandomNumbers::run(const Call& call) {
  const auto& random = call.random;
  const auto& result = call.operands.at(0);
  std::uint64_t count = 1;
  for (const auto extent : result.shape) count *= extent;
  const auto name = generator_names()[static_cast<std::size_t>(random.generator)];
  const auto wrong = [&](ErrorKind kind, const std::string& why) {
    return Error(kind, fmt::format("random numbers of {}: {}", name, why));
  };
  if (const auto why = refusal(random, count); !why.empty()) throw wrong(ErrorKind::value, why);
  if (random.ordering == Ordering::seeded)
    throw wrong(ErrorKind::unsupported, "the CPU device does not have the ordering \"seeded\"");
  if (random.dimensions > kSobolDimensions)
    throw wrong(ErrorKind::unsupported, fmt::format("the CPU device supports at most {} dimensions", kSobolDimensions));
  if (makes_pairs(random) && count % 2 != 0) throw wrong(ErrorKind::value, "the count of normal numbers is odd");
  auto* const to = reinterpret_cast<void*>(result.address);
  if (result.type == Scalar::uint32 && random.distribution == Distribution::bits)
    fill(random, static_cast<Word*>(to), count);
  else if (result.type == Scalar::float32 && random.distribution != Distribution::bits)
    fill(random, static_cast<float*>(to), count);
  else if (result.type == Scalar::float64 && random.distribution != Distribution::bits)
    fill(random, static_cast<double*>(to), count);
  else
    throw wrong(ErrorKind::unsupported,
                fmt::format("cannot draw {} from this distribution", type_of(result.type).name));
  return {0, std::string(name), type_of(result.type).name};
}

}  // namespace xcuda::library::cpu
