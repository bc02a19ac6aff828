#include "device/shared_words.hpp"

#include <chrono>

#include "base/futex.hpp"

namespace xcuda::device {
namespace {

constexpr std::uint64_t kLost = std::uint64_t{1} << 32;
constexpr std::chrono::milliseconds kLook{20};  // how often a wait asks whether it is to stop

}  // namespace

File SharedWords::make_file() { return make_memory_file("xcuda-words", kBytes); }

void SharedWords::write(std::uint32_t word, std::uint32_t value) const {
  of(word).value.store(value, std::memory_order_release);
  wake_all(of(word).value);
}

// In this order: who sees the value sees that it is not the device's.
void SharedWords::lose(std::uint32_t word, std::uint32_t up_to) const {
  const auto first = value(word) + 1;
  if (of(word).lost.load() == 0) of(word).lost.store(kLost | first);
  write(word, up_to);
}

bool SharedWords::lost(std::uint32_t word, std::uint32_t wanted) const {
  const auto lost = of(word).lost.load();
  return lost != 0 && static_cast<std::int32_t>(wanted - static_cast<std::uint32_t>(lost)) >= 0;
}

void SharedWords::forget_losses(std::uint32_t words) const {
  for (std::uint32_t word = 0; word < words; ++word)
    if (of(word).lost.load(std::memory_order_relaxed) != 0) of(word).lost.store(0);
}

SharedWords::Wait SharedWords::wait(std::uint32_t word, std::uint32_t wanted,
                                    const std::function<bool()>& stopped) const {
  for (;;) {
    const auto now = value(word);
    if (static_cast<std::int32_t>(now - wanted) >= 0) return lost(word, wanted) ? Wait::lost : Wait::reached;
    if (stopped()) return Wait::stopped;
    wait_while(of(word).value, now, kLook);
  }
}

}  // namespace xcuda::device
