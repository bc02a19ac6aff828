#include "session/progress.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/units.hpp"

namespace xcuda::session {
namespace {

constexpr std::chrono::milliseconds kPatience{1000}, kInterval{500};
constexpr auto kId = "xcuda-progress";

}  // namespace

Progress::Progress() : thread_([this] { run(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
    sink_ = nullptr;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::begin(Sink& sink) {
  if (!sink.is_live()) return;
  {
    const std::lock_guard lock(mutex_);
    sink_ = &sink;
    what_.clear();
    done_ = total_ = 0;
    shown_ = false;
    begun_ = Clock::now();
  }
  changed_.notify_one();
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  auto* sink = std::exchange(sink_, nullptr);
  if (sink != nullptr && shown_) sink->display_as(kId, display::text_bundle(""));
}

Progress::Activity::Activity(Progress& progress, std::string what) : progress_(progress) {
  const std::lock_guard lock(progress_.mutex_);
  if (progress_.done_ > 0 || !progress_.what_.empty()) return;
  progress_.what_ = std::move(what);
  said_ = true;
}

Progress::Activity::~Activity() {
  const std::lock_guard lock(progress_.mutex_);
  if (said_) progress_.what_.clear();
}

void Progress::count(Unit unit, std::uint64_t done, std::uint64_t total) {
  // An element that a loop reads is not worth reporting; a finished copy leaves the line to what follows.
  constexpr std::uint64_t kLongCopy = 16 << 20;
  const std::lock_guard lock(mutex_);
  if (unit == Unit::bytes) {
    if (total < kLongCopy) return;
    if (done >= total) done = total = 0;
  }
  unit_ = unit;
  done_ = done;
  total_ = total;
}

std::string Progress::line() const {
  const auto number = [&](std::uint64_t n) { return unit_ == Unit::bytes ? format_bytes(n) : format_count(n); };
  auto text = !what_.empty()                      ? what_
              : unit_ == Unit::bytes && done_ > 0 ? std::string("copied")
                                                  : std::string("running");
  if (done_ > 0) {
    text += ": " + number(done_);
    if (total_ > 0) text += " of " + number(total_);
    if (unit_ != Unit::bytes) text += unit_ == Unit::runs ? " runs" : " passes";
    if (total_ > 0) text += fmt::format(", {} %", done_ * 100 / total_);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_).count();
  return text + fmt::format(", {} s", seconds);
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  while (!leaving_) {
    if (sink_ == nullptr) {
      changed_.wait(lock);
      continue;
    }
    const auto wake = shown_ ? Clock::now() + kInterval : begun_ + kPatience;
    changed_.wait_until(lock, wake);
    if (sink_ == nullptr || Clock::now() < begun_ + kPatience) continue;
    shown_ = true;
    sink_->display_as(kId, display::text_bundle(line()));
  }
}

}  // namespace xcuda::session
