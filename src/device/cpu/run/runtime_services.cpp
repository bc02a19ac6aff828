// Service::runtime: functions of the CUDA Runtime that kernels call, one lane after the other.
#include <cstring>

#include "device/cpu/run/launch_state.hpp"
#include "device/cpu/run/loaded_kernels.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr std::uint64_t kNonBlocking = 1, kDisableTiming = 2;  // cudaStreamNonBlocking, cudaEventDisableTiming

// One call of one lane.
class LaneRequest {
 public:
  LaneRequest(BlockFrame* frame, LaneCall* call, std::uint32_t lane)
      : frame_(frame), call_(call), lane_(lane), state_(state_of(frame)) {}

  // False: the kernel is left.
  bool serve() {
    const auto done = answer();
    if (done) call_->results[lane_] = *done;
    return done.has_value();
  }

 private:
  using Answer = std::optional<std::uint64_t>;

  std::uint64_t given(int index) const { return call_->arguments[index][lane_]; }
  std::uint32_t number(int index) const { return static_cast<std::uint32_t>(given(index)); }
  std::uint32_t upper(int index) const { return static_cast<std::uint32_t>(given(index) >> 32); }
  static std::uint64_t code(RuntimeError error) { return static_cast<std::uint64_t>(error); }

  Answer answer() {
    ChildGrids& children = state_.children;
    switch (state_.code.sites[call_->site].runtime_call) {
      case RuntimeCall::none: break;
      case RuntimeCall::parameter_buffer: return buffer();
      case RuntimeCall::launch: return code(children.launch(given(0), given(1), asking()));
      case RuntimeCall::last_error:
      case RuntimeCall::peek_error: {
        const std::uint64_t thread = asking().thread;
        const RuntimeError error = children.last_error(thread);
        if (state_.code.sites[call_->site].runtime_call == RuntimeCall::last_error) children.forget_error(thread);
        return code(error);
      }
      case RuntimeCall::error_name: return reinterpret_cast<std::uint64_t>(name_of(number(0)));
      case RuntimeCall::error_string: return reinterpret_cast<std::uint64_t>(string_of(number(0)));
      case RuntimeCall::device: return put(std::uint32_t{0});
      case RuntimeCall::device_count: return put(std::uint32_t{1});
      case RuntimeCall::create_stream:
        if (number(1) == kNonBlocking) return put(children.create());
        return code(children.fail(RuntimeError::invalid_value, asking(),
                                  {0, "", "in a kernel a stream is created with cudaStreamNonBlocking"}));
      case RuntimeCall::create_event:
        if (number(1) == kDisableTiming) return put(children.create());
        return code(children.fail(RuntimeError::invalid_value, asking(),
                                  {0, "", "in a kernel an event is created with cudaEventDisableTiming"}));
      case RuntimeCall::destroy_stream:
      case RuntimeCall::destroy_event: return code(children.destroy(given(0), asking()));
      case RuntimeCall::wait_event: return both(given(1), given(0));
      case RuntimeCall::record_event: return both(given(0), given(1));
      case RuntimeCall::allocate: return allocate();
      case RuntimeCall::release:
        return code(state_.space.heap.release(given(0)) ? RuntimeError::none
                                                        : children.fail(RuntimeError::invalid_value, asking()));
      case RuntimeCall::copy: return code(children.add(work(ChildWork::Kind::copy), given(4), asking()));
      case RuntimeCall::fill: return code(children.add(work(ChildWork::Kind::fill), given(3), asking()));
    }
    return std::nullopt;
  }

  std::uint64_t buffer() {
    ChildGrids::Wanted wanted;
    if (state_.program != nullptr) wanted.function = state_.program->kernel_at(given(0));
    wanted.grid = {number(1), upper(1), number(2)};
    wanted.block = {upper(2), number(3), upper(3)};
    wanted.shared = number(4);
    const Address made = state_.children.buffer(wanted, asking());
    if (const auto range = state_.children.find(made); range && state_.recorder) state_.recorder->forget(*range);
    return made;
  }

  Answer both(std::uint64_t event, std::uint64_t stream) {
    const RuntimeError wrong = state_.children.check(event, asking());
    return code(wrong == RuntimeError::none ? state_.children.check_stream(stream, asking()) : wrong);
  }

  Answer allocate() {
    const std::uint64_t address = state_.space.heap.allocate(given(1));
    if (address == 0 && given(1) > 0)
      return code(
          state_.children.fail(RuntimeError::no_memory, asking(),
                               {0, "", "cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes) gives kernels more"}));
    if (const auto range = state_.space.heap.find(address); range && state_.recorder) state_.recorder->forget(*range);
    return put(address);
  }

  ChildWork work(ChildWork::Kind kind) const {
    ChildWork work;
    work.kind = kind;
    work.to = given(0);
    work.bytes = given(2);
    if (kind == ChildWork::Kind::copy)
      work.from = given(1);
    else
      work.value = static_cast<std::byte>(given(1));
    return work;
  }

  // Where the first argument says.
  template <class T> Answer put(T value) {
    std::byte* to = reach(frame_, call_, {given(0), sizeof value, false, true});
    if (to == nullptr || record_touch(frame_, call_, {lane_, given(0), sizeof value, Access::write}) != kGoOn)
      return std::nullopt;
    std::memcpy(to, &value, sizeof value);
    return code(RuntimeError::none);
  }

  Asking asking() const {
    const std::uint32_t* at = frame_->block_index;
    const LaunchAbi& launch = state_.abi;
    const std::uint32_t linear = call_->warp * kLanesPerWarp + lane_;
    Asking asking;
    asking.block = at[0] + std::uint64_t{launch.grid[0]} * (at[1] + std::uint64_t{launch.grid[1]} * at[2]);
    asking.thread = asking.block * launch.block[0] * launch.block[1] * launch.block[2] + linear;
    asking.block_index = {at[0], at[1], at[2]};
    asking.thread_index = thread_index(*frame_, linear);
    asking.place = &state_.code.sites[call_->site].place;
    return asking;
  }

  BlockFrame* frame_;
  LaneCall* call_;
  std::uint32_t lane_;
  LaunchState& state_;
};

}  // namespace

std::uint32_t runtime(BlockFrame* frame, LaneCall* call) {
  const std::uint32_t all = call->mask;
  bool goes_on = true;
  for (std::uint32_t lane = 0; lane < kLanesPerWarp && goes_on; ++lane) {
    if ((all >> lane & 1) == 0) continue;
    call->mask = 1u << lane;  // for what it reaches, and its messages
    goes_on = LaneRequest(frame, call, lane).serve();
  }
  call->mask = all;
  return goes_on ? kGoOn : kLeave;
}

}  // namespace xcuda::device::cpu
