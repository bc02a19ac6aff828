#include "device/cpu/run/child_grids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "device/cpu/run/launch_limits.hpp"
#include "device/index_text.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr int kMostDepth = 24;                  // as on a GPU
constexpr std::size_t kMostWaiting = 1u << 20;  // they wait for the whole grid here, so this is more than a GPU's 2,048
constexpr std::uint64_t kTailLaunch = 3,
                        kFireAndForget = 4;  // cudaStreamTailLaunch and so on; 0, 1, 2: default streams
constexpr std::uint64_t kFirstHandle = 0x1000;

struct ErrorText {
  RuntimeError error;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {RuntimeError::none, "cudaSuccess", "no error"},
    {RuntimeError::invalid_value, "cudaErrorInvalidValue", "invalid argument"},
    {RuntimeError::no_memory, "cudaErrorMemoryAllocation", "out of memory"},
    {RuntimeError::invalid_configuration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {RuntimeError::too_deep, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
    {RuntimeError::too_many, "cudaErrorLaunchPendingCountExceeded",
     "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
    {RuntimeError::invalid_function, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {RuntimeError::invalid_handle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {RuntimeError::out_of_resources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
};
constexpr ErrorText kUnknown{{}, "unrecognized error code", "unrecognized error code"};

const ErrorText& text_of(std::uint32_t error) {
  const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorText& each) {
    return static_cast<std::uint32_t>(each.error) == error;
  });
  return found == std::end(kErrors) ? kUnknown : *found;
}

std::string text_of(const std::string& kernel, const Asking& asking) {
  std::string text =
      fmt::format("{}, block {}, thread {}", kernel, index_text(asking.block_index), index_text(asking.thread_index));
  if (asking.place != nullptr && asking.place->line > 0)
    text += fmt::format(", at {}, line {}", asking.place->source, asking.place->line);
  return text;
}

}  // namespace

std::string ChildWork::asked_by() const { return text_of(parent, from_thread); }

const char* name_of(std::uint32_t error) { return text_of(error).name; }
const char* string_of(std::uint32_t error) { return text_of(error).text; }

void ChildGrids::begin(std::string parent, int depth) {
  parent_ = std::move(parent);
  depth_ = depth;
}

Address ChildGrids::buffer(const Wanted& wanted, const Asking& asking) {
  if (wanted.function == nullptr) {
    fail(RuntimeError::invalid_function, asking);
    return 0;
  }
  Buffer made{wanted, std::vector<std::byte>(std::max<std::uint64_t>(parameter_bytes(*wanted.function), 1))};
  const std::lock_guard lock(mutex_);
  used_ = true;
  const auto address = reinterpret_cast<Address>(made.memory.data());
  buffers_.emplace(address, std::move(made));
  return address;
}

std::optional<AddressRange> ChildGrids::find(Address address) {
  if (!used_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto after = buffers_.upper_bound(address);
  if (after == buffers_.begin()) return std::nullopt;
  const auto& [begin, found] = *std::prev(after);
  if (address - begin >= found.memory.size()) return std::nullopt;
  return AddressRange{begin, found.memory.size()};
}

RuntimeError ChildGrids::launch(Address address, std::uint64_t stream, const Asking& asking) {
  Buffer found;
  {
    const std::lock_guard lock(mutex_);
    const auto at = buffers_.find(address);
    // Without a buffer the thread has its error already.
    if (at == buffers_.end())
      return address == 0 && failures_.contains(asking.thread) ? failures_[asking.thread].error
                                                               : RuntimeError::invalid_value;
    found = std::move(at->second);
    buffers_.erase(at);
  }
  LaunchRequest request;
  request.grid = found.wanted.grid;
  request.block = found.wanted.block;
  request.dynamic_shared = found.wanted.shared;
  request.arguments = std::move(found.memory);
  if (auto refused = refuse(request, *found.wanted.function))
    return fail(lacks_resources(*refused) ? RuntimeError::out_of_resources : RuntimeError::invalid_configuration,
                asking, std::move(*refused));
  ChildWork work;
  work.function = found.wanted.function;
  work.grid = request.grid;
  work.extents = request.block;
  work.shared = found.wanted.shared;
  work.arguments = std::move(request.arguments);
  work.arguments.resize(parameter_bytes(*work.function));
  return queue(std::move(work), stream, asking);
}

RuntimeError ChildGrids::add(ChildWork work, std::uint64_t stream, const Asking& asking) {
  return queue(std::move(work), stream, asking);
}

RuntimeError ChildGrids::queue(ChildWork work, std::uint64_t stream, const Asking& asking) {
  if (const RuntimeError wrong = check_stream(stream, asking); wrong != RuntimeError::none) return wrong;
  const bool tail = stream == kTailLaunch;
  // What begins in the tail of a grid is not nested in it.
  work.depth = tail ? depth_ : depth_ + 1;
  if (work.depth > kMostDepth)
    return fail(RuntimeError::too_deep, asking,
                {0, "", fmt::format("grids can be nested {} deep; cudaStreamTailLaunch does not nest", kMostDepth)});
  work.from_thread = asking;
  work.parent = parent_;
  {
    const std::lock_guard lock(mutex_);
    used_ = true;
    if (ordinary_.size() + tail_.size() < kMostWaiting) {
      (tail ? tail_ : ordinary_).push_back(std::move(work));
      return RuntimeError::none;
    }
  }
  return fail(RuntimeError::too_many, asking, {0, "", fmt::format("a grid can launch {} others", kMostWaiting)});
}

std::uint64_t ChildGrids::create() {
  const std::lock_guard lock(mutex_);
  last_handle_ = std::max(last_handle_ + 1, kFirstHandle);
  handles_.insert(last_handle_);
  return last_handle_;
}

RuntimeError ChildGrids::check(std::uint64_t handle, const Asking& asking) {
  {
    const std::lock_guard lock(mutex_);
    if (handles_.contains(handle)) return RuntimeError::none;
  }
  return fail(RuntimeError::invalid_handle, asking,
              {0, "", "a kernel can use the streams and events that its own grid has created"});
}

RuntimeError ChildGrids::check_stream(std::uint64_t stream, const Asking& asking) {
  return stream <= kFireAndForget ? RuntimeError::none : check(stream, asking);
}

RuntimeError ChildGrids::destroy(std::uint64_t handle, const Asking& asking) {
  const RuntimeError wrong = check(handle, asking);
  const std::lock_guard lock(mutex_);
  handles_.erase(handle);
  return wrong;
}

RuntimeError ChildGrids::fail(RuntimeError error, const Asking& asking, RefusedLaunch why) {
  const auto code = static_cast<std::uint32_t>(error);
  if (why.library.empty()) why.library = fmt::format("{} ({}): {}", name_of(code), code, string_of(code));
  why.library += fmt::format("; in {}", text_of(parent_, asking));
  const std::lock_guard lock(mutex_);
  used_ = true;
  failures_.insert_or_assign(asking.thread, Failure{error, false, std::move(why)});
  return error;
}

RuntimeError ChildGrids::last_error(std::uint64_t thread) {
  const std::lock_guard lock(mutex_);
  const auto found = failures_.find(thread);
  if (found == failures_.end()) return RuntimeError::none;
  found->second.seen = true;
  return found->second.error;
}

void ChildGrids::forget_error(std::uint64_t thread) {
  const std::lock_guard lock(mutex_);
  failures_.erase(thread);
}

// Blocks run in any order; what they launch does not.
std::vector<ChildWork> ChildGrids::take() {
  const auto by_block = [](const ChildWork& a, const ChildWork& b) {
    return a.from_thread.block < b.from_thread.block;
  };
  std::stable_sort(ordinary_.begin(), ordinary_.end(), by_block);
  std::stable_sort(tail_.begin(), tail_.end(), by_block);
  std::vector<ChildWork> all = std::exchange(tail_, {});
  std::reverse(all.begin(), all.end());
  std::move(ordinary_.rbegin(), ordinary_.rend(), std::back_inserter(all));
  ordinary_.clear();
  return all;
}

std::optional<RefusedLaunch> ChildGrids::unseen() const {
  for (const auto& [thread, failure] : failures_)
    if (!failure.seen) return failure.why;
  return std::nullopt;
}

}  // namespace xcuda::device::cpu
