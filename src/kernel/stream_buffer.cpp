#include "kernel/stream_buffer.hpp"

#include <utility>

#include "base/text.hpp"

namespace xcuda::kernel {
namespace {

constexpr std::size_t kNumberSize = 12;  // about what a double takes

std::size_t escaped_size(unsigned char c) {
  if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f') return 2;
  return c < 0x20 ? 6 : 1;
}

}  // namespace

void StreamBuffer::append(OutputStream stream, std::string_view text) {
  auto& tail = tails_[static_cast<std::size_t>(stream)];
  std::string whole = std::exchange(tail, {});
  whole += text;
  const auto incomplete = incomplete_utf8_tail(whole);
  tail = whole.substr(whole.size() - incomplete);
  whole.resize(whole.size() - incomplete);
  if (!whole.empty()) add(stream, valid_utf8(whole));
}

void StreamBuffer::add(OutputStream stream, std::string text) {
  size_ += text.size();
  if (!pieces_.empty() && pieces_.back().stream == stream) {
    pieces_.back().text += text;
    return;
  }
  if (pieces_.size() < kMaxPieces) {
    pieces_.push_back({stream, std::move(text)});
    return;
  }
  std::vector<StreamText> merged{{OutputStream::out, {}}, {OutputStream::err, {}}};
  pieces_.push_back({stream, std::move(text)});
  for (const auto& piece : pieces_) merged[static_cast<std::size_t>(piece.stream)].text += piece.text;
  pieces_ = std::move(merged);
}

std::vector<StreamText> StreamBuffer::take() {
  size_ = 0;
  return std::exchange(pieces_, {});
}

std::vector<StreamText> StreamBuffer::finish() {
  for (const auto stream : {OutputStream::out, OutputStream::err}) {
    const auto tail = std::exchange(tails_[static_cast<std::size_t>(stream)], {});
    if (!tail.empty()) add(stream, valid_utf8(tail));
  }
  return take();
}

std::size_t json_prefix(std::string_view text, std::size_t budget) {
  std::size_t bytes = 0, i = 0;
  while (i < text.size()) {
    const auto cost = escaped_size(static_cast<unsigned char>(text[i]));
    if (bytes + cost > budget) break;
    bytes += cost;
    ++i;
  }
  return i - (i < text.size() ? incomplete_utf8_tail(text.substr(0, i)) : 0);
}

std::size_t json_size(const Json& value) {
  std::size_t size = 2;
  if (value.is_string()) {
    for (const char c : value.get_ref<const std::string&>()) size += escaped_size(static_cast<unsigned char>(c));
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.items()) size += key.size() + 4 + json_size(item);
  } else if (value.is_array()) {
    for (const auto& item : value) size += 1 + json_size(item);
  } else {
    size = value.is_number_float() ? kNumberSize : value.dump().size();
  }
  return size;
}

}  // namespace xcuda::kernel
