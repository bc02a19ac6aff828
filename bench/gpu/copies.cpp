// Copies between the host buffer and the GPU through the device's own process: 1 GiB each way, in the pieces that the
// session uses. Prints medians in nanoseconds as one JSON object.
//   bench_copies <path of xcuda-gpu>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

#include "device/memory.hpp"
#include "device/remote/supervised_device.hpp"
#include "device/transfer.hpp"

namespace {

using namespace xcuda::device;
using Clock = std::chrono::steady_clock;

template <class Function> double median_nanoseconds(Function function) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    const auto begin = Clock::now();
    function();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: bench_copies <xcuda-gpu>\n"), 2;
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  remote::RemoteOptions options;
  options.worker.program = argv[1];
  options.worker.arguments = {"0"};
  remote::SupervisedDevice device(options);
  Memory memory(device);
  const Region region{memory.allocate(kBytes), kBytes};
  // What happens to the bytes on the host is not measured: they stay in the buffer.
  const double up = median_nanoseconds([&] { Transfer(device).write(region, [](std::span<std::byte>) {}); });
  const double down = median_nanoseconds([&] { Transfer(device).read(region, [](std::span<const std::byte>) {}); });
  fmt::print("{{\"up\": {:.0f}, \"down\": {:.0f}}}\n", up, down);
}
