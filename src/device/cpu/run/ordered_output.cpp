#include "device/cpu/run/ordered_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace xcuda::device::cpu {
namespace {

// Small prints are gathered, but not for long: a user may watch a slow kernel.
constexpr std::size_t kGatherBytes = 16 << 10;
constexpr std::chrono::milliseconds kGatherTime{20};

}  // namespace

void OrderedOutput::write(std::string& text) {
  if (!text.empty()) sink_(text);
  text.clear();
}

void OrderedOutput::print(std::uint64_t begin, std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (begin == next_) {
    if (text.size() < kGatherBytes && now - last_ < kGatherTime) return;
    last_ = now;
    write(text);
  } else if (text.size() > limit_) {
    dropped_ += text.size();
    text.clear();
  }
}

void OrderedOutput::complete(std::uint64_t begin, std::uint64_t end, std::string& text) {
  const std::lock_guard lock(mutex_);
  if (begin != next_) {
    if (held_ + text.size() > limit_) {
      dropped_ += text.size();
      text.clear();
    }
    held_ += text.size();
    waiting_.emplace(begin, Run{end, std::move(text)});
    text.clear();
    return;
  }
  write(text);
  next_ = end;
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    Run& run = waiting_.begin()->second;
    held_ -= run.text.size();
    write(run.text);
    next_ = run.end;
    waiting_.erase(waiting_.begin());
  }
}

void OrderedOutput::finish() {
  const std::lock_guard lock(mutex_);
  for (auto& [begin, run] : waiting_) write(run.text);
  waiting_.clear();
  if (dropped_ > 0)
    sink_(fmt::format("[dropped {} bytes of printf output: too much was waiting for earlier blocks]\n", dropped_));
  dropped_ = 0;
}

TextSink descriptor_sink(int descriptor) {
  return [descriptor](std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(descriptor, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // nobody reads any more
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  };
}

}  // namespace xcuda::device::cpu
