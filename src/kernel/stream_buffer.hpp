// Text that a cell writes, collected until it is worth a message. Pure: it knows no time and no socket.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/engine.hpp"

namespace xcuda::kernel {

struct StreamText {
  OutputStream stream;
  std::string text;  // valid UTF-8
};

class StreamBuffer {
 public:
  // Between two takes the streams keep their order up to this many changes from one to the other; beyond it each
  // stream becomes one piece, because a client's server drops what comes in thousands of messages.
  static constexpr std::size_t kMaxPieces = 16;

  void append(OutputStream stream, std::string_view text);
  std::size_t size() const { return size_; }  // bytes that take() would give

  // Takes the text that is ready, in order. A character that is not complete yet stays.
  std::vector<StreamText> take();
  // Takes all text: incomplete characters become U+FFFD.
  std::vector<StreamText> finish();

 private:
  void add(OutputStream stream, std::string text);

  std::vector<StreamText> pieces_;
  std::array<std::string, 2> tails_;  // per stream, the first bytes of a character
  std::size_t size_ = 0;
};

// The longest start of text that takes at most budget bytes in a JSON text and ends between two characters.
std::size_t json_prefix(std::string_view text, std::size_t budget);
// Bytes that the value takes as JSON text; numbers are estimated.
std::size_t json_size(const Json& value);

}  // namespace xcuda::kernel
