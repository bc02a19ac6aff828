// What statements that are interpreted and host code that is compiled share, so that both give the same bits and the
// same errors: functions of the host's C library, functions of numbers that only CUDA has, messages of wrong shifts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace xcuda {

// Functions that CUDA has and C does not.
double rsqrt(double x);
double rcbrt(double x);
double sinpi(double x);
double cospi(double x);
double normcdf(double x);

enum class Number : std::uint8_t { none, int32, int64, float32, float64 };

struct HostFunction {
  std::string_view name;    // "sin", "sinf"
  std::string_view symbol;  // in generated code: "xcuda_host_sin"
  Number result = Number::none;
  std::array<Number, 2> inputs{};  // none: there is no second one
  const void* address = nullptr;

  std::size_t input_count() const { return inputs[1] == Number::none ? 1 : 2; }
};

inline constexpr std::string_view kHostPrefix = "xcuda_host_";  // of their symbols
std::span<const HostFunction> host_functions();

// Generated code calls it with the count, and with the place in this list of the type that is shifted.
inline constexpr std::string_view kWrongShift = "xcuda_wrong_shift";
inline constexpr std::array<std::string_view, 6> kShiftedTypes = {
    "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"};
std::string wrong_shift_text(std::string_view type, std::string_view count, int bits);

}  // namespace xcuda
