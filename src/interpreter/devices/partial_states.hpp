// What a reducer of xcuda/reduce.cuh keeps of the elements of each part of an array, put together on the host. Pure.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/type.hpp"
#include "language/scalar_value.hpp"

namespace xcuda::interpreter {

class PartialStates {
 public:
  // The layout of a state, as the device's compiler has it.
  struct Form {
    Type element, result;
    std::uint64_t bytes = 0;
  };
  // reducer: "xcuda::Sum<xcuda_Own>". False: only the device can put its states together.
  static bool knows(std::string_view reducer);
  // Of a known one: whether it counts elements or finds one, by what they are exactly.
  static bool is_exact(std::string_view reducer);
  // Nothing for elements that are not numbers of the host.
  static std::optional<PartialStates> of(std::string_view reducer, const Form& form);

  // Where a part lies in the whole array: counted row by row, `first` to `first + extent` of `whole` along an axis.
  struct Part {
    std::uint64_t inner = 1, first = 0, extent = 1, whole = 1;
    std::uint64_t index_in_whole(std::uint64_t index) const;
  };
  void add(std::span<const std::byte> state, const Part& part);  // in the order of the parts
  language::ScalarValue result(std::uint64_t elements) const;

 private:
  enum class Reducer : std::uint8_t {
    sum,
    product,
    mean,
    root_of_sum,
    root_of_mean,
    least,
    greatest,
    place_of_least,
    place_of_greatest,
    count,
    any,
    all
  };
  enum class Keeps : std::uint8_t { integer, real, complex, compensated, compensated_complex, extreme };
  // As Compensated of the device.
  struct Sum {
    double sum = 0, rest = 0;
    void add(double value);
    void merge(const Sum& later);
    double total() const;
  };
  static std::optional<Reducer> named(std::string_view reducer);
  static std::optional<Keeps> kept(Reducer reducer, language::Kind element, language::Kind result);
  static std::uint64_t bytes_of(Keeps keeps);
  bool better(const language::ScalarValue& a, const language::ScalarValue& b) const;
  void add_extreme(std::span<const std::byte> state, const Part& part);

  Reducer reducer_{};
  Keeps keeps_{};
  Type element_;
  language::Kind result_{};
  bool any_ = false;           // a state was added
  std::uint64_t integer_ = 0;  // or a count
  double real_ = 0;
  std::complex<double> complex_;
  std::array<Sum, 2> sums_;
  language::ScalarValue extreme_;
  std::uint64_t place_ = 0;
};

}  // namespace xcuda::interpreter
