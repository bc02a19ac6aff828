#include "device/mpi/rank_loop.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/channel.hpp"
#include "base/spawn.hpp"
#include "device/mpi/mpi_calls.hpp"
#include "device/remote/codec.hpp"

namespace xcuda::device::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using ranks::Kind;
using ranks::Status;
using std::chrono::milliseconds;

constexpr milliseconds kBeat{500};        // how often a rank says that it is there
constexpr milliseconds kActive{2};        // after a message another one is looked for without a pause
constexpr milliseconds kLongestPause{4};  // MPI has no descriptor to wait for

// Seconds without a sign of life until a rank counts as lost.
milliseconds patience() {
  const char* const text = std::getenv("XCUDA_MPI_PATIENCE");
  const double seconds = text == nullptr ? 0 : std::strtod(text, nullptr);
  return milliseconds{static_cast<std::int64_t>(1000 * (seconds > 0 ? seconds : 30))};
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

struct Hello {
  std::string host;
  std::int64_t process = 0;
};
auto fields_of(Hello& v) { return std::tie(v.host, v.process); }
auto fields_of(const Hello& v) { return std::tie(v.host, v.process); }

struct LostRank {
  std::uint32_t rank = 0;
  std::string why;
};
auto fields_of(LostRank& v) { return std::tie(v.rank, v.why); }
auto fields_of(const LostRank& v) { return std::tie(v.rank, v.why); }

// The starter has the session's channel, and hands it to the process of rank 0.
Channel take_channel(const std::string& path) {
  File socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw Error(ErrorKind::io,
                fmt::format("rank 0 runs on {}, where the session is not: it finds no {}", host_name(), path))
        .advise("Let the launcher start rank 0 on the session's host: name that first.");
  auto message = Channel(std::move(socket)).receive();
  if (!message || message->files.size() != 1) throw Error(ErrorKind::io, "rank 0 was not handed the session's channel");
  return Channel(std::move(message->files.front()));
}

class Loop {
 public:
  explicit Loop(const RankOptions& options);
  int run();

 private:
  struct Peer {
    std::string host;
    Clock::time_point heard = Clock::now();
    File end;  // readable when its process has ended, on this host
    std::string lost;
    std::deque<std::uint8_t> asked;  // calls that are not answered yet
  };

  bool is_first() const { return mpi_.rank() == 0; }
  bool hear_session();
  bool hear_ranks();
  void pass_on(ranks::ToRank message);
  void take(Mpi::Arrived arrived);
  void answer(std::uint32_t rank, std::vector<std::byte> body);
  bool send_own();
  void look_after_exchange();
  void beat();
  void find_lost();
  void lose(std::uint32_t rank, std::string why);
  void leave();
  void pause();

  Mpi mpi_;
  std::vector<Peer> peers_;
  std::optional<Channel> session_;  // of rank 0
  RankServer server_;
  ExchangeWork* exchange_ = nullptr;
  bool left_ = false;
  milliseconds patience_ = patience();
  Clock::time_point active_ = Clock::now(), beaten_{};
  milliseconds::rep pause_ = 0;  // microseconds
};

Loop::Loop(const RankOptions& options)
    : peers_(mpi_.size()), server_(mpi_.rank(), host_name(), [this, make = options.make](const auto& taker) {
        return make({mpi_.neighbours().first, mpi_.neighbours().count}, taker);
      }) {
  if (is_first())
    session_.emplace(take_channel(options.socket));
  else
    mpi_.send(0, Tag::hello, remote::encode(Hello{host_name(), getpid()}));
  peers_[mpi_.rank()].host = host_name();
}

int Loop::run() {
  while (!left_) {
    bool busy = is_first() && hear_session();
    busy = hear_ranks() || busy;
    busy = send_own() || busy;
    look_after_exchange();
    beat();
    find_lost();
    if (busy) active_ = Clock::now();
    pause();
  }
  leave();
  return 0;
}

// --- Messages
// ---------------------------------------------------------------------------------------------------------

bool Loop::hear_session() {
  Message message;
  switch (session_->receive(message)) {
    case Channel::Flow::pending: return false;
    case Channel::Flow::done: break;
    default: left_ = true; return false;
  }
  ranks::ToRank request;
  if (!remote::decode(message.body, request) || request.rank >= mpi_.size()) {
    left_ = true;
    return false;
  }
  pass_on(std::move(request));
  return true;
}

void Loop::pass_on(ranks::ToRank message) {
  const auto rank = message.rank;
  if (message.kind == Kind::call || message.kind == Kind::restart) {
    if (!peers_[rank].lost.empty()) {
      ranks::FromRank lost{Status::lost, {}, {}, {}};
      const auto* const why = reinterpret_cast<const std::byte*>(peers_[rank].lost.data());
      lost.value.assign(why, why + peers_[rank].lost.size());
      return session_->send({.head = nullptr, .body = remote::encode(lost), .files = {}});
    }
    peers_[rank].asked.push_back(0);
  }
  if (rank == mpi_.rank()) return server_.tell(std::move(message));
  if (peers_[rank].lost.empty()) mpi_.send(rank, Tag::to_rank, remote::encode(message));
}

bool Loop::hear_ranks() {
  bool any = false;
  for (auto arrived = mpi_.receive(); arrived; arrived = mpi_.receive()) {
    any = any || arrived->tag != Tag::alive;
    take(std::move(*arrived));
  }
  return any;
}

void Loop::take(Mpi::Arrived arrived) {
  auto& peer = peers_[arrived.from];
  peer.heard = Clock::now();
  switch (arrived.tag) {
    case Tag::to_rank: {
      ranks::ToRank message;
      if (!remote::decode(arrived.message, message)) return;
      if (message.kind == Kind::leave)
        left_ = true;
      else
        server_.tell(std::move(message));
      return;
    }
    case Tag::answer: return answer(arrived.from, std::move(arrived.message));
    case Tag::hello: {
      Hello hello;
      if (!remote::decode(arrived.message, hello)) return;
      peer.host = hello.host;
      if (hello.host == host_name()) peer.end = process_descriptor(static_cast<pid_t>(hello.process));
      return;
    }
    case Tag::lost: {
      LostRank lost;
      if (remote::decode(arrived.message, lost) && lost.rank < peers_.size()) lose(lost.rank, lost.why);
      return;
    }
    default: return;
  }
}

void Loop::answer(std::uint32_t rank, std::vector<std::byte> body) {
  if (peers_[rank].asked.empty() || !peers_[rank].lost.empty()) return;
  peers_[rank].asked.pop_front();
  session_->send({.head = nullptr, .body = std::move(body), .files = {}});
}

bool Loop::send_own() {
  bool any = false;
  server_.hush();
  for (auto own = server_.take_answer(); own; own = server_.take_answer()) {
    any = true;
    if (is_first())
      answer(0, std::move(*own));
    else
      mpi_.send(0, Tag::answer, std::move(*own));
  }
  return mpi_.sending() || any;
}

// --- Exchanges
// --------------------------------------------------------------------------------------------------------

void Loop::look_after_exchange() {
  if (exchange_ == nullptr) {
    exchange_ = server_.take_exchange();
    if (exchange_ == nullptr) return;
    for (auto& parcel : exchange_->in) mpi_.begin_receive(parcel.peer, exchange_->number, parcel.bytes);
    for (const auto& parcel : exchange_->out) mpi_.begin_send(parcel.peer, exchange_->number, parcel.seen);
  }
  // The others wait for their bytes, whoever is lost.
  std::string failure;
  for (const auto* const parcels : {&exchange_->in, &exchange_->out})
    for (const auto& parcel : *parcels)
      if (const auto& lost = peers_[parcel.peer].lost; !lost.empty()) {
        failure = lost;
        mpi_.drop(parcel.peer);
      }
  if (!mpi_.exchange_done()) return;
  exchange_ = nullptr;
  active_ = Clock::now();
  server_.exchanged(std::move(failure));
}

// --- Lost ranks
// -------------------------------------------------------------------------------------------------------

void Loop::beat() {
  if (Clock::now() - beaten_ < kBeat) return;
  beaten_ = Clock::now();
  for (std::uint32_t rank = 0; rank < mpi_.size(); ++rank)
    if (rank != mpi_.rank() && (is_first() || rank == 0) && peers_[rank].lost.empty()) mpi_.send(rank, Tag::alive, {});
}

void Loop::find_lost() {
  if (!is_first()) {
    if (Clock::now() - peers_[0].heard > 2 * patience_) left_ = true;  // and with it the session
    return;
  }
  for (std::uint32_t rank = 1; rank < mpi_.size(); ++rank) {
    auto& peer = peers_[rank];
    if (!peer.lost.empty()) continue;
    pollfd end{peer.end.get(), POLLIN, 0};
    const auto where = peer.host.empty() ? std::string() : fmt::format(" on {}", peer.host);
    if (peer.end && poll(&end, 1, 0) > 0)
      lose(rank, fmt::format("rank {}{} was lost: its process has ended", rank, where));
    else if (Clock::now() - peer.heard > patience_)
      lose(rank, fmt::format("rank {}{} was lost: nothing was heard of it for {} s", rank, where,
                             static_cast<double>(patience_.count()) / 1000));
  }
}

void Loop::lose(std::uint32_t rank, std::string why) {
  auto& peer = peers_[rank];
  if (!peer.lost.empty()) return;
  peer.lost = std::move(why);
  peer.end.reset();
  mpi_.forget(rank);
  if (!is_first()) return;
  ranks::FromRank lost{Status::lost, {}, {}, {}};
  const auto* const text = reinterpret_cast<const std::byte*>(peer.lost.data());
  lost.value.assign(text, text + peer.lost.size());
  for (auto asked = std::exchange(peer.asked, {}); !asked.empty(); asked.pop_front())
    session_->send({.head = nullptr, .body = remote::encode(lost), .files = {}});
  for (std::uint32_t other = 1; other < mpi_.size(); ++other)
    if (peers_[other].lost.empty()) mpi_.send(other, Tag::lost, remote::encode(LostRank{rank, peer.lost}));
}

// MPI ends together, or, where a rank is missing, not at all.
void Loop::leave() {
  bool all = true;
  for (std::uint32_t rank = 0; rank < mpi_.size(); ++rank) {
    all = all && peers_[rank].lost.empty();
    if (is_first() && rank > 0 && peers_[rank].lost.empty())
      mpi_.send(rank, Tag::to_rank, remote::encode(ranks::ToRank{rank, Kind::leave, {}, {}, {}}));
  }
  const auto until = Clock::now() + milliseconds{1000};
  while (mpi_.sending() && Clock::now() < until) usleep(100);
  alarm(3);
  if (all && !mpi_.sending()) mpi_.end();
  std::_Exit(0);
}

void Loop::pause() {
  if (left_) return;
  const auto idle = Clock::now() - active_;
  if (idle < kActive && exchange_ == nullptr) return void(sched_yield());
  const auto pause = exchange_ != nullptr
                         ? std::chrono::microseconds{20}
                         : std::min<std::chrono::microseconds>(
                               std::chrono::duration_cast<std::chrono::microseconds>(idle / 16), kLongestPause);
  std::array<pollfd, 2> items{pollfd{server_.bell(), POLLIN, 0}, pollfd{session_ ? session_->fd() : -1, POLLIN, 0}};
  const timespec time{0, static_cast<long>(pause.count()) * 1000};
  ppoll(items.data(), items.size(), &time, nullptr);
}

}  // namespace

int run_rank(const RankOptions& options) {
  try {
    return Loop(options).run();
  } catch (const Error& error) {
    fmt::print(stderr, "{}{}{}\n", error.message, error.advice.empty() ? "" : ". ", error.advice);
    return 1;
  }
}

}  // namespace xcuda::device::mpi
