// MPI, as far as ranks use it: messages from rank to rank that nobody waits for in MPI, so that a lost rank holds up
// nobody. All by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xcuda::device::mpi {

enum class Tag : int {
  to_rank = 1,
  answer,
  hello,
  alive,
  lost,
  bytes = 1 << 10
};  // bytes: and the number of an exchange

class Mpi {
 public:
  Mpi();  // begins; MPI ends the process where it cannot
  ~Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  struct Neighbours {
    int first = 0, count = 1;
  };
  Neighbours neighbours() const { return neighbours_; }  // this one's number among the ranks of its host

  void send(std::uint32_t rank, Tag tag, std::vector<std::byte> message);
  struct Arrived {
    std::uint32_t from = 0;
    Tag tag{};
    std::vector<std::byte> message;
  };
  std::optional<Arrived> receive();  // what has arrived, but bytes of exchanges
  bool sending();                    // whether messages are still under way
  void forget(std::uint32_t rank);   // what was sent to it and never arrives

  // Bytes of an exchange with a peer, in pieces that MPI can count.
  void begin_send(std::uint32_t rank, std::uint32_t number, std::span<const std::byte> bytes);
  void begin_receive(std::uint32_t rank, std::uint32_t number, std::span<std::byte> bytes);
  bool exchange_done();
  void drop(std::uint32_t rank);  // its part in the exchange: it is lost

  void end();  // of all ranks

 private:
  struct Sent;
  struct Piece;
  std::uint32_t rank_ = 0, size_ = 1;
  Neighbours neighbours_;
  std::deque<std::unique_ptr<Sent>> sent_;
  std::vector<std::unique_ptr<Sent>> forgotten_;  // MPI may still read them
  std::vector<std::unique_ptr<Piece>> pieces_;
};

}  // namespace xcuda::device::mpi
