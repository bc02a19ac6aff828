// What a request costs between a session and a device worker: a posted launch, a call, a launch with its
// synchronisation. The worker serves the fake device, so that all of it is the wire.
//   bench_remote <path of fake_worker> [rounds]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "device/remote/remote_device.hpp"
#include "tests/contract/fake_kernels.hpp"

namespace {

using namespace xcuda::device;
using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

template <class Function> void report(const char* what, int rounds, Function function) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    function();
    times.push_back(microseconds(Clock::now() - begin));
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:<44} median {:8.2f} µs   99 % {:8.2f} µs\n", what, times[times.size() / 2],
             times[times.size() * 99 / 100]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "usage: bench_remote <fake_worker> [rounds]\n"), 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5000;
  remote::RemoteOptions options;
  options.worker.program = argv[1];
  const auto start = Clock::now();
  remote::RemoteDevice device(options);
  const auto made = Clock::now();
  const auto base = device.info().window.base;
  fmt::print("{:<44} {:15.2f} µs\n", "start, without waiting", microseconds(made - start));
  fmt::print("{:<44} {:15.2f} µs\n", "start to the first answer", microseconds(Clock::now() - start));

  device.create_memory({MemoryId{1}, base, 2 << 20});
  device.load_module({ModuleId{1}, "In[1]", contract::fake_kernels_text(), {}, {}});
  LaunchRequest launch;
  launch.module = ModuleId{1};
  launch.entry = "add_one";
  launch.block = {1, 1, 1};
  launch.arguments.resize(12);
  std::copy_n(reinterpret_cast<const std::byte*>(&base), sizeof base, launch.arguments.begin());

  report("call (limit)", rounds, [&] { device.limit(Limit::stack_size); });
  report("synchronize, nothing posted", rounds, [&] { device.synchronize({}); });
  report("one launch and synchronize", rounds, [&] {
    ++launch.number;
    device.post_launch(launch);
    device.synchronize({});
  });
  constexpr int kBurst = 2000;  // fits into the ring
  std::vector<double> posts;
  for (int round = 0; round < std::max(1, rounds / 100); ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < kBurst; ++i) {
      ++launch.number;
      device.post_launch(launch);
    }
    posts.push_back(microseconds(Clock::now() - begin) / kBurst);
    device.synchronize({});
  }
  std::sort(posts.begin(), posts.end());
  fmt::print("{:<44} median {:8.3f} µs\n", "posted launch, in bursts of 2,000", posts[posts.size() / 2]);
  constexpr int kMany = 200'000;
  const auto begin = Clock::now();
  for (int i = 0; i < kMany; ++i) device.post_launch(launch);
  device.synchronize({});
  fmt::print("{:<44} {:15.3f} µs\n", "launch of 200,000, done, each", microseconds(Clock::now() - begin) / kMany);
}
