// What processors without AVX-512 call for `add.rm.f64` and its like. The tests of opcodes see it on such a processor
// only.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "device/cpu/run/launch_state.hpp"

namespace xcuda::device::cpu {
namespace {

enum class Operation : std::uint8_t { add, subtract, multiply, divide, root, fused };
enum class Mode : std::uint8_t { down = 1, up = 2, to_zero = 3 };
struct Operands {
  double x, y, z;
};

double rounded(Operation operation, Mode mode, const Operands& operands) {
  LaneCall call;
  call.mask = 1u << 5;
  call.arguments[0][0] = static_cast<std::uint64_t>(operation) * 4 + static_cast<std::uint64_t>(mode);
  call.arguments[1][5] = std::bit_cast<std::uint64_t>(operands.x);
  call.arguments[2][5] = std::bit_cast<std::uint64_t>(operands.y);
  call.arguments[3][5] = std::bit_cast<std::uint64_t>(operands.z);
  call.results[4] = 77;
  EXPECT_EQ(directed_f64(nullptr, &call), 0u);
  EXPECT_EQ(call.results[4], 77u);  // a lane that is not on
  return std::bit_cast<double>(call.results[5]);
}

// With 64 digits, enough to tell on which side of the result the exact value is.
long double exact(Operation operation, const Operands& operands) {
  const long double x = operands.x, y = operands.y, z = operands.z;
  switch (operation) {
    case Operation::add: return x + y;
    case Operation::subtract: return x - y;
    case Operation::multiply: return x * y;
    case Operation::divide: return x / y;
    case Operation::root: return std::sqrt(x);
    case Operation::fused: return std::fma(x, y, z);
  }
  return 0;
}

TEST(DirectedRounding, IsOnTheRightSideAndNext) {
  constexpr double kAboveOne = 1 + 0x1p-30;  // its square has 61 digits
  const struct {
    Operation operation;
    Operands operands;
  } cases[] = {
      {Operation::add, {1, 0x1p-60, 0}},
      {Operation::add, {-1, -0x1p-60, 0}},
      {Operation::subtract, {1, 0x1p-60, 0}},
      {Operation::multiply, {kAboveOne, kAboveOne, 0}},
      {Operation::multiply, {-kAboveOne, kAboveOne, 0}},
      {Operation::divide, {1, 3, 0}},
      {Operation::divide, {-2, 7, 0}},
      {Operation::root, {2, 0, 0}},
      {Operation::fused, {kAboveOne, kAboveOne, 1}},
      {Operation::fused, {-kAboveOne, kAboveOne, -1}},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(testing::Message() << static_cast<int>(one.operation) << " of " << one.operands.x);
    const long double value = exact(one.operation, one.operands);
    const double down = rounded(one.operation, Mode::down, one.operands),
                 up = rounded(one.operation, Mode::up, one.operands);
    EXPECT_LT(down, value);
    EXPECT_GT(up, value);
    EXPECT_EQ(up, std::nextafter(down, HUGE_VAL));
    EXPECT_EQ(rounded(one.operation, Mode::to_zero, one.operands), value > 0 ? down : up);
  }
}

TEST(DirectedRounding, LeavesTheModeAsItWas) {
  rounded(Operation::divide, Mode::up, {1, 3, 0});
  volatile double one = 1;
  EXPECT_EQ(one / 3, 1.0 / 3);
}

}  // namespace
}  // namespace xcuda::device::cpu
