#include "display/animation.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "base/base64.hpp"
#include "base/units.hpp"

namespace xcuda::display {
namespace {

constexpr std::size_t kSignature = 8, kAround = 12;  // bytes: of a file; of a chunk, around its content

struct Chunk {
  std::string_view name;
  std::span<const std::byte> content, whole;
};

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

std::vector<Chunk> chunks_of(std::span<const std::byte> file) {
  std::vector<Chunk> chunks;
  for (std::size_t at = kSignature; at + kAround <= file.size();) {
    const std::size_t length = number_at(file, at);
    if (length > file.size() - at - kAround) break;
    chunks.push_back({{reinterpret_cast<const char*>(file.data()) + at + 4, 4},
                      file.subspan(at + 8, length),
                      file.subspan(at, length + kAround)});
    at += length + kAround;
  }
  return chunks;
}

// What frames must have in common.
std::string form_of(const PngFile& file) {
  std::string form;
  for (const auto& chunk : chunks_of(file))
    if (chunk.name == "IHDR" || chunk.name == "PLTE" || chunk.name == "tRNS")
      form.append(reinterpret_cast<const char*>(chunk.content.data()), chunk.content.size());
  return form;
}

class File {
 public:
  void add(std::span<const std::byte> bytes) { file_.insert(file_.end(), bytes.begin(), bytes.end()); }
  void add_chunk(std::string_view name, std::span<const std::byte> content) {
    add_number(static_cast<std::uint32_t>(content.size()));
    const auto begin = file_.size();
    add(std::as_bytes(std::span(name)));
    add(content);
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(file_.data() + begin), file_.size() - begin);
    add_number(static_cast<std::uint32_t>(sum));
  }
  PngFile take() { return std::move(file_); }

 private:
  void add_number(std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) file_.push_back(static_cast<std::byte>(number >> shift));
  }
  PngFile file_;
};

// The content of a chunk, number by number.
class Content {
 public:
  Content& add(std::uint32_t number, int bytes = 4) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) bytes_.push_back(static_cast<std::byte>(number >> shift));
    return *this;
  }
  Content& add(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

bool fits(const PngFile& first, const PngFile& other) { return form_of(first) == form_of(other); }

// "PNG Specification (Third Edition)", chapters 5.6 and 11.3.6: acTL before the first image data, fcTL before each
// frame, and the data of frames after the first one in fdAT, numbered together with fcTL.
PngFile animated_png(const AnimationView& view) {
  File file;
  std::uint32_t sequence = 0;
  const auto milliseconds = static_cast<std::uint32_t>(std::clamp(std::round(1000 / view.each_second), 1.0, 60000.0));
  for (std::size_t i = 0; i < view.frames.size(); ++i) {
    const auto chunks = chunks_of(view.frames[i]);
    if (i == 0) file.add(std::span(view.frames[i]).first(kSignature));
    bool begun = false;
    for (const auto& chunk : chunks) {
      if (chunk.name == "IEND") break;
      if (chunk.name == "IDAT" && !begun) {
        begun = true;
        const auto header = chunks.front().content;
        Content control;
        control.add(sequence++).add(number_at(header, 0)).add(number_at(header, 4)).add(0).add(0);
        control.add(milliseconds, 2).add(1000, 2).add(0, 1).add(0, 1);  // replaces all that was there
        file.add_chunk("fcTL", control.bytes());
      }
      if (chunk.name == "IDAT" && i > 0)
        file.add_chunk("fdAT", Content().add(sequence++).add(chunk.content).bytes());
      else if (i == 0)
        file.add(chunk.whole);
      if (i == 0 && chunk.name == "IHDR")
        file.add_chunk("acTL",
                       Content().add(static_cast<std::uint32_t>(view.frames.size())).add(0).bytes());  // for ever
    }
  }
  file.add_chunk("IEND", {});
  return file.take();
}

Bundle animation_bundle(const AnimationView& view) {
  const auto file = animated_png(view);
  auto text = fmt::format("{}: {} frame{}, {:.3g} a second, {}", view.name, format_count(view.frames.size()),
                          view.frames.size() == 1 ? "" : "s", view.each_second, format_bytes(file.size()));
  if (view.shown > view.frames.size()) text += fmt::format(", of {} that were shown", format_count(view.shown));
  auto bundle = text_bundle(text);
  const auto header = std::span(view.frames.front()).subspan(kSignature + 8);
  const auto width = number_at(header, 0), height = number_at(header, 4);
  bundle.data["image/png"] = base64(file);
  bundle.metadata["image/png"] = {{"width", width}, {"height", height}, {"alt", "animation of " + text}};
  bundle.data[kAnimationMime] = {{"schema", 1},
                                 {"name", view.name},
                                 {"frames", view.frames.size()},
                                 {"shown", view.shown},
                                 {"each_second", view.each_second},
                                 {"width", width},
                                 {"height", height},
                                 {"bytes", file.size()}};
  return bundle;
}

}  // namespace xcuda::display
