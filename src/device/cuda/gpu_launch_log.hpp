// Which launch faulted, and how long the timed ones took: marks in page-locked memory and pairs of events.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "device/cuda/owned.hpp"
#include "device/device.hpp"

namespace xcuda::device::cuda {

// After launches the GPU writes their number to a page-locked word of their stream: each of the first 64 since the
// last synchronisation, then every sixteenth, from 1,024 on every 64th (a write costs 0.6 µs of a 2.9 µs launch). The
// launches after the last number seen are the candidates of a fault. A mark is written before the next launch, so that
// the last launch, which needs none, has none.
class LaunchMarks {
 public:
  explicit LaunchMarks(const Driver& driver);

  void before();  // a launch, of any stream
  void launched(std::uint64_t number, StreamId stream, CUstream raw);
  void close(StreamId stream, CUstream raw);  // marks the last launch of a stream that has no mark yet
  void synchronized();                        // everything posted so far is done
  std::vector<std::uint64_t> unfinished() const;

 private:
  static constexpr std::size_t kSlots = 1024;  // streams with launches between two synchronisations
  struct Stream {
    StreamId id{};
    std::size_t slot = 0;
    std::uint32_t marks = 0;             // the value that the next write brings
    std::vector<std::uint64_t> numbers;  // launches since the last synchronisation
    std::vector<std::size_t> marked;     // marked[k]: how many of them mark k+1 covers
  };
  struct Last {
    StreamId id{};
    CUstream raw = nullptr;
  };
  Stream& find(StreamId id);
  void mark(Stream& stream, CUstream raw);

  const Driver& driver_;
  PageLocked memory_;
  volatile std::uint32_t* words_ = nullptr;  // in it
  CUdeviceptr device_words_ = 0;
  std::vector<Stream> streams_;
  std::optional<Last> last_;  // the launch that may still want its mark
};

// Pairs of events around timed launches. When all are in use the oldest is waited for, so that memory stays bounded.
class LaunchTimer {
 public:
  explicit LaunchTimer(const Driver& driver) : driver_(driver) {}

  CUresult before(std::uint64_t number, CUstream stream);
  CUresult after(CUstream stream);
  void abandon();                       // the launch between before() and after() was refused
  std::vector<LaunchTiming> harvest();  // of all finished pairs; after a synchronisation

 private:
  static constexpr std::size_t kPairs = 1024;
  struct Pair {
    Event from, to;
    std::uint64_t number = 0;
  };
  CUresult take(Pair& pair);
  CUresult make(Event& event);
  CUresult read_oldest();

  const Driver& driver_;
  std::vector<Pair> free_;
  std::deque<Pair> used_;
  std::vector<LaunchTiming> done_;
};

}  // namespace xcuda::device::cuda
