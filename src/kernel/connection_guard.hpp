// What a TCP client can take of this process's memory before it has shown that it knows the key. libzmq gathers the
// frames of a message before the application sees one of them, and sets no limit to their number; it queues what comes
// while a cell runs, and what a client does not read; and it accepts any number of connections.
//
// So a thread watches each connection until its first signed message: Linux counts the bytes that it has received, and
// one that passes its limit is shut down. epoll tells when something arrives, unless libzmq has read it by then; so all
// of them are looked at once a second, too.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "base/handle.hpp"

namespace xcuda::kernel {

enum class Channel : std::uint8_t { shell, control, input, iopub, heartbeat };
inline constexpr std::size_t kChannelCount = 5;
const char* name_of(Channel channel);

struct GuardLimits {
  std::size_t connections = 200;            // at a time, of all channels
  std::uint64_t unsigned_bytes = 64 << 20;  // before a signed message: shell, control, stdin
  std::uint64_t small_bytes = 64 << 10;     // since the last one that was taken: heartbeat; ever: iopub
  std::uint64_t all_bytes = 128 << 20;      // of all connections without a signed message
  std::uint64_t unread_bytes = 1 << 30;     // published on iopub and not taken by a subscriber
};

class ConnectionGuard {
 public:
  using Log = std::function<void(const char* channel, std::string_view text)>;  // from any thread
  ConnectionGuard(zmq::context_t& context, Log log, GuardLimits limits = {});
  ~ConnectionGuard();
  ConnectionGuard(const ConnectionGuard&) = delete;
  ConnectionGuard& operator=(const ConnectionGuard&) = delete;

  void watch(zmq::socket_t& socket, Channel channel);  // before it is bound, and before start()
  // Called before the guard ends: libzmq's own thread would wait for ever for somebody to take its events.
  static void unwatch(zmq::socket_t& socket);
  void start();

  // Notes a message from this descriptor (ZMQ_SRCFD) with a right signature. Returns whether its connection has no
  // limit from now on; when not, a later message asks again.
  bool trust(Channel channel, int descriptor);
  // Notes that no message waits on the channel: later messages come from connections that exist now.
  void note_empty(Channel channel);
  // Notes that a message of the heartbeat, which has no signature, was taken. Returns whether it counts no more.
  bool note_taken(int descriptor);
  void note_published(std::uint64_t bytes);  // on iopub

 private:
  struct Client {
    Channel channel{};
    std::uint64_t cookie = 0;          // of the socket: a descriptor may be another one's by now
    std::uint64_t received = 0;        // bytes so far
    std::uint64_t excused = 0;         // of these, those that take no memory any more
    std::uint64_t published = 0;       // on iopub, when this subscriber had last taken everything
    std::uint64_t sent = 0;            // how much of it was acknowledged by then
    std::uint64_t recycled_since = 0;  // the channel's empty_ when it got a descriptor that another one had; else 0
    enum class State : std::uint8_t { watched, trusted, cut } state = State::watched;
    std::uint64_t pending() const { return state == State::watched ? received - excused : 0; }
  };
  using Clients = std::map<int, Client>;  // by descriptor
  using Clock = std::chrono::steady_clock;

  void run();
  void take_events(Channel channel);
  void admit(Channel channel, int descriptor);
  void check(int descriptor);
  void check_all();
  void check_readers();
  void cut(Clients::iterator client, std::string_view why);
  void forget_closed();

  const Log log_;
  const GuardLimits limits_;
  File epoll_, stop_;
  std::vector<std::pair<Channel, zmq::socket_t>> monitors_;
  std::mutex mutex_;
  Clients clients_;
  Clock::time_point next_look_{};                  // at all of them
  std::array<std::set<int>, kChannelCount> used_;  // descriptors so far
  std::array<std::uint64_t, kChannelCount> empty_{};
  std::atomic<std::uint64_t> published_{0};
  zmq::context_t& context_;
  std::thread thread_;
};

}  // namespace xcuda::kernel
