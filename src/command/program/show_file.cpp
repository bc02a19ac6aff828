#include "command/program/show_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>

#include "base/base64.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "display/png.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kMostImage = std::uint64_t{64} << 20;  // bytes of a file, or of its pixels

// What clients draw as it is.
struct Drawn {
  std::string_view ending, mime;
};
constexpr std::array<Drawn, 5> kDrawn{{{".png", "image/png"},
                                       {".jpg", "image/jpeg"},
                                       {".jpeg", "image/jpeg"},
                                       {".gif", "image/gif"},
                                       {".svg", "image/svg+xml"}}};
constexpr std::array<std::string_view, 5> kDecoded{".ppm", ".pgm", ".pbm", ".pnm", ".bmp"};

std::string stamp_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return fmt::format("{} {}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string_view mime_of(const std::string& path) {
  for (const auto& drawn : kDrawn)
    if (path.ends_with(drawn.ending)) return drawn.mime;
  return {};
}

// Adds a description for screen readers.
void describe(display::Bundle& bundle, const std::string& path, std::string_view mime) {
  bundle.metadata[mime] = {{"alt", fmt::format("image of {}", path)}};
}

display::Bundle as_it_is(const std::string& path, std::string_view mime) {
  auto bundle = display::text_bundle(path);
  const auto bytes = read_file(path, kMostImage);
  if (mime == "image/svg+xml")
    bundle.data[mime] = valid_utf8(bytes);
  else
    bundle.data[mime] = base64(std::as_bytes(std::span(bytes)));
  describe(bundle, path, mime);
  return bundle;
}

// The process that reads files decodes it.
display::Bundle decoded(Invocation& call, const std::string& path) {
  auto& files = *call.session.parts().files;
  const WaitLimits limits{.interrupt = &call.session.interrupt_flag()};
  const auto file = files.open(path, {}, limits);
  if (file.facts.bytes() > kMostImage)
    throw Error(ErrorKind::value, fmt::format("{} has more pixels than a notebook shows", shown_path(path)))
        .advise(fmt::format("uint8_t x[h][w][3] = load(\"{}\") reads it, and %image x --size 1024 shows it.", path));
  std::vector<std::byte> samples(file.facts.bytes());
  files.read(file, samples, limits);
  display::Pixels pixels;
  pixels.height = static_cast<std::uint32_t>(file.facts.shape[0]);
  pixels.width = static_cast<std::uint32_t>(file.facts.shape[1]);
  pixels.channels = file.facts.shape.size() > 2 ? static_cast<std::uint32_t>(file.facts.shape[2]) : 1;
  const auto size = file.facts.type.size;  // of 16 bits the upper eight, which come second
  for (std::size_t i = 0; i < samples.size(); i += size)
    pixels.samples.push_back(static_cast<std::uint8_t>(samples[i + size - 1]));
  auto bundle = display::text_bundle(fmt::format("{}: {} × {} pixels", path, pixels.width, pixels.height));
  bundle.data["image/png"] = base64(display::encode_png(pixels));
  describe(bundle, path, "image/png");
  return bundle;
}

}  // namespace

ShownFiles::ShownFiles(Invocation& call) : call_(call) {
  for (const auto& word : call.arguments.words("--show")) {
    const bool known =
        !mime_of(word.text).empty() ||
        std::any_of(kDecoded.begin(), kDecoded.end(), [&](std::string_view one) { return word.text.ends_with(one); });
    if (!known)
      throw call
          .error(ErrorKind::value, fmt::format("{} is not the name of an image that can be shown", word.text), word)
          .advise("Write .ppm, .pgm, .pbm, .bmp, .png, .jpg, .gif or .svg files.");
    files_.push_back({word, stamp_of(word.text)});
  }
}

void ShownFiles::show() const {
  for (const auto& [word, before] : files_) {
    const auto now = stamp_of(word.text);
    if (now.empty() || now == before)
      throw call_
          .error(ErrorKind::io,
                 fmt::format("the program has not written {}{}", shown_path(word.text),
                             now.empty() ? "" : ", which is there from before"),
                 word)
          .advise("--show takes the name as the program writes it, in the folder of the session (%pwd).");
    call_.run.current = word.span;
    const auto mime = mime_of(word.text);
    call_.show(mime.empty() ? decoded(call_, word.text) : as_it_is(word.text, mime));
  }
}

}  // namespace xcuda::command
