// A rank of the job: carries messages between the session, which rank 0 speaks to, and the ranks, and the bytes of
// their exchanges. Returns when the session has left.
#pragma once

#include <string>

#include "device/mpi/rank_server.hpp"

namespace xcuda::device::mpi {

struct RankOptions {
  std::string socket;  // where rank 0 is handed the channel of the session
  // Makes the device of a rank that is number `first` of so many on its host.
  struct Neighbours {
    int first = 0, count = 1;
  };
  std::function<std::unique_ptr<Device>(const Neighbours&, const RankServer::Taker&)> make;
};

int run_rank(const RankOptions& options);  // the exit status of the process

}  // namespace xcuda::device::mpi
