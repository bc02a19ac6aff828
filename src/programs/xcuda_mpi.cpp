// xcuda-mpi start COMMAND: started by xcuda; starts the ranks of an MPI job by this command.
// xcuda-mpi rank SOCKET: one of them. See device/mpi/rank_loop.hpp.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/paths.hpp"
#include "base/worker.hpp"
#include "device/mpi/rank_loop.hpp"
#include "device/mpi/start_ranks.hpp"
#include "device/remote/device_list.hpp"
#include "device/remote/supervised_device.hpp"

namespace {

using namespace xcuda;
using device::mpi::RankOptions;

int gpus_of_host() {
  if (access("/dev/nvidiactl", F_OK) != 0 || !find_sibling_program("xcuda-gpu")) return 0;
  WorkerOptions worker;
  worker.program = sibling_program("xcuda-gpu").string();
  worker.arguments = {"list"};
  WaitLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  return static_cast<int>(device::remote::ask_for_devices(worker, limits).devices.size());
}

// A GPU for each rank where the host has some, or its share of the cores.
std::unique_ptr<device::Device> make_device(const RankOptions::Neighbours& here,
                                            const device::mpi::RankServer::Taker& taker) {
  device::remote::RemoteOptions options;
  options.worker.on_output = taker;
  if (const int gpus = gpus_of_host(); gpus > 0) {
    options.worker.program = sibling_program("xcuda-gpu").string();
    options.worker.arguments = {std::to_string(here.first % gpus)};
  } else {
    options.worker.program = sibling_program("xcuda-cpu").string();
    options.worker.arguments = {"serve"};
    if (std::getenv("XCUDA_CPU_THREADS") == nullptr)
      options.worker.environment.emplace_back(
          "XCUDA_CPU_THREADS", std::to_string(std::max(1u, std::thread::hardware_concurrency() /
                                                               static_cast<unsigned>(std::max(1, here.count)))));
  }
  return std::make_unique<device::remote::SupervisedDevice>(std::move(options));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "rank") return device::mpi::run_rank({words[1], make_device});
  auto channel = enter_worker(argc, argv, "xcuda-mpi");
  if (words.size() != 2 || words[0] != "start") return 2;
  return device::mpi::start_ranks(std::move(channel), words[1], program_path().string());
}
