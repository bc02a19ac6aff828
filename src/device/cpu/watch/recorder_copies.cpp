// cp.async: copied words count as written when their thread waits for the copy, and not before.
#include "device/cpu/watch/access_recorder.hpp"

namespace xcuda::device::cpu {

AccessRecorder::Answer AccessRecorder::copy(const BlockFrame& frame, const LaneCall& call) {
  BlockState& state = running(frame, call.warp);
  const std::uint32_t bytes = code_.sites[call.site].size;
  auto& copies = state.warps[call.warp].copies;
  if (copies.empty()) copies.emplace_back();
  for (std::uint32_t lane = 0; lane < kLanesPerWarp; ++lane) {
    if (!(call.mask >> lane & 1)) continue;
    const Address to = call.arguments[0][lane], from = call.arguments[1][lane];
    if (Answer answer = touched(state, frame, call, {lane, from, bytes, Access::read}, nullptr)) return answer;
    if (Answer answer = touched(state, frame, call, {lane, to, bytes, Access::write}, nullptr)) return answer;
    const Copied copied{to, bytes, call.warp * kLanesPerWarp + lane, call.site};
    copies.back().push_back(copied);
    mark_copied(frame, copied, Mark::kPending);
  }
  return std::nullopt;
}

void AccessRecorder::mark_copied(const BlockFrame& frame, const Copied& copied, std::uint32_t time) {
  if (!checks_.races) return;
  Shadow* shadow = shadows_.of({reinterpret_cast<std::uint64_t>(frame.shared), frame.launch->shared_bytes});
  if (!shadow || !shadow->contains(copied.address)) return;
  const std::uint64_t first = (copied.address - shadow->begin) >> shadow->unit_shift,
                      last = std::min((copied.address - shadow->begin + copied.bytes - 1) >> shadow->unit_shift,
                                      shadow->words() - 1);
  for (std::uint64_t word = first; word <= last; ++word)
    shadow->writes[word] = Mark(time, copied.thread, copied.site).bits();
}

void AccessRecorder::close_group(const BlockFrame& frame, const LaneCall& call) {
  running(frame, call.warp).warps[call.warp].copies.emplace_back();
}

void AccessRecorder::wait_for_copies(const BlockFrame& frame, const LaneCall& call, std::uint64_t newest) {
  auto& copies = running(frame, call.warp).warps[call.warp].copies;
  while (copies.size() > newest) {
    for (const Copied& copied : copies.front()) mark_copied(frame, copied, time_);
    copies.erase(copies.begin());
  }
}

}  // namespace xcuda::device::cpu
