#include "session/assert_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "compiler/host/host_source.hpp"
#include "device/index_text.hpp"

namespace xcuda::session {
namespace {

// Both devices and the CUDA driver print
//   In[7]:3: void check(float *): block: [0,0,0], thread: [5,0,0] Assertion `threadIdx.x < 5` failed.
constexpr std::string_view kBlock = ": block: [", kThread = "], thread: [", kCondition = "] Assertion `",
                           kEnd = "` failed.";
constexpr std::size_t kMostRanges = 4;

std::optional<device::Dim3> index_of(std::string_view text) {
  device::Dim3 index;
  for (auto* part : {&index.x, &index.y, &index.z}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *part);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (part == &index.z) return text.empty() ? std::optional(index) : std::nullopt;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

// What is in front of the mark, which goes with it.
std::optional<std::string_view> up_to(std::string_view& text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto before = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return before;
}

// "5 to 31", "0, 2, 4 and 13 more"; threads of a block of one dimension.
std::string ranges_text(std::vector<device::Dim3> threads) {
  std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  std::vector<std::string> ranges;
  std::size_t told = 0;
  for (std::size_t first = 0, last = 0; first < threads.size() && ranges.size() < kMostRanges; first = last + 1) {
    for (last = first; last + 1 < threads.size() && threads[last + 1].x == threads[last].x + 1;) ++last;
    ranges.push_back(first == last ? std::to_string(threads[first].x)
                                   : fmt::format("{} to {}", threads[first].x, threads[last].x));
    told = last + 1;
  }
  auto text = fmt::format("{}", fmt::join(ranges, ", "));
  if (told < threads.size()) text += fmt::format(" and {} more", format_count(threads.size() - told));
  return text;
}

// How many threads the warps of these threads have. A device ends a launch with the first warp that fails, or some
// later: nothing is known of the others.
std::uint64_t threads_of_warps(const std::vector<device::Dim3>& threads, const device::Dim3& block) {
  constexpr std::uint64_t kWarp = 32;
  std::set<std::uint64_t> warps;
  for (const auto& thread : threads)
    warps.insert((thread.x + std::uint64_t{block.x} * (thread.y + std::uint64_t{block.y} * thread.z)) / kWarp);
  std::uint64_t count = 0;
  for (const auto warp : warps) count += std::min(kWarp, block.count() - std::min(block.count(), warp * kWarp));
  return count;
}

}  // namespace

std::string threads_text(const FailedAssert& failed, const std::optional<device::Dim3>& block) {
  if (failed.count < 2) return {};
  if (failed.blocks.size() > 1)
    return fmt::format("{} threads of {} blocks, the first of them thread {} of block {}", format_count(failed.count),
                       format_count(failed.blocks.size()), device::index_text(failed.threads.front()),
                       device::index_text(failed.blocks.front()));
  const auto told = block ? threads_of_warps(failed.threads, *block) : 0;
  auto text = fmt::format("{}{} threads of block {}", format_count(failed.count),
                          told > 0 ? " of " + format_count(told) : "", device::index_text(failed.blocks.front()));
  const bool line = std::all_of(failed.threads.begin(), failed.threads.end(),
                                [](const auto& thread) { return thread.y == 0 && thread.z == 0; });
  text += line ? ": " + ranges_text(failed.threads)
               : fmt::format(", the first of them {}", device::index_text(failed.threads.front()));
  return told > 0 && told < block->count() ? text + "; the launch ended before another warp failed" : text;
}

bool AssertLines::add(std::string_view line) {
  auto text = line;
  auto place = up_to(text, kBlock);
  const auto block = up_to(text, kThread), thread = up_to(text, kCondition);
  if (!place || !block || !thread || !text.ends_with(kEnd)) return false;
  const auto block_index = index_of(*block), thread_index = index_of(*thread);
  const auto source = up_to(*place, ":");  // a file's name with a colon stays as it is: the line is then no number
  int number = 0;
  if (!block_index || !thread_index || !source ||
      std::from_chars(place->data(), place->data() + place->size(), number).ec != std::errc())
    return false;
  text.remove_suffix(kEnd.size());
  const auto condition = compiler::without_marks(text);
  auto found = std::find_if(failed_.begin(), failed_.end(), [&](const FailedAssert& one) {
    return one.line == number && one.source == *source && one.condition == condition;
  });
  if (found == failed_.end())
    found = failed_.insert(failed_.end(), {std::string(*source), number, condition, {}, {}, 0});
  ++found->count;
  if (std::find(found->blocks.begin(), found->blocks.end(), *block_index) == found->blocks.end())
    found->blocks.push_back(*block_index);
  if (*block_index == found->blocks.front()) found->threads.push_back(*thread_index);
  return true;
}

void AssertLines::take(std::string_view text, const Write& write) {
  rest_ += text;
  std::string other;
  std::size_t begin = 0;
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    const auto line = std::string_view(rest_).substr(begin, end - begin);
    if (!add(line)) other.append(line).push_back('\n');
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (!other.empty()) write(other);
}

void AssertLines::flush(const Write& write) {
  if (!rest_.empty() && !add(rest_)) write(rest_);
  rest_.clear();
}

std::vector<FailedAssert> AssertLines::failed() { return std::exchange(failed_, {}); }

}  // namespace xcuda::session
