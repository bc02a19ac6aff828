#include "session/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/figures.hpp"

namespace xcuda::session {
namespace {

constexpr std::chrono::milliseconds kPatience{1000}, kInterval{500};
constexpr auto kId = "xcuda-progress";

}  // namespace

std::optional<std::chrono::seconds> time_left(const Counted& counted) {
  using std::chrono::duration;
  const double elapsed = duration<double>(counted.elapsed).count();
  if (counted.done == 0 || counted.total <= counted.done || elapsed < 1) return std::nullopt;
  const double each = elapsed / static_cast<double>(counted.done);
  const double left = each * static_cast<double>(counted.total - counted.done);
  constexpr double kLongest = 100 * 3600;  // an estimate of days is a guess
  if (left > kLongest) return std::nullopt;
  return std::chrono::seconds(std::llround(left));
}

std::string clock_text(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{}:{:02} min", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02} h", seconds / 3600, seconds / 60 % 60);
}

std::string progress_bar(std::uint64_t done, std::uint64_t total) {
  constexpr std::size_t kWidth = 20;  // characters
  const auto bar = display::text_bar(static_cast<double>(done) / static_cast<double>(total), kWidth);
  return fmt::format("▕{}{}▏", bar, std::string(kWidth - code_points_of_bytes(bar, bar.size()), ' '));
}

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
    told_.clear();
    done_ = 0;
    total_ = 0;
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
  progress_.told_.clear();
  if (said_) progress_.what_.clear();
}

void Progress::tell(std::string_view what) {
  const std::lock_guard lock(mutex_);
  told_ = what;
}

void Progress::count(Unit unit, std::uint64_t done, std::uint64_t total) {
  // An element that a loop reads is not worth reporting; a finished copy leaves the line to what follows.
  constexpr std::uint64_t kLongCopy = 16 << 20;
  // The passes of a loop follow each other fast, and only their number changes; no other thread writes the rest.
  const auto before = done_.load(std::memory_order_relaxed);
  if (unit == Unit::passes && unit_ == unit && total_ == total && before > 0 && done > before)
    return done_.store(done, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (unit != Unit::runs && unit_ == Unit::runs && total_ > 0) return;  // a run has passes and copies of its own
  if (unit == Unit::bytes && total < kLongCopy) return;
  if (unit != Unit::passes && total > 0 && done >= total) done = total = 0;
  if (unit != unit_ || total != total_ || done < done_ || done_ == 0) counted_since_ = Clock::now();
  unit_ = unit;
  done_ = done;
  total_ = total;
}

std::string Progress::line() const {
  const auto done = done_.load(std::memory_order_relaxed);
  const auto number = [&](std::uint64_t n) { return unit_ == Unit::bytes ? format_bytes(n) : format_count(n); };
  const auto now = Clock::now();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begun_).count();
  if (!told_.empty()) return fmt::format("{}, {} s", told_, seconds);
  auto text = !what_.empty()                     ? what_
              : unit_ == Unit::bytes && done > 0 ? std::string("copied")
                                                 : std::string("running");
  if (done > 0) {
    text += ": " + number(done);
    if (total_ > 0) text += " of " + number(total_);
    if (unit_ != Unit::bytes) text += unit_ == Unit::runs ? " runs" : " passes";
    if (total_ > 0) text += fmt::format(", {} %", done * 100 / total_);
  }
  text += fmt::format(", {} s", seconds);
  if (const auto left = time_left({done, total_, now - counted_since_}))
    text += fmt::format(", about {} left", clock_text(*left));
  if (total_ > 0 && done > 0) text = progress_bar(done, total_) + " " + text;
  return text;
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
