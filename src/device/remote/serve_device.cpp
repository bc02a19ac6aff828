#include "device/remote/serve_device.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <system_error>

#include "base/data_limit.hpp"
#include "base/passing.hpp"
#include "base/process_limits.hpp"
#include "base/shared_memory.hpp"
#include "device/remote/apply.hpp"
#include "device/remote/codec.hpp"
#include "device/remote/device_list.hpp"
#include "device/remote/opened.hpp"
#include "device/remote/protocol.hpp"
#include "device/remote/ring.hpp"
#include "device/remote/serve_verbs.hpp"
#include "device/remote/stop_watch.hpp"
#include "device/shared_words.hpp"

namespace xcuda::device::remote {
namespace {

// How long an idle worker looks for posts and calls before it sleeps: about what it takes to be woken.
constexpr std::chrono::microseconds kSpin{200};

class Server {
 public:
  Server(Channel& channel, Opened opened, const DeviceMaker& make)
      : channel_(channel), opened_(std::move(opened)), ring_(*opened_.area) {
    start(make);
  }
  int run();

 private:
  enum class Next : std::uint8_t { go_on, leave };

  void start(const DeviceMaker& make);
  Next serve_ring();
  Next serve_message(Message message);
  Next serve_big_post();
  bool take_post(Verb verb, std::span<const std::byte> payload);
  void post(Verb verb, std::span<const std::byte> payload);
  template <class Request> void launch(const Request& request, void (Device::*post)(const Request&));
  void refuse(Verb verb, const std::string& why);
  Next answer_call(Verb verb, std::span<const std::byte> arguments, std::vector<File> files);
  std::vector<std::byte> value_of(Verb verb, std::span<const std::byte> arguments, std::vector<File>& files,
                                  std::vector<File>& out);
  Completion synchronize();
  void reach_fence(std::uint64_t number);
  void check_after(const Error& error);
  [[noreturn]] void leave(Completion completion);
  Next sleep();
  void answer_error(const Error& error);

  Channel& channel_;
  Opened opened_;
  RingReader ring_;
  std::unique_ptr<Device> device_;
  std::optional<Error> start_error_;
  std::deque<Message> big_posts_;
  std::vector<std::byte> payload_;
  LaunchRequest launch_;
  SharedWords words_;
  bool gave_up_ = false;   // waiting for a value that is lost, since the last synchronisation
  Completion told_later_;  // at a fence
  std::vector<RefusedLaunch> refused_;
  std::vector<std::uint64_t> skipped_;
};

// One of the places where exceptions end: Error and foreign ones, from a device that may hold any library.
template <class Function, class Handler> void guarded(Function function, Handler handle) {
  try {
    function();
  } catch (const Error& error) {
    handle(error);
  } catch (const std::bad_alloc&) {
    handle(Error(ErrorKind::memory, "the device's process is out of memory").advise(memory_advice()));
  } catch (const std::system_error& error) {
    handle(Error(ErrorKind::io, "the device's process cannot start its threads")
               .said(error.what())
               .advise("The limit on processes (ulimit -u) or on address space (ulimit -v) is too low: raise it."));
  } catch (const std::exception& error) {
    handle(Error(ErrorKind::internal, "unexpected failure in the device's process").said(error.what()));
  }
}

void Server::start(const DeviceMaker& make) {
  guarded([&] { device_ = make(opened_.start); }, [&](const Error& error) { start_error_ = error; });
}

int Server::run() {
  for (;;) {
    if (serve_ring() == Next::leave) return 1;
    Message message;
    switch (channel_.receive(message)) {
      case Channel::Flow::done:
        if (serve_message(std::move(message)) == Next::leave) return 0;
        continue;
      case Channel::Flow::pending:
        if (sleep() == Next::leave) return 1;
        continue;
      case Channel::Flow::closed: return 0;
      case Channel::Flow::broken:
        fmt::print(stderr, "the session's messages are malformed: {}\n", channel_.fault());
        return 1;
    }
  }
}

Server::Next Server::sleep() {
  const auto has_message = [&] {
    pollfd item{channel_.fd(), POLLIN, 0};
    return poll(&item, 1, 0) > 0;
  };
  const auto until = std::chrono::steady_clock::now() + kSpin;
  while (std::chrono::steady_clock::now() < until)
    if (!ring_.is_empty() || (ring_.call_announced() && has_message())) return Next::go_on;
  if (!ring_.announce_sleep()) return Next::go_on;
  std::array<pollfd, 2> items{pollfd{channel_.fd(), POLLIN, 0}, pollfd{opened_.doorbell.get(), POLLIN, 0}};
  const int ready = poll_once(items, -1);
  ring_.announce_waking();
  if (ready < 0) return Next::leave;
  std::uint64_t rings = 0;
  if (items[1].revents != 0 && read(opened_.doorbell.get(), &rings, sizeof rings) < 0 && errno != EAGAIN &&
      !passes(errno))
    return Next::leave;
  return Next::go_on;
}

// --- Posts ----------------------------------------------------------------------------------------------------------

Server::Next Server::serve_ring() {
  Verb verb{};
  for (;;) switch (ring_.take(verb, payload_)) {
      case RingReader::Take::empty: return Next::go_on;
      case RingReader::Take::broken: fmt::print(stderr, "the ring of posts is malformed\n"); return Next::leave;
      case RingReader::Take::record:
        if (verb == Verb::big_post ? serve_big_post() == Next::leave : !take_post(verb, payload_)) return Next::leave;
    }
}

Server::Next Server::serve_big_post() {
  if (big_posts_.empty()) {
    auto message = channel_.receive();
    if (!message) return Next::leave;
    big_posts_.push_back(std::move(*message));
  }
  const auto message = std::move(big_posts_.front());
  big_posts_.pop_front();
  Reader reader(message.body);
  Verb verb{};
  std::uint64_t position = 0;
  reader(verb, position);
  return reader.ok() && is_post(verb) && take_post(verb, reader.rest()) ? Next::go_on : Next::leave;
}

void Server::refuse(Verb verb, const std::string& why) {
  refused_.push_back({0, fmt::format("cannot {}: {}", verb_phrase(verb), why), {}});
}

// False when the bytes are no post.
bool Server::take_post(Verb verb, std::span<const std::byte> payload) {
  if (!is_post(verb) || verb == Verb::big_post) return false;
  if (!device_ || (gave_up_ && is_work(verb))) return true;
  guarded([&] { post(verb, payload); }, [&](const Error& error) { refuse(verb, error.message); });
  return true;
}

template <class Request> void Server::launch(const Request& request, void (Device::*post)(const Request&)) {
  if (gave_up_ || opened_.area->stop.load(std::memory_order_relaxed) != 0)
    skipped_.push_back(request.number);
  else
    (device_.get()->*post)(request);
}

void Server::post(Verb verb, std::span<const std::byte> payload) {
  switch (verb) {
    case Verb::post_launch:
      if (!decode(payload, launch_)) throw malformed(verb);
      return launch(launch_, &Device::post_launch);
    case Verb::post_write_value:
      apply<std::uint32_t, std::uint32_t>(verb, payload, [&](std::uint32_t word, std::uint32_t value) {
        if (skipped_.empty() && !gave_up_) device_->post_write_value(word, value);
      });
      return;
    case Verb::post_wait_value:
      apply<std::uint32_t, std::uint32_t>(verb, payload, [&](std::uint32_t word, std::uint32_t value) {
        gave_up_ = gave_up_ || words_.lost(word, value);
        if (!gave_up_) device_->post_wait_value(word, value);
      });
      return;
    case Verb::post_graph:
      apply<GraphLaunch>(verb, payload, [&](const GraphLaunch& r) { launch(r, &Device::post_graph); });
      return;
    case Verb::post_library:
      apply<LibraryLaunch>(verb, payload, [&](const LibraryLaunch& r) { launch(r, &Device::post_library); });
      return;
    case Verb::post_host_call:
      apply<HostCall>(verb, payload, [&](const HostCall& r) { launch(r, &Device::post_host_call); });
      return;
    case Verb::post_fence:
      apply<std::uint64_t>(verb, payload, [&](std::uint64_t number) { reach_fence(number); });
      return;
    default: serve_post(*device_, verb, payload);
  }
}

// --- Calls ----------------------------------------------------------------------------------------------------------

Server::Next Server::serve_message(Message message) {
  Reader reader(message.body);
  Verb verb{};
  std::uint64_t position = 0;
  reader(verb, position);
  if (!reader.ok() || static_cast<std::uint8_t>(verb) >= kVerbs) return Next::leave;
  if (is_post(verb)) {  // its mark is in the ring
    big_posts_.push_back(std::move(message));
    return Next::go_on;
  }
  ring_.call_taken();
  // All that was posted before the call is in the ring by now.
  if (serve_ring() == Next::leave) return Next::leave;
  if (ring_.position() < position) return Next::leave;
  return answer_call(verb, reader.rest(), std::move(message.files));
}

void Server::answer_error(const Error& error) {
  channel_.send({.head = nullptr, .body = encode(Status::error, to_text(error)), .files = {}});
}

Server::Next Server::answer_call(Verb verb, std::span<const std::byte> arguments, std::vector<File> files) {
  if (!device_) {
    answer_error(*start_error_);
    return Next::go_on;
  }
  guarded(
      [&] {
        Message answer;
        const auto value = value_of(verb, arguments, files, answer.files);
        answer.body = encode(Status::done);
        answer.body.insert(answer.body.end(), value.begin(), value.end());
        channel_.send(answer);
      },
      [&](const Error& error) {
        check_after(error);
        answer_error(error);
      });
  return Next::go_on;
}

// A device that failed in a call may have ended by it.
void Server::check_after(const Error& error) {
  if (error.kind != ErrorKind::device) return;
  Completion completion;
  guarded([&] { completion = device_->synchronize({}); },
          [&](const Error& last) {
            auto& fault = completion.fault.emplace();
            fault.library = last.library.empty() ? last.message : last.library;
          });
  if (completion.fault) leave(std::move(completion));
  refused_.insert(refused_.end(), completion.refused.begin(), completion.refused.end());
}

void Server::leave(Completion completion) {
  completion.refused.insert(completion.refused.end(), refused_.begin(), refused_.end());
  guarded(
      [&] {
        channel_.send({.head = {{"report", "fault"}}, .body = encode(completion), .files = {}});
      },
      [](const Error&) {});
  std::_Exit(kFaultExit);
}

Completion Server::synchronize() {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  opened_.stop->begin();
  auto last = device_->synchronize({.interrupt = &opened_.stop->interrupt()});
  auto completion = std::exchange(told_later_, {});
  append(completion.timings, last.timings);
  append(completion.reports, last.reports);
  append(completion.refused, std::exchange(refused_, {}));
  append(completion.refused, last.refused);
  append(completion.skipped, last.skipped);
  append(completion.skipped, std::exchange(skipped_, {}));
  gave_up_ = false;
  completion.fault = std::move(last.fault);
  if (completion.fault) leave(std::move(completion));
  return completion;
}

// The call that follows reports a refused launch or a time.
void Server::reach_fence(std::uint64_t number) {
  told_later_ = synchronize();
  const bool more = !told_later_.timings.empty() || !told_later_.reports.empty() || !told_later_.refused.empty() ||
                    !told_later_.skipped.empty();
  opened_.area->fence.store(2 * number + (more ? 1 : 0), std::memory_order_release);
}

std::vector<std::byte> Server::value_of(Verb verb, std::span<const std::byte> bytes, std::vector<File>& files,
                                        std::vector<File>& out) {
  if (verb == Verb::synchronize) return apply<>(verb, bytes, [&] { return synchronize(); });
  if (verb != Verb::share_words) return serve_call(*device_, verb, bytes, files, out);
  if (files.size() != 1) throw malformed(verb);
  words_ = SharedWords(files[0]);
  return apply<>(verb, bytes, [&] { return device_->share_words(files[0]); });
}

}  // namespace

int answer_with_devices(Channel& channel, const std::function<std::vector<DeviceInfo>()>& list) {
  while (channel.receive()) {
    std::vector<DeviceInfo> devices;
    std::optional<ErrorText> failure;
    guarded([&] { devices = list(); }, [&](const Error& error) { failure = to_text(error); });
    channel.send({.head = nullptr, .body = encode(devices, failure), .files = {}});
  }
  return 0;
}

int serve(Channel& channel, const DeviceMaker& make) {
  int status = 1;
  guarded(
      [&] {
        auto message = channel.receive();
        if (!message) {
          status = 0;
          return;
        }
        auto files = std::move(message->files);
        auto opened = open(*message, std::move(files));
        if (!opened) {
          fmt::print(stderr, "the session uses another version of the protocol; install both from the same release\n");
          return;
        }
        Server server(channel, std::move(*opened), make);
        status = server.run();
      },
      [](const Error& error) { fmt::print(stderr, "{}: {}\n", error.message, error.library); });
  return status;
}

}  // namespace xcuda::device::remote
