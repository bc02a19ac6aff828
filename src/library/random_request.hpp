// Random numbers of the generators that cuRAND's host interface has, by its names and in its orders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace xcuda::library {

enum class Generator : std::uint8_t { philox, xorwow, mrg32k3a, mt19937, sobol };
enum class Ordering : std::uint8_t { standard, best, legacy, seeded };
enum class Distribution : std::uint8_t { bits, uniform, normal, lognormal, poisson };

struct Random {
  Generator generator = Generator::philox;
  Ordering ordering = Ordering::standard;
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;      // from the begin of the sequence, as curandSetGeneratorOffset() counts
  std::uint32_t dimensions = 1;  // of sobol: all points of the first, then of the second
  // normal, lognormal: mean and deviation of the normal numbers; poisson: the mean. Uniform numbers are in (0, 1].
  double first = 0, second = 1;
};

inline constexpr std::uint32_t kMostDimensions = 20000;
inline constexpr double kMostPoisson = 400000;  // the greatest mean that cuRAND takes

std::span<const std::string_view> generator_names();  // by Generator: "philox"
std::span<const std::string_view> ordering_names();   // by Ordering; the first is "default"
std::optional<Generator> find_generator(std::string_view name);
std::optional<Ordering> find_ordering(std::string_view name);

constexpr bool is_normal(Distribution distribution) {
  return distribution == Distribution::normal || distribution == Distribution::lognormal;
}
// Whether normal numbers are made two at a time, so that their count is even.
constexpr bool makes_pairs(const Random& random) {
  return is_normal(random.distribution) && random.generator != Generator::sobol;
}

// Why no device gives such numbers; empty where a device may.
std::string refusal(const Random& random, std::uint64_t count);

}  // namespace xcuda::library
