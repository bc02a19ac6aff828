#include "kernel/server.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/error.hpp"

namespace xcuda::kernel {
namespace {

constexpr int kLingerMs = 1000;                         // replies still on their way when the kernel leaves
constexpr std::int64_t kMaxFrameBytes = 256ll << 20;    // a peer that sends more is disconnected
constexpr unsigned kMaxLogLines = 100;                  // per process: who sends rubbish fills nobody's disk
constexpr std::chrono::milliseconds kFirstReader{500};  // what the first request waits for a subscriber of iopub

// zmq_poll without the exception for EINTR, which a stopped and continued process gets.
// False when the time is over.
bool poll(zmq_pollitem_t* items, int count, long timeout_ms) {
  int ready = 0;
  while ((ready = zmq_poll(items, count, timeout_ms)) < 0 && zmq_errno() == EINTR) {}
  return ready != 0;
}

// Every frame of the next message; none when there is no message.
std::vector<zmq::message_t> receive_frames(zmq::socket_t& socket) {
  std::vector<zmq::message_t> frames;
  bool more = true;
  while (more) {
    zmq::message_t frame;
    int got = 0;
    do got = zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT);
    while (got < 0 && zmq_errno() == EINTR);
    if (got < 0) break;  // EAGAIN; the frames of one message come together
    more = frame.more();
    frames.push_back(std::move(frame));
  }
  return frames;
}

// The descriptor that a message came from.
int source_of(const std::vector<zmq::message_t>& frames) {
  return zmq_msg_get(const_cast<zmq_msg_t*>(frames.back().handle()), ZMQ_SRCFD);
}

void send_frames(zmq::socket_t& socket, const std::vector<std::string>& identities,
                 const std::vector<std::string>& frames, const xeus::buffer_sequence& buffers) {
  auto left = identities.size() + frames.size() + buffers.size();
  const auto one = [&](const void* data, std::size_t size) {
    const int flags = --left > 0 ? ZMQ_SNDMORE : 0;
    while (zmq_send(socket.handle(), data, size, flags) < 0 && zmq_errno() == EINTR) {}
  };
  for (const auto& identity : identities) one(identity.data(), identity.size());
  for (const auto& frame : frames) one(frame.data(), frame.size());
  for (const auto& buffer : buffers) one(buffer.data(), buffer.size());
}

}  // namespace

Server::Server(const Connection& connection)
    : connection_(connection),
      wire_(connection.digest, connection.key),
      stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      guard_(context_, [this](const char* name, std::string_view text) { log(name, text); }),
      shell_(bind(zmq::socket_type::router, Channel::shell, connection.shell)),
      control_(bind(zmq::socket_type::router, Channel::control, connection.control)),
      input_(bind(zmq::socket_type::router, Channel::input, connection.input)),
      iopub_(bind(zmq::socket_type::xpub, Channel::iopub, connection.iopub)),
      heartbeat_(bind(zmq::socket_type::rep, Channel::heartbeat, connection.heartbeat)),
      shell_turns_(shell_.handle(), [this](const Turns::Enough& enough) { receive_beside(enough); }) {
  if (!stop_event_) throw Error(ErrorKind::io, "cannot create the server's eventfd").said(errno_text(errno));
  guard_.start();
}

Server::~Server() {
  stop_impl();
  shell_turns_.join();
  for (auto* thread : {&control_thread_, &heartbeat_thread_})
    if (thread->joinable()) thread->join();
  for (auto* socket : {&shell_, &control_, &input_, &iopub_, &heartbeat_}) ConnectionGuard::unwatch(*socket);
}

zmq::socket_t Server::bind(zmq::socket_type type, Channel channel, int port) {
  zmq::socket_t socket(context_, type);
  socket.set(zmq::sockopt::linger, kLingerMs);
  socket.set(zmq::sockopt::sndhwm, 0);  // a slow reader delays its messages and loses none
  socket.set(zmq::sockopt::rcvhwm, 0);
  socket.set(zmq::sockopt::maxmsgsize, kMaxFrameBytes);
  if (type == zmq::socket_type::xpub) socket.set(zmq::sockopt::xpub_manual, true);        // see greet_locked()
  if (type == zmq::socket_type::router) socket.set(zmq::sockopt::router_handover, true);  // a client that reconnects
  if (connection_.is_ipv6()) socket.set(zmq::sockopt::ipv6, true);
  if (!connection_.curve_secret.empty()) {
    socket.set(zmq::sockopt::curve_server, true);
    socket.set(zmq::sockopt::curve_secretkey, connection_.curve_secret);
  }
  const auto endpoint = connection_.endpoint(port);
  const auto refuse = [&](const char* said) {
    throw Error(ErrorKind::io, fmt::format("cannot bind the {} socket to {}", name_of(channel), endpoint))
        .said(said)
        .advise("Another program may use the port: start the kernel again with a new connection file");
  };
  if (!connection_.is_ipc()) {
    guard_.watch(socket, channel);
    if (zmq_bind(socket.handle(), endpoint.c_str()) != 0) refuse(zmq_strerror(zmq_errno()));
    return socket;
  }
  const auto path = endpoint.substr(endpoint.find("//") + 2);
  if (IpcFiles::is_served(path)) refuse(zmq_strerror(EADDRINUSE));
  const auto before = umask(0077);  // nobody but this user may connect
  const int failed = zmq_bind(socket.handle(), endpoint.c_str());
  umask(before);
  if (failed != 0) refuse(zmq_strerror(zmq_errno()));
  ipc_files_.add(path);
  return socket;
}

std::optional<xeus::xmessage> Server::receive(zmq::socket_t& socket, Channel channel) {
  for (;;) {
    const auto frames = receive_frames(socket);
    if (frames.empty()) {
      guard_.note_empty(channel);
      return std::nullopt;
    }
    std::vector<std::string_view> views;
    views.reserve(frames.size());
    for (const auto& frame : frames) views.push_back(frame.to_string_view());
    auto opened = wire_.open(views);
    if (const auto* refusal = std::get_if<Refusal>(&opened)) {
      log(name_of(channel), fmt::format("dropped a message with {}", describe(*refusal)));
      continue;
    }
    guard_.trust(channel, source_of(frames));
    auto& envelope = std::get<Envelope>(opened);
    return xeus::xmessage(envelope.identities, std::move(envelope.header), std::move(envelope.parent_header),
                          std::move(envelope.metadata), std::move(envelope.content), std::move(envelope.buffers));
  }
}

void Server::send(zmq::socket_t& socket, const xeus::xmessage& message) {
  send_frames(socket, message.identities(),
              wire_.seal(message.header(), message.parent_header(), message.metadata(), message.content()),
              message.buffers());
}

void Server::send_shell_impl(xeus::xmessage message) { send(shell_, message); }
void Server::send_control_impl(xeus::xmessage message) { send(control_, message); }
void Server::send_stdin_impl(xeus::xmessage message) { send(input_, message); }

void Server::publish_impl(xeus::xpub_message message, xeus::channel) {
  const std::lock_guard lock(iopub_mutex_);
  greet_locked();  // clients that have subscribed by now get this message
  publish_locked(message);
  greet_locked();  // sending takes notice of new subscriptions, and the descriptor is silent about those then
}

void Server::publish_locked(const xeus::xpub_message& message) {
  const auto frames = wire_.seal(message.header(), message.parent_header(), message.metadata(), message.content());
  send_frames(iopub_, {message.topic()}, frames, message.buffers());
  std::uint64_t bytes = 0;
  for (const auto& frame : frames) bytes += frame.size();
  guard_.note_published(bytes);
}

// A subscription counts from here on, so that the greeting is the first message that a client gets.
void Server::greet_locked() {
  for (auto frames = receive_frames(iopub_); !frames.empty(); frames = receive_frames(iopub_)) {
    const auto event = frames[0].to_string_view();  // 1 and the topic, or 0 and the topic of one that leaves
    if (event.empty()) continue;
    const auto topic = event.substr(1);
    if (event[0] == 0) zmq_setsockopt(iopub_.handle(), ZMQ_UNSUBSCRIBE, topic.data(), topic.size());
    if (event[0] != 1 || topic.size() > kMaxIdLength) continue;
    zmq_setsockopt(iopub_.handle(), ZMQ_SUBSCRIBE, topic.data(), topic.size());
    has_reader_ = true;
    first_reader_.notify_one();
    if (greeting_) publish_locked(greeting_(std::string(topic)));
  }
}

// The sockets of a client connect one by one. When iopub is the last of them, what its first cell shows would be lost,
// and a client that waits for its end (jupyter console) would wait for ever.
void Server::wait_for_reader() {
  std::unique_lock lock(iopub_mutex_);
  first_reader_.wait_for(lock, kFirstReader, [this] { return has_reader_ || stopping_; });
}

void Server::start_impl(xeus::xpub_message message) {
  publish_impl(std::move(message), xeus::channel::SHELL);
  heartbeat_thread_ = std::thread([this] { serve_heartbeat(); });
  control_thread_ = std::thread([this] { serve_control(); });
  std::array items{zmq_pollitem_t{shell_.handle(), 0, ZMQ_POLLIN, 0}, zmq_pollitem_t{input_.handle(), 0, ZMQ_POLLIN, 0},
                   zmq_pollitem_t{nullptr, stop_event_.get(), ZMQ_POLLIN, 0}};
  bool rested = false;  // since the last request
  bool waited = false;
  while (!stopping_) {
    const auto limit = idle_.limit && !rested ? idle_.limit() : std::nullopt;
    if (!poll(items.data(), static_cast<int>(items.size()), limit ? limit->count() : -1)) {
      rested = true;
      idle_.action();
      continue;
    }
    // A reply on stdin that no cell waits for: the cell that asked has ended. It is taken and dropped.
    if (items[1].revents != 0)
      if (auto message = receive(input_, Channel::input)) notify_stdin_listener(std::move(*message));
    if (stopping_ || items[0].revents == 0) continue;
    rested = false;
    if (!std::exchange(waited, true)) wait_for_reader();
    while (auto message = next_request()) {
      notify_shell_listener(std::move(*message));
      if (stopping_) break;
    }
  }
  control_thread_.join();
}

std::optional<xeus::xmessage> Server::next_request() {
  if (waiting_.empty()) return receive(shell_, Channel::shell);
  auto message = std::move(waiting_.front());
  waiting_.pop_front();
  return message;
}

bool Server::has_request() { return !waiting_.empty() || (shell_.get(zmq::sockopt::events) & ZMQ_POLLIN) != 0; }

void Server::receive_beside(const Turns::Enough& enough) {
  while (!enough()) {
    auto message = receive(shell_, Channel::shell);
    if (!message) return;
    if (beside_.takes && beside_.takes(*message))
      beside_.answer(std::move(*message));
    else
      waiting_.push_back(std::move(*message));
  }
}

std::optional<xeus::xmessage> Server::ask(xeus::xmessage request, const std::function<bool()>& cancelled) {
  constexpr long kLookAgainMs = 20;           // for an interrupt
  while (receive(input_, Channel::input)) {}  // answers to what was asked before
  send(input_, request);
  zmq_pollitem_t item{input_.handle(), 0, ZMQ_POLLIN, 0};
  while (!stopping_ && !cancelled()) {
    item.revents = 0;
    poll(&item, 1, kLookAgainMs);
    while (auto message = receive(input_, Channel::input))
      if (message->header().value("msg_type", "") == "input_reply" && message->content().is_object()) return message;
  }
  return std::nullopt;
}

void Server::serve_control() {
  std::array items{zmq_pollitem_t{control_.handle(), 0, ZMQ_POLLIN, 0},
                   zmq_pollitem_t{nullptr, stop_event_.get(), ZMQ_POLLIN, 0}};
  while (!stopping_) {
    poll(items.data(), static_cast<int>(items.size()), -1);
    while (auto message = receive(control_, Channel::control)) {
      notify_control_listener(std::move(*message));
      if (stopping_) break;
    }
  }
}

void Server::serve_heartbeat() {
  std::array items{zmq_pollitem_t{heartbeat_.handle(), 0, ZMQ_POLLIN, 0},
                   zmq_pollitem_t{nullptr, stop_event_.get(), ZMQ_POLLIN, 0},
                   zmq_pollitem_t{nullptr, iopub_.get(zmq::sockopt::fd), ZMQ_POLLIN, 0}};
  while (!stopping_) {
    poll(items.data(), static_cast<int>(items.size()), -1);
    auto frames = receive_frames(heartbeat_);
    if (!frames.empty()) guard_.note_taken(source_of(frames));
    for (std::size_t i = 0; i < frames.size(); ++i)
      while (zmq_msg_send(frames[i].handle(), heartbeat_.handle(), i + 1 < frames.size() ? ZMQ_SNDMORE : 0) < 0 &&
             zmq_errno() == EINTR) {}
    const std::lock_guard lock(iopub_mutex_);
    greet_locked();
  }
}

void Server::abort_queue_impl(const listener& take, long quiet) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10 * quiet);
  zmq_pollitem_t item{shell_.handle(), 0, ZMQ_POLLIN, 0};
  while (!stopping_ && std::chrono::steady_clock::now() < end) {
    auto message = next_request();
    if (message) {
      take(std::move(*message));
      continue;
    }
    item.revents = 0;
    poll(&item, 1, quiet);
    if (!(item.revents & ZMQ_POLLIN)) break;
  }
}

void Server::stop_impl() {
  stopping_ = true;
  shell_turns_.stop();
  ipc_files_.remove();  // now: a cell that does not end makes this process end by force
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(stop_event_.get(), &one, sizeof one);
}

void Server::log(const char* name, std::string_view text) {
  const auto line = logged_.fetch_add(1);
  if (line > kMaxLogLines) return;
  const auto said = line < kMaxLogLines ? fmt::format("xcuda: {}: {}\n", name, text)
                                        : "xcuda: more messages were dropped; further ones are not reported\n";
  std::fputs(said.c_str(), stderr);  // fmt::print would throw when nobody reads stderr any more
}

}  // namespace xcuda::kernel
