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

}  // namespace

StyledText thread_picture(const MarkedThreads& marked) {
  const auto& block = marked.block;
  std::vector<bool> failed(block.count());
  for (const auto& thread : marked.threads) {
    const auto number = thread.x + std::uint64_t{block.x} * (thread.y + std::uint64_t{block.y} * thread.z);
    if (number < failed.size()) failed[number] = true;
  }
  const auto width = width_of(block);
  StyledText text;
  for (std::uint64_t first = 0; first < failed.size(); first += width) {
    text.add(Style::gutter, fmt::format("{:>4} | ", first));
    const auto end = std::min<std::uint64_t>(first + width, failed.size());
    for (auto at = first; at < end;) {  // runs of one kind
      auto last = at;
      std::string run;
      for (; last < end && failed[last] == failed[at]; ++last) run += failed[at] ? "█" : "·";
      text.add(failed[at] ? Style::error_mark : Style::gutter, run);
      at = last;
    }
    text.line();
  }
  return text;
}

}  // namespace xcuda::display
