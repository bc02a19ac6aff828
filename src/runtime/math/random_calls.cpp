#include "runtime/math/random_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "library/cpu/cpu_random_numbers.hpp"
#include "library/cpu/generators.hpp"
#include "library/cpu/normal_quantile.hpp"
#include "runtime/errors.hpp"
#include "runtime/math/slots.hpp"
#include "runtime/math/toolkit_random.hpp"

namespace xcuda::runtime::math {
namespace {

using library::Distribution;
using library::Generator;
using library::Ordering;

constexpr int kTypeError = 103, kOutOfRange = 104, kNotMultiple = 105;  // curandStatus
enum class Where : std::uint8_t { device, host };
enum class Words : std::uint8_t { of_32_bits, of_64_bits };  // of Sobol's points; the others have 32

struct Numbers {
  Where where = Where::device;
  Words words = Words::of_32_bits;
  cudaStream_t stream = nullptr;
  library::Random random;                     // its offset: as it was set
  std::uint64_t position = 0;                 // where the next call begins, counted as offsets are; 0: none was made
  std::shared_ptr<ToolkitGenerator> toolkit;  // that makes the numbers, and keeps where it is; null: `random` does
};

// One for all, as it keeps what takes long to find.
void make_numbers(const library::Call& call) {
  static std::mutex mutex;
  static auto* const maker = new library::cpu::RandomNumbers(device_threads());
  const std::lock_guard lock(mutex);
  maker->run(call);
}

std::mutex numbers_mutex;
std::map<const void*, std::shared_ptr<Numbers>>& all_numbers() {
  static auto* const all = new std::map<const void*, std::shared_ptr<Numbers>>;
  return *all;
}
std::shared_ptr<Numbers> find_numbers(const void* generator) {
  const std::lock_guard lock(numbers_mutex);
  const auto found = all_numbers().find(generator);
  return found == all_numbers().end() ? nullptr : found->second;
}

constexpr int kWideSobol = 203, kWideScrambledSobol = 204;
std::optional<Generator> generator_of(int type) {  // as curand.h numbers them
  switch (type) {
    case 100:
    case 101: return Generator::xorwow;
    case 121: return Generator::mrg32k3a;
    case 141:
    case 142: return Generator::mt19937;
    case 161: return Generator::philox;
    case 200:
    case 201:
    case 202:
    case kWideSobol:
    case kWideScrambledSobol: return Generator::sobol;
    default: return std::nullopt;
  }
}

int new_numbers(void** generator, int type, Where where) {
  if (generator == nullptr) return kOutOfRange;
  const auto kind = generator_of(type);
  if (!kind) {
    say_once(fmt::format("curandCreateGenerator: the CPU device does not have the generator {}", type));
    return kTypeError;
  }
  auto numbers = std::make_shared<Numbers>();
  if (ToolkitGenerator::serves(type)) {
    int status = 0;
    numbers->toolkit = ToolkitGenerator::make(type, status);
    if (numbers->toolkit == nullptr) return status;
  }
  numbers->where = where;
  numbers->words = type == kWideSobol || type == kWideScrambledSobol ? Words::of_64_bits : Words::of_32_bits;
  numbers->random.generator = *kind;
  *generator = numbers.get();
  const std::lock_guard lock(numbers_mutex);
  all_numbers().emplace(*generator, std::move(numbers));
  return 0;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

// Words that a call takes, so that the next one begins with fresh ones.
std::uint64_t taken(const Numbers& numbers, std::size_t count, std::size_t element) {
  const auto& random = numbers.random;
  const bool wide = element == sizeof(double);
  switch (random.generator) {
    case Generator::sobol: return count / random.dimensions;
    case Generator::mt19937:
    case Generator::mrg32k3a: return count;
    case Generator::philox: return wide ? 2 * rounded_up(count, 4 * 65536) : rounded_up(count, 4);
    case Generator::xorwow: break;
  }
  return wide ? 2 * rounded_up(count, 4096) : count;  // two words of each of its streams
}

template <class T>
inline constexpr xcuda::Scalar kElement = std::is_same_v<T, float>    ? xcuda::Scalar::float32
                                          : std::is_same_v<T, double> ? xcuda::Scalar::float64
                                                                      : xcuda::Scalar::uint32;

// A number from a point of 64 bits; float takes the first 32.
template <class T> T number_of_point(const library::Random& random, std::uint64_t point) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(point);
  } else {
    constexpr bool kWide = sizeof(T) == sizeof(double);
    const auto word = static_cast<T>(kWide ? point >> 11 : point >> 32);
    if (random.distribution == Distribution::uniform)
      return word * static_cast<T>(kWide ? 0x1p-53 : 0x1p-32) + static_cast<T>(kWide ? 0x1p-54 : 0x1p-33);
    const double place =
        kWide ? static_cast<double>(point) * 0x1p-64 + 0x1p-65 : static_cast<double>(point >> 32) * 0x1p-32 + 0x1p-33;
    const T one = static_cast<T>(random.first) +
                  static_cast<T>(random.second) * static_cast<T>(library::cpu::normal_quantile(place));
    return random.distribution == Distribution::lognormal ? std::exp(one) : one;
  }
}
template <class T>
void draw_wide_sobol(const library::Random& random, std::uint64_t position, T* to, std::size_t count) {
  const auto points = count / random.dimensions;
  for (std::uint32_t dimension = 0; dimension < random.dimensions; ++dimension) {
    const auto directions = library::cpu::wide_sobol_directions(dimension);
    const auto gray = position ^ (position >> 1);
    std::uint64_t point = 0;
    for (std::size_t bit = 0; bit < 64; ++bit)
      if ((gray >> bit & 1) != 0) point ^= directions[bit];
    for (std::uint64_t i = 0; i < points; ++i) {
      to[dimension * points + i] = number_of_point<T>(random, point);
      point ^= directions[static_cast<std::size_t>(std::countr_zero((position + i + 1) | std::uint64_t{1} << 63))];
    }
  }
}

template <class T> void draw(library::Random random, Words words, std::uint64_t position, T* to, std::size_t count) {
  if (words == Words::of_64_bits) return draw_wide_sobol(random, position, to, count);
  library::Call call;
  call.operation = library::Operation::random;
  // Numbers of mt19937 can only be skipped by making them.
  std::vector<T> all;
  std::uint64_t before = 0;
  if (random.generator == Generator::mt19937) {
    before = position + position % 2;  // pairs of normal numbers
    all.resize(before == 0 ? 0 : before + count);
    random.offset = 0;
  } else {
    random.offset = position;
  }
  call.random = random;
  library::Operand result;
  result.address = reinterpret_cast<std::uint64_t>(all.empty() ? to : all.data());
  result.type = kElement<T>;
  result.shape = {before + count};
  result.strides = {1};
  call.operands = {result};
  make_numbers(call);
  if (!all.empty()) std::copy(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(), to);
}

// Where the chances of the counts lie that are not too small to come up, added up.
struct PoissonTable {
  std::uint64_t first = 0;
  std::vector<double> sums;

  explicit PoissonTable(double mean) {
    const double reach = 12 * std::sqrt(mean) + 24;
    first = mean > reach ? static_cast<std::uint64_t>(mean - reach) : 0;
    double sum = 0;
    for (auto k = static_cast<double>(first); k <= mean + reach; ++k)
      sums.push_back(sum += mean == 0 ? (k == 0 ? 1 : 0) : std::exp(k * std::log(mean) - mean - std::lgamma(k + 1)));
  }
  unsigned of(double uniform) const {
    const auto at = std::lower_bound(sums.begin(), sums.end() - 1, uniform);
    return static_cast<unsigned>(first + static_cast<std::uint64_t>(at - sums.begin()));
  }
};

template <class T> struct Wanted {
  const char* name;  // of the function, for messages
  void* generator;
  T* to;
  std::size_t count;
  library::Random random;
  std::size_t element = sizeof(T);  // of the numbers that are taken, bytes
};

// Checks, and has the numbers made in the order of the generator's calls, by `own` or by the toolkit's generator.
template <class T, class Own, class Toolkit> int generate(const Wanted<T>& wanted, Own own, Toolkit from_toolkit) {
  const auto numbers = find_numbers(wanted.generator);
  if (numbers == nullptr) return kRandomCodes.uninitialized;
  if (wanted.count == 0) return 0;
  if (wanted.to == nullptr) return kOutOfRange;
  auto random = wanted.random;
  random.generator = numbers->random.generator;
  random.ordering = numbers->random.ordering;
  random.seed = numbers->random.seed;
  random.dimensions = numbers->random.dimensions;
  if (library::makes_pairs(random) && wanted.count % 2 != 0) return kNotMultiple;
  if (random.generator == Generator::sobol && wanted.count % random.dimensions != 0) return kNotMultiple;
  const auto position = numbers->position;
  const auto work = [=, toolkit = numbers->toolkit, words = numbers->words] {
    if (toolkit != nullptr) return from_toolkit(*toolkit);
    own(random, words, position);
    return 0;
  };
  auto status = 0;
  if (numbers->where == Where::host)
    status = work();
  else
    status = kRandomCodes.of(
        post({wanted.name, numbers->stream, Waits::no, {{wanted.to, wanted.count * sizeof(T), "the result"}}},
             [work, name = wanted.name] {
               if (const int late = work(); late != 0) say(fmt::format("{} failed with status {}", name, late));
             }));
  if (status == 0) numbers->position += taken(*numbers, wanted.count, wanted.element);
  return status;
}

template <class T, class Toolkit>
int generate_plainly(const char* name, void* generator, T* to, std::size_t count, const library::Random& random,
                     Toolkit from_toolkit) {
  return generate<T>(
      {name, generator, to, count, random},
      [=](const library::Random& as, Words words, std::uint64_t position) { draw(as, words, position, to, count); },
      from_toolkit);
}

// A toolkit's generator keeps where it is itself, so that its calls have to be done before others come.
void wait_for_toolkit(const Numbers& numbers) {
  if (numbers.toolkit != nullptr && numbers.where == Where::device && numbers.position > 0)
    post({"cuRAND", numbers.stream, Waits::unless_captured, {}}, [] {});
}

// Sets what a generator has, by `own` or by the toolkit's generator.
template <class Own, class Toolkit> int with_numbers(void* generator, Own own, Toolkit in_toolkit) {
  const auto numbers = find_numbers(generator);
  if (numbers == nullptr) return kRandomCodes.uninitialized;
  if (numbers->toolkit != nullptr) {
    wait_for_toolkit(*numbers);
    return in_toolkit(*numbers);
  }
  const int status = own(*numbers);
  if (status == 0) numbers->position = numbers->random.offset;  // it begins anew
  return status;
}

library::Random numbers_of(Distribution distribution, double first = 0, double second = 1) {
  library::Random random;
  random.distribution = distribution;
  random.first = first;
  random.second = second;
  return random;
}

}  // namespace

int create_generator(void** generator, int type) { return new_numbers(generator, type, Where::device); }
int create_host_generator(void** generator, int type) { return new_numbers(generator, type, Where::host); }

int destroy_generator(void* generator) {
  const std::lock_guard lock(numbers_mutex);
  return all_numbers().erase(generator) > 0 ? 0 : kRandomCodes.uninitialized;  // its work goes on
}

int random_version(int* version) {
  if (version == nullptr) return kOutOfRange;
  *version = 10400;
  return 0;
}
int random_property(int which, int* value) {
  constexpr int kNumbers[] = {10, 4, 0};
  if (value == nullptr || which < 0 || which > 2) return kOutOfRange;
  *value = kNumbers[which];
  return 0;
}

int set_generator_stream(void* generator, cudaStream_t stream) {
  const auto numbers = find_numbers(generator);
  if (numbers == nullptr) return kRandomCodes.uninitialized;
  wait_for_toolkit(*numbers);  // the work of the two streams is not in one order
  numbers->stream = stream;
  return 0;
}
int set_seed(void* generator, unsigned long long seed) {
  return with_numbers(
      generator,
      [&](Numbers& numbers) {
        if (numbers.random.generator == Generator::sobol) return kTypeError;
        numbers.random.seed = seed;
        return 0;
      },
      [&](Numbers& numbers) { return numbers.toolkit->set_seed(seed); });
}
int set_offset(void* generator, unsigned long long offset) {
  return with_numbers(
      generator,
      [&](Numbers& numbers) {
        if (numbers.random.generator == Generator::mt19937) return kTypeError;
        if (numbers.random.generator == Generator::philox && offset % 4 != 0) {
          say_once(
              "curandSetGeneratorOffset: philox makes four numbers at a time, so the offset must be a multiple of 4");
          return kOutOfRange;
        }
        numbers.random.offset = offset;
        return 0;
      },
      [&](Numbers& numbers) { return numbers.toolkit->set_offset(offset); });
}
int set_ordering(void* generator, int ordering) {
  return with_numbers(
      generator,
      [&](Numbers& numbers) {
        const bool sobol = numbers.random.generator == Generator::sobol;
        if (sobol != (ordering == 201)) return kOutOfRange;
        switch (ordering) {
          case 100:
          case 104: numbers.random.ordering = Ordering::best; return 0;
          case 101:
          case 201: numbers.random.ordering = Ordering::standard; return 0;
          case 103: numbers.random.ordering = Ordering::legacy; return 0;
          case 102: say_not_supported("CURAND_ORDERING_PSEUDO_SEEDED", "an ordering"); return kTypeError;
          default: return kOutOfRange;
        }
      },
      [&](Numbers& numbers) { return numbers.toolkit->set_ordering(ordering); });
}
int set_dimensions(void* generator, unsigned dimensions) {
  return with_numbers(
      generator,
      [&](Numbers& numbers) {
        if (numbers.random.generator != Generator::sobol) return kTypeError;
        if (dimensions < 1 || dimensions > library::kMostDimensions) return kOutOfRange;
        if (dimensions > library::cpu::kSobolDimensions) {
          say_once(fmt::format("curandSetQuasiRandomGeneratorDimensions: the CPU device has {} dimensions",
                               library::cpu::kSobolDimensions));
          return kTypeError;
        }
        numbers.random.dimensions = dimensions;
        return 0;
      },
      [&](Numbers& numbers) {
        const int status = numbers.toolkit->set_dimensions(dimensions);
        if (status == 0) numbers.random.dimensions = dimensions;
        return status;
      });
}
int generate_seeds(void* generator) {
  return with_numbers(
      generator, [](Numbers&) { return 0; },  // states are made with the numbers
      [](Numbers& numbers) { return numbers.toolkit->generate_seeds(); });
}

int generate_bits(void* generator, unsigned* to, std::size_t count) {
  if (const auto numbers = find_numbers(generator); numbers != nullptr && numbers->words == Words::of_64_bits)
    return kTypeError;
  return generate_plainly("curandGenerate", generator, to, count, numbers_of(Distribution::bits),
                          [=](ToolkitGenerator& toolkit) { return toolkit.bits(to, count); });
}
int generate_wide_bits(void* generator, unsigned long long* to, std::size_t count) {
  if (const auto numbers = find_numbers(generator); numbers != nullptr && numbers->words != Words::of_64_bits)
    return kTypeError;
  return generate<unsigned long long>(
      {"curandGenerateLongLong", generator, to, count, numbers_of(Distribution::bits)},
      [=](const library::Random& random, Words, std::uint64_t position) {
        draw_wide_sobol(random, position, to, count);
      },
      [=](ToolkitGenerator& toolkit) { return toolkit.bits(to, count); });
}
template <class T> int generate_uniform(void* generator, T* to, std::size_t count) {
  return generate_plainly("curandGenerateUniform", generator, to, count, numbers_of(Distribution::uniform),
                          [=](ToolkitGenerator& toolkit) { return toolkit.uniform(to, count); });
}
template <class T> int generate_normal(void* generator, T* to, std::size_t count, T mean, T deviation) {
  return generate_plainly("curandGenerateNormal", generator, to, count,
                          numbers_of(Distribution::normal, mean, deviation),
                          [=](ToolkitGenerator& toolkit) { return toolkit.normal(to, count, mean, deviation); });
}
template <class T> int generate_log_normal(void* generator, T* to, std::size_t count, T mean, T deviation) {
  return generate_plainly("curandGenerateLogNormal", generator, to, count,
                          numbers_of(Distribution::lognormal, mean, deviation),
                          [=](ToolkitGenerator& toolkit) { return toolkit.log_normal(to, count, mean, deviation); });
}
template int generate_uniform<float>(void*, float*, std::size_t);
template int generate_uniform<double>(void*, double*, std::size_t);
template int generate_normal<float>(void*, float*, std::size_t, float, float);
template int generate_normal<double>(void*, double*, std::size_t, double, double);
template int generate_log_normal<float>(void*, float*, std::size_t, float, float);
template int generate_log_normal<double>(void*, double*, std::size_t, double, double);

int generate_poisson(void* generator, unsigned* to, std::size_t count, double mean) {
  if (!(mean >= 0) || mean > library::kMostPoisson) return kOutOfRange;
  return generate<unsigned>(
      {"curandGeneratePoisson", generator, to, count, numbers_of(Distribution::uniform), sizeof(double)},
      [=](const library::Random& random, Words words, std::uint64_t position) {
        const PoissonTable table(mean);
        std::vector<double> uniform(count);
        draw(random, words, position, uniform.data(), count);
        std::transform(uniform.begin(), uniform.end(), to, [&](double one) { return table.of(one); });
      },
      [=](ToolkitGenerator& toolkit) { return toolkit.poisson(to, count, mean); });
}

#define XCUDA_MATH_STATUS kRandomCodes.unsupported
const void* const kRandomSlots[] = {
#include "runtime/math/random_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
