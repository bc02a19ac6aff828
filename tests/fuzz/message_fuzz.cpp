// Frames from a socket: counted, checked and parsed, signed by this fuzzer so that the texts are reached too. What is
// accepted is written back, as a reply's parent header is.
//
// Input: a byte of choices, then frames, each a byte of length and its bytes; length 255 takes all that is left.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "kernel/stream_buffer.hpp"
#include "kernel/wire.hpp"

using namespace xcuda::kernel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // One for all inputs would know their messages as repeated ones.
  Wire wire("sha256", "key");
  const std::uint8_t choices = data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::vector<std::string_view> frames;
  while (!rest.empty()) {
    const auto wanted = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    frames.push_back(rest.substr(0, wanted == 255 ? rest.size() : wanted));
    rest.remove_prefix(frames.back().size());
  }

  std::string signature;
  if (choices & 1) frames.insert(frames.begin(), kDelimiter);
  if ((choices & 2) && (choices & 1) && frames.size() >= 5) {
    signature = wire.sign({frames.begin() + 1, frames.begin() + 5});
    if (choices & 4) signature += "x";
    frames.insert(frames.begin() + 1, signature);
  }
  const auto opened = wire.open(frames);
  if (const auto* envelope = std::get_if<Envelope>(&opened)) {
    if (signature.empty() || (choices & 4)) std::abort();  // accepted without the right signature
    const auto sealed = wire.seal(envelope->header, envelope->parent_header, envelope->metadata, envelope->content);
    if (json_size(envelope->content) == 0 || sealed.size() != 6) std::abort();
    if (!std::holds_alternative<Refusal>(wire.open(frames))) std::abort();  // a repeated one must be known
  }
  return 0;
}
