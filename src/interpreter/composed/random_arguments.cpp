#include "interpreter/composed/random_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "arrays/convert.hpp"
#include "interpreter/given_call_arguments.hpp"

namespace xcuda::interpreter {

std::span<const std::string_view> words_of_random_numbers(std::string_view parameter) {
  if (parameter == "generator") return library::generator_names();
  if (parameter == "ordering") return library::ordering_names();
  return {};
}

const cell::Expression* RandomArguments::find(std::string_view parameter) const {
  return language::given(of_.call, of_.row(), parameter);
}

Error RandomArguments::wrong(std::string message, std::string_view parameter) const {
  const auto* given = find(parameter);
  return error(ErrorKind::value, fmt::format("{}(): {}", of_.row().name, message),
               given != nullptr ? given->span : of_.span);
}

double RandomArguments::real(std::string_view parameter, double otherwise) {
  const auto* given = find(parameter);
  if (given == nullptr) return otherwise;
  const double value = number(*given, "an argument").as_real();
  if (!std::isfinite(value)) throw error(ErrorKind::value, "the argument is not finite", given->span);
  return value;
}

std::int64_t RandomArguments::integer(std::string_view parameter, std::int64_t otherwise) {
  const auto* given = find(parameter);
  if (given == nullptr) return otherwise;
  const auto value = number(*given, parameter);
  if (!value.is_integer())
    throw error(ErrorKind::type, fmt::format("{} is {}, not an integer", parameter, value.type().name), given->span);
  return value.as_signed();
}

std::string RandomArguments::word(std::string_view parameter) const {
  const auto& given = *find(parameter);
  if (const auto* name = std::get_if<cell::Name>(&given.node)) return name->text;
  if (const auto* text = std::get_if<cell::StringLiteral>(&given.node)) return text->value;
  throw error(ErrorKind::type,
              fmt::format("expected a word for {}: {} = \"{}\"", parameter, parameter,
                          parameter == "generator" ? "xorwow" : "default"),
              given.span);
}

void RandomArguments::read_generator(RandomNumbers& numbers) {
  frame_.call_arguments.bound(of_);  // what is unknown is an error
  const auto* seed = find("seed");
  if (seed != nullptr) {
    const auto value = number(*seed, "a seed");
    if (!value.type().is_integer()) throw error(ErrorKind::type, "a seed must be an integer", seed->span);
    numbers.seed = value.as_unsigned();
  }
  if (find("generator") == nullptr) {
    for (const auto* one : {"offset", "ordering", "dimensions"})
      if (find(one) != nullptr)
        throw wrong(fmt::format("{} needs a generator", one), one)
            .advise(fmt::format("Add generator = \"{}\".", std::string_view(one) == "dimensions" ? "sobol" : "xorwow"));
    if (seed == nullptr) numbers.seed = session_.next_seed();
    return;
  }
  auto& random = numbers.generator.emplace();
  const auto known = [&](std::string_view parameter, auto names, auto found) {
    if (!found)
      throw wrong(fmt::format("unknown {} \"{}\"", parameter, word(parameter)), parameter)
          .advise(fmt::format("Choose one of \"{}\".", fmt::join(names, "\", \"")));
    return *found;
  };
  random.generator = known("generator", library::generator_names(), library::find_generator(word("generator")));
  if (find("ordering") != nullptr)
    random.ordering = known("ordering", library::ordering_names(), library::find_ordering(word("ordering")));
  for (const auto* one : {"offset", "dimensions"})
    if (integer(one, 1) < 0) throw wrong(fmt::format("{} is {}: expected at least 0", one, integer(one, 1)), one);
  random.offset = static_cast<std::uint64_t>(integer("offset", 0));
  random.dimensions = static_cast<std::uint32_t>(std::min<std::int64_t>(integer("dimensions", 1), 0x7fffffff));
  if (seed == nullptr && random.generator != library::Generator::sobol) numbers.seed = session_.next_seed();
  random.seed = numbers.seed;
}

// Reads the bounds of randint(): integers that the elements hold.
void RandomArguments::read_bounds(RandomNumbers& numbers, const Type& type) {
  if (!type.is_integer())
    throw error(ErrorKind::type, fmt::format("randint() makes integers, but the elements are {}", type.name), of_.span);
  const bool low = find("lo") != nullptr, high = find("hi") != nullptr;
  if (low != high)
    throw error(ErrorKind::type, "randint() takes lo and hi", of_.span)
        .advise("randint(0, 10) gives integers from 0 to 9.");
  if (!low) {
    if (!numbers.generator)
      throw error(ErrorKind::type, "randint() takes lo and hi", of_.span)
          .advise("randint(0, 10) gives integers from 0 to 9; randint(generator = \"xorwow\") gives 32-bit words.");
    if (type.size != 4)
      throw error(ErrorKind::type,
                  fmt::format("randint() without lo and hi gives 32-bit words, but the elements are {}", type.name),
                  of_.span)
          .advise("Declare the array unsigned int, or name lo and hi.");
    return;
  }
  const auto first = integer("lo", 0), end = integer("hi", 0);
  if (first >= end)
    throw error(ErrorKind::value, fmt::format("randint({}, {}) is empty: lo must be less than hi", first, end),
                find("hi")->span);
  for (const auto one : {first, end - 1})
    if (!arrays::holds_integer(type, one)) throw wrong(fmt::format("{} does not fit {}", one, type.name), "hi");
  const auto range = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(first);
  if (range > std::uint64_t{1} << 32)
    throw wrong(fmt::format("{} integers are more than 32 bits can tell apart", range), "hi");
  numbers.low = first;
  numbers.range = range;
}

RandomNumbers RandomArguments::initial(const Type& type, std::uint64_t count) {
  using language::Operation;
  using Kind = RandomNumbers::Kind;
  RandomNumbers numbers;
  read_generator(numbers);
  const bool uniform = of_.row().operation == Operation::uniform;
  if (uniform) {
    numbers.first = real("lo", 0);
    numbers.second = real("hi", 1);
    if (!(numbers.first < numbers.second))
      throw error(ErrorKind::value,
                  fmt::format("uniform({}, {}) is empty: lo must be less than hi", numbers.first, numbers.second),
                  of_.span);
    if (numbers.generator && type.is_integer())
      throw error(
          ErrorKind::type,
          fmt::format("uniform() with a generator makes floating-point numbers, but the elements are {}", type.name),
          of_.span)
          .advise("randint(lo, hi) gives integers.");
  } else if (of_.row().operation == Operation::poisson) {
    numbers.kind = Kind::poisson;
    numbers.first = real("mean", 1);
    if (!(numbers.first >= 0 && numbers.first <= library::kMostPoisson))
      throw wrong(fmt::format("the mean is {}: expected 0 to {}", numbers.first, library::kMostPoisson), "mean");
  } else if (of_.row().operation == Operation::randint) {
    numbers.kind = Kind::randint;
    read_bounds(numbers, type);
  } else {
    const bool exponent = of_.row().operation == Operation::lognormal;
    numbers.kind = exponent ? Kind::lognormal : Kind::normal;
    numbers.first = real("mean", 0);
    numbers.second = real("std", 1);
    if (numbers.second < 0)
      throw error(ErrorKind::value,
                  fmt::format("{}() takes a standard deviation of at least 0, not {}", of_.row().name, numbers.second),
                  find("std")->span);
    if ((exponent || numbers.generator) && type.is_integer())
      throw error(ErrorKind::type,
                  fmt::format("{}() makes floating-point numbers, but the elements are {}", of_.row().name, type.name),
                  of_.span);
  }
  if (!numbers.generator) return numbers;
  if (const auto why = library::refusal(arrays::random_of(numbers), count); !why.empty())
    throw error(ErrorKind::value, fmt::format("{}(): {}", of_.row().name, why), of_.span);
  return numbers;
}

RandomNumbers RandomArguments::uniform() {
  RandomNumbers numbers;
  read_generator(numbers);
  if (numbers.generator && numbers.generator->generator == library::Generator::sobol)
    throw wrong("the points of sobol are not random, but evenly spread", "generator");
  if (numbers.generator)
    if (const auto why = library::refusal(arrays::random_of(numbers), 1); !why.empty())
      throw error(ErrorKind::value, fmt::format("{}(): {}", of_.row().name, why), of_.span);
  return numbers;
}

}  // namespace xcuda::interpreter
