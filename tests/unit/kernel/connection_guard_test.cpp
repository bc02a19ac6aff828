// The guard beside sockets of its own, with limits of a few kilobytes. What a test waits for is the end of a
// connection; ctest's time limit is what fails it.
#include "kernel/connection_guard.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace xcuda::kernel {
namespace {

constexpr GuardLimits small{
    .connections = 50, .unsigned_bytes = 10'000, .small_bytes = 2'000, .all_bytes = 15'000, .unread_bytes = 1 << 20};

// How a client hears of the end of its connection: in the handshake, or later.
constexpr int ends = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                     ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;

class WatchedSockets : public testing::Test {
 protected:
  WatchedSockets() {
    open(router_, Channel::shell);
    open(answer_, Channel::heartbeat);
    open(publisher_, Channel::iopub);
  }

  ~WatchedSockets() override {
    for (auto* socket : {&router_, &answer_, &publisher_}) ConnectionGuard::unwatch(*socket);
  }

  void open(zmq::socket_t& socket, Channel channel) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndhwm, 0);
    guard_.watch(socket, channel);
    socket.bind("tcp://127.0.0.1:*");
  }

  // A client that does not connect again, and tells when its connection ends.
  struct Client {
    Client(zmq::context_t& context, zmq::socket_type type, const zmq::socket_t& server)
        : socket(context, type), monitor(context, zmq::socket_type::pair) {
      socket.set(zmq::sockopt::linger, 0);
      socket.set(zmq::sockopt::reconnect_ivl, -1);
      static int count = 0;
      const auto name = "inproc://client-" + std::to_string(++count);
      zmq_socket_monitor(socket.handle(), name.c_str(), ends | ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
      monitor.connect(name);
      socket.connect(server.get(zmq::sockopt::last_endpoint));
    }
    ~Client() { ConnectionGuard::unwatch(socket); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    std::uint16_t event() {
      zmq::message_t event, endpoint;
      (void)monitor.recv(event);
      (void)monitor.recv(endpoint);
      std::uint16_t number = 0;
      std::memcpy(&number, event.data(), sizeof number);
      return number;
    }
    void wait_for_end() {
      while ((event() & ends) == 0) {}
    }
    void send(std::size_t bytes) { socket.send(zmq::message_t(std::string(bytes, 'x')), zmq::send_flags::none); }

    zmq::socket_t socket, monitor;
  };

  // The descriptor that the next message came from, its frames taken.
  static int take(zmq::socket_t& socket) {
    zmq::message_t frame;
    do (void)socket.recv(frame);
    while (frame.more());
    return zmq_msg_get(frame.handle(), ZMQ_SRCFD);
  }

  bool said(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    for (const auto& line : log_)
      if (line.find(text) != std::string::npos) return true;
    return false;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> log_;
  zmq::context_t context_;
  ConnectionGuard guard_{context_,
                         [this](const char* channel, std::string_view text) {
                           const std::lock_guard lock(mutex_);
                           log_.push_back(std::string(channel) + ": " + std::string(text));
                         },
                         small};
  zmq::socket_t router_{context_, zmq::socket_type::router}, answer_{context_, zmq::socket_type::rep};
  zmq::socket_t publisher_{context_, zmq::socket_type::pub};
};

class ConnectionGuardTest : public WatchedSockets {
 protected:
  ConnectionGuardTest() { guard_.start(); }
};

TEST_F(ConnectionGuardTest, CutsOffWhoSendsTooMuchWithoutASignature) {
  Client client(context_, zmq::socket_type::dealer, router_);
  for (int i = 0; i < 20; ++i) client.send(1000);
  client.wait_for_end();
  EXPECT_TRUE(said("shell: closed a connection: it sent "));
}

TEST_F(ConnectionGuardTest, LetsWhoIsTrustedSendAnything) {
  Client client(context_, zmq::socket_type::dealer, router_);
  client.send(100);
  const int descriptor = take(router_);
  ASSERT_GE(descriptor, 0);
  EXPECT_FALSE(guard_.trust(Channel::control, descriptor));  // not its channel
  while (!guard_.trust(Channel::shell, descriptor)) {}       // the guard hears of the connection some time later
  for (int i = 0; i < 100; ++i) {
    client.send(10'000);
    take(router_);
  }
  EXPECT_TRUE(log_.empty());
}

TEST_F(ConnectionGuardTest, AllConnectionsTogetherHaveALimit) {
  Client one(context_, zmq::socket_type::dealer, router_), two(context_, zmq::socket_type::dealer, router_);
  one.send(9'000);
  two.send(8'000);
  one.wait_for_end();  // the larger one
  EXPECT_TRUE(said("connections without a signed message sent "));
  two.send(10);
}

TEST_F(ConnectionGuardTest, CountsConnections) {
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < small.connections; ++i) {
    clients.push_back(std::make_unique<Client>(context_, zmq::socket_type::dealer, router_));
    EXPECT_EQ(clients.back()->event(), ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
  }
  Client more(context_, zmq::socket_type::req, answer_);
  // The guard takes the events of a channel after those of another one: it may hear of this connection before the last
  // of the others.
  while (!said("closed a connection: there are 50 already")) std::this_thread::yield();
}

TEST_F(ConnectionGuardTest, AHeartMayBeatForEver) {
  Client client(context_, zmq::socket_type::req, answer_);
  for (int i = 0; i < 100; ++i) {
    client.send(100);
    const int descriptor = take(answer_);
    while (!guard_.note_taken(descriptor)) std::this_thread::yield();  // the guard hears of it some time later
    answer_.send(zmq::message_t(std::string(100, 'x')), zmq::send_flags::none);
    zmq::message_t back;
    ASSERT_TRUE(client.socket.recv(back));
  }
  EXPECT_TRUE(log_.empty());
}

TEST_F(ConnectionGuardTest, AHeartThatDoesNotWaitIsCutOff) {
  Client client(context_, zmq::socket_type::dealer, answer_);
  for (int i = 0; i < 50; ++i) client.send(100);
  client.wait_for_end();
  EXPECT_TRUE(said("heartbeat: closed a connection"));
}

TEST_F(ConnectionGuardTest, ASubscriberThatReadsNothingIsLetGoAndOthersAreNot) {
  zmq::socket_t idle(context_, zmq::socket_type::sub), reader(context_, zmq::socket_type::sub);
  for (auto* socket : {&idle, &reader}) {
    socket->set(zmq::sockopt::linger, 0);
    socket->set(zmq::sockopt::rcvhwm, socket == &idle ? 1 : 0);
    socket->set(zmq::sockopt::subscribe, "");
    socket->connect(publisher_.get(zmq::sockopt::last_endpoint));
  }
  const std::string text(64 << 10, 'x');
  const auto publish = [&](std::string_view what) {
    publisher_.send(zmq::message_t(what), zmq::send_flags::none);
    guard_.note_published(what.size());
  };
  zmq::message_t message;
  // Until the publisher knows of the reader. Small, so that the reader cannot fall back as far as is allowed.
  while (!reader.recv(message, zmq::recv_flags::dontwait)) publish("x");
  const auto read = [&] {
    do ASSERT_TRUE(reader.recv(message));
    while (message.size() != text.size());
  };
  while (!said("iopub: closed a connection: it has not read")) {
    publish(text);
    read();
  }
  publish(text);
  read();
}

class UsedAgain : public WatchedSockets {
 protected:
  // A new connection, and the descriptor of its one message, taken.
  int connect() {
    client_.reset();
    // libzmq closes in threads of its own: on a busy machine, too many connections would be open at once.
    while (fcntl(descriptor_, F_GETFD) != -1) std::this_thread::yield();
    client_.emplace(context_, zmq::socket_type::dealer, router_);
    client_->send(100);
    descriptor_ = take(router_);
    return descriptor_;
  }
  void connect_again() {  // until the descriptor is one that another connection had
    std::set<int> seen;
    while (seen.insert(connect()).second) {}
  }
  std::optional<Client> client_;
  int descriptor_ = -1;
};

// A message that waited may have been sent by the connection that had the descriptor before.
TEST_F(UsedAgain, IsNotTrustedForAnOldMessage) {
  guard_.start();
  connect_again();
  ASSERT_FALSE(guard_.trust(Channel::shell, descriptor_));
  for (int i = 0; i < 20; ++i) client_->send(1000);
  client_->wait_for_end();
}

TEST_F(UsedAgain, IsNotTrustedWhenTheFirstWasGoneBeforeTheGuardLooked) {
  const int first = connect();
  {
    Client heart(context_, zmq::socket_type::req, answer_);
    heart.send(100);
    const int descriptor = take(answer_);
    client_.reset();
    while (fcntl(first, F_GETFD) != -1) std::this_thread::yield();
    guard_.start();
    while (!guard_.note_taken(descriptor)) std::this_thread::yield();  // it has heard of the first one, too
  }
  while (connect() != first) {}
  EXPECT_FALSE(guard_.trust(Channel::shell, first));
}

TEST_F(UsedAgain, IsTrustedOnceNothingWaits) {
  guard_.start();
  connect_again();
  while (!guard_.trust(Channel::shell, descriptor_)) guard_.note_empty(Channel::shell);
  for (int i = 0; i < 20; ++i) {
    client_->send(1000);
    take(router_);
  }
}

}  // namespace
}  // namespace xcuda::kernel
