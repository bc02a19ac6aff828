// Messages between the session and a worker, over a Unix stream socket: a JSON head, a binary body, file descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/handle.hpp"

namespace xcuda {

struct Message {
  nlohmann::json head;          // travels as MessagePack; at most 64 levels deep
  std::vector<std::byte> body;  // may be empty
  std::vector<File> files;      // passed by SCM_RIGHTS, at most 16
};

// One end. Not thread-safe. Errors: io.
class Channel {
 public:
  explicit Channel(File socket);
  ~Channel();
  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;

  void send(const Message& message);  // blocks until the peer's buffer takes it; a closed peer is an Error
  std::optional<Message> receive();   // blocks; nothing when the peer has closed
  int fd() const { return socket_.get(); }

  // Sending and receiving without blocking, for an owner that waits for more than this channel.
  enum class Flow : std::uint8_t {
    done,     // sent all that was queued; received one message
    pending,  // poll fd() for POLLOUT or POLLIN and come again
    closed,   // the peer has closed
    broken,   // the peer sent something other than a message; see fault()
  };
  void queue(Message message);
  Flow flush();
  Flow receive(Message& message);
  const std::string& fault() const;  // why the channel is broken

 private:
  struct State;
  File socket_;
  std::unique_ptr<State> state_;
};

struct ChannelPair {
  File here, there;
};
ChannelPair make_channel_pair();

}  // namespace xcuda
