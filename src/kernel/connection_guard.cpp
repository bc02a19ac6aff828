#include "kernel/connection_guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/units.hpp"

namespace xcuda::kernel {
namespace {

constexpr long kLookAgainMs = 1000;

std::optional<std::uint64_t> cookie_of(int socket) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) != 0) return std::nullopt;
  return cookie;
}

// The socket of the descriptor, kept open meanwhile: libzmq may close its descriptor at any time, and the number may be
// another file's.
File hold(int descriptor) { return File(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }
File hold(int descriptor, std::uint64_t cookie) {
  auto held = hold(descriptor);
  if (held && cookie_of(held.get()) != cookie) held.reset();
  return held;
}

struct Traffic {
  std::uint64_t received = 0, acknowledged = 0;  // bytes; what was sent and has arrived
  int unsent = 0;                                // bytes that wait in the socket, or for an acknowledgement
};
std::optional<Traffic> traffic_of(const File& socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (!socket || getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  Traffic traffic{info.tcpi_bytes_received, info.tcpi_bytes_acked, 0};
  ioctl(socket.get(), SIOCOUTQ, &traffic.unsent);
  return traffic;
}

void watch_input(const File& epoll, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.fd = descriptor;
  if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, descriptor, &event) != 0 && errno == EEXIST)
    epoll_ctl(epoll.get(), EPOLL_CTL_MOD, descriptor, &event);
}

std::string monitor_name(Channel channel) { return fmt::format("inproc://connections-{}", name_of(channel)); }

std::size_t index(Channel channel) { return static_cast<std::size_t>(channel); }

}  // namespace

const char* name_of(Channel channel) {
  constexpr std::array kNames{"shell", "control", "stdin", "iopub", "heartbeat"};
  return kNames[index(channel)];
}

ConnectionGuard::ConnectionGuard(zmq::context_t& context, Log log, GuardLimits limits)
    : log_(std::move(log)),
      limits_(limits),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC)),
      context_(context) {
  if (!epoll_ || !stop_) throw Error(ErrorKind::io, "cannot watch the connections").said(errno_text(errno));
  empty_.fill(1);
}

ConnectionGuard::~ConnectionGuard() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void ConnectionGuard::watch(zmq::socket_t& socket, Channel channel) {
  const auto name = monitor_name(channel);
  zmq::socket_t monitor(context_, zmq::socket_type::pair);
  monitor.set(zmq::sockopt::rcvhwm, 0);  // the thread of all sockets must never wait for this one
  monitor.set(zmq::sockopt::linger, 0);
  if (zmq_socket_monitor(socket.handle(), name.c_str(), ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) != 0)
    throw Error(ErrorKind::io, fmt::format("cannot watch the connections of the {} socket", name_of(channel)))
        .said(zmq_strerror(zmq_errno()));
  monitor.connect(name);
  monitors_.emplace_back(channel, std::move(monitor));
}

void ConnectionGuard::unwatch(zmq::socket_t& socket) { zmq_socket_monitor(socket.handle(), nullptr, 0); }

void ConnectionGuard::start() {
  thread_ = std::thread([this] { run(); });
}

void ConnectionGuard::run() {
  std::vector<zmq_pollitem_t> items{{nullptr, stop_.get(), ZMQ_POLLIN, 0}, {nullptr, epoll_.get(), ZMQ_POLLIN, 0}};
  for (auto& [channel, monitor] : monitors_) items.push_back({monitor.handle(), 0, ZMQ_POLLIN, 0});
  for (bool any = false;;) {
    const int count = zmq_poll(items.data(), static_cast<int>(items.size()), any ? kLookAgainMs : -1);
    if ((count < 0 && zmq_errno() != EINTR) || items[0].revents != 0) return;
    const std::lock_guard lock(mutex_);
    if (Clock::now() >= next_look_) check_all();
    for (const auto& [channel, monitor] : monitors_) take_events(channel);
    std::array<epoll_event, 64> ready;
    const int active = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 0);
    for (int i = 0; i < active; ++i) check(ready[static_cast<std::size_t>(i)].data.fd);
    any = !clients_.empty();
  }
}

// An event is two frames: number (16 bits) and descriptor (32 bits), and the endpoint.
void ConnectionGuard::take_events(Channel channel) {
  const auto own = std::find_if(monitors_.begin(), monitors_.end(), [&](const auto& m) { return m.first == channel; });
  zmq::message_t event, endpoint;
  while (own->second.recv(event, zmq::recv_flags::dontwait) && own->second.recv(endpoint)) {
    std::uint16_t number = 0;
    std::int32_t descriptor = -1;
    if (event.size() < sizeof number + sizeof descriptor) continue;
    std::memcpy(&number, event.data(), sizeof number);
    std::memcpy(&descriptor, static_cast<const char*>(event.data()) + sizeof number, sizeof descriptor);
    const auto client = clients_.find(descriptor);
    // Another channel's connection may have got the number since.
    if (client != clients_.end() && client->second.channel == channel) clients_.erase(client);
    if (number == ZMQ_EVENT_ACCEPTED) admit(channel, descriptor);
  }
}

void ConnectionGuard::admit(Channel channel, int descriptor) {
  const bool recycled = !used_[index(channel)].insert(descriptor).second;
  const auto socket = hold(descriptor);
  const auto cookie = socket ? cookie_of(socket.get()) : std::nullopt;
  const auto traffic = traffic_of(socket);
  if (!cookie || !traffic) return;  // it is closed already
  if (clients_.size() >= limits_.connections) forget_closed();
  Client client{.channel = channel, .cookie = *cookie, .published = published_, .sent = traffic->acknowledged};
  if (recycled) client.recycled_since = empty_[index(channel)];
  const bool full = clients_.size() >= limits_.connections;
  const auto [added, fresh] = clients_.insert_or_assign(descriptor, client);
  if (full) return cut(added, fmt::format("there are {} already", limits_.connections));
  watch_input(epoll_, descriptor);
  check(descriptor);  // what libzmq has read already is not an event
}

void ConnectionGuard::check(int descriptor) {
  const auto found = clients_.find(descriptor);
  if (found == clients_.end() || found->second.state != Client::State::watched) return;
  auto& client = found->second;
  const auto traffic = traffic_of(hold(descriptor, client.cookie));
  if (!traffic) {
    clients_.erase(found);
    return;
  }
  client.received = traffic->received;
  const bool is_small = client.channel == Channel::iopub || client.channel == Channel::heartbeat;
  if (client.pending() > (is_small ? limits_.small_bytes : limits_.unsigned_bytes))
    return cut(found, is_small ? "it sends more than this channel allows"
                               : fmt::format("it sent {} without a signed message", format_bytes(client.pending())));
  std::uint64_t all = 0;
  auto largest = found;
  for (auto each = clients_.begin(); each != clients_.end(); ++each) {
    all += each->second.pending();
    if (each->second.pending() > largest->second.pending()) largest = each;
  }
  if (all > limits_.all_bytes)
    cut(largest, fmt::format("connections without a signed message sent {}", format_bytes(all)));
}

void ConnectionGuard::check_all() {
  next_look_ = Clock::now() + std::chrono::milliseconds(kLookAgainMs);
  std::vector<int> descriptors;
  for (const auto& [descriptor, client] : clients_) descriptors.push_back(descriptor);
  for (const int descriptor : descriptors) check(descriptor);
}

void ConnectionGuard::cut(Clients::iterator client, std::string_view why) {
  const auto [descriptor, known] = *client;
  client->second.state = Client::State::cut;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  log_(name_of(known.channel), fmt::format("closed a connection: {}", why));
  if (const auto socket = hold(descriptor, known.cookie)) {
    // libzmq sees the end and closes it, which resets the connection: what the client still sends has no place to wait.
    const linger none{1, 0};
    setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    shutdown(socket.get(), SHUT_RDWR);
  }
}

// libzmq says nothing about some that end.
void ConnectionGuard::forget_closed() {
  std::erase_if(clients_, [](const auto& each) { return !hold(each.first, each.second.cookie); });
}

bool ConnectionGuard::trust(Channel channel, int descriptor) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(descriptor);
  if (found == clients_.end() || found->second.channel != channel) return false;
  auto& client = found->second;
  if (client.state != Client::State::watched) return client.state == Client::State::trusted;
  if (!hold(descriptor, client.cookie)) return false;  // the monitor has not told of the new connection yet
  // The message may have been sent by the connection that had this descriptor before, and have waited since.
  if (client.recycled_since != 0 && empty_[index(channel)] <= client.recycled_since) return false;
  client.state = Client::State::trusted;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  return true;
}

void ConnectionGuard::note_empty(Channel channel) {
  const std::lock_guard lock(mutex_);
  ++empty_[index(channel)];
}

bool ConnectionGuard::note_taken(int descriptor) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(descriptor);
  if (found == clients_.end() || found->second.channel != Channel::heartbeat) return false;
  const auto traffic = traffic_of(hold(descriptor, found->second.cookie));
  // What is answered and not read takes memory still.
  if (!traffic || traffic->unsent != 0) return false;
  found->second.excused = found->second.received = traffic->received;
  return true;
}

void ConnectionGuard::note_published(std::uint64_t bytes) {
  const auto before = published_.fetch_add(bytes);
  const auto step = std::max<std::uint64_t>(limits_.unread_bytes / 64, 1);
  if (before / step != (before + bytes) / step) check_readers();
}

// Slow subscribers lose nothing, up to a limit; what waits for several of them is there once.
void ConnectionGuard::check_readers() {
  const std::lock_guard lock(mutex_);
  const auto published = published_.load();
  for (auto each = clients_.begin(); each != clients_.end(); ++each) {
    auto& client = each->second;
    if (client.channel != Channel::iopub || client.state != Client::State::watched) continue;
    const auto traffic = traffic_of(hold(each->first, client.cookie));
    if (!traffic) continue;
    if (traffic->unsent == 0) {
      client.published = published;
      client.sent = traffic->acknowledged;
    }
    const auto taken = client.published + (traffic->acknowledged - client.sent);
    if (published > taken && published - taken > limits_.unread_bytes)
      cut(each, fmt::format("it has not read {} of output", format_bytes(published - taken)));
  }
}

}  // namespace xcuda::kernel
