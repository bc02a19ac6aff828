#include "library/random_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace xcuda::library {
namespace {

constexpr std::array<std::string_view, 5> kGenerators = {"philox", "xorwow", "mrg32k3a", "mt19937", "sobol"};
constexpr std::array<std::string_view, 4> kOrderings = {"default", "best", "legacy", "seeded"};

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
}

}  // namespace

std::span<const std::string_view> generator_names() { return kGenerators; }
std::span<const std::string_view> ordering_names() { return kOrderings; }
std::optional<Generator> find_generator(std::string_view name) { return find<Generator>(kGenerators, name); }
std::optional<Ordering> find_ordering(std::string_view name) { return find<Ordering>(kOrderings, name); }

std::string refusal(const Random& random, std::uint64_t count) {
  const auto name = kGenerators[static_cast<std::size_t>(random.generator)];
  const bool sobol = random.generator == Generator::sobol;
  if (sobol && random.ordering != Ordering::standard)
    return "sobol has one ordering: leave ordering out, or write \"default\"";
  if (random.ordering == Ordering::seeded && random.generator != Generator::xorwow)
    return fmt::format("only xorwow has the ordering \"seeded\", but the generator is {}", name);
  if (sobol && random.seed != 0) return "sobol has no seed: its points are always the same; offset skips some";
  if (random.generator == Generator::mt19937 && random.offset != 0)
    return "mt19937 cannot skip numbers: leave offset out";
  if (random.generator == Generator::philox && random.offset % 4 != 0)
    return fmt::format("philox makes four numbers at a time: the offset must be a multiple of 4, not {}",
                       random.offset);
  if (!sobol && random.dimensions != 1) return fmt::format("{} has no dimensions; sobol has", name);
  if (random.dimensions < 1 || random.dimensions > kMostDimensions)
    return fmt::format("sobol has 1 to {} dimensions, not {}", kMostDimensions, random.dimensions);
  if (sobol && count % random.dimensions != 0)
    return fmt::format("{} elements cannot be divided evenly among {} dimensions", count, random.dimensions);
  if (random.distribution == Distribution::poisson && random.first > kMostPoisson)
    return fmt::format("the mean is {}, but cuRAND takes at most {}", random.first, kMostPoisson);
  return {};
}

}  // namespace xcuda::library
