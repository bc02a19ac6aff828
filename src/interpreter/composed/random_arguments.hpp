// The arguments of calls that draw random numbers: bounds and moments, a seed, and a generator with its order.
#pragma once

#include <span>
#include <string_view>

#include "arrays/random_numbers.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"

namespace xcuda::interpreter {

// The words of generator = and ordering =; empty for another parameter.
std::span<const std::string_view> words_of_random_numbers(std::string_view parameter);

class RandomArguments : public Part {
 public:
  RandomArguments(Frame& frame, const FunctionCall& of) : Part(frame), of_(of) {}

  // The numbers of an initial value: uniform(), normal(), lognormal(), poisson(), randint(). Errors: type, value.
  RandomNumbers initial(const Type& type, std::uint64_t count);
  // The numbers of functions that draw as many as they need.
  RandomNumbers uniform();

 private:
  const cell::Expression* find(std::string_view parameter) const;
  double real(std::string_view parameter, double otherwise);
  std::int64_t integer(std::string_view parameter, std::int64_t otherwise);
  std::string word(std::string_view parameter) const;  // xorwow or "xorwow"
  void read_generator(RandomNumbers& numbers);
  void read_bounds(RandomNumbers& numbers, const Type& type);
  Error wrong(std::string message, std::string_view parameter) const;

  FunctionCall of_;
};

}  // namespace xcuda::interpreter
