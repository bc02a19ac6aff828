#include <chrono>

#include "device/fake.hpp"

namespace xcuda::device {

bool FakeDevice::share_words(const File& words) {
  begin("share_words");
  words_ = SharedWords(words);
  return options_.words == FakeOptions::Words::used;
}

void FakeDevice::post_write_value(std::uint32_t word, std::uint32_t value) {
  if (!begin_post("post_write_value")) return;
  enqueue({Posted::Kind::work, 0, [this, word, value](const WaitRequest&) -> std::optional<Fault> {
             if (skipped_.empty()) words_.write(word, value);
             return std::nullopt;
           }});
}

void FakeDevice::post_wait_value(std::uint32_t word, std::uint32_t value) {
  if (!begin_post("post_wait_value")) return;
  enqueue({Posted::Kind::work, 0, [this, word, value](const WaitRequest& request) -> std::optional<Fault> {
             const auto over = [&] {
               return (request.interrupt != nullptr && request.interrupt->raised()) ||
                      (request.deadline && std::chrono::steady_clock::now() >= *request.deadline);
             };
             gave_up_ = words_.wait(word, value, over) != SharedWords::Wait::reached;
             return std::nullopt;
           }});
}

}  // namespace xcuda::device
