// What a session and the ranks of an MPI job say to each other. The session speaks to the process of rank 0 by a
// channel, and that one to the others by MPI; the bytes are the same on both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/output_stream.hpp"
#include "device/ids.hpp"
#include "device/remote/codec.hpp"
#include "device/remote/protocol.hpp"

namespace xcuda::device::ranks {

// To a rank.
enum class Kind : std::uint8_t {
  call,      // a verb that is answered
  restart,   // answered by a Recovery: the device's process is replaced
  post,      // a verb that is not; of post_write the written bytes come along
  exchange,  // Exchange
  stop,      // Stop: ends what the rank waits for
  leave,     // the session is over
};

struct ToRank {
  std::uint32_t rank = 0;
  Kind kind = Kind::call;
  remote::Verb verb = remote::Verb::info;
  std::vector<std::byte> body;     // of the verb
  std::vector<std::byte> written;  // of post_write: row by row
};

// Bytes that go from rank to rank. Both sides are told; MPI matches them by the number.
struct Transfer {
  std::uint32_t from_rank = 0, to_rank = 0;
  Address from = 0, to = 0;
  std::uint64_t bytes = 0;
};
struct Exchange {
  std::uint32_t number = 0;
  std::vector<Transfer> transfers;  // those that the rank takes part in, in the order of the whole
};

struct Stop {
  std::uint8_t time_limit = 0;  // 1: that is why; 0: the user
  std::uint64_t grace = 0;      // milliseconds
};

// From a rank: the answer to a call.
enum class Status : std::uint8_t {
  done,   // the verb's value follows
  error,  // an Error follows; the rank goes on
  lost,   // text: why nothing will come from this rank any more
};
struct Output {
  OutputStream stream = OutputStream::out;
  std::string text;
};
struct FromRank {
  Status status = Status::done;
  std::vector<Output> outputs;  // since the last answer
  std::vector<std::byte> read;  // of synchronize: what was read since the last one, row by row
  std::vector<std::byte> value;
};

inline auto fields_of(ToRank& v) { return std::tie(v.rank, v.kind, v.verb, v.body, v.written); }
inline auto fields_of(const ToRank& v) { return std::tie(v.rank, v.kind, v.verb, v.body, v.written); }
inline auto fields_of(Transfer& v) { return std::tie(v.from_rank, v.to_rank, v.from, v.to, v.bytes); }
inline auto fields_of(const Transfer& v) { return std::tie(v.from_rank, v.to_rank, v.from, v.to, v.bytes); }
inline auto fields_of(Exchange& v) { return std::tie(v.number, v.transfers); }
inline auto fields_of(const Exchange& v) { return std::tie(v.number, v.transfers); }
inline auto fields_of(Stop& v) { return std::tie(v.time_limit, v.grace); }
inline auto fields_of(const Stop& v) { return std::tie(v.time_limit, v.grace); }
inline auto fields_of(Output& v) { return std::tie(v.stream, v.text); }
inline auto fields_of(const Output& v) { return std::tie(v.stream, v.text); }
inline auto fields_of(FromRank& v) { return std::tie(v.status, v.outputs, v.read, v.value); }
inline auto fields_of(const FromRank& v) { return std::tie(v.status, v.outputs, v.read, v.value); }

}  // namespace xcuda::device::ranks
