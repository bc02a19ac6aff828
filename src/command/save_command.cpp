// %save
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>

#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "files/array_writer.hpp"

namespace xcuda::command {
namespace {

constexpr std::size_t kMostSaved = 1000;  // arrays in a file

void run_save(Invocation& call) {
  call.expect_operands(2, kMostSaved + 1);
  const auto& words = call.arguments.operands;
  const auto& path = words.back();
  const bool several = files::file_kind(path.text) == files::FileKind::npz;
  if (words.size() > 2 && !several)
    throw call
        .error(ErrorKind::value, fmt::format("{} holds one array, but {} are named", path.text, words.size() - 1),
               words[1])
        .advise("A .npz file holds several: %save x y both.npz");
  call.session.submission().synchronize();
  std::optional<files::ArrayWriter> writer;
  std::vector<std::string> saved;
  std::uint64_t bytes = 0;
  for (const auto& word : std::span(words).first(words.size() - 1)) {
    const auto& array = call.array(word);
    const files::SavedArray next{array.type, array.shape, array.name};
    for (std::size_t i = 0; i < saved.size(); ++i)
      if (words[i].text == word.text)
        throw call.error(ErrorKind::value, fmt::format("{} is named twice", word.text), word);
    call.run.current = path.span;
    if (writer)
      writer->next(next);
    else
      writer.emplace(path.text, next);
    call.session.submission().read({array.address, array.bytes()},
                                   [&](std::span<const std::byte> piece) { writer->write(piece); });
    saved.push_back(declaration_text(array));
    bytes += array.bytes();
  }
  writer->commit();
  call.show(
      display::text_bundle(fmt::format("{} saved to {}: {}", fmt::join(saved, ", "), path.text, format_bytes(bytes))));
}

}  // namespace

Command save_command() {
  return {
      .name = "save",
      .operand = Operand::arrays_and_path,
      .usage = "%save x [y ...] file",
      .summary = "Write an array to a NumPy file, an image or a text file",
      .details =
          "The file's extension is the format: .npy and .npz are NumPy's, .csv, .tsv and .txt text, .png, .jpg, .bmp, "
          ".pgm "
          "and .ppm images. load(\"file.npy\") in a declaration reads the file, and so does numpy.load.\n\n"
          "A .npz file holds several arrays under their names: %save x y both.npz, then load(\"both.npz\", \"x\"). "
          "Text holds one or two dimensions of numbers, a line for each row, as numpy.savetxt writes it; numpy.loadtxt "
          "returns the same bits. An image is unsigned char [rows][columns], or [rows][columns][3] for RGB, or [4] for "
          "RGBA (.png, .bmp); .png, .pgm and .ppm hold unsigned short, too. JPEG changes samples a little.\n\n"
          "The file replaces an older one only when it is complete, and keeps the older one's mode. A symbolic link is "
          "followed.",
      .setup = kScaleSetup,
      .example = "%save x scaled.npy\n",
      .run = run_save,
  };
}

}  // namespace xcuda::command
