#include "device/cuda/gpu_launch_log.hpp"

#include <algorithm>
#include <cmath>

namespace xcuda::device::cuda {

LaunchMarks::LaunchMarks(const Driver& driver) : driver_(driver) {
  void* raw = nullptr;
  driver_.check(driver_.cuMemAllocHost(&raw, kSlots * sizeof(std::uint32_t)), ErrorKind::memory,
                "allocate page-locked memory");
  memory_ = PageLocked({&driver_, raw});
  words_ = static_cast<std::uint32_t*>(raw);
  std::fill_n(words_, kSlots, 0u);
  driver_.check(driver_.cuMemHostGetDevicePointer(&device_words_, raw, 0), "map page-locked memory");
}

LaunchMarks::Stream& LaunchMarks::find(StreamId id) {
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [&](const Stream& stream) { return stream.id == id; });
  if (found != streams_.end()) return *found;
  Stream stream;
  stream.id = id;
  stream.slot = streams_.size();
  streams_.push_back(std::move(stream));
  return streams_.back();
}

void LaunchMarks::before() {
  if (!last_) return;
  Stream& stream = find(last_->id);
  const auto launches = stream.numbers.size();
  if (launches % (launches <= 64 ? 1 : launches <= 1024 ? 16 : 64) == 0) mark(stream, last_->raw);
  last_.reset();
}

void LaunchMarks::launched(std::uint64_t number, StreamId id, CUstream raw) {
  find(id).numbers.push_back(number);
  last_ = Last{id, raw};
}

void LaunchMarks::close(StreamId id, CUstream raw) {
  Stream& stream = find(id);
  if (!stream.numbers.empty() && (stream.marked.empty() || stream.marked.back() < stream.numbers.size()))
    mark(stream, raw);
  if (last_ && last_->id == id) last_.reset();
}

void LaunchMarks::mark(Stream& stream, CUstream raw) {
  if (stream.slot >= kSlots) return;
  const CUdeviceptr word = device_words_ + stream.slot * sizeof(std::uint32_t);
  if (driver_.cuStreamWriteValue32(raw, word, stream.marks + 1, CU_STREAM_WRITE_VALUE_DEFAULT) != CUDA_SUCCESS) return;
  ++stream.marks;
  stream.marked.push_back(stream.numbers.size());
}

void LaunchMarks::synchronized() {
  last_.reset();
  for (auto& stream : streams_) {
    stream.numbers.clear();
    stream.marked.clear();
    stream.marks = 0;
    if (stream.slot < kSlots) words_[stream.slot] = 0;
  }
  // Slots are few: streams that come and go give theirs back here.
  if (streams_.size() > kSlots / 2) streams_.clear();
}

std::vector<std::uint64_t> LaunchMarks::unfinished() const {
  std::vector<std::uint64_t> candidates;
  for (const auto& stream : streams_) {
    const std::uint32_t seen = stream.slot < kSlots ? words_[stream.slot] : 0;
    const std::size_t done = seen == 0 ? 0 : stream.marked[std::min<std::size_t>(seen, stream.marked.size()) - 1];
    // Up to the next mark: the first launch that did not finish is among these.
    const std::size_t end = seen < stream.marked.size() ? stream.marked[seen] : stream.numbers.size();
    candidates.insert(candidates.end(), stream.numbers.begin() + static_cast<std::ptrdiff_t>(done),
                      stream.numbers.begin() + static_cast<std::ptrdiff_t>(end));
  }
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

CUresult LaunchTimer::make(Event& event) {
  CUevent raw = nullptr;
  const CUresult result = driver_.cuEventCreate(&raw, CU_EVENT_DEFAULT);
  if (result == CUDA_SUCCESS) event = Event({&driver_, raw});
  return result;
}

CUresult LaunchTimer::take(Pair& pair) {
  if (free_.empty() && used_.size() >= kPairs)
    if (const CUresult result = read_oldest(); result != CUDA_SUCCESS) return result;
  if (!free_.empty()) {
    pair = std::move(free_.back());
    free_.pop_back();
    return CUDA_SUCCESS;
  }
  const CUresult result = make(pair.from);
  return result == CUDA_SUCCESS ? make(pair.to) : result;
}

CUresult LaunchTimer::before(std::uint64_t number, CUstream stream) {
  Pair pair;
  if (const CUresult result = take(pair); result != CUDA_SUCCESS) return result;
  pair.number = number;
  used_.push_back(std::move(pair));
  return driver_.cuEventRecord(used_.back().from.get(), stream);
}

CUresult LaunchTimer::after(CUstream stream) { return driver_.cuEventRecord(used_.back().to.get(), stream); }

void LaunchTimer::abandon() {
  free_.push_back(std::move(used_.back()));
  used_.pop_back();
}

CUresult LaunchTimer::read_oldest() {
  Pair& pair = used_.front();
  if (const CUresult result = driver_.cuEventSynchronize(pair.to.get()); result != CUDA_SUCCESS) return result;
  float milliseconds = 0;
  if (const CUresult result = driver_.cuEventElapsedTime(&milliseconds, pair.from.get(), pair.to.get());
      result != CUDA_SUCCESS)
    return result;
  done_.push_back({pair.number, static_cast<Nanoseconds>(std::llround(double{milliseconds} * 1e6))});
  free_.push_back(std::move(pair));
  used_.pop_front();
  return CUDA_SUCCESS;
}

std::vector<LaunchTiming> LaunchTimer::harvest() {
  while (!used_.empty() && read_oldest() == CUDA_SUCCESS) {}
  std::sort(done_.begin(), done_.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return std::exchange(done_, {});
}

}  // namespace xcuda::device::cuda
