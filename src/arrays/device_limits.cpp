#include "arrays/device_limits.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "xcuda/limits.cuh"

namespace xcuda::arrays {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongEnough = 0.03;  // seconds of one run
constexpr int kRuns = 5;

// The least time of one call of `post`, which posts work; `wait` waits for it.
double fastest(const std::function<void()>& post, const std::function<void()>& wait) {
  const auto seconds_of = [&](std::uint64_t times) {
    const auto begun = Clock::now();
    for (std::uint64_t i = 0; i < times; ++i) post();
    wait();
    return std::chrono::duration<double>(Clock::now() - begun).count();
  };
  seconds_of(1);  // compiles, loads, touches the memory
  std::uint64_t times = 1;
  double best = seconds_of(times);
  while (best < kLongEnough && times < (std::uint64_t{1} << 20)) best = seconds_of(times *= 2);
  for (int run = 1; run < kRuns; ++run) best = std::min(best, seconds_of(times));
  return best / static_cast<double>(times);
}

// The bytes of each of both arrays: larger than the caches, and not so large that a slow host takes long.
std::uint64_t bytes_of_a_copy(const device::DeviceInfo& info) {
  constexpr std::uint64_t kLeast = std::uint64_t{128} << 20, kMost = std::uint64_t{512} << 20, kPiece = 1 << 20;
  const auto wanted =
      info.kind == device::Kind::cuda ? kMost : std::clamp<std::uint64_t>(info.l2_cache, kLeast, kMost / 2);
  const auto free = info.memory_free > 0 ? info.memory_free / 8 : wanted;
  return std::max(std::min(wanted, free) / kPiece, std::uint64_t{1}) * kPiece;
}

double measure_bandwidth(Operations& operations) {
  auto& workspace = operations.workspace();
  const auto& info = workspace.device_info();
  const bool gpu = info.kind == device::Kind::cuda;
  const auto& copy = operations.find({"xcuda/limits.cuh", gpu ? "xcuda::copy_wide" : "xcuda::copy_narrow"});
  const auto& update = operations.find({"xcuda/limits.cuh", gpu ? "xcuda::update_wide" : "xcuda::update_narrow"});
  const auto bytes = bytes_of_a_copy(info);
  const Temporary from(workspace, bytes), to(workspace, bytes);
  workspace.fill({from.address(), bytes / 4, std::vector<std::byte>(4, std::byte{1})});
  const auto blocks = static_cast<std::uint32_t>(bytes / (gpu ? sizeof(float[4]) : sizeof(float)) / kLimitsBlock);
  std::byte last{};
  const auto time_of = [&](const Operation& kernel, const OperationArguments& arguments) {
    return fastest([&] { operations.launch(kernel, {.grid = {blocks}, .block = {kLimitsBlock}}, arguments); },
                   [&] {
                     workspace.read(to.address() + bytes - 1, {&last, 1});
                   });
  };
  const double time = std::min(time_of(copy, OperationArguments(copy).add(to.address()).add(from.address())),
                               time_of(update, OperationArguments(update).add(to.address())));
  return 2 * static_cast<double>(bytes) / time;
}

double measure_operations(Operations& operations) {
  auto& workspace = operations.workspace();
  const auto& info = workspace.device_info();
  const auto& kernel = operations.find({"xcuda/limits.cuh", "xcuda::multiply_and_add"});
  const bool gpu = info.kind == device::Kind::cuda;
  const auto blocks = static_cast<std::uint32_t>(std::max(info.multiprocessors, 1)) * (gpu ? 16 : 4);
  const auto threads = std::uint64_t{blocks} * kLimitsBlock;
  const int rounds = gpu ? 4096 : 512;
  const Temporary out(workspace, threads * sizeof(float));
  const auto arguments = OperationArguments(kernel).add(out.address()).add(0.999F).add(0.001F).add(rounds);
  std::byte last{};
  const double time =
      fastest([&] { operations.launch(kernel, {.grid = {blocks}, .block = {kLimitsBlock}}, arguments); },
              [&] {
                workspace.read(out.address(), {&last, 1});
              });
  return 2.0 * static_cast<double>(threads) * rounds * kChains * kSteps / time;
}

}  // namespace

DeviceLimits measure_limits(Operations& operations) {
  return {measure_bandwidth(operations), measure_operations(operations)};
}

}  // namespace xcuda::arrays
