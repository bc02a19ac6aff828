#include "display/thread_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace xcuda::display {
namespace {

constexpr std::uint64_t kWarp = 32, kWidest = 64;  // characters of a row

std::uint64_t width_of(const device::Dim3& block) {
  const bool line = block.y == 1 && block.z == 1;
  if (!line && block.x >= 8 && block.x <= kWidest) return block.x;
  return block.count() <= 8 * kWarp ? kWarp : kWidest;
}

std::string threads_text(const device::Dim3& block, std::uint64_t first, std::uint64_t last) {
  const auto index = [&](std::uint64_t at) {
    return fmt::format("({}, {}, {})", at % block.x, at / block.x % block.y, at / block.x / block.y);
  };
  const bool line = block.y == 1 && block.z == 1;
  if (first == last) return line ? fmt::format("thread {}", first) : index(first);
  return line ? fmt::format("threads {} to {}", first, last) : fmt::format("{} to {}", index(first), index(last));
}

}  // namespace

StyledText thread_picture(const MarkedThreads& marked) {
  const auto& block = marked.block;
  std::vector<bool> failed(block.count()), told((block.count() + kWarp - 1) / kWarp);
  for (const auto& thread : marked.threads) {
    const auto number = thread.x + std::uint64_t{block.x} * (thread.y + std::uint64_t{block.y} * thread.z);
    if (number < failed.size()) failed[number] = told[number / kWarp] = true;
  }
  const auto sign = [&](std::uint64_t at) { return failed[at] ? "█" : told[at / kWarp] ? "·" : " "; };
  const auto width = width_of(block);
  StyledText text;
  for (std::uint64_t first = 0; first < failed.size(); first += width) {
    text.add(Style::gutter, "     | ");
    const auto end = std::min<std::uint64_t>(first + width, failed.size());
    for (auto at = first; at < end;) {  // runs of one kind
      auto last = at;
      std::string run;
      for (; last < end && failed[last] == failed[at]; ++last) run += sign(last);
      text.add(failed[at] ? Style::error_mark : Style::gutter, run);
      at = last;
    }
    if (first > 0) text.add(Style::gutter, std::string(first + width - end, ' '));  // as wide as the rows above
    text.add(Style::gutter, "  " + threads_text(block, first, end - 1));
    text.line();
  }
  return text;
}

}  // namespace xcuda::display
