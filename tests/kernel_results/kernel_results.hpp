// What kernels leave in arrays, beside what they left on a GPU: tests/golden/kernels.txt. The tests of the CPU device's
// kernels are run by test_kernels_cuda, too, whose run with XCUDA_APPROVE=1 --gtest_repeat=2 writes that file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "device/device.hpp"

namespace xcuda::device {

// Where a test's device comes from: the CPU device in this process, or a GPU.
struct TestDevice {
  int threads = 2;                                             // of the CPU device
  std::function<void(std::string_view)> output, error_output;  // of kernels, on the CPU device
};
std::unique_ptr<Device> make_test_device(const TestDevice& request);

enum class Samples : std::uint8_t { bits, f32, f64 };
template <class T>
constexpr Samples samples_of = std::is_integral_v<T>            ? Samples::bits
                               : std::is_same_v<T, double>      ? Samples::f64
                               : sizeof(T) % sizeof(float) == 0 ? Samples::f32
                                                                : Samples::bits;

// The arrays that one test reads: equal to the GPU's, or, of real numbers that are rounded on the way (contraction, the
// approximate instructions), near. On a GPU with XCUDA_APPROVE they are written down. One that is read twice counts
// once.
class KernelResults {
 public:
  void check(std::span<const std::byte> bytes, Samples samples, bool on_gpu);

 private:
  int number_ = 0;
  std::string last_;
};

}  // namespace xcuda::device
