// How long several ways of doing the same took: times, and each beside the fastest.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "display/bundle.hpp"

namespace xcuda::display {

struct Contender {
  std::string text;  // "scale<<<4, 256>>>(x, 2.0f, n);"
  std::string source;
  int line = 0;
  std::vector<device::Nanoseconds> times;  // of every timed run
  enum class Clock : std::uint8_t {
    device,
    host
  } clock = Clock::device;  // host: from the request until the device was idle
};

struct BenchReport {
  std::vector<Contender> contenders;  // in the order of the cell
  std::string device;
  int warmup = 0;
};

inline constexpr std::string_view kBenchMime = "application/vnd.xcuda.bench+json";

Bundle bench_bundle(const BenchReport& report);

}  // namespace xcuda::display
