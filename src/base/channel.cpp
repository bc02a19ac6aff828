#include "base/channel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <span>

#include "base/error.hpp"
#include "base/passing.hpp"
#include "base/process_limits.hpp"

namespace xcuda {
namespace {

// A frame: this header, the head as MessagePack, the body. Descriptors travel with the header's first byte.
struct FrameHeader {
  std::uint32_t magic = 0;
  std::uint32_t files = 0;
  std::uint64_t head = 0, body = 0;  // bytes
};
constexpr std::uint32_t kMagic = 0x31'41'43'58;  // "XCA1"
constexpr std::size_t kMaxFiles = 16;
constexpr std::uint64_t kMaxHead = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxBody = std::uint64_t{4} << 30;
constexpr std::uint64_t kFirstRoom = std::uint64_t{16} << 20;  // bytes, of a message that comes in
constexpr int kMaxDepth = 64;
constexpr int kTries = 1000;  // of a call that fails for want of memory: a second

bool would_block(int number) { return number == EAGAIN || number == EWOULDBLOCK; }

// Follows a MessagePack text and refuses it when it is nested too deeply for a recursive reader.
struct DepthCheck : nlohmann::json_sax<nlohmann::json> {
  int depth = 0;
  bool enter() { return ++depth <= kMaxDepth; }
  bool leave() {
    --depth;
    return true;
  }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t&) override { return true; }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
};

// A short text cannot nest deeply enough to matter, and most heads are short.
bool depth_is_bounded(std::span<const std::uint8_t> text) {
  DepthCheck check;
  return text.size() <= 4096 ||
         nlohmann::json::sax_parse(text.begin(), text.end(), &check, nlohmann::json::input_format_t::msgpack);
}

struct OutFrame {
  std::vector<std::uint8_t> start;  // header and head
  std::vector<std::byte> body;
  std::vector<File> files;
  std::size_t sent = 0;
  std::size_t size() const { return start.size() + body.size(); }
};

std::vector<std::uint8_t> frame_start(const Message& message) {
  std::vector<std::uint8_t> bytes(sizeof(FrameHeader));
  nlohmann::json::to_msgpack(message.head, bytes);
  const FrameHeader header{kMagic, static_cast<std::uint32_t>(message.files.size()), bytes.size() - sizeof header,
                           message.body.size()};
  if (message.files.size() > kMaxFiles || header.head > kMaxHead || header.body > kMaxBody)
    throw Error(ErrorKind::io, fmt::format("a message of {} bytes and {} descriptors is too large",
                                           header.head + header.body, message.files.size()));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// One sendmsg of what is left from `sent` on; the descriptors go with the first byte. Returns sendmsg's result.
ssize_t send_part(int socket, std::span<const std::uint8_t> start, std::span<const std::byte> body,
                  std::span<const File> files, std::size_t sent) {
  std::array<iovec, 2> parts{};
  std::size_t count = 0;
  const auto add = [&](const void* data, std::size_t size) { parts[count++] = {const_cast<void*>(data), size}; };
  if (sent < start.size()) add(start.data() + sent, start.size() - sent);
  const auto body_sent = sent > start.size() ? sent - start.size() : 0;
  if (body_sent < body.size()) add(body.data() + body_sent, body.size() - body_sent);

  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFiles * sizeof(int))> control{};
  if (sent == 0 && !files.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    auto* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const int fd = files[i].get();
      std::memcpy(CMSG_DATA(head) + i * sizeof(int), &fd, sizeof fd);
    }
  }
  ssize_t result = 0;
  for (int tries = 0; tries < kTries; ++tries) {
    result = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (result >= 0 || would_block(errno) || !passes(errno)) break;
  }
  return result;
}

void wait_for(int fd, short events) {
  pollfd item{fd, events, 0};
  if (poll_once({&item, 1}, -1) < 0)
    throw Error(ErrorKind::io, "cannot wait for a worker's socket").said(errno_text(errno));
}

}  // namespace

struct Channel::State {
  std::deque<OutFrame> out;

  FrameHeader header;
  std::size_t header_got = 0;
  std::vector<std::uint8_t> head;
  std::vector<std::byte> body;
  std::size_t head_got = 0, body_got = 0;
  std::vector<File> files;
  std::string fault;

  // Reads up to size bytes with any descriptors that come along. 0 at the peer's end, -1 with errno.
  ssize_t read_some(int socket, void* to, std::size_t size);
  bool parse(Message& message);
};

ssize_t Channel::State::read_some(int socket, void* to, std::size_t size) {
  iovec part{to, size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFiles * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t result = 0;
  for (int tries = 0; tries < kTries; ++tries) {
    result = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (result >= 0 || would_block(errno) || !passes(errno)) break;
  }
  if (result < 0) return result;
  for (auto* item = CMSG_FIRSTHDR(&message); item != nullptr; item = CMSG_NXTHDR(&message, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= item->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(item) + at, sizeof fd);
      files.emplace_back(fd);
    }
  }
  return result;
}

bool Channel::State::parse(Message& message) {
  if (files.size() != header.files) {
    fault = fmt::format("{} descriptors came with a message of {}; the limit on open files may be reached",
                        files.size(), header.files);
    return false;
  }
  if (!depth_is_bounded(head)) {
    fault = "the head of a message is malformed or too deeply nested";
    return false;
  }
  message.head = nlohmann::json::from_msgpack(head, true, false);
  if (message.head.is_discarded()) {
    fault = "the head of a message is not MessagePack";
    return false;
  }
  message.body = std::move(body);
  message.files = std::move(files);
  head.clear();
  body.clear();
  files.clear();
  header_got = head_got = body_got = 0;
  return true;
}

Channel::Channel(File socket) : socket_(std::move(socket)), state_(std::make_unique<State>()) {}
Channel::~Channel() = default;
Channel::Channel(Channel&&) noexcept = default;
Channel& Channel::operator=(Channel&&) noexcept = default;

const std::string& Channel::fault() const { return state_->fault; }

void Channel::send(const Message& message) {
  while (flush() == Flow::pending) wait_for(fd(), POLLOUT);
  const auto start = frame_start(message);
  const auto size = start.size() + message.body.size();
  for (std::size_t sent = 0; sent < size;) {
    const auto part = send_part(fd(), start, message.body, message.files, sent);
    if (part >= 0) {
      sent += static_cast<std::size_t>(part);
    } else if (would_block(errno)) {
      wait_for(fd(), POLLOUT);
    } else {
      throw Error(ErrorKind::io, "cannot send a message: the other process has closed its socket")
          .said(errno_text(errno));
    }
  }
}

std::optional<Message> Channel::receive() {
  Message message;
  for (;;) switch (receive(message)) {
      case Flow::done: return message;
      case Flow::pending: wait_for(fd(), POLLIN); break;
      case Flow::closed: return std::nullopt;
      case Flow::broken: throw Error(ErrorKind::io, "a message cannot be read: " + fault());
    }
}

void Channel::queue(Message message) {
  OutFrame frame;
  frame.start = frame_start(message);
  frame.body = std::move(message.body);
  frame.files = std::move(message.files);
  state_->out.push_back(std::move(frame));
}

Channel::Flow Channel::flush() {
  auto& out = state_->out;
  while (!out.empty()) {
    auto& frame = out.front();
    const auto part = send_part(fd(), frame.start, frame.body, frame.files, frame.sent);
    if (part < 0) {
      if (would_block(errno)) return Flow::pending;
      out.clear();
      return Flow::closed;
    }
    frame.sent += static_cast<std::size_t>(part);
    if (frame.sent == frame.size()) out.pop_front();
  }
  return Flow::done;
}

Channel::Flow Channel::receive(Message& message) {
  auto& state = *state_;
  if (!state.fault.empty()) return Flow::broken;
  const auto read = [&](void* to, std::size_t size, std::size_t& got) {
    const auto part = state.read_some(fd(), to, size);
    if (part > 0) got += static_cast<std::size_t>(part);
    if (part > 0) return Flow::done;
    return part < 0 && would_block(errno) ? Flow::pending : Flow::closed;
  };
  while (state.header_got < sizeof(FrameHeader)) {
    auto* const to = reinterpret_cast<std::uint8_t*>(&state.header) + state.header_got;
    if (const auto flow = read(to, sizeof(FrameHeader) - state.header_got, state.header_got); flow != Flow::done)
      return flow;
    if (state.header_got < sizeof(FrameHeader)) continue;
    const auto& header = state.header;
    if (header.magic != kMagic || header.head > kMaxHead || header.body > kMaxBody || header.files > kMaxFiles) {
      state.fault = "the bytes on the socket are not a message";
      return Flow::broken;
    }
  }
  const auto read_part = [&](auto& bytes, std::uint64_t size, std::size_t& got) {
    while (got < size) {
      // Room is made as bytes come: a length that lies costs little.
      bytes.resize(std::min<std::uint64_t>(size, std::max<std::uint64_t>(got * 2, kFirstRoom)));
      if (const auto flow = read(bytes.data() + got, bytes.size() - got, got); flow != Flow::done) return flow;
    }
    return Flow::done;
  };
  if (const auto flow = read_part(state.head, state.header.head, state.head_got); flow != Flow::done) return flow;
  if (const auto flow = read_part(state.body, state.header.body, state.body_got); flow != Flow::done) return flow;
  return state.parse(message) ? Flow::done : Flow::broken;
}

ChannelPair make_channel_pair() {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(ErrorKind::io, "cannot create a socket pair for a worker")
        .said(errno_text(errno))
        .advise(open_files_advice(errno));
  return {File(ends[0]), File(ends[1])};
}

}  // namespace xcuda
