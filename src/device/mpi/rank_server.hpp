// What a rank does with what it is told: its device, in a process beside it, in the order of the messages. The thread
// of MPI (rank_loop.hpp) brings the messages and takes what is to be sent; nothing here calls MPI.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/handle.hpp"
#include "base/interrupt.hpp"
#include "device/device.hpp"
#include "device/ranks/rank_messages.hpp"

namespace xcuda::device::mpi {

// Bytes from and to other ranks, under way as long as `open` is more than 0.
struct ExchangeWork {
  struct Parcel {
    std::uint32_t peer = 0;
    Address address = 0;
    std::vector<std::byte> bytes;          // that come, or that go where the device's memory cannot be seen
    std::span<const std::byte> seen = {};  // that go
  };
  std::uint32_t number = 0;
  std::vector<Parcel> out, in;
};

class RankServer {
 public:
  using Taker = std::function<void(OutputStream, std::string_view)>;
  using Maker = std::function<std::unique_ptr<Device>(const Taker&)>;

  RankServer(std::uint32_t rank, std::string host, Maker make);
  ~RankServer() = default;  // the thread lives as long as the process
  RankServer(const RankServer&) = delete;
  RankServer& operator=(const RankServer&) = delete;

  // All of these are called by the thread of MPI.
  void tell(ranks::ToRank message);
  std::optional<std::vector<std::byte>> take_answer();  // an encoded FromRank
  ExchangeWork* take_exchange();                        // once each
  void exchanged(std::string failure);                  // empty: all went well
  int bell() const { return bell_.get(); }              // readable when there is something to take
  void hush();

 private:
  void run();
  void serve(ranks::ToRank message);
  void post(const ranks::ToRank& message);
  void call(const ranks::ToRank& message);
  void exchange(const ranks::Exchange& request);
  void stop(const ranks::ToRank& message);
  Completion wait();
  void keep(Completion completion);
  void keep_reads();
  void refuse(std::string why);
  void answer(ranks::FromRank answer);
  void ring();
  std::vector<std::byte> value_of(const ranks::ToRank& message, ranks::FromRank& answer);

  std::uint32_t rank_;
  std::string host_;
  Maker make_;
  std::unique_ptr<Device> device_;
  std::optional<Error> start_error_;
  std::vector<ranks::Output> outputs_;
  Completion told_later_;
  std::vector<CopyRequest> reads_;    // posted; their bytes are in the staging buffer after the next wait
  std::vector<std::byte> read_;       // what has been read
  std::vector<ExchangeWork> failed_;  // MPI may still use their bytes

  Interrupt interrupt_;
  std::atomic<bool> time_limit_{false};
  std::atomic<std::int64_t> grace_{500};  // milliseconds

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<ranks::ToRank> inbox_;
  std::deque<std::vector<std::byte>> outbox_;
  ExchangeWork* offered_ = nullptr;
  bool exchange_done_ = false;
  std::string exchange_failure_;
  File bell_;
};

}  // namespace xcuda::device::mpi
