#include "kernel/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "kernel/stream_buffer.hpp"

namespace xcuda::kernel {
namespace {

constexpr auto kPlainText = "text/plain";
constexpr std::size_t kNoteBytes = 1 << 10;  // what text/plain says about what is missing

std::string cut_note(std::size_t bytes) { return fmt::format("[cut: {}]", format_bytes(bytes)); }

std::size_t total_size(const std::vector<std::string>& lines) {
  std::size_t size = 0;
  for (const auto& line : lines) size += line.size();
  return size;
}

}  // namespace

std::string bounded_text(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto kept = bytes - incomplete_utf8_tail(std::string_view(text).substr(0, bytes));
  const auto note = cut_note(text.size() - kept);
  text.resize(kept);
  return text + " ... " + note;
}

display::RenderedError bounded_error(display::RenderedError error) {
  error.bundle.data = bounded_bundle(std::move(error.bundle.data), kMaxValue);
  error.evalue = bounded_text(std::move(error.evalue), kMaxEvalue);
  auto& lines = error.traceback;
  if (total_size(lines) <= kMaxTraceback) return error;
  for (auto& line : lines) line = bounded_text(std::move(line), kMaxTraceback / 16);
  // The heading and the place come first; the library's words and the advice come last.
  std::size_t first = 0, last = lines.size(), used = 0;
  while (first < last && used + lines[first].size() <= kMaxTraceback / 2) used += lines[first++].size();
  used = 0;
  while (last > first && used + lines[last - 1].size() <= kMaxTraceback / 2) used += lines[--last].size();
  if (first == last) return error;
  const std::vector<std::string> middle(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                        lines.begin() + static_cast<std::ptrdiff_t>(last));
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first) + 1,
              lines.begin() + static_cast<std::ptrdiff_t>(last));
  lines[first] = fmt::format("... {} lines, {}", format_count(middle.size()), cut_note(total_size(middle)));
  return error;
}

Json bounded_bundle(Json data, std::size_t bytes) {
  if (!data.is_object() || json_size(data) <= bytes) return data;
  std::string missing;
  const auto room = bytes - std::min(bytes, kNoteBytes);
  while (json_size(data) > room) {
    auto largest = data.end();
    for (auto form = data.begin(); form != data.end(); ++form)
      if (form.key() != kPlainText && (largest == data.end() || json_size(*form) > json_size(*largest))) largest = form;
    if (largest == data.end()) break;
    if (missing.size() < kNoteBytes / 2)
      missing += fmt::format("\n[cut: {} of {}]", format_bytes(json_size(*largest)), largest.key());
    data.erase(largest);
  }
  auto text = data.contains(kPlainText) && data[kPlainText].is_string() ? data[kPlainText].get<std::string>() : "";
  constexpr std::size_t kFrame = 24;  // {"text/plain":""}
  if (json_size(data) > room) {
    const auto kept = json_prefix(text, room - std::min(room, kFrame));
    missing = fmt::format("\n[cut: {} of {}]", format_bytes(text.size() - kept), kPlainText) + missing;
    text.resize(kept);
  }
  data[kPlainText] = text.empty() ? missing.substr(1) : text + missing;
  return data;
}

BoundedMatches bounded_matches(editor::Matches found) {
  auto& matches = found.matches;
  const auto before = matches.size();
  std::erase_if(matches, [](const editor::Match& match) { return match.text.size() > kMaxMatch; });
  if (matches.size() > kMaxMatches) matches.resize(kMaxMatches);
  for (auto& match : matches)
    for (auto* text : {&match.signature, &match.help}) *text = bounded_text(std::move(*text), kMaxMatch);
  const auto left_out = before - matches.size();
  return {std::move(found), left_out};
}

}  // namespace xcuda::kernel
